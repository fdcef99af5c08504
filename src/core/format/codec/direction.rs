//! One codec of any kind, run in one direction: for codecs without a chain, and for chains with
//! user codecs. Other chains do less: see [`pipeline`](super::pipeline).

use std::borrow::Cow;
use std::task::Poll;

use super::user::CodecCalls;
use super::{ArrayBytes, Codec, Output, PollArrayToBytes, PollBytesToBytes};
use crate::error::{Error, Result, Stage};
use crate::limits;

/// Whether a chunk is decoded or encoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Direction {
    /// From bytes to elements.
    Decode,
    /// From elements to bytes.
    Encode,
}

impl Direction {
    /// The stage of its errors.
    pub fn stage(self) -> Stage {
        match self {
            Self::Decode => Stage::Decode,
            Self::Encode => Stage::Encode,
        }
    }
}

/// The data between two codecs.
#[derive(Clone, Debug)]
pub enum CodecData<'a> {
    /// The input or output of a bytes → bytes codec.
    Bytes(Cow<'a, [u8]>),
    /// The input or output of an array → array codec.
    Array(ArrayBytes),
}

impl CodecData<'_> {
    /// The bytes, or the elements as [`ArrayBytes::into_packed`].
    pub fn into_packed(self) -> Vec<u8> {
        match self {
            Self::Bytes(bytes) => bytes.into_owned(),
            Self::Array(elements) => elements.into_packed(),
        }
    }

    /// The elements.
    ///
    /// # Errors
    /// `Format` for bytes.
    pub fn into_elements(self) -> Result<ArrayBytes> {
        match self {
            Self::Array(elements) => Ok(elements),
            Self::Bytes(_) => Err(at_wrong_position()),
        }
    }
}

impl From<Vec<u8>> for CodecData<'_> {
    fn from(bytes: Vec<u8>) -> Self {
        Self::Bytes(Cow::Owned(bytes))
    }
}

/// A codec that contains a chain with user codecs.
enum WithUserCodecs<'a> {
    ArrayToBytes(&'a dyn PollArrayToBytes),
    BytesToBytes(&'a dyn PollBytesToBytes),
}

impl Codec {
    fn with_user_codecs(&self) -> Option<WithUserCodecs<'_>> {
        match self {
            Self::ArrayToArray(_) => None,
            Self::ArrayToBytes(codec) => codec.with_user_codecs().map(WithUserCodecs::ArrayToBytes),
            Self::BytesToBytes(codec) => codec.with_user_codecs().map(WithUserCodecs::BytesToBytes),
        }
    }

    /// Whether it contains a chain with user codecs.
    pub(super) fn has_user_codecs(&self) -> bool {
        self.with_user_codecs().is_some()
    }

    /// Decodes or encodes data.
    ///
    /// # Errors
    /// `Limit` for more than [`limits::CHUNK_BYTES`] decoded bytes, and those of the codec.
    pub fn run(&self, direction: Direction, data: CodecData<'_>) -> Result<CodecData<'static>> {
        self.run_within(direction, data, usize::MAX)
    }

    /// Likewise, with a lower limit for the bytes that a bytes → bytes codec decodes to. Pending
    /// while a user codec in the chain of this codec has not answered.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub(super) fn poll_run(
        &self,
        direction: Direction,
        data: CodecData<'_>,
        limit: usize,
        calls: &mut CodecCalls,
    ) -> Poll<Result<CodecData<'static>>> {
        match (self.with_user_codecs(), direction, data) {
            (None, direction, data) => Poll::Ready(self.run_within(direction, data, limit)),
            (Some(WithUserCodecs::ArrayToBytes(codec)), Direction::Decode, CodecData::Bytes(bytes)) => {
                codec.poll_decode(&bytes, calls).map_ok(CodecData::Array)
            }
            (Some(WithUserCodecs::ArrayToBytes(codec)), Direction::Encode, CodecData::Array(elements)) => {
                codec.poll_encode(&elements, calls).map_ok(CodecData::from)
            }
            (Some(WithUserCodecs::BytesToBytes(codec)), Direction::Decode, CodecData::Bytes(bytes)) => {
                let mut buf = Vec::new();
                let decoded = codec.poll_decode(&bytes, growing(&mut buf, limit)?, calls);
                decoded.map_ok(|()| buf.into())
            }
            (Some(WithUserCodecs::BytesToBytes(codec)), Direction::Encode, CodecData::Bytes(bytes)) => {
                codec.poll_encode(&bytes, calls).map_ok(CodecData::from)
            }
            _ => Poll::Ready(Err(at_wrong_position())),
        }
    }

    fn run_within(
        &self,
        direction: Direction,
        data: CodecData<'_>,
        limit: usize,
    ) -> Result<CodecData<'static>> {
        match (self, direction, data) {
            (Self::ArrayToArray(codec), Direction::Decode, CodecData::Array(elements)) => {
                codec.decode(elements).map(CodecData::Array)
            }
            (Self::ArrayToArray(codec), Direction::Encode, CodecData::Array(elements)) => {
                codec.encode(elements).map(CodecData::Array)
            }
            (Self::ArrayToBytes(codec), Direction::Decode, CodecData::Bytes(bytes)) => {
                codec.decode(&bytes).map(CodecData::Array)
            }
            (Self::ArrayToBytes(codec), Direction::Encode, CodecData::Array(elements)) => {
                codec.encode(&elements).map(CodecData::from)
            }
            (Self::BytesToBytes(codec), Direction::Decode, CodecData::Bytes(bytes)) => {
                let mut buf = Vec::new();
                codec.decode(&bytes, growing(&mut buf, limit)?).map(|()| buf.into())
            }
            (Self::BytesToBytes(codec), Direction::Encode, CodecData::Bytes(bytes)) => {
                codec.encode(&bytes).map(CodecData::from)
            }
            _ => Err(at_wrong_position()),
        }
    }
}

fn growing(buf: &mut Vec<u8>, limit: usize) -> Result<Output<'_>> {
    let limit = limits::to_usize(limits::CHUNK_BYTES, "decoded bytes")?.min(limit);
    Ok(Output::Growing { buf, limit })
}

/// Never raised: binding checks the position of every codec.
fn at_wrong_position() -> Error {
    Error::format("a codec is at the wrong position of its chain")
}
