//! `uom`: the unit of an array's elements, as UCUM code.
//! https://github.com/clbarnes/zarr-convention-uom

use super::finding::Report;
use super::node::Node;

/// Whether the attributes have an object with a UCUM code.
pub fn recognise(node: &Node) -> Option<String> {
    node.get("uom")?.get("ucum").map(|_| String::new())
}

/// Checks the object.
pub fn validate(node: &Node, _version: &str, report: &mut Report) {
    let Some(uom) = node.place().require("uom", report) else { return };
    if uom.object(report).is_none() {
        return;
    }
    uom.optional(&[("description", 's')], report);
    let Some(ucum) = uom.require("ucum", report) else { return };
    if ucum.object(report).is_none() {
        return;
    }
    ucum.optional(&[("unit", 's'), ("version", 's')], report);
    if let Some(unit) = ucum.member("unit")
        && let Some(text) = unit.value.as_str()
        && (text.contains(char::is_whitespace) || !text.is_ascii() || !is_balanced(text))
    {
        report.warning(
            "ucum",
            &unit.path,
            format!("a UCUM code must be ASCII without spaces, found {text:?}"),
        );
    }
}

fn is_balanced(text: &str) -> bool {
    [('(', ')'), ('[', ']'), ('{', '}')]
        .iter()
        .all(|(open, close)| text.matches(*open).count() == text.matches(*close).count())
}
