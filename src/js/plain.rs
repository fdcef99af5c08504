//! Plain objects of our TypeScript, read member by member: derived readers are large, and these are few.

use js_sys::{Array, Reflect};
use wasm_bindgen::JsValue;

use crate::error::{Error, Result, Stage};

/// A member that is there.
pub fn member(object: &JsValue, name: &str) -> Option<JsValue> {
    let value = Reflect::get(object, &name.into()).ok()?;
    (!value.is_undefined() && !value.is_null()).then_some(value)
}

/// A member, read.
pub fn read<T>(object: &JsValue, name: &str, read: impl Fn(&JsValue) -> Result<T>) -> Result<Option<T>> {
    member(object, name).map(|value| read(&value)).transpose()
}

/// A number.
pub fn number(value: &JsValue) -> Result<f64> {
    value.as_f64().ok_or_else(|| unreadable("a number", value))
}

/// A word of 32 bits.
// Checked before the cast.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
pub fn word(value: &JsValue) -> Result<u32> {
    match value.as_f64() {
        Some(word) if word.fract() == 0.0 && (0.0..=f64::from(u32::MAX)).contains(&word) => Ok(word as u32),
        _ => Err(unreadable("an integer of 32 bits", value)),
    }
}

/// An integer of 64 bits: a number where that is exact, else a bigint.
// Checked before the cast.
#[allow(clippy::cast_possible_truncation)]
pub fn integer(value: &JsValue) -> Result<i64> {
    match value.as_f64() {
        Some(number) if number.fract() == 0.0 && number.abs() <= 9_007_199_254_740_991.0 => Ok(number as i64),
        Some(_) => Err(unreadable("an integer", value)),
        None => i64::try_from(value.clone()).map_err(|_| unreadable("an integer of 64 bits", value)),
    }
}

/// A list, of whatever kind.
pub fn list<T>(value: &JsValue, read: impl Fn(&JsValue) -> Result<T>) -> Result<Vec<T>> {
    if !value.is_object() {
        return Err(unreadable("a list", value));
    }
    Array::from(value).iter().map(|entry| read(&entry)).collect()
}

/// The error of a request that is not what it should be.
pub fn unreadable(expected: &str, actual: &JsValue) -> Error {
    let error = Error::argument("the selection cannot be read").in_stage(Stage::Selection);
    error.expected(expected).actual(format!("{actual:?}"))
}
