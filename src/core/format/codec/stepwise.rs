//! Chains that contain user codecs, also within a codec of theirs. They run one codec at a time,
//! stop at each user codec, and resume after the user codec's answer. See [`user`](super::user).

use std::task::{Poll, ready};

use super::array_bytes::ArrayBytes;
use super::named::NamedCodec;
use super::pipeline::{ChunkBox, DecodedChunk, Pipeline, Scratch};
use super::user::CodecCalls;
use super::{Codec, CodecData, Direction};
use crate::error::{HAS_USER_CODECS, Result};

/// A chain with user codecs.
pub(super) struct UserChain {
    /// All codecs, in encoding order.
    codecs: Vec<NamedCodec<Codec>>,
    /// The most bytes that each of the last codecs, which are bytes → bytes, may decode to.
    most_decoded: Vec<usize>,
}

impl UserChain {
    /// The chain of these codecs. `most_decoded` has the most bytes that each of its bytes → bytes
    /// codecs may decode to.
    pub(super) fn new(codecs: Vec<NamedCodec<Codec>>, most_decoded: &[usize]) -> Self {
        Self { codecs, most_decoded: most_decoded.to_vec() }
    }

    /// Runs a chunk through the chain, from the codec after the last answered user codec.
    ///
    /// # Errors
    /// Those of the codecs.
    pub(super) fn poll_run<'a>(
        &self,
        direction: Direction,
        input: CodecData<'a>,
        calls: &mut CodecCalls,
    ) -> Poll<Result<CodecData<'a>>> {
        let (start, mut data) = ready!(calls.resume(direction)).unwrap_or((0, input));
        let mut codecs: Vec<_> = self.codecs.iter().collect();
        if direction == Direction::Decode {
            codecs.reverse();
        }
        for (at, named) in codecs.into_iter().enumerate().skip(start) {
            if let Some(stage) = &named.user {
                calls.ask(direction, at, stage, data);
                return Poll::Pending;
            }
            // Decoding begins with the last codec.
            let limit = self.most_decoded.iter().rev().nth(at).copied();
            let limit = limit.unwrap_or(usize::MAX);
            let run = calls.within(at, |calls| named.codec.poll_run(direction, data, limit, calls));
            data = ready!(run).map_err(named.add_context(direction.stage()))?;
        }
        Poll::Ready(Ok(data))
    }
}

impl Pipeline {
    /// As [`decode`](Self::decode); pending while a user codec has not answered.
    ///
    /// # Errors
    /// As [`decode`](Self::decode).
    pub fn poll_decode<'a>(
        &'a self,
        encoded: &[u8],
        wanted: &ChunkBox,
        scratch: &'a mut Scratch,
        calls: &mut CodecCalls,
    ) -> Poll<Result<DecodedChunk<'a>>> {
        if !self.has_user_codecs() {
            return Poll::Ready(self.decode(encoded, wanted, scratch));
        }
        let chunk = ready!(self.poll_decode_all(encoded, calls))?;
        Poll::Ready(Ok(self.in_c_order(chunk, scratch)))
    }

    /// As [`decode_all`](Self::decode_all); pending while a user codec has not answered.
    ///
    /// # Errors
    /// As [`decode`](Self::decode).
    pub fn poll_decode_all(&self, encoded: &[u8], calls: &mut CodecCalls) -> Poll<Result<ArrayBytes>> {
        let Some(chain) = self.user_chain() else { return Poll::Ready(self.decode_all(encoded)) };
        let decoded = ready!(chain.poll_run(Direction::Decode, CodecData::Bytes(encoded.into()), calls));
        Poll::Ready(decoded?.into_elements())
    }

    /// As [`encode`](Self::encode); pending while a user codec has not answered.
    ///
    /// # Errors
    /// As [`encode`](Self::encode).
    pub fn poll_encode(&self, elements: ArrayBytes, calls: &mut CodecCalls) -> Poll<Result<Vec<u8>>> {
        let Some(chain) = self.user_chain() else { return Poll::Ready(self.encode(elements)) };
        self.check_encodes().map_err(|error| error.in_stage(Direction::Encode.stage()))?;
        chain.poll_run(Direction::Encode, CodecData::Array(elements), calls).map_ok(CodecData::into_packed)
    }

    /// Whether the chain has user codecs, perhaps within a codec. Only `poll_…` runs them.
    pub fn has_user_codecs(&self) -> bool {
        self.user_chain().is_some()
    }

    /// The chain with user codecs. Builds that run none do not contain its code.
    fn user_chain(&self) -> Option<&UserChain> {
        self.user_chain.as_ref().filter(|_| HAS_USER_CODECS)
    }
}
