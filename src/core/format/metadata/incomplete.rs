//! Completes v3 codec configurations that lack a member with only one possible meaning: the byte
//! order of `bytes`, and the chains of `sharding_indexed`. Each gives a warning.
//!
//! This happens before codecs are looked up, so that opening the array gives the warnings. Written
//! metadata is always complete: see [`write`](super::write).

use super::{CodecMetadata, codec};
use crate::error::Result;
use crate::format::data_type::{DataType, Endian};
use crate::format::json::Document;
use crate::format::json::text::{ObjectText, string};
use crate::format::tolerated::Form;
use crate::limits;

/// Completes the codec chain of an array of this data type.
pub(super) fn complete(codecs: &mut [CodecMetadata], data_type: &DataType, warnings: &mut Vec<String>) {
    let mut completion =
        Completion { needs_order: data_type.own_big_endian_runs().is_none(), found: Vec::new() };
    completion.chain(codecs, limits::SHARD_DEPTH);
    for (form, field) in completion.found {
        let warning = form.warning(field);
        if !warnings.contains(&warning) {
            warnings.push(warning);
        }
    }
}

struct Completion {
    /// Whether the data type needs a byte order.
    needs_order: bool,
    /// What was missing, and the field.
    found: Vec<(Form, &'static str)>,
}

impl Completion {
    /// Completes the first codec other than `transpose`. Codecs after it may see elements of
    /// another type.
    fn chain(&mut self, codecs: &mut [CodecMetadata], depth: usize) {
        if let Some(codec) = codecs.iter_mut().find(|codec| codec.name != "transpose") {
            // Binding the codec reports errors in its configuration.
            if let Ok(Some(members)) = self.completed(codec, depth) {
                codec.configuration = Some(members.compact());
            }
        }
    }

    /// The members of a codec's configuration. `None` where nothing is missing.
    fn completed(&mut self, codec: &CodecMetadata, depth: usize) -> Result<Option<ObjectText>> {
        let members = codec.members()?;
        match codec.name.as_str() {
            "bytes" if self.needs_order && members.get("endian").is_none() => {
                self.found.push((Form::V3BytesWithoutEndian, "codecs"));
                Ok(Some(members.with("endian", string(Endian::Little.name()))))
            }
            "sharding_indexed" if depth > 0 => self.sharding(members, depth.saturating_sub(1)),
            _ => Ok(None),
        }
    }

    fn sharding(&mut self, mut members: ObjectText, depth: usize) -> Result<Option<ObjectText>> {
        let before = self.found.len();
        let index = codec::of_index();
        for (field, default) in [("codecs", index.get(..1)), ("index_codecs", Some(&index[..]))] {
            if members.get(field).is_none() {
                self.found.push((Form::V3ShardingDefaults, field));
                members.set(field, codec::list_text(default.unwrap_or_default()));
            }
        }
        let inner = Document::parse(members.get("codecs").unwrap_or("[]").as_bytes())?;
        let (mut inner, known) = (inner.root().list(codec::parse)?, self.found.len());
        self.chain(&mut inner, depth);
        if self.found.len() > known {
            members.set("codecs", codec::list_text(&inner));
        }
        Ok((self.found.len() > before).then_some(members))
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::format::data_type::Integer;
    use crate::format::json;

    /// The completed chain, and the names of the warnings.
    fn completed(text: &str, integer: Integer) -> (Vec<(String, Option<String>)>, Vec<String>) {
        let mut codecs = json::read(text, |json| json.list(codec::parse)).unwrap();
        let mut warnings = Vec::new();
        complete(&mut codecs, &DataType::Integer(integer), &mut warnings);
        let names = warnings.iter().map(|warning| warning.rsplit('[').next().unwrap().replace(']', ""));
        (codecs.into_iter().map(|codec| (codec.name, codec.configuration)).collect(), names.collect())
    }

    #[test]
    fn a_missing_byte_order_is_little_endian() {
        let (codecs, warnings) = completed(r#"["transpose", "bytes", "gzip"]"#, Integer::Int16);
        assert_eq!(codecs[1].1.as_deref(), Some(r#"{"endian":"little"}"#));
        assert_eq!(warnings, ["v3-bytes-without-endian"]);
    }

    #[test]
    fn complete_configurations_stay_as_they_are() {
        let big = r#"[{"name":"bytes","configuration":{"endian":"big"}}]"#;
        for (text, integer) in [
            (r#"["bytes"]"#, Integer::Int8),
            (r#"["cast_value","bytes"]"#, Integer::Int16),
            (big, Integer::Int16),
        ] {
            assert!(completed(text, integer).1.is_empty(), "{text}");
        }
    }

    #[test]
    fn chains_of_shards_are_completed_at_every_depth() {
        let text = r#"[{"name":"sharding_indexed","configuration":{"chunk_shape":[4],"codecs":[
            {"name":"sharding_indexed","configuration":{"chunk_shape":[2],"codecs":["bytes",{"name":"zstd"}]}}]}}]"#;
        let (codecs, warnings) = completed(text, Integer::Int32);
        let configuration = codecs[0].1.clone().unwrap();
        assert_eq!(configuration.matches("crc32c").count(), 2, "{configuration}");
        assert!(
            configuration
                .contains(r#"[{"name":"bytes","configuration":{"endian":"little"}},{"name":"zstd"}]"#)
        );
        assert_eq!(warnings, ["v3-sharding-defaults", "v3-bytes-without-endian"]);
    }
}
