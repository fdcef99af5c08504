//! Lists of any engine store for JavaScript, where keys and prefixes begin with a slash, and
//! prefixes end with one.

use zarr_wasm_contract::{Directory, KeyPrefix};

use crate::error::Result;
use crate::format::path::{NodePath, StoreKey};
use crate::js::call::Call;
use crate::js::objects;
use crate::sorted;

fn absolute(keys: &[StoreKey]) -> Vec<String> {
    keys.iter().map(|key| format!("/{}", key.as_str())).collect()
}

/// See `list_directory` of the contract.
pub async fn list_directory(KeyPrefix { store, prefix }: KeyPrefix, _: Call) -> Result<Directory> {
    let mut listing = objects::store(store)?.list_dir(&NodePath::parse_any(&prefix)?).await?;
    sorted::sort(&mut listing.keys);
    sorted::sort(&mut listing.prefixes);
    let prefixes = listing.prefixes.iter().map(|prefix| format!("/{prefix}/")).collect();
    Ok(Directory { keys: absolute(&listing.keys), prefixes })
}

/// See `list_keys` of the contract.
pub async fn list_keys(KeyPrefix { store, prefix }: KeyPrefix, _: Call) -> Result<Vec<String>> {
    let mut keys = objects::store(store)?.list_prefix(&NodePath::parse_any(&prefix)?).await?;
    sorted::sort(&mut keys);
    Ok(absolute(&keys))
}
