//! Reads plain objects of the package's TypeScript member by member. Derived deserializers would be
//! large, and these objects are few.

use js_sys::{Array, Reflect};
use wasm_bindgen::JsValue;

use crate::error::{Error, Result, Stage};
use crate::format::json::decimal;

/// A member, unless it is undefined or null.
pub fn member(object: &JsValue, name: &str) -> Option<JsValue> {
    let value = Reflect::get(object, &name.into()).ok()?;
    (!value.is_undefined() && !value.is_null()).then_some(value)
}

/// Whether a member is truthy.
pub fn is(object: &JsValue, name: &str) -> bool {
    member(object, name).is_some_and(|value| value.is_truthy())
}

/// A member, converted by `read`.
pub fn read<T>(object: &JsValue, name: &str, read: impl Fn(&JsValue) -> Result<T>) -> Result<Option<T>> {
    match member(object, name) {
        Some(value) => read(&value).map(Some),
        None => Ok(None),
    }
}

/// A number.
pub fn number(value: &JsValue) -> Result<f64> {
    value.as_f64().ok_or_else(|| unreadable("a number", value))
}

/// A count of bytes or the like, which JavaScript has as a number.
// Checked in the line before the cast.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
pub fn natural(number: f64) -> Result<u64> {
    if number.fract() == 0.0 && (0.0..=9_007_199_254_740_991.0).contains(&number) {
        return Ok(number as u64);
    }
    let error = Error::argument("a byte range needs whole numbers");
    Err(error.expected("an integer from 0 to 2^53 - 1").actual(decimal::text(number)))
}

/// A 32-bit unsigned integer.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
pub fn word(value: &JsValue) -> Result<u32> {
    match value.as_f64() {
        Some(word) if word.fract() == 0.0 && (0.0..=f64::from(u32::MAX)).contains(&word) => Ok(word as u32),
        _ => Err(unreadable("an integer of 32 bits", value)),
    }
}

/// A 64-bit integer: a number if that is exact, else a bigint.
#[allow(clippy::cast_possible_truncation)]
pub fn integer(value: &JsValue) -> Result<i64> {
    match value.as_f64() {
        Some(number) if number.fract() == 0.0 && number.abs() <= 9_007_199_254_740_991.0 => Ok(number as i64),
        Some(_) => Err(unreadable("an integer", value)),
        None => i64::try_from(value.clone()).map_err(|_| unreadable("an integer of 64 bits", value)),
    }
}

/// A list: any array or typed array.
pub fn list<T>(value: &JsValue, read: impl Fn(&JsValue) -> Result<T>) -> Result<Vec<T>> {
    if !value.is_object() {
        return Err(unreadable("a list", value));
    }
    let entries = Array::from(value);
    let mut list = Vec::new();
    for at in 0..entries.length() {
        list.push(read(&entries.get(at))?);
    }
    Ok(list)
}

/// The error for an invalid member of a request.
pub fn unreadable(expected: &str, actual: &JsValue) -> Error {
    let error = Error::argument("the selection cannot be read").in_stage(Stage::Selection);
    error.expected(expected).actual(format!("{actual:?}"))
}
