//! Axes: what the dimensions of an image are, in the order of its arrays.

use super::Generation;
use crate::finding::Report;
use crate::members::Member::{Optional, Required};
use crate::members::Type::{self, Flag, Object, Rule, Text};
use crate::pointer::{Pointer, repeats};
use crate::quoted::quoted;

/// An axis from 0.4 on.
const AXIS: Type<'_> = Object(&[
    Required("name", Rule(&name)),
    Optional("type", Text),
    Optional("unit", Text),
    Optional("longName", Text),
    Optional("discrete", Flag),
]);

/// One axis.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Axis {
    /// Its name.
    pub name: String,
    /// `space`, `time`, `channel` or another type, as written; empty if it has none.
    pub kind: String,
    /// The unit as written.
    pub unit: Option<String>,
}

impl Axis {
    /// An axis of which only the name is known. The name gives the type.
    pub fn named(name: &str) -> Self {
        let kind = match name {
            "x" | "y" | "z" => "space",
            "t" => "time",
            "c" => "channel",
            _ => "",
        };
        Self { name: name.to_owned(), kind: kind.to_owned(), unit: None }
    }
}

/// The most axes that are read. An array has no more dimensions, and each level of an image has a
/// number for each axis.
const MAX_AXES: usize = 64;

/// Reads a list of axes and skips invalid entries without a finding.
pub fn read(axes: &Pointer<'_>) -> Vec<Axis> {
    let axis = |pointer: &Pointer<'_>| match pointer.value.as_str() {
        Some(name) => Axis::named(name),
        None => {
            let text = |key: &str| pointer.value.text_of(key);
            let name = text("name").unwrap_or_default();
            let kind = text("type").map_or_else(|| Axis::named(name).kind, str::to_owned);
            Axis { name: name.to_owned(), kind, unit: text("unit").map(str::to_owned) }
        }
    };
    axes.items().iter().take(MAX_AXES).map(axis).collect()
}

/// Checks a list of axes.
pub fn validate(generation: Generation, axes: &Pointer<'_>, report: &mut Report) {
    let Some(items) = axes.distinct(usize::from(generation == Generation::V6), report) else { return };
    for item in &items {
        validate_axis(generation, item, report);
    }
    let axes_read = read(axes);
    names(axes, &axes_read, report);
    if generation == Generation::V3 {
        if items.len() < 2 {
            report.error("axes", &axes.path, "an image must have at least two axes");
        }
        return;
    }
    let of_kind = |kind: &str| axes_read.iter().filter(|axis| axis.kind == kind).count();
    let count = items.len();
    let arrays = generation == Generation::V6 && written_kind(&items, "array") >= 2;
    if !(2..=5).contains(&count) && !arrays {
        report.error("axes", &axes.path, format!("an image must have two to five axes, found {count}"));
    }
    let space = written_kind(&items, "space");
    if !(2..=3).contains(&space) && !arrays {
        report.error(
            "axes",
            &axes.path,
            format!("an image must have two or three axes of type space, found {space}"),
        );
    }
    if of_kind("time") > 1 || of_kind("channel") > 1 {
        report.warning(
            "axes",
            &axes.path,
            "an image should have at most one axis of type time and one of type channel",
        );
    }
    order(axes, &axes_read, report);
}

fn written_kind(items: &[Pointer<'_>], kind: &str) -> usize {
    items.iter().filter(|item| item.value.text_of("type") == Some(kind)).count()
}

fn validate_axis(generation: Generation, axis: &Pointer<'_>, report: &mut Report) {
    if generation == Generation::V3 {
        if let Some(name) = axis.string(report)
            && !["x", "y", "z", "c", "t"].contains(&name)
        {
            report.error(
                "axis-name",
                &axis.path,
                format!("the name must be x, y, z, c or t, found {}", quoted(name)),
            );
        }
        return;
    }
    axis.check(AXIS, report);
    if axis.value.as_object().is_some() && axis.member("type").is_none() {
        report.warning("axis-type", &axis.path, "an axis should have a type: space, time or channel");
    }
}

fn name(name: &Pointer<'_>, report: &mut Report) {
    if name.string(report) == Some("") {
        report.error("axis-name", &name.path, "a name must not be empty");
    }
}

fn names(axes: &Pointer<'_>, read: &[Axis], report: &mut Report) {
    let names: Vec<String> = read.iter().map(|axis| axis.name.clone()).collect();
    if repeats(&names).iter().any(|idx| names.get(*idx).is_some_and(|name| !name.is_empty())) {
        report.error("axis-name", &axes.path, "the names of axes must differ");
    }
}

/// Checks the order: time, then channels and other types, then space.
fn order(axes: &Pointer<'_>, read: &[Axis], report: &mut Report) {
    let rank = |axis: &Axis| match axis.kind.as_str() {
        "time" => 0,
        "space" => 2,
        _ => 1,
    };
    if !read.iter().is_sorted_by_key(rank) {
        report.warning(
            "axes-order",
            &axes.path,
            "axes should be in the order time, channel (or other), space",
        );
    }
}
