//! Futures of stores, which stay on their thread, and what is done with them.

use std::future::Future;
use std::pin::Pin;

use futures_util::future::Shared;

use crate::error::{Error, IS_FULL, IS_READING, Result};
use crate::format::path::StoreKey;

/// A future on the current thread. JavaScript handles cannot move to other threads.
pub type LocalFuture<'a, T> = Pin<Box<dyn Future<Output = T> + 'a>>;

/// Work that several wait for. Clones wait for the same work.
pub type SharedFuture<T> = Shared<LocalFuture<'static, T>>;

/// Work of the full build. In others it fails with [`Error::needs_full`], and the compiler drops
/// the work.
pub(crate) fn in_full<'a, T: 'a>(
    what: &str,
    work: impl FnOnce() -> LocalFuture<'a, Result<T>>,
) -> LocalFuture<'a, Result<T>> {
    if IS_FULL { work() } else { Box::pin(std::future::ready(Err(Error::needs_full(what)))) }
}

/// As [`in_full`], for lists and other work of the build `reading`.
pub(crate) fn in_reading<'a, T: 'a>(
    what: &str,
    work: impl FnOnce() -> LocalFuture<'a, Result<T>>,
) -> LocalFuture<'a, Result<T>> {
    if IS_READING { work() } else { Box::pin(std::future::ready(Err(Error::needs_reading(what)))) }
}

/// Runs work and adds the key to its error.
pub(crate) async fn at_key<T>(key: &StoreKey, work: impl Future<Output = Result<T>>) -> Result<T> {
    work.await.map_err(|error| error.at_key(key.as_str()))
}

/// The first value, or else the second, which is asked for where the first is absent.
pub(crate) fn first_of<'a, T: 'a>(
    first: LocalFuture<'a, Result<Option<T>>>,
    second: impl FnOnce() -> LocalFuture<'a, Result<Option<T>>> + 'a,
) -> LocalFuture<'a, Result<Option<T>>> {
    Box::pin(async move {
        match first.await? {
            None => second().await,
            found => Ok(found),
        }
    })
}
