//! The calls of user codecs for one piece of work. Most pieces of work are one chunk; a shard that
//! is encoded or decoded as a whole has many chunks.

use std::rc::Rc;

use super::{BoundUserCodec, CodecSite, waiting};
use crate::error::{Error, Result};
use crate::format::codec::{ChunkRepresentation, CodecData, CodecKind, Direction};

/// Identifies a chunk by its pipeline and its input.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct CallKey {
    /// The number of the pipeline.
    pub pipeline: usize,
    /// Whether the chunk is decoded or encoded.
    pub direction: Direction,
    /// The whole input of the pipeline, packed.
    pub input: Vec<u8>,
}

/// One call of a user codec.
#[derive(Clone, Debug)]
pub struct CodecCall<'a> {
    /// The number that the answer must repeat.
    pub id: u32,
    /// The codec to run.
    pub site: &'a CodecSite,
    /// Whether it decodes or encodes.
    pub direction: Direction,
    /// The kind that the codec declared.
    pub kind: CodecKind,
    /// The array on the decoded side of the codec.
    pub decoded: &'a ChunkRepresentation,
    /// The array on the encoded side of the codec.
    pub encoded: &'a ChunkRepresentation,
    /// The input: bytes, packed elements, or `n + 1` offsets (32-bit, little-endian) and then
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
    answer: Option<CodecData<'static>>,
}

/// The calls of one piece of work, with their answers.
#[derive(Debug, Default)]
pub struct CodecCalls {
    entries: Vec<(CallKey, PendingCall)>,
    next: u32,
}

impl CodecCalls {
    /// The number of the next call.
    pub fn next(&self) -> u32 {
        self.next
    }

    /// Continues the numbers of other calls: all calls of one part have different numbers.
    pub fn continue_at(&mut self, next: u32) {
        self.next = next;
    }

    /// Whether every call has an answer.
    pub fn is_answered(&self) -> bool {
        self.entries.iter().all(|(_, entry)| entry.answer.is_some())
    }

    #[allow(clippy::arithmetic_side_effects, reason = "the place of a codec in its chain")]
    pub(super) fn resume(&self, key: &CallKey) -> Result<Option<(usize, CodecData<'static>)>> {
        match self.entries.iter().find(|(known, _)| known == key).map(|(_, entry)| entry) {
            None => Ok(None),
            Some(PendingCall { answer: Some(answer), at, .. }) => Ok(Some((at + 1, answer.clone()))),
            Some(_) => Err(waiting()),
        }
    }

    #[allow(
        clippy::arithmetic_side_effects,
        reason = "a part makes fewer than 2^32 calls: each has an entry in memory"
    )]
    pub(super) fn ask(&mut self, key: CallKey, at: usize, stage: &Rc<BoundUserCodec>, input: CodecData<'_>) {
        let input = input.into_packed();
        let id = self.next;
        self.next += 1;
        let entry = PendingCall { id, at, stage: stage.clone(), input, is_handed_out: false, answer: None };
        self.entries.retain(|(known, _)| *known != key);
        self.entries.push((key, entry));
    }

    /// Passes every call that was not passed before to `take`.
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

    /// Stores the output of a call. Returns false when no open call has this number.
    ///
    /// # Errors
    /// `Format` for output that does not fit the chunk; the error names the codec.
    pub fn answer(&mut self, id: u32, output: &[u8]) -> Result<bool> {
        let entry = self.entries.iter_mut().find(|(_, entry)| entry.id == id && entry.answer.is_none());
        let Some((key, entry)) = entry else { return Ok(false) };
        let data = entry.stage.output(key.direction, output);
        let add_context =
            |error: Error| error.in_codec(entry.stage.site.codec.as_str()).in_stage(key.direction.stage());
        entry.answer = Some(data.map_err(add_context)?);
        Ok(true)
    }
}

impl BoundUserCodec {
    /// Checks the output of the codec and gives it its form.
    fn output(&self, direction: Direction, output: &[u8]) -> Result<CodecData<'static>> {
        let chunk = match (self.kind, direction) {
            (CodecKind::BytesToBytes, _) | (CodecKind::ArrayToBytes, Direction::Encode) => {
                return Ok(output.to_vec().into());
            }
            (_, Direction::Decode) => &self.decoded,
            (CodecKind::ArrayToArray, Direction::Encode) => &self.encoded,
        };
        let wrong = || Error::format("the user codec returned another number of elements than the chunk has");
        chunk.elements(output, wrong).map(CodecData::Array)
    }
}
