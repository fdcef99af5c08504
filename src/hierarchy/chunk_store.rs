//! The store of an array's chunks: that of its hierarchy, and what the metadata of a draft puts in between.
//!
//! Of arrays without dimensions zarr-python called the one chunk `c0`, where the texts have `c`: both are looked for.

use std::rc::Rc;

use crate::error::{Error, Result};
use crate::format::metadata::{ArrayMetadata, ZarrFormat};
use crate::format::path::{NodePath, StoreKey};
use crate::store::Store;
use crate::store::wrap::Alias;

/// The store that the chunks of an array are read from and written to.
///
/// # Errors
/// `Unsupported` by URI for a storage transformer that nobody here knows.
pub(super) fn of_array(
    store: &Rc<dyn Store>,
    path: &NodePath,
    metadata: &ArrayMetadata,
) -> Result<Rc<dyn Store>> {
    let store = transformed(store, metadata)?;
    match metadata.format {
        ZarrFormat::Draft(_) if metadata.shape.is_empty() => Ok(Rc::new(Alias {
            key: StoreKey::of_chunk(path, metadata.format, "c"),
            other: StoreKey::of_chunk(path, metadata.format, "c0"),
            inner: store,
        })),
        _ => Ok(store),
    }
}

fn transformed(store: &Rc<dyn Store>, metadata: &ArrayMetadata) -> Result<Rc<dyn Store>> {
    match metadata.storage_transformers.first() {
        None => Ok(store.clone()),
        Some(first) => {
            let error = Error::unsupported(format!("unknown storage transformer {:?}", first.extension));
            Err(error.in_field(first.field.as_str()))
        }
    }
}
