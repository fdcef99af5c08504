//! What Icechunk repositories say of themselves.

use js_sys::Function;
use wasm_bindgen::prelude::*;

use crate::error::Error;
use crate::format::icechunk::repo::RefKind;
use crate::js::{registry, task};
use crate::store::icechunk::history::Question;

/// Asks a repository about itself. The answer is JSON text, or an id.
#[wasm_bindgen(js_name = askRepository)]
pub fn ask_repository(store: u32, question: String, settle: Function) -> u32 {
    task::start(settle, async move {
        let store = registry::store(store)?;
        let repository = store.repository().ok_or_else(|| Error::argument("not an Icechunk repository"))?;
        let question = match question.as_str() {
            "snapshot" => Question::Snapshot,
            "branches" => Question::Names(RefKind::Branch),
            "tags" => Question::Names(RefKind::Tag),
            _ => Question::History,
        };
        Ok(repository.ask(question).await?.into())
    })
}
