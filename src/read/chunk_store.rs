//! The store of an array's chunks: that of its hierarchy, and what the metadata of a draft puts in between.
//!
//! Sharding transformers next to the array are none of it: [`Binding`](crate::access::binding::Binding) takes them for codecs. Of
//! arrays without dimensions zarr-python called the one chunk `c0`, where the texts have `c`: both are looked for.

use std::rc::Rc;

use crate::error::{Error, IS_FULL, Result};
use crate::format::chunk_key::Separator;
use crate::format::metadata::{ArrayMetadata, StorageTransformerMetadata, ZarrFormat};
use crate::format::path::{NodePath, StoreKey};
use crate::store::Store;
use crate::store::wrap::Alias;
use crate::store::wrap::transform::{ArrayPlace, Named, Registry};

/// The store that the chunks of an array are read from and written to.
///
/// # Errors
/// `Unsupported` by URI for a storage transformer that the registry does not know, and as the transformers.
pub(super) fn of_array(
    store: &Rc<dyn Store>,
    path: &NodePath,
    metadata: &ArrayMetadata,
    transformers: &Registry,
) -> Result<Rc<dyn Store>> {
    let store = match metadata.storage_transformers.as_slice() {
        [] => store.clone(),
        named => {
            Error::check_full("storage transformers")?;
            let named: Vec<Named<'_>> = named.iter().map(named_of).collect();
            transformers.stack(&named, store.clone(), &place(path, metadata))?
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

fn named_of(transformer: &StorageTransformerMetadata) -> Named<'_> {
    Named {
        extension: &transformer.extension,
        kind: &transformer.kind,
        configuration: transformer.configuration.as_deref(),
        field: &transformer.field,
    }
}

fn place(path: &NodePath, metadata: &ArrayMetadata) -> ArrayPlace {
    ArrayPlace {
        prefix: NodePath::of_data(path, metadata.format),
        grid_shape: metadata.chunk_grid.grid_shape(&metadata.shape),
        separator: metadata.chunk_key_encoding.separator().unwrap_or(Separator::Slash),
    }
}
