//! Floating-point types: their fill values, and rounding to them.
//! <https://github.com/zarr-developers/zarr-extensions/tree/main/data-types>
//!
//! Fill values are kept as bit patterns, so that NaN payloads survive.

use half::{bf16, f16};

use super::{FillValue, Float, base64};
use crate::error::{Error, Result};
use crate::format::json::Json;
use crate::format::json::decimal::{self, Binary};

impl Float {
    /// The IEEE 754 type of this many bytes.
    pub(super) fn of_size(size: usize) -> Option<Self> {
        Self::ALL.into_iter().find(|float| float.is_in_numpy() && float.size() == size)
    }

    /// Parses a number, `"NaN"`, `"Infinity"`, `"-Infinity"` or a bit pattern `"0x…"`.
    pub(super) fn parse_fill(self, json: Json<'_>) -> Result<FillValue> {
        let bits = match json.kind_name() {
            "a number" => self.parse_number(json.text()),
            "a string" => self.parse_text(&json.str()?),
            _ => None,
        };
        bits.map(|bits| self.pack(bits)).ok_or_else(|| self.unexpected(json))
    }

    /// Parses the forms of v2 writers: TensorStore writes `float4_e2m1fn` as base64 of its byte.
    pub(super) fn parse_v2_fill(self, json: Json<'_>) -> Result<FillValue> {
        self.parse_fill(json).or_else(|error| match base64::decode(json).as_deref() {
            Ok([byte]) if self.size() == 1 => Ok(self.pack(u64::from(*byte) & self.all_bits())),
            _ => Err(error),
        })
    }

    fn parse_text(self, text: &str) -> Option<u64> {
        let layout = self.layout();
        match text {
            "NaN" => layout.nan(),
            "Infinity" => layout.infinities().map(|[above, _]| above),
            "-Infinity" => layout.infinities().map(|[_, below]| below),
            _ => {
                let digits = text.strip_prefix("0x").filter(|digits| digits.len() == self.hex_digits())?;
                // `from_str_radix` accepts a sign.
                digits.bytes().all(|digit| digit.is_ascii_hexdigit()).then_some(())?;
                let bits = u64::from_str_radix(digits, 16).ok()?;
                (bits <= self.all_bits()).then_some(bits)
            }
        }
    }

    /// Parses a number and rounds half to even, as the specification says.
    ///
    /// Types of two bytes and fewer are rounded from a wider type. Rounding twice differs only for
    /// literals with more digits than any writer makes of an element.
    fn parse_number(self, text: &str) -> Option<u64> {
        let bits = match self {
            Self::Float32 => self.rounded(decimal::parse(text, Binary::SINGLE)?)?,
            _ => self.rounded(decimal::parse(text, Binary::DOUBLE)?)?,
        };
        (!self.to_f64(bits).is_nan()).then_some(bits)
    }

    /// Writes the shortest number that every reader parses to these bits, including readers that
    /// use doubles. For NaN and the infinities it writes the name, or else the bit pattern.
    pub(super) fn fill_to_json(self, fill: &[u8]) -> String {
        let bits = unpack(fill);
        let value = self.to_f64(bits);
        if value.is_finite() {
            return decimal::text(value);
        }
        if value.is_infinite() {
            format!("\"{}\"", decimal::text(value))
        } else if Some(bits) == self.layout().nan() {
            "\"NaN\"".to_owned()
        } else {
            format!("\"0x{bits:0width$x}\"", width = self.hex_digits())
        }
    }

    /// The exact value of these bits.
    pub fn to_f64(self, bits: u64) -> f64 {
        if self == Self::Float64 { f64::from_bits(bits) } else { self.layout().decode(bits) }
    }

    /// The bits of a number, rounded half to even. `None` for NaN and the infinities where the type
    /// does not have them, and for finite numbers beyond its largest.
    pub fn from_f64(self, value: f64) -> Option<u64> {
        let layout = self.layout();
        if value.is_nan() {
            return layout.nan();
        }
        if value.is_infinite() {
            return layout.infinities().map(|[above, below]| if value < 0.0 { below } else { above });
        }
        self.rounded(value).filter(|bits| self.to_f64(*bits).is_finite())
    }

    #[allow(clippy::cast_possible_truncation, reason = "that is rounding")]
    fn rounded(self, value: f64) -> Option<u64> {
        Some(match self {
            Self::Float16 => f16::from_f64(value).to_bits().into(),
            Self::Bfloat16 => bf16::from_f64(value).to_bits().into(),
            Self::Float32 => (value as f32).to_bits().into(),
            Self::Float64 => value.to_bits(),
            narrow => narrow.layout().encode(value)?,
        })
    }

    /// The bits for a number that the type cannot represent: those of an infinity, or else of the
    /// largest number. Zero for NaN.
    pub fn saturated(self, value: f64) -> u64 {
        if value.is_nan() {
            return 0;
        }
        let sign = if value < 0.0 { -1.0 } else { 1.0 };
        let largest = || {
            let all = (0..1_u64 << self.bits().min(16)).map(|bits| (self.to_f64(bits), bits));
            let finite = all.filter(|(number, _)| number.is_finite());
            finite.max_by(|a, b| (sign * a.0).total_cmp(&(sign * b.0))).map_or(0, |(_, bits)| bits)
        };
        self.from_f64(sign * f64::INFINITY).unwrap_or_else(largest)
    }

    /// All bits of the type.
    fn all_bits(self) -> u64 {
        u64::MAX.unbounded_shr(u64::BITS.saturating_sub(self.bits()))
    }

    /// The number of hexadecimal digits of a bit pattern.
    fn hex_digits(self) -> usize {
        self.size().saturating_mul(2)
    }

    fn pack(self, bits: u64) -> FillValue {
        FillValue(bits.to_le_bytes().into_iter().take(self.size()).collect())
    }

    fn unexpected(self, json: Json<'_>) -> Error {
        let layout = self.layout();
        let nan = if layout.nan().is_some() { "\"NaN\", " } else { "" };
        let infinity = if layout.infinities().is_some() { "\"Infinity\", \"-Infinity\" " } else { "" };
        json.unexpected(&format!(
            "a number, {nan}{infinity}or \"0x\" and {} hexadecimal digits",
            self.hex_digits()
        ))
    }
}

fn unpack(fill: &[u8]) -> u64 {
    let mut bytes = [0; 8];
    bytes.iter_mut().zip(fill).for_each(|(byte, packed)| *byte = *packed);
    u64::from_le_bytes(bytes)
}
