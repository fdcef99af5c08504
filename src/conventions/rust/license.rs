//! `license`: under which terms the data may be used.
//! https://github.com/clbarnes/zarr-convention-license

use super::finding::Report;
use super::members::Member::Optional;
use super::members::Type::Text;
use super::node::Node;
use super::pointer::is_relative_path;
use crate::quoted::quoted;

const KEYS: [&str; 5] = ["spdx", "url", "text", "file", "path"];

/// Whether `license` is an object with a field of this convention. Other conventions use `license`
/// for a plain string.
pub fn recognise(node: &Node) -> Option<String> {
    let license = node.get("license")?.as_object()?;
    license.has_any(&KEYS).then(String::new)
}

/// Checks the object.
pub fn validate(node: &Node, _version: &str, report: &mut Report) {
    let Some(license) = node.pointer().require("license", report) else { return };
    let Some(object) = license.object(report) else { return };
    if !object.has_any(&KEYS) {
        report.error("required", &license.path, "one of spdx, url, text, file, path must be there");
    }
    license.check_members(&KEYS.map(|key| Optional(key, Text)), report);
    if let Some(spdx) = license.member("spdx")
        && let Some(text) = spdx.value.as_str()
        && !is_spdx_like(text)
    {
        report.warning("spdx", &spdx.path, format!("{} is not an SPDX expression", quoted(text)));
    }
    if let Some(file) = license.member("file")
        && file.value.as_str().is_some_and(|path| !is_relative_path(path))
    {
        report.warning("file", &file.path, "a file is named relative to this node");
    }
}

/// Checks the characters of an identifier only, because the list of identifiers grows every month.
fn is_spdx_like(text: &str) -> bool {
    let character = |c: char| c.is_ascii_alphanumeric() || "-.+() :".contains(c);
    !text.trim().is_empty() && text.chars().all(character)
}
