//! Runs a chain that contains user codecs, one codec at a time. It stops at each user codec and
//! resumes after the user codec's answer. See [`user`](super::user).

use super::pipeline::{NamedCodec, Pipeline, UserCodecContext};
use super::user::{BoundUserCodec, CallKey, CodecData, Direction};
use super::{ArrayBytes, ArrayToArray, ArrayToBytes, BytesToBytes, Output};
use crate::error::{Error, Result, Stage};
use crate::limits;
use std::rc::Rc;

/// One codec of a chain.
enum ChainCodec<'a> {
    ArrayToArray(&'a NamedCodec<dyn ArrayToArray>),
    ArrayToBytes(&'a NamedCodec<dyn ArrayToBytes>),
    BytesToBytes(&'a NamedCodec<dyn BytesToBytes>),
}

impl Pipeline {
    /// All codecs in encoding order.
    fn codecs(&self) -> Vec<ChainCodec<'_>> {
        let arrays = self.array_to_array.iter().map(ChainCodec::ArrayToArray);
        let bytes = self.bytes_to_bytes.iter().map(ChainCodec::BytesToBytes);
        arrays.chain([ChainCodec::ArrayToBytes(&self.array_to_bytes)]).chain(bytes).collect()
    }

    /// Decodes bytes to elements, packed in C order.
    pub(super) fn decode_stepwise(&self, context: &UserCodecContext, encoded: &[u8]) -> Result<ArrayBytes> {
        let mut codecs = self.codecs();
        codecs.reverse();
        let key =
            CallKey { pipeline: context.pipeline, direction: Direction::Decode, input: encoded.to_vec() };
        match run_chain(context, &codecs, key, CodecData::Bytes(encoded.to_vec()))? {
            CodecData::Array(elements) => Ok(elements),
            CodecData::Bytes(_) => Err(misplaced()),
        }
    }

    /// Encodes elements to bytes.
    pub(super) fn encode_stepwise(
        &self,
        context: &UserCodecContext,
        elements: ArrayBytes,
    ) -> Result<Vec<u8>> {
        let input = match &elements {
            ArrayBytes::Fixed(bytes) => bytes.clone(),
            ArrayBytes::Variable(elements) => elements.to_packed(),
        };
        let key = CallKey { pipeline: context.pipeline, direction: Direction::Encode, input };
        match run_chain(context, &self.codecs(), key, CodecData::Array(elements))? {
            CodecData::Bytes(bytes) => Ok(bytes),
            CodecData::Array(_) => Err(misplaced()),
        }
    }
}

/// Runs bytes-to-bytes codecs, some of them user codecs, for codecs that contain a chain and choose
/// among its codecs.
#[cfg(any(feature = "full", not(target_arch = "wasm32")))]
pub(super) fn run_bytes_codecs(
    context: &UserCodecContext,
    codecs: &[&NamedCodec<dyn BytesToBytes>],
    direction: Direction,
    input: &[u8],
) -> Result<Vec<u8>> {
    let mut codecs: Vec<ChainCodec<'_>> =
        codecs.iter().map(|named| ChainCodec::BytesToBytes(named)).collect();
    if direction == Direction::Decode {
        codecs.reverse();
    }
    let key = CallKey { pipeline: context.pipeline, direction, input: input.to_vec() };
    match run_chain(context, &codecs, key, CodecData::Bytes(input.to_vec()))? {
        CodecData::Bytes(bytes) => Ok(bytes),
        CodecData::Array(_) => Err(misplaced()),
    }
}

/// Runs a chunk through `codecs`, from the codec after the last answered user codec.
fn run_chain(
    context: &UserCodecContext,
    codecs: &[ChainCodec<'_>],
    key: CallKey,
    input: CodecData,
) -> Result<CodecData> {
    let (start, mut data) = context.users.resume(&key)?.unwrap_or((0, input));
    for (at, codec) in codecs.iter().enumerate().skip(start) {
        if let Some(stage) = codec.user() {
            return Err(context.users.ask(key, at, stage, data));
        }
        data = match key.direction {
            Direction::Decode => codec.decode(data)?,
            Direction::Encode => codec.encode(data)?,
        };
    }
    Ok(data)
}

impl ChainCodec<'_> {
    fn user(&self) -> Option<&Rc<BoundUserCodec>> {
        match self {
            Self::ArrayToArray(named) => named.user.as_ref(),
            Self::ArrayToBytes(named) => named.user.as_ref(),
            Self::BytesToBytes(named) => named.user.as_ref(),
        }
    }

    fn decode(&self, data: CodecData) -> Result<CodecData> {
        match (self, data) {
            (Self::ArrayToArray(named), CodecData::Array(elements)) => {
                named.codec.decode(elements).map(CodecData::Array).map_err(named.add_context(Stage::Decode))
            }
            (Self::ArrayToBytes(named), CodecData::Bytes(bytes)) => {
                named.codec.decode(&bytes).map(CodecData::Array).map_err(named.add_context(Stage::Decode))
            }
            (Self::BytesToBytes(named), CodecData::Bytes(bytes)) => {
                let limit = limits::to_usize(limits::CHUNK_BYTES, "chunk")?;
                let mut decoded = Vec::new();
                let output = Output::Growing { buf: &mut decoded, limit };
                named.codec.decode(&bytes, output).map_err(named.add_context(Stage::Decode))?;
                Ok(CodecData::Bytes(decoded))
            }
            _ => Err(misplaced()),
        }
    }

    fn encode(&self, data: CodecData) -> Result<CodecData> {
        match (self, data) {
            (Self::ArrayToArray(named), CodecData::Array(elements)) => {
                named.codec.encode(elements).map(CodecData::Array).map_err(named.add_context(Stage::Encode))
            }
            (Self::ArrayToBytes(named), CodecData::Array(elements)) => {
                named.codec.encode(&elements).map(CodecData::Bytes).map_err(named.add_context(Stage::Encode))
            }
            (Self::BytesToBytes(named), CodecData::Bytes(bytes)) => {
                named.codec.encode(&bytes).map(CodecData::Bytes).map_err(named.add_context(Stage::Encode))
            }
            _ => Err(misplaced()),
        }
    }
}

/// Never raised: binding checks the position of every codec.
fn misplaced() -> Error {
    Error::format("a codec is at the wrong position of its chain")
}
