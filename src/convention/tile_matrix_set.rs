//! `multiscales.tile_matrix_set`: levels as tile matrices of OGC 17-083r4. An older GeoZarr text
//! has it, and EOPF data use it.

use serde_json::Value;

use super::finding::Report;
use super::node::Node;
use super::place::Place;

/// Whether `multiscales` has a tile matrix set.
pub fn recognise(node: &Node) -> Option<String> {
    node.get("multiscales")?.get("tile_matrix_set").map(|_| String::new())
}

/// The matrices, in either spelling.
pub fn matrices<'a>(set: &Place<'a>) -> Option<Place<'a>> {
    ["tileMatrices", "tile_matrices", "tileMatrix"].iter().find_map(|key| set.member(key))
}

/// Checks the set. A set that is given only by name cannot be checked.
pub fn validate(node: &Node, _version: &str, report: &mut Report) {
    let set =
        node.place().member("multiscales").and_then(|multiscales| multiscales.member("tile_matrix_set"));
    let Some(set) = set else { return };
    if let Value::String(name) = set.value {
        let message =
            format!("the tile matrix set {name:?} is not defined here: its levels are found by group");
        report.info("named", &set.path, message);
        return;
    }
    if set.object(report).is_none() {
        return;
    }
    set.optional(&[("id", 's'), ("title", 's'), ("orderedAxes", 'a')], report);
    let Some(matrices) = matrices(&set) else {
        report.error("required", &set.path, "\"tileMatrices\" is missing");
        return;
    };
    for matrix in matrices.array(1, report).unwrap_or_default() {
        if matrix.object(report).is_some() {
            validate_matrix(&matrix, report);
        }
    }
}

fn validate_matrix(matrix: &Place<'_>, report: &mut Report) {
    matrix.require("id", report).and_then(|id| id.string(report).map(str::to_owned));
    if let Some(size) = matrix.require("cellSize", report)
        && size.number(report).is_some_and(|size| size <= 0.0)
    {
        report.error("range", &size.path, "a cell size must be greater than zero");
    }
    if let Some(origin) = matrix.require("pointOfOrigin", report) {
        origin.numbers(Some(2), report);
    }
    matrix.optional(&[("scaleDenominator", 'n')], report);
    for key in ["tileWidth", "tileHeight", "matrixWidth", "matrixHeight"] {
        if let Some(extent) = matrix.member(key) {
            extent.integer(1, report);
        }
    }
    if let Some(corner) = matrix.member("cornerOfOrigin")
        && corner.string(report).is_some_and(|corner| !["topLeft", "bottomLeft"].contains(&corner))
    {
        report.error("corner", &corner.path, "the corner of origin must be \"topLeft\" or \"bottomLeft\"");
    }
}
