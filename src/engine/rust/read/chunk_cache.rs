//! The chunk cache of an array: encoded bytes, and elements of chunks that were decoded whole.
//!
//! All arrays share one capacity for each kind. The least recently used buffer is evicted first.
//!
//! A buffer often holds several chunks, which came in one answer or were decoded as one batch. It
//! stays cached while one of its chunks is used, and counts with all its bytes. Cached values are
//! never handed out for writing or transfer, and only complete values are cached. The cache notices
//! writes of this process. It does not notice other writes before [`ChunkCache::forget_all`].

use std::cell::{Cell, RefCell};
use std::rc::{Rc, Weak};

use crate::access::plan::ByteRequest;
use crate::format::metadata::document::NodeDocument;
use crate::format::path::NodePath;
use crate::read::shard_indexes::ShardIndexes;
use crate::read::types::{BatchesInFlight, ChunkOrigin, PartsInFlight};
use crate::sorted::{Key, Map};
use crate::store::writers::{self, Moment};
use crate::store::{ByteRange, Store, Value, innermost};

/// The kinds of cached values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum CacheKind {
    /// Encoded bytes, as they are stored.
    Encoded,
    /// The packed elements of a whole chunk in its native order.
    Decoded,
}

impl Key for CacheKind {
    fn put(&self, bytes: &mut Vec<u8>) {
        bytes.push(*self as u8);
    }
}

/// Approximate memory of a cache entry, without the bytes of its value.
const ENTRY_BYTES: u64 = 160;

/// Default capacities in bytes.
const ENCODED_CAPACITY: u64 = 64 << 20;
const DECODED_CAPACITY: u64 = 128 << 20;

/// Counters of one kind of cached values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CacheCounters {
    /// Lookups that found a chunk.
    pub hits: u64,
    /// Lookups that found nothing.
    pub misses: u64,
    /// Bytes that are cached.
    pub bytes: u64,
}

/// A cached buffer, and the chunks in it.
struct CachedBuffer {
    owner: Weak<ChunkCache>,
    /// See [`Value::buffer`]; `None` for chunks that are known to be absent.
    id: Option<u64>,
    handle: Weak<BufferHandle>,
    origins: Vec<ChunkOrigin>,
    bytes: u64,
}

/// All cached buffers of one kind, of all arrays, ordered by last use.
struct BufferQueue {
    capacity: u64,
    clock: u64,
    counters: CacheCounters,
    /// Buffers by the clock of their last use.
    by_use: Map<u64, CachedBuffer>,
    /// The clock of the last use, by buffer.
    used: Map<u64, u64>,
}

thread_local! {
    static ENCODED: RefCell<BufferQueue> = const { RefCell::new(BufferQueue::new(ENCODED_CAPACITY)) };
    static DECODED: RefCell<BufferQueue> = const { RefCell::new(BufferQueue::new(DECODED_CAPACITY)) };
    static CACHES: RefCell<Vec<Weak<ChunkCache>>> = const { RefCell::new(Vec::new()) };
}

impl BufferQueue {
    const fn new(capacity: u64) -> Self {
        let counters = CacheCounters { hits: 0, misses: 0, bytes: 0 };
        Self { capacity, clock: 0, counters, by_use: Map::new(), used: Map::new() }
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

    /// Adds a chunk to a cached buffer.
    fn join(&mut self, id: u64, owner: &Weak<ChunkCache>, origin: &ChunkOrigin) -> Option<Rc<BufferHandle>> {
        let buffer = self.by_use.get_mut(self.used.get(&id)?)?;
        if !buffer.owner.ptr_eq(owner) {
            return None;
        }
        let handle = buffer.handle.upgrade()?;
        buffer.origins.push(origin.clone());
        buffer.bytes += ENTRY_BYTES;
        self.counters.bytes += ENTRY_BYTES;
        Some(handle)
    }

    /// Moves a buffer to the end of the queue.
    fn touch(&mut self, used: &Cell<u64>) {
        if let Some(buffer) = self.pull(used.get()) {
            used.set(self.put(buffer));
        }
    }

    /// Removes the buffers that exceed the capacity.
    fn overflow(&mut self) -> Vec<(u64, CachedBuffer)> {
        let mut gone = Vec::new();
        while self.counters.bytes > self.capacity
            && let Some((used, buffer)) = self.by_use.pop_first()
        {
            self.uncount(&buffer);
            gone.push((used, buffer));
        }
        gone
    }
}

/// Uses the queue of a kind. Does nothing while the thread ends, when the queue is gone.
fn with<T: Default>(kind: CacheKind, act: impl FnOnce(&mut BufferQueue) -> T) -> T {
    let queue = if kind == CacheKind::Encoded { &ENCODED } else { &DECODED };
    queue.try_with(|queue| act(&mut queue.borrow_mut())).unwrap_or_default()
}

/// Evicts the least recently used buffers until the capacity is kept.
fn evict(kind: CacheKind) {
    for (used, buffer) in with(kind, BufferQueue::overflow) {
        let Some(owner) = buffer.owner.upgrade() else { continue };
        for origin in buffer.origins {
            owner.drop_entry(kind, &origin, used);
        }
    }
}

/// Sets the capacity in bytes; 0 disables the cache.
pub fn set_capacity(kind: CacheKind, bytes: u64) {
    with(kind, |queue| queue.capacity = bytes);
    evict(kind);
}

/// The capacity in bytes.
pub fn capacity(kind: CacheKind) -> u64 {
    with(kind, |queue| queue.capacity)
}

/// The counters of a kind.
pub fn counters(kind: CacheKind) -> CacheCounters {
    with(kind, |queue| queue.counters)
}

/// Keeps a buffer in the queue. Each chunk of the buffer holds the handle; dropping the last one
/// removes the buffer.
struct BufferHandle {
    kind: CacheKind,
    used: Cell<u64>,
}

impl Drop for BufferHandle {
    fn drop(&mut self) {
        with(self.kind, |queue| queue.pull(self.used.get()));
    }
}

/// Puts a chunk's buffer into the queue. `None` if the buffer exceeds the whole capacity.
fn handle(
    kind: CacheKind,
    owner: &Weak<ChunkCache>,
    origin: &ChunkOrigin,
    value: Option<&Value>,
) -> Option<Rc<BufferHandle>> {
    let (id, bytes) = value.map(Value::buffer).unzip();
    let joined = id.and_then(|id| with(kind, |queue| queue.join(id, owner, origin)));
    let bytes = bytes.unwrap_or(0) + ENTRY_BYTES;
    if joined.is_some() || bytes > capacity(kind) {
        return joined;
    }
    let handle = Rc::new(BufferHandle { kind, used: Cell::default() });
    let (owner, origins) = (owner.clone(), vec![origin.clone()]);
    let buffer = CachedBuffer { owner, id, handle: Rc::downgrade(&handle), origins, bytes };
    handle.used.set(with(kind, |queue| queue.put(buffer)));
    Some(handle)
}

/// A cached chunk.
struct CacheEntry {
    /// Indices of the stored chunk, and the byte range in it.
    chunk: Rc<[u64]>,
    range: ByteRange,
    asked: Moment,
    /// `None` if the chunk is known to be absent.
    value: Option<Value>,
    handle: Rc<BufferHandle>,
}

/// Identifies the array of a cache. Arrays with equal documents at one path of one store share a
/// cache.
struct Owner {
    store: Rc<dyn Store>,
    path: NodePath,
    document: NodeDocument,
}

/// The cache of one array, and its work in flight. See the module.
pub(super) struct ChunkCache {
    owner: Owner,
    entries: RefCell<Map<(CacheKind, ChunkOrigin), CacheEntry>>,
    /// Values that were requested before this moment are not cached, because all were to be
    /// forgotten.
    forgotten: Cell<Moment>,
    /// Cached shard indexes.
    pub(super) indexes: ShardIndexes,
    /// Batches of chunks that are being decoded.
    pub(super) batches: BatchesInFlight,
    /// Parts that are being read.
    pub(super) parts: PartsInFlight,
}

impl ChunkCache {
    /// A cache that no other array shares, for arrays whose chunks depend on more than their
    /// documents, such as user-defined codecs.
    pub fn new(store: &Rc<dyn Store>, path: &NodePath, document: &NodeDocument) -> Rc<Self> {
        let owner = Owner { store: innermost(store), path: path.clone(), document: document.clone() };
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

    /// The cache of an array; shared with other arrays as [`Owner`] says.
    pub fn of(store: &Rc<dyn Store>, path: &NodePath, document: &NodeDocument) -> Rc<Self> {
        let store = innermost(store);
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

    /// The cached value of a chunk, unless `is_current` rejects it.
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

    /// Whether a chunk is cached. Does not count as a lookup.
    pub fn has(&self, kind: CacheKind, request: &ByteRequest) -> bool {
        self.entries.borrow().contains_key(&(kind, request.origin.clone()))
    }

    /// Caches chunks that were requested at moment `asked`.
    pub fn put(self: &Rc<Self>, kind: CacheKind, chunks: Vec<(ByteRequest, Option<Value>)>, asked: Moment) {
        if asked < self.forgotten.get() {
            return;
        }
        let owner = Rc::downgrade(self);
        let caches_absence = self.owner.store.absence_is_cacheable();
        for (request, value) in chunks {
            if value.is_none() && !caches_absence {
                continue;
            }
            let ByteRequest { chunk, range, origin, .. } = request;
            let Some(handle) = handle(kind, &owner, &origin, value.as_ref()) else { continue };
            let entries = CacheEntry { chunk, range, asked, value, handle };
            self.entries.borrow_mut().insert((kind, origin), entries);
        }
        evict(kind);
    }

    /// Drops a chunk if its buffer was last used at `used`.
    fn drop_entry(&self, kind: CacheKind, origin: &ChunkOrigin, used: u64) {
        let key = (kind, origin.clone());
        let mut entries = self.entries.borrow_mut();
        if entries.get(&key).is_some_and(|found| found.handle.used.get() == used) {
            entries.remove(&key);
        }
    }

    /// Drops the cached values of a stored chunk that has changed.
    pub fn forget(&self, chunk: &Rc<[u64]>) {
        self.forget_where(|entries| entries.chunk == *chunk);
    }

    /// Drops everything, also work in flight: readers that wait for it still receive it, but no
    /// other reader joins it.
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
