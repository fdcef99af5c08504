//! A user's object as a store: zarrita's interface (`get`, `getRange`, `set`), and more methods if
//! it has them (`delete`, `list`, …: the type `AsyncStore` of `types.ts`). A plain `Map` is a
//! store. Keys and prefixes begin with a slash, and prefixes end with one.
//!
//! The object receives exactly the requests that are needed. Its methods are looked up for each
//! call.

use std::rc::Rc;

use js_sys::{Array, Function, Object, Reflect, Symbol};
use wasm_bindgen::prelude::*;

use super::bytes::{stored_value, to_js_whole};
use super::error::store_failed;
use super::host;
use crate::error::{Error, ErrorKind, IS_FULL, Result};
use crate::format::json::decimal;
use crate::format::path::{NodePath, StoreKey};
use crate::sorted;
use crate::store::walk::{ListingBudget, walk};
use crate::store::{
    ByteRange, Changeable, Fetched, GetFuture, Listable, Listing, LocalFuture, RequestContext, SizeFuture,
    Store, Value, Writable, at_key, in_reading,
};

#[wasm_bindgen]
extern "C" {
    /// A `WeakRef`, so that the engine does not keep a user's store alive.
    pub type WeakStore;

    #[wasm_bindgen(method)]
    fn deref(this: &WeakStore) -> JsValue;
}

/// A store over a user's object.
pub struct UserStore {
    store: Ownership,
    /// Its values are copies for the engine alone.
    copies: bool,
}

/// How the object is held.
enum Ownership {
    /// By the code that opened the node.
    Weakly(WeakStore),
    /// By this store only.
    Strongly(JsValue),
}

impl Ownership {
    /// The object; undefined if it was garbage-collected.
    fn object(&self) -> JsValue {
        match self {
            Self::Weakly(store) => store.deref(),
            Self::Strongly(store) => store.clone(),
        }
    }
}

/// The method by which an object lists.
enum Lister {
    /// `listDir(prefix)`.
    Directory(Function),
    /// `list(prefix)`.
    Prefix,
    /// `keys()` of a `Map`: all keys.
    Keys(Function),
}

impl UserStore {
    pub fn new(store: WeakStore, copies: bool) -> Self {
        Self { store: Ownership::Weakly(store), copies }
    }

    /// A store that holds its object.
    pub fn kept(store: JsValue) -> Self {
        Self { store: Ownership::Strongly(store), copies: false }
    }

    fn object(&self) -> Result<JsValue> {
        let store = self.store.object();
        if store.is_undefined() {
            Err(Error::store("the store of this node was released; open the node again"))
        } else {
            Ok(store)
        }
    }

    /// Whether the object has one of these methods, or was released: then each call says so.
    fn may_have(&self, methods: &[&str]) -> bool {
        let store = self.store.object();
        store.is_undefined() || methods.iter().any(|name| host::method(&store, name).is_some())
    }

    async fn read(
        &self,
        key: &StoreKey,
        range: ByteRange,
        context: &RequestContext,
    ) -> Result<Option<Fetched>> {
        let store = self.object()?;
        let range = range.check()?;
        let name = JsValue::from(absolute(key));
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
        let answer = settled(called).await;
        if answer.as_ref().map_or(true, |answer| answer.is_undefined() || answer.is_null()) {
            // A store that honours the signal may throw anything, or return nothing.
            check_aborted(context)?;
        }
        let answer = answer?;
        if answer.is_undefined() || answer.is_null() {
            return Ok(None);
        }
        let value = stored_value(&answer, self.copies)?;
        if asked.is_none() {
            return Fetched::part_of(&value, range).map(Some);
        }
        check_len(value.len(), range)?;
        Ok(Some(Fetched {
            value,
            size: whole_size(&answer),
            version: stated_version(&answer),
            modified: None,
        }))
    }

    async fn write(&self, key: &StoreKey, value: Value) -> Result<()> {
        let store = self.object()?;
        let set = host::method(&store, "set").ok_or_else(|| self.lacks("write"))?;
        let bytes = to_js_whole(&value)?;
        // The bytes belong to the store now, so no value may refer to them.
        drop(value);
        settled(set.call2(&store, &absolute(key).into(), &bytes)).await.map(|_| ())
    }

    async fn remove(&self, key: &StoreKey) -> Result<()> {
        let store = self.object()?;
        let delete = host::method(&store, "delete").ok_or_else(|| self.lacks("erase"))?;
        settled(delete.call1(&store, &absolute(key).into())).await.map(|_| ())
    }

    async fn remove_prefix(&self, prefix: &NodePath) -> Result<()> {
        let store = self.object()?;
        if let Some(delete) = host::method(&store, "deletePrefix") {
            return settled(delete.call1(&store, &below(prefix).into())).await.map(|_| ());
        }
        for key in self.keys_below(prefix).await? {
            self.remove(&key).await?;
        }
        Ok(())
    }

    async fn size_of(&self, key: &StoreKey, context: &RequestContext) -> Result<Option<u64>> {
        let store = self.object()?;
        // A `Map` has a member `size` that is not a function.
        let Some(size) = host::method(&store, "size") else {
            let whole = self.read(key, ByteRange::Whole, context).await?;
            return Ok(whole.map(|fetched| fetched.value.len()));
        };
        let answer = settled(size.call2(&store, &absolute(key).into(), &options(context))).await?;
        if answer.is_undefined() || answer.is_null() {
            return Ok(None);
        }
        match answer.as_f64().map(natural) {
            Some(Ok(size)) => Ok(Some(size)),
            _ => Err(unexpected("size", "a number of bytes, or undefined", &answer)),
        }
    }

    /// What `lockFor` answers. Without it, or where it fails, the store's name and the key.
    async fn lock_of(&self, key: &StoreKey) -> Option<String> {
        let store = self.object().ok()?;
        if let Some(lock_for) = host::method(&store, "lockFor") {
            let name = settled(lock_for.call1(&store, &absolute(key).into())).await;
            if let Some(name) = name.ok().and_then(|name| name.as_string()) {
                return Some(name);
            }
        }
        let name = Reflect::get(&store, &"lockName".into()).ok()?.as_string()?;
        Some(format!("{}{}", name.strip_suffix('/').unwrap_or(&name), absolute(key)))
    }

    fn lister(&self, store: &JsValue) -> Option<Lister> {
        let method = |name| host::method(store, name);
        let prefix = || method("list").map(|_| Lister::Prefix);
        method("listDir").map(Lister::Directory).or_else(prefix).or_else(|| method("keys").map(Lister::Keys))
    }

    async fn directory(&self, prefix: &NodePath) -> Result<Listing> {
        let store = self.object()?;
        let Some(Lister::Directory(list)) = self.lister(&store) else {
            return Ok(Listing::of(&self.keys_below(prefix).await?, prefix));
        };
        let signal = ListingSignal::new();
        let answer = settled(list.call2(&store, &below(prefix).into(), &signal.options)).await?;
        let member = |name: &str| Reflect::get(&answer, &name.into()).unwrap_or(JsValue::UNDEFINED);
        let (mut keys, mut prefixes) = (Vec::new(), Vec::new());
        each(&member("keys"), "listDir", &mut |key| keys.extend(key_below(&key, prefix))).await?;
        each(&member("prefixes"), "listDir", &mut |listed| {
            let key = key_below(listed.strip_suffix('/').unwrap_or(&listed), prefix);
            prefixes.extend(key.and_then(|key| NodePath::from_normal(key.as_str())));
        })
        .await?;
        sorted::sort(&mut prefixes);
        prefixes.dedup();
        Ok(Listing { keys, prefixes })
    }

    async fn keys_below(&self, prefix: &NodePath) -> Result<Vec<StoreKey>> {
        let store = self.object()?;
        let signal = ListingSignal::new();
        let listed = match (host::method(&store, "list"), self.lister(&store)) {
            (Some(list), _) => list.call2(&store, &below(prefix).into(), &signal.options),
            (None, Some(Lister::Keys(keys))) => keys.call0(&store),
            (None, Some(_)) => return self.walk(prefix).await,
            (None, None) => return Err(self.lacks("list")),
        };
        let mut keys = Vec::new();
        each(&settled(listed).await?, "list", &mut |key| keys.extend(key_below(&key, prefix))).await?;
        Ok(keys)
    }

    async fn walk(&self, prefix: &NodePath) -> Result<Vec<StoreKey>> {
        walk(prefix, async |prefix| self.list_dir(prefix).await).await
    }
}

/// The signal of a listing. It is aborted when the caller of the listing has left.
struct ListingSignal {
    controller: JsValue,
    /// The options of the call, with the signal.
    options: JsValue,
}

impl ListingSignal {
    fn new() -> Self {
        let class = Reflect::get(&js_sys::global(), &"AbortController".into()).ok();
        let made =
            class.and_then(|class| Reflect::construct(class.dyn_ref::<Function>()?, &Array::new()).ok());
        let controller = made.unwrap_or(JsValue::UNDEFINED);
        let signal = Reflect::get(&controller, &"signal".into()).unwrap_or(JsValue::UNDEFINED);
        let options = Object::new();
        let _ = Reflect::set(&options, &"signal".into(), &signal);
        Self { controller, options: options.into() }
    }
}

impl Drop for ListingSignal {
    fn drop(&mut self) {
        if let Some(abort) = host::method(&self.controller, "abort") {
            let _ = abort.call0(&self.controller);
        }
    }
}

/// A key as user stores expect it.
fn absolute(key: &StoreKey) -> String {
    format!("/{}", key.as_str())
}

/// The beginning of all keys below a prefix.
fn below(prefix: &NodePath) -> String {
    if prefix.is_root() { "/".to_owned() } else { format!("/{prefix}/") }
}

/// A listed key; `None` if it is not below the prefix, or not a Zarr key (`a//b`).
fn key_below(key: &str, prefix: &NodePath) -> Option<StoreKey> {
    let key = StoreKey::parse(key).ok()?;
    key.below(prefix).is_some().then_some(key)
}

/// Waits for the result of a method.
async fn settled(called: std::result::Result<JsValue, JsValue>) -> Result<JsValue> {
    let settled = match called {
        Ok(value) => host::settled(value).await,
        Err(thrown) => Err(thrown),
    };
    settled.map_err(|thrown| store_failed("the store failed", thrown))
}

/// Calls `take` with each string of an array, an iterable or an async iterable.
async fn each(listed: &JsValue, method: &str, take: &mut dyn FnMut(String)) -> Result<()> {
    let expected = || unexpected(method, "an array, an iterable or an async iterable of keys", listed);
    if Array::is_array(listed) {
        let array: &Array = listed.unchecked_ref();
        return array.iter().try_for_each(|entry| text(&entry, method).map(&mut *take));
    }
    let make = |symbol: Symbol| Reflect::get(listed, &symbol).ok()?.dyn_into::<Function>().ok();
    if !listed.is_object() {
        return Err(expected());
    }
    let make = make(Symbol::async_iterator()).or_else(|| make(Symbol::iterator())).ok_or_else(expected)?;
    let iterator = settled(make.call0(listed)).await?;
    let next = host::method(&iterator, "next").ok_or_else(expected)?;
    let mut budget = ListingBudget::default();
    loop {
        budget.take(1)?;
        let step = settled(next.call0(&iterator)).await?;
        let member = |name: &str| Reflect::get(&step, &name.into()).unwrap_or(JsValue::UNDEFINED);
        if !step.is_object() || member("done").is_truthy() {
            return Ok(());
        }
        take(text(&member("value"), method)?);
    }
}

fn text(entry: &JsValue, method: &str) -> Result<String> {
    entry.as_string().ok_or_else(|| unexpected(method, "keys that are strings", entry))
}

fn unexpected(method: &str, expected: &str, actual: &JsValue) -> Error {
    let error = Error::store(format!("the store's {method} returned an unexpected value")).expected(expected);
    error.actual(actual.js_typeof().as_string().unwrap_or_default())
}

/// The size of the whole value, which the package's own stores return with a range.
fn whole_size(answer: &JsValue) -> Option<u64> {
    let size = Reflect::get(answer, &Symbol::for_("zarr-wasm.size")).ok()?.as_f64()?;
    natural(size).ok()
}

/// The version of the file that a range is of, which the package's own stores return with it.
fn stated_version(answer: &JsValue) -> Option<String> {
    Reflect::get(answer, &Symbol::for_("zarr-wasm.version")).ok()?.as_string()
}

/// Rejects a range with more bytes than requested. The store ignored the range, and the requested
/// part cannot be identified.
fn check_len(actual: u64, range: ByteRange) -> Result<()> {
    let (ByteRange::At { len, .. } | ByteRange::Last(len)) = range else { return Ok(()) };
    if actual <= len {
        return Ok(());
    }
    let error = Error::store("the store's getRange returned more bytes than were requested");
    Err(error.expected(format!("at most {len} bytes")).actual(format!("{actual} bytes")))
}

// Files are shorter than 2^53 bytes.
#[allow(clippy::cast_precision_loss)]
fn query(range: ByteRange) -> Option<JsValue> {
    let members: &[(&str, u64)] = match range {
        ByteRange::Whole => return None,
        // zarrita's interface has no open ranges.
        range if range.is_open() => return None,
        ByteRange::At { offset, len } => &[("offset", offset), ("length", len)],
        ByteRange::Last(len) => &[("suffixLength", len)],
    };
    let query = Object::new();
    for (name, value) in members {
        // Setting a member of a plain object does not fail.
        let _ = Reflect::set(&query, &(*name).into(), &(*value as f64).into());
    }
    Some(query.into())
}

/// `{ signal }` with the caller's own signal object.
fn options(context: &RequestContext) -> JsValue {
    let options = Object::new();
    let signal = context.signal.as_ref().and_then(|signal| signal.downcast_ref::<JsValue>());
    let signal = signal.cloned().unwrap_or(JsValue::UNDEFINED);
    let _ = Reflect::set(&options, &"signal".into(), &signal);
    options.into()
}

/// Fails with an `Aborted` error if the caller's signal has fired. Callers that share the request
/// must not mistake what its store answers then for a failure, or for an absent value.
fn check_aborted(context: &RequestContext) -> Result<()> {
    let signal = context.signal.as_ref().and_then(|signal| signal.downcast_ref::<JsValue>());
    let Some(signal) = signal.filter(|signal| host::is_aborted(signal)) else { return Ok(()) };
    let reason = Reflect::get(signal, &"reason".into()).unwrap_or(JsValue::UNDEFINED);
    Err(Error::new(ErrorKind::Aborted, "the caller aborted this request").caused_by(Rc::new(reason)))
}

impl Store for UserStore {
    fn describe(&self) -> String {
        "the given store".to_owned()
    }

    fn get<'a>(&'a self, key: &'a StoreKey, range: ByteRange, context: &'a RequestContext) -> GetFuture<'a> {
        Box::pin(at_key(key, self.read(key, range, context)))
    }

    fn size<'a>(&'a self, key: &'a StoreKey, context: &'a RequestContext) -> SizeFuture<'a> {
        Box::pin(at_key(key, self.size_of(key, context)))
    }

    fn reads_parts(&self) -> bool {
        self.may_have(&["getRange"])
    }

    fn reads_rows(&self) -> bool {
        false
    }

    fn as_listable(&self) -> Option<&dyn Listable> {
        if self.may_have(&["list", "listDir", "keys"]) { Some(self) } else { None }
    }

    fn as_writable(&self) -> Option<&dyn Writable> {
        if IS_FULL && self.may_have(&["set", "delete", "deletePrefix"]) { Some(self) } else { None }
    }

    fn as_changeable(&self) -> Option<&dyn Changeable> {
        if IS_FULL { Some(self) } else { None }
    }
}

impl Listable for UserStore {
    fn list_dir<'a>(&'a self, prefix: &'a NodePath) -> LocalFuture<'a, Result<Listing>> {
        Box::pin(self.directory(prefix))
    }

    fn list_prefix<'a>(&'a self, prefix: &'a NodePath) -> LocalFuture<'a, Result<Vec<StoreKey>>> {
        in_reading("listing", || Box::pin(self.keys_below(prefix)))
    }
}

impl Writable for UserStore {
    fn set<'a>(&'a self, key: &'a StoreKey, value: Value) -> LocalFuture<'a, Result<()>> {
        Box::pin(at_key(key, self.write(key, value)))
    }

    fn erase<'a>(&'a self, key: &'a StoreKey) -> LocalFuture<'a, Result<()>> {
        Box::pin(at_key(key, self.remove(key)))
    }

    fn erase_prefix<'a>(&'a self, prefix: &'a NodePath) -> Option<LocalFuture<'a, Result<()>>> {
        Some(Box::pin(self.remove_prefix(prefix)))
    }
}

impl Changeable for UserStore {
    fn lock_name<'a>(&'a self, key: &'a StoreKey) -> LocalFuture<'a, Option<String>> {
        Box::pin(self.lock_of(key))
    }
}

/// A count of bytes or the like, which JavaScript has as a number.
// Checked in the line before the cast.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
fn natural(number: f64) -> Result<u64> {
    if number.fract() == 0.0 && (0.0..=9_007_199_254_740_991.0).contains(&number) {
        return Ok(number as u64);
    }
    let error = Error::argument("a byte range needs whole numbers");
    Err(error.expected("an integer from 0 to 2^53 - 1").actual(decimal::text(number)))
}
