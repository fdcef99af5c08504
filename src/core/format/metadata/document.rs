//! The texts of one node's metadata: one in v3, up to two in v2. In the drafts, the hierarchy's
//! entry point and the node's own document, where it has one.
//!
//! The texts are sent to workers, which parse them again, and users get them as raw metadata.
//! [`parse`] parses them.

use super::{Draft, NodeMetadata, ZarrFormat, callers, draft, v2, v3};
use crate::error::{Error, Result};
use crate::format::json::text::{ObjectText, list, string};
use crate::format::json::{self, Document, Json};

/// The key suffix of v3 metadata.
pub const ZARR_JSON: &str = "zarr.json";
/// The key suffix of v2 array metadata.
pub const ZARRAY: &str = ".zarray";
/// The key suffix of v2 group metadata.
pub const ZGROUP: &str = ".zgroup";
/// The key suffix of v2 attributes.
pub const ZATTRS: &str = ".zattrs";

/// The texts of one node's metadata.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeDocument {
    /// The Zarr format.
    pub format: ZarrFormat,
    /// The key suffix and the text of each document of the node.
    pub texts: Vec<(String, String)>,
    /// Whether large attributes were removed from the texts. The attributes that name
    /// dimensions are never left out.
    pub is_partial: bool,
}

impl NodeDocument {
    /// Makes a document of the bytes that a store has under each key suffix. Copies them; nothing
    /// is parsed yet.
    ///
    /// # Errors
    /// `Format` for bytes that are not UTF-8.
    pub fn read(format: ZarrFormat, documents: &[(&str, &[u8])]) -> Result<Self> {
        let mut texts = Vec::with_capacity(documents.len());
        for (suffix, bytes) in documents {
            match std::str::from_utf8(bytes) {
                Ok(text) => texts.push(((*suffix).to_owned(), text.to_owned())),
                Err(error) => {
                    return Err(Error::format(format!("{suffix} is not UTF-8")).actual(error.to_string()));
                }
            }
        }
        Ok(Self::of(format, texts))
    }

    /// A document of whole texts.
    pub fn of(format: ZarrFormat, texts: Vec<(String, String)>) -> Self {
        Self { format, texts, is_partial: false }
    }

    /// The text under a key suffix.
    pub fn text(&self, suffix: &str) -> Option<&str> {
        self.texts.iter().find(|(name, _)| name == suffix).map(|(_, text)| text.as_str())
    }

    /// The text of the node's own document, with its key suffix. `None` for a draft's implicit
    /// group.
    pub fn own_text(&self) -> Option<(&str, &str)> {
        let is_own = |suffix: &str| match self.format {
            ZarrFormat::V2 => suffix == ZARRAY || suffix == ZGROUP,
            ZarrFormat::V3 => suffix == ZARR_JSON,
            ZarrFormat::Draft(_) => draft::kind_of_suffix(suffix).is_some(),
        };
        let found = self.texts.iter().find(|(suffix, _)| is_own(suffix));
        found.map(|(suffix, text)| (suffix.as_str(), text.as_str()))
    }

    /// The shape in the text of an array, and that text without the shape and the attributes.
    /// `None` for a text without a shape.
    pub fn shape_and_rest(&self) -> Option<(Vec<u64>, String)> {
        let parts = |json: Json<'_>| {
            let rest = ObjectText::of(json)?.without("shape").without("attributes");
            Ok((json.object()?.require("shape", Json::u64_list)?, rest.compact()))
        };
        json::read(self.own_text()?.1, parts).ok()
    }

    /// Serialises the texts for a worker: `{"zarr_format":2,"texts":[[".zarray","…"]]}`. A draft
    /// has its year as the number. Callers add `"is_callers":true` for an object that the user
    /// made, which is in no store (see `callers`).
    pub fn to_json(&self) -> String {
        let texts = self.texts.iter().map(|(suffix, text)| list([string(suffix), string(text)]));
        let message = ObjectText::new().with("zarr_format", number(self.format).to_string());
        let message = message.with("texts", list(texts));
        let message = if self.is_partial { message.with("is_partial", "true") } else { message };
        message.compact()
    }

    /// Parses the text of [`to_json`](Self::to_json).
    ///
    /// # Errors
    /// `Argument` for anything else, and for an invalid object of the user.
    pub fn from_json(json: &str) -> Result<Self> {
        let (mut document, is_callers) = Self::of_message(json)
            .map_err(|error| Error::argument("the text is not a node document").actual(error.to_string()))?;
        if is_callers {
            for (_, text) in &mut document.texts {
                *text = callers::complete(text)?;
            }
        }
        Ok(document)
    }

    /// Parses the message. The second value tells whether the user made the object.
    fn of_message(json: &str) -> Result<(Self, bool)> {
        let message = Document::parse(json.as_bytes())?;
        let message = message.root().object()?;
        let of_number = |json: Json<'_>| {
            let found = json.u64()?;
            let format = ZarrFormat::ALL.into_iter().find(|format| u64::from(number(*format)) == found);
            format.ok_or_else(|| json.unexpected("a format's number"))
        };
        let pair = |json: Json<'_>| match json.list(Json::str)?.as_slice() {
            [suffix, text] => Ok((suffix.clone().into_owned(), text.clone().into_owned())),
            _ => Err(json.unexpected("a suffix and a text")),
        };
        let format = message.require("zarr_format", of_number)?;
        let texts = message.require("texts", |texts| texts.list(pair))?;
        let is_callers = message.read("is_callers", Json::bool)?.unwrap_or(false);
        let is_partial = message.read("is_partial", Json::bool)?.unwrap_or(false);
        Ok((Self { format, texts, is_partial }, is_callers))
    }
}

/// The number of the format in a message.
fn number(format: ZarrFormat) -> u16 {
    match format {
        ZarrFormat::V2 => 2,
        ZarrFormat::V3 => 3,
        ZarrFormat::Draft(Draft::October2020) => 2020,
        ZarrFormat::Draft(Draft::May2022) => 2022,
    }
}

/// Parses the texts of a node. In v2 a node that has both `.zarray` and `.zgroup` is an array.
/// Takes time in their length. Attributes are checked and kept as one text; they are not parsed.
///
/// # Errors
/// `NotFound` without a text of the node. `Format` for a text that breaks the specification,
/// `Unsupported` for an unknown extension. All name the field.
pub fn parse(document: &NodeDocument) -> Result<NodeMetadata> {
    let text = |suffix| document.text(suffix).map(str::as_bytes);
    match document.format {
        ZarrFormat::V3 => match text(ZARR_JSON) {
            Some(text) => v3::parse_node(text),
            None => Err(Error::not_found("the node has no zarr.json")),
        },
        ZarrFormat::V2 => match (text(ZARRAY), text(ZGROUP)) {
            (Some(zarray), _) => {
                v2::parse_array(zarray, text(ZATTRS)).map(|array| NodeMetadata::Array(Box::new(array)))
            }
            (None, Some(zgroup)) => v2::parse_group(zgroup, text(ZATTRS)).map(NodeMetadata::Group),
            (None, None) => Err(Error::not_found("the node has neither .zarray nor .zgroup")),
        },
        ZarrFormat::Draft(draft) => {
            Error::check_full("a draft of v3")?;
            draft::parse(draft, document)
        }
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;

    const ARRAY: &str = r#"{"zarr_format":2,"shape":[],"chunks":[],"dtype":"|u1","compressor":null,"fill_value":7,
        "order":"C","filters":null}"#;

    fn v2_document(texts: &[(&str, &str)]) -> NodeDocument {
        let documents: Vec<_> = texts.iter().map(|(suffix, text)| (*suffix, text.as_bytes())).collect();
        NodeDocument::read(ZarrFormat::V2, &documents).unwrap()
    }

    #[test]
    fn documents_round_trip_as_messages() {
        let document = v2_document(&[(ZGROUP, "{\"zarr_format\": 2}\n"), (ZATTRS, "{\"ö\\n\": NaN}")]);
        assert_eq!(NodeDocument::from_json(&document.to_json()).unwrap(), document);
        let partial = NodeDocument { is_partial: true, ..document };
        assert_eq!(NodeDocument::from_json(&partial.to_json()).unwrap(), partial);
        for json in ["", "{}", r#"{"zarr_format":1,"texts":[]}"#, "[2,[]]x"] {
            assert_eq!(NodeDocument::from_json(json).unwrap_err().kind(), ErrorKind::Argument);
        }
    }

    #[test]
    fn an_array_that_has_grown_differs_in_its_shape_alone() {
        let of = |text: &str| v2_document(&[(ZARRAY, text), (ZATTRS, r#"{"shape":1}"#)]).shape_and_rest();
        let grown = ARRAY.replace(r#""shape":[]"#, r#""attributes":{}, "shape":[18446744073709551615]"#);
        let (before, after) = (of(ARRAY).unwrap(), of(&grown).unwrap());
        assert_eq!((before.0, after.0), (vec![], vec![u64::MAX]));
        assert_eq!(before.1, after.1);
        assert_ne!(before.1, of(&ARRAY.replace("|u1", "|i1")).unwrap().1);
        assert_eq!(of("{}"), None);
    }

    #[test]
    fn an_array_wins_over_a_group() {
        let group = (ZGROUP, r#"{"zarr_format":2}"#);
        let parsed = parse(&v2_document(&[group, (ZARRAY, ARRAY)])).unwrap();
        assert!(matches!(parsed, NodeMetadata::Array(array) if array.fill_value.0 == [7]));
        let NodeMetadata::Group(parsed) = parse(&v2_document(&[group, (ZATTRS, r#"{"a":1}"#)])).unwrap()
        else {
            panic!("no group");
        };
        assert_eq!(parsed.attributes, r#"{"a":1}"#);
    }

    #[test]
    fn nodes_without_documents_are_not_found() {
        assert_eq!(parse(&v2_document(&[(ZATTRS, "{}")])).unwrap_err().kind(), ErrorKind::NotFound);
        let empty = NodeDocument::of(ZarrFormat::V3, Vec::new());
        assert_eq!(parse(&empty).unwrap_err().kind(), ErrorKind::NotFound);
    }

    #[test]
    fn bytes_must_be_text() {
        let error = NodeDocument::read(ZarrFormat::V3, &[(ZARR_JSON, b"\xff")]).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Format);
        assert!(error.message().contains("zarr.json"));
    }
}
