//! `image-label`: the meaning of the values of a label image, and their colours.

use crate::finding::Report;
use crate::members::Member::{Optional, Required};
use crate::members::Type::{self, Distinct, Integer, Number, Object, Rule, Text};
use crate::pointer::{Pointer, repeats};

const LABEL: Type<'_> = Object(&[
    Optional("colors", Distinct(1, &COLOR)),
    Optional("properties", Distinct(1, &PROPERTY)),
    Optional("source", Object(&[Optional("image", Text)])),
]);

const COLOR: Type<'_> = Object(&[Required("label-value", Number), Optional("rgba", Rule(&channels))]);

const PROPERTY: Type<'_> = Object(&[Required("label-value", Integer(i64::MIN))]);

/// Checks the object.
pub fn validate(label: &Pointer<'_>, report: &mut Report) {
    label.check(LABEL, report);
    if let Some(colors) = label.member("colors") {
        values_once(&colors, report);
    }
}

fn channels(rgba: &Pointer<'_>, report: &mut Report) {
    let items = rgba.array(0, report).unwrap_or_default();
    if items.len() != 4 {
        report.error("length", &rgba.path, format!("a colour must have four numbers, found {}", items.len()));
    }
    for item in &items {
        if item.integer(0, report).is_some_and(|channel| channel > 255) {
            report.error("range", &item.path, "the numbers of a colour must be from 0 to 255");
        }
    }
}

fn values_once(colors: &Pointer<'_>, report: &mut Report) {
    let values: Vec<String> =
        colors.items().iter().filter_map(|color| Some(color.value.get("label-value")?.text())).collect();
    if !repeats(&values).is_empty() {
        report.warning("duplicate", &colors.path, "a label has two colours");
    }
}
