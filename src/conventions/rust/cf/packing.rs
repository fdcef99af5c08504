//! Packed values: the effect of `_FillValue`, `missing_value`, `valid_min`, `valid_max`,
//! `valid_range`, `_Unsigned`, `scale_factor` and `add_offset` on the elements of an array. CF
//! 2.5.1 and 8.1, <https://cfconventions.org>; NUG's attribute conventions.
//!
//! Types and rounding are those of xarray's `decode_cf`, where scale and offset from JSON are
//! doubles. Unlike in xarray, missing values are compared exactly, in the packed type, and there
//! may be several. The arithmetic is not here: the decoder does it, as `format::conversion`
//! describes it.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use crate::error::{Error, Result};
use crate::format::conversion::{Conversion, Missing, NumberType, Unpacking, integer_key, number_of};
use crate::format::data_type::{DataType, Float, Integer};
use crate::format::json::decimal::{self, Binary};
use crate::node::Node;
use crate::records::{Packing, PackingOptions as Wanted, PackingQuestion};
use crate::value::Value;

/// The attributes that unpack elements or mark missing ones.
pub const ATTRIBUTES: [&str; 8] = [
    "scale_factor",
    "add_offset",
    "_FillValue",
    "missing_value",
    "valid_min",
    "valid_max",
    "valid_range",
    "_Unsigned",
];

/// Whether a node has one of [`ATTRIBUTES`].
pub fn is_packed(node: &Node) -> bool {
    node.object().is_some_and(|object| object.has_any(&ATTRIBUTES))
}

/// How to unpack the elements of an array. `None` if the attributes do not mention it or the
/// elements are not numbers.
///
/// # Errors
/// `Format` for attributes that cannot be read. Ignoring them would make wrong numbers.
pub fn packing(PackingQuestion { node, wanted }: &PackingQuestion) -> Result<Option<Packing>> {
    let Some((data_type, source)) = numbers_of(&wanted.data_type) else { return Ok(None) };
    let stored = source;
    let source = reinterpreted(node, stored)?;
    let scale = factor(node, "scale_factor")?;
    let offset = factor(node, "add_offset")?;
    let fills = fill_values(node, wanted, source)?;
    let bounds = if wanted.ignore_valid { None } else { valid_range(node, source) };
    let is_packed = scale.is_some() || offset.is_some();
    if !is_packed && fills.values.is_empty() && bounds.is_none() && source == stored {
        return Ok(None);
    }
    let is_masked = !fills.values.is_empty() || bounds.is_some();
    let target = match (is_packed, is_masked) {
        (true, _) if fills.keeps_type(source) => source,
        (true, _) => NumberType::F64,
        (false, true) => promoted(source),
        (false, false) => source,
    };
    let missing = is_masked.then(|| missing(source, fills.values, bounds));
    let is_double = !matches!(target, NumberType::F32 | NumberType::F16);
    let changes = is_packed || is_masked;
    let unpacking = changes.then_some(Unpacking { is_double, missing, scale, offset });
    let conversion = Conversion::unpacked(source, unpacking, target);
    debug_assert_eq!(number_of(&data_type), Some(stored));
    Ok(Some(Packing { words: conversion.to_words()?, to: target.name() }))
}

/// The data type of a name, and the number type of its elements.
fn numbers_of(name: &str) -> Option<(DataType, NumberType)> {
    let number = Integer::of_name(name).map(DataType::Integer);
    let number = number.or_else(|| Float::of_name(name).map(DataType::Float));
    let data_type = number.or_else(|| (name == "bool").then_some(DataType::Bool))?;
    let source = number_of(&data_type)?;
    Some((data_type, source))
}

/// A float type that represents all values and NaN: xarray's `maybe_promote`.
fn promoted(source: NumberType) -> NumberType {
    match source {
        NumberType::F16 | NumberType::F32 | NumberType::F64 => source,
        narrow if narrow.size() <= 2 => NumberType::F32,
        _ => NumberType::F64,
    }
}

const SIGNED: [NumberType; 4] = [NumberType::I8, NumberType::I16, NumberType::I32, NumberType::I64];
const UNSIGNED: [NumberType; 4] = [NumberType::U8, NumberType::U16, NumberType::U32, NumberType::U64];

/// The type that `_Unsigned` makes of an integer.
fn reinterpreted(node: &Node, stored: NumberType) -> Result<NumberType> {
    let Some(word) = node.get("_Unsigned") else { return Ok(stored) };
    let unsigned = match word {
        Value::Bool(word) => Some(*word),
        Value::String(word) if word.eq_ignore_ascii_case("true") => Some(true),
        Value::String(word) if word.eq_ignore_ascii_case("false") => Some(false),
        _ => None,
    };
    let unsigned = unsigned.ok_or_else(|| unusable("_Unsigned", word, "\"true\" or \"false\""))?;
    let (from, to) = if unsigned { (SIGNED, UNSIGNED) } else { (UNSIGNED, SIGNED) };
    let index = from.iter().position(|number| *number == stored);
    Ok(index.and_then(|index| to.get(index).copied()).unwrap_or(stored))
}

fn unusable(key: &str, value: &Value, expected: &str) -> Error {
    Error::format(format!("the attribute {key} cannot be used to decode values"))
        .expected(expected)
        .actual(value.shown())
}

/// A number, or a list of one: NetCDF-4 attributes are lists.
fn factor(node: &Node, key: &str) -> Result<Option<f64>> {
    let Some(value) = node.get(key) else { return Ok(None) };
    let scalar = match value {
        Value::Array(items) if items.len() == 1 => items.first().unwrap_or(value),
        other => other,
    };
    let finite = scalar.as_f64().filter(|number| number.is_finite());
    finite.map(Some).ok_or_else(|| unusable(key, value, "a finite number"))
}

/// Missing values, in the packed type.
struct Fills {
    values: Vec<Exact>,
    /// Whether an attribute names one, even NaN. Floats are then scaled in their own precision, as
    /// in xarray.
    named: bool,
}

impl Fills {
    fn keeps_type(&self, source: NumberType) -> bool {
        self.named && self.values.is_empty() && matches!(source, NumberType::F32 | NumberType::F64)
    }
}

/// A number of the packed type.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Exact {
    Integer(i128),
    Float(f64),
}

/// The maximum number of missing values. Each is compared with every element.
const MAX_FILLS: usize = 64;

fn fill_values(node: &Node, wanted: &Wanted, source: NumberType) -> Result<Fills> {
    let own = node.get("_FillValue").or(wanted.fill_value.as_ref());
    let named = [("_FillValue", own), ("missing_value", node.get("missing_value"))];
    let mut fills = Fills { values: Vec::new(), named: false };
    for (key, value) in named {
        let items = match value {
            None | Some(Value::Null) => continue,
            Some(Value::Array(items)) => items.as_slice(),
            Some(other) => std::slice::from_ref(other),
        };
        for item in items {
            let number = exact(item, source).ok_or_else(|| unusable(key, item, "a number"))?;
            fills.named |= source.is_float() || !matches!(number, Exact::Float(nan) if nan.is_nan());
            fills.values.extend(
                packed(number, source).filter(|value| !matches!(value, Exact::Float(nan) if nan.is_nan())),
            );
        }
    }
    fills.values.dedup();
    if fills.values.len() > MAX_FILLS {
        return Err(Error::limit("too many missing values").actual(fills.values.len().to_string()));
    }
    Ok(fills)
}

/// A number in JSON. It may be a string; for floats also the base64 text of a double, which xarray
/// writes.
fn exact(value: &Value, source: NumberType) -> Option<Exact> {
    match value {
        Value::Number(number) => {
            Some(number.whole().map_or_else(|| Exact::Float(number.float()), Exact::Integer))
        }
        Value::Bool(bit) => Some(Exact::Integer(i128::from(*bit))),
        Value::String(text) => text_number(text, source),
        _ => None,
    }
}

fn text_number(text: &str, source: NumberType) -> Option<Exact> {
    let text = text.trim();
    if source.is_float()
        && text.len() == 12
        && let Ok(bytes) = STANDARD.decode(text)
        && let Ok(bytes) = <[u8; 8]>::try_from(bytes)
    {
        return Some(Exact::Float(f64::from_le_bytes(bytes)));
    }
    match text {
        "NaN" | "nan" => Some(Exact::Float(f64::NAN)),
        "Infinity" | "inf" => Some(Exact::Float(f64::INFINITY)),
        "-Infinity" | "-inf" => Some(Exact::Float(f64::NEG_INFINITY)),
        _ => text.parse().map(Exact::Integer).ok().or_else(|| {
            let unsigned = text.strip_prefix('+').unwrap_or(text);
            decimal::parse(unsigned, Binary::DOUBLE).map(Exact::Float)
        }),
    }
}

/// Bits of an integer type, and whether it is signed.
#[allow(clippy::arithmetic_side_effects, reason = "a number has at most 8 bytes")]
fn bits_of(number: NumberType) -> (u32, bool) {
    let bits = u32::try_from(8 * number.size()).unwrap_or(64);
    (bits, SIGNED.contains(&number))
}

/// Lowest and highest integer of a type.
#[allow(clippy::arithmetic_side_effects, reason = "an integer type has 8 to 64 bits")]
fn integers_of(number: NumberType) -> (i128, i128) {
    match bits_of(number) {
        _ if number == NumberType::Bool => (0, 1),
        (bits, true) => (-(1 << (bits - 1)), (1 << (bits - 1)) - 1),
        (bits, false) => (0, (1 << bits) - 1),
    }
}

/// A number in the packed type; `None` if the type cannot represent it. Integers of the type with
/// the other signedness keep their bits, because `_Unsigned` data are written that way.
#[allow(clippy::cast_possible_truncation, clippy::cast_precision_loss)] // to the packed type is what is wanted
#[allow(clippy::arithmetic_side_effects, reason = "an integer type has 8 to 64 bits")]
fn packed(number: Exact, source: NumberType) -> Option<Exact> {
    if source.is_float() {
        let double = match number {
            Exact::Integer(whole) => whole as f64,
            Exact::Float(double) => double,
        };
        return Some(Exact::Float(match source {
            NumberType::F64 => double,
            NumberType::F32 => f64::from(double as f32),
            _ => half::f16::from_f64(double).to_f64(),
        }));
    }
    let whole = match number {
        Exact::Integer(whole) => whole,
        Exact::Float(double) if double.fract() == 0.0 && double.abs() < 2e19 => double as i128,
        Exact::Float(_) => return None,
    };
    let (low, high) = integers_of(source);
    let (bits, signed) = bits_of(source);
    let turned = match whole {
        whole if whole >= low && whole <= high => whole,
        whole if signed && whole > high && whole < 1 << bits => whole - (1 << bits),
        whole if !signed && whole < 0 && whole >= -(1 << (bits - 1)) => whole + (1 << bits),
        _ => return None,
    };
    Some(Exact::Integer(turned))
}

/// The lowest and the highest valid value in the packed type. `None` if they are absent or the type
/// cannot represent them.
fn valid_range(node: &Node, source: NumberType) -> Option<(Option<Exact>, Option<Exact>)> {
    let bound = |value: Option<&Value>| {
        let value = match value? {
            Value::Array(items) if items.len() == 1 => items.first()?,
            other => other,
        };
        packed(exact(value, source)?, source)
            .filter(|bound| !matches!(bound, Exact::Float(nan) if nan.is_nan()))
    };
    let both = match node.get("valid_range") {
        Some(Value::Array(range)) if range.len() == 2 => (bound(range.first()), bound(range.get(1))),
        _ => (bound(node.get("valid_min")), bound(node.get("valid_max"))),
    };
    (both.0.is_some() || both.1.is_some()).then_some(both)
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // the low 64 bits of an integer that they hold
fn missing(source: NumberType, fills: Vec<Exact>, bounds: Option<(Option<Exact>, Option<Exact>)>) -> Missing {
    let (low, high) = bounds.unwrap_or_default();
    if source.is_float() {
        let float = |exact: Exact| match exact {
            Exact::Float(double) => double,
            Exact::Integer(_) => f64::NAN,
        };
        return Missing::Floats {
            values: fills.into_iter().map(float).collect(),
            low: low.map_or(f64::NEG_INFINITY, float),
            high: high.map_or(f64::INFINITY, float),
        };
    }
    let key = |exact: Exact| match exact {
        Exact::Integer(whole) => integer_key(whole as u64, source),
        Exact::Float(_) => 0,
    };
    Missing::Integers {
        values: fills.into_iter().map(key).collect(),
        low: low.map_or(i64::MIN, key),
        high: high.map_or(i64::MAX, key),
    }
}
