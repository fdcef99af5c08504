//! `imagecodecs_packbits`: run lengths in the format of Apple's PackBits and TIFF.
//! <https://www.itu.int/itudoc/itu-t/com16/tiff-fx/docs/tiff6.pdf>
//!
//! It can decode but not encode. `packbits`, which packs bools, is another codec.

use super::truncated;
use crate::error::Result;
use crate::format::codec::build::codec_is_read_only;
use crate::format::codec::configuration::Configuration;
use crate::format::codec::{BytesToBytes, ChunkRepresentation, Codec, Output};

struct ImagecodecsPackBits;

/// Binds the codec. Decoding does not need the axis along which rows were packed.
///
/// # Errors
/// None.
pub fn bind(configuration: &Configuration<'_>, _: &ChunkRepresentation) -> Result<Codec> {
    configuration.tolerate("axis");
    Ok(Codec::bytes_to_bytes(ImagecodecsPackBits))
}

impl BytesToBytes for ImagecodecsPackBits {
    fn decode(&self, encoded: &[u8], mut output: Output<'_>) -> Result<()> {
        let mut len = 0_u64;
        for_each_run(encoded, |run| len = len.saturating_add(run.len() as u64))?;
        let output = output.reserve(len)?;
        let mut rest = output;
        for_each_run(encoded, |run| {
            let (now, later) = std::mem::take(&mut rest).split_at_mut(run.len());
            match run {
                PackBitsRun::Copied(bytes) => now.copy_from_slice(bytes),
                PackBitsRun::Repeated(byte, _) => now.fill(byte),
            }
            rest = later;
        })
    }

    fn encode(&self, _: &[u8]) -> Result<Vec<u8>> {
        Err(codec_is_read_only())
    }
}

enum PackBitsRun<'a> {
    Copied(&'a [u8]),
    Repeated(u8, usize),
}

impl PackBitsRun<'_> {
    fn len(&self) -> usize {
        match self {
            Self::Copied(bytes) => bytes.len(),
            Self::Repeated(_, times) => *times,
        }
    }
}

#[allow(clippy::arithmetic_side_effects, reason = "257 is more than a byte")]
fn for_each_run<'a>(encoded: &'a [u8], mut take: impl FnMut(PackBitsRun<'a>)) -> Result<()> {
    let too_short = || truncated("PackBits stream");
    let mut rest = encoded;
    while let Some((&count, after)) = rest.split_first() {
        rest = after;
        match count {
            0..=127 => {
                let (bytes, after) = rest.split_at_checked(usize::from(count) + 1).ok_or_else(too_short)?;
                take(PackBitsRun::Copied(bytes));
                rest = after;
            }
            // The specification ignores this code.
            128 => {}
            129.. => {
                let (&byte, after) = rest.split_first().ok_or_else(too_short)?;
                take(PackBitsRun::Repeated(byte, 257 - usize::from(count)));
                rest = after;
            }
        }
    }
    Ok(())
}
