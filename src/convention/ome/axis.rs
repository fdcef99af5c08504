//! Axes: what the dimensions of an image are, in the order of its arrays.

use super::Generation;
use crate::convention::finding::Report;
use crate::convention::place::{Place, repeats};

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

/// Reads a list of axes and skips invalid entries without a finding.
pub fn read(axes: &Place<'_>) -> Vec<Axis> {
    let axis = |place: &Place<'_>| match place.value.as_str() {
        Some(name) => Axis::named(name),
        None => {
            let text = |key: &str| place.value.get(key).and_then(|value| value.as_str());
            let name = text("name").unwrap_or_default();
            let kind = text("type").map_or_else(|| Axis::named(name).kind, str::to_owned);
            Axis { name: name.to_owned(), kind, unit: text("unit").map(str::to_owned) }
        }
    };
    axes.items().iter().map(axis).collect()
}

/// Checks a list of axes.
pub fn validate(generation: Generation, axes: &Place<'_>, report: &mut Report) {
    let Some(items) = axes.distinct(usize::from(generation == Generation::V6), report) else { return };
    for item in &items {
        validate_axis(generation, item, report);
    }
    let axes_read = read(axes);
    names(axes, &axes_read, report);
    if generation == Generation::V3 {
        if items.len() < 2 {
            report.error("axes", &axes.path, "an image has at least two axes");
        }
        return;
    }
    let of_kind = |kind: &str| axes_read.iter().filter(|axis| axis.kind == kind).count();
    let count = items.len();
    let arrays = generation == Generation::V6 && written_kind(&items, "array") >= 2;
    if !(2..=5).contains(&count) && !arrays {
        report.error("axes", &axes.path, format!("an image has two to five axes, this has {count}"));
    }
    let space = written_kind(&items, "space");
    if !(2..=3).contains(&space) && !arrays {
        report.error("axes", &axes.path, format!("two or three axes are of space, here {space}"));
    }
    if of_kind("time") > 1 || of_kind("channel") > 1 {
        report.warning("axes", &axes.path, "there is at most one axis of time and one of channels");
    }
    order(axes, &axes_read, report);
}

fn written_kind(items: &[Place<'_>], kind: &str) -> usize {
    items.iter().filter(|item| item.value.get("type").and_then(|value| value.as_str()) == Some(kind)).count()
}

fn validate_axis(generation: Generation, axis: &Place<'_>, report: &mut Report) {
    if generation == Generation::V3 {
        if let Some(name) = axis.string(report)
            && !["x", "y", "z", "c", "t"].contains(&name)
        {
            report.error("axis-name", &axis.path, format!("{name:?} is none of x, y, z, c, t"));
        }
        return;
    }
    if axis.object(report).is_none() {
        return;
    }
    if let Some(name) = axis.require("name", report)
        && name.string(report) == Some("")
    {
        report.error("axis-name", &name.path, "a name has at least one letter");
    }
    axis.optional(&[("type", 's'), ("unit", 's'), ("longName", 's'), ("discrete", 'b')], report);
    if axis.member("type").is_none() {
        report.warning("axis-type", &axis.path, "an axis should say its type: space, time or channel");
    }
}

fn names(axes: &Place<'_>, read: &[Axis], report: &mut Report) {
    let names: Vec<String> = read.iter().map(|axis| axis.name.clone()).collect();
    if repeats(&names).iter().any(|idx| !names[*idx].is_empty()) {
        report.error("axis-name", &axes.path, "two axes have the same name");
    }
}

/// Checks the order: time, then channels and other types, then space.
fn order(axes: &Place<'_>, read: &[Axis], report: &mut Report) {
    let rank = |axis: &Axis| match axis.kind.as_str() {
        "time" => 0,
        "space" => 2,
        _ => 1,
    };
    if read.windows(2).any(|pair| rank(&pair[0]) > rank(&pair[1])) {
        report.warning("axes-order", &axes.path, "the order is time, channel (or other), space");
    }
}
