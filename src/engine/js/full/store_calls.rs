//! Writing and listing of any engine store from JavaScript. There, keys and prefixes begin with a
//! slash, and prefixes end with one.

use js_sys::{Array, Function, Uint8Array};
use serde::Serialize;
use wasm_bindgen::prelude::*;

use super::objects::to_js;
use crate::error::Result;
use crate::format::path::{NodePath, StoreKey};
use crate::js::bytes::stored_value;
use crate::js::{registry, task};
use crate::store::{Listing, writers};

/// `Directory` of `types.ts`.
#[derive(Serialize)]
struct Directory {
    keys: Vec<String>,
    prefixes: Vec<String>,
}

fn absolute(key: &StoreKey) -> String {
    format!("/{}", key.as_str())
}

impl From<Listing> for Directory {
    fn from(Listing { mut keys, mut prefixes }: Listing) -> Self {
        keys.sort();
        prefixes.sort();
        let prefixes = prefixes.iter().map(|prefix| format!("/{prefix}/")).collect();
        Self { keys: keys.iter().map(absolute).collect(), prefixes }
    }
}

/// Stores a value. The bytes are read when they are sent, and must not change until then.
#[wasm_bindgen(js_name = setKey)]
pub fn set_key(store: u32, key: String, bytes: Uint8Array, settle: Function) -> u32 {
    task::start(settle, async move {
        let key = StoreKey::parse(&key)?;
        let store = registry::store(store)?;
        let _touched = writers::touch(&store, std::slice::from_ref(&key));
        store.set(&key, stored_value(&bytes, false)?).await?;
        Ok(JsValue::UNDEFINED)
    })
}

/// Removes a key.
#[wasm_bindgen(js_name = eraseKey)]
pub fn erase_key(store: u32, key: String, settle: Function) -> u32 {
    task::start(settle, async move {
        let key = StoreKey::parse(&key)?;
        let store = registry::store(store)?;
        let _touched = writers::touch(&store, std::slice::from_ref(&key));
        store.erase(&key).await?;
        Ok(JsValue::UNDEFINED)
    })
}

/// The direct children of a prefix, sorted: `{ keys, prefixes }`.
#[wasm_bindgen(js_name = listDirectory)]
pub fn list_directory(store: u32, prefix: String, settle: Function) -> u32 {
    task::start(settle, async move {
        let listing = registry::store(store)?.list_dir(&NodePath::parse_any(&prefix)?).await?;
        to_js(&Directory::from(listing))
    })
}

/// All keys below a prefix, sorted.
#[wasm_bindgen(js_name = listKeys)]
pub fn list_keys(store: u32, prefix: String, settle: Function) -> u32 {
    task::start(settle, async move { keys_below(store, &prefix).await })
}

async fn keys_below(store: u32, prefix: &str) -> Result<JsValue> {
    let mut keys = registry::store(store)?.list_prefix(&NodePath::parse_any(prefix)?).await?;
    keys.sort();
    Ok(keys.iter().map(|key| JsValue::from(absolute(key))).collect::<Array>().into())
}
