//! High-content screening: `plate` in the group of a plate, `well` in the group of a well.

use super::Generation;
use crate::finding::Report;
use crate::members::Member::{Optional, Required};
use crate::members::Type::{self, Distinct, Integer, List, Object, Rule, Text};
use crate::pointer::{Pointer, integer_of};
use crate::quoted::quoted;
use crate::value::Value;

const PLATE: Type<'_> = Object(&[
    Optional("name", Text),
    Required("rows", Distinct(1, &NAMED)),
    Required("columns", Distinct(1, &NAMED)),
    Optional("field_count", Integer(1)),
    Optional("acquisitions", List(0, &ACQUISITION)),
    Required("wells", Distinct(1, &WELL_OF_PLATE)),
]);

/// A row or a column.
const NAMED: Type<'_> = Object(&[Required("name", Rule(&name))]);

const ACQUISITION: Type<'_> = Object(&[
    Optional("name", Text),
    Optional("description", Text),
    Required("id", Integer(0)),
    Optional("maximumfieldcount", Integer(1)),
    Optional("starttime", Integer(0)),
    Optional("endtime", Integer(0)),
]);

const WELL_OF_PLATE: Type<'_> = Object(&[
    Required("path", Rule(&path_of_well)),
    Required("rowIndex", Integer(0)),
    Required("columnIndex", Integer(0)),
]);

fn is_alphanumeric(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

/// Checks a plate.
pub fn validate(plate: &Pointer<'_>, report: &mut Report) {
    plate.check(PLATE, report);
    let names = ["rows", "columns"].map(|key| names(plate.value.get(key)));
    for well in plate.member("wells").iter().flat_map(Pointer::items) {
        validate_indices(&well, &names, report);
    }
}

/// The names of the rows or of the columns.
fn names(list: Option<&Value>) -> Option<Vec<&str>> {
    let items = list?.as_array()?.iter();
    Some(items.map(|item| item.text_of("name").unwrap_or_default()).collect())
}

fn name(name: &Pointer<'_>, report: &mut Report) {
    if name.string(report).is_some_and(|name| !is_alphanumeric(name)) {
        let message = "the names of rows and columns must consist of letters and digits";
        report.error("name", &name.path, message);
    }
}

/// The names of the row and the column in the path of a well.
fn split(path: &str) -> Option<[&str; 2]> {
    let (row, column) = path.split_once('/')?;
    (is_alphanumeric(row) && is_alphanumeric(column)).then_some([row, column])
}

fn path_of_well(path: &Pointer<'_>, report: &mut Report) {
    if let Some(text) = path.string(report)
        && split(text).is_none()
    {
        report.error(
            "path",
            &path.path,
            format!(
                "the path must be the name of a row, \"/\" and the name of a column, found {}",
                quoted(text)
            ),
        );
    }
}

/// Checks that the indices of a well are those of the names in its path.
fn validate_indices(well: &Pointer<'_>, names: &[Option<Vec<&str>>; 2], report: &mut Report) {
    let path = well.value.text_of("path").and_then(split);
    for (axis, (key, names)) in ["rowIndex", "columnIndex"].into_iter().zip(names).enumerate() {
        let Some(index) = well.member(key) else { continue };
        let number = integer_of(index.value).and_then(|number| usize::try_from(number).ok());
        let (Some(number), Some(names)) = (number, names) else { continue };
        match (names.get(number), path.and_then(|path| path.get(axis).copied())) {
            (None, _) => report.warning(
                "range",
                &index.path,
                format!("the index is out of range: the list has {} names", names.len()),
            ),
            (Some(name), Some(part)) if *name != part => report.warning(
                "well-name",
                &index.path,
                format!("the name at index {number} is {}, but the path has {}", quoted(name), quoted(part)),
            ),
            _ => {}
        }
    }
}

/// Checks a well.
pub fn validate_well(generation: Generation, well: &Pointer<'_>, report: &mut Report) {
    let field_name = |path: &Pointer<'_>, report: &mut Report| {
        if path.string(report).is_some_and(|text| !is_field_name(generation, text)) {
            report.error("path", &path.path, "the path must be the name of a field of view");
        }
    };
    let members = [Optional("acquisition", Integer(i64::MIN)), Required("path", Rule(&field_name))];
    well.check(Object(&[Required("images", Distinct(1, &Object(&members)))]), report);
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
