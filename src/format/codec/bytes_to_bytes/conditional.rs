//! `conditional`: bytes → bytes codecs that are applied to some chunks only. A header of bits in
//! each chunk tells which; bit 0 is the first codec.
//! <https://github.com/zarr-developers/zarr-extensions/tree/main/codecs/conditional>
//!
//! The specification lets the writer choose. This encoder applies all codecs if that makes the
//! chunk smaller, else none.

use crate::error::{Error, Result};
use crate::format::codec::configuration::{Configuration, wrong_value};
use crate::format::codec::external;
use crate::format::codec::pipeline::{NamedCodec, UserCodecContext};
use crate::format::codec::registry::{self, ParsedCodec, require_encoders};
use crate::format::codec::sharding::codec_list;
use crate::format::codec::stepwise::run_bytes_codecs;
use crate::format::codec::user::{Direction, OptionalUserCodecs};
use crate::format::codec::{BytesToBytes, BytesToBytesSpec, ChunkRepresentation, Output, Spec};
use crate::format::metadata::CodecMetadata;
use crate::limits;

/// The configuration: `codecs`, `header_bits`.
#[derive(Clone, Debug)]
struct ConditionalSpec {
    codecs: Vec<CodecMetadata>,
    header_len: usize,
    users: OptionalUserCodecs,
}

/// Parses the configuration.
///
/// # Errors
/// `Format` when `codecs` is missing, or `header_bits` is not a multiple of eight with a bit for
/// each codec.
pub fn parse(configuration: &Configuration<'_>) -> Result<Spec> {
    let codecs = codec_list(configuration, "codecs")?;
    let least = codecs.len().div_ceil(8);
    let header_len = match configuration.integer("header_bits", 0..=i64::from(u16::MAX))? {
        None => least,
        Some(bits) => {
            let bits = limits::to_usize(bits.unsigned_abs(), "header")?;
            if !bits.is_multiple_of(8) || bits / 8 < least {
                return Err(wrong_value(
                    "header_bits",
                    format!("a multiple of 8, at least {}", codecs.len()),
                    bits,
                ));
            }
            bits / 8
        }
    };
    Ok(Spec::BytesToBytes(Box::new(ConditionalSpec {
        codecs,
        header_len,
        users: configuration.users().clone(),
    })))
}

impl BytesToBytesSpec for ConditionalSpec {
    fn bind(&self, decoded: &ChunkRepresentation) -> Result<Box<dyn BytesToBytes>> {
        let codecs = self.codecs.iter().map(|codec| self.bind_codec(codec, decoded));
        Ok(Box::new(Conditional {
            codecs: codecs.collect::<Result<_>>()?,
            header_len: self.header_len,
            metadata: self.codecs.clone(),
            decoded: decoded.clone(),
            users: self.users.clone(),
        }))
    }
}

impl ConditionalSpec {
    fn bind_codec(
        &self,
        codec: &CodecMetadata,
        decoded: &ChunkRepresentation,
    ) -> Result<NamedCodec<dyn BytesToBytes>> {
        let add_context = |error: Error| {
            error.in_codec(codec.name.as_str()).within_field(&codec.field).within_field("configuration")
        };
        let user = match &self.users {
            Some(users) => users.bind(codec, decoded)?,
            None => None,
        };
        let ParsedCodec { spec, encode_error } = match &user {
            Some(stage) => external::user_spec(stage).into(),
            None => registry::parse_with(codec, &self.users)
                .map_err(|error| error.within_field("configuration"))?,
        };
        match spec {
            Spec::BytesToBytes(spec) => {
                let bound = spec.bind(decoded).map_err(add_context)?;
                Ok(NamedCodec { name: codec.name.clone(), codec: bound, user, encode_error })
            }
            _ => Err(add_context(Error::format("conditional contains bytes-to-bytes codecs only"))),
        }
    }
}

struct Conditional {
    codecs: Vec<NamedCodec<dyn BytesToBytes>>,
    header_len: usize,
    metadata: Vec<CodecMetadata>,
    decoded: ChunkRepresentation,
    users: OptionalUserCodecs,
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

    fn codecs<'a>(&'a self, numbers: &[usize]) -> Vec<&'a NamedCodec<dyn BytesToBytes>> {
        numbers.iter().filter_map(|number| self.codecs.get(*number)).collect()
    }

    /// What a chain of these codecs needs if it contains user codecs.
    fn user_context(&self, numbers: &[usize]) -> Option<UserCodecContext> {
        let users = self.users.as_ref()?;
        self.codecs(numbers).iter().find(|named| named.user.is_some())?;
        let chain: Vec<_> = numbers.iter().filter_map(|number| self.metadata.get(*number).cloned()).collect();
        Some(UserCodecContext { users: users.clone(), pipeline: users.pipeline(&chain, &self.decoded) })
    }

    fn decode_with(
        &self,
        codecs: &[&NamedCodec<dyn BytesToBytes>],
        content: &[u8],
        mut output: Output<'_>,
    ) -> Result<()> {
        let Some((first, later)) = codecs.split_first() else { return output.put(content) };
        let limit = limits::to_usize(limits::CHUNK_BYTES, "chunk")?;
        let (mut ready, mut next) = (Vec::new(), Vec::new());
        let mut undone = false;
        for named in later.iter().rev() {
            let source = if undone { ready.as_slice() } else { content };
            next.clear();
            named.codec.decode(source, Output::Growing { buf: &mut next, limit })?;
            std::mem::swap(&mut ready, &mut next);
            undone = true;
        }
        first.codec.decode(if undone { &ready } else { content }, output)
    }

    fn encode_with_all(&self, decoded: &[u8]) -> Result<Option<Vec<u8>>> {
        self.codecs.iter().try_for_each(NamedCodec::check_encodes)?;
        let all: Vec<usize> = (0..self.codecs.len()).collect();
        if let Some(user_context) = self.user_context(&all) {
            return run_bytes_codecs(&user_context, &self.codecs(&all), Direction::Encode, decoded).map(Some);
        }
        let mut content: Option<Vec<u8>> = None;
        for named in &self.codecs {
            content = Some(named.codec.encode(content.as_deref().unwrap_or(decoded))?);
        }
        Ok(content)
    }
}

impl BytesToBytes for Conditional {
    fn decode(&self, encoded: &[u8], mut output: Output<'_>) -> Result<()> {
        let (header, content) = encoded
            .split_at_checked(self.header_len)
            .ok_or_else(|| Error::format("the header of the conditional codec is truncated"))?;
        let applied = self.applied(header)?;
        match self.user_context(&applied) {
            Some(user_context) => output.put(&run_bytes_codecs(
                &user_context,
                &self.codecs(&applied),
                Direction::Decode,
                content,
            )?),
            None => self.decode_with(&self.codecs(&applied), content, output),
        }
    }

    fn encode(&self, decoded: &[u8]) -> Result<Vec<u8>> {
        require_encoders()?;
        let content = self.encode_with_all(decoded)?.filter(|content| content.len() < decoded.len());
        let mut encoded = vec![0; self.header_len];
        if content.is_some() {
            for idx in 0..self.codecs.len() {
                encoded.iter_mut().skip(idx / 8).take(1).for_each(|flags| *flags |= 1 << (idx % 8));
            }
        }
        let content = content.as_deref().unwrap_or(decoded);
        limits::reserve(&mut encoded, content.len(), "encoded chunk")?;
        encoded.extend_from_slice(content);
        Ok(encoded)
    }
}
