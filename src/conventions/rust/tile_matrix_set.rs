//! `multiscales.tile_matrix_set`: levels as tile matrices of OGC 17-083r4. An older GeoZarr text
//! has it, and EOPF data use it.

use super::finding::Report;
use super::members::Member::{Optional, Required};
use super::members::Type::{self, Any, Integer, List, Number, Numbers, Object, Rule, Text};
use super::node::Node;
use super::pointer::Pointer;
use crate::quoted::quoted;
use crate::value::Value;

const SET: Type<'_> =
    Object(&[Optional("id", Text), Optional("title", Text), Optional("orderedAxes", List(0, &Any))]);

const MATRIX: Type<'_> = Object(&[
    Required("id", Text),
    Required("cellSize", Rule(&cell_size)),
    Required("pointOfOrigin", Numbers(Some(2))),
    Optional("scaleDenominator", Number),
    Optional("tileWidth", Integer(1)),
    Optional("tileHeight", Integer(1)),
    Optional("matrixWidth", Integer(1)),
    Optional("matrixHeight", Integer(1)),
    Optional("cornerOfOrigin", Rule(&corner)),
]);

/// Whether `multiscales` has a tile matrix set.
pub fn recognise(node: &Node) -> Option<String> {
    node.get("multiscales")?.get("tile_matrix_set").map(|_| String::new())
}

/// The matrices, in either spelling.
pub fn matrices<'a>(set: &Pointer<'a>) -> Option<Pointer<'a>> {
    ["tileMatrices", "tile_matrices", "tileMatrix"].iter().find_map(|key| set.member(key))
}

/// Checks the set. A set that is given only by name cannot be checked.
pub fn validate(node: &Node, _version: &str, report: &mut Report) {
    let set =
        node.pointer().member("multiscales").and_then(|multiscales| multiscales.member("tile_matrix_set"));
    let Some(set) = set else { return };
    if let Value::String(name) = set.value {
        let message = format!(
            "the tile matrix set {} is not defined here: its levels are found by group",
            quoted(name)
        );
        report.info("named", &set.path, message);
        return;
    }
    set.check(SET, report);
    match matrices(&set) {
        Some(matrices) => matrices.check(List(1, &MATRIX), report),
        None if set.value.as_object().is_some() => {
            report.error("required", &set.path, "\"tileMatrices\" is missing");
        }
        None => {}
    }
}

fn cell_size(size: &Pointer<'_>, report: &mut Report) {
    if size.number(report).is_some_and(|size| size <= 0.0) {
        report.error("range", &size.path, "a cell size must be greater than zero");
    }
}

fn corner(corner: &Pointer<'_>, report: &mut Report) {
    if corner.string(report).is_some_and(|corner| !["topLeft", "bottomLeft"].contains(&corner)) {
        report.error("corner", &corner.path, "the corner of origin must be \"topLeft\" or \"bottomLeft\"");
    }
}
