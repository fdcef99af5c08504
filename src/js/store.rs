//! Stores as JavaScript makes them: over HTTP, and (in [`user_store`](super::user_store)) a user's own object.

use std::rc::Rc;

use js_sys::{Function, Object};
use wasm_bindgen::prelude::*;

use super::bytes::to_js_whole;
use super::error::report_to_js;
use super::fetch::{FetchOptions, FetchTransport};
use super::user_store::{UserStore, WeakStore};
use super::{registry, task};
use crate::error::{Error, Result};
use crate::format::path::StoreKey;
use crate::store::http::origin::Origins;
use crate::store::http::url::RootUrl;
use crate::store::http::{HttpOptions, HttpStore};
use crate::store::wrap::{Coalescing, Sharing};
use crate::store::{ByteRange, RequestContext, Subject};

#[wasm_bindgen]
extern "C" {
    /// What `FetchStore` was given; `stores.ts` fills in every member.
    pub type HttpStoreOptions;

    #[wasm_bindgen(method, getter)]
    fn fetch(this: &HttpStoreOptions) -> Option<Function>;
    #[wasm_bindgen(method, getter)]
    fn overrides(this: &HttpStoreOptions) -> Option<Object>;
    #[wasm_bindgen(method, getter, js_name = useSuffixRequest)]
    fn use_suffix_request(this: &HttpStoreOptions) -> bool;
    #[wasm_bindgen(method, getter, js_name = missingOn403)]
    fn missing_on_403(this: &HttpStoreOptions) -> bool;
    #[wasm_bindgen(method, getter, js_name = onWarning)]
    fn on_warning(this: &HttpStoreOptions) -> Function;
}

thread_local! {
    static ORIGINS: Origins = Origins::default();
}

/// Makes a store over HTTP; throws a report.
#[wasm_bindgen(js_name = httpStore)]
pub fn http_store(url: &str, options: &HttpStoreOptions) -> std::result::Result<u32, JsValue> {
    let root = RootUrl::parse(url).map_err(|error| report_to_js(&error))?;
    let transport =
        FetchTransport::new(FetchOptions { fetch: options.fetch(), overrides: options.overrides() });
    let on_warning = options.on_warning();
    let http = HttpOptions {
        use_suffix_request: options.use_suffix_request(),
        missing_on_403: options.missing_on_403(),
        on_warning: Some(Rc::new(move |warning| {
            // A listener that throws is not our reader's problem.
            let _ = on_warning.call1(&JsValue::UNDEFINED, &warning.into());
        })),
        ..HttpOptions::default()
    };
    let origin = ORIGINS.with(|origins| origins.of(&root));
    let store = Sharing::new(HttpStore::new(transport, root, http, origin));
    Ok(registry::add_store(Rc::new(Coalescing::new(store))))
}

/// Makes a store of a user's object.
#[wasm_bindgen(js_name = userStore)]
pub fn user_store(store: WeakStore) -> u32 {
    registry::add_store(Rc::new(UserStore::new(store)))
}

#[wasm_bindgen(js_name = releaseStore)]
pub fn release_store(id: u32) {
    registry::remove_store(id);
}

/// Reads a key of a store, or a range of it: `offset` and `length`, or the last `length` bytes when there is no offset.
#[wasm_bindgen(js_name = readKey)]
pub fn read_key(store: u32, key: String, offset: Option<f64>, length: Option<f64>, settle: Function) -> u32 {
    task::start(settle, async move {
        let store = registry::store(store)?;
        let key = StoreKey::parse(&key)?;
        let range = byte_range(offset, length)?;
        let fetched = store.get(&key, range, &context(JsValue::UNDEFINED)).await?;
        let Some(fetched) = fetched else { return Ok(JsValue::UNDEFINED) };
        // Whoever asked may transfer or change it.
        Ok(to_js_whole(&fetched.value)?.into())
    })
}

fn byte_range(offset: Option<f64>, length: Option<f64>) -> Result<ByteRange> {
    Ok(match (offset, length) {
        (None, None) => ByteRange::Whole,
        (None, Some(len)) => ByteRange::Suffix(natural(len)?),
        (Some(offset), len) => {
            ByteRange::FromStart { offset: natural(offset)?, len: natural(len.unwrap_or(f64::NAN))? }
        }
    })
}

// Checked on the line before the cast.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
pub fn natural(number: f64) -> Result<u64> {
    if number.fract() == 0.0 && (0.0..=9_007_199_254_740_991.0).contains(&number) {
        return Ok(number as u64);
    }
    let error = Error::argument("a byte range needs whole numbers");
    Err(error.expected("an integer from 0 to 2^53 - 1").actual(number.to_string()))
}

/// What goes with a request: the caller's signal, which user stores are handed.
pub fn context(signal: JsValue) -> RequestContext {
    RequestContext { signal: Some(Rc::new(signal)), subject: Subject::Metadata, reload: false }
}
