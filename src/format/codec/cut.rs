//! Runs a chain that contains user codecs, one codec at a time. It stops at each user codec and
//! resumes after the user codec's answer. See [`user`](super::user).

use super::pipeline::{Cut, Named, Pipeline};
use super::user::{Direction, Flow, Key, UserStage};
use super::{ArrayBytes, ArrayToArray, ArrayToBytes, BytesToBytes, Output};
use crate::error::{Error, Result, Stage};
use crate::limits;
use std::rc::Rc;

/// One codec of a chain.
enum Link<'a> {
    Array(&'a Named<dyn ArrayToArray>),
    Middle(&'a Named<dyn ArrayToBytes>),
    Bytes(&'a Named<dyn BytesToBytes>),
}

impl Pipeline {
    /// All codecs in encoding order.
    fn links(&self) -> Vec<Link<'_>> {
        let arrays = self.array_to_array.iter().map(Link::Array);
        let bytes = self.bytes_to_bytes.iter().map(Link::Bytes);
        arrays.chain([Link::Middle(&self.array_to_bytes)]).chain(bytes).collect()
    }

    /// Decodes bytes to elements, packed in C order.
    pub(super) fn decode_cut(&self, cut: &Cut, encoded: &[u8]) -> Result<ArrayBytes> {
        let mut links = self.links();
        links.reverse();
        let key = Key { pipeline: cut.pipeline, direction: Direction::Decode, input: encoded.to_vec() };
        match follow(cut, &links, key, Flow::Bytes(encoded.to_vec()))? {
            Flow::Array(elements) => Ok(elements),
            Flow::Bytes(_) => Err(misplaced()),
        }
    }

    /// Encodes elements to bytes.
    pub(super) fn encode_cut(&self, cut: &Cut, elements: ArrayBytes) -> Result<Vec<u8>> {
        let input = match &elements {
            ArrayBytes::Fixed(bytes) => bytes.clone(),
            ArrayBytes::Variable(elements) => elements.to_packed(),
        };
        let key = Key { pipeline: cut.pipeline, direction: Direction::Encode, input };
        match follow(cut, &self.links(), key, Flow::Array(elements))? {
            Flow::Bytes(bytes) => Ok(bytes),
            Flow::Array(_) => Err(misplaced()),
        }
    }
}

/// Runs bytes-to-bytes codecs, some of them user codecs, for codecs that contain a chain and choose
/// among its codecs.
#[cfg(any(feature = "full", not(target_arch = "wasm32")))]
pub(super) fn through_bytes(
    cut: &Cut,
    codecs: &[&Named<dyn BytesToBytes>],
    direction: Direction,
    input: &[u8],
) -> Result<Vec<u8>> {
    let mut links: Vec<Link<'_>> = codecs.iter().map(|named| Link::Bytes(named)).collect();
    if direction == Direction::Decode {
        links.reverse();
    }
    let key = Key { pipeline: cut.pipeline, direction, input: input.to_vec() };
    match follow(cut, &links, key, Flow::Bytes(input.to_vec()))? {
        Flow::Bytes(bytes) => Ok(bytes),
        Flow::Array(_) => Err(misplaced()),
    }
}

/// Runs a chunk through `links`, from the codec after the last answered user codec.
fn follow(cut: &Cut, links: &[Link<'_>], key: Key, input: Flow) -> Result<Flow> {
    let (start, mut flow) = cut.users.resume(&key)?.unwrap_or((0, input));
    for (at, link) in links.iter().enumerate().skip(start) {
        if let Some(stage) = link.user() {
            return Err(cut.users.ask(key, at, stage, flow));
        }
        flow = match key.direction {
            Direction::Decode => link.decode(flow)?,
            Direction::Encode => link.encode(flow)?,
        };
    }
    Ok(flow)
}

impl Link<'_> {
    fn user(&self) -> Option<&Rc<UserStage>> {
        match self {
            Self::Array(named) => named.user.as_ref(),
            Self::Middle(named) => named.user.as_ref(),
            Self::Bytes(named) => named.user.as_ref(),
        }
    }

    fn decode(&self, flow: Flow) -> Result<Flow> {
        match (self, flow) {
            (Self::Array(named), Flow::Array(elements)) => {
                named.codec.decode(elements).map(Flow::Array).map_err(named.blame(Stage::Decode))
            }
            (Self::Middle(named), Flow::Bytes(bytes)) => {
                named.codec.decode(&bytes).map(Flow::Array).map_err(named.blame(Stage::Decode))
            }
            (Self::Bytes(named), Flow::Bytes(bytes)) => {
                let limit = limits::to_usize(limits::CHUNK_BYTES, "chunk")?;
                let mut decoded = Vec::new();
                let output = Output::Growing { buf: &mut decoded, limit };
                named.codec.decode(&bytes, output).map_err(named.blame(Stage::Decode))?;
                Ok(Flow::Bytes(decoded))
            }
            _ => Err(misplaced()),
        }
    }

    fn encode(&self, flow: Flow) -> Result<Flow> {
        match (self, flow) {
            (Self::Array(named), Flow::Array(elements)) => {
                named.codec.encode(elements).map(Flow::Array).map_err(named.blame(Stage::Encode))
            }
            (Self::Middle(named), Flow::Array(elements)) => {
                named.codec.encode(&elements).map(Flow::Bytes).map_err(named.blame(Stage::Encode))
            }
            (Self::Bytes(named), Flow::Bytes(bytes)) => {
                named.codec.encode(&bytes).map(Flow::Bytes).map_err(named.blame(Stage::Encode))
            }
            _ => Err(misplaced()),
        }
    }
}

/// Never raised: binding checks the position of every codec.
fn misplaced() -> Error {
    Error::format("a codec is at the wrong position of its chain")
}
