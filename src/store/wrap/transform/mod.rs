//! Storage transformers: stores of an array over the store of its hierarchy, which may change keys and values on the way (v3
//! drafts, "Storage transformers"; the final text keeps the metadata field and names none).
//!
//! A transformer has the shape of a store on both sides, so they [`stack`]. One that metadata names is looked up by the URI of
//! its specification in a [`TransformerRegistry`], where users put theirs beside ours.

mod registry;
pub mod sharding;

use std::rc::Rc;

pub use registry::{NamedTransformer, TransformerRegistry};

use crate::error::Result;
use crate::format::chunk_key::Separator;
use crate::format::path::NodePath;
use crate::store::Store;

/// What a transformer must know of the array whose chunks it transforms.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArrayPlace {
    /// What the keys of its chunks begin with: `data/foo/baz` in the text, `data/root/foo/baz` in the 2020 layout.
    pub prefix: NodePath,
    /// Chunks along each dimension.
    pub grid_shape: Vec<u64>,
    /// What stands between the indices of a chunk's key.
    pub separator: Separator,
}

/// A transformer as metadata configures it, not yet around a store.
pub trait Transformer {
    /// The place of what it stores, given that of what it is handed: the grid of a transformer below counts other things.
    ///
    /// # Errors
    /// `Format` when the configuration does not fit the array.
    fn place_below(&self, place: &ArrayPlace) -> Result<ArrayPlace> {
        Ok(place.clone())
    }

    /// The store of what it is handed, over a store of what it stores.
    ///
    /// # Errors
    /// `Format` when the configuration does not fit the array.
    fn around(&self, below: Rc<dyn Store>, place: &ArrayPlace) -> Result<Rc<dyn Store>>;
}

/// A store under transformers; the first of them is the nearest to the array, as in metadata.
///
/// # Errors
/// As the transformers; none without any.
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
