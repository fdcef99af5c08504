//! Chunk key encodings: how the chunk at a place in the grid is named.
//! <https://zarr-specs.readthedocs.io/en/latest/v3/chunk-key-encodings/index.html>
//!
//! The key is relative to the array: [`StoreKey`](crate::format::path::StoreKey) joins the two.

use std::fmt::Write;

use crate::error::{Error, Result};
use crate::format::metadata::extension::Extension;

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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChunkKeyEncoding {
    /// `c/1/23`; the only chunk of a 0-dimensional array is `c`.
    Default {
        /// Also between `c` and the first index.
        separator: Separator,
    },
    /// `1.23`; the only chunk of a 0-dimensional array is `0`.
    V2 {
        /// Between the indices.
        separator: Separator,
    },
}

impl ChunkKeyEncoding {
    /// From v3's `chunk_key_encoding`. Writers leave out the configuration, and write bare names.
    ///
    /// # Errors
    /// `Unsupported` for an unknown name, `Format` for a bad separator.
    pub fn parse(extension: &Extension<'_>) -> Result<Self> {
        match extension.name.as_ref() {
            "default" => Ok(Self::Default { separator: parse_separator(extension, Separator::Slash)? }),
            "v2" => Ok(Self::V2 { separator: parse_separator(extension, Separator::Dot)? }),
            name => Err(Error::unsupported(format!("unknown chunk key encoding {name:?}"))),
        }
    }

    /// The name that v3 metadata has for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Default { .. } => "default",
            Self::V2 { .. } => "v2",
        }
    }

    /// What stands between the indices.
    pub fn separator(self) -> Separator {
        match self {
            Self::Default { separator } | Self::V2 { separator } => separator,
        }
    }

    /// The key of the chunk at these grid indices, relative to the array.
    pub fn encode(self, chunk: &[u64]) -> String {
        let separator = self.separator().as_char();
        let mut key = String::with_capacity(2 + 4 * chunk.len());
        if let Self::Default { .. } = self {
            key.push('c');
        } else if chunk.is_empty() {
            key.push('0');
        }
        for idx in chunk {
            if !key.is_empty() {
                key.push(separator);
            }
            // Writing to a String cannot fail.
            let _ = write!(key, "{idx}");
        }
        key
    }
}

impl ChunkKeyEncoding {
    /// The grid indices that a key relative to an array of this rank names; `None` for other keys.
    pub fn decode(self, key: &str, rank: usize) -> Option<Vec<u64>> {
        let separator = self.separator().as_char();
        let names = match self {
            Self::Default { .. } => key.strip_prefix('c')?,
            Self::V2 { .. } => key,
        };
        let names = names.strip_prefix(separator).unwrap_or(names);
        let chunk: Vec<u64> = match rank {
            0 => Vec::new(),
            _ => names.split(separator).map(|name| name.parse().ok()).collect::<Option<_>>()?,
        };
        // Leading zeros, signs and all other spellings are keys of somebody else.
        (chunk.len() == rank && self.encode(&chunk) == key).then_some(chunk)
    }
}

fn parse_separator(extension: &Extension<'_>, default: Separator) -> Result<Separator> {
    let separator = extension.configuration()?.read("separator", |json| Separator::parse(&json.str()?));
    Ok(separator.map_err(|error| error.within_field("configuration"))?.unwrap_or(default))
}

#[cfg(all(test, not(target_arch = "wasm32")))]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;
    use crate::format::metadata::json::Document;

    fn parse(text: &str) -> Result<ChunkKeyEncoding> {
        let document = Document::parse(text.as_bytes())?;
        ChunkKeyEncoding::parse(&Extension::parse(document.root())?)
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
            for encoding in [ChunkKeyEncoding::Default { separator }, ChunkKeyEncoding::V2 { separator }] {
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
        let error = parse(r#""fanout""#).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unsupported);
        assert!(error.message().contains("fanout"));
    }
}
