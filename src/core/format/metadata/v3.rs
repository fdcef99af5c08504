//! Parses the `zarr.json` of Zarr v3 and 3.1.
//! <https://zarr-specs.readthedocs.io/en/latest/v3/core/index.html#metadata>
//!
//! It is as strict as the specification about `must_understand`, and accepts deviations whose
//! meaning is certain (GDAL's null fill value, and its chains without `bytes`). The entry points of
//! the historic drafts are recognised and refused with a hint: [`draft`](super::draft) opens their
//! hierarchies at the root.

use super::document_kind::DocumentKind;
use super::extension::{Extension, refuse_unknown};
use super::{
    ArrayMetadata, CodecMetadata, GroupMetadata, NodeMetadata, ZarrFormat, attributes, codec, incomplete,
};
use crate::error::{Error, Result, Stage};
use crate::format::chunk_grid::ChunkGrid;
use crate::format::chunk_key::ChunkKeyEncoding;
use crate::format::codec::kind::index_of_bytes;
use crate::format::codec::registry::kind_of;
use crate::format::data_type::{DataType, Endian, FillValue, name};
use crate::format::json::{Document, Json, Object};
use crate::format::tolerated::Form;
use crate::limits;
use crate::quoted::quoted;

const ARRAY_FIELDS: [&str; 11] = [
    "zarr_format",
    "node_type",
    "shape",
    "data_type",
    "chunk_grid",
    "chunk_key_encoding",
    "fill_value",
    "codecs",
    "attributes",
    "storage_transformers",
    "dimension_names",
];

/// `consolidated_metadata` is not an extension object "for historical reasons". zarr-python also
/// wrote it as `null`.
const GROUP_FIELDS: [&str; 4] = ["zarr_format", "node_type", "attributes", "consolidated_metadata"];

/// Parses a `zarr.json`.
///
/// # Errors
/// `Format` for a missing or invalid field. `Unsupported` for an unknown extension, an unknown
/// field that must be understood, or a draft. `Limit` for documents that are too large and for too
/// many dimensions.
pub fn parse_node(text: &[u8]) -> Result<NodeMetadata> {
    Document::parse(text)
        .and_then(|document| node(document.root()))
        .map_err(|error| DocumentKind::ZarrJson.blame(error, text).in_stage(Stage::Metadata))
}

/// As [`parse_node`], for text that is already checked to be JSON.
pub(super) fn node(json: Json<'_>) -> Result<NodeMetadata> {
    let members = json.object()?;
    members.require("zarr_format", check_format)?;
    let node_type = members.require("node_type", |json| match json.str()?.as_ref() {
        known @ ("array" | "group") => Ok(known.to_owned()),
        _ => Err(json.unexpected("\"array\" or \"group\"")),
    })?;
    if node_type == "array" {
        array(members).map(|array| NodeMetadata::Array(Box::new(array)))
    } else {
        group(members).map(NodeMetadata::Group)
    }
}

/// Checks `zarr_format`. A string is the URI of one of the drafts of 2020 and 2022.
fn check_format(json: Json<'_>) -> Result<()> {
    if json.u64().is_ok_and(|version| version == 3) {
        return Ok(());
    }
    match json.str() {
        Ok(uri) if uri.split('/').any(|segment| segment == "spec") => {
            let draft =
                format!("this is the root of a hierarchy of a historic draft of Zarr v3: {}", quoted(&uri));
            Err(Error::unsupported(format!(
                "{draft}; open the store at this root, and its nodes by their paths"
            )))
        }
        _ => Err(json.unexpected("3")),
    }
}

fn group(members: Object<'_>) -> Result<GroupMetadata> {
    let attributes = members.read_unless_null("attributes", attributes::text)?;
    refuse_unknown(members, &GROUP_FIELDS)?;
    Ok(GroupMetadata {
        format: ZarrFormat::V3,
        attributes: attributes.unwrap_or_else(|| attributes::NONE.to_owned()),
        warnings: Vec::new(),
    })
}

fn array(members: Object<'_>) -> Result<ArrayMetadata> {
    let shape = members.require("shape", shape)?;
    let rank = shape.len();
    let data_type = members.require("data_type", name::parse_json)?;
    let mut warnings = Vec::new();
    let mut codecs = chain_of(&members, &mut warnings)?;
    incomplete::complete(&mut codecs, &data_type, &mut warnings);
    let fill_value = members
        .require("fill_value", |json| fill_value(&data_type, stored_endian(&codecs), json, &mut warnings))?;
    // `null` is a value of optional types.
    let fill_is_null =
        !matches!(data_type, DataType::Optional(_)) && members.get("fill_value").is_some_and(Json::is_null);
    let chunk_key_encoding = members
        .require("chunk_key_encoding", |json| ChunkKeyEncoding::parse(&Extension::parse(json)?, rank))?;
    warnings.extend(chunk_key_encoding.warning());
    let dimension_names = members
        .read_unless_null("dimension_names", |json| attributes::dimension_names(json, rank))
        .unwrap_or_else(|error| {
            warnings.push(Form::V3DimensionNames.warning(error));
            None
        });
    let metadata = ArrayMetadata {
        format: ZarrFormat::V3,
        chunk_grid: members
            .require("chunk_grid", |json| ChunkGrid::parse(&Extension::parse(json)?, &shape))?,
        chunk_key_encoding,
        fill_value,
        fill_is_null,
        codecs,
        attributes: members
            .read_unless_null("attributes", attributes::text)?
            .unwrap_or_else(|| attributes::NONE.to_owned()),
        dimension_names,
        shape,
        data_type,
        storage_transformers: Vec::new(),
        fallback: None,
        warnings,
    };
    members.read_unless_null("storage_transformers", refuse_storage_transformers)?;
    refuse_unknown(members, &ARRAY_FIELDS)?;
    Ok(metadata)
}

/// Parses the shape of an array. The number of dimensions is bounded.
pub(super) fn shape(json: Json<'_>) -> Result<Vec<u64>> {
    let shape = json.u64_list()?;
    limits::within(shape.len() as u64, limits::DIMENSIONS as u64, "number of dimensions")?;
    Ok(shape)
}

/// Parses the fill value. GDAL 3.12 writes `null` for every array without a nodata value, which the
/// specification does not allow. Legacy structs have base64 in the byte order of their elements.
fn fill_value(
    data_type: &DataType,
    stored: Endian,
    json: Json<'_>,
    warnings: &mut Vec<String>,
) -> Result<FillValue> {
    match data_type {
        DataType::Optional(_) => FillValue::parse_v3(data_type, json),
        _ if json.is_null() => {
            warnings.push(Form::V3FillNull.warning("fill_value"));
            Ok(FillValue::of_null(data_type))
        }
        // The type of an object that a user made of v2 metadata: see `callers`.
        DataType::Json => FillValue::parse_v2(data_type, None, json, warnings),
        DataType::Struct(_) if json.kind_name() == "a string" => {
            FillValue::parse_packed(data_type, stored, json)
        }
        _ => FillValue::read_v3(data_type, json, warnings),
    }
}

/// The byte order in the `bytes` codec; in shards, in that of their inner chunks. Little-endian
/// without it.
fn stored_endian(codecs: &[CodecMetadata]) -> Endian {
    codecs.iter().find_map(|codec| named_endian(codec, limits::SHARD_DEPTH)).unwrap_or(Endian::Little)
}

fn named_endian(codec: &CodecMetadata, depth: usize) -> Option<Endian> {
    match codec.name.as_str() {
        "bytes" | "endian" => codec.endian(),
        "sharding_indexed" => {
            let depth = depth.checked_sub(1)?;
            let document = codec.document().ok()?;
            let inner = document.root().object().ok()?.get("codecs")?.list(codec::parse).ok()?;
            inner.iter().find_map(|codec| named_endian(codec, depth))
        }
        _ => None,
    }
}

/// Parses the codec chain of an array. GDAL 3.8 to 3.10 and zarrita's `create` leave out `bytes`.
fn chain_of(members: &Object<'_>, warnings: &mut Vec<String>) -> Result<Vec<CodecMetadata>> {
    let bytes = CodecMetadata::bytes(Some(Endian::Little)).at("codecs");
    let Some(mut chain) = members.read("codecs", codecs)? else {
        warnings.push(Form::V3WithoutCodecs.warning("metadata"));
        return Ok(vec![bytes]);
    };
    let kinds = chain.iter().map(|codec| kind_of(&codec.name, codec.format));
    // An unknown codec may turn elements into bytes.
    if let Some(index) = kinds.collect::<Option<Vec<_>>>().and_then(|kinds| index_of_bytes(&kinds)) {
        warnings.push(Form::V3WithoutBytes.warning("codecs"));
        chain.insert(index, bytes);
    }
    Ok(chain)
}

fn codecs(json: Json<'_>) -> Result<Vec<CodecMetadata>> {
    codec::parse_list(json, "codecs", ZarrFormat::V3)
}

/// Refuses storage transformers: none is registered, and ignoring one would give wrong bytes.
fn refuse_storage_transformers(json: Json<'_>) -> Result<()> {
    match json.list(Extension::parse)?.first() {
        None => Ok(()),
        Some(transformer) => {
            Err(Error::unsupported(format!("unknown storage transformer {}", quoted(&transformer.name)))
                .in_field("[0]"))
        }
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
#[allow(clippy::unwrap_used)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::error::ErrorKind;
    use crate::format::chunk_key::Separator;
    use crate::format::data_type::Float;

    /// The array of the specification's own example.
    fn example() -> Value {
        json!({
            "zarr_format": 3,
            "node_type": "array",
            "shape": [10000, 1000],
            "dimension_names": ["rows", "columns"],
            "data_type": "float64",
            "chunk_grid": { "name": "regular", "configuration": { "chunk_shape": [1000, 100] } },
            "chunk_key_encoding": { "name": "default", "configuration": { "separator": "/" } },
            "codecs": [{ "name": "bytes", "configuration": { "endian": "little" } }],
            "fill_value": "NaN",
            "attributes": { "foo": 42, "bar": "apples", "baz": [1, 2, 3, 4] },
        })
    }

    fn with(field: &str, value: Value) -> Value {
        let mut document = example();
        document[field] = value;
        document
    }

    fn parse(document: &Value) -> Result<NodeMetadata> {
        parse_node(document.to_string().as_bytes())
    }

    fn array(document: &Value) -> ArrayMetadata {
        match parse(document).unwrap() {
            NodeMetadata::Array(array) => *array,
            NodeMetadata::Group(_) => panic!("a group"),
        }
    }

    #[test]
    fn packed_fill_values_have_the_stored_byte_order() {
        let bytes = |endian: &str| json!({"name": "bytes", "configuration": {"endian": endian}});
        let shard = |codecs| json!({"name": "sharding_indexed", "configuration": {"codecs": codecs}});
        for (codec, endian) in [
            (bytes("big"), Endian::Big),
            (bytes("little"), Endian::Little),
            (shard(json!([bytes("big"), "zstd"])), Endian::Big),
            (shard(json!([shard(json!([bytes("big")]))])), Endian::Big),
            (json!("vlen-utf8"), Endian::Little),
        ] {
            let text = json!([codec]).to_string();
            let codecs = crate::format::json::read(&text, codecs).unwrap();
            assert_eq!(stored_endian(&codecs), endian, "{text}");
        }
    }

    #[test]
    fn example_of_the_specification() {
        let array = array(&example());
        assert_eq!(array.format, ZarrFormat::V3);
        assert_eq!(array.shape, [10000, 1000]);
        assert_eq!(array.data_type, DataType::Float(Float::Float64));
        assert_eq!(array.chunk_grid.uniform(), Some(vec![1000, 100]));
        assert_eq!(array.chunk_key_encoding, ChunkKeyEncoding::Default { separator: Separator::Slash });
        assert_eq!(array.fill_value.0, [0, 0, 0, 0, 0, 0, 0xf8, 0x7f]);
        assert_eq!(array.dimension_names, Some(vec![Some("rows".into()), Some("columns".into())]));
        let attributes: Value = serde_json::from_str(&array.attributes).unwrap();
        assert_eq!(attributes, example()["attributes"]);
        let bytes = CodecMetadata {
            name: "bytes".into(),
            configuration: Some(r#"{"endian":"little"}"#.into()),
            format: ZarrFormat::V3,
            field: "codecs[0]".into(),
        };
        assert_eq!(array.codecs, [bytes]);
        assert!(array.warnings.is_empty());
    }

    #[test]
    fn groups_are_parsed() {
        let text = br#"{"zarr_format":3,"node_type":"group","attributes":{"spam":NaN},"consolidated_metadata":null}"#;
        let NodeMetadata::Group(group) = parse_node(text).unwrap() else { panic!("an array") };
        assert_eq!(group.attributes, r#"{"spam":NaN}"#);
        let NodeMetadata::Group(group) = parse_node(br#"{"zarr_format":3,"node_type":"group"}"#).unwrap()
        else {
            panic!("an array")
        };
        assert_eq!(group.attributes, "{}");
    }

    #[test]
    fn errors_name_missing_fields() {
        for field in [
            "zarr_format",
            "node_type",
            "shape",
            "data_type",
            "chunk_grid",
            "chunk_key_encoding",
            "fill_value",
        ] {
            let mut document = example();
            document.as_object_mut().unwrap().remove(field);
            let error = parse(&document).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Format, "{field}");
            assert_eq!(error.context().field.as_deref(), Some(field));
            assert_eq!(error.context().stage, Some(Stage::Metadata));
        }
        for field in ["attributes", "dimension_names"] {
            let mut document = example();
            document.as_object_mut().unwrap().remove(field);
            assert!(parse(&document).is_ok(), "{field}");
        }
    }

    #[test]
    fn null_counts_as_absent() {
        for field in ["attributes", "dimension_names", "storage_transformers"] {
            assert!(parse(&with(field, json!(null))).is_ok(), "{field}");
        }
    }

    #[test]
    fn errors_name_invalid_fields() {
        let regular = |shape: Value| json!({ "name": "regular", "configuration": { "chunk_shape": shape } });
        for (field, value, named) in [
            ("zarr_format", json!(2), "zarr_format"),
            ("zarr_format", json!(3.5), "zarr_format"),
            ("zarr_format", json!("3"), "zarr_format"),
            ("node_type", json!("dataset"), "node_type"),
            ("node_type", json!(null), "node_type"),
            ("shape", json!(10000), "shape"),
            ("shape", json!([10000, -1]), "shape[1]"),
            ("shape", json!([10000, 1.5]), "shape[1]"),
            ("data_type", json!(null), "data_type"),
            ("data_type", json!({}), "data_type.name"),
            ("chunk_grid", regular(json!([1000])), "chunk_grid.configuration.chunk_shape"),
            ("chunk_grid", regular(json!([1000, 0])), "chunk_grid.configuration.chunk_shape[1]"),
            ("chunk_key_encoding", json!([]), "chunk_key_encoding"),
            ("fill_value", json!("zero"), "fill_value"),
            ("codecs", json!({}), "codecs"),
            ("codecs", json!([{ "configuration": {} }]), "codecs[0].name"),
            ("attributes", json!([]), "attributes"),
            ("storage_transformers", json!({}), "storage_transformers"),
        ] {
            let error = parse(&with(field, value.clone())).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Format, "{field}: {value}");
            assert_eq!(error.context().field.as_deref(), Some(named), "{field}: {value}");
        }
    }

    #[test]
    fn documents_that_are_not_objects_are_refused() {
        for text in ["", "[]", "null", "\"zarr\"", "{\"zarr_format\": 3,"] {
            assert_eq!(parse_node(text.as_bytes()).unwrap_err().kind(), ErrorKind::Format, "{text}");
        }
    }

    #[test]
    fn errors_name_unknown_extensions() {
        for (field, value, name) in [
            ("data_type", json!("complex256"), "complex256"),
            ("chunk_grid", json!({ "name": "hexagonal" }), "hexagonal"),
            ("chunk_key_encoding", json!("morse"), "morse"),
            ("storage_transformers", json!([{ "name": "mirror", "must_understand": false }]), "mirror"),
            ("sparse", json!(false), "sparse"),
            ("sparse", json!({ "name": "sparse" }), "sparse"),
        ] {
            let error = parse(&with(field, value)).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Unsupported, "{field}");
            assert!(error.message().contains(name), "{error}");
            assert!(error.context().field.as_deref().unwrap().starts_with(field));
        }
        assert!(parse(&with("sparse", json!({ "must_understand": false }))).is_ok());
        // Reading the array reports unknown codecs. Until then it can be described.
        assert_eq!(array(&with("codecs", json!(["middle-out"]))).codecs[0].name, "middle-out");
    }

    #[test]
    fn errors_name_the_draft() {
        let uri = "https://purl.org/zarr/spec/protocol/core/3.0";
        let draft = json!({
            "zarr_format": uri,
            "metadata_encoding": "https://purl.org/zarr/spec/protocol/core/3.0",
            "metadata_key_suffix": ".json",
            "extensions": [],
        });
        let error = parse(&draft).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unsupported);
        assert!(error.message().contains(uri));
    }

    #[test]
    fn forms_of_known_writers_are_parsed() {
        // GDAL 3.12, every array without a nodata value.
        let gdal = array(&with("fill_value", Value::Null));
        assert_eq!(gdal.fill_value.0, [0; 8]);
        assert_eq!(gdal.warnings.len(), 1);
        // zarr-python, every array; zarrs, bare names.
        let python = array(&with("storage_transformers", json!([])));
        assert!(python.warnings.is_empty());
        let zarrs =
            array(&with("codecs", json!(["vlen-utf8", { "name": "gzip", "configuration": { "level": 1 } }])));
        assert_eq!(zarrs.codecs[0].configuration, None);
        assert_eq!(zarrs.codecs[1].field, "codecs[1]");
        // Since 3.1.
        assert_eq!(array(&with("data_type", json!({ "name": "float64" }))).data_type.name(), "float64");
    }

    #[test]
    fn chains_without_bytes_are_read_as_little_endian_bytes() {
        let transpose = json!({ "name": "transpose", "configuration": { "order": "F" } });
        for (codecs, expected) in [
            (json!([]), vec!["bytes"]),
            (json!(["gzip"]), vec!["bytes", "gzip"]),
            (json!([transpose]), vec!["transpose", "bytes"]),
            (json!([transpose, "gzip", "crc32c"]), vec!["transpose", "bytes", "gzip", "crc32c"]),
        ] {
            let array = array(&with("codecs", codecs.clone()));
            let names: Vec<&str> = array.codecs.iter().map(|codec| codec.name.as_str()).collect();
            assert_eq!(names, expected, "{codecs}");
            assert_eq!(array.warnings, [Form::V3WithoutBytes.warning("codecs")]);
            let bytes = array.codecs.iter().find(|codec| codec.name == "bytes").unwrap();
            assert_eq!(bytes.configuration.as_deref(), Some(r#"{"endian":"little"}"#));
        }
        let mut document = example();
        document.as_object_mut().unwrap().remove("codecs");
        let without = array(&document);
        assert_eq!((without.codecs.len(), without.codecs[0].name.as_str()), (1, "bytes"));
        assert_eq!(without.warnings, [Form::V3WithoutCodecs.warning("metadata")]);
        // An unknown codec may turn elements into bytes.
        for codecs in [json!(["feather"]), json!(["gzip", "feather"]), json!(["endian", "gzip"])] {
            assert!(array(&with("codecs", codecs)).warnings.is_empty());
        }
        assert_eq!(parse(&with("codecs", Value::Null)).unwrap_err().kind(), ErrorKind::Format);
    }

    #[test]
    fn dimension_names_may_repeat_be_empty_or_missing() {
        let names = array(&with("dimension_names", json!(["", null]))).dimension_names;
        assert_eq!(names, Some(vec![Some(String::new()), None]));
        let names = array(&with("dimension_names", json!(["x", "x"]))).dimension_names;
        assert_eq!(names, Some(vec![Some("x".into()), Some("x".into())]));
    }

    #[test]
    fn dimension_names_that_do_not_fit_are_left_out_with_a_warning() {
        for names in [json!(["rows"]), json!(["rows", 1]), json!("rows")] {
            let array = array(&with("dimension_names", names));
            assert_eq!((array.dimension_names, array.warnings.len()), (None, 1));
        }
    }

    #[test]
    fn huge_and_empty_shapes_are_exact() {
        assert_eq!(array(&with("shape", json!([u64::MAX, 0]))).shape, [u64::MAX, 0]);
    }

    #[test]
    fn ranks_are_bounded() {
        let error = parse(&with("shape", json!(vec![1; 65]))).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Limit);
    }
}
