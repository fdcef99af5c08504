//! `float16`, `float32`, `float64`: IEEE 754. Fill values keep NaN payloads, as bit patterns.

use half::f16;

use super::FillValue;
use crate::error::{Error, Result};
use crate::format::metadata::json::Json;

/// Which float.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Float {
    Float16,
    Float32,
    Float64,
}

impl Float {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Float16, Self::Float32, Self::Float64];

    /// The name in v3 metadata.
    pub fn name(self) -> &'static str {
        match self {
            Self::Float16 => "float16",
            Self::Float32 => "float32",
            Self::Float64 => "float64",
        }
    }

    /// Bytes of one element.
    pub fn size(self) -> usize {
        match self {
            Self::Float16 => 2,
            Self::Float32 => 4,
            Self::Float64 => 8,
        }
    }

    /// The float of this many bytes.
    pub(super) fn of_size(size: usize) -> Option<Self> {
        Self::ALL.into_iter().find(|float| float.size() == size)
    }

    /// From a number, `"NaN"`, `"Infinity"`, `"-Infinity"` or a bit pattern `"0x…"`.
    pub(super) fn parse_fill(self, json: Json<'_>) -> Result<FillValue> {
        match json.kind_name() {
            "a number" => self.parse_number(json.text()).ok_or_else(|| self.unexpected(json)),
            "a string" => self.parse_text(&json.str()?).ok_or_else(|| self.unexpected(json)),
            _ => Err(self.unexpected(json)),
        }
    }

    fn parse_text(self, text: &str) -> Option<FillValue> {
        let bits = match text {
            "NaN" => self.canonical_nan(),
            "Infinity" => self.infinity(),
            "-Infinity" => self.infinity() | (1 << (8 * self.size() - 1)),
            _ => {
                let digits = text.strip_prefix("0x").filter(|digits| digits.len() == 2 * self.size())?;
                // `from_str_radix` would take a sign.
                digits.bytes().all(|digit| digit.is_ascii_hexdigit()).then_some(())?;
                u64::from_str_radix(digits, 16).ok()?
            }
        };
        Some(self.pack(bits))
    }

    /// Rounds half to even, as the specification says. float16 goes through float64: that rounds twice only for literals
    /// of 17 digits and more that lie beside, not on, the middle of two float16 values, which no writer makes from one.
    fn parse_number(self, text: &str) -> Option<FillValue> {
        let bits = match self {
            Self::Float16 => f16::from_f64(text.parse().ok()?).to_bits().into(),
            Self::Float32 => text.parse::<f32>().ok()?.to_bits().into(),
            Self::Float64 => text.parse::<f64>().ok()?.to_bits(),
        };
        Some(self.pack(bits))
    }

    /// The shortest number that every reader takes back to these bits, also one that reads through float64; else the name;
    /// else the bit pattern.
    pub(super) fn fill_to_json(self, fill: &FillValue) -> Result<String> {
        let bits = self.unpack(fill);
        let value = self.to_f64(bits);
        let not_json = |error: serde_json::Error| Error::format(error.to_string());
        if value.is_finite() {
            return serde_json::to_string(&value).map_err(not_json);
        }
        Ok(if value == f64::INFINITY {
            "\"Infinity\"".to_owned()
        } else if value == f64::NEG_INFINITY {
            "\"-Infinity\"".to_owned()
        } else if bits == self.canonical_nan() {
            "\"NaN\"".to_owned()
        } else {
            format!("\"0x{bits:0width$x}\"", width = 2 * self.size())
        })
    }

    fn canonical_nan(self) -> u64 {
        match self {
            Self::Float16 => 0x7e00,
            Self::Float32 => 0x7fc0_0000,
            Self::Float64 => 0x7ff8_0000_0000_0000,
        }
    }

    fn infinity(self) -> u64 {
        match self {
            Self::Float16 => 0x7c00,
            Self::Float32 => 0x7f80_0000,
            Self::Float64 => 0x7ff0_0000_0000_0000,
        }
    }

    fn to_f64(self, bits: u64) -> f64 {
        #[allow(clippy::cast_possible_truncation, reason = "packed from as many bytes")]
        match self {
            Self::Float16 => f16::from_bits(bits as u16).to_f64(),
            Self::Float32 => f32::from_bits(bits as u32).into(),
            Self::Float64 => f64::from_bits(bits),
        }
    }

    fn pack(self, bits: u64) -> FillValue {
        FillValue(bits.to_le_bytes()[..self.size()].to_vec())
    }

    fn unpack(self, fill: &FillValue) -> u64 {
        let mut bytes = [0; 8];
        bytes.iter_mut().zip(&fill.0).for_each(|(byte, packed)| *byte = *packed);
        u64::from_le_bytes(bytes)
    }

    fn unexpected(self, json: Json<'_>) -> Error {
        json.unexpected(&format!(
            "a number, \"NaN\", \"Infinity\", \"-Infinity\" or \"0x\" and {} hexadecimal digits",
            2 * self.size()
        ))
    }
}
