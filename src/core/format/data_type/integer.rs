//! The data types `int8` … `uint64`, and `int2` … `uint4`, which have one byte each in memory.
//! Signed integers are in two's complement.
//!
//! Fill values are exact for all 64 bits.

use super::FillValue;
use crate::error::Result;
use crate::format::metadata::json::Json;

/// An integer type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Integer {
    Int8,
    Int16,
    Int32,
    Int64,
    Uint8,
    Uint16,
    Uint32,
    Uint64,
    Int2,
    Int4,
    Uint2,
    Uint4,
}

impl Integer {
    /// All integer types.
    pub const ALL: [Self; 12] = [
        Self::Int8,
        Self::Int16,
        Self::Int32,
        Self::Int64,
        Self::Uint8,
        Self::Uint16,
        Self::Uint32,
        Self::Uint64,
        Self::Int2,
        Self::Int4,
        Self::Uint2,
        Self::Uint4,
    ];

    /// The name in v3 metadata.
    pub fn name(self) -> &'static str {
        match self {
            Self::Int8 => "int8",
            Self::Int16 => "int16",
            Self::Int32 => "int32",
            Self::Int64 => "int64",
            Self::Uint8 => "uint8",
            Self::Uint16 => "uint16",
            Self::Uint32 => "uint32",
            Self::Uint64 => "uint64",
            Self::Int2 => "int2",
            Self::Int4 => "int4",
            Self::Uint2 => "uint2",
            Self::Uint4 => "uint4",
        }
    }

    /// The integer type with this name in v3 metadata.
    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|integer| integer.name() == name)
    }

    /// The size of one element in bytes.
    pub fn size(self) -> usize {
        (self.bits() as usize).div_ceil(8)
    }

    /// The number of significant bits. Narrow signed integers repeat their sign in the upper bits
    /// of the byte.
    pub fn bits(self) -> u32 {
        match self {
            Self::Int2 | Self::Uint2 => 2,
            Self::Int4 | Self::Uint4 => 4,
            Self::Int8 | Self::Uint8 => 8,
            Self::Int16 | Self::Uint16 => 16,
            Self::Int32 | Self::Uint32 => 32,
            Self::Int64 | Self::Uint64 => 64,
        }
    }

    /// Whether the type has negative numbers.
    pub fn is_signed(self) -> bool {
        matches!(self, Self::Int2 | Self::Int4 | Self::Int8 | Self::Int16 | Self::Int32 | Self::Int64)
    }

    /// The smallest and the largest number.
    #[allow(clippy::arithmetic_side_effects, reason = "a type has 2 to 64 bits")]
    fn range(self) -> (i128, i128) {
        let bits = self.bits();
        if self.is_signed() { (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) } else { (0, (1 << bits) - 1) }
    }

    /// The signed or unsigned integer type of this many bytes.
    pub(super) fn of_size(signed: bool, size: usize) -> Option<Self> {
        let fits =
            |integer: &Self| integer.is_signed() == signed && integer.bits() >= 8 && integer.size() == size;
        Self::ALL.into_iter().find(fits)
    }

    /// Parses a number without a fraction or an exponent.
    pub(super) fn parse_fill(self, json: Json<'_>) -> Result<FillValue> {
        let digits = json.number_text().ok().and_then(|text| text.parse().ok());
        digits.and_then(|value| self.pack(value)).ok_or_else(|| self.unexpected(json))
    }

    /// Parses a number with a fraction of zero (`0.0`) or an exponent (`1e3`), which pandas and
    /// netCDF tools write. `None` for other values.
    pub(super) fn parse_fraction_fill(self, json: Json<'_>) -> Option<FillValue> {
        self.pack(integral_double(json.number_text().ok()?)?)
    }

    /// Writes the decimal digits.
    pub(super) fn fill_to_json(self, fill: &[u8]) -> String {
        let negative = self.is_signed() && fill.last().is_some_and(|byte| *byte >= 0x80);
        let mut bytes = [if negative { 0xff } else { 0 }; 16];
        bytes.iter_mut().zip(fill).for_each(|(byte, packed)| *byte = *packed);
        i128::from_le_bytes(bytes).to_string()
    }

    fn pack(self, value: i128) -> Option<FillValue> {
        let (least, most) = self.range();
        (least..=most)
            .contains(&value)
            .then(|| FillValue(value.to_le_bytes().into_iter().take(self.size()).collect()))
    }

    fn unexpected(self, json: Json<'_>) -> crate::error::Error {
        let (least, most) = self.range();
        json.unexpected(&format!("an integer from {least} to {most}"))
    }
}

/// The integer that a number with a fraction or an exponent is equal to, where a double represents
/// it exactly.
fn integral_double(text: &str) -> Option<i128> {
    let value: f64 = text.parse().ok()?;
    #[allow(clippy::cast_possible_truncation, reason = "an integer below 2^53")]
    (value.fract() == 0.0 && value.abs() <= 9_007_199_254_740_992.0).then_some(value as i128)
}
