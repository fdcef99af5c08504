//! Writes one stored chunk: reads the old value if it matters, encodes the change, and stores or
//! erases the chunk. A lock keeps other writes of this process away from it.

use std::rc::Rc;

use crate::access::chunk_update::{Change, ChunkUpdate, KeptChunks};
use crate::error::{Error, ErrorKind, Result};
use crate::format::path::StoreKey;
use crate::read::array::Array;
use crate::store::writers;
use crate::store::{ByteRange, RequestContext, Subject, Value};
use crate::write::encoder::{EncodeJob, Encoded, Encoder};
use crate::write::old_shard::{self, Remaining};
use crate::write::types::{ChunkChange, ChunkOutcome};

/// Changes the chunks of one array.
pub(crate) struct ChunkWriter<'a> {
    pub array: &'a Rc<Array>,
    pub encoder: &'a dyn Encoder,
    pub context: RequestContext,
}

impl<'a> ChunkWriter<'a> {
    pub fn new(array: &'a Rc<Array>, encoder: &'a dyn Encoder, context: &RequestContext) -> Self {
        // What is read here is written back, so no cache may answer with an older version.
        let context = RequestContext { subject: Subject::Update, reload: true, ..context.clone() };
        Self { array, encoder, context }
    }

    /// Applies a change to a chunk.
    pub async fn change(&self, change: ChunkChange) -> Result<ChunkOutcome> {
        let key = self.array.chunk_key(&change.update.chunk);
        let _held = writers::lock(self.array.chunks(), &key).await;
        // The caller may have left while another page held the lock. What clears chunks goes on: it
        // is a part of a change that has begun.
        if matches!(change.update.change, Change::Write { .. }) && self.encoder.is_abandoned() {
            return Err(Error::aborted("the write was aborted"));
        }
        let done = self.change_locked(&key, change).await;
        // Encoders know only keys relative to the array.
        done.map_err(|error| error.replace_key(key.as_str()))
    }

    async fn change_locked(&self, key: &StoreKey, change: ChunkChange) -> Result<ChunkOutcome> {
        let old = self.old(key, &change).await?;
        let is_clip = matches!(change.update.change, Change::Clip(_));
        let known_absent = old.is_none() && !change.covers;
        if is_clip && known_absent {
            return Ok(ChunkOutcome::Nothing);
        }
        match self.encode(&change, old.clone()).await? {
            Encoded::Same => Ok(ChunkOutcome::Nothing),
            Encoded::Bytes(bytes) => self.store(key, bytes).await,
            Encoded::Empty if known_absent => Ok(ChunkOutcome::Nothing),
            Encoded::Empty => match self.erase(key).await {
                Ok(()) => Ok(ChunkOutcome::Erased),
                // A store that cannot erase stores chunks of fill value instead.
                Err(error) if error.kind() == ErrorKind::Unsupported => self.keep(key, change, old).await,
                Err(error) => Err(error),
            },
        }
    }

    /// The stored value, or the bytes of it that the change keeps. `None` if it is absent or not
    /// needed.
    async fn old(&self, key: &StoreKey, change: &ChunkChange) -> Result<Option<Value>> {
        let (store, update) = (self.array.chunks(), &change.update);
        if change.covers {
            return Ok(None);
        }
        let most_bytes = self.array.binding().most_stored_len(&update.chunk)?;
        let context = RequestContext { most_bytes: Some(most_bytes), ..self.context.clone() };
        if let Change::Write { projection, .. } = &update.change
            && store.reads_parts()
            && let Some(remains) = KeptChunks::of(self.array.binding(), &update.chunk, projection)?
            && let Remaining::Known(value) = old_shard::remaining(store, key, &remains, &context).await?
        {
            return Ok(value);
        }
        Ok(store.get(key, ByteRange::Whole, &context).await?.map(|fetched| fetched.value))
    }

    async fn encode(&self, change: &ChunkChange, old: Option<Value>) -> Result<Encoded> {
        let (update, elements) = (change.update.to_words()?, change.elements.clone());
        self.encoder.encode(self.array, EncodeJob { update, old, elements }).await
    }

    /// Stores the chunk although it contains only the fill value.
    async fn keep(&self, key: &StoreKey, change: ChunkChange, old: Option<Value>) -> Result<ChunkOutcome> {
        let change = ChunkChange { update: ChunkUpdate { keep_empty: true, ..change.update }, ..change };
        match self.encode(&change, old).await? {
            Encoded::Bytes(bytes) => self.store(key, bytes).await,
            Encoded::Same | Encoded::Empty => Ok(ChunkOutcome::Nothing),
        }
    }

    async fn store(&self, key: &StoreKey, bytes: Value) -> Result<ChunkOutcome> {
        let (store, len) = (self.array.chunks(), bytes.len());
        let _touched = writers::touch(store, std::slice::from_ref(key));
        store.set(key, bytes).await?;
        Ok(ChunkOutcome::Stored(len))
    }

    async fn erase(&self, key: &StoreKey) -> Result<()> {
        let store = self.array.chunks();
        let _touched = writers::touch(store, std::slice::from_ref(key));
        store.erase(key).await
    }
}
