//! Writing in any engine store from JavaScript, where keys begin with a slash.

use zarr_wasm_contract::{KeyValue, StoreEntry};

use crate::error::Result;
use crate::format::path::StoreKey;
use crate::js::bytes::stored_value;
use crate::js::call::Call;
use crate::js::objects;
use crate::store::writers;

/// See `set_key` of the contract.
pub async fn set_key(KeyValue { store, key, value }: KeyValue, call: Call) -> Result<()> {
    let key = StoreKey::parse(&key)?;
    let store = objects::store(store)?;
    let _touched = writers::touch(&store, std::slice::from_ref(&key));
    store.set(&key, stored_value(&call.held_bytes(value), false)?).await
}

/// See `erase_key` of the contract.
pub async fn erase_key(StoreEntry { store, key }: StoreEntry, _: Call) -> Result<()> {
    let key = StoreKey::parse(&key)?;
    let store = objects::store(store)?;
    let _touched = writers::touch(&store, std::slice::from_ref(&key));
    store.erase(&key).await
}
