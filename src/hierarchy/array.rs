//! An array that can be read: a place in a store, and what its metadata says.

use std::rc::Rc;

use crate::access::binding::Binding;
use crate::error::Result;
use crate::format::codec::user::Users;
use crate::format::metadata::NodeMetadata;
use crate::format::metadata::document::NodeDocument;
use crate::format::path::{NodePath, StoreKey};
use crate::hierarchy::open::OpenedNode;
use crate::hierarchy::shard_indexes::ShardIndexes;
use crate::store::Store;

/// An array in a store.
pub struct Array {
    store: Rc<dyn Store>,
    path: NodePath,
    document: NodeDocument,
    binding: Rc<Binding>,
    indexes: ShardIndexes,
}

impl Array {
    /// From the array's raw documents.
    ///
    /// # Errors
    /// As [`Binding::new`], naming the node.
    pub fn new(store: Rc<dyn Store>, path: NodePath, document: NodeDocument) -> Result<Rc<Self>> {
        Self::with_users(store, path, document, None)
    }

    /// The same, with codecs of the user's.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn with_users(
        store: Rc<dyn Store>,
        path: NodePath,
        document: NodeDocument,
        users: Users,
    ) -> Result<Rc<Self>> {
        let binding = Binding::with_users(&document, users).map_err(|error| error.at_node(path.as_str()))?;
        let indexes = ShardIndexes::default();
        Ok(Rc::new(Self { store, path, document, binding: Rc::new(binding), indexes }))
    }

    /// Where its bytes come from.
    pub fn store(&self) -> &Rc<dyn Store> {
        &self.store
    }

    /// Which node it is.
    pub fn path(&self) -> &NodePath {
        &self.path
    }

    /// Its raw documents.
    pub fn document(&self) -> &NodeDocument {
        &self.document
    }

    /// As opening it would answer.
    pub fn as_opened(&self) -> OpenedNode {
        OpenedNode {
            path: self.path.clone(),
            document: self.document.clone(),
            metadata: NodeMetadata::Array(Box::new(self.binding.metadata().clone())),
        }
    }

    /// Its metadata, with codecs bound as they are needed.
    pub fn binding(&self) -> &Rc<Binding> {
        &self.binding
    }

    /// The shard indexes read so far.
    pub(super) fn indexes(&self) -> &ShardIndexes {
        &self.indexes
    }

    /// The key of a stored chunk.
    pub fn chunk_key(&self, chunk: &[u64]) -> StoreKey {
        self.key(&self.binding.metadata().chunk_key_encoding.encode(chunk))
    }

    /// A key relative to the array as a key of the store.
    pub fn key(&self, relative: &str) -> StoreKey {
        StoreKey::new(&self.path, relative)
    }
}
