//! How far the chunks of a piece of work have come: most pieces are one chunk, a shard that is
//! coded as a whole is many.

use std::rc::Rc;

use super::{BoundUserCodec, Site, waiting};
use crate::error::{Error, Result, Stage};
use crate::format::codec::array_bytes::VariableBytes;
use crate::format::codec::{ArrayBytes, ChunkRepresentation, CodecKind, wrong_decoded_len};

/// Which way a chunk goes through its chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Direction {
    /// From bytes to elements.
    Decode,
    /// From elements to bytes.
    Encode,
}

impl Direction {
    fn stage(self) -> Stage {
        match self {
            Self::Decode => Stage::Decode,
            Self::Encode => Stage::Encode,
        }
    }
}

/// What stands between two codecs.
#[derive(Clone, Debug)]
pub enum CodecData {
    /// Before or after codecs of bytes.
    Bytes(Vec<u8>),
    /// Before or after codecs of arrays.
    Array(ArrayBytes),
}

/// A chunk: its pipeline, and what went into that.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct CallKey {
    /// The number that the pipeline has.
    pub pipeline: usize,
    /// Which way it goes.
    pub direction: Direction,
    /// All of it, packed.
    pub input: Vec<u8>,
}

/// One run of a user's codec.
#[derive(Clone, Debug)]
pub struct CodecCall<'a> {
    /// For the answer.
    pub id: u32,
    /// Which codec.
    pub site: &'a Site,
    /// Whether it is to decode.
    pub direction: Direction,
    /// The kind that it said it has.
    pub kind: CodecKind,
    /// What an array would be that goes in (to encode) or comes out (of decoding).
    pub decoded: &'a ChunkRepresentation,
    /// What an array would be at its other side.
    pub encoded: &'a ChunkRepresentation,
    /// What goes in: bytes, packed elements, or `n + 1` offsets (32-bit, little-endian) before
    /// elements of variable length.
    pub input: &'a [u8],
}

#[derive(Debug)]
struct PendingCall {
    id: u32,
    at: usize,
    stage: Rc<BoundUserCodec>,
    input: Vec<u8>,
    is_handed_out: bool,
    answer: Option<CodecData>,
}

/// See the module.
#[derive(Debug, Default)]
pub struct CodecCalls {
    entries: Vec<(CallKey, PendingCall)>,
    next: u32,
}

impl CodecCalls {
    /// The number that the next request will have.
    pub fn next(&self) -> u32 {
        self.next
    }

    /// Numbers requests from here on: ledgers of one part share their numbers.
    pub fn continue_at(&mut self, next: u32) {
        self.next = next;
    }

    /// Whether nothing is waited for.
    pub fn is_answered(&self) -> bool {
        self.entries.iter().all(|(_, entry)| entry.answer.is_some())
    }

    pub(super) fn resume(&self, key: &CallKey) -> Result<Option<(usize, CodecData)>> {
        match self.entries.iter().find(|(known, _)| known == key).map(|(_, entry)| entry) {
            None => Ok(None),
            Some(PendingCall { answer: Some(answer), at, .. }) => Ok(Some((at + 1, answer.clone()))),
            Some(_) => Err(waiting()),
        }
    }

    pub(super) fn ask(&mut self, key: CallKey, at: usize, stage: &Rc<BoundUserCodec>, input: CodecData) {
        let input = match input {
            CodecData::Bytes(bytes) | CodecData::Array(ArrayBytes::Fixed(bytes)) => bytes,
            CodecData::Array(ArrayBytes::Variable(elements)) => elements.to_packed(),
        };
        let id = self.next;
        self.next += 1;
        let entry = PendingCall { id, at, stage: stage.clone(), input, is_handed_out: false, answer: None };
        self.entries.retain(|(known, _)| *known != key);
        self.entries.push((key, entry));
    }

    /// Takes what is to be run and was not handed out before.
    pub fn hand_out(&mut self, mut take: impl FnMut(CodecCall<'_>)) {
        for (key, entry) in &mut self.entries {
            if entry.answer.is_some() || std::mem::replace(&mut entry.is_handed_out, true) {
                continue;
            }
            let BoundUserCodec { site, decoded, encoded, kind } = &*entry.stage;
            let (id, direction, kind) = (entry.id, key.direction, *kind);
            take(CodecCall { id, site, direction, kind, decoded, encoded, input: &entry.input });
        }
    }

    /// What a codec has answered; false when it was not asked here.
    ///
    /// # Errors
    /// `Format` for elements that are not as many as the chunk's, naming the codec.
    pub fn answer(&mut self, id: u32, output: &[u8]) -> Result<bool> {
        let entry = self.entries.iter_mut().find(|(_, entry)| entry.id == id && entry.answer.is_none());
        let Some((key, entry)) = entry else { return Ok(false) };
        let data = entry.stage.output(key.direction, output);
        let blame =
            |error: Error| error.in_codec(entry.stage.site.codec.as_str()).in_stage(key.direction.stage());
        entry.answer = Some(data.map_err(blame)?);
        Ok(true)
    }
}

impl BoundUserCodec {
    /// What comes out of it.
    fn output(&self, direction: Direction, output: &[u8]) -> Result<CodecData> {
        let elements = match (self.kind, direction) {
            (CodecKind::BytesToBytes, _) | (CodecKind::ArrayToBytes, Direction::Encode) => None,
            (_, Direction::Decode) => Some(&self.decoded),
            (CodecKind::ArrayToArray, Direction::Encode) => Some(&self.encoded),
        };
        let Some(chunk) = elements else { return Ok(CodecData::Bytes(output.to_vec())) };
        let array = match chunk.byte_len()? {
            Some(len) if len == output.len() as u64 => ArrayBytes::Fixed(output.to_vec()),
            Some(len) => return Err(wrong_decoded_len(len, output.len() as u64)),
            None => {
                let wrong = || Error::format("a codec gave elements of variable length that do not fit");
                let count = usize::try_from(chunk.element_count()?).map_err(|_| wrong())?;
                ArrayBytes::Variable(VariableBytes::from_packed(output, count).ok_or_else(wrong)?)
            }
        };
        Ok(CodecData::Array(array))
    }
}
