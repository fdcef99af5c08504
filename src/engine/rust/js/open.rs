//! Opens nodes and binds arrays.

use js_sys::Uint8Array;
use wasm_bindgen::prelude::*;
use zarr_wasm_contract::{ArrayToBind, BoundArray, FormatVersion, NodeSummary, OpenArguments, Record};

use super::call::Call;
use super::error::Exported;
use super::storage_transformers::{TransformerHook, registry_of};
use super::{describe, objects, user_codecs};
use crate::describe::{build_of, float_tables, type_description};
use crate::error::{Error, Result};
use crate::format::metadata::ZarrFormat;
use crate::format::metadata::document::NodeDocument;
use crate::format::path::NodePath;
use crate::hierarchy::open::{OpenOptions, open as open_node};
use crate::read::array::{Array, UserExtensions};
use crate::store::RequestContext;

/// See `open` of the contract.
pub async fn open(arguments: OpenArguments, call: Call) -> Result<NodeSummary> {
    let OpenArguments { store, path, kind, format, data_type_fallback, v3_first, attrs, reload } = arguments;
    let options = OpenOptions {
        kind,
        format: match format {
            Some(FormatVersion(2)) => Some(ZarrFormat::V2),
            Some(_) => Some(ZarrFormat::V3),
            None => None,
        },
        fallback: data_type_fallback,
        v3_first,
        without_attributes: !attrs,
        leaves_large: true,
    };
    let store = objects::store(store)?;
    let context = RequestContext { reload: reload > 0, revalidates: reload == 2, ..call.context() };
    let opened = open_node(&store, path.trim_matches('/'), &options, &context).await?;
    describe::summary(&opened, &call)
}

/// Binds an array by its documents, the user's codecs and storage transformers, so that it can be
/// read. Takes an `ArrayToBind` of the contract, and returns a `BoundArray`. Throws a failure.
#[wasm_bindgen(js_name = bindArray)]
pub fn bind_array(record: &[u8], transformers: TransformerHook) -> Exported<Uint8Array> {
    let unreadable = || Error::argument("the record of an array cannot be read");
    let ArrayToBind { array: id, store, path, document, codecs } =
        ArrayToBind::from_bytes(record).ok_or_else(unreadable)?;
    let document = NodeDocument::from_json(&document)?;
    let path = match document.format {
        ZarrFormat::V2 => NodePath::parse_v2(&path),
        ZarrFormat::V3 => NodePath::parse_v3(&path),
        ZarrFormat::Draft(_) => NodePath::parse_any(&path),
    };
    let registered =
        UserExtensions { codecs: user_codecs::users_of(&codecs)?, transformers: registry_of(transformers) };
    let array = Array::with(objects::store(store)?, path?, document, registered)?;
    let own = &array.binding().metadata().data_type;
    let (data_type, float_tables) = (type_description(own), float_tables(own)?);
    let build = build_of(array.binding());
    objects::keep_array(id, array);
    Ok(Uint8Array::from(BoundArray { data_type, float_tables, build }.to_bytes().as_slice()))
}
