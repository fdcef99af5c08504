//! Images: `multiscales`, and how their channels are shown: `omero`. In 0.6 also scenes: the
//! positions of several images relative to each other.

use super::Generation;
use super::axis::{self, Axis};
use super::channel;
use super::transformation::{self, BETWEEN_SYSTEMS};
use crate::finding::Report;
use crate::members::Member::{Optional, Required};
use crate::members::Type::{self, Distinct, Flag, List, Number, Object, Rule, Text};
use crate::pointer::{Pointer, is_relative_path};
use crate::quoted::quoted;

const SYSTEM: Type<'_> =
    Object(&[Required("name", Rule(&system_name)), Required("axes", Rule(&axes_of_system))]);

const SYSTEM_OF_SCENE: Type<'_> = Object(&[Required("name", Text), Required("axes", Rule(&axes_of_system))]);

/// What `scene` must be.
pub const SCENE: Type<'_> = Object(&[
    Optional("coordinateSystems", Distinct(0, &SYSTEM_OF_SCENE)),
    Required("coordinateTransformations", BETWEEN_SYSTEMS),
]);

const WINDOW: Type<'_> = Object(&[
    Required("start", Number),
    Required("end", Number),
    Required("min", Number),
    Required("max", Number),
]);

/// Checks all images of a group.
pub fn validate(generation: Generation, images: &Pointer<'_>, report: &mut Report) {
    let image = |image: &Pointer<'_>, report: &mut Report| validate_image(generation, image, report);
    images.check(Distinct(1, &Rule(&image)), report);
}

fn validate_image(generation: Generation, image: &Pointer<'_>, report: &mut Report) {
    let rank = axes_of(generation, image).map(|axes| axes.items().len());
    let level = |level: &Pointer<'_>, report: &mut Report| validate_level(generation, level, rank, report);
    let members = [
        Optional("name", Text),
        Optional("type", Text),
        Optional("metadata", Object(&[])),
        Required("datasets", List(1, &Rule(&level))),
    ];
    image.check(Object(&members), report);
    let axes = |axes: &Pointer<'_>, report: &mut Report| axis::validate(generation, axes, report);
    let axes = Required("axes", Rule(&axes));
    let scales = |list: &Pointer<'_>, report: &mut Report| validate_shared(list, rank, report);
    match generation {
        Generation::V1 => {}
        Generation::V3 => image.check_members(&[axes], report),
        Generation::V4 | Generation::V5 => {
            let scales = Optional("coordinateTransformations", Rule(&scales));
            image.check_members(&[axes, scales], report);
        }
        Generation::V6 => {
            let systems = Required("coordinateSystems", Distinct(1, &SYSTEM));
            let transformations = Optional("coordinateTransformations", BETWEEN_SYSTEMS);
            image.check_members(&[systems, transformations], report);
        }
    }
}

/// Checks the transformations of all levels up to 0.5. SpatialData has those of 0.6 there.
fn validate_shared(list: &Pointer<'_>, rank: Option<usize>, report: &mut Report) {
    if transformation::lead_to_systems(list.value) {
        let message =
            "these transformations lead to coordinate systems, which versions before 0.6 do not have";
        report.warning("other-systems", &list.path, message);
        return;
    }
    transformation::validate_scales(list, rank, report);
}

fn system_name(name: &Pointer<'_>, report: &mut Report) {
    if name.string(report) == Some("") {
        report.error("system-name", &name.path, "a name must not be empty");
    }
}

fn axes_of_system(axes: &Pointer<'_>, report: &mut Report) {
    axis::validate(Generation::V6, axes, report);
}

/// The list of the axes of an image. Up to 0.2 there is none.
fn axes_of<'a>(generation: Generation, image: &Pointer<'a>) -> Option<Pointer<'a>> {
    match generation {
        Generation::V1 => None,
        Generation::V6 => intrinsic_axes(image),
        _ => image.member("axes"),
    }
}

/// The axes of the output coordinate system of the first level's transformation, or else of the
/// first system.
fn intrinsic_axes<'a>(image: &Pointer<'a>) -> Option<Pointer<'a>> {
    let systems = image.member("coordinateSystems")?.items();
    let first = image.member("datasets")?.items().into_iter().next();
    let transformations = first.and_then(|level| level.member("coordinateTransformations"));
    let output = transformations.and_then(|list| list.items().first().and_then(|item| item.member("output")));
    // Development versions of 0.6 have the name without an object.
    let name = output.and_then(|output| output.value.as_str().or_else(|| output.value.text_of("name")));
    let named = systems.iter().find(|system| system.value.text_of("name") == name);
    named.or(systems.first())?.member("axes")
}

/// The axes of an image, in the order of its arrays.
pub fn axes(generation: Generation, image: &Pointer<'_>) -> Vec<Axis> {
    match generation {
        Generation::V1 => ["t", "c", "z", "y", "x"].map(Axis::named).to_vec(),
        _ => axes_of(generation, image).map(|axes| axis::read(&axes)).unwrap_or_default(),
    }
}

fn validate_level(generation: Generation, level: &Pointer<'_>, rank: Option<usize>, report: &mut Report) {
    level.check(Object(&[Required("path", Rule(&path_below))]), report);
    let transformations = |list: &Pointer<'_>, report: &mut Report| match generation {
        Generation::V6 => transformation::validate_level(list, report),
        _ => transformation::validate_scales(list, rank, report),
    };
    if generation >= Generation::V4 {
        let transformations = Required("coordinateTransformations", Rule(&transformations));
        level.check_members(&[transformations], report);
    }
}

fn path_below(path: &Pointer<'_>, report: &mut Report) {
    if path.string(report).is_some_and(|path| !is_relative_path(path)) {
        report.warning("path", &path.path, "the path must be below the image");
    }
}

/// Checks `omero`. Viewers use its channels.
pub fn validate_channels(generation: Generation, omero: &Pointer<'_>, report: &mut Report) {
    let member = if generation <= Generation::V4 { Required } else { Optional };
    let members = [
        Optional("label", Text),
        Optional("family", Text),
        Optional("active", Flag),
        Optional("inverted", Flag),
        member("color", Rule(&color)),
        member("window", WINDOW),
    ];
    omero.check(Object(&[Required("channels", List(0, &Object(&members)))]), report);
}

fn color(color: &Pointer<'_>, report: &mut Report) {
    if let Some(text) = color.string(report)
        && !channel::is_plain_color(text)
    {
        let read = channel::color(color.value).map(|read| format!(", which is read as {read}"));
        let read = read.unwrap_or_default();
        let message = format!("a colour must be six hexadecimal digits, found {}{read}", quoted(text));
        report.warning("color", &color.path, message);
    }
}
