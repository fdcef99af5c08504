//! `stac:`: a STAC object, or the way to one, on a group. https://github.com/zarr-conventions/stac
//!
//! It does not validate the STAC objects: the convention leaves that to STAC.

use super::finding::Report;
use super::node::Node;

const KEYS: [&str; 4] = ["stac:item", "stac:collection", "stac:key", "stac:link"];

/// Whether the attributes have any property of the convention.
pub fn recognise(node: &Node) -> Option<String> {
    let object = node.object()?;
    KEYS.iter().any(|key| object.contains_key(*key)).then(String::new)
}

/// Checks that the attributes have exactly one property.
pub fn validate(node: &Node, _version: &str, report: &mut Report) {
    let place = node.place();
    let given = KEYS.iter().filter(|key| place.member(key).is_some()).count();
    if given != 1 {
        report.error(
            "required",
            "",
            format!("exactly one of {} is required, found {given}", KEYS.join(", ")),
        );
    }
    place.optional(&[("stac:item", 'o'), ("stac:collection", 'o'), ("stac:key", 's')], report);
    if let Some(link) = place.member("stac:link")
        && link.object(report).is_some()
    {
        link.require("href", report).and_then(|href| href.string(report).map(str::to_owned));
        link.optional(&[("rel", 's'), ("type", 's')], report);
    }
}
