//! What Icechunk repositories say of themselves.

use zarr_wasm_contract::RepositoryQuestion;

use crate::error::{Error, Result};
use crate::js::call::Call;
use crate::js::objects;

/// See `ask_repository` of the contract.
pub async fn ask_repository(asked: RepositoryQuestion, _: Call) -> Result<String> {
    let store = objects::store(asked.store)?;
    let repository = store.repository().ok_or_else(|| Error::argument("not an Icechunk repository"))?;
    repository.ask(asked.question).await
}
