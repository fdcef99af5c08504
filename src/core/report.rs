//! Writes an error as JSON text, and reads it back. Errors go in this form from one wasm instance
//! to another, and to TypeScript, where `errorFromReport` (`src/ts/model/errors.ts`) turns them
//! into the error classes that users see.
//!
//! A report has no cause: that is a value of the host.

use std::borrow::Cow;

use crate::builds::Build;
use crate::error::{Context, Error, ErrorKind, Result, Stage};
use crate::format::json::Document;
use crate::format::json::text::{ObjectText, string};

/// The report of an error. Its `message` is without the context, to which the reader may add;
/// `text` is the whole message.
pub fn report(error: &Error) -> String {
    let (mut report, context, text) = (ObjectText::new(), error.context(), error.to_string());
    let members = [
        ("code", Some(error.kind().name())),
        ("message", Some(error.message())),
        ("text", Some(text.as_str()).filter(|text| *text != error.message())),
        ("stage", context.stage.map(Stage::name)),
        ("node", context.node.as_deref()),
        ("key", context.key.as_deref()),
        ("codec", context.codec.as_deref()),
        ("field", context.field.as_deref()),
        ("expected", context.expected.as_deref()),
        ("actual", context.actual.as_deref()),
        ("build", context.build.map(Build::name)),
    ];
    for (name, text) in members {
        if let Some(text) = text {
            report.set(name, string(text));
        }
    }
    if let Some((offset, len)) = context.range {
        report.set("range", format!("[{offset},{len}]"));
    }
    report.compact()
}

/// The error of a report. Any other text is the message of an `Unsupported` error.
pub fn reported(json: &str) -> Error {
    error_of(json).unwrap_or_else(|_| Error::unsupported(json))
}

fn error_of(json: &str) -> Result<Error> {
    let document = Document::parse(json.as_bytes())?;
    let report = document.root().object()?;
    let text = |name: &str| report.get(name).and_then(|text| text.str().ok()).map(Cow::into_owned);
    let message = text("message").ok_or_else(|| Error::format("an error report has no message"))?;
    let kind = text("code").and_then(|code| ErrorKind::of_name(&code)).unwrap_or(ErrorKind::Unsupported);
    let range = report.get("range").and_then(|range| range.u64_list().ok());
    Ok(Error::new(kind, message).with_context(Context {
        stage: text("stage").and_then(|stage| Stage::of_name(&stage)),
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

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;

    #[test]
    fn a_report_has_all_of_an_error() {
        let error = Error::limit("too \"large\"")
            .in_stage(Stage::Decode)
            .at_node("/a")
            .at_key("a/c/0")
            .at_range(1 << 60, 4)
            .in_codec("zstd")
            .in_field("level")
            .expected("1")
            .actual("2");
        let again = reported(&report(&error));
        assert_eq!((again.kind(), again.message()), (error.kind(), error.message()));
        assert_eq!(again.context(), error.context());
        assert_eq!(
            report(&Error::argument("no").actual("2")),
            r#"{"code":"Argument","message":"no","text":"no: found 2","actual":"2"}"#
        );
    }

    #[test]
    fn what_is_no_report_is_a_message() {
        for text in ["", "{}", "[1]", "a trap", r#"{"message":1}"#] {
            assert_eq!(reported(text).message(), text);
        }
    }
}
