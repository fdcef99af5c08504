//! What is entries of the chunks of an array that were read: their encoded bytes, or, of chunks that had to be decoded whole but were used
//! in part, their elements. What was used longest ago goes first, of whatever array.
//!
//! A buffer often holds several chunks (what came in one answer, or was decoded by one message); it is entries as long as one of them is
//! used, and counts once and whole, whatever of it is entries. Nothing that is entries is ever handed out, and nothing is entries that was not read to its end. Writes of this
//! process are seen; others' are not before [`ChunkCache::forget_all`].

use std::cell::{Cell, RefCell};
use std::rc::{Rc, Weak};

use crate::access::plan::{ByteRequest, RequestedRange};
use crate::format::metadata::document::NodeDocument;
use crate::format::path::NodePath;
use crate::read::shard_indexes::ShardIndexes;
use crate::read::types::{BatchesInFlight, ChunkOrigin, PartsInFlight};
use crate::sorted::{Key, Map};
use crate::store::writers::{self, Moment};
use crate::store::{Store, Value};

/// Which of the two things is entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum CacheKind {
    /// Bytes as they are stored.
    Encoded,
    /// Packed elements of a whole chunk, in its native order.
    Decoded,
}

impl Key for CacheKind {
    fn put(&self, bytes: &mut Vec<u8>) {
        bytes.push(*self as u8);
    }
}

/// What cache_policy a chunk costs beside its bytes, about.
const CHUNK_COST: u64 = 160;

/// Bytes that are entries unless somebody says otherwise.
const ENCODED_ROOM: u64 = 64 << 20;
const DECODED_ROOM: u64 = 128 << 20;

/// How often what was asked for was there, and how much is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CacheCounters {
    /// Chunks that were found.
    pub hits: u64,
    /// Chunks that were not.
    pub misses: u64,
    /// Bytes that are entries.
    pub bytes: u64,
}

/// A buffer that is entries, and whose chunks stand in it.
struct CachedBuffer {
    owner: Weak<ChunkCache>,
    /// See [`Value::buffer`]; nothing for chunks that are known to be absent.
    id: Option<u64>,
    handle: Weak<BufferHandle>,
    origins: Vec<ChunkOrigin>,
    bytes: u64,
}

/// All buffers of one kind, of whatever array.
struct BufferQueue {
    room: u64,
    clock: u64,
    counters: CacheCounters,
    by_use: Map<u64, CachedBuffer>,
    /// When the buffers were used last.
    used: Map<u64, u64>,
}

thread_local! {
    static ENCODED: RefCell<BufferQueue> = const { RefCell::new(BufferQueue::new(ENCODED_ROOM)) };
    static DECODED: RefCell<BufferQueue> = const { RefCell::new(BufferQueue::new(DECODED_ROOM)) };
    static CACHES: RefCell<Vec<Weak<ChunkCache>>> = const { RefCell::new(Vec::new()) };
}

impl BufferQueue {
    const fn new(room: u64) -> Self {
        let counters = CacheCounters { hits: 0, misses: 0, bytes: 0 };
        Self { room, clock: 0, counters, by_use: Map::new(), used: Map::new() }
    }

    fn put(&mut self, buffer: CachedBuffer) -> u64 {
        self.clock += 1;
        self.counters.bytes += buffer.bytes;
        if let Some(id) = buffer.id {
            self.used.insert(id, self.clock);
        }
        self.by_use.insert(self.clock, buffer);
        self.clock
    }

    /// Removes a buffer from the queue.
    fn pull(&mut self, used: u64) -> Option<CachedBuffer> {
        let buffer = self.by_use.remove(&used)?;
        self.uncount(&buffer);
        Some(buffer)
    }

    fn uncount(&mut self, buffer: &CachedBuffer) {
        self.counters.bytes -= buffer.bytes;
        if let Some(id) = buffer.id {
            self.used.remove(&id);
        }
    }

    /// Adds a chunk to a buffer that is entries already.
    fn join(&mut self, id: u64, owner: &Weak<ChunkCache>, origin: &ChunkOrigin) -> Option<Rc<BufferHandle>> {
        let buffer = self.by_use.get_mut(self.used.get(&id)?)?;
        if !buffer.owner.ptr_eq(owner) {
            return None;
        }
        let handle = buffer.handle.upgrade()?;
        buffer.origins.push(origin.clone());
        buffer.bytes += CHUNK_COST;
        self.counters.bytes += CHUNK_COST;
        Some(handle)
    }

    /// Moves a buffer to the end of the queue.
    fn touch(&mut self, used: &Cell<u64>) {
        if let Some(buffer) = self.pull(used.get()) {
            used.set(self.put(buffer));
        }
    }

    /// What has to go.
    fn overflow(&mut self) -> Vec<(u64, CachedBuffer)> {
        let mut gone = Vec::new();
        while self.counters.bytes > self.room
            && let Some((used, buffer)) = self.by_use.pop_first()
        {
            self.uncount(&buffer);
            gone.push((used, buffer));
        }
        gone
    }
}

/// Nothing is entries after a thread's end.
fn with<T: Default>(kind: CacheKind, act: impl FnOnce(&mut BufferQueue) -> T) -> T {
    let queue = if kind == CacheKind::Encoded { &ENCODED } else { &DECODED };
    queue.try_with(|queue| act(&mut queue.borrow_mut())).unwrap_or_default()
}

/// Drops what was used longest ago.
fn make_room(kind: CacheKind) {
    for (used, buffer) in with(kind, BufferQueue::overflow) {
        let Some(owner) = buffer.owner.upgrade() else { continue };
        for origin in buffer.origins {
            owner.drop_kept(kind, &origin, used);
        }
    }
}

/// Says how many bytes may be entries; 0 keeps nothing.
pub fn set_room(kind: CacheKind, bytes: u64) {
    with(kind, |queue| queue.room = bytes);
    make_room(kind);
}

/// How many bytes may be entries.
pub fn room(kind: CacheKind) -> u64 {
    with(kind, |queue| queue.room)
}

/// What has been counted so far.
pub fn counters(kind: CacheKind) -> CacheCounters {
    with(kind, |queue| queue.counters)
}

/// A buffer's place in the queue; the buffer counts until its last chunk is dropped.
struct BufferHandle {
    kind: CacheKind,
    used: Cell<u64>,
}

impl Drop for BufferHandle {
    fn drop(&mut self) {
        with(self.kind, |queue| queue.pull(self.used.get()));
    }
}

/// A place in the queue for a chunk's buffer; `None` where that is larger than all that may be entries.
fn handle(
    kind: CacheKind,
    owner: &Weak<ChunkCache>,
    origin: &ChunkOrigin,
    value: Option<&Value>,
) -> Option<Rc<BufferHandle>> {
    let (id, bytes) = value.map(Value::buffer).unzip();
    let joined = id.and_then(|id| with(kind, |queue| queue.join(id, owner, origin)));
    let bytes = bytes.unwrap_or(0) + CHUNK_COST;
    if joined.is_some() || bytes > room(kind) {
        return joined;
    }
    let handle = Rc::new(BufferHandle { kind, used: Cell::default() });
    let (owner, origins) = (owner.clone(), vec![origin.clone()]);
    let buffer = CachedBuffer { owner, id, handle: Rc::downgrade(&handle), origins, bytes };
    handle.used.set(with(kind, |queue| queue.put(buffer)));
    Some(handle)
}

/// A chunk in a buffer that is entries.
struct CacheEntry {
    /// The stored chunk that it is in, and where.
    chunk: Rc<[u64]>,
    range: RequestedRange,
    asked: Moment,
    /// `None` where it is known to be absent.
    value: Option<Value>,
    handle: Rc<BufferHandle>,
}

/// What a cache belongs to. Two arrays with the same documents in the same place are one.
struct Owner {
    store: Rc<dyn Store>,
    path: NodePath,
    document: NodeDocument,
}

/// See the module.
pub(super) struct ChunkCache {
    owner: Owner,
    entries: RefCell<Map<(CacheKind, ChunkOrigin), CacheEntry>>,
    /// What was asked for before is not entries: everything was to be forgotten then.
    forgotten: Cell<Moment>,
    /// Of shards.
    pub(super) indexes: ShardIndexes,
    /// Chunks that are being decoded.
    pub(super) batches: BatchesInFlight,
    /// PartsInFlight that are being read.
    pub(super) parts: PartsInFlight,
}

/// The store that others only stand around.
fn base(store: &Rc<dyn Store>) -> Rc<dyn Store> {
    let mut store = store.clone();
    while let Some(inner) = store.wrapped() {
        store = inner;
    }
    store
}

impl ChunkCache {
    /// One that no other array has: what its chunks mean depends on more than its documents.
    pub fn new(store: &Rc<dyn Store>, path: &NodePath, document: &NodeDocument) -> Rc<Self> {
        let owner = Owner { store: base(store), path: path.clone(), document: document.clone() };
        let (entries, forgotten) = (RefCell::default(), Cell::default());
        let indexes = ShardIndexes::default();
        Rc::new(Self {
            owner,
            entries,
            forgotten,
            indexes,
            batches: BatchesInFlight::default(),
            parts: PartsInFlight::default(),
        })
    }

    /// That of an array.
    pub fn of(store: &Rc<dyn Store>, path: &NodePath, document: &NodeDocument) -> Rc<Self> {
        let store = base(store);
        let address = |store: &Rc<dyn Store>| Rc::as_ptr(store).cast::<()>();
        let here = address(&store);
        let is_it = |cache: &Rc<Self>| {
            let owner = &cache.owner;
            address(&owner.store) == here && owner.path == *path && owner.document == *document
        };
        CACHES.with_borrow_mut(|caches| {
            caches.retain(|cache| cache.strong_count() > 0);
            caches.iter().filter_map(Weak::upgrade).find(is_it).unwrap_or_else(|| {
                let cache = Self::new(&store, path, document);
                caches.push(Rc::downgrade(&cache));
                cache
            })
        })
    }

    /// What is entries of the chunk that is needed, unless `is_current` denies it.
    pub fn get(
        &self,
        kind: CacheKind,
        request: &ByteRequest,
        is_current: impl FnOnce(Moment) -> bool,
    ) -> Option<Option<Value>> {
        let mut entries = self.entries.borrow_mut();
        let key = (kind, request.origin.clone());
        let found = entries.get(&key).filter(|found| found.range == request.range && is_current(found.asked));
        let Some(found) = found else {
            entries.remove(&key);
            with(kind, |queue| queue.counters.misses += 1);
            return None;
        };
        with(kind, |queue| {
            queue.counters.hits += 1;
            queue.touch(&found.handle.used);
        });
        Some(found.value.clone())
    }

    /// Whether a chunk is entries; nothing is counted.
    pub fn has(&self, kind: CacheKind, request: &ByteRequest) -> bool {
        self.entries.borrow().contains_key(&(kind, request.origin.clone()))
    }

    /// Keeps chunks that were asked for at a moment, and the buffers that they stand in.
    pub fn put(self: &Rc<Self>, kind: CacheKind, chunks: Vec<(ByteRequest, Option<Value>)>, asked: Moment) {
        if asked < self.forgotten.get() {
            return;
        }
        let owner = Rc::downgrade(self);
        let keeps_absence = self.owner.store.absence_may_be_kept();
        for (request, value) in chunks {
            if value.is_none() && !keeps_absence {
                continue;
            }
            let ByteRequest { chunk, range, origin, .. } = request;
            let Some(handle) = handle(kind, &owner, &origin, value.as_ref()) else { continue };
            let entries = CacheEntry { chunk, range, asked, value, handle };
            self.entries.borrow_mut().insert((kind, origin), entries);
        }
        make_room(kind);
    }

    /// Drops a chunk, if it stands in the buffer that was last used then.
    fn drop_kept(&self, kind: CacheKind, origin: &ChunkOrigin, used: u64) {
        let key = (kind, origin.clone());
        let mut entries = self.entries.borrow_mut();
        if entries.get(&key).is_some_and(|found| found.handle.used.get() == used) {
            entries.remove(&key);
        }
    }

    /// Drops what is known of a stored chunk that has changed.
    pub fn forget(&self, chunk: &Rc<[u64]>) {
        self.forget_where(|entries| entries.chunk == *chunk);
    }

    /// Drops everything, also what is under way: whoever waits for that still gets it, and nobody else does.
    pub fn forget_all(&self) {
        self.forgotten.set(writers::later());
        self.indexes.forget_all();
        self.batches.forget_all();
        self.parts.forget_all();
        self.forget_where(|_| true);
    }

    fn forget_where(&self, is_forgotten: impl Fn(&CacheEntry) -> bool) {
        self.entries.borrow_mut().retain(|_, entries| !is_forgotten(entries));
    }
}
