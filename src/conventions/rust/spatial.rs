//! `spatial:`: where the elements are: a 2-D affine, a bounding box, the two dimensions.
//! https://github.com/zarr-conventions/spatial

use super::finding::Report;
use super::node::Node;
use super::pointer::Pointer;
use crate::quoted::quoted;
use crate::value::Value;

const KEYS: [&str; 6] = [
    "spatial:dimensions",
    "spatial:bbox",
    "spatial:transform_type",
    "spatial:transform",
    "spatial:shape",
    "spatial:registration",
];

/// Whether the attributes have any property of the convention.
pub fn recognise(node: &Node) -> Option<String> {
    let object = node.object()?;
    object.has_any(&KEYS).then(String::new)
}

/// Checks the properties of a node.
pub fn validate(node: &Node, _version: &str, report: &mut Report) {
    let pointer = node.pointer();
    dimensions(node, &pointer, report);
    if let Some(bbox) = pointer.member("spatial:bbox") {
        bounding_box(&bbox, report);
    }
    transform(&pointer, report);
    if let Some(shape) = pointer.member("spatial:shape") {
        let names = spatial_axes(node, &pointer);
        let sizes = names.and_then(|[y, x]| Some([*node.shape.get(y)?, *node.shape.get(x)?]));
        extents(&shape, sizes, report);
    }
    if let Some(registration) = pointer.member("spatial:registration")
        && let Some(text) = registration.string(report)
        && !["pixel", "node"].contains(&text)
    {
        report.error(
            "registration",
            &registration.path,
            format!("expected \"pixel\" or \"node\", found {}", quoted(text)),
        );
    }
    let layout = pointer.member("multiscales").and_then(|multiscales| multiscales.member("layout"));
    for entry in layout.iter().flat_map(Pointer::items) {
        transform(&entry, report);
        if let Some(shape) = entry.member("spatial:shape") {
            extents(&shape, None, report);
        }
    }
}

/// The names, if they are a list of two strings.
pub fn dimension_pair(pointer: &Pointer<'_>) -> Option<[String; 2]> {
    let pair = pointer.value.get("spatial:dimensions")?.as_array()?;
    match pair {
        [y, x] => Some([y.as_str()?.to_owned(), x.as_str()?.to_owned()]),
        _ => None,
    }
}

/// Height and width of `spatial:shape`, if they are two numbers.
pub fn stated_shape(value: &Value) -> Option<[f64; 2]> {
    let [height, width] = value.as_array()? else { return None };
    Some([height.as_f64()?, width.as_f64()?])
}

/// The dimensions of the array that are y and x.
fn spatial_axes(node: &Node, pointer: &Pointer<'_>) -> Option<[usize; 2]> {
    let names = node.dimension_names()?;
    let [y, x] = dimension_pair(pointer)?;
    let at = |name: String| names.iter().position(|dimension| *dimension == name);
    Some([at(y)?, at(x)?])
}

fn dimensions(node: &Node, pointer: &Pointer<'_>, report: &mut Report) {
    let Some(member) = pointer.member("spatial:dimensions") else {
        if !node.is_group() {
            report.error("required", "", "\"spatial:dimensions\" is missing; arrays must have it");
        }
        return;
    };
    let Some(items) = member.array(0, report) else { return };
    let pair: Vec<&str> = items.iter().filter_map(|item| item.string(report)).collect();
    if items.len() != 2 {
        let message =
            format!("expected the names of the y and the x dimension, found {} elements", items.len());
        report.error("length", &member.path, message);
        return;
    }
    if node.is_group() {
        return;
    }
    match node.dimension_names() {
        None => report.error("no-dimension-names", &member.path, "the array does not name its dimensions"),
        Some(names) => {
            for name in pair.iter().filter(|name| !names.iter().any(|known| known == *name)) {
                let message =
                    format!("the array has no dimension {}; it has {}", quoted(name), names.join(", "));
                report.error("unknown-dimension", &member.path, message);
            }
        }
    }
}

fn bounding_box(bbox: &Pointer<'_>, report: &mut Report) {
    let numbers = bbox.numbers(Some(4), report).unwrap_or_default();
    if let [left, bottom, right, top] = numbers[..]
        && (left > right || bottom > top)
    {
        report.warning(
            "empty-bbox",
            &bbox.path,
            "a minimum is greater than its maximum: the order must be xmin, ymin, xmax, ymax",
        );
    }
}

fn transform(pointer: &Pointer<'_>, report: &mut Report) {
    let kind = pointer.member("spatial:transform_type");
    let kind = kind.as_ref().and_then(|kind| kind.string(report)).unwrap_or("affine");
    let Some(transform) = pointer.member("spatial:transform") else { return };
    if kind != "affine" {
        let message = format!("the type {} is unknown, so {} is not used", quoted(kind), transform.path);
        report.warning("transform-type", &format!("{}/spatial:transform_type", pointer.path), message);
        return;
    }
    if let Some(numbers) = transform.numbers(Some(6), report)
        && let [a, b, _, d, e, _] = numbers[..]
        && a * e - b * d == 0.0
    {
        report.warning(
            "singular",
            &transform.path,
            "the transform maps the plane onto a line, so it has no inverse",
        );
    }
}

/// Checks that `spatial:shape` is `[height, width]` of the array.
fn extents(shape: &Pointer<'_>, expected: Option<[f64; 2]>, report: &mut Report) {
    let Some(items) = shape.array(0, report) else { return };
    if items.len() != 2 {
        report.error(
            "length",
            &shape.path,
            format!("expected [height, width], found {} elements", items.len()),
        );
    }
    let found: Vec<i64> = items.iter().filter_map(|item| item.integer(1, report)).collect();
    #[allow(clippy::cast_precision_loss)] // extents of arrays
    let fits = |expected: [f64; 2]| found.iter().map(|extent| *extent as f64).eq(expected);
    if expected.is_some_and(|expected| found.len() == 2 && !fits(expected)) {
        let message = format!("the shape {found:?} differs from the shape of the array");
        report.warning("shape", &shape.path, message);
    }
}
