//! `uom`: the unit of an array's elements, as UCUM code.
//! https://github.com/clbarnes/zarr-convention-uom

use super::finding::Report;
use super::members::Member::{self, Optional, Required};
use super::members::Type::{Object, Text};
use super::node::Node;
use crate::quoted::quoted;

const UOM: Member<'_> = Required(
    "uom",
    Object(&[
        Optional("description", Text),
        Required("ucum", Object(&[Optional("unit", Text), Optional("version", Text)])),
    ]),
);

/// Whether the attributes have an object with a UCUM code.
pub fn recognise(node: &Node) -> Option<String> {
    node.get("uom")?.get("ucum").map(|_| String::new())
}

/// Checks the object.
pub fn validate(node: &Node, _version: &str, report: &mut Report) {
    node.pointer().check_members(&[UOM], report);
    let uom = node.pointer().member("uom");
    let unit = uom.and_then(|uom| uom.member("ucum")?.member("unit"));
    if let Some(unit) = unit
        && let Some(text) = unit.value.as_str()
        && (text.contains(char::is_whitespace) || !text.is_ascii() || !is_balanced(text))
    {
        report.warning(
            "ucum",
            &unit.path,
            format!("a UCUM code must be ASCII without spaces, found {}", quoted(text)),
        );
    }
}

fn is_balanced(text: &str) -> bool {
    [('(', ')'), ('[', ']'), ('{', '}')]
        .iter()
        .all(|(open, close)| text.matches(*open).count() == text.matches(*close).count())
}
