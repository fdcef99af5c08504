//! Packed numbers as one image: JPEG 2000 (template 5.40) and PNG (template 5.41).

use std::io::Cursor;

use png::{Decoder, Limits, Transformations};

use super::bits::Bits;
use super::errors::{damaged, unsupported};
use super::scale::{Scale, room};
use crate::error::Result;
use crate::format::codec::array_to_bytes::jpeg2000::Jpeg2000;
use crate::limits;

/// The memory in bytes that the decoder of PNG may use besides a few rows.
const WORKING_MEMORY: usize = 1 << 20;

/// Decodes the values of a field.
///
/// # Errors
/// `Format` for corrupt images and for another number of pixels.
pub fn unpack(data: &[u8], count: usize, scale: &Scale, is_png: bool) -> Result<Vec<f64>> {
    let values = if is_png { of_png(data, count, scale) } else { of_jpeg2000(data, count, scale) }?;
    if values.len() == count { Ok(values) } else { Err(another_size()) }
}

fn another_size() -> crate::error::Error {
    damaged("its image has another number of pixels than values")
}

fn check_size(width: u64, height: u64, count: usize) -> Result<()> {
    if width.saturating_mul(height) == count as u64 { Ok(()) } else { Err(another_size()) }
}

fn of_jpeg2000(data: &[u8], count: usize, scale: &Scale) -> Result<Vec<f64>> {
    let image = Jpeg2000::parse(data)?;
    check_size(image.size.width, image.size.height, count)?;
    if image.size.components != 1 {
        return Err(damaged("its image has several components"));
    }
    image.decode(|planes| {
        let mut values = room(count)?;
        for sample in planes.iter().copied().flatten() {
            #[allow(clippy::cast_possible_truncation, reason = "samples have at most 24 bits")]
            values.push(scale.value(sample.round() as i64));
        }
        Ok(values)
    })
}

fn of_png(data: &[u8], count: usize, scale: &Scale) -> Result<Vec<f64>> {
    // A pixel has at most four samples of 16 bits.
    let bytes = count.saturating_mul(8).saturating_add(WORKING_MEMORY);
    let mut decoder = Decoder::new_with_limits(Cursor::new(data), Limits { bytes });
    decoder.set_transformations(Transformations::IDENTITY);
    decoder.set_ignore_text_chunk(true);
    let corrupt = |error: png::DecodingError| damaged(&format!("its PNG image: {error}"));
    let mut reader = decoder.read_info().map_err(corrupt)?;
    let (width, height) = (reader.info().width, reader.info().height);
    check_size(u64::from(width), u64::from(height), count)?;
    let (color, depth) = reader.output_color_type();
    let bits = u32::from(depth as u8).saturating_mul(color.samples().try_into().unwrap_or(u32::MAX));
    if bits > 32 {
        return Err(unsupported("bits per pixel of PNG:", bits));
    }
    let len = reader.output_buffer_size().ok_or_else(another_size)?;
    let mut rows = limits::zeroed(len as u64, limits::CHUNK_BYTES, "image")?;
    let line = reader.next_frame(&mut rows).map_err(corrupt)?.line_size;
    reader.finish().map_err(corrupt)?;
    let mut values = room(count)?;
    for row in rows.chunks(line.max(1)) {
        let mut pixels = Bits::new(row);
        for _ in 0..width {
            values.push(scale.value(pixels.take(bits)?.cast_signed()));
        }
    }
    Ok(values)
}
