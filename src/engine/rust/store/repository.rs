//! Stores that show a repository, which has a history beside its values.

pub use zarr_wasm_contract::RepositorySubject;

use super::local_future::LocalFuture;
use crate::error::Result;

/// A repository, which tells about itself.
pub trait Repository {
    /// Answers a question: an id, or JSON.
    fn ask(&self, question: RepositorySubject) -> LocalFuture<'_, Result<String>>;
}
