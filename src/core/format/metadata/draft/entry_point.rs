//! The entry point of a draft's hierarchy: `zarr.json` at its root, which names the draft and the
//! suffix of all documents. See "Entry point metadata" of October 2020 and May 2022.
//!
//! Unknown members are ignored, as both drafts allow for the same major version.

use super::extension;
use super::uri::SpecUri;
use crate::error::{Error, ErrorKind, Result, Stage};
use crate::format::json::text::{ObjectText, string};
use crate::format::json::{Document, Json, Object};
use crate::format::metadata::{Draft, ZarrFormat};
use crate::quoted::quoted;

/// The default suffix of the names of documents.
pub const DEFAULT_SUFFIX: &str = ".json";

/// The content of an entry point.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntryPoint {
    /// The draft that the hierarchy follows.
    pub draft: Draft,
    /// The suffix of the names of documents: `.json`.
    pub metadata_key_suffix: String,
}

impl Draft {
    /// The `zarr_format` of an entry point.
    pub fn uri(self) -> &'static str {
        match self {
            Self::October2020 => "https://purl.org/zarr/spec/protocol/core/3.0",
            Self::May2022 => "https://purl.org/zarr/spec/core/3.0",
        }
    }

    /// The path of the URI below the specification's.
    fn path(self) -> &'static str {
        match self {
            Self::October2020 => "protocol/core",
            Self::May2022 => "core",
        }
    }
}

impl EntryPoint {
    /// Parses a `zarr.json`. `None` for one that is not a draft's.
    ///
    /// # Errors
    /// `Unsupported` for another major version, for documents that are not JSON, and for extensions
    /// that must be understood, with the URI. `Format` for a missing or invalid member.
    pub fn parse(text: &[u8]) -> Result<Option<Self>> {
        let Ok(document) = Document::parse(text) else { return Ok(None) };
        let Ok(members) = document.root().object() else { return Ok(None) };
        let Some(uri) = members.get("zarr_format").and_then(|json| json.str().ok()) else { return Ok(None) };
        Error::check_full("a draft of v3")?;
        let Some(spec) = SpecUri::parse(&uri) else { return Ok(None) };
        let drafts = [Draft::October2020, Draft::May2022];
        let Some(draft) = drafts.into_iter().find(|draft| draft.path() == spec.path) else {
            return Ok(None);
        };
        let read = || match spec.major {
            Some(3) => Self::read(draft, &members).map(Some),
            _ => Err(Error::unsupported(format!("unknown version of Zarr: {}", quoted(&uri)))
                .in_field("zarr_format")),
        };
        read().map_err(|error: Error| error.in_stage(Stage::Metadata))
    }

    fn read(draft: Draft, members: &Object<'_>) -> Result<Self> {
        let suffix = match draft {
            Draft::October2020 => {
                members.require("metadata_encoding", check_encoding_uri)?;
                members.read("metadata_key_suffix", suffix)?.unwrap_or_else(|| DEFAULT_SUFFIX.to_owned())
            }
            Draft::May2022 => members.require("metadata_encoding", json_encoding)?,
        };
        members.require("extensions", extension::check_list)?;
        Ok(Self { draft, metadata_key_suffix: suffix })
    }

    /// Writes the entry point of a new hierarchy. `extensions` is the text of a JSON array.
    ///
    /// # Errors
    /// `Argument` for a suffix that keys cannot have, and for an invalid list of extensions.
    pub fn to_text(&self, extensions: &str) -> Result<String> {
        let suffix = string(&self.metadata_key_suffix);
        let object = ObjectText::new().with("zarr_format", string(self.draft.uri()));
        let object = match self.draft {
            Draft::October2020 => {
                object.with("metadata_encoding", string(self.draft.uri())).with("metadata_key_suffix", suffix)
            }
            Draft::May2022 => {
                let encoding = ObjectText::new().with("type", "\"json\"").with("metadata_key_suffix", suffix);
                object.with("metadata_encoding", encoding.compact())
            }
        };
        let text = object.with("extensions", extensions).lines();
        // Only an entry point that our own reader parses is written.
        match Self::parse(text.as_bytes()) {
            Ok(Some(read)) if read == *self => Ok(text),
            Ok(_) => Err(Error::argument("the options do not make a valid entry point")),
            Err(error) if error.kind() == ErrorKind::Format => Err(error.into_argument()),
            Err(error) => Err(error),
        }
    }

    /// The Zarr format of the nodes.
    pub fn format(&self) -> ZarrFormat {
        ZarrFormat::Draft(self.draft)
    }
}

/// Checks the encoding of October 2020: a URI. That of JSON is the draft's own URI.
fn check_encoding_uri(json: Json<'_>) -> Result<()> {
    let uri = json.str()?;
    match SpecUri::parse(&uri) {
        Some(SpecUri { path: "protocol/core", major: Some(3) }) => Ok(()),
        _ => Err(Error::unsupported(format!("unknown metadata encoding {}", quoted(&uri)))),
    }
}

/// Parses the encoding of May 2022: `{"type": "json", "metadata_key_suffix": ".json"}`.
fn json_encoding(json: Json<'_>) -> Result<String> {
    let members = json.object()?;
    if members.get("extension").is_some() || members.get("type").is_some_and(|kind| kind.text() != "\"json\"")
    {
        return Err(match extension::ExtensionPoint::parse(json)? {
            Some(extension) => extension.unknown("metadata encoding"),
            None => {
                let kind = members.require("type", Json::str)?;
                Error::unsupported(format!("unknown metadata encoding {}", quoted(&kind)))
            }
        });
    }
    members.require("type", Json::str)?;
    members.require("metadata_key_suffix", suffix)
}

/// Parses the suffix of the names of documents. It has the characters of node names.
fn suffix(json: Json<'_>) -> Result<String> {
    let suffix = json.str()?;
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_');
    if suffix.len() <= 64 && suffix.bytes().all(is_plain) {
        return Ok(suffix.into_owned());
    }
    Err(json.unexpected("up to 64 of the characters a-z, A-Z, 0-9, '.', '-' and '_'"))
}

#[cfg(all(test, not(target_arch = "wasm32")))]
#[allow(clippy::unwrap_used)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn example(draft: Draft) -> Value {
        match draft {
            Draft::October2020 => json!({
                "zarr_format": draft.uri(), "metadata_encoding": draft.uri(), "metadata_key_suffix": ".json", "extensions": [],
            }),
            Draft::May2022 => json!({
                "zarr_format": draft.uri(),
                "metadata_encoding": { "type": "json", "metadata_key_suffix": ".json" },
                "extensions": [],
            }),
        }
    }

    fn parse(document: &Value) -> Result<Option<EntryPoint>> {
        EntryPoint::parse(document.to_string().as_bytes())
    }

    fn with(draft: Draft, field: &str, value: Value) -> Value {
        let mut document = example(draft);
        document[field] = value;
        document
    }

    const DRAFTS: [Draft; 2] = [Draft::October2020, Draft::May2022];

    #[test]
    fn examples_of_the_drafts() {
        for draft in DRAFTS {
            let expected = EntryPoint { draft, metadata_key_suffix: ".json".into() };
            assert_eq!(parse(&example(draft)).unwrap(), Some(expected.clone()));
            let foo = json!([{ "extension": "http://example.org/zarr/extension/foo", "must_understand": false,
                "configuration": { "foo": "bar" } }]);
            assert_eq!(parse(&with(draft, "extensions", foo.clone())).unwrap(), Some(expected.clone()));
            let written: Value = serde_json::from_str(&expected.to_text("[]").unwrap()).unwrap();
            assert_eq!(written, example(draft));
            let written: Value = serde_json::from_str(&expected.to_text(&foo.to_string()).unwrap()).unwrap();
            assert_eq!(written["extensions"], foo);
        }
    }

    #[test]
    fn extensions_that_must_be_understood_are_refused() {
        for draft in DRAFTS {
            let list =
                |must: Value| json!([{ "extension": "http://example.org/foo", "must_understand": must }]);
            let error = parse(&with(draft, "extensions", list(json!(true)))).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Unsupported);
            assert!(error.message().contains("http://example.org/foo"));
            for wrong in [
                list(json!("false")),
                list(Value::Null),
                json!([{ "extension": "http://example.org/foo" }]),
                json!([{ "must_understand": false }]),
                json!({}),
                Value::Null,
            ] {
                assert_eq!(parse(&with(draft, "extensions", wrong)).unwrap_err().kind(), ErrorKind::Format);
            }
        }
    }

    #[test]
    fn later_minor_versions_are_read_and_other_major_ones_refused() {
        for draft in DRAFTS {
            for (version, is_read) in
                [("3.1", true), ("3.27", true), ("4.0", false), ("2.0", false), ("x", false)]
            {
                let uri = draft.uri().replace("3.0", version);
                let parsed = parse(&with(draft, "zarr_format", json!(uri)));
                match parsed {
                    Ok(found) => {
                        assert_eq!((found.is_some(), version == "x"), (is_read, !is_read), "{version}")
                    }
                    Err(error) => {
                        assert!(!is_read, "{version}");
                        assert_eq!(error.kind(), ErrorKind::Unsupported);
                        assert!(error.message().contains(&uri));
                    }
                }
            }
        }
    }

    #[test]
    fn undefined_members_are_ignored() {
        for draft in DRAFTS {
            assert!(parse(&with(draft, "made_by", json!("somebody"))).unwrap().is_some());
        }
    }

    #[test]
    fn errors_name_missing_members() {
        for (draft, field) in [
            (Draft::October2020, "metadata_encoding"),
            (Draft::October2020, "extensions"),
            (Draft::May2022, "metadata_encoding"),
            (Draft::May2022, "extensions"),
        ] {
            let mut document = example(draft);
            document.as_object_mut().unwrap().remove(field);
            let error = parse(&document).unwrap_err();
            assert_eq!((error.kind(), error.context().field.as_deref()), (ErrorKind::Format, Some(field)));
        }
        let mut document = example(Draft::October2020);
        document.as_object_mut().unwrap().remove("metadata_key_suffix");
        assert_eq!(parse(&document).unwrap().unwrap().metadata_key_suffix, ".json");
    }

    #[test]
    fn other_encodings_are_refused() {
        for (draft, encoding, name) in [
            (Draft::October2020, json!("https://example.org/cbor/1.0"), "https://example.org/cbor/1.0"),
            (Draft::May2022, json!({ "type": "cbor", "metadata_key_suffix": ".cbor" }), "cbor"),
            (
                Draft::May2022,
                json!({ "extension": "https://example.org/cbor", "type": "json", "metadata_key_suffix": ".cbor" }),
                "https://example.org/cbor",
            ),
        ] {
            let error = parse(&with(draft, "metadata_encoding", encoding)).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Unsupported);
            assert!(error.message().contains(name), "{error}");
        }
        for wrong in [
            json!("json"),
            json!({}),
            json!({ "type": "json" }),
            json!({ "type": "json", "metadata_key_suffix": 1 }),
        ] {
            assert_eq!(
                parse(&with(Draft::May2022, "metadata_encoding", wrong)).unwrap_err().kind(),
                ErrorKind::Format
            );
        }
    }

    #[test]
    fn suffixes_have_the_characters_of_names() {
        let with_suffix =
            |suffix: &str| parse(&with(Draft::October2020, "metadata_key_suffix", json!(suffix)));
        for suffix in ["", ".jsn", "-x_9"] {
            assert_eq!(with_suffix(suffix).unwrap().unwrap().metadata_key_suffix, suffix);
        }
        for suffix in ["/x", "/../x", "ö", " "] {
            assert_eq!(with_suffix(suffix).unwrap_err().kind(), ErrorKind::Format, "{suffix}");
            let entry = EntryPoint { draft: Draft::May2022, metadata_key_suffix: suffix.into() };
            assert_eq!(entry.to_text("[]").unwrap_err().kind(), ErrorKind::Argument, "{suffix}");
        }
    }

    #[test]
    fn other_documents_are_not_entry_points() {
        for text in [
            "",
            "[]",
            "{}",
            r#"{"zarr_format":3}"#,
            r#"{"zarr_format":"3"}"#,
            r#"{"zarr_format":"https://example.org/3.0"}"#,
        ] {
            assert_eq!(EntryPoint::parse(text.as_bytes()).unwrap(), None, "{text}");
        }
    }
}
