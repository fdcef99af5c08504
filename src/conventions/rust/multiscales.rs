//! `multiscales`: levels of resolution and how they came from each other.
//! https://github.com/zarr-conventions/multiscales
//!
//! The current `layout` has `asset`, `derived_from` and `transform: {scale, translation}`. That of
//! the early draft has `group`, `from_group` and `scale`. Both are read, independent of the
//! declared version.

use super::finding::Report;
use super::members::Member::Optional;
use super::members::Type::{Object, Text};
use super::node::Node;
use super::pointer::{Pointer, is_relative_path};
use crate::quoted::quoted;
use crate::sorted::Map;
use crate::value::Value;

/// Whether the attributes have a layout.
pub fn recognise(node: &Node) -> Option<String> {
    node.get("multiscales")?.get("layout").map(|_| String::new())
}

/// The name of a field in an entry: that of the early draft if only that one is there.
pub fn key<'a>(entry: &Pointer<'_>, today: &'a str, early: &'a str) -> &'a str {
    let has = |key: &str| entry.value.get(key).is_some();
    if !has(today) && has(early) { early } else { today }
}

/// A field of an entry, in either spelling.
pub fn value<'a>(entry: &Pointer<'a>, today: &str, early: &str) -> Option<&'a Value> {
    entry.value.get(key(entry, today, early))
}

/// The scale or translation of an entry. The early draft has them in the entry itself.
pub fn factors<'a>(entry: &Pointer<'a>, key: &str) -> Option<Pointer<'a>> {
    let transform = entry.member("transform");
    transform.and_then(|transform| transform.member(key)).or_else(|| entry.member(key))
}

/// Checks the layout of a group.
pub fn validate(node: &Node, _version: &str, report: &mut Report) {
    let Some(multiscales) = node.pointer().require("multiscales", report) else { return };
    if multiscales.object(report).is_none() {
        return;
    }
    if multiscales.member("layout").is_none() && multiscales.member("tile_matrix_set").is_some() {
        report.warning(
            "tile-matrix-set",
            &multiscales.path,
            "this is the early form of tile_matrix_set, without a layout",
        );
        return;
    }
    multiscales.check_members(&[Optional("resampling_method", Text)], report);
    let Some(layout) = multiscales.require("layout", report) else { return };
    let Some(entries) = layout.array(1, report) else { return };
    for entry in &entries {
        validate_entry(entry, report);
    }
    validate_graph(&entries, report);
}

fn validate_entry(entry: &Pointer<'_>, report: &mut Report) {
    if entry.object(report).is_none() {
        return;
    }
    let early = entry.member("asset").is_none() && entry.member("group").is_some();
    let (asset, source) = if early { ("group", "from_group") } else { ("asset", "derived_from") };
    if let Some(asset) = entry.require(asset, report) {
        validate_path(&asset, report);
    }
    if let Some(source) = entry.member(source) {
        validate_path(&source, report);
        if !early && entry.member("transform").is_none() {
            report.error("no-transform", &entry.path, "a derived level must have \"transform\"");
        }
    }
    entry.check_members(&[Optional("resampling_method", Text), Optional("transform", Object(&[]))], report);
    for key in ["scale", "translation"] {
        let Some(factors) = factors(entry, key) else { continue };
        let numbers = factors.numbers(None, report).unwrap_or_default();
        if key == "scale" && numbers.iter().any(|number| *number <= 0.0) {
            report.warning("scale", &factors.path, "a scale should be greater than zero");
        }
    }
}

fn validate_path(pointer: &Pointer<'_>, report: &mut Report) {
    if let Some(path) = pointer.string(report)
        && !is_relative_path(path)
    {
        let message = format!(
            "the path must be below this group, without a leading \"/\" and without \"..\", found {}",
            quoted(path)
        );
        report.error("asset-path", &pointer.path, message);
    }
}

/// Checks that sources exist, that no level is listed twice, and that no level derives from itself,
/// directly or through other levels.
fn validate_graph(entries: &[Pointer<'_>], report: &mut Report) {
    let mut sources: Map<String, Option<&str>> = Map::new();
    for entry in entries {
        let Some(asset) = text(entry, "asset", "group") else { continue };
        if sources.insert(asset.to_owned(), text(entry, "derived_from", "from_group")).is_some() {
            report.warning("duplicate", &entry.path, format!("the level {} occurs twice", quoted(asset)));
        }
    }
    for entry in entries {
        let Some(source) = text(entry, "derived_from", "from_group") else { continue };
        if !sources.contains_key(source) {
            report.warning(
                "unknown-source",
                &entry.path,
                format!("the source level {} does not exist", quoted(source)),
            );
        }
    }
    if let Some(level) = cycle(&sources) {
        let entry = entries.iter().find(|entry| text(entry, "asset", "group") == Some(level));
        let path = entry.map_or("", |entry| entry.path.as_str());
        report.error("cycle", path, format!("the level {} is derived from itself", quoted(level)));
    }
}

/// A level that derives from itself. Visits each level once.
fn cycle<'a>(sources: &'a Map<String, Option<&'a str>>) -> Option<&'a str> {
    let mut walked: Map<String, usize> = Map::new();
    for (walk, (start, _)) in sources.iter().enumerate() {
        let mut next = Some(start.as_str());
        while let Some(level) = next {
            match walked.insert(level.to_owned(), walk) {
                Some(earlier) if earlier == walk => return Some(level),
                Some(_) => break,
                None => next = sources.get(level).copied().flatten(),
            }
        }
    }
    None
}

/// A string field, in either spelling.
fn text<'a>(entry: &Pointer<'a>, today: &str, early: &str) -> Option<&'a str> {
    value(entry, today, early)?.as_str()
}
