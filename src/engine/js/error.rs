//! Converts errors for JavaScript and from workers. A report has plain fields; `errors.ts` converts
//! it into the class that users see.

use std::rc::Rc;

use js_sys::{JSON, Object, Reflect};
use wasm_bindgen::JsValue;

use crate::error::{Error, ErrorKind};
use crate::report::{report, reported};

/// A report for JavaScript, with the value that the host threw as its cause. Where another build
/// can answer the call, it is no report but `NeededBuild` of `ts/engine/instances.ts`.
pub fn report_to_js(error: &Error) -> JsValue {
    // Setting a member of a plain object does not fail.
    let set = |report: &JsValue, name: &str, value: &JsValue| drop(Reflect::set(report, &name.into(), value));
    if let Some(build) = error.context().build {
        let needed = Object::new().into();
        set(&needed, "needsBuild", &build.name().into());
        set(&needed, "message", &error.to_string().into());
        return needed;
    }
    let report = JSON::parse(&report(error)).unwrap_or_else(|thrown| thrown);
    if let Some(cause) = error.cause().and_then(|cause| cause.downcast_ref::<JsValue>()) {
        set(&report, "cause", cause);
    }
    report
}

/// The error of an exported function. JavaScript catches its report.
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
        report_to_js(&error)
    }
}

/// The error that another instance reported; `None` for any other thrown value.
pub fn reported_error(thrown: &JsValue) -> Option<Error> {
    let member = |name: &str| Reflect::get(thrown, &name.into()).ok().filter(|value| !value.is_undefined());
    let error = reported(&member("report")?.as_string()?);
    Some(match member("cause") {
        Some(cause) => error.caused_by(Rc::new(cause)),
        None => error,
    })
}

/// The error for a value that JavaScript threw. It becomes the cause of a `Store` error.
pub fn store_failed(what: &str, thrown: JsValue) -> Error {
    // Errors of this package's own TypeScript stores keep their kind.
    let member = |name: &str| Reflect::get(&thrown, &name.into()).ok()?.as_string();
    if let (Some(_), Some(kind)) =
        (member("_tag"), member("code").and_then(|code| ErrorKind::from_code(&code)))
    {
        return Error::new(kind, describe(&thrown)).caused_by(Rc::new(thrown));
    }
    Error::store(format!("{what}: {}", describe(&thrown))).caused_by(Rc::new(thrown))
}

/// A thrown value as text.
pub fn describe(thrown: &JsValue) -> String {
    let message = Reflect::get(thrown, &"message".into()).ok().and_then(|message| message.as_string());
    message.or_else(|| thrown.as_string()).unwrap_or_else(|| format!("{thrown:?}"))
}
