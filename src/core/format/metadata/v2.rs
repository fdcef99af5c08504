//! Parses v2's `.zarray`, `.zgroup` and `.zattrs` to the terms of v3.
//! <https://zarr-specs.readthedocs.io/en/latest/v2/v2.0.html>
//!
//! The byte order in the data type becomes the `bytes` codec's, and order `F` becomes a
//! `transpose`. Filters and compressor keep their v2 names and objects; their kinds decide where
//! `bytes` is inserted. Unknown fields are ignored, as the specification says.

use super::chain::ChainBuilder;
use super::document_kind::DocumentKind;
use super::{ArrayMetadata, CodecMetadata, GroupMetadata, ZarrFormat, attributes, v3};
use crate::error::{Error, Result, Stage};
use crate::format::chunk_grid::ChunkGrid;
use crate::format::chunk_key::{ChunkKeyEncoding, Separator};
use crate::format::codec::kind::CodecKind;
use crate::format::data_type::{DataType, Endian, FillValue, structure, typestr, variable};
use crate::format::json::{Document, Json, Object};
use crate::format::tolerated::Form;

/// Parses a `.zarray` and its `.zattrs`.
///
/// # Errors
/// `Format` for a missing or invalid field, `Unsupported` for an unknown data type, `Limit` for
/// documents that are too large and for too many dimensions.
pub fn parse_array(zarray: &[u8], zattrs: Option<&[u8]>) -> Result<ArrayMetadata> {
    let blame = |error| DocumentKind::Zarray.blame(error, zarray);
    let parse = || {
        let document = Document::parse(zarray).map_err(blame)?;
        let zattrs = parse_attributes(zattrs)?;
        array(&document.root().object()?, zattrs.as_ref().map(Document::root)).map_err(blame)
    };
    parse().map_err(|error| error.in_stage(Stage::Metadata))
}

/// Parses a `.zgroup` and its `.zattrs`.
///
/// # Errors
/// `Format` for a missing or invalid field.
pub fn parse_group(zgroup: &[u8], zattrs: Option<&[u8]>) -> Result<GroupMetadata> {
    let parse = || {
        let check = |group: Document<'_>| group.root().object()?.require("zarr_format", check_format);
        let checked = Document::parse(zgroup).and_then(check);
        checked.map_err(|error| DocumentKind::Zgroup.blame(error, zgroup))?;
        let zattrs = parse_attributes(zattrs)?;
        let attributes = attributes_text(zattrs.as_ref().map(Document::root))?;
        Ok(GroupMetadata { format: ZarrFormat::V2, attributes, warnings: Vec::new() })
    };
    parse().map_err(|error: Error| error.in_stage(Stage::Metadata))
}

fn parse_attributes(zattrs: Option<&[u8]>) -> Result<Option<Document<'_>>> {
    let parse = |text| Document::parse(text).map_err(|error| DocumentKind::Zattrs.blame(error, text));
    zattrs.map(parse).transpose().map_err(|error| error.within_field(".zattrs"))
}

fn attributes_text(zattrs: Option<Json<'_>>) -> Result<String> {
    let text = zattrs.map_or_else(|| Ok(attributes::NONE.to_owned()), attributes::text);
    text.map_err(|error| error.within_field(".zattrs"))
}

fn check_format(json: Json<'_>) -> Result<()> {
    if json.u64().is_ok_and(|version| version == 2) { Ok(()) } else { Err(json.unexpected("2")) }
}

fn array(members: &Object<'_>, zattrs: Option<Json<'_>>) -> Result<ArrayMetadata> {
    members.require("zarr_format", check_format)?;
    let shape = members.require("shape", v3::shape)?;
    let rank = shape.len();
    let mut warnings = Vec::new();
    let (data_type, endian) = members.require("dtype", |json| dtype(json, members, &mut warnings))?;
    let attributes = attributes_text(zattrs)?;
    let dimension_names = match zattrs {
        Some(json) => attributes::xarray_dimension_names(&json.object()?, rank, &mut warnings)
            .or_else(|| attributes::nczarr_dimension_names(&json.object().ok()?, rank)),
        None => None,
    };
    let dimension_names = dimension_names.or_else(|| attributes::nczarr_dimension_names(members, rank));
    for field in ["fill_value", "order", "filters", "compressor"] {
        // The specification requires them, and some readers do not need them.
        if members.get(field).is_none() {
            warnings.push(Form::V2MemberMissing.warning(field));
        }
    }
    Ok(ArrayMetadata {
        format: ZarrFormat::V2,
        chunk_grid: members.require("chunks", |json| ChunkGrid::regular(&json.u64_list()?, rank))?,
        chunk_key_encoding: ChunkKeyEncoding::V2 { separator: separator(members)? },
        fill_value: members
            .read("fill_value", |json| FillValue::read_v2(&data_type, endian, json, &mut warnings))?
            .unwrap_or_else(|| FillValue::of_null(&data_type)),
        fill_is_null: members.get("fill_value").is_none_or(Json::is_null),
        codecs: codecs(members, rank, endian)?,
        shape,
        data_type,
        attributes,
        dimension_names,
        storage_transformers: Vec::new(),
        fallback: None,
        warnings,
    })
}

/// Parses `dtype`. The byte order is `None` for a struct whose fields have different ones.
fn dtype(
    json: Json<'_>,
    members: &Object<'_>,
    warnings: &mut Vec<String>,
) -> Result<(DataType, Option<Endian>)> {
    match json.kind_name() {
        "a string" if json.text() == "\"|O\"" => Ok((objects(members)?, Some(Endian::Little))),
        "a string" if let Some(data_type) = typestr::without_order(&json.str()?) => {
            warnings.push(Form::V2TypeWithoutOrder.warning(format!("dtype {}", json.text())));
            Ok((data_type, Some(Endian::Little)))
        }
        "a string" => typestr::parse(&json.str()?).map(|(data_type, endian)| (data_type, Some(endian))),
        "an array" => structure::parse_v2(json),
        _ => Err(json.unexpected("a type string or a list of fields")),
    }
}

/// The data type of an array of objects. The filter that encodes them decides: `vlen-utf8`,
/// `json2`.
fn objects(members: &Object<'_>) -> Result<DataType> {
    let filters = members.get("filters").and_then(|json| json.array().ok()).unwrap_or_default();
    variable::of_object_codec(&filters)
}

/// Parses `dimension_separator`. Without it, or with `null` (which JZarr writes), it is a dot.
fn separator(members: &Object<'_>) -> Result<Separator> {
    let read =
        |json: Json<'_>| if json.is_null() { Ok(Separator::Dot) } else { Separator::parse(&json.str()?) };
    Ok(members.read("dimension_separator", read)?.unwrap_or(Separator::Dot))
}

/// The codec chain of order, byte order, filters and compressor.
fn codecs(members: &Object<'_>, rank: usize, endian: Option<Endian>) -> Result<Vec<CodecMetadata>> {
    let mut chain = ChainBuilder::new(endian, "dtype");
    if members.read("order", is_fortran)?.unwrap_or(false) && rank > 1 {
        chain.reverse_dimensions(rank, "order");
    }
    let filters = members.read_unless_null("filters", Json::array)?.unwrap_or_default();
    for (idx, filter) in filters.into_iter().enumerate() {
        chain.push_numcodecs(filter, format!("filters[{idx}]"), CodecKind::ArrayToArray)?;
    }
    if let Some(compressor) = members.read_unless_null("compressor", Ok)? {
        chain.push_numcodecs(compressor, "compressor".to_owned(), CodecKind::BytesToBytes)?;
    }
    Ok(chain.finish())
}

pub(super) fn is_fortran(json: Json<'_>) -> Result<bool> {
    match json.str().as_deref() {
        Ok("C") => Ok(false),
        Ok("F") => Ok(true),
        _ => Err(json.unexpected("\"C\" or \"F\"")),
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
#[allow(clippy::unwrap_used)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::error::ErrorKind;
    use crate::limits;

    /// The array of the specification's own example, without its filter.
    fn example() -> Value {
        json!({
            "chunks": [1000, 1000],
            "compressor": { "id": "blosc", "cname": "lz4", "clevel": 5, "shuffle": 1 },
            "dtype": "<f8",
            "fill_value": "NaN",
            "filters": null,
            "order": "C",
            "shape": [10000, 10000],
            "zarr_format": 2,
        })
    }

    fn with(field: &str, value: Value) -> Value {
        let mut document = example();
        document[field] = value;
        document
    }

    fn parse(document: &Value) -> Result<ArrayMetadata> {
        parse_array(document.to_string().as_bytes(), None)
    }

    /// Name, configuration and field of each codec.
    fn chain(document: &Value) -> Vec<(String, Value, String)> {
        let codecs = parse(document).unwrap().codecs.into_iter();
        codecs
            .map(|codec| {
                (codec.name, serde_json::from_str(&codec.configuration.unwrap()).unwrap(), codec.field)
            })
            .collect()
    }

    fn names(document: &Value) -> Vec<String> {
        chain(document).into_iter().map(|(name, ..)| name).collect()
    }

    #[test]
    fn a_null_fill_value_of_dates_is_not_a_time() {
        for (dtype, expected) in [("<M8[D]", i64::MIN), (">m8[s]", i64::MIN), ("<i8", 0)] {
            let mut document = with("fill_value", Value::Null);
            document["dtype"] = json!(dtype);
            let array = parse(&document).unwrap();
            assert_eq!((array.fill_value.0, array.fill_is_null), (expected.to_le_bytes().to_vec(), true));
        }
    }

    #[test]
    fn example_of_the_specification() {
        let array = parse(&example()).unwrap();
        assert_eq!(array.format, ZarrFormat::V2);
        assert_eq!(array.shape, [10000, 10000]);
        assert_eq!(array.chunk_grid.uniform(), Some(vec![1000, 1000]));
        assert_eq!(array.chunk_key_encoding.encode(&[2, 4]), "2.4");
        assert_eq!(array.fill_value.0, [0, 0, 0, 0, 0, 0, 0xf8, 0x7f]);
        assert_eq!((array.attributes.as_str(), array.dimension_names), ("{}", None));
        let bytes = ("bytes".to_owned(), json!({ "endian": "little" }), "dtype".to_owned());
        let blosc = ("blosc".to_owned(), example()["compressor"].clone(), "compressor".to_owned());
        assert_eq!(chain(&example()), [bytes, blosc]);
        assert_eq!(array.codecs[0].format, ZarrFormat::V3);
        assert_eq!(array.codecs[1].format, ZarrFormat::V2);
    }

    #[test]
    fn order_f_becomes_a_transposition() {
        let mut document = with("order", json!("F"));
        document["shape"] = json!([4, 5, 6]);
        document["chunks"] = json!([2, 2, 2]);
        assert_eq!(chain(&document)[0], ("transpose".into(), json!({ "order": [2, 1, 0] }), "order".into()));
        // With fewer than two dimensions there is one order.
        for shape in [json!([]), json!([4])] {
            document["shape"] = shape.clone();
            document["chunks"] = shape;
            assert_eq!(names(&document), ["bytes", "blosc"]);
        }
    }

    #[test]
    fn bytes_is_inserted_where_elements_become_bytes() {
        let delta = json!({ "id": "delta", "dtype": "<f8" });
        let zlib = json!({ "id": "zlib", "level": 1 });
        let cases = [
            (json!([]), vec!["bytes", "blosc"]),
            (json!([delta]), vec!["delta", "bytes", "blosc"]),
            (json!([delta, zlib]), vec!["delta", "bytes", "zlib", "blosc"]),
            (json!([zlib]), vec!["bytes", "zlib", "blosc"]),
            (json!([{ "id": "nobody-knows" }]), vec!["nobody-knows", "bytes", "blosc"]),
        ];
        for (filters, expected) in cases {
            assert_eq!(names(&with("filters", filters.clone())), expected, "{filters}");
        }
        assert_eq!(names(&with("compressor", Value::Null)), ["bytes"]);
        assert_eq!(names(&with("compressor", json!({ "id": "nobody-knows" }))), ["bytes", "nobody-knows"]);
        assert_eq!(chain(&with("filters", json!([delta])))[0].2, "filters[0]");
    }

    #[test]
    fn the_byte_order_is_that_of_the_stored_type() {
        let endian = |document: &Value| {
            let bytes = chain(document).into_iter().find(|(name, ..)| name == "bytes").unwrap();
            bytes.1["endian"].as_str().unwrap().to_owned()
        };
        assert_eq!(endian(&with("dtype", json!(">f8"))), "big");
        let mut document = with("dtype", json!(">f8"));
        document["filters"] = json!([{ "id": "delta", "dtype": ">f8", "astype": "<f4" }]);
        assert_eq!(endian(&document), "little");
        document["filters"] = json!([{ "id": "delta", "dtype": ">f8" }]);
        assert_eq!(endian(&document), "big");
    }

    #[test]
    fn errors_name_missing_fields() {
        for field in example().as_object().unwrap().keys() {
            let mut document = example();
            document.as_object_mut().unwrap().remove(field);
            if ["fill_value", "order", "filters", "compressor"].contains(&field.as_str()) {
                assert_eq!(parse(&document).unwrap().warnings.len(), 1, "{field}");
                continue;
            }
            let error = parse(&document).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Format, "{field}");
            assert_eq!(error.context().field.as_ref(), Some(field));
        }
    }

    #[test]
    fn errors_name_invalid_fields() {
        for (field, value, named) in [
            ("zarr_format", json!(3), "zarr_format"),
            ("shape", json!([10000, -1]), "shape[1]"),
            ("shape", json!(null), "shape"),
            ("chunks", json!([1000]), "chunks"),
            ("chunks", json!([1000, 0]), "chunks[1]"),
            ("dtype", json!("f8"), "dtype"),
            ("dtype", json!(8), "dtype"),
            ("order", json!("A"), "order"),
            ("order", json!(null), "order"),
            ("fill_value", json!("zero"), "fill_value"),
            ("filters", json!({}), "filters"),
            ("filters", json!([{ "dtype": "<f8" }]), "filters[0].id"),
            ("compressor", json!("blosc"), "compressor"),
            ("compressor", json!({ "id": 1 }), "compressor.id"),
            ("dimension_separator", json!("-"), "dimension_separator"),
        ] {
            let error = parse(&with(field, value.clone())).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Format, "{field}: {value}");
            assert_eq!(error.context().field.as_deref(), Some(named), "{field}: {value}");
            assert_eq!(error.context().stage, Some(Stage::Metadata));
        }
    }

    #[test]
    fn errors_name_unsupported_types() {
        for dtype in [json!("<f16"), json!([["r", "|u1"], ["g", "<c32"]])] {
            let error = parse(&with("dtype", dtype.clone())).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Unsupported);
            assert!(error.context().field.as_deref().unwrap().starts_with("dtype"), "{error}");
            assert!(error.to_string().contains(dtype.as_str().unwrap_or("<c32")), "{error}");
        }
    }

    #[test]
    fn byte_orders_of_structs() {
        let mut document = with("fill_value", Value::Null);
        let bytes = |document: &Value| {
            let array = parse(document).unwrap();
            let bytes = array.codecs.iter().find(|codec| codec.name == "bytes").unwrap();
            (bytes.configuration.clone(), array.data_type.own_big_endian_runs().unwrap().len())
        };
        document["dtype"] = json!([["r", "|u1"], ["g", "<i2"]]);
        assert_eq!(bytes(&document), (Some(r#"{"endian":"little"}"#.into()), 0));
        document["dtype"] = json!([["r", "|u1"], ["g", ">i2"]]);
        assert_eq!(bytes(&document), (Some(r#"{"endian":"big"}"#.into()), 0));
        document["dtype"] = json!([["r", "<f8"], ["g", ">i2"]]);
        assert_eq!(bytes(&document), (None, 1));
        // The packed struct as stored: the second field is 258.
        document["fill_value"] = json!("AAAAAAAA8D8BAg==");
        let expected = [1_f64.to_le_bytes().as_slice(), &258_i16.to_le_bytes()].concat();
        assert_eq!(parse(&document).unwrap().fill_value.0, expected);
    }

    #[test]
    fn errors_name_the_codec_of_objects() {
        let mut document = with("dtype", json!("|O"));
        document["filters"] = json!([{ "id": "pickle", "protocol": 5 }]);
        let error = parse(&document).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unsupported);
        assert!(error.message().contains("\"pickle\""), "{error}");
    }

    #[test]
    fn unknown_fields_are_ignored_and_separators_read() {
        assert!(parse(&with("made_by", json!("somebody"))).is_ok());
        let key = |separator: Value| {
            parse(&with("dimension_separator", separator)).unwrap().chunk_key_encoding.encode(&[1, 23])
        };
        assert_eq!([key(json!("/")), key(json!(".")), key(json!(null))], ["1/23", "1.23", "1.23"]);
    }

    #[test]
    fn attributes_name_dimensions() {
        let parse = |zattrs: &str| parse_array(example().to_string().as_bytes(), Some(zattrs.as_bytes()));
        let array = parse(r#"{"_ARRAY_DIMENSIONS": ["y", "x"], "valid_min": NaN}"#).unwrap();
        assert_eq!(array.dimension_names, Some(vec![Some("y".into()), Some("x".into())]));
        assert_eq!(array.attributes, r#"{"_ARRAY_DIMENSIONS": ["y", "x"], "valid_min": NaN}"#);
        for zattrs in [
            r#"{"_nczarr_array": {"dimension_references": ["/y", "/g/x"], "storage": "chunked"}}"#,
            r#"{"_NCZARR_ARRAY": {"dimrefs": ["/y", "/x"]}}"#,
        ] {
            assert_eq!(parse(zattrs).unwrap().dimension_names, array.dimension_names, "{zattrs}");
        }
        let mut document = example();
        document["_nczarr_array"] = json!({"dimension_references": ["/_Anonymous_Dim_4", "/x"]});
        let array = parse_array(document.to_string().as_bytes(), None).unwrap();
        assert_eq!(array.dimension_names, Some(vec![None, Some("x".into())]));
        for other in [json!({"dimension_references": ["/x"]}), json!({"dimrefs": "/x"}), json!(null)] {
            document["_nczarr_array"] = other;
            let array = parse_array(document.to_string().as_bytes(), None).unwrap();
            assert_eq!((array.dimension_names, array.warnings.len()), (None, 0));
        }
        for zattrs in [r#"{"_ARRAY_DIMENSIONS": ["y"]}"#, r#"{"_ARRAY_DIMENSIONS": "y x"}"#] {
            let array = parse(zattrs).unwrap();
            assert_eq!((array.dimension_names, array.warnings.len()), (None, 1), "{zattrs}");
        }
        for zattrs in ["[]", "{", "", "null"] {
            let error = parse(zattrs).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Format);
            assert_eq!(error.context().field.as_deref(), Some(".zattrs"), "{zattrs}");
        }
    }

    #[test]
    fn groups_are_parsed() {
        let group = parse_group(br#"{"zarr_format":2,"extra":1}"#, Some(br#"{"a":1}"#)).unwrap();
        assert_eq!(group.attributes, r#"{"a":1}"#);
        assert_eq!(parse_group(br#"{"zarr_format":2}"#, None).unwrap().attributes, "{}");
        for text in ["{}", r#"{"zarr_format":3}"#, r#"{"zarr_format":"2"}"#, "[]"] {
            assert_eq!(parse_group(text.as_bytes(), None).unwrap_err().kind(), ErrorKind::Format);
        }
    }

    #[test]
    fn ranks_are_bounded() {
        let rank = limits::DIMENSIONS + 1;
        let error = parse(&with("shape", json!(vec![1; rank]))).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Limit);
    }
}
