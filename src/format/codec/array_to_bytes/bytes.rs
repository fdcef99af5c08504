//! `bytes`: the elements of a chunk, packed in C order, in either byte order.
//! <https://zarr-specs.readthedocs.io/en/latest/v3/codecs/bytes/index.html>
//!
//! Its name was `endian` until May 2023; under that name `endian` may be missing and is then little, as the draft said.
//! Not here: types without a fixed size, which have codecs of their own.

use crate::error::{Error, Result};
use crate::format::codec::configuration::Configuration;
use crate::format::codec::{
    ArrayBytes, ArrayToBytes, ArrayToBytesSpec, ChunkRepresentation, Packed, Spec, wrong_decoded_len,
};
use crate::kernel::swap::swap_bytes_in_place;
use crate::limits;

/// The order of the bytes within a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Endian {
    /// The lowest byte first: as elements are in memory here.
    Little,
    /// The highest byte first.
    Big,
}

/// The configuration: `endian`, which may be missing where it means nothing.
#[derive(Clone, Copy, Debug)]
struct BytesSpec {
    endian: Option<Endian>,
}

/// Reads the configuration.
///
/// # Errors
/// `Format` for anything but `endian: "little" | "big"`.
pub fn parse(configuration: &Configuration<'_>) -> Result<Spec> {
    let endian = configuration.choice("endian", &[("little", Endian::Little), ("big", Endian::Big)])?;
    let assumed = (configuration.codec().name == "endian").then_some(Endian::Little);
    Ok(Spec::ArrayToBytes(Box::new(BytesSpec { endian: endian.or(assumed) })))
}

impl ArrayToBytesSpec for BytesSpec {
    fn bind(&self, decoded: &ChunkRepresentation) -> Result<Box<dyn ArrayToBytes>> {
        let (Some(element_size), Some(byte_len)) = (decoded.data_type.size(), decoded.byte_len()?) else {
            return Err(Error::format("data type has no fixed size, which the bytes codec needs"));
        };
        let runs = decoded.data_type.swap_runs();
        let swap = match self.endian {
            Some(Endian::Little) => Vec::new(),
            Some(Endian::Big) => runs,
            None if runs.is_empty() => runs,
            None => {
                return Err(Error::format("configuration lacks a field, which this data type needs")
                    .in_field("configuration.endian"));
            }
        };
        Ok(Box::new(Bytes { element_size, byte_len, packed: Packed { swap } }))
    }
}

struct Bytes {
    element_size: usize,
    byte_len: u64,
    packed: Packed,
}

impl Bytes {
    /// A copy in the other byte order, or in the same one where that is little.
    fn swapped(&self, bytes: &[u8]) -> Result<Vec<u8>> {
        if bytes.len() as u64 != self.byte_len {
            return Err(wrong_decoded_len(self.byte_len, bytes.len() as u64));
        }
        let mut copy = Vec::new();
        limits::reserve(&mut copy, bytes.len(), "chunk")?;
        copy.extend_from_slice(bytes);
        swap_runs_in_place(&mut copy, self.element_size, &self.packed.swap);
        Ok(copy)
    }
}

impl ArrayToBytes for Bytes {
    fn encoded_len(&self) -> Option<u64> {
        Some(self.byte_len)
    }

    fn decode(&self, encoded: &[u8]) -> Result<ArrayBytes> {
        self.swapped(encoded).map(ArrayBytes::Fixed)
    }

    fn encode(&self, decoded: &ArrayBytes) -> Result<Vec<u8>> {
        self.swapped(decoded.fixed()?)
    }

    fn packed(&self) -> Option<Packed> {
        Some(self.packed.clone())
    }
}

/// Reverses these runs of bytes, as (offset, width), in every element of `buf`: what [`Packed::swap`] asks for.
pub fn swap_runs_in_place(buf: &mut [u8], element_size: usize, runs: &[(usize, usize)]) {
    let Some(&(_, width)) = runs.first() else { return };
    let tiled = runs.iter().enumerate().all(|(idx, &run)| run == (idx * width, width));
    if tiled && runs.len() * width == element_size {
        return swap_bytes_in_place(buf, width);
    }
    for element in buf.chunks_exact_mut(element_size.max(1)) {
        for &(offset, width) in runs {
            if let Some(run) = element.get_mut(offset..).and_then(|rest| rest.get_mut(..width)) {
                run.reverse();
            }
        }
    }
}
