//! Writing in any engine store from JavaScript, where keys begin with a slash.

use js_sys::{Function, Uint8Array};
use wasm_bindgen::prelude::*;

use crate::format::path::StoreKey;
use crate::js::bytes::stored_value;
use crate::js::{registry, task};
use crate::store::writers;

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
