//! `conditional`: bytes → bytes codecs that are applied to some chunks only. A header of bits in
//! each chunk tells which; bit 0 is the first codec.
//! <https://github.com/zarr-developers/zarr-extensions/tree/main/codecs/conditional>
//!
//! The specification lets the writer choose. This encoder applies all codecs if that makes the
//! chunk smaller, else none.

use std::rc::Rc;
use std::task::{Poll, ready};

use crate::error::{Error, Result};
use crate::format::codec::build::require_encoders;
use crate::format::codec::bytes_chain::{most_decoded, undo};
use crate::format::codec::configuration::{Configuration, wrong_value};
use crate::format::codec::named::NamedCodec;
use crate::format::codec::sharding::codec_list;
use crate::format::codec::stepwise::UserChain;
use crate::format::codec::user::{BindResult, CodecCalls, OptionalUserCodecs, without_user_codecs};
use crate::format::codec::{
    BytesToBytes, ChunkRepresentation, Codec, CodecData, Direction, Output, PollBytesToBytes,
};
use crate::format::metadata::CodecMetadata;
use crate::limits;

struct Conditional {
    codecs: Vec<NamedCodec<Rc<dyn BytesToBytes>>>,
    header_len: usize,
}

/// Binds the codec. Its configuration: `codecs`, `header_bits`.
///
/// # Errors
/// `Format` when `codecs` is missing, or `header_bits` is not a multiple of eight with a bit for
/// each codec. `UnknownKind` while a user codec's kind is not known.
pub fn bind(configuration: &Configuration<'_>, decoded: &ChunkRepresentation) -> BindResult<Codec> {
    let metadata = codec_list(configuration, "codecs")?;
    let least = metadata.len().div_ceil(8);
    let header_len = match configuration.integer("header_bits", 0..=i64::from(u16::MAX))? {
        None => least,
        Some(bits) => {
            let bits = limits::to_usize(bits.unsigned_abs(), "header")?;
            if !bits.is_multiple_of(8) || bits / 8 < least {
                return Err(wrong_value(
                    "header_bits",
                    format!("a multiple of 8, at least {}", metadata.len()),
                    bits,
                )
                .into());
            }
            bits / 8
        }
    };
    let bound = metadata.iter().map(|codec| bind_codec(codec, decoded, configuration.users()));
    Ok(Codec::bytes_to_bytes(Conditional { codecs: bound.collect::<BindResult<_>>()?, header_len }))
}

fn bind_codec(
    metadata: &CodecMetadata,
    decoded: &ChunkRepresentation,
    users: &OptionalUserCodecs,
) -> BindResult<NamedCodec<Rc<dyn BytesToBytes>>> {
    let named = NamedCodec::bind(metadata, decoded, users)?;
    match named.codec.clone() {
        Codec::BytesToBytes(codec) => Ok(named.with(codec)),
        _ => {
            let error = Error::format("conditional contains bytes-to-bytes codecs only");
            Err(error.in_codec(named.name).in_field(metadata.field.as_str()).into())
        }
    }
}

impl Conditional {
    /// The numbers of the applied codecs, from the header of a chunk.
    fn applied(&self, header: &[u8]) -> Result<Vec<usize>> {
        let bits = header.iter().flat_map(|byte| (0..8).map(move |bit| byte >> bit & 1 == 1));
        let set = bits.enumerate().filter(|(_, bit)| *bit).map(|(idx, _)| {
            let unknown = || {
                Error::format("the header of the chunk refers to a codec that the configuration lacks")
                    .actual(format!("bit {idx}"))
            };
            if idx < self.codecs.len() { Ok(idx) } else { Err(unknown()) }
        });
        set.collect()
    }

    fn codecs<'a>(&'a self, numbers: &[usize]) -> Vec<&'a NamedCodec<Rc<dyn BytesToBytes>>> {
        numbers.iter().filter_map(|number| self.codecs.get(*number)).collect()
    }

    /// The chain of these codecs, which encodes at most so many bytes, if some of them are user
    /// codecs.
    fn user_chain(&self, numbers: &[usize], most: Option<u64>) -> Option<UserChain> {
        let codecs = self.codecs(numbers);
        codecs.iter().find(|named| named.has_user_codecs())?;
        let most = most_decoded(most, codecs.iter().copied());
        let codecs = codecs.iter().map(|named| named.to_any(Codec::BytesToBytes)).collect();
        Some(UserChain::new(codecs, &most))
    }

    fn decode_with(
        &self,
        codecs: &[&NamedCodec<Rc<dyn BytesToBytes>>],
        content: &[u8],
        mut output: Output<'_>,
    ) -> Result<()> {
        let Some((first, later)) = codecs.split_first() else { return output.put(content) };
        let mut intermediate = [Vec::new(), Vec::new()];
        let most = most_decoded(Some(output.most() as u64), codecs.iter().copied());
        let between = later.iter().copied().zip(most.get(1..).unwrap_or_default());
        let bytes = undo(between, content, &mut intermediate)?;
        first.codec.decode(bytes, output)
    }

    fn encode_with_all(&self, decoded: &[u8], calls: &mut CodecCalls) -> Poll<Result<Option<Vec<u8>>>> {
        self.codecs.iter().try_for_each(NamedCodec::check_encodes)?;
        let all: Vec<usize> = (0..self.codecs.len()).collect();
        if let Some(chain) = self.user_chain(&all, None) {
            let content = chain.poll_run(Direction::Encode, CodecData::Bytes(decoded.into()), calls);
            return content.map_ok(|content| Some(content.into_packed()));
        }
        let mut content: Option<Vec<u8>> = None;
        for named in &self.codecs {
            content = Some(named.codec.encode(content.as_deref().unwrap_or(decoded))?);
        }
        Poll::Ready(Ok(content))
    }
}

impl BytesToBytes for Conditional {
    fn decode(&self, encoded: &[u8], output: Output<'_>) -> Result<()> {
        without_user_codecs(|calls| self.poll_decode(encoded, output, calls))
    }

    fn encode(&self, decoded: &[u8]) -> Result<Vec<u8>> {
        without_user_codecs(|calls| self.poll_encode(decoded, calls))
    }

    fn with_user_codecs(&self) -> Option<&dyn PollBytesToBytes> {
        let has_users = self.codecs.iter().any(NamedCodec::has_user_codecs);
        has_users.then_some(self as &dyn PollBytesToBytes)
    }
}

impl PollBytesToBytes for Conditional {
    fn poll_decode(
        &self,
        encoded: &[u8],
        mut output: Output<'_>,
        calls: &mut CodecCalls,
    ) -> Poll<Result<()>> {
        let (header, content) = encoded
            .split_at_checked(self.header_len)
            .ok_or_else(|| Error::format("the header of the conditional codec is truncated"))?;
        let applied = self.applied(header)?;
        let Some(chain) = self.user_chain(&applied, Some(output.most() as u64)) else {
            return Poll::Ready(self.decode_with(&self.codecs(&applied), content, output));
        };
        let decoded = ready!(chain.poll_run(Direction::Decode, CodecData::Bytes(content.into()), calls));
        Poll::Ready(output.put(&decoded?.into_packed()))
    }

    fn poll_encode(&self, decoded: &[u8], calls: &mut CodecCalls) -> Poll<Result<Vec<u8>>> {
        require_encoders()?;
        let content = ready!(self.encode_with_all(decoded, calls))?;
        let content = content.filter(|content| content.len() < decoded.len());
        let mut encoded = vec![0; self.header_len];
        if content.is_some() {
            for idx in 0..self.codecs.len() {
                encoded.iter_mut().skip(idx / 8).take(1).for_each(|flags| *flags |= 1 << (idx % 8));
            }
        }
        let content = content.as_deref().unwrap_or(decoded);
        limits::reserve(&mut encoded, content.len(), "encoded chunk")?;
        encoded.extend_from_slice(content);
        Poll::Ready(Ok(encoded))
    }
}
