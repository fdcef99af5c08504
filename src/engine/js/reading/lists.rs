//! Lists of any engine store for JavaScript, where keys and prefixes begin with a slash, and
//! prefixes end with one.

use js_sys::{Array, Function};
use wasm_bindgen::prelude::*;

use crate::error::Result;
use crate::format::path::{NodePath, StoreKey};
use crate::js::record::Record;
use crate::js::{registry, task};
use crate::sorted;

fn absolute(keys: &[StoreKey]) -> Array {
    let list = Array::new();
    for key in keys {
        list.push(&format!("/{}", key.as_str()).into());
    }
    list
}

/// The direct children of a prefix, sorted: `Directory` of `types.ts`.
#[wasm_bindgen(js_name = listDirectory)]
pub fn list_directory(store: u32, prefix: String, settle: Function) -> u32 {
    task::start(settle, async move { children_of(store, &prefix).await })
}

async fn children_of(store: u32, prefix: &str) -> Result<JsValue> {
    let mut listing = registry::store(store)?.list_dir(&NodePath::parse_any(prefix)?).await?;
    sorted::sort(&mut listing.keys);
    sorted::sort(&mut listing.prefixes);
    let prefixes = Array::new();
    for prefix in &listing.prefixes {
        prefixes.push(&format!("/{prefix}/").into());
    }
    Ok(Record::new().with("keys", &absolute(&listing.keys)).with("prefixes", &prefixes).finish())
}

/// All keys below a prefix, sorted.
#[wasm_bindgen(js_name = listKeys)]
pub fn list_keys(store: u32, prefix: String, settle: Function) -> u32 {
    task::start(settle, async move { keys_below(store, &prefix).await })
}

async fn keys_below(store: u32, prefix: &str) -> Result<JsValue> {
    let mut keys = registry::store(store)?.list_prefix(&NodePath::parse_any(prefix)?).await?;
    sorted::sort(&mut keys);
    Ok(absolute(&keys).into())
}
