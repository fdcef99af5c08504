//! Stores that answer from consolidated metadata, and the nodes that it lists.

use std::rc::Rc;

use wasm_bindgen::JsValue;
use zarr_wasm_contract::{Bytes, Consolidated, ConsolidatedSource, FormatVersion};

use super::call::{Call, context};
use super::error::record_of;
use super::objects;
use crate::error::{Error, Result, Stage};
use crate::format::json::BYTE_ORDER_MARK;
use crate::format::metadata::consolidated as metadata;
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

/// Numbers of nodes that are listed, and of documents that are parsed, in one turn.
const LISTED_AT_ONCE: usize = 1 << 14;
const PARSED_AT_ONCE: usize = 1 << 8;

/// Lists the nodes of a document.
async fn listed(consolidated: &metadata::Consolidated, call: &Call) -> Consolidated {
    let warnings = consolidated.warnings().to_vec();
    let record = |error| record_of(error, &mut |cause| call.hold(cause));
    let errors = errors_of(consolidated).await;
    let errors = errors.iter().map(|(path, error)| (format!("/{path}"), record(error))).collect();
    let (paths, ends, arrays) = (String::new(), Bytes::default(), Bytes::default());
    let mut listed = Consolidated { paths, ends, arrays, errors, warnings };
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
        listed.ends.0.extend(end.to_le_bytes());
        listed.arrays.0.push(u8::from(*kind == NodeKind::Array));
    }
    listed
}

/// The nodes that cannot be opened.
async fn errors_of(consolidated: &metadata::Consolidated) -> Vec<(NodePath, Error)> {
    let mut checking = Checking::default();
    while checking.step(consolidated, LISTED_AT_ONCE, PARSED_AT_ONCE) {
        next_turn().await;
    }
    checking.errors()
}

/// See `consolidated_store` of the contract.
pub async fn consolidated_store(
    ConsolidatedSource { store, loaded: id, format, key }: ConsolidatedSource,
    call: Call,
) -> Result<Consolidated> {
    let inner = objects::store(store)?;
    let format = if format == FormatVersion(2) { ZarrFormat::V2 } else { ZarrFormat::V3 };
    let key = if format == ZarrFormat::V2 { key.as_str() } else { ZARR_JSON };
    let mut loaded = load(&inner, &StoreKey::parse(key)?, format).await?;
    // zarr-python 2 stored that of a draft under another key. The root document tells the draft.
    if let Loaded::Draft(draft) = loaded {
        let format = ZarrFormat::Draft(draft);
        loaded = load(&inner, &StoreKey::parse(DRAFT_ZMETADATA)?, format).await?;
    }
    let Loaded::Consolidated(mut consolidated, value) = loaded else {
        return Err(Error::format("the document is not consolidated metadata").at_key(DRAFT_ZMETADATA));
    };
    let listed = listed(&consolidated, &call).await;
    next_turn().await;
    if value.len() >= LARGE_BYTES {
        let text = value.clone();
        consolidated.leave_text_to(Rc::new(move |span| fetch::part(&text, &span)));
    }
    objects::keep_store(id, Rc::new(KnownDocuments::new(inner, *consolidated, value)));
    Ok(listed)
}

/// The document that was found.
enum Loaded {
    Consolidated(Box<metadata::Consolidated>, Value),
    /// The entry point of a draft's hierarchy, which never contains consolidated metadata.
    Draft(Draft),
}

async fn load(store: &Rc<dyn Store>, key: &StoreKey, format: ZarrFormat) -> Result<Loaded> {
    let value = fetch::value(store, key, &context(JsValue::UNDEFINED)).await?;
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
