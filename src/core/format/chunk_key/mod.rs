//! Chunk key encodings: the store key of each chunk.
//! <https://zarr-specs.readthedocs.io/en/latest/v3/chunk-key-encodings/index.html>
//!
//! `default` and `v2` are those of the specification. The others are proposals (pull requests 28,
//! 31, 47 and 69 of zarr-extensions) and one of zarrs. Keys are relative to the array;
//! [`StoreKey`](crate::format::path::StoreKey) joins them to its path. Every encoding with text
//! from the metadata is checked here, so that no key leaves the array or names a document.

mod affix;
mod fanout;
mod template;

use std::fmt::Write;

pub use affix::Affix;
pub use fanout::Fanout;
pub use template::Template;

use crate::error::{Error, Result};
use crate::format::json::text::{ObjectText, string};
use crate::format::json::{Json, Object};
use crate::format::metadata::extension::Extension;
use crate::format::tolerated::Form;
use crate::quoted::quoted;

/// The character between the indices.
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

    /// The character as text.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Slash => "/",
            Self::Dot => ".",
        }
    }

    /// Parses the separator of a metadata document.
    ///
    /// # Errors
    /// `Format` for anything but `/` and `.`.
    pub fn parse(text: &str) -> Result<Self> {
        match text {
            "/" => Ok(Self::Slash),
            "." => Ok(Self::Dot),
            _ => Err(Error::format("the separator of chunk keys is invalid")
                .expected("\"/\" or \".\"")
                .actual(quoted(text))),
        }
    }
}

/// A chunk key encoding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChunkKeyEncoding {
    /// Keys such as `c/1/23`. The chunk of a 0-dimensional array is `c`.
    Default {
        /// The character between the indices, and after `c`.
        separator: Separator,
    },
    /// Keys such as `c1/23`, of the historic v3 drafts. The chunk of a 0-dimensional array is `c`.
    Draft {
        /// The character between the indices.
        separator: Separator,
    },
    /// Keys such as `1.23`. The chunk of a 0-dimensional array is `0`.
    V2 {
        /// The character between the indices.
        separator: Separator,
    },
    /// Keys such as `d0/1/d1/23/c`: folders have few entries.
    Fanout(Fanout),
    /// The keys of another encoding with text before or after them.
    Affix(Box<Affix>),
    /// Keys that a format string such as `images/{0}_{1:04}.tif` makes.
    Template(Template),
}

impl ChunkKeyEncoding {
    /// Parses v3's `chunk_key_encoding`, for an array of this many dimensions. Some writers leave
    /// out the configuration or write the bare name.
    ///
    /// # Errors
    /// `Unsupported` for an unknown name, `Format` for an invalid configuration.
    pub fn parse(extension: &Extension<'_>, rank: usize) -> Result<Self> {
        Self::parse_nested(extension, rank, true)
    }

    /// `may_nest` says whether the encoding may be built on another.
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
            name => return Err(Error::unsupported(format!("unknown chunk key encoding {}", quoted(name)))),
        };
        parsed.map_err(|error| error.within_field("configuration"))
    }

    /// The warning for readers of the array. Most encodings have none.
    pub fn warning(&self) -> Option<String> {
        matches!(self, Self::Fanout(_)).then(|| Form::V3Fanout.warning("chunk_key_encoding"))
    }

    /// The separator. `None` for encodings other than `default`, `v2` and the drafts'.
    pub fn separator(&self) -> Option<Separator> {
        match self {
            Self::Default { separator } | Self::Draft { separator } | Self::V2 { separator } => {
                Some(*separator)
            }
            _ => None,
        }
    }

    /// The text of v3's `chunk_key_encoding`.
    pub fn to_text(&self) -> String {
        let (name, configuration) = match self {
            // v3 cannot name the drafts' keys. An array that is copied from a draft gets `default`.
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

    /// The key of the chunk at these indices of the chunk grid, relative to the array. A new text.
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

    /// The indices of the chunk that a key names in an array of this many dimensions. The key is
    /// relative to the array. `None` for keys that are not those of chunks. Takes time in the key's
    /// length.
    pub fn decode(&self, key: &str, rank: usize) -> Option<Vec<u64>> {
        let chunk = match self {
            Self::Default { separator } => indices(key.strip_prefix('c')?, *separator, rank),
            Self::Draft { separator } => indices(key.strip_prefix('c')?, *separator, rank),
            Self::V2 { separator } => indices(key, *separator, rank),
            Self::Fanout(fanout) => fanout.decode(key),
            Self::Affix(affix) => affix.decode(key, rank),
            Self::Template(template) => template.decode(key),
        }?;
        // Other spellings of the indices, such as leading zeros, are not keys of chunks.
        (chunk.len() == rank && self.encode(&chunk) == key).then_some(chunk)
    }
}

fn joined(start: &str, chunk: &[u64], separator: Separator) -> String {
    let mut key = String::with_capacity(chunk.len().saturating_mul(4).saturating_add(2));
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
    ObjectText::new().with("separator", string(separator.as_str()))
}

/// Parses text of the metadata that becomes part of keys.
///
/// # Errors
/// `Format` for text that could make a key leave the array, be empty or name a metadata document.
/// The proposals of `template` and `prefix` have these rules; they are applied to `suffix` as well.
fn key_text(json: Json<'_>) -> Result<String> {
    let text = json.str()?.into_owned();
    let forbidden = ["..", "\\", "\0", "//", "zarr.json"];
    for part in forbidden {
        if text.as_bytes().windows(part.len()).any(|found| found == part.as_bytes()) {
            return Err(json.unexpected(&format!("text without {}", quoted(part))));
        }
    }
    Ok(text)
}

/// Checks a key with text of the metadata in it.
///
/// # Errors
/// `Format` for empty and relative names, and for the keys of metadata documents.
fn check_key(key: &str) -> Result<()> {
    let documents = ["zarr.json", ".zarray", ".zgroup", ".zattrs", ".zmetadata"];
    let is_plain = key.split('/').all(|name| !matches!(name, "" | "." | "..") && !documents.contains(&name));
    if is_plain {
        return Ok(());
    }
    Err(Error::format("the chunk key encoding makes invalid keys")
        .expected("no empty, `.` or `..` segment, and no name of a metadata document")
        .actual(quoted(key)))
}

#[cfg(all(test, not(target_arch = "wasm32")))]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;
    use crate::format::json;

    fn parse(text: &str) -> Result<ChunkKeyEncoding> {
        json::read(text, |json| ChunkKeyEncoding::parse(&Extension::parse(json)?, 2))
    }

    #[test]
    fn keys_of_default_and_v2() {
        let chunk = [1, 23];
        for (text, key, scalar) in [
            (r#"{"name":"default","configuration":{"separator":"/"}}"#, "c/1/23", "c"),
            (r#"{"name":"default","configuration":{"separator":"."}}"#, "c.1.23", "c"),
            (r#"{"name":"v2","configuration":{"separator":"/"}}"#, "1/23", "0"),
            (r#"{"name":"v2","configuration":{"separator":"."}}"#, "1.23", "0"),
        ] {
            let encoding = parse(text).unwrap();
            assert_eq!(encoding.encode(&chunk), key);
            assert_eq!(encoding.encode(&[]), scalar);
        }
    }

    #[test]
    fn only_keys_of_chunks_are_decoded() {
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
    fn keys_of_drafts_have_no_separator_after_the_c() {
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
    fn invalid_separators_and_unknown_names_have_different_errors() {
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
