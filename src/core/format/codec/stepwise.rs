//! A chain that contains user codecs. It runs one codec at a time, stops at each user codec, and
//! resumes after the user codec's answer. See [`user`](super::user).

use std::rc::Rc;

use super::named::NamedCodec;
use super::user::{CallKey, UserCodecs};
use super::{ChunkRepresentation, Codec, CodecData, Direction};
use crate::error::Result;
use crate::format::metadata::CodecMetadata;

/// A chain with user codecs.
pub(super) struct UserChain {
    users: Rc<UserCodecs>,
    /// The number of the chain in `users`.
    number: usize,
    /// All codecs, in encoding order.
    codecs: Vec<NamedCodec<Codec>>,
    /// The most bytes that each of the last codecs, which are bytes → bytes, may decode to.
    most_decoded: Vec<usize>,
}

impl UserChain {
    /// The chain of these codecs, which encode the chunk `decoded`. `most_decoded` has the most
    /// bytes that each of its bytes → bytes codecs may decode to.
    pub(super) fn new(
        (users, metadata): (&Rc<UserCodecs>, &[CodecMetadata]),
        decoded: &ChunkRepresentation,
        codecs: Vec<NamedCodec<Codec>>,
        most_decoded: &[usize],
    ) -> Self {
        let number = users.pipeline(metadata, decoded);
        Self { users: users.clone(), number, codecs, most_decoded: most_decoded.to_vec() }
    }

    /// Runs a chunk through the chain, from the codec after the last answered user codec.
    ///
    /// # Errors
    /// Of [`Stage::UserCodec`](crate::error::Stage) while a user codec has not answered, and those
    /// of the codecs.
    pub(super) fn run<'a>(&self, direction: Direction, input: CodecData<'a>) -> Result<CodecData<'a>> {
        let key = CallKey { pipeline: self.number, direction, input: input.clone().into_packed() };
        let (start, mut data) = self.users.resume(&key)?.unwrap_or((0, input));
        let mut codecs: Vec<_> = self.codecs.iter().collect();
        if direction == Direction::Decode {
            codecs.reverse();
        }
        for (at, named) in codecs.into_iter().enumerate().skip(start) {
            if let Some(stage) = &named.user {
                return Err(self.users.ask(key, at, stage, data));
            }
            // Decoding begins with the last codec.
            let limit = self.most_decoded.iter().rev().nth(at).copied();
            let limit = limit.unwrap_or(usize::MAX);
            data = named
                .codec
                .run_within(direction, data, limit)
                .map_err(named.add_context(direction.stage()))?;
        }
        Ok(data)
    }
}
