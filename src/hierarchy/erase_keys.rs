//! Erases known keys, several at a time.

use std::rc::Rc;

use futures_util::stream::{self, StreamExt, TryStreamExt};

use crate::error::{Error, Result};
use crate::format::path::StoreKey;
use crate::store::Store;
use crate::store::writers;

/// The most keys that are erased without knowing which exist.
pub(super) const BLIND_KEYS: u64 = 1 << 20;

/// The number of erase requests in flight at once.
pub(super) const IN_FLIGHT: usize = 16;

/// Erases these keys, [`IN_FLIGHT`] at a time. Missing keys are no error.
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
