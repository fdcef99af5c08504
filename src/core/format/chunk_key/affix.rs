//! The chunk key encodings `suffix`, `prefix` and `zarrs.default_suffix`: the keys of another
//! encoding with text after or before them, so that chunks can be files of a known type
//! (`c/0/1.tiff`). <https://github.com/zarr-developers/zarr-extensions/pull/28> and 47.
//!
//! The other encoding must not be one of these three. The proposals do not forbid it, but no
//! known writer does it.

use super::{ChunkKeyEncoding, Separator, check_key, key_text, separator};
use crate::error::Result;
use crate::format::json::text::{ObjectText, string};
use crate::format::json::{Json, Object};
use crate::format::metadata::extension::Extension;

/// Text before or after the keys of another encoding. One of the two texts is empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Affix {
    prefix: String,
    suffix: String,
    base: ChunkKeyEncoding,
    /// Whether it is `zarrs.default_suffix`, whose configuration has the suffix and that of
    /// `default`.
    is_zarrs: bool,
}

impl Affix {
    /// Parses the configuration. The proposal of `suffix` also spells `base_encoding` with a
    /// hyphen, and an earlier version allowed leaving it out.
    ///
    /// # Errors
    /// `Format` for text that makes invalid keys, `Unsupported` for an unknown base encoding.
    pub(super) fn parse(name: &str, members: Object<'_>, rank: usize) -> Result<Self> {
        let is_zarrs = name == "zarrs.default_suffix";
        let base = match is_zarrs {
            true => ChunkKeyEncoding::Default { separator: separator(members.clone(), Separator::Slash)? },
            false => base(&members, name == "suffix", rank)?,
        };
        let (prefix, suffix) = match name {
            "prefix" => (members.require("prefix", key_text)?, String::new()),
            _ => (String::new(), members.require("suffix", key_text)?),
        };
        let affix = Self { prefix, suffix, base, is_zarrs };
        check_key(&affix.encode(&vec![0; rank]))?;
        Ok(affix)
    }

    pub(super) fn name(&self) -> &'static str {
        match (self.is_zarrs, self.prefix.is_empty()) {
            (true, _) => "zarrs.default_suffix",
            (false, true) => "suffix",
            (false, false) => "prefix",
        }
    }

    /// The configuration as metadata has it.
    pub(super) fn configuration(&self) -> ObjectText {
        let text = match self.prefix.is_empty() {
            true => ObjectText::new().with("suffix", string(&self.suffix)),
            false => ObjectText::new().with("prefix", string(&self.prefix)),
        };
        match self.base.separator().filter(|_| self.is_zarrs) {
            Some(separator) => text.with("separator", string(separator.as_str())),
            None => text.with("base_encoding", self.base.to_text()),
        }
    }

    pub(super) fn encode(&self, chunk: &[u64]) -> String {
        format!("{}{}{}", self.prefix, self.base.encode(chunk), self.suffix)
    }

    pub(super) fn decode(&self, key: &str, rank: usize) -> Option<Vec<u64>> {
        self.base.decode(key.strip_prefix(&*self.prefix)?.strip_suffix(&*self.suffix)?, rank)
    }
}

fn base(members: &Object<'_>, may_be_absent: bool, rank: usize) -> Result<ChunkKeyEncoding> {
    let read = |json: Json<'_>| ChunkKeyEncoding::parse_nested(&Extension::parse(json)?, rank, false);
    for field in ["base_encoding", "base-encoding"] {
        if let Some(base) = members.read(field, read)? {
            return Ok(base);
        }
    }
    match may_be_absent {
        true => Ok(ChunkKeyEncoding::Default { separator: Separator::Slash }),
        false => members.require("base_encoding", read),
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;
    use crate::format::json;

    fn parse(name: &str, configuration: &str) -> Result<ChunkKeyEncoding> {
        let text = format!(r#"{{"name":"{name}","configuration":{configuration}}}"#);
        json::read(&text, |json| ChunkKeyEncoding::parse(&Extension::parse(json)?, 2))
    }

    #[test]
    fn keys_of_the_base_encoding_get_the_text() {
        for (name, configuration, key) in [
            ("suffix", r#"{"suffix":".tiff","base-encoding":{"name":"default"}}"#, "c/1/2.tiff"),
            ("suffix", r#"{"suffix":".shard.zip","base_encoding":{"name":"v2"}}"#, "1.2.shard.zip"),
            ("suffix", r#"{"suffix":"/chunk"}"#, "c/1/2/chunk"),
            ("suffix", r#"{"suffix":".x","base_encoding":"fanout"}"#, "d0/1/d1/2/c.x"),
            ("prefix", r#"{"prefix":"x/","base_encoding":"v2"}"#, "x/1.2"),
            ("zarrs.default_suffix", r#"{"suffix":".tif"}"#, "c/1/2.tif"),
            ("zarrs.default_suffix", r#"{"suffix":".tif","separator":"."}"#, "c.1.2.tif"),
        ] {
            let encoding = parse(name, configuration).unwrap();
            assert_eq!(encoding.encode(&[1, 2]), key);
            assert_eq!(encoding.decode(key, 2), Some(vec![1, 2]));
            for other in ["c/1/2", "1.2", "zarr.json", &format!("{key}x"), &format!("x{key}")] {
                assert_eq!(encoding.decode(other, 2), None, "{other}");
            }
            let written = encoding.to_text();
            let read = json::read(&written, |json| ChunkKeyEncoding::parse(&Extension::parse(json)?, 2));
            assert_eq!(read.unwrap(), encoding, "{written}");
        }
    }

    #[test]
    fn text_that_makes_invalid_keys_is_refused() {
        for (name, configuration) in [
            ("suffix", r#"{"suffix":"/../../x"}"#),
            ("suffix", r#"{"suffix":"/"}"#),
            ("suffix", r#"{"suffix":"/zarr.json"}"#),
            ("suffix", r#"{"suffix":"/.zarray"}"#),
            ("suffix", r#"{"suffix":"/./a"}"#),
            ("suffix", "{}"),
            ("prefix", r#"{"prefix":"/x","base_encoding":"v2"}"#),
            ("prefix", r#"{"prefix":"x/"}"#),
            ("prefix", r#"{"prefix":"a\\b","base_encoding":"v2"}"#),
        ] {
            assert_eq!(parse(name, configuration).unwrap_err().kind(), ErrorKind::Format, "{configuration}");
        }
        let twice = r#"{"suffix":".x","base_encoding":{"name":"suffix","configuration":{"suffix":".y"}}}"#;
        assert_eq!(parse("suffix", twice).unwrap_err().kind(), ErrorKind::Unsupported);
    }
}
