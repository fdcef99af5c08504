//! Packed numbers as one image: JPEG 2000 (template 5.40) and PNG (template 5.41).

use crate::error::{Error, Result, damaged};
use crate::scale::{Scale, room};

/// The memory in bytes that the decoder of PNG may use besides a few rows.
#[cfg(feature = "png")]
const WORKING_MEMORY: usize = 1 << 20;

fn another_size() -> Error {
    damaged("its image has another number of pixels than values")
}

fn check_size(width: u64, height: u64, count: usize) -> Result<()> {
    if width.saturating_mul(height) == count as u64 { Ok(()) } else { Err(another_size()) }
}

/// Decodes the values of a field that is an image of JPEG 2000.
///
/// # Errors
/// `Format` for corrupt images and for another number of pixels, `Unsupported` for features that
/// the decoder lacks.
#[cfg(feature = "jpeg2000")]
pub fn of_jpeg2000(data: &[u8], count: usize, scale: &Scale) -> Result<Vec<f64>> {
    let image = zarr_wasm_jpeg2000::Jpeg2000::parse(data)?;
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
    })?
}

/// As [`of_jpeg2000`], for an image of PNG.
#[cfg(feature = "png")]
pub fn of_png(data: &[u8], count: usize, scale: &Scale) -> Result<Vec<f64>> {
    use png::{Decoder, Limits, Transformations};

    // A pixel has at most four samples of 16 bits.
    let bytes = count.saturating_mul(8).saturating_add(WORKING_MEMORY);
    let mut decoder = Decoder::new_with_limits(std::io::Cursor::new(data), Limits { bytes });
    decoder.set_transformations(Transformations::IDENTITY);
    decoder.set_ignore_text_chunk(true);
    let corrupt = |error: png::DecodingError| damaged(&format!("its PNG image: {error}"));
    let mut reader = decoder.read_info().map_err(corrupt)?;
    let (width, height) = (reader.info().width, reader.info().height);
    check_size(u64::from(width), u64::from(height), count)?;
    let (color, depth) = reader.output_color_type();
    let bits = u32::from(depth as u8).saturating_mul(color.samples().try_into().unwrap_or(u32::MAX));
    if bits > 32 {
        return Err(crate::error::unsupported("bits per pixel of PNG:", bits));
    }
    let len = reader.output_buffer_size().ok_or_else(another_size)?;
    let mut rows = zeros(len)?;
    let line = reader.next_frame(&mut rows).map_err(corrupt)?.line_size;
    reader.finish().map_err(corrupt)?;
    let mut values = room(count)?;
    for row in rows.chunks(line.max(1)) {
        let mut pixels = crate::bits::Bits::new(row);
        for _ in 0..width {
            values.push(scale.value(pixels.take(bits)?.cast_signed()));
        }
    }
    Ok(values)
}

/// Room for the rows of an image: at most four bytes a pixel, and the ends of rows.
#[cfg(feature = "png")]
fn zeros(len: usize) -> Result<Vec<u8>> {
    let mut rows = Vec::new();
    rows.try_reserve_exact(len).map_err(|_| crate::error::no_memory(len))?;
    rows.resize(len, 0);
    Ok(rows)
}
