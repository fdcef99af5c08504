//! The change of a stored chunk whose chain has user's codecs. It stops where a codec has to run,
//! and continues once the codec has answered. The codecs may have to decode the stored bytes before
//! they encode the new ones.

use std::rc::Rc;
use std::task::Poll;

use super::{ChunkUpdate, Updated, apply};
use crate::access::binding::Binding;
use crate::error::{Error, Result, Stage};
use crate::format::codec::user::{CodecCall, CodecCalls};

/// A change that waits for user's codecs. See the module.
pub struct PendingUpdate {
    binding: Rc<Binding>,
    update: ChunkUpdate,
    old: Option<Vec<u8>>,
    elements: Vec<u8>,
    calls: CodecCalls,
    /// The id of the next request to a user's codec.
    next_request: u32,
    updated: Option<Updated>,
}

impl PendingUpdate {
    /// The change for which [`apply`] was pending with these arguments.
    pub fn new(
        binding: &Rc<Binding>,
        update: ChunkUpdate,
        old: Option<&[u8]>,
        elements: &[u8],
        calls: CodecCalls,
    ) -> Self {
        Self {
            binding: binding.clone(),
            update,
            old: old.map(<[u8]>::to_vec),
            elements: elements.to_vec(),
            calls,
            next_request: 0,
            updated: None,
        }
    }

    /// Calls `take` with each new request to a user's codec and the key of the chunk. Each request
    /// is handed out once.
    pub fn requests(&mut self, mut take: impl FnMut(&str, CodecCall<'_>)) {
        let key = self.key();
        self.calls.hand_out(&mut self.next_request, |request| take(&key, request));
    }

    /// Takes the output of a user's codec for a request.
    ///
    /// # Errors
    /// `Format` when the output does not have as many elements as the chunk. `Argument` for an id
    /// that no request has.
    pub fn answer(&mut self, id: u32, output: &[u8]) -> Result<()> {
        match self.calls.answer(id, output).map_err(|error| error.at_key(self.key()))? {
            true => Ok(()),
            false => Err(Error::argument("the output of a user's codec has an id that no request has")),
        }
    }

    /// Continues, once all requests are answered.
    ///
    /// # Errors
    /// As [`apply`].
    pub fn resume(&mut self) -> Result<()> {
        let Self { binding, update, elements, calls, .. } = self;
        if self.updated.is_none()
            && calls.is_answered()
            && let Poll::Ready(updated) = apply(binding, update, self.old.as_deref(), elements, calls)
        {
            self.updated = Some(updated.map_err(|error| error.in_stage(Stage::Encode))?);
        }
        Ok(())
    }

    /// Whether a user's codec has not answered yet.
    pub fn is_waiting(&self) -> bool {
        self.updated.is_none()
    }

    /// The result of the change.
    ///
    /// # Errors
    /// `Argument` while a user's codec has not answered.
    pub fn finish(self) -> Result<Updated> {
        let waiting = || Error::argument("the chunk cannot be stored: a user's codec has not answered");
        self.updated.ok_or_else(waiting)
    }

    /// The chunk's key, relative to the array.
    fn key(&self) -> String {
        self.binding.metadata().chunk_key_encoding.encode(&self.update.chunk)
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::access::chunk_update::Change;
    use crate::access::instruction::{ChunkProjection, ProjectedAxis};
    use crate::format::codec::Direction;
    use crate::format::codec::sharding::ChunkOrder;
    use crate::format::codec::user::UserCodecs;
    use crate::format::metadata::ZarrFormat;
    use crate::format::metadata::document::{NodeDocument, ZARR_JSON};

    /// A chunk of four elements of one byte, or a shard of two inner chunks of two. A user's codec,
    /// `xor`, encodes them.
    fn binding(codecs: &str) -> Rc<Binding> {
        let text = format!(
            r#"{{"zarr_format":3,"node_type":"array","shape":[4],"data_type":"uint8","fill_value":0,
            "chunk_grid":{{"name":"regular","configuration":{{"chunk_shape":[4]}}}},
            "chunk_key_encoding":{{"name":"default"}},"codecs":{codecs}}}"#
        );
        let document = NodeDocument::of(ZarrFormat::V3, vec![(ZARR_JSON.to_owned(), text)]);
        let users = r#"{"names":["xor"],"known":[{"codec":"xor","configuration":null,"dtype":"uint8",
            "shape":[4],"kind":"bytes_to_bytes"}]}"#;
        let users = Some(Rc::new(UserCodecs::from_json(users).unwrap()));
        Rc::new(Binding::with_users(&document, users).unwrap())
    }

    fn write(first: u32, count: u32) -> ChunkUpdate {
        let projection =
            ChunkProjection::Orthogonal(vec![ProjectedAxis::Range { first, step: 1, count, place: 0 }]);
        let change = Change::Write { projection, broadcast: false };
        ChunkUpdate { chunk: vec![0], change, keep_empty: false, order: ChunkOrder::C }
    }

    /// The change, which a user's codec makes wait.
    fn begin(
        binding: &Rc<Binding>,
        update: ChunkUpdate,
        old: Option<&[u8]>,
        elements: &[u8],
    ) -> PendingUpdate {
        let mut calls = CodecCalls::default();
        assert!(apply(binding, &update, old, elements, &mut calls).is_pending());
        PendingUpdate::new(binding, update, old, elements, calls)
    }

    /// Runs the codec until the update is done. Returns the directions of the requests, round by
    /// round.
    fn run(pending: &mut PendingUpdate) -> Vec<Vec<Direction>> {
        let mut rounds = Vec::new();
        while pending.is_waiting() {
            let mut answers = Vec::new();
            let mut asked = Vec::new();
            pending.requests(|key, request| {
                assert_eq!(key, "c/0");
                asked.push(request.direction);
                answers.push((request.id, request.input.iter().map(|byte| byte ^ 0x55).collect::<Vec<_>>()));
            });
            assert!(!answers.is_empty(), "waits for nothing");
            answers.iter().for_each(|(id, output)| pending.answer(*id, output).unwrap());
            pending.resume().unwrap();
            rounds.push(asked);
        }
        rounds
    }

    #[test]
    fn a_whole_chunk_is_encoded_and_a_partly_written_one_is_decoded_first() {
        let binding = binding(r#"["bytes","xor"]"#);
        let mut whole = begin(&binding, write(0, 4), None, &[1, 2, 3, 4]);
        assert_eq!(run(&mut whole), [[Direction::Encode]]);
        let Updated::Bytes(stored) = whole.finish().unwrap() else { panic!("nothing to store") };
        assert_eq!(stored, [0x54, 0x57, 0x56, 0x51]);
        let mut part = begin(&binding, write(1, 2), Some(&stored), &[7, 8]);
        assert_eq!(run(&mut part), [[Direction::Decode], [Direction::Encode]]);
        assert_eq!(part.finish().unwrap(), Updated::Bytes(vec![0x54, 0x52, 0x5d, 0x51]));
    }

    #[test]
    fn requests_of_inner_chunks_come_together_and_none_for_unchanged_ones() {
        let shards = r#"[{"name":"sharding_indexed","configuration":{"chunk_shape":[2],"codecs":["bytes","xor"],
            "index_codecs":[{"name":"bytes","configuration":{"endian":"little"}}]}}]"#;
        let binding = binding(shards);
        let mut whole = begin(&binding, write(0, 4), None, &[1, 2, 3, 4]);
        assert_eq!(run(&mut whole), [[Direction::Encode, Direction::Encode]]);
        let Updated::Bytes(stored) = whole.finish().unwrap() else { panic!("nothing to store") };
        assert_eq!(stored[..4], [0x54, 0x57, 0x56, 0x51]);
        let mut part = begin(&binding, write(3, 1), Some(&stored), &[9]);
        assert_eq!(run(&mut part), [[Direction::Decode], [Direction::Encode]]);
        let Updated::Bytes(changed) = part.finish().unwrap() else { panic!("nothing to store") };
        assert_eq!(changed[..4], [0x54, 0x57, 0x56, 0x5c]);
    }

    #[test]
    fn unfinished_changes_are_not_stored_and_unknown_ids_are_refused() {
        let binding = binding(r#"["bytes","xor"]"#);
        let mut pending = begin(&binding, write(0, 4), None, &[1, 2, 3, 4]);
        assert!(pending.answer(7, &[]).is_err());
        pending.resume().unwrap();
        assert!(pending.is_waiting());
        assert!(pending.finish().is_err());
    }
}
