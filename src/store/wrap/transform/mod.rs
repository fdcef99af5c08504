//! Storage transformers: wrappers for the store of an array, which may change keys and values (v3
//! drafts, "Storage transformers"; the final specification keeps the metadata field and defines
//! none).
//!
//! A transformer is a store over a store, so several of them form a [`stack`]. Metadata names a
//! transformer by the URI of its specification. A [`TransformerRegistry`] contains the built-in
//! transformers and those of the user.

mod registry;
pub mod sharding;

use std::rc::Rc;

pub use registry::{NamedTransformer, TransformerRegistry};

use crate::error::Result;
use crate::format::chunk_key::Separator;
use crate::format::path::NodePath;
use crate::store::Store;

/// What a transformer must know of its array.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArrayPlace {
    /// The prefix of the array's chunk keys: `data/foo/baz` in the drafts, `data/root/foo/baz` in
    /// the 2020 layout.
    pub prefix: NodePath,
    /// Number of chunks along each dimension.
    pub grid_shape: Vec<u64>,
    /// The separator of the indices in a chunk key.
    pub separator: Separator,
}

/// A configured transformer, before it wraps a store.
pub trait Transformer {
    /// The array as the wrapped store sees it. The grid of a sharding transformer's store counts
    /// shards.
    ///
    /// # Errors
    /// `Format` if the configuration does not fit the array.
    fn place_below(&self, place: &ArrayPlace) -> Result<ArrayPlace> {
        Ok(place.clone())
    }

    /// Wraps a store.
    ///
    /// # Errors
    /// `Format` if the configuration does not fit the array.
    fn around(&self, below: Rc<dyn Store>, place: &ArrayPlace) -> Result<Rc<dyn Store>>;
}

/// Wraps a store in transformers. The first one is the outermost, as in metadata.
///
/// # Errors
/// Errors of the transformers.
pub fn stack(
    transformers: &[Rc<dyn Transformer>],
    store: Rc<dyn Store>,
    place: &ArrayPlace,
) -> Result<Rc<dyn Store>> {
    let mut places = vec![place.clone()];
    for transformer in transformers {
        let below = places.last().map(|place| transformer.place_below(place)).transpose()?;
        places.extend(below);
    }
    let transformers = transformers.iter().zip(&places).rev();
    transformers.into_iter().try_fold(store, |below, (transformer, place)| transformer.around(below, place))
}
