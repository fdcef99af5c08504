//! Integers: their ranges, and their fill values, which are exact for all 64 bits. Signed integers
//! are in two's complement.

use super::{FillValue, Integer};
use crate::error::Result;
use crate::format::json::Json;
use crate::format::json::decimal::{self, Binary};

impl Integer {
    /// The smallest and the largest number.
    #[allow(clippy::arithmetic_side_effects, reason = "a type has 2 to 64 bits")]
    fn range(self) -> (i128, i128) {
        let bits = self.bits();
        if self.is_signed() { (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) } else { (0, (1 << bits) - 1) }
    }

    /// The signed or unsigned integer type of this many bytes.
    pub(super) fn of_size(signed: bool, size: usize) -> Option<Self> {
        let fits =
            |integer: &Self| integer.is_signed() == signed && integer.is_in_numpy() && integer.size() == size;
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

    /// The number of this type that is nearest to another number. `None` for other JSON.
    pub(super) fn nearest_fill(self, json: Json<'_>) -> Option<FillValue> {
        let text = json.number_text().ok()?;
        let (least, most) = self.range();
        let value = match text.parse() {
            Ok(value) => value,
            #[allow(clippy::cast_possible_truncation, reason = "a number that is larger becomes the largest")]
            Err(_) => {
                decimal::parse(text, Binary::DOUBLE).filter(|value: &f64| !value.is_nan())?.round() as i128
            }
        };
        self.pack(value.clamp(least, most))
    }

    /// Writes the decimal digits.
    pub(super) fn fill_to_json(self, fill: &[u8]) -> String {
        let negative = self.is_signed() && fill.last().is_some_and(|byte| *byte >= 0x80);
        let mut bytes = [if negative { 0xff } else { 0 }; 16];
        bytes.iter_mut().zip(fill).for_each(|(byte, packed)| *byte = *packed);
        digits(i128::from_le_bytes(bytes))
    }

    fn pack(self, value: i128) -> Option<FillValue> {
        let (least, most) = self.range();
        (least..=most)
            .contains(&value)
            .then(|| FillValue(value.to_le_bytes().into_iter().take(self.size()).collect()))
    }

    fn unexpected(self, json: Json<'_>) -> crate::error::Error {
        let (least, most) = self.range();
        json.unexpected(&format!("an integer from {} to {}", digits(least), digits(most)))
    }
}

/// Writes an integer of at most 64 bits. The printer of 128 bits would be in every program.
fn digits(value: i128) -> String {
    match u64::try_from(value) {
        Ok(value) => value.to_string(),
        Err(_) => i64::try_from(value).unwrap_or(i64::MIN).to_string(),
    }
}

/// The integer that a number with a fraction or an exponent is equal to, where a double represents
/// it exactly.
fn integral_double(text: &str) -> Option<i128> {
    let value: f64 = decimal::parse(text, Binary::DOUBLE)?;
    #[allow(clippy::cast_possible_truncation, reason = "an integer below 2^53")]
    (value.fract() == 0.0 && value.abs() <= 9_007_199_254_740_992.0).then_some(value as i128)
}
