//! Reference stores: their document is at a URL, or given as text.

use std::rc::Rc;

use serde::Deserialize;
use wasm_bindgen::prelude::*;

use super::definition_of;
use crate::js::error::Exported;
use crate::js::objects;
use crate::js::store::{HttpStoreOptions, http_options, origins};
use crate::store::Value;
use crate::store::http::url::RootUrl;
use crate::store::reference::{ReferenceOptions, ReferenceStore, Source};

/// Creates a store of the references in the tables of another store: kerchunk's Parquet. Relative
/// ones are resolved against `base`. Throws a failure.
#[wasm_bindgen(js_name = tableReferenceStore)]
pub fn table_reference_store(
    id: u32,
    store: u32,
    base: Option<String>,
    options: &HttpStoreOptions,
) -> Exported<()> {
    let (transport, http) = http_options(options);
    let base = base.as_deref().map(RootUrl::parse).transpose()?;
    let options = ReferenceOptions { base, http, ..ReferenceOptions::default() };
    let source = Source::Tables(objects::store(store)?);
    let store = ReferenceStore::new(source, options, Rc::new(transport), origins());
    objects::keep_store(id, Rc::new(store));
    Ok(())
}

/// Where references are. The engine's TypeScript sets what a user gave.
#[derive(Deserialize)]
struct ReferenceDefinition {
    url: Option<String>,
    text: Option<String>,
    base: Option<String>,
    target: Option<String>,
}

/// Creates a store of references: of the document at `url`, or of `text`, whose relative references
/// are resolved against `base`. The sender of the requests knows which servers are allowed
/// (`redirects.ts`). Throws a failure.
#[wasm_bindgen(js_name = referenceStore)]
pub fn reference_store(id: u32, definition: JsValue, options: &HttpStoreOptions) -> Exported<()> {
    let ReferenceDefinition { url, text, base, target } = definition_of(definition)?;
    let source = match url {
        Some(url) => Source::Url(RootUrl::parse(&url)?),
        None => Source::Text(Value::from(text.unwrap_or_default().into_bytes())),
    };
    let (transport, http) = http_options(options);
    let options = ReferenceOptions {
        base: base.as_deref().map(RootUrl::parse).transpose()?,
        target: target.as_deref().map(RootUrl::parse).transpose()?,
        http,
    };
    let store = ReferenceStore::new(source, options, Rc::new(transport), origins());
    objects::keep_store(id, Rc::new(store));
    Ok(())
}
