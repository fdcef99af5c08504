//! The store of an array's chunks: the store of the hierarchy, wrapped by the storage transformers
//! that draft metadata names.
//!
//! Sharding transformers next to the array are not applied here. [`Binding`] treats them as codecs.
//! For arrays without dimensions, zarr-python named the only chunk `c0`, while the drafts specify
//! `c`. Both keys are tried.
//!
//! [`Binding`]: crate::access::binding::Binding

use std::rc::Rc;

use crate::error::{Error, IS_FULL, Result};
use crate::format::chunk_key::Separator;
use crate::format::metadata::{ArrayMetadata, StorageTransformerMetadata, ZarrFormat};
use crate::format::path::{NodePath, StoreKey};
use crate::store::Store;
use crate::store::wrap::Alias;
use crate::store::wrap::transform::{ArrayKeys, NamedTransformer, TransformerRegistry};

/// The store from which the chunks of an array are read, and to which they are written.
///
/// # Errors
/// `Unsupported` for an unknown storage transformer, which it names by URI; errors of the
/// transformers.
pub(super) fn of_array(
    store: &Rc<dyn Store>,
    path: &NodePath,
    metadata: &ArrayMetadata,
    transformers: &TransformerRegistry,
) -> Result<Rc<dyn Store>> {
    let store = match metadata.storage_transformers.as_slice() {
        [] => store.clone(),
        named => {
            Error::check_full("storage transformers")?;
            let named: Vec<NamedTransformer<'_>> = named.iter().map(named_of).collect();
            transformers.stack(&named, store.clone(), &keys_of(path, metadata))?
        }
    };
    match metadata.format {
        ZarrFormat::Draft(_) if IS_FULL && metadata.shape.is_empty() => Ok(Rc::new(Alias {
            key: StoreKey::of_chunk(path, metadata.format, "c"),
            other: StoreKey::of_chunk(path, metadata.format, "c0"),
            inner: store,
        })),
        _ => Ok(store),
    }
}

fn named_of(transformer: &StorageTransformerMetadata) -> NamedTransformer<'_> {
    NamedTransformer {
        extension: &transformer.extension,
        kind: &transformer.kind,
        configuration: transformer.configuration.as_deref(),
        field: &transformer.field,
    }
}

fn keys_of(path: &NodePath, metadata: &ArrayMetadata) -> ArrayKeys {
    ArrayKeys {
        prefix: NodePath::of_data(path, metadata.format),
        grid_shape: metadata.chunk_grid.grid_shape(&metadata.shape),
        separator: metadata.chunk_key_encoding.separator().unwrap_or(Separator::Slash),
    }
}
