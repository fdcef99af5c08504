//! The children of a group, and what is known of nodes that cannot be opened. Called by
//! `children.ts`.

use js_sys::{Array as JsArray, Function};
use wasm_bindgen::prelude::*;

use super::error::report_to_js;
use super::record::{Record, bigints};
use super::{describe, registry, store, task};
use crate::error::{Error, Result};
use crate::format::metadata::NodeKind;
use crate::format::metadata::sketch::Sketch;
use crate::hierarchy::children::{Child, children as children_of};
use crate::hierarchy::open::{OpenOptions, open_or_sketch};

/// The summaries of the direct children of a group.
#[wasm_bindgen]
pub fn children(store: u32, path: String, signal: JsValue, settle: Function) -> u32 {
    task::start(settle, async move {
        let store = registry::store(store)?;
        let nodes = children_of(&store, path.trim_matches('/'), &store::context(signal)).await?;
        let summaries = nodes.iter().map(summary).collect::<Result<Vec<_>>>()?;
        Ok(summaries.into_iter().collect::<JsArray>().into())
    })
}

/// What is known of a node that cannot be opened; undefined for a node that can.
#[wasm_bindgen]
pub fn unreadable(store: u32, path: String, signal: JsValue, settle: Function) -> u32 {
    task::start(settle, async move {
        let store = registry::store(store)?;
        let (path, options) = (path.trim_matches('/'), OpenOptions::default());
        let child = open_or_sketch(&store, path, &options, &store::context(signal)).await;
        if child.is_ok() { Ok(JsValue::UNDEFINED) } else { summary(&child) }
    })
}

/// A `NodeSummary` for a node that can be opened, else an `UnreadableSummary`.
fn summary(child: &Child) -> Result<JsValue> {
    let node = match child {
        Ok(node) => node,
        Err(child) => return Ok(unreadable_summary(&child.path, &child.sketch, &child.error)),
    };
    match describe::summary(node) {
        Err(error) if !error.is_of_build() => {
            let path = node.path.as_str();
            Ok(unreadable_summary(path, &node.sketch(), &error.at_node(path)))
        }
        described => described,
    }
}

/// `UnreadableSummary` of `node_summary.ts`.
fn unreadable_summary(path: &str, sketch: &Sketch, error: &Error) -> JsValue {
    let record = Record::new()
        .with_text("path", &format!("/{path}"))
        .with_text_of("kind", sketch.kind.map(NodeKind::name))
        .with_text_of("dtype", sketch.data_type.as_deref())
        .with_text_of("attributes", sketch.attributes.as_deref())
        .with("error", &report_to_js(error));
    match &sketch.shape {
        Some(shape) => record.with("shape", &bigints(shape)).finish(),
        None => record.finish(),
    }
}
