//! The pyramids that ndpyramid writes: `multiscales[].datasets[]`, each a group of arrays.
//! https://github.com/carbonplan/ndpyramid
//!
//! It has the form of OME-Zarr's early `multiscales` without axes. [`recognise`] tells them apart.

use super::finding::Report;
use super::members::Member::{Optional, Required};
use super::members::Type::{self, Integer, List, Object, Rule, Text};
use super::node::Node;
use super::pointer::{Pointer, is_relative_path};

const MULTISCALE: Type<'_> = Object(&[
    Optional("type", Text),
    Optional("metadata", Object(&[])),
    Optional("name", Text),
    Required("datasets", List(1, &DATASET)),
]);

const DATASET: Type<'_> = Object(&[
    Required("path", Rule(&path_below)),
    Optional("pixels_per_tile", Integer(1)),
    Optional("level", Integer(0)),
    Optional("crs", Text),
]);

/// Whether ndpyramid wrote the first entry: it has tile sizes, or names the ndpyramid function that
/// made it.
pub fn recognise(node: &Node) -> Option<String> {
    let first = node.get("multiscales")?.as_array()?.first()?;
    if first.get("axes").is_some() {
        return None;
    }
    let metadata = first.get("metadata");
    let text = |key: &str| metadata.and_then(|metadata| metadata.text_of(key));
    let tiled =
        first.get("datasets")?.as_array()?.iter().any(|dataset| dataset.get("pixels_per_tile").is_some());
    let named = text("method").is_some_and(|method| method.starts_with("pyramid_"));
    (tiled || named).then(|| text("version").unwrap_or_default().to_owned())
}

/// Checks the datasets.
pub fn validate(node: &Node, _version: &str, report: &mut Report) {
    node.pointer().check_members(&[Required("multiscales", List(1, &MULTISCALE))], report);
}

fn path_below(path: &Pointer<'_>, report: &mut Report) {
    if path.string(report).is_some_and(|text| !is_relative_path(text)) {
        report.error("path", &path.path, "this is not a path below this group");
    }
}
