//! Image formats as codecs: a chunk is one image, its samples are the chunk's elements. Read, and
//! not written.
//! <https://github.com/cgohlke/imagecodecs> (the `imagecodecs_*` of v2), and the image codecs proposed to zarr-extensions.
//!
//! A file a format, each over a decoder in pure Rust. What they share is here: the image's own
//! header says how many samples it has and how wide they are, and that must be what the chunk has,
//! before anything is allocated. Deliberately nothing about colour: samples are as the format's
//! reference decoder gives them, interleaved, row after row.

pub mod jpeg;
pub mod jpeg2k;
pub mod jpegxl;
pub mod lerc;
pub mod png;
pub mod qoi;
pub mod webp;

use std::fmt::{Debug, Display};

use crate::error::{Error, Result};
use crate::format::codec::configuration::Configuration;
use crate::format::codec::registry::image_codecs_are_read_only;
use crate::format::codec::{
    ArrayBytes, ArrayToBytes, ArrayToBytesSpec, ChunkRepresentation, Spec, wrong_decoded_len,
};
use crate::format::data_type::{DataType, Float, Integer};
use crate::limits;

/// A sample: what images have for elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sample {
    /// A whole number.
    Integer(Integer),
    /// A floating-point number.
    Float(Float),
}

impl Sample {
    const U8: Self = Self::Integer(Integer::Uint8);
    const U16: Self = Self::Integer(Integer::Uint16);

    fn of(data_type: &DataType) -> Option<Self> {
        match data_type {
            DataType::Integer(integer) => Some(Self::Integer(*integer)),
            DataType::Float(float) => Some(Self::Float(*float)),
            _ => None,
        }
    }

    fn size(self) -> usize {
        match self {
            Self::Integer(integer) => integer.size(),
            Self::Float(float) => float.size(),
        }
    }
}

/// One format's decoder, configured.
trait ImageFormat: Clone + Debug {
    /// For errors.
    const NAME: &'static str;
    /// What its samples can be.
    const SAMPLES: &'static [Sample];

    /// The image's samples, little-endian.
    ///
    /// # Errors
    /// `Format` for damaged bytes and for other samples than the chunk has, `Unsupported` for what
    /// the decoder does not know.
    fn decode(&self, encoded: &[u8], chunk: &Chunk) -> Result<Vec<u8>>;
}

/// What an image must decode to.
#[derive(Clone, Debug)]
struct Chunk {
    shape: Vec<u64>,
    sample: Sample,
    byte_len: u64,
}

impl Chunk {
    /// Compares what an image's header says with the chunk. Gives the length of its samples in
    /// bytes.
    ///
    /// # Errors
    /// `Format` for other samples, `Limit` for more than a chunk may have.
    fn check(&self, format: &str, dimensions: &[u64], sample: Sample) -> Result<usize> {
        if sample != self.sample {
            return Err(Error::format(format!("{format} image has samples of another type"))
                .expected(format!("{:?}", self.sample))
                .actual(format!("{sample:?}")));
        }
        let sizes = dimensions.iter().copied().chain([sample.size() as u64]);
        let byte_len = limits::product(sizes, "image")?;
        if byte_len != self.byte_len {
            let error = Error::format(format!("{format} image has another count of samples than its chunk"));
            return Err(error.expected(format!("{:?}", self.shape)).actual(format!("{dimensions:?}")));
        }
        limits::within(byte_len, limits::CHUNK_BYTES, "image")
    }
}

#[derive(Clone, Debug)]
struct ImageSpec<F> {
    format: F,
}

struct Bound<F> {
    format: F,
    chunk: Chunk,
}

/// The spec of a format's codec.
fn spec<F: ImageFormat + 'static>(format: F) -> Spec {
    Spec::ArrayToBytes(Box::new(ImageSpec { format }))
}

impl<F: ImageFormat + 'static> ArrayToBytesSpec for ImageSpec<F> {
    fn bind(&self, decoded: &ChunkRepresentation) -> Result<Box<dyn ArrayToBytes>> {
        let unfit = || {
            let name = decoded.data_type.name();
            Error::unsupported(format!("{} images do not take samples of {name}", F::NAME))
        };
        let sample = Sample::of(&decoded.data_type).filter(|sample| F::SAMPLES.contains(sample));
        let chunk = Chunk {
            sample: sample.ok_or_else(unfit)?,
            shape: decoded.shape.clone(),
            byte_len: decoded.byte_len()?.unwrap_or(0),
        };
        Ok(Box::new(Bound { format: self.format.clone(), chunk }))
    }
}

impl<F: ImageFormat> ArrayToBytes for Bound<F> {
    fn encoded_len(&self) -> Option<u64> {
        None
    }

    fn decode(&self, encoded: &[u8]) -> Result<ArrayBytes> {
        let bytes = self.format.decode(encoded, &self.chunk)?;
        if bytes.len() as u64 != self.chunk.byte_len {
            return Err(wrong_decoded_len(self.chunk.byte_len, bytes.len() as u64));
        }
        Ok(ArrayBytes::Fixed(bytes))
    }

    fn encode(&self, _: &ArrayBytes) -> Result<Vec<u8>> {
        Err(image_codecs_are_read_only())
    }
}

/// A decoder's error in our words.
fn damaged(format: &str, error: impl Display) -> Error {
    Error::format(format!("{format} image is damaged")).actual(error.to_string())
}

fn unsupported(format: &str, what: impl Display) -> Error {
    Error::unsupported(format!("{format} image has what is not read here: {what}"))
}

/// Takes the fields of writers as understood: what an image is stands in itself.
fn tolerate(configuration: &Configuration<'_>, fields: &[&str]) {
    fields.iter().for_each(|field| configuration.tolerate(field));
}

/// A vector of zeros for what a check has let through.
fn buffer(byte_len: usize) -> Result<Vec<u8>> {
    limits::zeroed(byte_len as u64, limits::CHUNK_BYTES, "image")
}
