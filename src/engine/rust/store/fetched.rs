//! What a store answers: a value or a byte range of one, and requests that bring several ranges.

use super::local_future::{LocalFuture, SharedFuture};
use crate::error::Result;

pub use zarr_wasm_http::{FetchResult, Fetched, Measured};

/// A request to a store: the value that it finds.
pub type GetFuture<'a> = LocalFuture<'a, FetchResult>;

/// The size of a value in bytes; `None` if it is absent.
pub type SizeFuture<'a> = LocalFuture<'a, Result<Option<u64>>>;

/// What is known of a value; `None` if it is absent.
#[cfg(feature = "reading")]
pub type MeasuredFuture<'a> = LocalFuture<'a, Result<Option<Measured>>>;

/// A request, and which of a caller's ranges it contains.
#[derive(Clone)]
pub struct Gathered {
    /// The positions of these ranges in the caller's list.
    pub members: Vec<usize>,
    /// Where the bytes of the request start in the value.
    pub start: u64,
    /// The bytes. The request starts when this is polled.
    pub answer: SharedFuture<FetchResult>,
}
