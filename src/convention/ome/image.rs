//! Images: `multiscales`, and how their channels are shown: `omero`.

use super::axis::{self, Axis};
use super::{Generation, Ome, transformation};
use crate::convention::finding::Report;
use crate::convention::place::{Place, is_relative_path};

/// Checks all images of a group.
pub fn validate(ome: &Ome<'_>, images: &Place<'_>, report: &mut Report) {
    for image in images.distinct(1, report).unwrap_or_default() {
        if image.object(report).is_some() {
            validate_image(ome, &image, report);
        }
    }
}

fn validate_image(ome: &Ome<'_>, image: &Place<'_>, report: &mut Report) {
    let generation = ome.generation;
    image.optional(&[("name", 's'), ("type", 's'), ("metadata", 'o')], report);
    let axes = match generation {
        Generation::V1 => None,
        Generation::V6 => coordinate_systems(image, report),
        _ => image.require("axes", report).inspect(|axes| axis::validate(generation, axes, report)),
    };
    let rank = axes.as_ref().map(|axes| axes.items().len());
    if let Some(datasets) = image.require("datasets", report) {
        for dataset in datasets.array(1, report).unwrap_or_default() {
            validate_dataset(generation, &dataset, rank, report);
        }
    }
    let Some(transformations) = image.member("coordinateTransformations") else { return };
    if generation == Generation::V6 {
        for item in transformations.array(1, report).unwrap_or_default() {
            transformation::validate(&item, report);
            transformation::validate_ends(&item, &["name"], report);
        }
    } else if generation >= Generation::V4 {
        transformation::validate_scale_first(&transformations, rank, report);
    }
}

/// Checks the coordinate systems. The axes of the first one are those of the image.
fn coordinate_systems<'a>(image: &Place<'a>, report: &mut Report) -> Option<Place<'a>> {
    let systems = image.require("coordinateSystems", report)?;
    for system in systems.distinct(1, report)? {
        if system.object(report).is_none() {
            continue;
        }
        if let Some(name) = system.require("name", report)
            && name.string(report) == Some("")
        {
            report.error("system-name", &name.path, "a name must not be empty");
        }
        if let Some(axes) = system.require("axes", report) {
            axis::validate(Generation::V6, &axes, report);
        }
    }
    intrinsic_axes(image)
}

/// The axes of the output coordinate system of the first level's transformation, or else of the
/// first system.
fn intrinsic_axes<'a>(image: &Place<'a>) -> Option<Place<'a>> {
    let systems = image.member("coordinateSystems")?.items();
    let first = image.member("datasets")?.items().into_iter().next();
    let transformations = first.and_then(|level| level.member("coordinateTransformations"));
    let output = transformations.and_then(|list| list.items().first().and_then(|item| item.member("output")));
    // Development versions of 0.6 have the name without an object.
    let name = output.and_then(|output| output.value.as_str().or_else(|| output.value.get("name")?.as_str()));
    let named =
        systems.iter().find(|system| system.value.get("name").and_then(|value| value.as_str()) == name);
    named.or(systems.first())?.member("axes")
}

/// The axes of an image, in the order of its arrays.
pub fn axes(generation: Generation, image: &Place<'_>) -> Vec<Axis> {
    match generation {
        Generation::V1 => ["t", "c", "z", "y", "x"].map(Axis::named).to_vec(),
        Generation::V6 => intrinsic_axes(image).map(|axes| axis::read(&axes)).unwrap_or_default(),
        _ => image.member("axes").map(|axes| axis::read(&axes)).unwrap_or_default(),
    }
}

fn validate_dataset(generation: Generation, dataset: &Place<'_>, rank: Option<usize>, report: &mut Report) {
    if dataset.object(report).is_none() {
        return;
    }
    if let Some(path) = dataset.require("path", report)
        && path.string(report).is_some_and(|path| !is_relative_path(path))
    {
        report.warning("path", &path.path, "the path must be below the image");
    }
    if generation < Generation::V4 {
        return;
    }
    let Some(transformations) = dataset.require("coordinateTransformations", report) else { return };
    if generation == Generation::V6 {
        transformation::validate_level(&transformations, report);
    } else {
        transformation::validate_scale_first(&transformations, rank, report);
    }
}

/// Checks `omero`. Viewers use its channels.
pub fn validate_channels(generation: Generation, omero: &Place<'_>, report: &mut Report) {
    if omero.object(report).is_none() {
        return;
    }
    let Some(channels) = omero.require("channels", report) else { return };
    for channel in channels.array(0, report).unwrap_or_default() {
        if channel.object(report).is_none() {
            continue;
        }
        channel.optional(&[("label", 's'), ("family", 's'), ("active", 'b'), ("inverted", 'b')], report);
        let wanted = generation <= Generation::V4;
        let get = |key: &str, report: &mut Report| {
            if wanted { channel.require(key, report) } else { channel.member(key) }
        };
        if let Some(color) = get("color", report)
            && let Some(text) = color.string(report)
            && !(text.len() == 6 && text.bytes().all(|byte| byte.is_ascii_hexdigit()))
        {
            report.warning(
                "color",
                &color.path,
                format!("a colour must be six hexadecimal digits, found {text:?}"),
            );
        }
        if let Some(window) = get("window", report)
            && window.object(report).is_some()
        {
            for key in ["start", "end", "min", "max"] {
                window.require(key, report).and_then(|bound| bound.number(report));
            }
        }
    }
}
