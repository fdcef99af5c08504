//! CF: Climate and Forecast attributes, which have no prefix. https://cfconventions.org
//!
//! Recognises CF, and makes the checks that need only this node. [`packing`] reads how packed
//! values are unpacked, [`time`] the meaning of time counts. Whether named variables exist is not
//! checked, because that would read other nodes.

pub mod calendar;
pub mod packing;
pub mod time;

use crate::error::ErrorKind;
use crate::finding::Report;
use crate::members::Member::Optional;
use crate::members::Type::{Number, Text};
use crate::node::Node;
use crate::pointer::Pointer;
use crate::quoted::quoted;
use crate::value::Value;

/// Attribute names that only CF uses, besides those of packing. An array that has one of them is a
/// CF array.
const TELLING: [&str; 13] = [
    "standard_name",
    "grid_mapping",
    "grid_mapping_name",
    "cell_methods",
    "cell_measures",
    "ancillary_variables",
    "flag_values",
    "flag_masks",
    "flag_meanings",
    "calendar",
    "bounds",
    "climatology",
    "formula_terms",
];

const TEXTS: [&str; 25] = [
    "Conventions",
    "title",
    "institution",
    "source",
    "history",
    "references",
    "comment",
    "standard_name",
    "long_name",
    "units",
    "axis",
    "positive",
    "calendar",
    "coordinates",
    "bounds",
    "climatology",
    "cell_methods",
    "cell_measures",
    "grid_mapping",
    "ancillary_variables",
    "flag_meanings",
    "grid_mapping_name",
    "crs_wkt",
    "formula_terms",
    "_Unsigned",
];

const NUMBERS: [&str; 13] = [
    "scale_factor",
    "add_offset",
    "valid_min",
    "valid_max",
    "semi_major_axis",
    "semi_minor_axis",
    "inverse_flattening",
    "earth_radius",
    "false_easting",
    "false_northing",
    "longitude_of_central_meridian",
    "latitude_of_projection_origin",
    "longitude_of_projection_origin",
];

const CALENDARS: [&str; 12] = [
    "standard",
    "gregorian",
    "proleptic_gregorian",
    "noleap",
    "365_day",
    "all_leap",
    "366_day",
    "360_day",
    "julian",
    "utc",
    "tai",
    "none",
];

/// The version that `Conventions` names: `CF-1.8`, alone or in a list.
fn version(node: &Node) -> Option<String> {
    let words = node.text("Conventions")?.split([',', ' ']);
    words.filter_map(|word| word.trim().strip_prefix("CF-")).next().map(str::to_owned)
}

/// Whether the attributes have a name that only CF uses.
pub fn recognise(node: &Node) -> Option<String> {
    let object = node.object()?;
    if let Some(version) = version(node) {
        return Some(version);
    }
    let time = node.text("units").is_some_and(|units| units.contains(" since "));
    let telling = object.has_any(&TELLING);
    (time || telling || packing::is_packed(node)).then(String::new)
}

/// Checks the attributes of a node.
pub fn validate(node: &Node, _version: &str, report: &mut Report) {
    let pointer = node.pointer();
    pointer.check_members(&TEXTS.map(|key| Optional(key, Text)), report);
    pointer.check_members(&NUMBERS.map(|key| Optional(key, Number)), report);
    words(&pointer, "axis", &["X", "Y", "Z", "T"], report);
    words(&pointer, "positive", &["up", "down"], report);
    words(&pointer, "calendar", &CALENDARS, report);
    words(&pointer, "_Unsigned", &["true", "false"], report);
    packing(&pointer, report);
    flags(&pointer, report);
    counts_of_time(&pointer, report);
    if let Some(standard_name) = pointer.member("standard_name")
        && standard_name.value.as_str().is_some_and(|name| !is_standard_name(name))
    {
        report.warning(
            "standard-name",
            &standard_name.path,
            "a standard name must consist of lower-case letters, digits and \"_\"",
        );
    }
}

/// Checks a standard name. It may have a modifier after a space.
fn is_standard_name(name: &str) -> bool {
    let first = name.split(' ').next().unwrap_or_default();
    !first.is_empty() && first.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

fn words(pointer: &Pointer<'_>, key: &str, allowed: &[&str], report: &mut Report) {
    let Some(member) = pointer.member(key) else { return };
    let Some(word) = member.value.as_str() else { return };
    if !allowed.iter().any(|allowed| allowed.eq_ignore_ascii_case(word)) {
        report.error(
            key.trim_start_matches('_'),
            &member.path,
            format!("expected one of {}, found {}", allowed.join(", "), quoted(word)),
        );
    }
}

fn packing(pointer: &Pointer<'_>, report: &mut Report) {
    if let Some(range) = pointer.member("valid_range") {
        range.numbers(Some(2), report);
        if pointer.member("valid_min").is_some() || pointer.member("valid_max").is_some() {
            report.error(
                "valid-range",
                &range.path,
                "valid_range must not be used together with valid_min or valid_max",
            );
        }
    }
    if let Some(factor) = pointer.member("scale_factor")
        && factor.value.as_f64() == Some(0.0)
    {
        report.warning("scale-factor", &factor.path, "a scale_factor of zero makes all values equal");
    }
    for key in ["_FillValue", "missing_value"] {
        let Some(fill) = pointer.member(key) else { continue };
        let scalar = |value: &Value| matches!(value, Value::Number(_) | Value::String(_));
        let several = key == "missing_value" && fill.items().iter().all(|item| scalar(item.value));
        // A string is NaN, a character, or the base64 text that xarray writes for the element's
        // bytes.
        if !(scalar(fill.value)
            || fill.value.as_bool().is_some()
            || (several && fill.value.as_array().is_some()))
        {
            report.error("fill-value", &fill.path, format!("{key} must be a number or a string"));
        }
    }
}

fn flags(pointer: &Pointer<'_>, report: &mut Report) {
    let lists: Vec<Pointer<'_>> =
        ["flag_values", "flag_masks"].iter().filter_map(|key| pointer.member(key)).collect();
    let meanings = pointer.member("flag_meanings");
    let count = |meanings: &Pointer<'_>| meanings.value.as_str().map(|text| text.split_whitespace().count());
    for list in &lists {
        // A single flag is a number if the writer's format does not have lists of one entry.
        let len = if list.value.as_number().is_some() {
            1
        } else {
            list.array(1, report).map_or(0, |items| items.len())
        };
        match meanings.as_ref().map(count) {
            None => {
                report.error("flag-meanings", &list.path, "flag_values and flag_masks require flag_meanings")
            }
            Some(Some(words)) if words != len => {
                report.error("flag-meanings", &list.path, format!("{len} flags have {words} flag_meanings"));
            }
            Some(_) => {}
        }
    }
    if let Some(meanings) = meanings
        && lists.is_empty()
    {
        report.error("flag-meanings", &meanings.path, "flag_meanings requires flag_values or flag_masks");
    }
}

fn counts_of_time(pointer: &Pointer<'_>, report: &mut Report) {
    let units = pointer.member("units");
    let calendar = pointer.member("calendar");
    let Some((units, text)) = units.as_ref().and_then(|units| Some((units, units.value.as_str()?))) else {
        return;
    };
    if time::split_units(text).is_some() {
        let calendar = calendar.as_ref().and_then(|calendar| calendar.value.as_str());
        match time::TimeUnits::parse(text, calendar) {
            Ok(_) => {}
            // Valid units and calendars that this package cannot count.
            Err(error) if error.kind() == ErrorKind::Unsupported => {
                report.warning("time-units", &units.path, error.to_string());
            }
            Err(error) => report.error("time-units", &units.path, error.to_string()),
        }
    } else if let Some(calendar) = calendar {
        report.warning("calendar", &calendar.path, "a calendar requires units of the form \"days since …\"");
    }
}
