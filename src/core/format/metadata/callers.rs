//! Completes the metadata object that a user passes to a constructor to a v3 document.
//!
//! zarrita's `new Array(store, path, metadata)` also takes v2 metadata in terms of its own:
//! `v2:U10`, `v2:S3` and `v2:object` as data types, the codecs of numcodecs with the prefix
//! `numcodecs.`, and no `bytes` codec for little-endian numbers. In stored documents only the
//! missing `bytes` codec is accepted, with a warning (see [`v3`]): no other library reads the rest.

use super::{CodecMetadata, ZarrFormat, codec};
use crate::error::{Error, Result};
use crate::format::codec::kind::{CodecKind, index_of_bytes};
use crate::format::codec::registry::kind_of;
use crate::format::data_type::Endian;
use crate::format::data_type::name::OBJECTS;
use crate::format::json::text::{ObjectText, list, named as extension, string};
use crate::format::json::{Document, Json};

/// Codecs of variable-length elements. v3 has them under their plain names.
const VARIABLE: [&str; 3] = ["numcodecs.vlen-utf8", "numcodecs.vlen-bytes", "numcodecs.vlen-array"];

/// The text of the v3 document that the object means.
///
/// # Errors
/// `Format` for anything but an object with a list of codecs.
pub fn complete(text: &str) -> Result<String> {
    let document = Document::parse(text.as_bytes())?;
    let mut node = ObjectText::of(document.root())?;
    let is_array = node.get("shape").is_some();
    for (key, value) in
        [("zarr_format", "3"), ("node_type", if is_array { "\"array\"" } else { "\"group\"" })]
    {
        if node.get(key).is_none() {
            node.set(key, value);
        }
    }
    if is_array {
        let members = document.root().object()?;
        let codecs = members.require("codecs", Json::array)?;
        let names = codecs.iter().map(|json| Ok(codec::parse(*json)?.name)).collect::<Result<Vec<_>>>();
        let names = names.map_err(|error: Error| error.within_field("codecs"))?;
        if let Some(data_type) = members.get("data_type").and_then(|json| own_type(json, &names)) {
            // zarr-python 2 wrote 0 for objects where the user had not chosen a fill value: it is
            // an empty element.
            if data_type.starts_with('"') && matches!(node.get("fill_value"), Some("0" | "0.0")) {
                node.set("fill_value", "\"\"");
            }
            node.set("data_type", data_type);
        }
        if node.get("fill_value").is_none() {
            node.set("fill_value", "null");
        }
        node.set("codecs", list(chain(&codecs, &names)?));
    }
    Ok(node.compact())
}

/// The v3 data type of one of zarrita's names for v2, as JSON text. `codecs` are the names of the
/// codecs of its array.
pub fn own_type(json: Json<'_>, codecs: &[String]) -> Option<String> {
    let name = json.str().ok()?;
    let sized = |code: &str| name.strip_prefix(code)?.parse::<u32>().ok();
    let configured = |name: &str, len: u64| {
        Some(extension(name, &ObjectText::new().with("length_bytes", len.to_string())))
    };
    if let Some(chars) = sized("v2:U") {
        return configured("fixed_length_utf32", 4 * u64::from(chars));
    }
    if let Some(bytes) = sized("v2:S") {
        return configured("null_terminated_bytes", u64::from(bytes));
    }
    let has = |words: &[&str]| codecs.iter().any(|codec| words.iter().any(|word| codec.ends_with(word)));
    match name.as_ref() {
        OBJECTS if has(&["vlen-utf8", "categorize"]) => Some(string("string")),
        OBJECTS if has(&["vlen-bytes"]) => Some(string("bytes")),
        _ => None,
    }
}

/// The codec chain with an array-to-bytes codec. Where it is missing, it is inserted before the
/// first codec that can only follow it.
fn chain(codecs: &[Json<'_>], names: &[String]) -> Result<Vec<String>> {
    // An unknown codec is probably a compressor.
    let kind = |name: &String| kind_of(plain(name), ZarrFormat::V3).unwrap_or(CodecKind::BytesToBytes);
    let kinds: Vec<_> = names.iter().map(kind).collect();
    let mut chain =
        codecs.iter().zip(names).map(|(json, name)| named(*json, name)).collect::<Result<Vec<_>>>()?;
    if let Some(index) = index_of_bytes(&kinds) {
        chain.insert(index, CodecMetadata::bytes(Some(Endian::Little)).to_text());
    }
    Ok(chain)
}

fn plain(name: &str) -> &str {
    let plain = if VARIABLE.contains(&name) { name.strip_prefix("numcodecs.") } else { None };
    plain.unwrap_or(name)
}

fn named(json: Json<'_>, name: &str) -> Result<String> {
    if plain(name) == name {
        return Ok(json.text().to_owned());
    }
    Ok(match json.object() {
        Ok(_) => ObjectText::of(json)?.with("name", string(plain(name))).compact(),
        Err(_) => string(plain(name)),
    })
}

#[cfg(all(test, not(target_arch = "wasm32")))]
#[allow(clippy::unwrap_used)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn completed(mut members: Value) -> Value {
        members["shape"] = json!([4]);
        serde_json::from_str(&complete(&members.to_string()).unwrap()).unwrap()
    }

    #[test]
    fn strings_of_v2_get_v3_types() {
        let of = |name: &str| completed(json!({ "data_type": name, "codecs": [] }))["data_type"].clone();
        let configured =
            |name: &str, len: u64| json!({ "name": name, "configuration": { "length_bytes": len } });
        assert_eq!(of("v2:U10"), configured("fixed_length_utf32", 40));
        assert_eq!(of("v2:S3"), configured("null_terminated_bytes", 3));
        for other in ["int8", "v2:U", "v2:Ux", "v2:object"] {
            assert_eq!(of(other), json!(other));
        }
    }

    #[test]
    fn codecs_tell_the_type_of_objects() {
        for (codec, data_type, name) in [
            ("numcodecs.vlen-utf8", "string", "vlen-utf8"),
            ("vlen-bytes", "bytes", "vlen-bytes"),
            ("numcodecs.json2", OBJECTS, "numcodecs.json2"),
        ] {
            let document = completed(json!({ "data_type": OBJECTS, "codecs": [{ "name": codec }, "gzip"] }));
            assert_eq!(document["data_type"], data_type);
            assert_eq!(document["codecs"], json!([{ "name": name }, "gzip"]));
        }
    }

    #[test]
    fn a_missing_bytes_codec_is_inserted() {
        let bytes = json!({ "name": "bytes", "configuration": { "endian": "little" } });
        let names =
            |codecs: Value| completed(json!({ "data_type": "int8", "codecs": codecs }))["codecs"].clone();
        assert_eq!(names(json!([])), json!([bytes]));
        assert_eq!(names(json!(["transpose", "blosc"])), json!(["transpose", bytes, "blosc"]));
        assert_eq!(names(json!([{ "name": "nobody" }])), json!([bytes, { "name": "nobody" }]));
        assert_eq!(names(json!(["endian", "gzip"])), json!(["endian", "gzip"]));
    }

    #[test]
    fn format_and_node_type_are_added() {
        let document = completed(json!({ "codecs": [] }));
        assert_eq!([&document["zarr_format"], &document["node_type"]], [&json!(3), &json!("array")]);
        assert_eq!(document["fill_value"], Value::Null);
        assert_eq!(complete("{}").unwrap(), r#"{"zarr_format":3,"node_type":"group"}"#);
        assert!(complete("[]").is_err());
        assert!(complete(r#"{"shape":[1]}"#).is_err());
    }
}
