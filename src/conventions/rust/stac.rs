//! `stac:`: a STAC object, or the way to one, on a group. https://github.com/zarr-conventions/stac
//!
//! It does not validate the STAC objects: the convention leaves that to STAC.

use super::finding::Report;
use super::members::Member::{self, Optional, Required};
use super::members::Type::{Object, Text};
use super::node::Node;

const KEYS: [&str; 4] = ["stac:item", "stac:collection", "stac:key", "stac:link"];

const PROPERTIES: [Member<'_>; 4] = [
    Optional("stac:item", Object(&[])),
    Optional("stac:collection", Object(&[])),
    Optional("stac:key", Text),
    Optional("stac:link", Object(&[Required("href", Text), Optional("rel", Text), Optional("type", Text)])),
];

/// Whether the attributes have any property of the convention.
pub fn recognise(node: &Node) -> Option<String> {
    let object = node.object()?;
    object.has_any(&KEYS).then(String::new)
}

/// Checks that the attributes have exactly one property.
pub fn validate(node: &Node, _version: &str, report: &mut Report) {
    let pointer = node.pointer();
    let given = KEYS.iter().filter(|key| pointer.member(key).is_some()).count();
    if given != 1 {
        report.error(
            "required",
            "",
            format!("exactly one of {} is required, found {given}", KEYS.join(", ")),
        );
    }
    pointer.check_members(&PROPERTIES, report);
}
