//! Opens nodes and binds arrays.

use js_sys::Function;
use wasm_bindgen::prelude::*;

use super::error::Exported;
use super::storage_transformers::{TransformerHook, registry_of};
use super::{describe, registry, store, task, user_codecs};
use crate::format::metadata::document::NodeDocument;
use crate::format::metadata::{NodeKind, ZarrFormat};
use crate::format::path::NodePath;
use crate::hierarchy::open::{DataTypeFallbacks, OpenOptions, open as open_node};
use crate::read::array::{Array, UserExtensions};
use crate::store::RequestContext;

/// Opens the node at `path`. Returns its summary.
///
/// - `kind` is `"array"`, `"group"` or empty.
/// - `format` is 2, 3 or 0.
/// - `fallback` decides about an unknown data type with a fallback type: `"warn"`, `"allow"` or
///   `"refuse"`.
/// - `v3_first`: see `OpenOptions`.
/// - `attributes` is false to save the request for v2's `.zattrs`.
/// - `reload` is 0, 1 to bypass all caches, or 2 to ask the server whether they are still right.
#[wasm_bindgen]
#[allow(clippy::too_many_arguments, reason = "called by TypeScript alone, and flat for it")]
pub fn open(
    store: u32,
    path: String,
    kind: &str,
    format: u8,
    fallback: &str,
    v3_first: bool,
    attributes: bool,
    reload: u8,
    signal: JsValue,
    settle: Function,
) -> u32 {
    let options = OpenOptions {
        kind: [NodeKind::Array, NodeKind::Group].into_iter().find(|known| known.name() == kind),
        format: match format {
            2 => Some(ZarrFormat::V2),
            3 => Some(ZarrFormat::V3),
            _ => None,
        },
        fallback: match fallback {
            "allow" => DataTypeFallbacks::Allow,
            "refuse" => DataTypeFallbacks::Refuse,
            _ => DataTypeFallbacks::Warn,
        },
        v3_first,
        without_attributes: !attributes,
        leaves_large: true,
    };
    task::start(settle, async move {
        let store = registry::store(store)?;
        let path = path.trim_matches('/');
        let (reload, revalidates) = (reload > 0, reload == 2);
        let context = RequestContext { reload, revalidates, ..store::context(signal) };
        let opened = open_node(&store, path, &options, &context).await?;
        describe::summary(&opened)
    })
}

/// Binds an array by its documents, the user's codecs and storage transformers, so that it can be
/// read. Throws a report.
#[wasm_bindgen(js_name = bindArray)]
pub fn bind_array(
    store: u32,
    path: &str,
    document: &str,
    users: &str,
    transformers: TransformerHook,
) -> Exported<u32> {
    let document = NodeDocument::from_json(document)?;
    let path = match document.format {
        ZarrFormat::V2 => NodePath::parse_v2(path),
        ZarrFormat::V3 => NodePath::parse_v3(path),
        ZarrFormat::Draft(_) => NodePath::parse_any(path),
    };
    let registered =
        UserExtensions { codecs: user_codecs::users_of(users)?, transformers: registry_of(transformers) };
    let array = Array::with(registry::store(store)?, path?, document, registered)?;
    Ok(registry::add_array(array))
}

#[wasm_bindgen(js_name = releaseArray)]
pub fn release_array(id: u32) {
    registry::remove_array(id);
}
