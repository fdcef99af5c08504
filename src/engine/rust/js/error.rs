//! Converts errors for JavaScript and from workers. `errors.ts` converts a record into the class
//! that users see.

use std::rc::Rc;

use js_sys::{Array, JSON, Reflect, Uint8Array};
use wasm_bindgen::JsValue;
use zarr_wasm_contract::{ErrorRecord, Held, Record};

use super::bytes::handed_over;
use crate::error::{Error, ErrorKind};

/// The record of an error. `hold` puts its cause beside the record.
pub fn record_of(error: &Error, hold: &mut dyn FnMut(&JsValue) -> Held) -> ErrorRecord {
    let cause = error.cause().and_then(|cause| cause.downcast_ref::<JsValue>()).map(hold);
    ErrorRecord { cause, ..error.into() }
}

/// A failure for JavaScript: the bytes of an [`ErrorRecord`] and the values beside them.
pub fn failure_to_js(error: &Error) -> JsValue {
    let values = Array::new();
    let record = record_of(error, &mut |cause| Held(values.push(cause) - 1));
    Array::of2(&Uint8Array::from(record.to_bytes().as_slice()), &values).into()
}

/// The error of an exported function. JavaScript catches a failure.
pub struct Thrown(Error);

/// The result of an exported function.
pub type Exported<T> = Result<T, Thrown>;

impl From<Error> for Thrown {
    fn from(error: Error) -> Self {
        Self(error)
    }
}

impl From<Thrown> for JsValue {
    fn from(Thrown(error): Thrown) -> Self {
        failure_to_js(&error)
    }
}

/// The error of a `ReportedError` (`wasm_module.ts`); `None` for any other thrown value.
pub fn reported_error(thrown: &JsValue) -> Option<Error> {
    let member = |name: &str| Reflect::get(thrown, &name.into()).ok().filter(|value| !value.is_undefined());
    let bytes = handed_over(&member("recordBytes")?)?;
    let error = Error::of_record(ErrorRecord::from_bytes(&bytes.to_vec())?);
    Some(match member("cause") {
        Some(cause) => error.caused_by(Rc::new(cause)),
        None => error,
    })
}

/// The error for a value that JavaScript threw. It becomes the cause of a `Store` error.
pub fn store_failed(what: &str, thrown: JsValue) -> Error {
    // Errors of this package's own TypeScript stores keep their kind.
    let member = |name: &str| Reflect::get(&thrown, &name.into()).ok()?.as_string();
    if let (Some(_), Some(kind)) = (member("_tag"), member("code").and_then(|code| ErrorKind::of_name(&code)))
    {
        return Error::new(kind, describe(&thrown)).caused_by(Rc::new(thrown));
    }
    Error::store(format!("{what}: {}", describe(&thrown))).caused_by(Rc::new(thrown))
}

/// A thrown value as text: its message, the value as JSON, or its type. A value of a user may throw
/// when it is asked, so it is not formatted as `Debug`, which would not catch that.
pub fn describe(thrown: &JsValue) -> String {
    let message = || Reflect::get(thrown, &"message".into()).ok()?.as_string();
    let json = || JSON::stringify(thrown).ok()?.as_string().filter(|text| text != "{}");
    thrown
        .as_string()
        .or_else(message)
        .or_else(json)
        .unwrap_or_else(|| thrown.js_typeof().as_string().unwrap_or_default())
}
