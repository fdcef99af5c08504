//! What is below a group, for `children.ts`.

use js_sys::{Array as JsArray, Function};
use wasm_bindgen::prelude::*;

use super::{describe, registry, store, task};
use crate::error::Result;
use crate::hierarchy::children::children as children_of;

/// The summaries of the nodes directly below a group.
#[wasm_bindgen]
pub fn children(store: u32, path: String, signal: JsValue, settle: Function) -> u32 {
    task::start(settle, async move {
        let store = registry::store(store)?;
        let nodes = children_of(&store, path.trim_matches('/'), &store::context(signal)).await?;
        let summaries = nodes.iter().map(describe::summary).collect::<Result<Vec<_>>>()?;
        Ok(summaries.into_iter().collect::<JsArray>().into())
    })
}
