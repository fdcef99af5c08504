//! `conditional`: codecs of bytes that each chunk has or has not, as the bits before it say.
//! <https://github.com/zarr-developers/zarr-extensions/tree/main/codecs/conditional>
//!
//! Bit 0 is the first codec's. We apply all of them where that makes a chunk smaller, and none where it does not; the text
//! leaves that to writers.

use crate::error::{Error, Result};
use crate::format::codec::configuration::{Configuration, unfit};
use crate::format::codec::registry::{self, require_encoders};
use crate::format::codec::sharding::codec_list;
use crate::format::codec::{BytesToBytes, BytesToBytesSpec, ChunkRepresentation, Output, Spec};
use crate::format::metadata::CodecMetadata;
use crate::limits;

/// The configuration: `codecs`, `header_bits`.
#[derive(Clone, Debug)]
struct ConditionalSpec {
    codecs: Vec<CodecMetadata>,
    header_len: usize,
}

/// Reads the configuration.
///
/// # Errors
/// `Format` when `codecs` is missing, or `header_bits` no multiple of eight that has a bit for each.
pub fn parse(configuration: &Configuration<'_>) -> Result<Spec> {
    let codecs = codec_list(configuration, "codecs")?;
    let least = codecs.len().div_ceil(8);
    let header_len = match configuration.integer("header_bits", 0..=i64::from(u16::MAX))? {
        None => least,
        Some(bits) => {
            let bits = limits::to_usize(bits.unsigned_abs(), "header")?;
            if !bits.is_multiple_of(8) || bits / 8 < least {
                return Err(unfit(
                    "header_bits",
                    format!("a multiple of 8, at least {}", codecs.len()),
                    bits,
                ));
            }
            bits / 8
        }
    };
    Ok(Spec::BytesToBytes(Box::new(ConditionalSpec { codecs, header_len })))
}

impl BytesToBytesSpec for ConditionalSpec {
    fn bind(&self, decoded: &ChunkRepresentation) -> Result<Box<dyn BytesToBytes>> {
        let bind = |codec: &CodecMetadata| {
            let blame = |error: Error| {
                error.in_codec(codec.name.as_str()).within_field(&codec.field).within_field("configuration")
            };
            match registry::parse(codec).map_err(|error| error.within_field("configuration"))? {
                Spec::BytesToBytes(spec) => spec.bind(decoded).map_err(blame),
                _ => Err(blame(Error::format("conditional is for codecs of bytes only"))),
            }
        };
        let codecs = self.codecs.iter().map(bind).collect::<Result<_>>()?;
        Ok(Box::new(Conditional { codecs, header_len: self.header_len }))
    }
}

struct Conditional {
    codecs: Vec<Box<dyn BytesToBytes>>,
    header_len: usize,
}

impl Conditional {
    /// The codecs that a header says were applied, in that order.
    fn applied(&self, header: &[u8]) -> Result<Vec<&dyn BytesToBytes>> {
        let bits = header.iter().flat_map(|byte| (0..8).map(move |bit| byte >> bit & 1 == 1));
        let set = bits.enumerate().filter(|(_, bit)| *bit).map(|(idx, _)| {
            let unknown =
                || Error::format("header names a codec that is not there").actual(format!("bit {idx}"));
            self.codecs.get(idx).map(Box::as_ref).ok_or_else(unknown)
        });
        set.collect()
    }
}

impl BytesToBytes for Conditional {
    fn decode(&self, encoded: &[u8], mut output: Output<'_>) -> Result<()> {
        let (header, content) = encoded
            .split_at_checked(self.header_len)
            .ok_or_else(|| Error::format("header of the conditional codec is cut off"))?;
        let applied = self.applied(header)?;
        let Some((first, later)) = applied.split_first() else { return output.put(content) };
        let limit = limits::to_usize(limits::CHUNK_BYTES, "chunk")?;
        let (mut ready, mut next) = (Vec::new(), Vec::new());
        let mut undone = false;
        for codec in later.iter().rev() {
            let source = if undone { ready.as_slice() } else { content };
            next.clear();
            codec.decode(source, Output::Growing { buf: &mut next, limit })?;
            std::mem::swap(&mut ready, &mut next);
            undone = true;
        }
        first.decode(if undone { &ready } else { content }, output)
    }

    fn encode(&self, decoded: &[u8]) -> Result<Vec<u8>> {
        require_encoders()?;
        let mut content: Option<Vec<u8>> = None;
        for codec in &self.codecs {
            content = Some(codec.encode(content.as_deref().unwrap_or(decoded))?);
        }
        let content = content.filter(|content| content.len() < decoded.len());
        let mut encoded = vec![0; self.header_len];
        if content.is_some() {
            for idx in 0..self.codecs.len() {
                encoded[idx / 8] |= 1 << (idx % 8);
            }
        }
        let content = content.as_deref().unwrap_or(decoded);
        limits::reserve(&mut encoded, content.len(), "encoded chunk")?;
        encoded.extend_from_slice(content);
        Ok(encoded)
    }
}
