//! The values of a field, by the template of section 5 (code table 5.0).

use crate::bits::{self, u8_at, u16_at};
use crate::error::{Result, damaged, unsupported};
use crate::scale::{Scale, room};
use crate::{aec, complex};

/// Decodes the `count` values of a field.
///
/// # Errors
/// `Format` for corrupt data, `Unsupported` for other templates.
pub fn unpack(section: &[u8], data: &[u8], count: usize) -> Result<Vec<f64>> {
    let template = u16_at(section, 9)?;
    if template == 4 {
        return floats(u8_at(section, 11)?, data, count);
    }
    if !matches!(template, 0 | 2 | 3 | 40 | 41 | 42) {
        return Err(unsupported("the packing with template 5.", template));
    }
    let scale = Scale::read(section)?;
    if scale.bits > 32 {
        return Err(unsupported("bits per value:", scale.bits));
    }
    match template {
        2 | 3 => complex::unpack(section, data, count, &scale, template == 3),
        _ if scale.bits == 0 => scale.constant(count),
        0 => simple(data, count, &scale),
        42 => aec::unpack(section, data, count, &scale),
        #[cfg(feature = "jpeg2000")]
        40 => crate::image::of_jpeg2000(data, count, &scale),
        #[cfg(feature = "png")]
        41 => crate::image::of_png(data, count, &scale),
        _ => Err(unsupported("the packing with template 5.", template)),
    }
}

fn simple(data: &[u8], count: usize, scale: &Scale) -> Result<Vec<f64>> {
    let mut numbers = bits::split(data, count, scale.bits)?.0;
    let mut values = room(count)?;
    for _ in 0..count {
        values.push(scale.value(numbers.take(scale.bits)?.cast_signed()));
    }
    Ok(values)
}

/// Numbers of 32 or 64 bits as they are.
fn floats(precision: u8, data: &[u8], count: usize) -> Result<Vec<f64>> {
    let mut values = room(count)?;
    match precision {
        1 => values
            .extend(data.as_chunks().0.iter().take(count).map(|bytes| f64::from(f32::from_be_bytes(*bytes)))),
        2 => values.extend(data.as_chunks().0.iter().take(count).map(|bytes| f64::from_be_bytes(*bytes))),
        other => return Err(unsupported("floats of precision", other)),
    }
    if values.len() == count { Ok(values) } else { Err(damaged("values are missing")) }
}
