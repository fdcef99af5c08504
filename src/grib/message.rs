//! A GRIB2 message: its sections, and the values of its first field.

use crate::bits::{Bits, u8_at, u32_at};
use crate::error::{Result, damaged, no_message, other_count, too_short, unsupported};
use crate::grid::{Convention, Grid};
use crate::packing;
use crate::scale::room;

/// The length of section 0.
const INDICATOR: usize = 16;
/// The last bytes of a message.
const END: &[u8] = b"7777";

/// A message: the sections that the values and the grid of its first field are in.
pub struct Message<'a> {
    /// Section 3.
    grid: &'a [u8],
    /// Section 5.
    representation: &'a [u8],
    /// Section 6.
    bitmap: &'a [u8],
    /// Section 7, without its header.
    data: &'a [u8],
}

impl<'a> Message<'a> {
    /// Finds the sections. Bytes after the message are ignored, as eccodes ignores them. Takes time
    /// in the number of sections, and allocates nothing.
    ///
    /// # Errors
    /// `Format` for other bytes than a message, `Unsupported` for other editions.
    pub fn parse(bytes: &'a [u8]) -> Result<Self> {
        let mut rest = sections(bytes)?;
        let mut found: [&[u8]; 8] = [&[]; 8];
        while !rest.is_empty() {
            let len = u32_at(rest, 0)? as usize;
            let number = u8_at(rest, 4)?;
            let (section, after) = rest.split_at_checked(len).ok_or_else(too_short)?;
            // Sections may be repeated for more fields; what counts is in front of the data.
            *found
                .get_mut(usize::from(number))
                .ok_or_else(|| damaged("a section has an unknown number"))? = section;
            if len < 5 || number == 7 {
                break;
            }
            rest = after;
        }
        let [_, _, _, grid, _, representation, bitmap, data] = found;
        if [grid, representation, bitmap, data].iter().any(|section| section.len() < 5) {
            return Err(damaged("a section is missing"));
        }
        Ok(Self { grid, representation, bitmap, data: data.get(5..).unwrap_or_default() })
    }

    /// The number of points of the grid, as the message says: nothing bounds it.
    ///
    /// # Errors
    /// `Format` for a section that is too short.
    pub fn points(&self) -> Result<usize> {
        Ok(u32_at(self.grid, 6)? as usize)
    }

    /// The grid, with the coordinates of a convention. Allocates nothing.
    ///
    /// # Errors
    /// `Unsupported` for grids whose coordinates are not computed, `Format` for corrupt ones.
    pub fn grid(&self, convention: Convention) -> Result<Grid> {
        Grid::parse(self.grid, convention)
    }

    /// The values of all points in the order of the message: NaN where they are missing. `expected`
    /// is the number of points that the caller has room for. Takes time in the data and the points,
    /// eight bytes a point, as many again where some are missing, and an image of them where the
    /// field is packed as one.
    ///
    /// # Errors
    /// `Format` for another number of points, before anything is allocated, and for corrupt data;
    /// `Unsupported` for packings that are not decoded; `Limit` where memory is short.
    pub fn values(&self, expected: usize) -> Result<Vec<f64>> {
        let points = self.points()?;
        if points != expected {
            return Err(other_count(expected, points));
        }
        let count = u32_at(self.representation, 5)? as usize;
        let wrong = || damaged("it has another number of values than of points");
        if count > points {
            return Err(wrong());
        }
        // A field without values may have no image and no groups.
        let mut values =
            if count == 0 { Vec::new() } else { packing::unpack(self.representation, self.data, count)? };
        if values.len() != count {
            return Err(wrong());
        }
        match u8_at(self.bitmap, 5)? {
            255 if count == points => Ok(values),
            255 => Err(wrong()),
            0 => {
                spread(&mut values, self.bitmap.get(6..).unwrap_or_default(), points)?;
                Ok(values)
            }
            other => Err(unsupported("the bitmap", other)),
        }
    }
}

/// The bytes between section 0 and the end of the message.
fn sections(bytes: &[u8]) -> Result<&[u8]> {
    if !bytes.starts_with(b"GRIB") {
        return Err(no_message());
    }
    let edition = u8_at(bytes, 7)?;
    if edition != 2 {
        return Err(unsupported("edition", edition));
    }
    let len = u64::from(u32_at(bytes, 8)?) << 32 | u64::from(u32_at(bytes, 12)?);
    let len = usize::try_from(len).map_err(|_| too_short())?;
    let message = bytes.get(..len).ok_or_else(too_short)?;
    let sections = message.strip_suffix(END).ok_or_else(|| damaged("its end is missing"))?;
    sections.get(INDICATOR..).ok_or_else(too_short)
}

/// Puts values to the points whose bit is set, and NaN to the others.
fn spread(values: &mut Vec<f64>, bitmap: &[u8], points: usize) -> Result<()> {
    let mut bits = Bits::new(bitmap);
    let mut spread = room(points)?;
    let mut present = values.iter();
    for _ in 0..points {
        spread.push(match bits.take(1)? {
            0 => f64::NAN,
            _ => *present.next().ok_or_else(|| damaged("its bitmap has more points than values"))?,
        });
    }
    if present.next().is_some() {
        return Err(damaged("its bitmap has fewer points than values"));
    }
    *values = spread;
    Ok(())
}
