//! Image formats as codecs: a chunk is one image and its samples are the elements. They can decode
//! but not encode. <https://github.com/cgohlke/imagecodecs> (the `imagecodecs_*` of v2), and the
//! image codecs proposed to zarr-extensions.
//!
//! Each format has one file, around a decoder in pure Rust. This file has what they share. Before
//! memory is allocated, it compares the number and type of samples in the image's header with the
//! chunk. Samples are those of the format's reference decoder, interleaved, row by row; colours are
//! not interpreted.

pub mod jpeg;
pub mod jpeg2k;
pub mod jpegxl;
pub mod lerc;
pub mod png;
pub mod qoi;
pub mod webp;

use std::fmt::Display;

use crate::error::{Error, Result};
use crate::format::codec::build::codec_is_read_only;
use crate::format::codec::configuration::Configuration;
use crate::format::codec::{ArrayBytes, ArrayToBytes, ChunkRepresentation, Codec, check_decoded_len};
use crate::kernel::number::NumberType;
use crate::limits;

/// A configured decoder of one format.
trait ImageFormat {
    /// The name of the format, for errors.
    const NAME: &'static str;
    /// The sample types that the format supports.
    const SAMPLES: &'static [NumberType];

    /// Decodes the image to samples, little-endian.
    ///
    /// # Errors
    /// `Format` for corrupt bytes and for samples that do not fit the chunk, `Unsupported` for
    /// features that the decoder lacks.
    fn decode(&self, encoded: &[u8], chunk: &Chunk) -> Result<Vec<u8>>;
}

/// The shape and type that an image must decode to.
struct Chunk {
    shape: Vec<u64>,
    sample: NumberType,
    byte_len: u64,
}

impl Chunk {
    /// Compares an image's header with the chunk. Returns the length of the samples in bytes.
    ///
    /// # Errors
    /// `Format` for other samples, `Limit` for more bytes than a chunk may have.
    fn check(&self, format: &str, dimensions: &[u64], sample: NumberType) -> Result<usize> {
        if sample != self.sample {
            return Err(Error::format(format!("the {format} image has another sample type than the chunk"))
                .expected(self.sample.name())
                .actual(sample.name()));
        }
        let sizes = dimensions.iter().copied().chain([sample.size() as u64]);
        let byte_len = limits::product(sizes, "image")?;
        if byte_len != self.byte_len {
            let error =
                Error::format(format!("the {format} image has another number of samples than the chunk"));
            return Err(error.expected(format!("{:?}", self.shape)).actual(format!("{dimensions:?}")));
        }
        limits::within(byte_len, limits::CHUNK_BYTES, "image")
    }
}

struct ImageCodec<F> {
    format: F,
    chunk: Chunk,
}

/// The codec of a format.
///
/// # Errors
/// `Unsupported` for a data type that the format does not have.
fn codec<F: ImageFormat + 'static>(format: F, decoded: &ChunkRepresentation) -> Result<Codec> {
    let wrong_type = || {
        let name = decoded.data_type.name();
        Error::unsupported(format!("{} images do not support the data type {name}", F::NAME))
    };
    let sample = decoded.data_type.number_type().filter(|sample| F::SAMPLES.contains(sample));
    let chunk = Chunk {
        sample: sample.ok_or_else(wrong_type)?,
        shape: decoded.shape.clone(),
        byte_len: decoded.byte_len()?.unwrap_or(0),
    };
    Ok(Codec::array_to_bytes(ImageCodec { format, chunk }))
}

impl<F: ImageFormat> ArrayToBytes for ImageCodec<F> {
    fn decode(&self, encoded: &[u8]) -> Result<ArrayBytes> {
        let bytes = self.format.decode(encoded, &self.chunk)?;
        check_decoded_len(&bytes, self.chunk.byte_len)?;
        Ok(ArrayBytes::Fixed(bytes))
    }

    fn encode(&self, _: &ArrayBytes) -> Result<Vec<u8>> {
        Err(codec_is_read_only())
    }
}

/// The error of a corrupt image.
fn damaged(format: &str, error: impl Display) -> Error {
    Error::format(format!("the {format} image is corrupt")).actual(error.to_string())
}

fn unsupported(format: &str, what: impl Display) -> Error {
    Error::unsupported(format!("the {format} image has a feature that is not supported: {what}"))
}

/// Counts fields as understood that only encoding needs: an image describes itself.
fn tolerate(configuration: &Configuration<'_>, fields: &[&str]) {
    fields.iter().for_each(|field| configuration.tolerate(field));
}

/// Allocates zeros for a length that [`Chunk::check`] returned.
fn buffer(byte_len: usize) -> Result<Vec<u8>> {
    limits::zeroed(byte_len as u64, limits::CHUNK_BYTES, "image")
}
