//! The children of a group, and what is known of nodes that cannot be opened. Called by
//! `children.ts`.

use zarr_wasm_contract::{ChildSummary, NodeLocation, UnreadableSummary};

use super::call::Call;
use super::error::record_of;
use super::{describe, objects};
use crate::error::{Error, Result};
use crate::format::metadata::lossless::json_text_of;
use crate::format::metadata::sketch::Sketch;
use crate::hierarchy::children::{Child, children as children_of};
use crate::hierarchy::open::{OpenOptions, open_or_sketch};

/// See `children` of the contract.
pub async fn children(NodeLocation { store, path }: NodeLocation, call: Call) -> Result<Vec<ChildSummary>> {
    let store = objects::store(store)?;
    let nodes = children_of(&store, path.trim_matches('/'), &call.context()).await?;
    nodes.iter().map(|child| summary(child, &call)).collect()
}

/// See `unreadable` of the contract.
pub async fn unreadable(
    NodeLocation { store, path }: NodeLocation,
    call: Call,
) -> Result<Option<UnreadableSummary>> {
    let store = objects::store(store)?;
    let options = OpenOptions::default();
    let child = open_or_sketch(&store, path.trim_matches('/'), &options, &call.context()).await;
    if child.is_ok() { Ok(None) } else { Ok(summary(&child, &call)?.unreadable) }
}

fn summary(child: &Child, call: &Call) -> Result<ChildSummary> {
    let unreadable = |unreadable| ChildSummary { node: None, unreadable: Some(unreadable) };
    let node = match child {
        Ok(node) => node,
        Err(child) => {
            return unreadable_summary(&child.path, &child.sketch, &child.error, call).map(unreadable);
        }
    };
    match describe::summary(node, call) {
        Ok(summary) => Ok(ChildSummary { node: Some(summary), unreadable: None }),
        Err(error) if error.is_of_build() => Err(error),
        Err(error) => {
            let path = node.path.as_str();
            unreadable_summary(path, &node.sketch(), &error.at_node(path), call).map(unreadable)
        }
    }
}

fn unreadable_summary(path: &str, sketch: &Sketch, error: &Error, call: &Call) -> Result<UnreadableSummary> {
    Ok(UnreadableSummary {
        path: format!("/{path}"),
        kind: sketch.kind,
        shape: sketch.shape.clone(),
        dtype: sketch.data_type.clone(),
        attributes: json_text_of(sketch.attributes.as_ref())?,
        error: record_of(error, &mut |cause| call.hold(cause)),
    })
}
