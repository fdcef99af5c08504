//! `dggs`: elements are cells of a discrete global grid. https://github.com/zarr-conventions/dggs
//!
//! Checks what all grids have in common, but not the parameters of single grid systems.

use super::finding::Report;
use super::node::Node;

/// Whether the attributes have an object that names a grid.
pub fn recognise(node: &Node) -> Option<String> {
    node.get("dggs")?.get("name").map(|_| String::new())
}

/// Checks the object.
pub fn validate(node: &Node, _version: &str, report: &mut Report) {
    let Some(dggs) = node.place().require("dggs", report) else { return };
    if dggs.object(report).is_none() {
        return;
    }
    dggs.require("name", report).and_then(|name| name.string(report).map(str::to_owned));
    if let Some(level) = dggs.member("refinement_level").filter(|level| !level.value.is_null()) {
        level.integer(0, report);
    }
    dggs.optional(&[("spatial_dimension", 's'), ("coordinate", 's'), ("compression", 's')], report);
}
