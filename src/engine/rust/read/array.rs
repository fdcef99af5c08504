//! An open array: its store, its path and its metadata.

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
use crate::store::wrap::transform::TransformerRegistry;

/// Extensions that the user registered.
#[derive(Clone, Default)]
pub struct UserExtensions {
    /// The user's codecs.
    pub codecs: OptionalUserCodecs,
    /// All known storage transformers, the built-in ones included.
    pub transformers: Rc<TransformerRegistry>,
}

/// An array in a store.
pub struct Array {
    store: Rc<dyn Store>,
    chunks: Rc<dyn Store>,
    path: NodePath,
    document: NodeDocument,
    binding: Rc<Binding>,
    cache: Rc<ChunkCache>,
    extensions: UserExtensions,
}

impl Array {
    /// Opens an array from its raw metadata documents.
    ///
    /// # Errors
    /// Errors of [`Binding::new`]; `Unsupported` for an unknown storage transformer. Both name the
    /// node.
    #[cfg(not(target_arch = "wasm32"))]
    pub fn new(store: Rc<dyn Store>, path: NodePath, document: NodeDocument) -> Result<Rc<Self>> {
        Self::with(store, path, document, UserExtensions::default())
    }

    /// Opens an array with the user's codecs and storage transformers.
    ///
    /// # Errors
    /// Errors of [`new`](Self::new), and errors of the storage transformers.
    pub fn with(
        store: Rc<dyn Store>,
        path: NodePath,
        document: NodeDocument,
        extensions: UserExtensions,
    ) -> Result<Rc<Self>> {
        let make = || {
            let binding = Binding::with_users(&document, extensions.codecs.clone())?;
            let chunks = chunk_store::of_array(&store, &path, binding.metadata(), &extensions.transformers)?;
            Ok((Rc::new(binding), chunks))
        };
        let (binding, chunks) = make().map_err(|error: Error| error.at_node(path.as_str()))?;
        let cache = match binding.users() {
            None => ChunkCache::of(&chunks, &path, &document),
            Some(_) => ChunkCache::new(&chunks, &path, &document),
        };
        Ok(Rc::new(Self { store, chunks, path, document, binding, cache, extensions }))
    }

    /// Opens the same array from other documents, for example after a resize.
    ///
    /// # Errors
    /// Errors of [`with`](Self::with).
    pub fn by(&self, document: NodeDocument) -> Result<Rc<Self>> {
        Self::with(self.store.clone(), self.path.clone(), document, self.extensions.clone())
    }

    /// The store of the hierarchy, which holds the metadata documents.
    pub fn store(&self) -> &Rc<dyn Store> {
        &self.store
    }

    /// The store of the chunks. It differs from [`store`](Self::store) only if a draft's storage
    /// transformers wrap the store.
    pub fn chunks(&self) -> &Rc<dyn Store> {
        &self.chunks
    }

    /// The path of the node.
    pub fn path(&self) -> &NodePath {
        &self.path
    }

    /// The raw metadata documents.
    pub fn document(&self) -> &NodeDocument {
        &self.document
    }

    /// The metadata, with codecs that are bound when they are first needed.
    pub fn binding(&self) -> &Rc<Binding> {
        &self.binding
    }

    /// The shard indexes that were read so far.
    pub(super) fn indexes(&self) -> &ShardIndexes {
        &self.cache.indexes
    }

    /// The cache of chunks and of work in flight.
    pub(super) fn cache(&self) -> &Rc<ChunkCache> {
        &self.cache
    }

    /// Drops all cached chunks and shard indexes.
    pub fn forget_chunks(&self) {
        self.cache.forget_all();
        self.chunks().forget_kept();
    }

    /// The prefix of all chunk keys.
    pub fn chunk_prefix(&self) -> NodePath {
        NodePath::of_data(&self.path, self.document.format)
    }

    /// The key of a stored chunk. `chunk` is its index along each dimension of the chunk grid.
    pub fn chunk_key(&self, chunk: &[u64]) -> StoreKey {
        self.key(&self.binding.metadata().chunk_key_encoding.encode(chunk))
    }

    /// Converts a chunk key that is relative to the array into a key of the store.
    pub fn key(&self, relative: &str) -> StoreKey {
        StoreKey::of_chunk(&self.path, self.document.format, relative)
    }
}
