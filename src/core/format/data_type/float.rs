//! Floating-point types: IEEE 754's `float16`, `float32` and `float64`, `bfloat16`, and the narrow
//! types of machine learning.
//! <https://github.com/zarr-developers/zarr-extensions/tree/main/data-types>
//!
//! Fill values are kept as bit patterns, so that NaN payloads survive. `float8_e4m3fn` is not
//! registered, but TensorStore writes it.

use half::{bf16, f16};

use super::{FillValue, base64, micro};
use crate::error::{Error, Result};
use crate::format::metadata::json::Json;

/// A floating-point type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Float {
    Float16,
    Float32,
    Float64,
    Bfloat16,
    Float8E3M4,
    Float8E4M3,
    Float8E4M3B11Fnuz,
    Float8E4M3Fn,
    Float8E4M3Fnuz,
    Float8E5M2,
    Float8E5M2Fnuz,
    Float8E8M0Fnu,
    Float6E2M3Fn,
    Float6E3M2Fn,
    Float4E2M1Fn,
}

/// The bits of NaN and of the infinities. `None` where the type does not have them.
struct Specials {
    nan: Option<u64>,
    /// The positive and the negative infinity.
    infinities: Option<[u64; 2]>,
}

impl Float {
    /// All floating-point types.
    pub const ALL: [Self; 15] = [
        Self::Float16,
        Self::Float32,
        Self::Float64,
        Self::Bfloat16,
        Self::Float8E3M4,
        Self::Float8E4M3,
        Self::Float8E4M3B11Fnuz,
        Self::Float8E4M3Fn,
        Self::Float8E4M3Fnuz,
        Self::Float8E5M2,
        Self::Float8E5M2Fnuz,
        Self::Float8E8M0Fnu,
        Self::Float6E2M3Fn,
        Self::Float6E3M2Fn,
        Self::Float4E2M1Fn,
    ];

    /// The name in v3 metadata.
    pub fn name(self) -> &'static str {
        match self {
            Self::Float16 => "float16",
            Self::Float32 => "float32",
            Self::Float64 => "float64",
            Self::Bfloat16 => "bfloat16",
            Self::Float8E3M4 => "float8_e3m4",
            Self::Float8E4M3 => "float8_e4m3",
            Self::Float8E4M3B11Fnuz => "float8_e4m3b11fnuz",
            Self::Float8E4M3Fn => "float8_e4m3fn",
            Self::Float8E4M3Fnuz => "float8_e4m3fnuz",
            Self::Float8E5M2 => "float8_e5m2",
            Self::Float8E5M2Fnuz => "float8_e5m2fnuz",
            Self::Float8E8M0Fnu => "float8_e8m0fnu",
            Self::Float6E2M3Fn => "float6_e2m3fn",
            Self::Float6E3M2Fn => "float6_e3m2fn",
            Self::Float4E2M1Fn => "float4_e2m1fn",
        }
    }

    /// The floating-point type with this name in v3 metadata.
    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|float| float.name() == name)
    }

    /// The size of one element in bytes.
    pub fn size(self) -> usize {
        (self.bits() as usize).div_ceil(8)
    }

    /// The number of significant bits. Narrow types do not use the upper bits of their byte.
    pub fn bits(self) -> u32 {
        match self {
            Self::Float64 => 64,
            Self::Float32 => 32,
            Self::Float16 | Self::Bfloat16 => 16,
            Self::Float6E2M3Fn | Self::Float6E3M2Fn => 6,
            Self::Float4E2M1Fn => 4,
            _ => 8,
        }
    }

    /// The IEEE 754 type of this many bytes.
    pub(super) fn of_size(size: usize) -> Option<Self> {
        [Self::Float16, Self::Float32, Self::Float64].into_iter().find(|float| float.size() == size)
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
        let specials = self.specials();
        match text {
            "NaN" => specials.nan,
            "Infinity" => Some(specials.infinities?[0]),
            "-Infinity" => Some(specials.infinities?[1]),
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
            Self::Float16 => f16::from_f64(text.parse().ok()?).to_bits().into(),
            Self::Bfloat16 => bf16::from_f64(text.parse().ok()?).to_bits().into(),
            Self::Float32 => text.parse::<f32>().ok()?.to_bits().into(),
            Self::Float64 => text.parse::<f64>().ok()?.to_bits(),
            narrow => micro::encode(narrow, text.parse().ok()?)?.into(),
        };
        (!self.to_f64(bits).is_nan()).then_some(bits)
    }

    /// Writes the shortest number that every reader parses to these bits, including readers that
    /// use doubles. For NaN and the infinities it writes the name, or else the bit pattern.
    pub(super) fn fill_to_json(self, fill: &[u8]) -> Result<String> {
        let bits = unpack(fill);
        let value = self.to_f64(bits);
        if value.is_finite() {
            return shortest(value);
        }
        Ok(if value == f64::INFINITY {
            "\"Infinity\"".to_owned()
        } else if value == f64::NEG_INFINITY {
            "\"-Infinity\"".to_owned()
        } else if Some(bits) == self.specials().nan {
            "\"NaN\"".to_owned()
        } else {
            format!("\"0x{bits:0width$x}\"", width = self.hex_digits())
        })
    }

    fn specials(self) -> Specials {
        let (nan, infinity) = match self {
            Self::Float16 => (0x7e00, 0x7c00),
            Self::Bfloat16 => (0x7fc0, 0x7f80),
            Self::Float32 => (0x7fc0_0000, 0x7f80_0000),
            Self::Float64 => (0x7ff8_0000_0000_0000, 0x7ff0_0000_0000_0000),
            narrow => {
                let infinities = micro::infinities(narrow).map(|both| both.map(u64::from));
                return Specials { nan: micro::nan(narrow).map(u64::from), infinities };
            }
        };
        Specials {
            nan: Some(nan),
            infinities: Some([infinity, infinity | (self.all_bits() ^ self.all_bits() >> 1)]),
        }
    }

    /// The exact value of these bits.
    pub fn to_f64(self, bits: u64) -> f64 {
        #[allow(clippy::cast_possible_truncation, reason = "packed from as many bytes")]
        match self {
            Self::Float16 => f16::from_bits(bits as u16).to_f64(),
            Self::Bfloat16 => bf16::from_bits(bits as u16).to_f64(),
            Self::Float32 => f32::from_bits(bits as u32).into(),
            Self::Float64 => f64::from_bits(bits),
            narrow => micro::decode(narrow, bits as u8).unwrap_or(f32::NAN).into(),
        }
    }

    /// The bits of a number, rounded half to even. `None` for NaN and the infinities where the type
    /// does not have them, and for finite numbers beyond its largest.
    pub fn from_f64(self, value: f64) -> Option<u64> {
        let specials = self.specials();
        if value.is_nan() {
            return specials.nan;
        }
        if value.is_infinite() {
            return specials.infinities.map(|[above, below]| if value < 0.0 { below } else { above });
        }
        #[allow(clippy::cast_possible_truncation, reason = "that is rounding")]
        let bits = match self {
            Self::Float16 => f16::from_f64(value).to_bits().into(),
            Self::Bfloat16 => bf16::from_f64(value).to_bits().into(),
            Self::Float32 => (value as f32).to_bits().into(),
            Self::Float64 => value.to_bits(),
            narrow => micro::encode(narrow, value)?.into(),
        };
        self.to_f64(bits).is_finite().then_some(bits)
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
        let specials = self.specials();
        let nan = if specials.nan.is_some() { "\"NaN\", " } else { "" };
        let infinity = if specials.infinities.is_some() { "\"Infinity\", \"-Infinity\" " } else { "" };
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
/// The shortest JSON number that parses to this finite value.
#[cfg(any(feature = "full", feature = "json"))]
fn shortest(value: f64) -> Result<String> {
    serde_json::to_string(&value).map_err(|error| Error::format(error.to_string()))
}

/// Only the full build writes metadata.
#[cfg(not(any(feature = "full", feature = "json")))]
fn shortest(_: f64) -> Result<String> {
    Err(Error::needs_full("writing a fill value"))
}
