//! The stores that JavaScript creates: HTTP stores, overlays, and user stores
//! ([`user_store`](super::user_store)).

use std::rc::Rc;

use js_sys::{Function, Object};
use wasm_bindgen::prelude::*;
use zarr_wasm_contract::encoding::HeldBytes;
use zarr_wasm_contract::{KeyRange, Natural, StoreEntry};

use super::bytes::to_js_whole;
use super::call::{Call, context};
use super::error::Exported;
use super::fetch::{FetchOptions, FetchTransport};
use super::objects;
use super::user_store::{UserStore, WeakStore};
use crate::error::{Error, Result};
use crate::format::path::StoreKey;
use crate::store::http::origin::Origins;
use crate::store::http::url::RootUrl;
use crate::store::http::{HttpOptions, HttpStore};
use crate::store::wrap::Gathering;
use crate::store::wrap::OverlayStore;
use crate::store::{ByteRange, Store, WarningSink};

#[wasm_bindgen]
extern "C" {
    /// The options of `FetchStore`. `stores.ts` sets every member.
    pub type HttpStoreOptions;

    #[wasm_bindgen(method, getter)]
    fn fetch(this: &HttpStoreOptions) -> Option<Function>;
    #[wasm_bindgen(method, getter)]
    fn overrides(this: &HttpStoreOptions) -> Option<Object>;
    #[wasm_bindgen(method, getter, js_name = useSuffixRequest)]
    fn use_suffix_request(this: &HttpStoreOptions) -> bool;
    #[wasm_bindgen(method, getter, js_name = missingOn403)]
    fn missing_on_403(this: &HttpStoreOptions) -> bool;
    #[wasm_bindgen(method, getter, js_name = isAnonymous)]
    fn is_anonymous(this: &HttpStoreOptions) -> bool;
    #[wasm_bindgen(method, getter, js_name = mayProbe)]
    fn may_probe(this: &HttpStoreOptions) -> bool;
    #[wasm_bindgen(method, getter, js_name = passesCaches)]
    fn passes_caches(this: &HttpStoreOptions) -> bool;
    #[wasm_bindgen(method, getter, js_name = knownDocument)]
    fn known_document(this: &HttpStoreOptions) -> Option<String>;
    #[wasm_bindgen(method, getter, js_name = onConsole)]
    fn on_console(this: &HttpStoreOptions) -> Function;
    #[wasm_bindgen(method, getter, js_name = onWarning)]
    pub fn on_warning(this: &HttpStoreOptions) -> Function;
}

thread_local! {
    static ORIGINS: Rc<Origins> = Rc::default();
}

/// Passes warnings to a JavaScript function.
pub fn warning_sink(on_warning: Function) -> WarningSink {
    Rc::new(move |warning| {
        // A listener that throws must not end the read.
        let _ = on_warning.call1(&JsValue::UNDEFINED, &warning.into());
    })
}

/// The transport and the policy for a user's options.
pub fn http_options(options: &HttpStoreOptions) -> (FetchTransport, HttpOptions) {
    let transport =
        FetchTransport::new(FetchOptions { fetch: options.fetch(), overrides: options.overrides() });
    let http = HttpOptions {
        use_suffix_request: options.use_suffix_request(),
        missing_on_403: options.missing_on_403(),
        is_anonymous: options.is_anonymous(),
        may_probe: options.may_probe(),
        passes_caches: options.passes_caches(),
        on_warning: Some(warning_sink(options.on_warning())),
        on_console: Some(warning_sink(options.on_console())),
        ..HttpOptions::default()
    };
    (transport, http)
}

/// The known origins, which all stores share.
pub fn origins() -> Rc<Origins> {
    ORIGINS.with(Rc::clone)
}

/// A store over HTTP that merges requests.
pub fn http(root: RootUrl, options: &HttpStoreOptions) -> Rc<dyn Store> {
    let (transport, http) = http_options(options);
    let origin = origins().of(&root);
    let store = HttpStore::new(transport, root, http, origin);
    if let Some(url) = options.known_document() {
        store.note_document(&url);
    }
    Rc::new(Gathering::new(store))
}

/// A store of one value, whatever the key: the file at a URL.
pub fn http_object(url: &str, options: &HttpStoreOptions) -> Result<Rc<dyn Store>> {
    Ok(http(RootUrl::parse(url)?.into_object(), options))
}

/// Creates an HTTP store. Throws a failure.
#[wasm_bindgen(js_name = httpStore)]
pub fn http_store(id: u32, url: &str, options: &HttpStoreOptions) -> Exported<()> {
    objects::keep_store(id, http(RootUrl::parse(url)?, options));
    Ok(())
}

/// Creates a store that reads `first`, then `second`. Throws a failure.
#[wasm_bindgen(js_name = overlayStore)]
pub fn overlay_store(id: u32, first: u32, second: u32) -> Exported<()> {
    let overlay = OverlayStore::new(objects::store(first)?, objects::store(second)?);
    objects::keep_store(id, Rc::new(overlay));
    Ok(())
}

/// Creates a store of a user's object. `copies`: its values are copies for the engine alone.
#[wasm_bindgen(js_name = userStore)]
pub fn user_store(id: u32, store: WeakStore, copies: bool) {
    let gathering = Gathering::of_each_caller(Rc::new(UserStore::new(store, copies)));
    objects::keep_store(id, Rc::new(gathering));
}

/// See `read_key` of the contract.
pub async fn read_key(range: KeyRange, call: Call) -> Result<Option<HeldBytes>> {
    let KeyRange { store, key, offset, length } = range;
    let store = objects::store(store)?;
    let key = StoreKey::parse(&key)?;
    let fetched = store.get(&key, byte_range(offset, length)?, &context(JsValue::UNDEFINED)).await?;
    // The caller may transfer or change the bytes.
    fetched.map(|fetched| Ok(call.hold_bytes(&to_js_whole(&fetched.value)?))).transpose()
}

/// See `size_of_key` of the contract.
pub async fn size_of_key(StoreEntry { store, key }: StoreEntry, _: Call) -> Result<Option<Natural>> {
    let key = StoreKey::parse(&key)?;
    let size = objects::store(store)?.size(&key, &context(JsValue::UNDEFINED)).await?;
    Ok(size.map(Natural))
}

fn byte_range(offset: Option<Natural>, length: Option<Natural>) -> Result<ByteRange> {
    match (offset, length) {
        (None, None) => Ok(ByteRange::Whole),
        (None, Some(Natural(len))) => Ok(ByteRange::Last(len)),
        (Some(Natural(offset)), Some(Natural(len))) => Ok(ByteRange::At { offset, len }),
        (Some(_), None) => Err(Error::argument("a byte range has an offset but no length")),
    }
}
