//! Erases known keys, several at a time.

use std::cell::RefCell;
use std::future::{Future, ready};
use std::rc::Rc;

use futures_util::stream::{self, StreamExt};

use crate::error::{Error, Result};
use crate::format::chunk_grid::unravel;
use crate::format::metadata::ArrayMetadata;
use crate::format::path::StoreKey;
use crate::limits;
use crate::store::Store;
use crate::store::writers;

/// The most keys that are erased without knowing which exist.
pub(super) const BLIND_KEYS: u64 = 1 << 20;

/// The keys of all chunks of an array, relative to it, for a store that cannot list those that
/// exist.
///
/// # Errors
/// `Limit` for more than [`BLIND_KEYS`].
pub(super) fn all_chunks(array: &ArrayMetadata) -> Result<impl Iterator<Item = String>> {
    let grid = array.chunk_grid.grid_shape(&array.shape);
    let count = limits::product(grid.iter().copied(), "number of chunks")?;
    limits::within(count, BLIND_KEYS, "number of chunks to erase in a store that cannot list")?;
    Ok((0..count).map(move |linear| array.chunk_key_encoding.encode(&unravel(linear, &grid))))
}

/// The number of changes in flight at once.
const IN_FLIGHT: usize = 16;

/// Performs changes of the store, [`IN_FLIGHT`] at a time. After a failure no other is started, but
/// those in flight are finished: the store performs them anyway, and must not do so after a later
/// change of the same key.
///
/// # Errors
/// The first error of a change.
pub(super) async fn change_all<F: Future<Output = Result<()>>>(
    changes: impl Iterator<Item = F>,
) -> Result<()> {
    let failure: RefCell<Option<Error>> = RefCell::default();
    let changes = stream::iter(changes).take_while(|_| ready(failure.borrow().is_none()));
    let done = changes.buffer_unordered(IN_FLIGHT).for_each(|changed| {
        if let Err(error) = changed {
            failure.borrow_mut().get_or_insert(error);
        }
        ready(())
    });
    done.await;
    failure.into_inner().map_or(Ok(()), Err)
}

/// Erases these keys. Missing keys are no error.
pub(super) async fn erase_keys(
    store: &Rc<dyn Store>,
    keys: impl IntoIterator<Item = StoreKey>,
) -> Result<()> {
    let erase = |key: StoreKey| async move {
        let _held = writers::lock(store, &key).await;
        let _touched = writers::touch(store, std::slice::from_ref(&key));
        let erased = store.erase(&key).await;
        erased.map_err(|error: Error| error.at_key(key.as_str()))
    };
    change_all(keys.into_iter().map(erase)).await
}
