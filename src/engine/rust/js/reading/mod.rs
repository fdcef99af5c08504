//! What the engine's own build lacks and reading sometimes needs: archives, references, Icechunk
//! repositories, lists, and the sizes of what is stored.

mod archive;
mod icechunk;
mod lists;
mod reference;
mod repository;
mod sizes;

use serde::de::DeserializeOwned;
use wasm_bindgen::JsValue;

use crate::error::{Error, Result};

/// What defines a store, as the engine's TypeScript writes it.
///
/// # Errors
/// `Argument` for an object of another form.
fn definition_of<T: DeserializeOwned>(definition: JsValue) -> Result<T> {
    serde_wasm_bindgen::from_value(definition)
        .map_err(|error| Error::argument(format!("the definition of a store cannot be read: {error}")))
}

/// The operations of this room.
pub(super) mod operations {
    pub use super::lists::*;
    pub use super::repository::*;
    pub use super::sizes::*;
}
