//! JPEG 2000 images, around a decoder in pure Rust: what the codec of images and GRIB messages
//! share. <https://www.iso.org/standard/78321.html>
//!
//! The decoder takes the size from the image alone, and makes room for it. It also accepts images
//! that lack tiles or packets: their pixels are then grey. So this code finds the codestream and
//! its [`size`] first, which the caller compares with the chunk, and then looks for [`tiles`] that
//! are not complete.

mod memory;
mod size;
mod tiles;

use hayro_jpeg2000::error::DecodeError;
use hayro_jpeg2000::{DecodeSettings, DecoderContext, Image};

use crate::error::{Error, Result};
pub use size::Size;
use tiles::Codestream;

/// The decoder's numbers have 24 bits.
const MAX_BITS: u32 = 24;

const SETTINGS: DecodeSettings =
    DecodeSettings { resolve_palette_indices: false, strict: true, target_resolution: None };

/// An image whose header was read.
pub struct Jpeg2000<'a> {
    encoded: &'a [u8],
    codestream: &'a [u8],
    /// What its size marker says.
    pub size: Size,
}

impl<'a> Jpeg2000<'a> {
    /// Reads the header of a file or a bare codestream.
    ///
    /// # Errors
    /// `Format` for other bytes, `Unsupported` for components of different sizes or depths.
    pub fn parse(encoded: &'a [u8]) -> Result<Self> {
        let codestream = size::codestream(encoded)?;
        Ok(Self { encoded, codestream, size: Size::parse(codestream)? })
    }

    /// Decodes all components, and gives each to `take` as numbers in rows. The caller has compared
    /// the size with the chunk.
    ///
    /// # Errors
    /// `Format` for corrupt images, and for those whose tiles or packets are missing, `Unsupported`
    /// for features that the decoder lacks, and those of `take`.
    pub fn decode<T>(&self, take: impl FnOnce(&[&[f32]]) -> Result<T>) -> Result<T> {
        if self.size.bits > MAX_BITS {
            return Err(unsupported(&format!("{} bits per sample", self.size.bits)));
        }
        Codestream::parse(self.codestream, &self.size)?.check_complete()?;
        let image = Image::new(self.encoded, &SETTINGS).map_err(damaged)?;
        if (u64::from(image.width()), u64::from(image.height())) != (self.size.width, self.size.height) {
            return Err(Error::format("the JPEG 2000 image has two sizes"));
        }
        let mut context = DecoderContext::default();
        let decoded = image.decode(&mut context).map_err(damaged)?;
        let planes: Vec<&[f32]> = decoded.components().iter().map(|component| component.samples()).collect();
        let pixels = self.size.pixels();
        if planes.len() as u64 != self.size.components
            || planes.iter().any(|plane| plane.len() as u64 != pixels)
        {
            return Err(Error::format("the JPEG 2000 image lacks components"));
        }
        take(&planes)
    }
}

fn damaged(error: DecodeError) -> Error {
    Error::format("the JPEG 2000 image is corrupt").actual(error.to_string())
}

fn unsupported(what: &str) -> Error {
    Error::unsupported(format!("the JPEG 2000 image has a feature that is not supported: {what}"))
}

#[cold]
fn too_short() -> Error {
    Error::format("the JPEG 2000 image is truncated")
}

/// The big-endian number at a place.
fn u32_at(bytes: &[u8], at: usize) -> Result<u32> {
    let number = bytes.get(at..).and_then(|bytes| bytes.first_chunk()).ok_or_else(too_short)?;
    Ok(u32::from_be_bytes(*number))
}

/// Likewise, of 16 bits.
fn u16_at(bytes: &[u8], at: usize) -> Result<u16> {
    let number = bytes.get(at..).and_then(|bytes| bytes.first_chunk()).ok_or_else(too_short)?;
    Ok(u16::from_be_bytes(*number))
}
