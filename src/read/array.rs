//! An array that can be read: a place in a store, and what its metadata says.

use std::rc::Rc;

use crate::access::binding::Binding;
use crate::error::{Error, Result};
use crate::format::codec::user::OptionalUserCodecs;
use crate::format::metadata::document::NodeDocument;
use crate::format::path::{NodePath, StoreKey};
use crate::read::chunk_cache::ChunkCache;
use crate::read::chunk_store;
use crate::read::shard_indexes::ShardIndexes;
use crate::store::Store;
use crate::store::wrap::transform::Registry;

/// What the user adds to what is known here.
#[derive(Clone, Default)]
pub struct Registered {
    /// Codecs.
    pub codecs: OptionalUserCodecs,
    /// Storage transformers, ours among them.
    pub transformers: Rc<Registry>,
}

/// An array in a store.
pub struct Array {
    store: Rc<dyn Store>,
    chunks: Rc<dyn Store>,
    path: NodePath,
    document: NodeDocument,
    binding: Rc<Binding>,
    cache: Rc<ChunkCache>,
    registered: Registered,
}

impl Array {
    /// From the array's raw documents.
    ///
    /// # Errors
    /// As [`Binding::new`], and `Unsupported` for storage transformers that nobody here knows; both name the node.
    pub fn new(store: Rc<dyn Store>, path: NodePath, document: NodeDocument) -> Result<Rc<Self>> {
        Self::with(store, path, document, Registered::default())
    }

    /// The same, with codecs and storage transformers of the user's.
    ///
    /// # Errors
    /// As [`new`](Self::new), and as the transformers.
    pub fn with(
        store: Rc<dyn Store>,
        path: NodePath,
        document: NodeDocument,
        registered: Registered,
    ) -> Result<Rc<Self>> {
        let make = || {
            let binding = Binding::with_users(&document, registered.codecs.clone())?;
            let chunks = chunk_store::of_array(&store, &path, binding.metadata(), &registered.transformers)?;
            Ok((Rc::new(binding), chunks))
        };
        let (binding, chunks) = make().map_err(|error: Error| error.at_node(path.as_str()))?;
        let cache = match binding.users() {
            None => ChunkCache::of(&chunks, &path, &document),
            Some(_) => ChunkCache::new(&chunks, &path, &document),
        };
        Ok(Rc::new(Self { store, chunks, path, document, binding, cache, registered }))
    }

    /// The same array by other documents: those of another shape.
    ///
    /// # Errors
    /// As [`with`](Self::with).
    pub fn by(&self, document: NodeDocument) -> Result<Rc<Self>> {
        Self::with(self.store.clone(), self.path.clone(), document, self.registered.clone())
    }

    /// Where its documents are, and those of the nodes around it.
    pub fn store(&self) -> &Rc<dyn Store> {
        &self.store
    }

    /// Where its chunks come from: the same store, unless a draft's storage transformers stand in between.
    pub fn chunks(&self) -> &Rc<dyn Store> {
        &self.chunks
    }

    /// Which node it is.
    pub fn path(&self) -> &NodePath {
        &self.path
    }

    /// Its raw documents.
    pub fn document(&self) -> &NodeDocument {
        &self.document
    }

    /// Its metadata, with codecs bound as they are needed.
    pub fn binding(&self) -> &Rc<Binding> {
        &self.binding
    }

    /// The shard indexes read so far.
    pub(super) fn indexes(&self) -> &ShardIndexes {
        &self.cache.indexes
    }

    /// What is kept of its chunks.
    pub(super) fn cache(&self) -> &Rc<ChunkCache> {
        &self.cache
    }

    /// Drops everything that is kept of its chunks.
    pub fn forget_chunks(&self) {
        self.cache.forget_all();
    }

    /// What the keys of its chunks begin with.
    pub fn chunk_prefix(&self) -> NodePath {
        NodePath::of_data(&self.path, self.document.format)
    }

    /// The key of a stored chunk.
    pub fn chunk_key(&self, chunk: &[u64]) -> StoreKey {
        self.key(&self.binding.metadata().chunk_key_encoding.encode(chunk))
    }

    /// A chunk's key, relative to the array, as a key of the store.
    pub fn key(&self, relative: &str) -> StoreKey {
        StoreKey::of_chunk(&self.path, self.document.format, relative)
    }
}
