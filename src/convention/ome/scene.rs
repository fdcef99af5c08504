//! `scene` (0.6): the positions of several images relative to each other.

use super::{Generation, axis, transformation};
use crate::convention::finding::Report;
use crate::convention::place::Place;

/// Checks the object.
pub fn validate(scene: &Place<'_>, report: &mut Report) {
    if scene.object(report).is_none() {
        return;
    }
    if let Some(systems) = scene.member("coordinateSystems") {
        for system in systems.distinct(0, report).unwrap_or_default() {
            if system.object(report).is_none() {
                continue;
            }
            system.require("name", report).and_then(|name| name.string(report).map(str::to_owned));
            if let Some(axes) = system.require("axes", report) {
                axis::validate(Generation::V6, &axes, report);
            }
        }
    }
    let Some(list) = scene.require("coordinateTransformations", report) else { return };
    for item in list.array(1, report).unwrap_or_default() {
        transformation::validate(&item, report);
        transformation::validate_ends(&item, &["name"], report);
    }
}
