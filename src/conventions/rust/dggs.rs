//! `dggs`: elements are cells of a discrete global grid. https://github.com/zarr-conventions/dggs
//!
//! Checks what all grids have in common, but not the parameters of single grid systems.

use super::finding::Report;
use super::members::Member::{self, Optional, Required};
use super::members::Type::{Object, Rule, Text};
use super::node::Node;
use super::pointer::Pointer;

const DGGS: Member<'_> = Required(
    "dggs",
    Object(&[
        Required("name", Text),
        Optional("refinement_level", Rule(&refinement_level)),
        Optional("spatial_dimension", Text),
        Optional("coordinate", Text),
        Optional("compression", Text),
    ]),
);

/// Whether the attributes have an object that names a grid.
pub fn recognise(node: &Node) -> Option<String> {
    node.get("dggs")?.get("name").map(|_| String::new())
}

/// Checks the object.
pub fn validate(node: &Node, _version: &str, report: &mut Report) {
    node.pointer().check_members(&[DGGS], report);
}

fn refinement_level(level: &Pointer<'_>, report: &mut Report) {
    if !level.value.is_null() {
        level.integer(0, report);
    }
}
