//! Extensions in v3 metadata: a name, or `{name, configuration?, must_understand?}`.
//! <https://zarr-specs.readthedocs.io/en/latest/v3/core/index.html#extension-definition>
//!
//! All extension points use this parser. Since 3.1 all extensions may be plain names, and core data
//! types may be objects. The extension point looks up the name.

use std::borrow::Cow;

use crate::error::{Error, Result};
use crate::format::json::{Json, Object};
use crate::quoted::quoted;

/// An extension as in the metadata.
#[derive(Clone, Debug)]
pub struct Extension<'a> {
    /// The name.
    pub name: Cow<'a, str>,
    /// The configuration object. `None` where there is none, which means the same as an empty one.
    pub configuration: Option<Json<'a>>,
}

impl<'a> Extension<'a> {
    /// Parses either form.
    ///
    /// # Errors
    /// `Format` for anything else, `Unsupported` for a member that the specification does not
    /// define.
    pub fn parse(json: Json<'a>) -> Result<Self> {
        let members = match json.kind_name() {
            "a string" => return Ok(Self { name: json.str()?, configuration: None }),
            "an object" => json.object()?,
            _ => return Err(json.unexpected("a name or an object with one")),
        };
        let extension = Self {
            name: members.require("name", Json::str)?,
            configuration: members.read_unless_null("configuration", |json| json.object().map(|_| json))?,
        };
        // An extension that is unknown is refused, whatever it says of itself.
        members.read("must_understand", Json::bool)?;
        refuse_unknown(members, &["name", "configuration", "must_understand"])?;
        Ok(extension)
    }

    /// The members of the configuration. Empty where there is none.
    ///
    /// # Errors
    /// `Format` when it is not an object.
    pub fn configuration(&self) -> Result<Object<'a>> {
        self.configuration.map_or_else(|| Ok(Object::default()), Json::object)
    }
}

/// Applies the rule for unknown fields: they must be understood, unless they are objects that say
/// otherwise.
///
/// # Errors
/// `Unsupported`, with the field.
pub fn refuse_unknown(members: Object<'_>, known: &[&str]) -> Result<()> {
    for (key, value) in members {
        if known.contains(&key.as_ref()) || may_be_ignored(value) {
            continue;
        }
        let error =
            Error::unsupported(format!("the metadata has a field that must be understood: {}", quoted(&key)));
        return Err(error.in_field(key));
    }
    Ok(())
}

fn may_be_ignored(value: Json<'_>) -> bool {
    let must_understand = value.object().ok().and_then(|object| object.get("must_understand"));
    must_understand.is_some_and(|json| json.text() == "false")
}

#[cfg(all(test, not(target_arch = "wasm32")))]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;
    use crate::format::json::Document;

    #[test]
    fn both_forms_are_parsed() {
        let document = Document::parse(br#"["gzip",{"name":"gzip","configuration":{"level":1}}]"#).unwrap();
        let extensions = document.root().list(Extension::parse).unwrap();
        assert_eq!(extensions[0].name, "gzip");
        assert!(extensions[0].configuration.is_none());
        assert!(extensions[0].configuration().unwrap().iter().next().is_none());
        assert_eq!(extensions[1].name, "gzip");
        assert_eq!(extensions[1].configuration.unwrap().text(), r#"{"level":1}"#);
    }

    #[test]
    fn must_understand_may_be_there() {
        let document = Document::parse(br#"{"name":"x","must_understand":false}"#).unwrap();
        assert_eq!(Extension::parse(document.root()).unwrap().name, "x");
    }

    #[test]
    fn a_configuration_that_is_null_is_none() {
        let document = Document::parse(br#"{"name":"x","configuration":null}"#).unwrap();
        assert!(Extension::parse(document.root()).unwrap().configuration.is_none());
    }

    #[test]
    fn invalid_forms_are_refused() {
        for (text, kind, field) in [
            ("7", ErrorKind::Format, None),
            ("null", ErrorKind::Format, None),
            ("{}", ErrorKind::Format, Some("name")),
            (r#"{"name":7}"#, ErrorKind::Format, Some("name")),
            (r#"{"name":"x","configuration":[]}"#, ErrorKind::Format, Some("configuration")),
            (r#"{"name":"x","must_understand":"no"}"#, ErrorKind::Format, Some("must_understand")),
            (r#"{"name":"x","level":1}"#, ErrorKind::Unsupported, Some("level")),
        ] {
            let document = Document::parse(text.as_bytes()).unwrap();
            let error = Extension::parse(document.root()).unwrap_err();
            assert_eq!(error.kind(), kind, "{text}");
            assert_eq!(error.context().field.as_deref(), field, "{text}");
        }
    }

    #[test]
    fn unknown_fields_are_refused_unless_they_say_otherwise() {
        let check = |text: &str| {
            let document = Document::parse(text.as_bytes()).unwrap();
            refuse_unknown(document.root().object().unwrap(), &["a"])
        };
        assert!(check(r#"{"a":1,"b":{"must_understand":false}}"#).is_ok());
        for text in [
            r#"{"b":1}"#,
            r#"{"b":false}"#,
            r#"{"b":{}}"#,
            r#"{"b":{"must_understand":true}}"#,
            r#"{"b":null}"#,
        ] {
            assert_eq!(check(text).unwrap_err().kind(), ErrorKind::Unsupported, "{text}");
        }
    }
}
