//! OME-Zarr 0.1–0.5 and 0.6rc: images, channels, labels, plates, wells, scenes.
//! https://ngff.openmicroscopy.org
//!
//! Up to version 0.4 the metadata are attributes, from 0.5 on they are members of `ome`. Versions
//! differ little, so there is one reader. [`Generation`] has the differences.

pub mod axis;
pub mod channel;
pub mod image;
mod label;
mod plate;
pub mod transformation;

use super::finding::Report;
use super::members::Member::Optional;
use super::members::Type::{List, Rule, Text};
use super::node::Node;
use super::pointer::Pointer;
use crate::quoted::quoted;
use crate::value::Value;

/// Groups of versions with the same requirements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Generation {
    /// 0.1 and 0.2: five dimensions, t c z y x.
    V1,
    /// 0.3: axes are names.
    V3,
    /// 0.4: axes are objects, and levels have transformations.
    V4,
    /// 0.5: below `ome`.
    V5,
    /// 0.6: coordinate systems.
    V6,
}

/// The OME metadata of a node.
#[derive(Clone, Debug)]
pub struct Ome<'a> {
    /// The object that has the metadata.
    pub pointer: Pointer<'a>,
    /// The version as written; empty if there is none.
    pub version: String,
    /// The requirements of the version.
    pub generation: Generation,
}

const KEYS: [&str; 7] =
    ["multiscales", "omero", "plate", "well", "image-label", "labels", "bioformats2raw.layout"];

/// Finds the generation of a version. Development versions of 0.5 and 0.6 are recognised by their
/// prefix.
const VERSIONS: [&str; 5] = ["0.1", "0.2", "0.3", "0.4", "0.5"];

fn generation(version: &str, pointer: &Pointer<'_>) -> Generation {
    match version.get(..3) {
        Some("0.1" | "0.2") => Generation::V1,
        Some("0.3") => Generation::V3,
        Some("0.4") => Generation::V4,
        Some("0.5") => Generation::V5,
        Some("0.6") => Generation::V6,
        _ => guessed_generation(pointer),
    }
}

/// Derives the generation from the form of the first image. For metadata without a known version.
fn guessed_generation(pointer: &Pointer<'_>) -> Generation {
    let image = pointer.member("multiscales").and_then(|images| images.items().into_iter().next());
    let has = |key: &str| image.as_ref().and_then(|image| image.member(key));
    let axes = has("axes");
    let first = axes.as_ref().and_then(|axes| axes.items().into_iter().next());
    match first {
        _ if has("coordinateSystems").is_some() => Generation::V6,
        Some(axis) if axis.value.as_str().is_some() => Generation::V3,
        _ if pointer.path == "/ome" => Generation::V5,
        None if has("datasets").is_some() && axes.is_none() => Generation::V1,
        _ => Generation::V4,
    }
}

/// Whether an entry of `multiscales` is an OME image. Other conventions use the same key.
fn is_image(node: &Node) -> bool {
    let images = node.get("multiscales").map(Value::items).unwrap_or_default();
    let Some(first) = images.first() else { return false };
    first.get("datasets").is_some() && super::ndpyramid::recognise(node).is_none()
}

fn is_labels(node: &Node) -> bool {
    let labels = node.get("labels").map(Value::items).unwrap_or_default();
    node.is_group() && labels.iter().all(|label| label.as_str().is_some()) && !labels.is_empty()
}

/// The OME metadata of a node; `None` if it has none.
pub fn of(node: &Node) -> Option<Ome<'_>> {
    let root = node.pointer();
    let nested = root.member("ome").filter(|ome| ome.value.as_object().is_some());
    let telling = ["omero", "plate", "well", "image-label", "bioformats2raw.layout"];
    let objects =
        |key: &&str| node.get(key).is_some_and(|value| matches!(value, Value::Object(_) | Value::Number(_)));
    let flat = is_image(node) || is_labels(node) || telling.iter().any(objects);
    let (pointer, version) = match nested {
        Some(pointer)
            if KEYS
                .iter()
                .chain(&["scene", "series", "version"])
                .any(|key| pointer.member(key).is_some()) =>
        {
            let version = pointer.member("version").and_then(|version| version.value.as_str());
            (pointer.clone(), version.unwrap_or_default().to_owned())
        }
        _ if flat => (root.clone(), flat_version(&root)),
        _ => return None,
    };
    let generation = generation(&version, &pointer);
    Some(Ome { pointer, version, generation })
}

/// The `omero` of the image at `index`, where it does not belong: in the image itself, or outside
/// of `ome`. `None` if there is one where it belongs.
pub fn stray_omero<'a>(node: &'a Node, ome: &Ome<'a>, index: usize) -> Option<Pointer<'a>> {
    if ome.pointer.member("omero").is_some() {
        return None;
    }
    let images = ome.pointer.member("multiscales")?;
    let own = images.items().get(index).and_then(|image| image.member("omero"));
    own.or_else(|| node.pointer().member("omero"))
}

/// Up to 0.4 each object has its own version.
fn flat_version(root: &Pointer<'_>) -> String {
    let image = root.member("multiscales").and_then(|images| images.items().into_iter().next());
    let others = ["plate", "well", "image-label"].iter().filter_map(|key| root.member(key));
    let version = image.into_iter().chain(others).find_map(|object| {
        let version = object.value.text_of("version")?;
        Some(version.to_owned())
    });
    version.unwrap_or_default()
}

/// The version of the metadata, if the node has any.
pub fn recognise(node: &Node) -> Option<String> {
    of(node).map(|ome| ome.version)
}

/// Checks all OME metadata of the node.
pub fn validate(node: &Node, _version: &str, report: &mut Report) {
    let Some(ome) = of(node) else {
        report.error("required", "", "the node has no OME metadata");
        return;
    };
    version(&ome, report);
    let generation = ome.generation;
    let images = |images: &Pointer<'_>, report: &mut Report| image::validate(generation, images, report);
    let omero = |omero: &Pointer<'_>, report: &mut Report| {
        image::validate_channels(generation, omero, report);
    };
    let well = |well: &Pointer<'_>, report: &mut Report| plate::validate_well(generation, well, report);
    let members = [
        Optional("multiscales", Rule(&images)),
        Optional("omero", Rule(&omero)),
        Optional("image-label", Rule(&label::validate)),
        Optional("plate", Rule(&plate::validate)),
        Optional("well", Rule(&well)),
        Optional("scene", image::SCENE),
        Optional("labels", List(0, &Text)),
        Optional("series", List(1, &Text)),
        Optional("bioformats2raw.layout", Rule(&layout)),
    ];
    ome.pointer.check_members(&members, report);
    if let Some(pointer) = stray_omero(node, &ome, 0) {
        let message = "\"omero\" is not beside \"multiscales\", where readers look for it";
        report.warning("omero-place", &pointer.path, message);
    }
    if !node.is_group() && ome.pointer.member("multiscales").is_some() {
        report.error("node-kind", &ome.pointer.path, "an image must be a group, found an array");
    }
}

/// Checks the layout of bioformats2raw.
fn layout(layout: &Pointer<'_>, report: &mut Report) {
    if layout.number(report).is_some_and(|layout| layout.to_bits() != 3.0_f64.to_bits()) {
        report.error("layout", &layout.path, "bioformats2raw.layout must be 3");
    }
}

/// Checks that the version of each object is a string (up to 0.4).
fn flat_versions(ome: &Ome<'_>, report: &mut Report) {
    let images = ome.pointer.member("multiscales").map(|images| images.items()).unwrap_or_default();
    let others = ["plate", "well", "image-label"].iter().filter_map(|key| ome.pointer.member(key));
    for version in images.into_iter().chain(others).filter_map(|object| object.member("version")) {
        version.string(report);
    }
}

fn version(ome: &Ome<'_>, report: &mut Report) {
    let nested = ome.pointer.path == "/ome";
    if let Some(version) = ome.pointer.member("version").filter(|_| nested) {
        version.string(report);
    } else if nested {
        report.error("required", &ome.pointer.path, "\"version\" is missing");
    } else if ome.version.is_empty() && ome.pointer.member("omero").is_none() {
        report.info("no-version", &ome.pointer.path, "there is no version; it is guessed from the form");
    }
    flat_versions(ome, report);
    let development = ome.version.starts_with("0.5-") || ome.version.starts_with("0.6");
    if !ome.version.is_empty() && !VERSIONS.contains(&ome.version.as_str()) && !development {
        let message = format!(
            "the version {} is unknown: it is read as the nearest known version",
            quoted(&ome.version)
        );
        report.warning("unknown-version", &ome.pointer.path, message);
    }
    let nests = ome.generation >= Generation::V5;
    if !ome.version.is_empty() && nested != nests {
        let expected = if nests { "below \"ome\"" } else { "in the attributes themselves" };
        report.error(
            "nesting",
            &ome.pointer.path,
            format!("the metadata of version {} must be {expected}", ome.version),
        );
    }
}
