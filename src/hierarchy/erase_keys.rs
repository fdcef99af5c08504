//! Erasing keys that are known by name, several at a time.

use std::rc::Rc;

use futures_util::stream::{self, StreamExt, TryStreamExt};

use crate::error::{Error, Result};
use crate::format::path::StoreKey;
use crate::store::Store;
use crate::store::writers;

/// So many keys are erased without knowing whether they are there.
pub(super) const BLIND_KEYS: u64 = 1 << 20;

/// Erases under way at a time.
pub(super) const IN_FLIGHT: usize = 16;

/// Erases keys, several at a time.
pub(super) async fn erase_keys(
    store: &Rc<dyn Store>,
    keys: impl IntoIterator<Item = StoreKey>,
) -> Result<()> {
    let erase = |key: StoreKey| async move {
        let _held = writers::lock(store, &key).await;
        let erased = store.erase(&key).await;
        writers::note(store, &key);
        erased.map_err(|error: Error| error.at_key(key.as_str()))
    };
    stream::iter(keys).map(erase).buffer_unordered(IN_FLIGHT).try_collect::<()>().await
}
