//! What Icechunk repositories say of themselves.

use zarr_wasm_contract::{RepositoryQuestion, RepositorySubject};

use crate::error::{Error, Result};
use crate::format::icechunk::repo::RefKind;
use crate::js::call::Call;
use crate::js::registry;
use crate::store::icechunk::history::Question;

/// See `ask_repository` of the contract.
pub async fn ask_repository(asked: RepositoryQuestion, _: Call) -> Result<String> {
    let store = registry::store(asked.store)?;
    let repository = store.repository().ok_or_else(|| Error::argument("not an Icechunk repository"))?;
    let question = match asked.question {
        RepositorySubject::Snapshot => Question::Snapshot,
        RepositorySubject::Branches => Question::Names(RefKind::Branch),
        RepositorySubject::Tags => Question::Names(RefKind::Tag),
        RepositorySubject::History => Question::History,
    };
    repository.ask(question).await
}
