//! High-content screening: `plate` in the group of a plate, `well` in the group of a well.

use serde_json::Value;

use super::Generation;
use crate::convention::finding::Report;
use crate::convention::place::Place;

fn is_alphanumeric(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

/// Checks a plate.
pub fn validate(plate: &Place<'_>, report: &mut Report) {
    if plate.object(report).is_none() {
        return;
    }
    plate.optional(&[("name", 's')], report);
    let names = ["rows", "columns"].map(|key| named(plate, key, report));
    if let Some(count) = plate.member("field_count") {
        count.integer(1, report);
    }
    if let Some(acquisitions) = plate.member("acquisitions") {
        for acquisition in acquisitions.array(0, report).unwrap_or_default() {
            validate_acquisition(&acquisition, report);
        }
    }
    let Some(wells) = plate.require("wells", report) else { return };
    for well in wells.distinct(1, report).unwrap_or_default() {
        if well.object(report).is_some() {
            validate_place_of_well(&well, &names, report);
        }
    }
}

/// The names of the rows or of the columns.
fn named<'a>(plate: &Place<'a>, key: &str, report: &mut Report) -> Option<Vec<&'a str>> {
    let items = plate.require(key, report)?.distinct(1, report)?;
    for item in &items {
        if item.object(report).is_some()
            && let Some(name) = item.require("name", report)
            && name.string(report).is_some_and(|name| !is_alphanumeric(name))
        {
            report.error(
                "name",
                &name.path,
                "the names of rows and columns must consist of letters and digits",
            );
        }
    }
    Some(
        items.iter().map(|item| item.value.get("name").and_then(Value::as_str).unwrap_or_default()).collect(),
    )
}

fn validate_acquisition(acquisition: &Place<'_>, report: &mut Report) {
    if acquisition.object(report).is_none() {
        return;
    }
    acquisition.optional(&[("name", 's'), ("description", 's')], report);
    acquisition.require("id", report).and_then(|id| id.integer(0, report));
    for (key, least) in [("maximumfieldcount", 1), ("starttime", 0), ("endtime", 0)] {
        if let Some(count) = acquisition.member(key) {
            count.integer(least, report);
        }
    }
}

fn validate_place_of_well(well: &Place<'_>, names: &[Option<Vec<&str>>; 2], report: &mut Report) {
    let mut parts: Vec<&str> = Vec::new();
    if let Some(path) = well.require("path", report)
        && let Some(text) = path.string(report)
    {
        parts = text.split('/').collect();
        if parts.len() != 2 || !parts.iter().all(|part| is_alphanumeric(part)) {
            report.error(
                "path",
                &path.path,
                format!("the path must be the name of a row, \"/\" and the name of a column, found {text:?}"),
            );
            parts.clear();
        }
    }
    for (axis, (key, names)) in ["rowIndex", "columnIndex"].into_iter().zip(names).enumerate() {
        let Some(index) = well.require(key, report) else { continue };
        let number = index.integer(0, report).and_then(|number| usize::try_from(number).ok());
        let (Some(number), Some(names)) = (number, names) else { continue };
        match (names.get(number), parts.get(axis)) {
            (None, _) => report.warning(
                "range",
                &index.path,
                format!("the index is out of range: the list has {} names", names.len()),
            ),
            (Some(name), Some(part)) if name != part => {
                report.warning(
                    "well-name",
                    &index.path,
                    format!("the name at index {number} is {name:?}, but the path has {part:?}"),
                );
            }
            _ => {}
        }
    }
}

/// Checks a well.
pub fn validate_well(generation: Generation, well: &Place<'_>, report: &mut Report) {
    if well.object(report).is_none() {
        return;
    }
    let Some(images) = well.require("images", report) else { return };
    for image in images.distinct(1, report).unwrap_or_default() {
        if image.object(report).is_none() {
            continue;
        }
        if let Some(acquisition) = image.member("acquisition") {
            acquisition.integer(i64::MIN, report);
        }
        if let Some(path) = image.require("path", report)
            && path.string(report).is_some_and(|text| !is_field_name(generation, text))
        {
            report.error("path", &path.path, "the path must be the name of a field of view");
        }
    }
}

/// Version 0.6 allows every node name.
fn is_field_name(generation: Generation, text: &str) -> bool {
    if generation < Generation::V6 {
        return is_alphanumeric(text);
    }
    let character = |c: char| c.is_ascii_alphanumeric() || "_.-".contains(c);
    !text.is_empty()
        && text.chars().all(character)
        && !text.chars().all(|c| c == '.')
        && !text.starts_with("__")
}
