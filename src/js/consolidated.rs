//! Stores that know a hierarchy's documents from consolidated metadata, and what that lists.

use std::rc::Rc;

use js_sys::Function;
use serde::Serialize;
use wasm_bindgen::prelude::*;

use super::json::to_js;
use super::{registry, store, task};
use crate::error::{Error, Result, Stage};
use crate::format::metadata::consolidated::Consolidated;
use crate::format::metadata::document::ZARR_JSON;
use crate::format::metadata::draft::EntryPoint;
use crate::format::metadata::write::consolidated::DRAFT_ZMETADATA;
use crate::format::metadata::{Draft, NodeKind, ZarrFormat};
use crate::format::path::StoreKey;
use crate::limits;
use crate::store::wrap::Overlay;
use crate::store::{ByteRange, Store};

#[derive(Serialize)]
struct Listed {
    path: String,
    kind: &'static str,
}

/// `Consolidation` of `consolidated.ts`.
#[derive(Serialize)]
struct Consolidation {
    store: u32,
    contents: Vec<Listed>,
    warnings: Vec<String>,
}

/// Wraps a store in its consolidated metadata: v2's under `key`, or that in the root's `zarr.json`.
#[wasm_bindgen(js_name = consolidatedStore)]
pub fn consolidated_store(store: u32, format: u8, key: String, settle: Function) -> u32 {
    task::start(settle, async move {
        let inner = registry::store(store)?;
        let format = if format == 2 { ZarrFormat::V2 } else { ZarrFormat::V3 };
        let key = if format == ZarrFormat::V2 { key.as_str() } else { ZARR_JSON };
        let mut loaded = load(&inner, &StoreKey::parse(key)?, format).await?;
        // zarr-python 2 put that of a draft elsewhere; its root says which it is.
        if let Loaded::Draft(draft) = loaded {
            let format = ZarrFormat::Draft(draft);
            loaded = load(&inner, &StoreKey::parse(DRAFT_ZMETADATA)?, format).await?;
        }
        let Loaded::Consolidated(consolidated) = loaded else {
            return Err(Error::format("this is no consolidated metadata").at_key(DRAFT_ZMETADATA));
        };
        let consolidated = *consolidated;
        let contents = consolidated.contents().into_iter().filter_map(|(path, kind)| {
            let kind = match kind {
                NodeKind::Array => "array",
                NodeKind::Group => "group",
                NodeKind::ImplicitGroup => return None,
            };
            Some(Listed { path: format!("/{path}"), kind })
        });
        let (contents, warnings) = (contents.collect(), consolidated.warnings().to_vec());
        let store = registry::add_store(Rc::new(Overlay::new(inner, consolidated)));
        to_js(&Consolidation { store, contents, warnings })
    })
}

/// What was found.
enum Loaded {
    Consolidated(Box<Consolidated>),
    /// The entry point of a draft's hierarchy, which never holds any.
    Draft(Draft),
}

async fn load(store: &Rc<dyn Store>, key: &StoreKey, format: ZarrFormat) -> Result<Loaded> {
    let context = store::context(JsValue::UNDEFINED);
    let fetched = store.get(key, ByteRange::Whole, &context).await?;
    let absent =
        || Error::not_found(format!("no v{} consolidated metadata", format.version())).at_key(key.as_str());
    let text = fetched.ok_or_else(absent)?.value.to_vec(limits::METADATA_BYTES, "consolidated metadata")?;
    if let (ZarrFormat::V3, Some(entry)) = (format, EntryPoint::parse(&text)?) {
        return Ok(Loaded::Draft(entry.draft));
    }
    let indexed = Consolidated::index(&text, format);
    let indexed = indexed.map_err(|error| error.in_stage(Stage::Metadata).at_key(key.as_str()))?;
    indexed.map(|found| Loaded::Consolidated(Box::new(found))).ok_or_else(|| {
        let error = Error::format("the root's zarr.json has no consolidated metadata");
        error.in_stage(Stage::Metadata).at_key(key.as_str())
    })
}
