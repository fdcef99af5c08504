//! A GRIB2 message: its sections, and the values of its first field.

use super::bits::{Bits, too_short, u8_at, u32_at};
use super::errors::{damaged, unsupported};
use super::packing;
use crate::error::{Error, Result};
use crate::limits;

/// The length of section 0.
const INDICATOR: usize = 16;
/// The last bytes of a message.
const END: &[u8] = b"7777";

/// The sections of the first field that its values and its grid are in.
pub struct Message<'a> {
    /// Section 3.
    pub grid: &'a [u8],
    /// Section 5.
    representation: &'a [u8],
    /// Section 6.
    bitmap: &'a [u8],
    /// Section 7, without its header.
    data: &'a [u8],
}

impl<'a> Message<'a> {
    /// Finds the sections. Bytes after the message are ignored, as eccodes ignores them.
    ///
    /// # Errors
    /// `Format` for other bytes than a message, `Unsupported` for other editions.
    pub fn parse(bytes: &'a [u8]) -> Result<Self> {
        let mut rest = sections(bytes)?;
        let mut found: [&[u8]; 8] = [&[]; 8];
        while !rest.is_empty() {
            let len = limits::to_usize(u64::from(u32_at(rest, 0)?), "section")?;
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

    /// The number of points of the grid.
    pub fn points(&self) -> Result<usize> {
        limits::to_usize(u64::from(u32_at(self.grid, 6)?), "grid")
    }

    /// The values of all points in the order of the message: NaN where they are missing. The caller
    /// has checked the number of points.
    pub fn values(&self) -> Result<Vec<f64>> {
        let points = self.points()?;
        let count = limits::to_usize(u64::from(u32_at(self.representation, 5)?), "field")?;
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
        return Err(Error::format("the chunk is no GRIB message").expected("the bytes \"GRIB\" at its start"));
    }
    let edition = u8_at(bytes, 7)?;
    if edition != 2 {
        return Err(unsupported("edition", edition));
    }
    let len = u64::from(u32_at(bytes, 8)?) << 32 | u64::from(u32_at(bytes, 12)?);
    let message = bytes.get(..limits::to_usize(len, "message")?).ok_or_else(too_short)?;
    let sections = message.strip_suffix(END).ok_or_else(|| damaged("its end is missing"))?;
    sections.get(INDICATOR..).ok_or_else(too_short)
}

/// Puts values to the points whose bit is set, and NaN to the others.
fn spread(values: &mut Vec<f64>, bitmap: &[u8], points: usize) -> Result<()> {
    let mut bits = Bits::new(bitmap);
    let mut spread = Vec::new();
    limits::reserve(&mut spread, points, "chunk")?;
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
