//! Writes v3's codec chains strictly: every codec is an object under its registered name, with
//! every member that a reader may require.
//!
//! Codecs named `numcodecs.*` stay as they are: their configurations differ from those of the
//! registered names.

use crate::error::{Error, Result};
use crate::format::codec::registry;
use crate::format::codec::user::OptionalUserCodecs;
use crate::format::data_type::DataType;
use crate::format::json::Json;
use crate::format::json::text::{ObjectText, list, named, string};
use crate::format::metadata::{CodecMetadata, ZarrFormat, codec};

/// Writes the codecs of a chain. User's codecs stay as they are.
///
/// # Errors
/// `Unsupported` for a v2 codec, `Format` for an invalid configuration.
pub(super) fn chain(
    codecs: &[CodecMetadata],
    data_type: &DataType,
    rank: usize,
    users: &OptionalUserCodecs,
) -> Result<Vec<String>> {
    let context = Context { data_type, rank, users };
    codecs
        .iter()
        .map(|codec| {
            let strict = context.codec(codec);
            strict.map_err(|error| error.in_codec(codec.name.as_str()).within_field(&codec.field))
        })
        .collect()
}

struct Context<'a> {
    data_type: &'a DataType,
    rank: usize,
    users: &'a OptionalUserCodecs,
}

impl Context<'_> {
    fn codec(&self, codec: &CodecMetadata) -> Result<String> {
        if codec.format == ZarrFormat::V2 {
            return Err(Error::unsupported("a v2 codec cannot be written to v3 metadata"));
        }
        let document = codec.document()?;
        let given = ObjectText::of(document.root())?;
        if self.users.as_ref().is_some_and(|users| users.has(codec)) {
            return Ok(codec.to_text());
        }
        let name = own_name(&codec.name);
        let strict = match name {
            "bytes" => self.bytes(given),
            "gzip" => given.with_defaults(&[("level", "5")]),
            "zstd" => given.with_defaults(&[("level", "0"), ("checksum", "false")]),
            "blosc" => self.blosc(given),
            "transpose" => self.transpose(given, document.root())?,
            "sharding_indexed" => self.sharding(given, document.root())?,
            _ => given,
        };
        // zarr-python requires a configuration for the codecs of numcodecs.
        if strict.is_empty() && !name.starts_with("numcodecs.") {
            return Ok(ObjectText::new().with("name", string(name)).compact());
        }
        Ok(named(name, &strict))
    }

    /// Writes `endian` for types with a byte order, and leaves it out for others: zarrs and
    /// TensorStore check both.
    fn bytes(&self, mut given: ObjectText) -> ObjectText {
        if self.data_type.swap_runs().is_empty() {
            given.remove("endian");
            return given;
        }
        given.with_defaults(&[("endian", "\"little\"")])
    }

    fn blosc(&self, given: ObjectText) -> ObjectText {
        let size = self.data_type.size().unwrap_or(1);
        let shuffle = if size == 1 { "\"bitshuffle\"" } else { "\"shuffle\"" };
        let typesize = size.min(255).to_string();
        let members = [
            ("cname", "\"lz4\""),
            ("clevel", "5"),
            ("shuffle", shuffle),
            ("typesize", &typesize),
            ("blocksize", "0"),
        ];
        given.with_defaults(&members)
    }

    /// Replaces the orders `"C"` and `"F"`, which the final specification does not have.
    fn transpose(&self, given: ObjectText, json: Json<'_>) -> Result<ObjectText> {
        let order = json.object()?.get("order").and_then(|order| order.str().ok());
        Ok(match order.as_deref() {
            Some("C") => given.with("order", list(0..self.rank)),
            Some("F") => given.with("order", list((0..self.rank).rev())),
            _ => given,
        })
    }

    fn sharding(&self, given: ObjectText, json: Json<'_>) -> Result<ObjectText> {
        let members = json.object()?;
        let inner = members.require("codecs", |json| json.list(codec::parse))?;
        let given = given.with("codecs", list(chain(&inner, self.data_type, self.rank, self.users)?));
        let given = match members.read("index_codecs", |json| json.list(codec::parse))? {
            Some(index) => {
                let integers = DataType::Integer(crate::format::data_type::Integer::Uint64);
                given
                    .with("index_codecs", list(chain(&index, &integers, self.rank.saturating_add(1), &None)?))
            }
            None => given.with("index_codecs", codec::list_text(&codec::of_index())),
        };
        Ok(given.with_defaults(&[("index_location", "\"end\"")]))
    }
}

/// The registered name of a codec, instead of an older one.
fn own_name(name: &str) -> &str {
    match registry::lookup(name, ZarrFormat::V3) {
        Ok(entry) if !name.starts_with("numcodecs.") => entry.name,
        _ => name,
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::format::data_type::{Float, Integer};
    use crate::format::json;

    fn strict(codecs: &str, data_type: DataType) -> String {
        let codecs = json::read(codecs, |json| json.list(codec::parse)).unwrap();
        list(chain(&codecs, &data_type, 2, &None).unwrap())
    }

    #[test]
    fn plain_names_and_older_forms_become_strict() {
        let written = strict(
            r#"[{"name":"transpose","configuration":{"order":"F"}},"endian","blosc",{"name":"zstd","must_understand":true}]"#,
            DataType::Float(Float::Float32),
        );
        let expected = concat!(
            r#"[{"name":"transpose","configuration":{"order":[1,0]}},{"name":"bytes","configuration":{"endian":"little"}},"#,
            r#"{"name":"blosc","configuration":{"cname":"lz4","clevel":5,"shuffle":"shuffle","typesize":4,"blocksize":0}},"#,
            r#"{"name":"zstd","configuration":{"level":0,"checksum":false}}]"#,
        );
        assert_eq!(written, expected);
    }

    #[test]
    fn one_byte_types_have_no_byte_order() {
        let uint8 = DataType::Integer(Integer::Uint8);
        let written = strict(r#"[{"name":"bytes","configuration":{"endian":"big"}},"crc32c"]"#, uint8);
        assert_eq!(written, r#"[{"name":"bytes"},{"name":"crc32c"}]"#);
    }

    #[test]
    fn configurations_of_shards_are_complete() {
        let given =
            r#"[{"name":"sharding_indexed","configuration":{"chunk_shape":[1,2],"codecs":["bytes"]}}]"#;
        let expected = concat!(
            r#"[{"name":"sharding_indexed","configuration":{"chunk_shape":[1,2],"#,
            r#""codecs":[{"name":"bytes","configuration":{"endian":"little"}}],"#,
            r#""index_codecs":[{"name":"bytes","configuration":{"endian":"little"}},{"name":"crc32c"}],"index_location":"end"}}]"#,
        );
        assert_eq!(strict(given, DataType::Integer(Integer::Int16)), expected);
    }

    #[test]
    fn numcodecs_names_stay_as_they_are() {
        let given = r#"[{"name":"numcodecs.zlib","configuration":{"level":3}}]"#;
        assert_eq!(strict(given, DataType::Bool), given);
        let written = r#"[{"name":"numcodecs.crc32","configuration":{}}]"#;
        assert_eq!(strict(r#"["numcodecs.crc32"]"#, DataType::Bool), written);
    }
}
