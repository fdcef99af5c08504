//! The calls of user codecs for one stored chunk. Most stored chunks need one call at a time; a
//! shard that is encoded or decoded as a whole has many chunks, whose calls are made together.

use std::rc::Rc;
use std::task::Poll;

use super::{BoundUserCodec, CodecSite};
use crate::error::{Error, Result};
use crate::format::codec::{ChunkRepresentation, CodecData, CodecKind, Direction};
use crate::sorted::{Key, Map};

/// One call of a user codec.
#[derive(Clone, Debug)]
pub struct CodecCall<'a> {
    /// The id that the answer must repeat.
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

/// The chunk that a chain decodes or encodes, within the stored chunk: the numbers that lead to it.
/// They are numbers of inner chunks in their shard, and of chains in their codec.
#[derive(Clone, Debug)]
struct CallKey {
    direction: Direction,
    numbers: Vec<u64>,
}

impl Key for CallKey {
    // Lists of different lengths have different bytes; their order does not matter.
    fn put(&self, bytes: &mut Vec<u8>) {
        bytes.push(u8::from(self.direction == Direction::Encode));
        self.numbers.put(bytes);
    }
}

/// The last call for a chunk. What its chain did before is in the input.
#[derive(Debug)]
struct LastCall {
    /// The position of the codec in its chain, in the order of the direction.
    at: usize,
    direction: Direction,
    stage: Rc<BoundUserCodec>,
    input: Vec<u8>,
    /// Set when the call has been handed out.
    id: Option<u32>,
    answer: Option<CodecData<'static>>,
}

/// The calls for one stored chunk, with their answers. It is passed down to the chains, each of
/// which finds its last call by the number of its chunk.
#[derive(Debug, Default)]
pub struct CodecCalls {
    /// The numbers that lead to the chunk which is decoded or encoded now.
    numbers: Vec<u64>,
    calls: Map<CallKey, LastCall>,
}

impl CodecCalls {
    /// Does the work on the inner chunk, or with the inner chain, of this number.
    pub fn within<T>(&mut self, number: usize, work: impl FnOnce(&mut Self) -> T) -> T {
        self.numbers.push(number as u64);
        let done = work(self);
        self.numbers.pop();
        done
    }

    /// Whether every call has an answer.
    pub fn is_answered(&self) -> bool {
        self.calls.values().all(|call| call.answer.is_some())
    }

    /// Where a chain continues: the position after the last user codec, and its output. `None` if
    /// no user codec was called for the chunk, and pending while the last one has not answered.
    #[allow(clippy::arithmetic_side_effects, reason = "the position of a codec in its chain")]
    pub(in crate::format::codec) fn resume(
        &self,
        direction: Direction,
    ) -> Poll<Option<(usize, CodecData<'static>)>> {
        match self.calls.get(&self.key(direction)) {
            None => Poll::Ready(None),
            Some(LastCall { answer: Some(answer), at, .. }) => Poll::Ready(Some((at + 1, answer.clone()))),
            Some(_) => Poll::Pending,
        }
    }

    /// Records a call for the chunk. It replaces the one before.
    pub(in crate::format::codec) fn ask(
        &mut self,
        direction: Direction,
        at: usize,
        stage: &Rc<BoundUserCodec>,
        input: CodecData<'_>,
    ) {
        let (stage, input) = (stage.clone(), input.into_packed());
        let call = LastCall { at, direction, stage, input, id: None, answer: None };
        self.calls.insert(self.key(direction), call);
    }

    fn key(&self, direction: Direction) -> CallKey {
        CallKey { direction, numbers: self.numbers.clone() }
    }

    /// Passes every call that was not passed before to `take`. Each gets the id `next`, which then
    /// goes up.
    #[allow(
        clippy::arithmetic_side_effects,
        reason = "a part makes fewer than 2^32 calls: each has an entry in memory"
    )]
    pub fn hand_out(&mut self, next: &mut u32, mut take: impl FnMut(CodecCall<'_>)) {
        for call in self.calls.values_mut().filter(|call| call.id.is_none()) {
            let id = *next;
            *next += 1;
            call.id = Some(id);
            let BoundUserCodec { site, decoded, encoded, kind } = &*call.stage;
            let (direction, kind, input) = (call.direction, *kind, call.input.as_slice());
            take(CodecCall { id, site, direction, kind, decoded, encoded, input });
        }
    }

    /// Stores the output of a call. Returns false when no open call has this id.
    ///
    /// # Errors
    /// `Format` for output that does not fit the chunk; the error names the codec.
    pub fn answer(&mut self, id: u32, output: &[u8]) -> Result<bool> {
        let mut open = self.calls.values_mut().filter(|call| call.answer.is_none());
        let Some(call) = open.find(|call| call.id == Some(id)) else { return Ok(false) };
        let direction = call.direction;
        let add_context =
            |error: Error| error.in_codec(call.stage.site.codec.as_str()).in_stage(direction.stage());
        call.answer = Some(call.stage.output(direction, output).map_err(add_context)?);
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
