//! Coordinate transformations. Checks their form, and reduces them to a scale and a translation for
//! each axis, which say where an image is. Transformations that do more are reported by name.

use crate::finding::Report;
use crate::members::Member::{Optional, Required};
use crate::members::Type::{self, Any, List, Numbers, Object, Rule, Text};
use crate::pointer::{Pointer, repeats};
use crate::quoted::quoted;
use crate::value::Value;

/// The types of transformations of 0.6, and what an object of each must be.
const TYPES: [(&str, Type<'_>); 12] = [
    ("identity", Any),
    ("mapAxis", Object(&[Required("mapAxis", Rule(&|list, report| axes_list(list, 2, 5, report)))])),
    ("projectAxis", Rule(&project_axis)),
    ("scale", Rule(&scale)),
    ("translation", Object(&[Required("translation", Numbers(None))])),
    ("affine", Rule(&|item, report| matrix(item, "affine", report))),
    ("rotation", Rule(&|item, report| matrix(item, "rotation", report))),
    ("bijection", Object(&[Required("forward", Rule(&validate)), Required("inverse", Rule(&validate))])),
    ("sequence", Object(&[Required("transformations", List(0, &Rule(&validate)))])),
    ("byDimension", Object(&[Required("transformations", Rule(&parts))])),
    ("displacements", FIELD),
    ("coordinates", FIELD),
];

/// A transformation whose numbers are in an array.
const FIELD: Type<'_> = Object(&[Required("path", Text), Optional("interpolation", Rule(&interpolation))]);

/// One of the transformations of `byDimension`.
const PART: Type<'_> = Object(&[
    Required("transformation", Rule(&validate)),
    Required("inputAxes", Numbers(None)),
    Required("outputAxes", Numbers(None)),
]);

/// The array of a level, as the input of its transformation in 0.6.
const AT_PATH: Type<'_> = Object(&[Optional("name", Text), Required("path", Text)]);

/// A coordinate system, as the input or output of a transformation in 0.6.
const NAMED: Type<'_> = Object(&[Required("name", Text), Optional("path", Text)]);

/// The transformations of an image or a scene in 0.6.
pub const BETWEEN_SYSTEMS: Type<'_> = List(1, &Rule(&validate_between));

fn kind<'a>(item: &Pointer<'a>) -> Option<&'a str> {
    item.value.text_of("type")
}

/// Checks the transformations of a level up to 0.5: one scale, then at most one translation.
pub fn validate_scales(list: &Pointer<'_>, rank: Option<usize>, report: &mut Report) {
    let Some(items) = list.array(1, report) else { return };
    let mut kinds = Vec::new();
    for item in &items {
        item.check(Object(&[Required("type", Text)]), report);
        let Some(kind) = kind(item) else { continue };
        kinds.push(kind);
        match kind {
            "scale" | "translation" => parameters(item, kind, rank, report),
            _ => report.error(
                "transformation",
                &item.path,
                format!("expected a scale or a translation, found {}", quoted(kind)),
            ),
        }
    }
    let count = |wanted: &str| kinds.iter().filter(|kind| **kind == wanted).count();
    if count("scale") != 1 || count("translation") > 1 {
        report.error("transformation", &list.path, "there must be one scale, and at most one translation");
    } else if kinds.first() == Some(&"translation") {
        report.warning("transformation", &list.path, "the scale should come first");
    }
}

/// Reads a list with one number for each axis.
fn parameters(item: &Pointer<'_>, key: &str, rank: Option<usize>, report: &mut Report) {
    let Some(list) = item.require(key, report) else { return };
    let Some(numbers) = list.numbers(None, report) else { return };
    if numbers.len() < 2 {
        report.error(
            "length",
            &list.path,
            "there must be one number for each axis, and an image has at least two axes",
        );
    } else if rank.is_some_and(|rank| rank != numbers.len()) {
        report.error(
            "length",
            &list.path,
            format!("found {} numbers for {} axes", numbers.len(), rank.unwrap_or(0)),
        );
    }
    if key == "scale" && numbers.iter().any(|number| *number <= 0.0) {
        report.warning("scale", &list.path, "a scale should be greater than zero");
    }
}

/// Checks the transformation of a level in 0.6: exactly one scale, identity, or sequence of scale
/// and translation, from the path of the array to a coordinate system.
pub fn validate_level(list: &Pointer<'_>, report: &mut Report) {
    let Some(items) = list.array(1, report) else { return };
    if items.len() > 1 {
        report.error(
            "transformation",
            &list.path,
            "a level must have one transformation; a sequence combines two",
        );
    }
    for item in &items {
        if item.object(report).is_none() {
            continue;
        }
        validate(item, report);
        item.check_members(&[Required("input", AT_PATH), Required("output", NAMED)], report);
        let allowed = match kind(item) {
            Some("scale" | "identity") => true,
            Some("sequence") => is_scale_then_translation(item),
            _ => false,
        };
        if !allowed {
            let message =
                "a level must have a scale, an identity, or a sequence of a scale and a translation";
            report.error("transformation", &item.path, message);
        }
    }
}

fn is_scale_then_translation(sequence: &Pointer<'_>) -> bool {
    let parts = sequence.member("transformations").map(|list| list.items()).unwrap_or_default();
    let kinds: Vec<&str> = parts.iter().filter_map(kind).collect();
    parts.len() == 2 && kinds.len() == 2 && kinds.iter().all(|kind| ["scale", "translation"].contains(kind))
}

/// Checks a transformation between coordinate systems in 0.6: all but those of levels.
fn validate_between(item: &Pointer<'_>, report: &mut Report) {
    validate(item, report);
    item.check_members(&[Required("input", NAMED), Required("output", NAMED)], report);
}

/// Checks any transformation of 0.6 and those inside it. The nesting of the document bounds the
/// depth.
pub fn validate(item: &Pointer<'_>, report: &mut Report) {
    item.check(Object(&[Required("type", Text), Optional("name", Text)]), report);
    let Some(kind) = kind(item) else { return };
    match TYPES.iter().find(|(name, _)| *name == kind) {
        Some((_, is)) => item.check(*is, report),
        None => {
            let known = TYPES.map(|(name, _)| name).join(", ");
            let message = format!("the type {} is unknown: expected one of {known}", quoted(kind));
            report.error("transformation", &item.path, message);
        }
    }
}

fn scale(item: &Pointer<'_>, report: &mut Report) {
    let numbers = item.require("scale", report).and_then(|list| list.numbers(None, report));
    if numbers.unwrap_or_default().iter().any(|number| *number <= 0.0) {
        report.error("scale", &item.path, "a scale must be greater than zero");
    }
}

fn interpolation(interpolation: &Pointer<'_>, report: &mut Report) {
    if interpolation.string(report).is_some_and(|text| !["nearest", "linear", "cubic"].contains(&text)) {
        let message = "the interpolation must be nearest, linear or cubic";
        report.error("interpolation", &interpolation.path, message);
    }
}

fn matrix(item: &Pointer<'_>, key: &str, report: &mut Report) {
    match (item.member("path"), item.member(key)) {
        (Some(path), None) => drop(path.string(report)),
        (None, Some(rows)) => {
            let items = rows.array(1, report).unwrap_or_default();
            let rows_read: Vec<Vec<f64>> = items.iter().filter_map(|row| row.numbers(None, report)).collect();
            let square =
                rows_read.iter().all(|row| row.len() == items.len()) && (2..=5).contains(&items.len());
            if key == "rotation" && !square {
                report.error(
                    "matrix",
                    &rows.path,
                    "a rotation must be a square matrix with two to five rows",
                );
            } else if rows_read.iter().any(|row| rows_read.first().map(Vec::len) != Some(row.len())) {
                report.error("matrix", &rows.path, "the rows of a matrix must have the same length");
            }
        }
        _ => report.error(
            "required",
            &item.path,
            format!("exactly one of {} and \"path\" is required", quoted(key)),
        ),
    }
}

fn axes_list(list: &Pointer<'_>, least: usize, most: usize, report: &mut Report) {
    let items = list.distinct(least, report).unwrap_or_default();
    if items.len() > most {
        report.error("length", &list.path, format!("expected at most {most} axes, found {}", items.len()));
    }
    for item in &items {
        if item.integer(0, report).is_some_and(|axis| axis > 4) {
            report.error("range", &item.path, "an axis must be an index from 0 to 4");
        }
    }
}

fn project_axis(item: &Pointer<'_>, report: &mut Report) {
    if item.member("droppedInputs").is_none() && item.member("createdOutputs").is_none() {
        report.error("required", &item.path, "\"droppedInputs\" or \"createdOutputs\" is required");
    }
    let axes = Rule(&|list, report| axes_list(list, 1, 3, report));
    item.check_members(&[Optional("droppedInputs", axes), Optional("createdOutputs", axes)], report);
}

/// Checks the list of `byDimension`.
fn parts(list: &Pointer<'_>, report: &mut Report) {
    list.check(List(0, &PART), report);
    let items = list.items();
    let axes = items.iter().filter_map(|part| part.value.get("outputAxes")?.as_array()).flatten();
    let outputs: Vec<String> = axes.filter_map(|axis| Some(axis.as_f64()?.to_bits().to_string())).collect();
    if !repeats(&outputs).is_empty() {
        report.error("output-axes", &list.path, "each output axis must come from exactly one transformation");
    }
}

/// A scale and a translation for each axis: `world = index × scale + translation`.
#[derive(Clone, Debug, PartialEq)]
pub struct ScaleTranslation {
    /// World units per index step.
    pub scale: Vec<f64>,
    /// The position of the centre of the first element.
    pub translation: Vec<f64>,
}

impl ScaleTranslation {
    /// The identity.
    pub fn identity(rank: usize) -> Self {
        Self { scale: vec![1.0; rank], translation: vec![0.0; rank] }
    }

    /// Applies `other` after this one.
    #[must_use]
    pub fn then(mut self, other: &Self) -> Self {
        let here = self.scale.iter_mut().zip(&mut self.translation);
        for ((scale, translation), (factor, offset)) in here.zip(other.scale.iter().zip(&other.translation)) {
            *scale *= factor;
            *translation = *translation * factor + offset;
        }
        self
    }
}

fn numbers(value: &Value, rank: usize) -> Option<Vec<f64>> {
    let numbers: Vec<f64> = value.as_array()?.iter().filter_map(Value::as_f64).collect();
    (numbers.len() == rank && numbers.iter().all(|number| number.is_finite())).then_some(numbers)
}

/// Reduces a transformation to a scale and a translation for each axis.
///
/// # Errors
/// The name of a transformation that does something else.
pub fn flatten(item: &Value, rank: usize) -> Result<ScaleTranslation, String> {
    let kind = item.text_of("type").unwrap_or("a transformation without type");
    let identity = ScaleTranslation::identity(rank);
    let list =
        |key: &str| item.get(key).and_then(|value| numbers(value, rank)).ok_or_else(|| kind.to_owned());
    match kind {
        "identity" => Ok(identity),
        "scale" => Ok(ScaleTranslation { scale: list("scale")?, ..identity }),
        "translation" => Ok(ScaleTranslation { translation: list("translation")?, ..identity }),
        "affine" => diagonal(item, rank).ok_or_else(|| kind.to_owned()),
        "sequence" => {
            let parts =
                item.get("transformations").and_then(Value::as_array).ok_or_else(|| kind.to_owned())?;
            flatten_all(parts, rank)
        }
        "byDimension" => by_dimension(item, rank).ok_or_else(|| kind.to_owned()),
        _ => Err(kind.to_owned()),
    }
}

/// Applies transformations one after the other.
///
/// # Errors
/// The name of the first transformation that cannot be reduced.
pub fn flatten_all(items: &[Value], rank: usize) -> Result<ScaleTranslation, String> {
    items.iter().try_fold(ScaleTranslation::identity(rank), |all, item| Ok(all.then(&flatten(item, rank)?)))
}

/// Whether transformations name the coordinate systems that they lead to. They are then
/// alternatives, and are not applied one after the other.
pub fn lead_to_systems(list: &Value) -> bool {
    list.items().iter().any(|item| match item.get("output") {
        Some(Value::Object(system)) => system.has("name"),
        Some(output) => output.as_str().is_some(),
        None => false,
    })
}

/// Reads a matrix that does not mix axes.
fn diagonal(item: &Value, rank: usize) -> Option<ScaleTranslation> {
    let rows = item.get("affine")?.as_array()?;
    let rows: Vec<Vec<f64>> = rows.iter().filter_map(|row| numbers(row, rank.checked_add(1)?)).collect();
    if rows.len() != rank {
        return None;
    }
    let mut all = ScaleTranslation { scale: Vec::new(), translation: Vec::new() };
    for (at, row) in rows.iter().enumerate() {
        let (translation, factors) = row.split_last()?;
        if factors.iter().enumerate().any(|(axis, value)| axis != at && *value != 0.0) {
            return None;
        }
        all.scale.push(*factors.get(at)?);
        all.translation.push(*translation);
    }
    Some(all)
}

/// Combines transformations of single axes, if no axis changes its position.
fn by_dimension(item: &Value, rank: usize) -> Option<ScaleTranslation> {
    let mut all = ScaleTranslation::identity(rank);
    for part in item.get("transformations")?.as_array()? {
        let axes = |key: &str| -> Option<Vec<usize>> {
            let list = part.get(key)?.as_array()?;
            let axes = list
                .iter()
                .filter_map(|axis| usize::try_from(axis.as_u64()?).ok().filter(|axis| *axis < rank));
            Some(axes.collect())
        };
        let inputs = axes("inputAxes")?;
        if inputs != axes("outputAxes")? {
            return None;
        }
        let inner = flatten(part.get("transformation")?, inputs.len()).ok()?;
        for (axis, (scale, translation)) in inputs.iter().zip(inner.scale.iter().zip(&inner.translation)) {
            *all.scale.get_mut(*axis)? = *scale;
            *all.translation.get_mut(*axis)? = *translation;
        }
    }
    Some(all)
}
