//! JPEG 2000 images of known size, around the decoder of `hayro-jpeg2000`, in pure Rust.
//! <https://www.iso.org/standard/78321.html>
//!
//! ```no_run
//! use zarr_wasm_jpeg2000::Jpeg2000;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let file = std::fs::read("image.jp2")?;
//! let image = Jpeg2000::parse(&file)?;
//! assert_eq!((image.size.width, image.size.height, image.size.components), (640, 480, 1));
//! let sum = image.decode(|planes| planes[0].iter().sum::<f32>())?;
//! println!("{}", sum / image.size.pixels() as f32);
//! # Ok(())
//! # }
//! ```
//!
//! The decoder takes the size from the image alone, and makes room for it. It also accepts images
//! that lack tiles or packets: their pixels are then grey. So this crate finds the codestream and
//! its [`Size`] first, which the caller compares with what it expects, and then looks for tiles
//! that are not complete, and for blocks so small that their bookkeeping would fill the memory.
//!
//! It has errors of its own and uses nothing of this workspace: both the core (images as chunks)
//! and `zarr-wasm-grib` (fields as images) stand on it. It does not encode.

#![forbid(unsafe_code)]
#![cfg_attr(not(test), warn(clippy::arithmetic_side_effects, clippy::indexing_slicing, clippy::string_slice))]

mod bytes;
mod decoder;
mod error;
mod memory;
mod size;
mod tiles;

use hayro_jpeg2000::{DecoderContext, Image};

use decoder::{SETTINGS, damaged};
use error::unsupported;
pub use error::{Error, ErrorKind, ErrorParts, Result};
pub use size::Size;
use tiles::Codestream;

/// The decoder's numbers have 24 bits.
const MAX_BITS: u32 = 24;

/// An image whose header was read.
pub struct Jpeg2000<'a> {
    encoded: &'a [u8],
    codestream: &'a [u8],
    /// What its size marker says.
    pub size: Size,
}

impl<'a> Jpeg2000<'a> {
    /// Reads the header of a file or a bare codestream. Takes time in the number of its boxes, and
    /// allocates nothing.
    ///
    /// # Errors
    /// `Format` for other bytes, `Unsupported` for components of different sizes or depths.
    pub fn parse(encoded: &'a [u8]) -> Result<Self> {
        let codestream = size::codestream(encoded)?;
        Ok(Self { encoded, codestream, size: Size::parse(codestream)? })
    }

    /// Decodes all components, and gives each to `take` as whole numbers in rows: unsigned, also
    /// where the image's samples are signed. The caller has compared the size with what it expects.
    ///
    /// Besides decoding, each tile's packets are read once more. Takes four bytes for each sample,
    /// and what the decoder holds for its blocks: at most 64 bytes a sample and 64 MiB.
    ///
    /// # Errors
    /// `Format` for corrupt images, and for those whose tiles or packets are missing, `Unsupported`
    /// for features that the decoder lacks, `Limit` for too many tiles or blocks.
    pub fn decode<T>(&self, take: impl FnOnce(&[&[f32]]) -> T) -> Result<T> {
        self.check()?;
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
        Ok(take(&planes))
    }

    fn check(&self) -> Result<()> {
        if self.size.bits > MAX_BITS {
            return Err(unsupported(&format!("{} bits per sample", self.size.bits)));
        }
        Codestream::parse(self.codestream, &self.size)?.check_complete()
    }
}
