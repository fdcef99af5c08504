//! Storage transformers of the user: JavaScript functions from a store to a store, by the URI that
//! metadata names. `src/api/registry.ts` calls them when an array is bound.

use std::rc::Rc;

use js_sys::Uint8Array;
use wasm_bindgen::prelude::*;
use zarr_wasm_contract::{Record, TransformerInfo};

use super::error::store_failed;
use super::objects;
use super::user_store::UserStore;
use crate::error::{Error, IS_FULL, Result};
use crate::format::metadata::lossless::{json_text, json_text_of};
use crate::store::Store;
use crate::store::wrap::transform::{ArrayKeys, NamedTransformer, Transformer, TransformerRegistry};

#[wasm_bindgen]
extern "C" {
    /// `TransformerHook` of `host/bound_arrays.ts`.
    #[derive(Clone)]
    pub type TransformerHook;

    #[wasm_bindgen(method)]
    fn has(this: &TransformerHook, extension: &str) -> bool;

    /// A new id.
    #[wasm_bindgen(method, js_name = newId)]
    fn new_id(this: &TransformerHook) -> u32;

    /// Wraps the store with the id `below`. `info` is a `TransformerInfo` of the contract. Returns
    /// the id of an engine store, or a user's object.
    #[wasm_bindgen(method, catch)]
    fn transform(
        this: &TransformerHook,
        info: &Uint8Array,
        below: u32,
    ) -> std::result::Result<JsValue, JsValue>;
}

/// The built-in transformers, and those that the hook knows.
pub fn registry_of(hook: TransformerHook) -> Rc<TransformerRegistry> {
    let mut registry = TransformerRegistry::default();
    if !IS_FULL {
        return Rc::new(registry);
    }
    registry.ask_for_others(Rc::new(move |named| {
        let transformer = || Rc::new(UserTransformer::new(&hook, named)) as Rc<dyn Transformer>;
        hook.has(named.extension).then(|| Ok(transformer()))
    }));
    Rc::new(registry)
}

struct UserTransformer {
    hook: TransformerHook,
    extension: String,
    kind: String,
    configuration: Option<String>,
}

impl UserTransformer {
    fn new(hook: &TransformerHook, named: &NamedTransformer<'_>) -> Self {
        Self {
            hook: hook.clone(),
            extension: named.extension.to_owned(),
            kind: named.kind.to_owned(),
            configuration: named.configuration.map(str::to_owned),
        }
    }

    // Counts are for planning; keys are exact.
    #[allow(clippy::cast_precision_loss)]
    fn info(&self, array: &ArrayKeys) -> Result<Uint8Array> {
        let info = TransformerInfo {
            extension: self.extension.clone(),
            r#type: json_text(&self.kind)?,
            configuration: json_text_of(self.configuration.as_ref())?,
            prefix: format!("/{}/", array.prefix),
            grid_shape: array.grid_shape.iter().map(|count| *count as f64).collect(),
            separator: array.separator.as_char().into(),
        };
        Ok(Uint8Array::from(info.to_bytes().as_slice()))
    }
}

impl Transformer for UserTransformer {
    fn around(&self, below: Rc<dyn Store>, array: &ArrayKeys) -> Result<Rc<dyn Store>> {
        let (info, id) = (self.info(array)?, self.hook.new_id());
        objects::keep_store(id, below);
        let made = self.hook.transform(&info, id);
        let made = made.map_err(|thrown| store_failed("a storage transformer failed", thrown))?;
        // Ids are `u32`.
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        match made.as_f64() {
            Some(id) => objects::store(id as u32),
            None if made.is_object() => Ok(Rc::new(UserStore::kept(made))),
            None => Err(Error::argument("a storage transformer returned no store").expected("an object")),
        }
    }
}
