//! Converts errors for JavaScript and from workers. A report has plain fields; `errors.ts` converts
//! it into the class that users see.

use std::borrow::Cow;
use std::rc::Rc;

use js_sys::{Array, Object, Reflect};
use wasm_bindgen::JsValue;

use crate::builds::Build;
use crate::error::{Context, Error, ErrorKind, Result, Stage};
use crate::format::json::Document;
use crate::format::json::text::{ObjectText, string};

/// The text members of a report.
fn texts<'a>(error: &'a Error, message: &'a str) -> [(&'static str, Option<&'a str>); 10] {
    let context = error.context();
    [
        ("code", Some(error.kind().code())),
        ("message", Some(message)),
        ("stage", context.stage.map(Stage::name)),
        ("node", context.node.as_deref()),
        ("key", context.key.as_deref()),
        ("codec", context.codec.as_deref()),
        ("field", context.field.as_deref()),
        ("expected", context.expected.as_deref()),
        ("actual", context.actual.as_deref()),
        ("build", context.build.map(Build::name)),
    ]
}

/// A report for JavaScript, with the whole message, and the value that the host threw as its cause.
/// Where another build can answer the call, it is no report but `NeededBuild` of
/// `ts/engine/instances.ts`.
#[allow(clippy::cast_precision_loss)]
pub fn report_to_js(error: &Error) -> JsValue {
    let report = Object::new();
    // Setting a member of a plain object does not fail.
    let set = |name: &str, value: &JsValue| drop(Reflect::set(&report, &name.into(), value));
    let message = error.to_string();
    if let Some(build) = error.context().build {
        set("needsBuild", &build.name().into());
        set("message", &message.into());
        return report.into();
    }
    for (name, text) in texts(error, &message) {
        if let Some(text) = text {
            set(name, &text.into());
        }
    }
    if let Some((offset, len)) = error.context().range {
        set("range", &Array::of2(&(offset as f64).into(), &(len as f64).into()));
    }
    if let Some(cause) = error.cause().and_then(|cause| cause.downcast_ref::<JsValue>()) {
        set("cause", cause);
    }
    report.into()
}

/// The error of an exported function. JavaScript catches its report.
pub struct Thrown(Error);

/// The result of an exported function.
pub type Exported<T> = std::result::Result<T, Thrown>;

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

/// A report for another instance, with the message but without its context, to which the other side
/// may add.
pub fn report_to_json(error: &Error) -> String {
    let mut report = ObjectText::new();
    for (name, text) in texts(error, error.message()) {
        if let Some(text) = text {
            report.set(name, string(text));
        }
    }
    if let Some((offset, len)) = error.context().range {
        report.set("range", format!("[{offset},{len}]"));
    }
    report.compact()
}

/// The error in the report of another instance.
fn error_of_json(json: &str) -> Error {
    error_of(json).unwrap_or_else(|_| Error::unsupported(json))
}

fn error_of(json: &str) -> Result<Error> {
    let document = Document::parse(json.as_bytes())?;
    let report = document.root().object()?;
    let text = |name: &str| report.get(name).and_then(|text| text.str().ok()).map(Cow::into_owned);
    let message = text("message").ok_or_else(|| Error::format("an error report has no message"))?;
    let kind = text("code").and_then(|code| ErrorKind::from_code(&code)).unwrap_or(ErrorKind::Unsupported);
    let range = report.get("range").and_then(|range| range.u64_list().ok());
    Ok(Error::new(kind, message).with_context(Context {
        stage: text("stage").and_then(|stage| Stage::from_name(&stage)),
        node: text("node"),
        key: text("key"),
        range: range.and_then(|range| Some((*range.first()?, *range.get(1)?))),
        codec: text("codec"),
        field: text("field"),
        expected: text("expected"),
        actual: text("actual"),
        build: text("build").and_then(|build| Build::of_name(&build)),
    }))
}

/// The error that another instance reported; `None` for any other thrown value.
pub fn reported_error(thrown: &JsValue) -> Option<Error> {
    let member = |name: &str| Reflect::get(thrown, &name.into()).ok().filter(|value| !value.is_undefined());
    let error = error_of_json(&member("report")?.as_string()?);
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
