//! The pyramids that ndpyramid writes: `multiscales[].datasets[]`, each a group of arrays.
//! https://github.com/carbonplan/ndpyramid
//!
//! It has the form of OME-Zarr's early `multiscales` without axes. [`recognise`] tells them apart.

use serde_json::Value;

use super::finding::Report;
use super::node::Node;
use super::place::is_relative_path;

/// Whether ndpyramid wrote the first entry: it has tile sizes, or names the ndpyramid function that
/// made it.
pub fn recognise(node: &Node) -> Option<String> {
    let first = node.get("multiscales")?.as_array()?.first()?;
    if first.get("axes").is_some() {
        return None;
    }
    let metadata = first.get("metadata");
    let method = metadata.and_then(|metadata| metadata.get("method")).and_then(Value::as_str);
    let tiled =
        first.get("datasets")?.as_array()?.iter().any(|dataset| dataset.get("pixels_per_tile").is_some());
    let named = method.is_some_and(|method| method.starts_with("pyramid_"));
    let version = metadata.and_then(|metadata| metadata.get("version")).and_then(Value::as_str);
    (tiled || named).then(|| version.unwrap_or_default().to_owned())
}

/// Checks the datasets.
pub fn validate(node: &Node, _version: &str, report: &mut Report) {
    let Some(multiscales) = node.place().require("multiscales", report) else { return };
    for multiscale in multiscales.array(1, report).unwrap_or_default() {
        if multiscale.object(report).is_none() {
            continue;
        }
        multiscale.optional(&[("type", 's'), ("metadata", 'o'), ("name", 's')], report);
        let Some(datasets) = multiscale.require("datasets", report) else { continue };
        for dataset in datasets.array(1, report).unwrap_or_default() {
            if dataset.object(report).is_none() {
                continue;
            }
            if let Some(path) = dataset.require("path", report)
                && path.string(report).is_some_and(|text| !is_relative_path(text))
            {
                report.error("path", &path.path, "this is not a path below this group");
            }
            if let Some(size) = dataset.member("pixels_per_tile") {
                size.integer(1, report);
            }
            if let Some(level) = dataset.member("level") {
                level.integer(0, report);
            }
            dataset.optional(&[("crs", 's')], report);
        }
    }
}
