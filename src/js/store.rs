//! Stores as JavaScript makes them: over HTTP, and a user's own object with zarrita's interface.

use std::rc::Rc;

use js_sys::{Function, Object, Reflect};
use wasm_bindgen::prelude::*;

use super::bytes::{foreign_value, to_js};
use super::error::{report_to_js, store_failed};
use super::fetch::{FetchOptions, FetchTransport};
use super::{host, registry, task};
use crate::error::{Error, Result};
use crate::format::path::StoreKey;
use crate::store::http::origin::Origins;
use crate::store::http::url::RootUrl;
use crate::store::http::{HttpOptions, HttpStore};
use crate::store::wrap::{Coalescing, Sharing};
use crate::store::{ByteRange, Capabilities, Fetched, LocalFuture, RequestContext, Store, Subject};

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

    /// A `WeakRef`: the engine does not keep a user's store alive.
    pub type WeakStore;

    #[wasm_bindgen(method)]
    fn deref(this: &WeakStore) -> JsValue;
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
    registry::add_store(Rc::new(UserStore { store }))
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
        let view = to_js(&fetched.value, 1)?;
        let is_whole = view.bytes.length() == view.bytes.buffer().byte_length();
        // Whoever asked may transfer or change it.
        Ok(if view.ours && is_whole {
            view.bytes.into()
        } else {
            view.bytes.slice(0, view.bytes.length()).into()
        })
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
fn natural(number: f64) -> Result<u64> {
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

/// A user's object: `get(key, { signal })`, and `getRange` where it has one. Keys begin with a slash.
struct UserStore {
    store: WeakStore,
}

impl UserStore {
    async fn read(
        &self,
        key: &StoreKey,
        range: ByteRange,
        context: &RequestContext,
    ) -> Result<Option<Fetched>> {
        let store = self.store.deref();
        if store.is_undefined() {
            return Err(Error::store("the store of this node is gone"));
        }
        let range = range.check()?;
        let name = JsValue::from(format!("/{}", key.as_str()));
        let options = options(context);
        let asked = query(range).zip(host::method(&store, "getRange"));
        let called = match &asked {
            Some((query, get_range)) => get_range.call3(&store, &name, query, &options),
            None => {
                let get = host::method(&store, "get")
                    .ok_or_else(|| Error::argument("a store needs a method `get`"))?;
                get.call2(&store, &name, &options)
            }
        };
        let settled = match called {
            Ok(value) => host::settled(value).await,
            Err(thrown) => Err(thrown),
        };
        let answer = settled.map_err(|thrown| store_failed("the store failed", thrown))?;
        if answer.is_undefined() || answer.is_null() {
            return Ok(None);
        }
        let value = foreign_value(&answer)?;
        if asked.is_none() {
            return Fetched::part_of(&value, range).map(Some);
        }
        check_len(value.len(), range)?;
        Ok(Some(Fetched { value, size: None, version: None }))
    }
}

/// A store that answers a range with more than was asked has ignored it; which part was meant cannot be told.
fn check_len(actual: u64, range: ByteRange) -> Result<()> {
    let (ByteRange::FromStart { len, .. } | ByteRange::Suffix(len)) = range else { return Ok(()) };
    if actual <= len {
        return Ok(());
    }
    let error = Error::store("the store's getRange returned more bytes than were asked for");
    Err(error.expected(format!("at most {len} bytes")).actual(format!("{actual} bytes")))
}

/// A `RangeQuery`; none for the whole value.
// Offsets beyond 2^53 are no place in any file.
#[allow(clippy::cast_precision_loss)]
fn query(range: ByteRange) -> Option<JsValue> {
    let members: &[(&str, u64)] = match range {
        ByteRange::Whole => return None,
        // zarrita's interface has no range that is open at its end.
        range if range.is_open() => return None,
        ByteRange::FromStart { offset, len } => &[("offset", offset), ("length", len)],
        ByteRange::Suffix(len) => &[("suffixLength", len)],
    };
    let query = Object::new();
    for (name, value) in members {
        // Setting a member of a plain object does not fail.
        let _ = Reflect::set(&query, &(*name).into(), &(*value as f64).into());
    }
    Some(query.into())
}

/// `{ signal }` with the very signal that the caller passed.
fn options(context: &RequestContext) -> JsValue {
    let options = Object::new();
    let signal = context.signal.as_ref().and_then(|signal| signal.downcast_ref::<JsValue>());
    let signal = signal.cloned().unwrap_or(JsValue::UNDEFINED);
    let _ = Reflect::set(&options, &"signal".into(), &signal);
    options.into()
}

impl Store for UserStore {
    fn capabilities(&self) -> Capabilities {
        let store = self.store.deref();
        let partial = !store.is_undefined() && host::method(&store, "getRange").is_some();
        Capabilities { readable: true, partial, writable: false, listable: false }
    }

    fn describe(&self) -> String {
        "the given store".to_owned()
    }

    fn get<'a>(
        &'a self,
        key: &'a StoreKey,
        range: ByteRange,
        context: &'a RequestContext,
    ) -> LocalFuture<'a, Result<Option<Fetched>>> {
        Box::pin(async move {
            let fetched = self.read(key, range, context).await;
            fetched.map_err(|error| error.at_key(key.as_str()))
        })
    }
}
