//! `image-label`: the meaning of the values of a label image, and their colours.

use crate::convention::finding::Report;
use crate::convention::place::{Place, repeats};

/// Checks the object.
pub fn validate(label: &Place<'_>, report: &mut Report) {
    if label.object(report).is_none() {
        return;
    }
    if let Some(colors) = label.member("colors") {
        for color in colors.distinct(1, report).unwrap_or_default() {
            if color.object(report).is_none() {
                continue;
            }
            color.require("label-value", report).and_then(|value| value.number(report));
            if let Some(rgba) = color.member("rgba") {
                channels(&rgba, report);
            }
        }
        values_once(&colors, report);
    }
    if let Some(properties) = label.member("properties") {
        for property in properties.distinct(1, report).unwrap_or_default() {
            if property.object(report).is_some() {
                property.require("label-value", report).and_then(|value| value.integer(i64::MIN, report));
            }
        }
    }
    if let Some(source) = label.member("source")
        && source.object(report).is_some()
    {
        source.optional(&[("image", 's')], report);
    }
}

fn channels(rgba: &Place<'_>, report: &mut Report) {
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

fn values_once(colors: &Place<'_>, report: &mut Report) {
    let values: Vec<String> =
        colors.items().iter().filter_map(|color| Some(color.value.get("label-value")?.to_string())).collect();
    if !repeats(&values).is_empty() {
        report.warning("duplicate", &colors.path, "a label has two colours");
    }
}
