//! The interface of a storage transformer, and what it is told of itself and of its array.

use std::rc::Rc;

use crate::error::Result;
use crate::format::chunk_key::Separator;
use crate::format::path::NodePath;
use crate::store::Store;

/// The keys of an array's chunks, which is what a transformer must know of the array.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArrayKeys {
    /// The prefix of the array's chunk keys: `data/foo/baz` in the drafts, `data/root/foo/baz` in
    /// the 2020 layout.
    pub prefix: NodePath,
    /// Number of chunks along each dimension.
    pub grid_shape: Vec<u64>,
    /// The separator of the indices in a chunk key.
    pub separator: Separator,
}

/// A transformer in metadata.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NamedTransformer<'a> {
    /// The URI of its specification: the field `extension`.
    pub extension: &'a str,
    /// JSON text of the field `type`, which selects a variant of the specification.
    pub kind: &'a str,
    /// JSON text of the configuration object, if there is one.
    pub configuration: Option<&'a str>,
    /// The path of this field in the document, for errors: `storage_transformers[0]`.
    pub field: &'a str,
}

/// A configured transformer, before it wraps a store.
pub trait Transformer {
    /// The array as the wrapped store sees it. The grid of a sharding transformer's store counts
    /// shards.
    fn keys_below(&self, keys: &ArrayKeys) -> ArrayKeys {
        keys.clone()
    }

    /// Wraps a store.
    ///
    /// # Errors
    /// `Format` if the configuration does not fit the array.
    fn around(&self, below: Rc<dyn Store>, keys: &ArrayKeys) -> Result<Rc<dyn Store>>;
}
