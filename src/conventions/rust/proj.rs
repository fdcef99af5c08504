//! `proj:`: the coordinate reference system. https://github.com/zarr-conventions/proj
//!
//! Revisions share one UUID: the early draft has shape, transform and bounding box too (they moved
//! to `spatial:`); r2 wants exactly one of code, WKT2 and PROJJSON; v0.1 wants at least one and
//! takes any authority. It does not parse WKT.

use super::finding::Report;
use super::members::Member::Required;
use super::members::Type::{Object, Text};
use super::node::Node;
use super::pointer::Pointer;
use crate::quoted::quoted;

const CRS: [&str; 3] = ["proj:code", "proj:wkt2", "proj:projjson"];

/// The schema of revision r2, pinned by its commit.
const R2_COMMIT: &str = "d150edbde61b53e9d17520f6d107c9d3689e5910";

/// Whether the attributes have any property of the convention.
pub fn recognise(node: &Node) -> Option<String> {
    let object = node.object()?;
    let known = ["proj:shape", "proj:transform", "proj:bbox", "proj:epsg"];
    let any = CRS.iter().chain(&known).any(|key| object.has(key));
    any.then(String::new)
}

/// Whether there is a value. The text of the convention (not its schema) allows `null` for "none".
fn is_given(pointer: &Pointer<'_>, key: &str) -> bool {
    pointer.member(key).is_some_and(|member| !member.value.is_null())
}

/// Checks the properties of a node.
pub fn validate(node: &Node, version: &str, report: &mut Report) {
    let pointer = node.pointer();
    let given: Vec<&str> = CRS.into_iter().filter(|key| is_given(&pointer, key)).collect();
    let only_one = version == "v1" || version == R2_COMMIT;
    if given.is_empty() {
        report.error("no-crs", "", "one of proj:code, proj:wkt2 and proj:projjson must be there");
    } else if only_one && given.len() > 1 {
        report.error("several-crs", "", format!("this revision wants one of {}", given.join(", ")));
    }
    for key in CRS {
        if pointer.member(key).is_some_and(|member| member.value.is_null()) {
            report.warning("null", &format!("/{key}"), "null is not allowed here: omit the property");
        }
    }
    code(&pointer, only_one, report);
    wkt2(&pointer, report);
    if let Some(projjson) = pointer.member("proj:projjson").filter(|member| !member.value.is_null()) {
        projjson.check(Object(&[Required("type", Text)]), report);
    }
    validate_geometry(&pointer, report);
    let layout = pointer.member("multiscales").and_then(|multiscales| multiscales.member("layout"));
    for entry in layout.iter().flat_map(Pointer::items) {
        validate_geometry(&entry, report);
    }
}

fn code(pointer: &Pointer<'_>, only_epsg_like: bool, report: &mut Report) {
    let Some(member) = pointer.member("proj:code").filter(|member| !member.value.is_null()) else { return };
    let Some(code) = member.string(report) else { return };
    let parts = code
        .split_once(':')
        .filter(|(authority, rest)| !authority.is_empty() && !rest.is_empty() && !rest.contains(':'));
    let epsg_like = parts.is_some_and(|(authority, number)| {
        authority.bytes().all(|byte| byte.is_ascii_uppercase())
            && number.bytes().all(|byte| byte.is_ascii_digit())
    });
    if parts.is_none() || (only_epsg_like && !epsg_like) {
        report.error(
            "code",
            &member.path,
            format!("expected an authority and a code, as in EPSG:4326, found {}", quoted(code)),
        );
    }
}

/// The first words of WKT: the keywords of ISO 19162 for a reference system, and those of the older
/// WKT1.
const WKT2: [&str; 12] = [
    "GEODCRS",
    "GEODETICCRS",
    "GEOGCRS",
    "GEOGRAPHICCRS",
    "PROJCRS",
    "PROJECTEDCRS",
    "VERTCRS",
    "ENGCRS",
    "COMPOUNDCRS",
    "BOUNDCRS",
    "DERIVEDPROJCRS",
    "TIMECRS",
];
const WKT1: [&str; 6] = ["GEOGCS", "PROJCS", "GEOCCS", "COMPD_CS", "VERT_CS", "LOCAL_CS"];

fn wkt2(pointer: &Pointer<'_>, report: &mut Report) {
    let Some(member) = pointer.member("proj:wkt2").filter(|member| !member.value.is_null()) else { return };
    let Some(text) = member.string(report) else { return };
    let keyword = text.trim_start().split(['[', '(', ' ']).next().unwrap_or_default();
    if WKT1.contains(&keyword) {
        report.warning("wkt1", &member.path, format!("{keyword} is WKT1; WKT2 (ISO 19162) belongs here"));
    } else if !WKT2.contains(&keyword) {
        report.warning("wkt2", &member.path, "this does not begin as WKT2 of a reference system does");
    }
}

/// Checks the geometry of the early draft, at the root or in an entry of a layout.
fn validate_geometry(pointer: &Pointer<'_>, report: &mut Report) {
    for (key, lengths) in [("proj:transform", [6, 9]), ("proj:bbox", [4, 6]), ("proj:shape", [2, 2])] {
        let Some(member) = pointer.member(key) else { continue };
        let len = member.value.as_array().map_or(lengths[0], <[_]>::len);
        let expected = if lengths.contains(&len) { len } else { lengths[0] };
        member.numbers(Some(expected), report);
        report.info("moved", &member.path, format!("{key} is of the early draft; today it is in spatial:"));
    }
}
