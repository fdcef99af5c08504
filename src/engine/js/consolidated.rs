//! Stores that answer from consolidated metadata, and the nodes that it lists.

use std::rc::Rc;

use js_sys::{Array, Function};
use wasm_bindgen::prelude::*;

use super::error::report_to_js;
use super::record::{Record, list, texts};
use super::{registry, store, task};
use crate::error::{Error, Result, Stage};
use crate::format::json::BYTE_ORDER_MARK;
use crate::format::metadata::consolidated::Consolidated;
use crate::format::metadata::consolidated::checking::Checking;
use crate::format::metadata::document::ZARR_JSON;
use crate::format::metadata::draft::EntryPoint;
use crate::format::metadata::write::consolidated::DRAFT_ZMETADATA;
use crate::format::metadata::{Draft, NodeKind, ZarrFormat};
use crate::format::path::{NodePath, StoreKey};
use crate::hierarchy::fetch;
use crate::hierarchy::large_document::{self, LARGE_BYTES, scan};
use crate::store::turn::next_turn;
use crate::store::wrap::KnownDocuments;
use crate::store::{Store, Value};

/// `Consolidation` of `consolidated.ts`. Paths are concatenated, because 10^5 objects would block
/// the thread for long.
struct Consolidation {
    store: u32,
    /// All paths, concatenated.
    paths: String,
    /// The end of each path in UTF-16 units, as little-endian words.
    ends: Vec<u8>,
    /// 1 for an array, 0 for a group.
    arrays: Vec<u8>,
    /// The paths of nodes that cannot be opened, and why.
    errors: Vec<(NodePath, Error)>,
    warnings: Vec<String>,
}

/// Numbers of nodes that are listed, and of documents that are parsed, in one turn.
const LISTED_AT_ONCE: usize = 1 << 14;
const PARSED_AT_ONCE: usize = 1 << 8;

impl Consolidation {
    async fn of(store: u32, consolidated: &Consolidated) -> Self {
        let warnings = consolidated.warnings().to_vec();
        let errors = errors_of(consolidated).await;
        let (paths, ends, arrays) = (String::new(), Vec::new(), Vec::new());
        let mut listed = Self { store, paths, ends, arrays, errors, warnings };
        let mut end = 0_u32;
        for (at, (path, kind)) in consolidated.contents().iter().enumerate() {
            if at % LISTED_AT_ONCE == 0 {
                next_turn().await;
            }
            if *kind == NodeKind::ImplicitGroup {
                continue;
            }
            listed.paths.push('/');
            listed.paths.push_str(path.as_str());
            end += 1 + path.as_str().encode_utf16().fold(0, |units, _| units + 1);
            listed.ends.extend(end.to_le_bytes());
            listed.arrays.push(u8::from(*kind == NodeKind::Array));
        }
        listed
    }

    fn described(&self) -> JsValue {
        let errors = Array::new();
        for (path, error) in &self.errors {
            errors.push(&list(&[format!("/{path}").into(), report_to_js(error)]));
        }
        Record::new()
            .with_number("store", self.store.into())
            .with_text("paths", &self.paths)
            .with_bytes("ends", &self.ends)
            .with_bytes("arrays", &self.arrays)
            .with("errors", &errors)
            .with("warnings", &texts(&self.warnings))
            .finish()
    }
}

/// The nodes that cannot be opened.
async fn errors_of(consolidated: &Consolidated) -> Vec<(NodePath, Error)> {
    let mut checking = Checking::default();
    while checking.step(consolidated, LISTED_AT_ONCE, PARSED_AT_ONCE) {
        next_turn().await;
    }
    checking.errors()
}

/// Wraps a store in its consolidated metadata: v2's under `key`, or that of the root's `zarr.json`.
#[wasm_bindgen(js_name = consolidatedStore)]
pub fn consolidated_store(store: u32, format: u8, key: String, settle: Function) -> u32 {
    task::start(settle, async move {
        let inner = registry::store(store)?;
        let format = if format == 2 { ZarrFormat::V2 } else { ZarrFormat::V3 };
        let key = if format == ZarrFormat::V2 { key.as_str() } else { ZARR_JSON };
        let mut loaded = load(&inner, &StoreKey::parse(key)?, format).await?;
        // zarr-python 2 stored that of a draft under another key. The root document tells the
        // draft.
        if let Loaded::Draft(draft) = loaded {
            let format = ZarrFormat::Draft(draft);
            loaded = load(&inner, &StoreKey::parse(DRAFT_ZMETADATA)?, format).await?;
        }
        let Loaded::Consolidated(mut consolidated, value) = loaded else {
            return Err(Error::format("the document is not consolidated metadata").at_key(DRAFT_ZMETADATA));
        };
        let mut listed = Consolidation::of(0, &consolidated).await;
        next_turn().await;
        if value.len() >= LARGE_BYTES {
            let text = value.clone();
            consolidated.leave_text_to(Rc::new(move |span| fetch::part(&text, &span)));
        }
        listed.store = registry::add_store(Rc::new(KnownDocuments::new(inner, *consolidated, value)));
        Ok(listed.described())
    })
}

/// The document that was found.
enum Loaded {
    Consolidated(Box<Consolidated>, Value),
    /// The entry point of a draft's hierarchy, which never contains consolidated metadata.
    Draft(Draft),
}

async fn load(store: &Rc<dyn Store>, key: &StoreKey, format: ZarrFormat) -> Result<Loaded> {
    let value = fetch::value(store, key, &store::context(JsValue::UNDEFINED)).await?;
    let absent =
        || Error::not_found(format!("no v{} consolidated metadata", format.version())).at_key(key.as_str());
    let value = value.ok_or_else(absent)?;
    let text = large_document::read(&value).await?;
    // Spans do not count a byte order mark.
    let mark = if text.starts_with(BYTE_ORDER_MARK) { BYTE_ORDER_MARK.len() as u64 } else { 0 };
    let value = value.slice(mark..value.len())?;
    let blamed = |error: Error| error.in_stage(Stage::Metadata).at_key(key.as_str());
    let scanned = scan(text, format).await.map_err(blamed)?;
    if let (ZarrFormat::V3, Some(own)) = (format, scanned.own_text())
        && let Some(entry) = EntryPoint::parse(own.as_bytes())?
    {
        return Ok(Loaded::Draft(entry.draft));
    }
    let indexed = large_document::index(scanned).await.map_err(blamed)?;
    indexed.map(|found| Loaded::Consolidated(Box::new(found), value)).ok_or_else(|| {
        let error = Error::format("the root's zarr.json has no consolidated metadata");
        error.in_stage(Stage::Metadata).at_key(key.as_str())
    })
}
