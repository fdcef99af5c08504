//! How packed numbers become values: what most templates of section 5 begin with.

use crate::bits::{i16_at, u8_at, u32_at};
use crate::error::{Result, no_memory};

/// The parameters that most templates begin with.
pub struct Scale {
    reference: f64,
    binary: f64,
    decimal: f64,
    /// The bits of a packed number. 0: all values are the reference.
    pub bits: u32,
}

impl Scale {
    /// Reads them from section 5.
    pub fn read(section: &[u8]) -> Result<Self> {
        Ok(Self {
            reference: f64::from(f32::from_bits(u32_at(section, 11)?)),
            binary: power(2.0, i16_at(section, 15)?),
            decimal: power(10.0, i16_at(section, 17)?.wrapping_neg()),
            bits: u32::from(u8_at(section, 19)?),
        })
    }

    /// The value of a packed number, rounded step by step as eccodes rounds it.
    #[allow(clippy::cast_precision_loss, reason = "packed numbers have at most 53 bits")]
    pub fn value(&self, packed: i64) -> f64 {
        (packed as f64 * self.binary + self.reference) * self.decimal
    }

    /// A field whose values are all the same. Writers put the value itself into the reference.
    pub fn constant(&self, count: usize) -> Result<Vec<f64>> {
        let mut values = room(count)?;
        values.resize(count, self.reference);
        Ok(values)
    }
}

/// `base` to the power of `exponent`, by repeated steps: the last bits are those of eccodes.
fn power(base: f64, exponent: i16) -> f64 {
    let mut power = 1.0;
    for _ in 0..exponent.unsigned_abs() {
        power = if exponent < 0 { power / base } else { power * base };
    }
    power
}

/// An empty list with room for the values of a field.
pub fn room(count: usize) -> Result<Vec<f64>> {
    let mut values = Vec::new();
    values.try_reserve_exact(count).map_err(|_| no_memory(count))?;
    Ok(values)
}
