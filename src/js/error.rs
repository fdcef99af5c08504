//! Errors on their way out, and those of workers on their way back: a report of plain fields, which `errors.ts` turns into
//! the class that callers branch on.

use std::rc::Rc;

use js_sys::Reflect;
use serde::{Deserialize, Serialize};
use wasm_bindgen::JsValue;

use crate::error::{Context, Error, ErrorKind, Stage};

#[derive(Serialize, Deserialize)]
struct Report {
    code: String,
    message: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    stage: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    node: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    key: Option<String>,
    /// Offset and length: JavaScript has them as numbers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    range: Option<(f64, f64)>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    codec: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    field: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    expected: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    actual: Option<String>,
}

impl Report {
    // Offsets beyond 2^53 are rounded: they are for people.
    #[allow(clippy::cast_precision_loss)]
    fn new(error: &Error, message: String) -> Self {
        let context = error.context().clone();
        Self {
            code: error.kind().code().to_owned(),
            message,
            stage: context.stage.map(|stage| stage.name().to_owned()),
            node: context.node,
            key: context.key,
            range: context.range.map(|(offset, len)| (offset as f64, len as f64)),
            codec: context.codec,
            field: context.field,
            expected: context.expected,
            actual: context.actual,
        }
    }

    // The floats were made from unsigned integers, by `new`.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    fn into_error(self) -> Error {
        let kind = ErrorKind::from_code(&self.code).unwrap_or(ErrorKind::Unsupported);
        Error::new(kind, self.message).with_context(Context {
            stage: self.stage.as_deref().and_then(Stage::from_name),
            node: self.node,
            key: self.key,
            range: self.range.map(|(offset, len)| (offset as u64, len as u64)),
            codec: self.codec,
            field: self.field,
            expected: self.expected,
            actual: self.actual,
        })
    }
}

/// An error for JavaScript: the whole sentence, and what the host threw as its cause.
pub fn report_to_js(error: &Error) -> JsValue {
    let report = Report::new(error, error.to_string());
    let object = serde_wasm_bindgen::to_value(&report).unwrap_or(JsValue::NULL);
    if let Some(cause) = error.cause().and_then(|cause| cause.downcast_ref::<JsValue>()) {
        // Setting a member of a plain object does not fail.
        let _ = Reflect::set(&object, &"cause".into(), cause);
    }
    object
}

/// An error for another instance: the sentence without its context, which the other side may add to.
pub fn report_to_json(error: &Error) -> String {
    let report = Report::new(error, error.message().to_owned());
    serde_json::to_string(&report).unwrap_or_default()
}

/// What another instance reported.
pub fn error_of_json(json: &str) -> Error {
    match serde_json::from_str::<Report>(json) {
        Ok(report) => report.into_error(),
        Err(_) => Error::unsupported(json),
    }
}

/// What JavaScript threw, as the cause of a `Store` error.
pub fn store_failed(what: &str, thrown: JsValue) -> Error {
    // A store of this package that is TypeScript throws errors of this package, which say themselves who must act.
    let member = |name: &str| Reflect::get(&thrown, &name.into()).ok()?.as_string();
    if let (Some(_), Some(kind)) =
        (member("_tag"), member("code").and_then(|code| ErrorKind::from_code(&code)))
    {
        return Error::new(kind, describe(&thrown)).caused_by(Rc::new(thrown));
    }
    Error::store(format!("{what}: {}", describe(&thrown))).caused_by(Rc::new(thrown))
}

/// What was thrown, in words.
pub fn describe(thrown: &JsValue) -> String {
    let message = Reflect::get(thrown, &"message".into()).ok().and_then(|message| message.as_string());
    message.or_else(|| thrown.as_string()).unwrap_or_else(|| format!("{thrown:?}"))
}
