//! Chunk key encodings: how the chunk at a place in the grid is named.
//! <https://zarr-specs.readthedocs.io/en/latest/v3/chunk-key-encodings/index.html>
//!
//! `default` and `v2` are the core's. The others are proposals (pull requests 28, 31, 47 and 69 of zarr-extensions) and one of
//! zarrs. The key is relative to the array: [`StoreKey`](crate::format::path::StoreKey) joins the two, and every encoding that
//! metadata can put text into is checked here, so that no key leaves the array or names a document.

mod affix;
mod fanout;
mod template;

use std::fmt::Write;

pub use affix::Affix;
pub use fanout::Fanout;
pub use template::Template;

use crate::error::{Error, Result};
use crate::format::metadata::extension::Extension;
use crate::format::metadata::json::{Json, Object};
use crate::format::metadata::write::text::{ObjectText, string};
use crate::format::tolerated::Form;

/// What stands between the indices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Separator {
    /// `/`.
    Slash,
    /// `.`.
    Dot,
}

impl Separator {
    /// The character.
    pub fn as_char(self) -> char {
        match self {
            Self::Slash => '/',
            Self::Dot => '.',
        }
    }

    /// The separator that a document names.
    ///
    /// # Errors
    /// `Format` for anything but `/` and `.`.
    pub fn parse(text: &str) -> Result<Self> {
        match text {
            "/" => Ok(Self::Slash),
            "." => Ok(Self::Dot),
            _ => Err(Error::format("invalid chunk key separator")
                .expected("\"/\" or \".\"")
                .actual(format!("{text:?}"))),
        }
    }
}

/// How chunks are named.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChunkKeyEncoding {
    /// `c/1/23`; the only chunk of a 0-dimensional array is `c`.
    Default {
        /// Also between `c` and the first index.
        separator: Separator,
    },
    /// `c1/23`, as the historic drafts of v3 have it; the only chunk of a 0-dimensional array is `c`.
    Draft {
        /// Between the indices.
        separator: Separator,
    },
    /// `1.23`; the only chunk of a 0-dimensional array is `0`.
    V2 {
        /// Between the indices.
        separator: Separator,
    },
    /// `d0/1/d1/23/c`: few names in a folder.
    Fanout(Fanout),
    /// Another encoding's keys with text before or behind them.
    Affix(Box<Affix>),
    /// `images/{0}_{1:04}.tif`.
    Template(Template),
}

impl ChunkKeyEncoding {
    /// From v3's `chunk_key_encoding`, for an array of this rank. Writers leave out the configuration, and write bare names.
    ///
    /// # Errors
    /// `Unsupported` for an unknown name, `Format` for a configuration that breaks the encoding's text.
    pub fn parse(extension: &Extension<'_>, rank: usize) -> Result<Self> {
        Self::parse_nested(extension, rank, true)
    }

    /// `may_nest`: whether this one may be built on another.
    fn parse_nested(extension: &Extension<'_>, rank: usize, may_nest: bool) -> Result<Self> {
        let members = extension.configuration()?;
        let parsed = match extension.name.as_ref() {
            "default" => separator(members, Separator::Slash).map(|separator| Self::Default { separator }),
            "v2" => separator(members, Separator::Dot).map(|separator| Self::V2 { separator }),
            "fanout" => Fanout::parse(members).map(Self::Fanout),
            "template" => Template::parse(members, rank).map(Self::Template),
            name @ ("suffix" | "prefix" | "zarrs.default_suffix") if may_nest => {
                Affix::parse(name, members, rank).map(|affix| Self::Affix(Box::new(affix)))
            }
            name => return Err(Error::unsupported(format!("unknown chunk key encoding {name:?}"))),
        };
        parsed.map_err(|error| error.within_field("configuration"))
    }

    /// What a reader of the array should hear of; most encodings give no occasion.
    pub fn warning(&self) -> Option<String> {
        matches!(self, Self::Fanout(_)).then(|| Form::V3Fanout.warning("chunk_key_encoding"))
    }

    /// What stands between the indices, where that is one of the two characters of the core's encodings.
    pub fn separator(&self) -> Option<Separator> {
        match self {
            Self::Default { separator } | Self::Draft { separator } | Self::V2 { separator } => {
                Some(*separator)
            }
            _ => None,
        }
    }

    /// As v3 metadata is written with.
    pub fn to_text(&self) -> String {
        let (name, configuration) = match self {
            // v3 has no word for the drafts' keys: what is made of such an array has v3's.
            Self::Default { separator } | Self::Draft { separator } => {
                ("default", separator_text(*separator))
            }
            Self::V2 { separator } => ("v2", separator_text(*separator)),
            Self::Fanout(fanout) => ("fanout", fanout.configuration()),
            Self::Affix(affix) => (affix.name(), affix.configuration()),
            Self::Template(template) => ("template", template.configuration()),
        };
        ObjectText::new().with("name", string(name)).with("configuration", configuration.compact()).compact()
    }

    /// The key of the chunk at these grid indices, relative to the array.
    pub fn encode(&self, chunk: &[u64]) -> String {
        match self {
            Self::Default { separator } => joined("c", chunk, *separator),
            Self::Draft { separator } => format!("c{}", joined("", chunk, *separator)),
            Self::V2 { .. } if chunk.is_empty() => "0".to_owned(),
            Self::V2 { separator } => joined("", chunk, *separator),
            Self::Fanout(fanout) => fanout.encode(chunk),
            Self::Affix(affix) => affix.encode(chunk),
            Self::Template(template) => template.encode(chunk),
        }
    }

    /// The grid indices that a key relative to an array of this rank names; `None` for other keys.
    pub fn decode(&self, key: &str, rank: usize) -> Option<Vec<u64>> {
        let chunk = match self {
            Self::Default { separator } => indices(key.strip_prefix('c')?, *separator, rank),
            Self::Draft { separator } => indices(key.strip_prefix('c')?, *separator, rank),
            Self::V2 { separator } => indices(key, *separator, rank),
            Self::Fanout(fanout) => fanout.decode(key),
            Self::Affix(affix) => affix.decode(key, rank),
            Self::Template(template) => template.decode(key),
        }?;
        // Leading zeros, signs and all other spellings are keys of somebody else.
        (chunk.len() == rank && self.encode(&chunk) == key).then_some(chunk)
    }
}

fn joined(start: &str, chunk: &[u64], separator: Separator) -> String {
    let mut key = String::with_capacity(2 + 4 * chunk.len());
    key.push_str(start);
    for idx in chunk {
        if !key.is_empty() {
            key.push(separator.as_char());
        }
        push_number(&mut key, *idx);
    }
    key
}

fn push_number(key: &mut String, number: u64) {
    // Writing to a String cannot fail.
    let _ = write!(key, "{number}");
}

fn indices(names: &str, separator: Separator, rank: usize) -> Option<Vec<u64>> {
    let separator = separator.as_char();
    match rank {
        0 => Some(Vec::new()),
        _ => {
            let names = names.strip_prefix(separator).unwrap_or(names);
            names.split(separator).map(|name| name.parse().ok()).collect()
        }
    }
}

fn separator(members: Object<'_>, default: Separator) -> Result<Separator> {
    Ok(members.read("separator", |json| Separator::parse(&json.str()?))?.unwrap_or(default))
}

fn separator_text(separator: Separator) -> ObjectText {
    ObjectText::new().with("separator", string(separator.as_char().encode_utf8(&mut [0; 4])))
}

/// A piece of text that stands in keys as it is written in the metadata.
///
/// # Errors
/// `Format` for what could leave the array, name nothing, or name a metadata document: the rules of `template` and `prefix`, which
/// `suffix` should have as well.
fn key_text(json: Json<'_>) -> Result<String> {
    let text = json.str()?.into_owned();
    let forbidden = ["..", "\\", "\0", "//", "zarr.json"];
    match forbidden.iter().find(|part| text.contains(**part)) {
        Some(part) => Err(json.unexpected(&format!("text without {part:?}"))),
        None => Ok(text),
    }
}

/// Checks a key that metadata's text stands in.
///
/// # Errors
/// `Format` for a key with empty or relative names, and for the keys of documents.
fn check_key(key: &str) -> Result<()> {
    let documents = ["zarr.json", ".zarray", ".zgroup", ".zattrs", ".zmetadata"];
    let is_plain = key.split('/').all(|name| !matches!(name, "" | "." | "..") && !documents.contains(&name));
    if is_plain {
        return Ok(());
    }
    Err(Error::format("the chunk key encoding makes keys that are none")
        .expected("names between slashes that are no documents")
        .actual(format!("{key:?}")))
}

#[cfg(all(test, not(target_arch = "wasm32")))]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;
    use crate::format::metadata::json::Document;

    fn parse(text: &str) -> Result<ChunkKeyEncoding> {
        let document = Document::parse(text.as_bytes())?;
        ChunkKeyEncoding::parse(&Extension::parse(document.root())?, 2)
    }

    #[test]
    fn the_four_core_spellings() {
        let place = [1, 23];
        for (text, key, scalar) in [
            (r#"{"name":"default","configuration":{"separator":"/"}}"#, "c/1/23", "c"),
            (r#"{"name":"default","configuration":{"separator":"."}}"#, "c.1.23", "c"),
            (r#"{"name":"v2","configuration":{"separator":"/"}}"#, "1/23", "0"),
            (r#"{"name":"v2","configuration":{"separator":"."}}"#, "1.23", "0"),
        ] {
            let encoding = parse(text).unwrap();
            assert_eq!(encoding.encode(&place), key);
            assert_eq!(encoding.encode(&[]), scalar);
        }
    }

    #[test]
    fn keys_are_told_from_others() {
        for separator in [Separator::Slash, Separator::Dot] {
            for encoding in [
                ChunkKeyEncoding::Default { separator },
                ChunkKeyEncoding::Draft { separator },
                ChunkKeyEncoding::V2 { separator },
            ] {
                for chunk in [vec![], vec![0], vec![7, u64::MAX, 0]] {
                    assert_eq!(encoding.decode(&encoding.encode(&chunk), chunk.len()), Some(chunk));
                }
                for key in ["", "zarr.json", "c/01/2", "c/+1/2", "c/1", "1.2.3", "01.2", "/1/2", ".1.2"] {
                    assert_eq!(encoding.decode(key, 2), None, "{key}");
                }
            }
        }
    }

    #[test]
    fn the_drafts_have_no_separator_behind_the_c() {
        let slash = ChunkKeyEncoding::Draft { separator: Separator::Slash };
        assert_eq!([slash.encode(&[1, 23, 45]), slash.encode(&[])], ["c1/23/45", "c"]);
        let dot = ChunkKeyEncoding::Draft { separator: Separator::Dot };
        assert_eq!(dot.encode(&[1, 23]), "c1.23");
        assert_eq!(dot.decode("c1.23", 2), Some(vec![1, 23]));
        assert_eq!((dot.decode("c.1.23", 2), dot.decode("c/1/23", 2)), (None, None));
    }

    #[test]
    fn separators_default_by_encoding() {
        for (text, key) in [
            (r#""default""#, "c/0"),
            (r#"{"name":"default"}"#, "c/0"),
            (r#"{"name":"v2","configuration":{}}"#, "0"),
        ] {
            assert_eq!(parse(text).unwrap().encode(&[0]), key);
        }
        assert_eq!(parse(r#""v2""#).unwrap().encode(&[u64::MAX, 0]), "18446744073709551615.0");
    }

    #[test]
    fn bad_separators_and_names_are_told_apart() {
        let error = parse(r#"{"name":"default","configuration":{"separator":"-"}}"#).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Format);
        assert_eq!(error.context().field.as_deref(), Some("configuration.separator"));
        let error = parse(r#"{"name":"default","configuration":{"separator":1}}"#).unwrap_err();
        assert_eq!(error.context().actual.as_deref(), Some("a number: 1"));
        let error = parse(r#""morton""#).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unsupported);
        assert!(error.message().contains("morton"));
    }
}
