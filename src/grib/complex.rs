//! Complex packing: groups of numbers with a reference, a width and a length each (template 5.2);
//! and with the differences of neighbours instead of numbers (template 5.3).

use crate::bits::{Bits, split, u8_at, u32_at};
use crate::error::{Result, damaged, unsupported};
use crate::scale::{Scale, room};

/// How the groups are packed: section 5 from offset 22.
struct Groups {
    /// How many of the highest patterns mean a missing value: 0, 1 or 2.
    missing: u64,
    count: usize,
    width_reference: u64,
    width_bits: u32,
    length_reference: u64,
    length_step: u64,
    last_length: u64,
    length_bits: u32,
}

impl Groups {
    fn read(section: &[u8]) -> Result<Self> {
        let missing = u8_at(section, 22)?;
        if missing > 2 {
            return Err(unsupported("the management of missing values", missing));
        }
        Ok(Self {
            missing: u64::from(missing),
            count: u32_at(section, 31)? as usize,
            width_reference: u64::from(u8_at(section, 35)?),
            width_bits: u32::from(u8_at(section, 36)?),
            length_reference: u64::from(u32_at(section, 37)?),
            length_step: u64::from(u8_at(section, 41)?),
            last_length: u64::from(u32_at(section, 42)?),
            length_bits: u32::from(u8_at(section, 46)?),
        })
    }

    /// Whether a number of these bits stands for a missing value.
    fn is_missing(&self, number: u64, bits: u32) -> bool {
        let highest = (1_u64 << bits.min(63)).wrapping_sub(1);
        self.missing > 0 && number == highest
            || self.missing > 1 && bits > 0 && number == highest.wrapping_sub(1)
    }
}

/// Adds differences up, of the first or the second order. Missing values are left out.
#[derive(Default)]
struct Differences {
    /// The values that come first, as they are; in reverse order.
    first: Vec<i64>,
    least: i64,
    order: u8,
    last: i64,
    last_but_one: i64,
}

impl Differences {
    /// Reads the descriptors before the groups. Returns the bytes after them too.
    fn read<'a>(section: &[u8], data: &'a [u8]) -> Result<(Self, &'a [u8])> {
        let (order, octets) = (u8_at(section, 47)?, u32::from(u8_at(section, 48)?));
        if !(1..=2).contains(&order) {
            return Err(unsupported("differences of order", order));
        }
        if octets > 4 {
            return Err(unsupported("octets of the first values:", octets));
        }
        let width = octets.saturating_mul(8);
        let (mut bits, rest) = split(data, usize::from(order).saturating_add(1), width)?;
        let mut first = Vec::new();
        for _ in 0..order {
            first.insert(0, bits.take(width)?.cast_signed());
        }
        // The first bit of the least difference is its sign.
        let is_negative = bits.take(width.min(1))? == 1;
        let magnitude = bits.take(width.saturating_sub(1))?.cast_signed();
        let least = if is_negative { magnitude.wrapping_neg() } else { magnitude };
        Ok((Self { first, least, order, ..Self::default() }, rest))
    }

    /// The number whose difference to those before it this is.
    fn add(&mut self, difference: i64) -> i64 {
        let sum = match (self.first.pop(), self.order) {
            (Some(first), _) => first,
            (None, 0) => return difference,
            (None, 1) => difference.wrapping_add(self.least).wrapping_add(self.last),
            (None, _) => difference
                .wrapping_add(self.least)
                .wrapping_add(self.last.wrapping_mul(2))
                .wrapping_sub(self.last_but_one),
        };
        (self.last_but_one, self.last) = (self.last, sum);
        sum
    }
}

/// Decodes the values of a field.
///
/// # Errors
/// `Format` for corrupt data, `Unsupported` for differences of a higher order.
pub fn unpack(section: &[u8], data: &[u8], count: usize, scale: &Scale, differs: bool) -> Result<Vec<f64>> {
    let groups = Groups::read(section)?;
    if groups.count == 0 {
        return scale.constant(count);
    }
    if groups.count > count {
        return Err(damaged("it has more groups than values"));
    }
    let (differences, rest) =
        if differs { Differences::read(section, data)? } else { (Differences::default(), data) };
    let (references, rest) = split(rest, groups.count, scale.bits)?;
    let (widths, rest) = split(rest, groups.count, groups.width_bits)?;
    let (lengths, rest) = split(rest, groups.count, groups.length_bits)?;
    let values = room(count)?;
    let reader = Reader { groups, scale, differences, count, numbers: Bits::new(rest), values };
    reader.read([references, widths, lengths])
}

struct Reader<'a> {
    groups: Groups,
    scale: &'a Scale,
    differences: Differences,
    count: usize,
    numbers: Bits<'a>,
    values: Vec<f64>,
}

impl Reader<'_> {
    fn read(mut self, [mut references, mut widths, mut lengths]: [Bits<'_>; 3]) -> Result<Vec<f64>> {
        for left in (0..self.groups.count).rev() {
            let reference = references.take(self.scale.bits)?;
            let width = widths.take(self.groups.width_bits)?.wrapping_add(self.groups.width_reference);
            let scaled = lengths.take(self.groups.length_bits)?.wrapping_mul(self.groups.length_step);
            let length = match left {
                0 => self.groups.last_length,
                _ => scaled.wrapping_add(self.groups.length_reference),
            };
            if length > self.count.saturating_sub(self.values.len()) as u64 {
                return Err(damaged("its groups have more values than the field"));
            }
            let width = u32::try_from(width).map_err(|_| damaged("a group is too wide"))?;
            for _ in 0..length {
                self.read_value(reference, width)?;
            }
        }
        Ok(self.values)
    }

    fn read_value(&mut self, reference: u64, width: u32) -> Result<()> {
        let number = self.numbers.take(width)?;
        let is_missing = match width {
            0 => self.groups.is_missing(reference, self.scale.bits),
            _ => self.groups.is_missing(number, width),
        };
        self.values.push(match is_missing {
            true => f64::NAN,
            false => self.scale.value(self.differences.add(number.wrapping_add(reference).cast_signed())),
        });
        Ok(())
    }
}
