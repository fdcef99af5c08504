//! Tests of every family of data types: names, sizes and forms of fill values. Expected bytes come
//! from NumPy and ml_dtypes.

use super::Endian;
use super::*;
use crate::error::{Error, ErrorKind, Result};
use crate::format::json::{self, Document};

fn v3_type(text: &str) -> Result<DataType> {
    json::read(text, name::parse_json)
}

fn v2_type(text: &str) -> Result<(DataType, Option<Endian>)> {
    let document = Document::parse(text.as_bytes())?;
    match document.root().kind_name() {
        "an array" => structure::parse_v2(document.root()),
        _ => typestr::parse(&document.root().str()?).map(|(data_type, endian)| (data_type, Some(endian))),
    }
}

/// The packed fill value.
fn v3(data_type: &str, fill: &str) -> Result<Vec<u8>> {
    let data_type = v3_type(data_type)?;
    json::read(fill, |json| FillValue::parse_v3(&data_type, json)).map(|fill| fill.0)
}

fn v2(dtype: &str, fill: &str) -> Result<Vec<u8>> {
    let (document, (data_type, endian)) = (Document::parse(fill.as_bytes())?, v2_type(dtype)?);
    FillValue::parse_v2(&data_type, endian, document.root(), &mut Vec::new()).map(|fill| fill.0)
}

/// Writes the fill value that was parsed from `fill`.
fn rewritten(data_type: &str, fill: &str) -> String {
    FillValue(v3(data_type, fill).unwrap()).to_json_v3(&v3_type(data_type).unwrap()).unwrap()
}

fn kind<T: std::fmt::Debug>(result: Result<T>) -> ErrorKind {
    result.map_err(|error: Error| error.kind()).unwrap_err()
}

#[test]
fn every_type_has_one_written_form_which_reads_as_itself() {
    let struct_fields = r#"{"fields":[{"name":"a","data_type":"int32"},{"name":"b","data_type":"r24"}]}"#;
    let nested = r#"{"name":"zarrs.optional","configuration":{"name":"uint8","configuration":{}}}"#;
    for (text, size) in [
        ("\"bool\"".to_owned(), Some(1)),
        ("\"int4\"".to_owned(), Some(1)),
        ("\"float6_e2m3fn\"".to_owned(), Some(1)),
        ("\"bfloat16\"".to_owned(), Some(2)),
        ("\"complex64\"".to_owned(), Some(8)),
        ("\"complex_float16\"".to_owned(), Some(4)),
        ("\"complex_float4_e2m1fn\"".to_owned(), Some(2)),
        ("\"r24\"".to_owned(), Some(3)),
        ("\"string\"".to_owned(), None),
        ("\"bytes\"".to_owned(), None),
        (r#"{"name":"null_terminated_bytes","configuration":{"length_bytes":5}}"#.to_owned(), Some(5)),
        // Both names of raw bytes are kept: zarr-python's here, the specification's above.
        (r#"{"name":"raw_bytes","configuration":{"length_bytes":3}}"#.to_owned(), Some(3)),
        (r#"{"name":"fixed_length_utf32","configuration":{"length_bytes":8}}"#.to_owned(), Some(8)),
        (
            r#"{"name":"numpy.datetime64","configuration":{"unit":"us","scale_factor":10}}"#.to_owned(),
            Some(8),
        ),
        (
            r#"{"name":"numpy.timedelta64","configuration":{"unit":"generic","scale_factor":1}}"#.to_owned(),
            Some(8),
        ),
        (format!(r#"{{"name":"struct","configuration":{struct_fields}}}"#), Some(7)),
        (format!(r#"{{"name":"zarrs.optional","configuration":{nested}}}"#), Some(3)),
    ] {
        let data_type = v3_type(&text).unwrap();
        assert_eq!(data_type.size(), size, "{text}");
        assert_eq!(data_type.to_json_v3().unwrap(), text);
    }
}

#[test]
fn core_types_as_objects_and_types_under_other_names() {
    for (text, name) in [
        (r#"{"name":"int32"}"#, "int32"),
        (r#"{"name":"int32","configuration":{}}"#, "int32"),
        ("\"complex32\"", "complex_float16"),
        ("\"complex_float32\"", "complex64"),
        ("\"complex_float64\"", "complex128"),
        ("\"variable_length_bytes\"", "bytes"),
        ("\"binary\"", "bytes"),
        (r#"{"name":"raw_bytes","configuration":{"length_bytes":2}}"#, "r16"),
        (r#"{"name":"optional","configuration":{"name":"bool"}}"#, "zarrs.optional"),
        (r#"{"name":"structured","configuration":{"fields":[["a","int8"]]}}"#, "struct"),
    ] {
        assert_eq!(v3_type(text).unwrap().name(), name, "{text}");
    }
}

#[test]
fn errors_name_configurations_that_do_not_fit() {
    for (text, field) in [
        (r#"{"name":"int32","configuration":{"unit":"s"}}"#, "configuration"),
        (r#"{"name":"numpy.datetime64"}"#, "configuration.unit"),
        (r#"{"name":"numpy.datetime64","configuration":{"unit":"s"}}"#, "configuration.scale_factor"),
        (
            r#"{"name":"numpy.datetime64","configuration":{"unit":"q","scale_factor":1}}"#,
            "configuration.unit",
        ),
        (
            r#"{"name":"numpy.datetime64","configuration":{"unit":"s","scale_factor":0}}"#,
            "configuration.scale_factor",
        ),
        (r#"{"name":"raw_bytes","configuration":{"length_bytes":"2"}}"#, "configuration.length_bytes"),
        (r#"{"name":"raw_bytes","configuration":{"length_bytes":0}}"#, "configuration.length_bytes"),
        (r#"{"name":"fixed_length_utf32","configuration":{"length_bytes":6}}"#, "configuration.length_bytes"),
        (r#"{"name":"struct","configuration":{"fields":[]}}"#, "configuration.fields"),
        (
            r#"{"name":"struct","configuration":{"fields":[{"name":"a","data_type":"string"}]}}"#,
            "configuration.fields[0]",
        ),
        (
            r#"{"name":"struct","configuration":{"fields":[["a","int8"],["a","int8"]]}}"#,
            "configuration.fields[1]",
        ),
    ] {
        let error = v3_type(text).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Format, "{text}");
        assert_eq!(error.context().field.as_deref(), Some(field), "{text}");
    }
    assert_eq!(kind(v3_type("\"r12\"")), ErrorKind::Format);
    for name in ["int128", "complex256", "complex_int8", "rx", "float8_e9m9"] {
        let error = v3_type(&format!("{name:?}")).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unsupported);
        assert!(error.message().contains(name));
    }
}

#[test]
fn sizes_are_bounded() {
    let huge = r#"{"name":"raw_bytes","configuration":{"length_bytes":18446744073709551615}}"#;
    assert_eq!(kind(v3_type(huge)), ErrorKind::Limit);
    assert_eq!(kind(v3_type("\"r18446744073709551608\"")), ErrorKind::Limit);
    assert_eq!(kind(v2_type(r#"[["a","<f8",[4294967296,4294967296]]]"#)), ErrorKind::Limit);
    assert_eq!(kind(v2_type(r#"[["a","<f8",[4294967296,4294967297,9]]]"#)), ErrorKind::Limit);
    // Each struct of a very long array would have runs of its own.
    assert_eq!(kind(v2_type(r#"[["a",[["x","<i2"],["y","|u1"]],[1000000]]]"#)), ErrorKind::Limit);
    assert_eq!(v2_type(r#"[["a","<i2",[1000000]]]"#).unwrap().0.runs().len(), 1);
}

#[test]
fn narrow_floats_are_those_of_ml_dtypes() {
    for (name, expected) in [
        ("float8_e3m4", [0.015625, 0.421875, 1.75]),
        ("float8_e4m3", [0.001_953_125, 0.085_937_5, 1.5]),
        ("float8_e4m3b11fnuz", [0.000_122_070_312_5, 0.005_371_093_75, 0.09375]),
        ("float8_e4m3fn", [0.001_953_125, 0.085_937_5, 1.5]),
        ("float8_e4m3fnuz", [0.000_976_562_5, 0.042_968_75, 0.75]),
        ("float8_e5m2", [0.000_015_258_789_062_5, 0.003_417_968_75, 1.0]),
        ("float8_e5m2fnuz", [0.000_007_629_394_531_25, 0.001_708_984_375, 0.5]),
        (
            "float8_e8m0fnu",
            [1.175_494_350_822_287_5e-38, 7.888_609_052_210_118e-31, 6.776_263_578_034_403e-21],
        ),
        ("float6_e2m3fn", [0.125, 5.5, -6.0]),
        ("float6_e3m2fn", [0.0625, 14.0, -16.0]),
    ] {
        let DataType::Float(float) = v3_type(&format!("{name:?}")).unwrap() else { panic!("{name}") };
        assert_eq!([0x01, 0x1b, 0x3c].map(|bits| float.to_f64(bits)), expected, "{name}");
        for (byte, value) in [0x01_u8, 0x1b, 0x3c].into_iter().zip(expected) {
            assert_eq!(v3(&format!("{name:?}"), &value.to_string()).unwrap(), [byte], "{name}");
        }
    }
    let expected = [0x3dcd_u16, 0x8001, 0x447a, 0x4049].map(|bits| bits.to_le_bytes().to_vec());
    assert_eq!(["0.1", "-1e-40", "1000", "3.14"].map(|text| v3("\"bfloat16\"", text).unwrap()), expected);
}

#[test]
fn narrow_floats_have_only_the_specials_of_their_format() {
    for (name, text, expected) in [
        ("bfloat16", "\"NaN\"", Some(vec![0xc0, 0x7f])),
        ("bfloat16", "\"-Infinity\"", Some(vec![0x80, 0xff])),
        ("float8_e5m2", "\"NaN\"", Some(vec![0x7e])),
        ("float8_e5m2", "\"Infinity\"", Some(vec![0x7c])),
        ("float8_e4m3fn", "\"NaN\"", Some(vec![0x7f])),
        ("float8_e4m3fn", "\"Infinity\"", None),
        ("float8_e4m3fnuz", "\"NaN\"", Some(vec![0x80])),
        ("float8_e8m0fnu", "\"NaN\"", Some(vec![0xff])),
        ("float8_e8m0fnu", "0", None),
        ("float8_e8m0fnu", "-1", None),
        ("float4_e2m1fn", "\"NaN\"", None),
        ("float4_e2m1fn", "\"Infinity\"", None),
        ("float4_e2m1fn", "1000", None),
        ("float4_e2m1fn", "\"0x0f\"", Some(vec![0x0f])),
        ("float4_e2m1fn", "\"0x1f\"", None),
    ] {
        assert_eq!(v3(&format!("{name:?}"), text).ok(), expected, "{name} {text}");
    }
    assert_eq!(v2("\"float4_e2m1fn\"", "\"Dg==\"").unwrap(), [0x0e]);
}

#[test]
fn narrow_integers_have_their_range() {
    for (name, least, most) in [("int2", -2, 1), ("int4", -8, 7), ("uint2", 0, 3), ("uint4", 0, 15)] {
        let name = format!("{name:?}");
        for value in [least, most] {
            assert_eq!(v3(&name, &value.to_string()).unwrap(), i8::try_from(value).unwrap().to_le_bytes());
            assert_eq!(rewritten(&name, &value.to_string()), value.to_string());
        }
        for value in [least - 1, most + 1] {
            assert_eq!(kind(v3(&name, &value.to_string())), ErrorKind::Format);
        }
    }
}

#[test]
fn complex_fills_are_pairs() {
    let packed = [1.5_f32.to_le_bytes(), f32::NEG_INFINITY.to_le_bytes()].concat();
    assert_eq!(v3("\"complex64\"", r#"[1.5,"-Infinity"]"#).unwrap(), packed);
    assert_eq!(rewritten("\"complex64\"", r#"[1.5,"-Infinity"]"#), r#"[1.5,"-Infinity"]"#);
    assert_eq!(rewritten("\"complex_float16\"", r#"["0x7e01",-0.0]"#), r#"["0x7e01",-0.0]"#);
    for text in ["1.5", "[1]", "[1,2,3]", "[1,true]", "{}", "\"NaN\""] {
        assert_eq!(kind(v3("\"complex128\"", text)), ErrorKind::Format, "{text}");
    }
    assert_eq!(v2("\">c16\"", "0").unwrap(), [0; 16]);
    assert_eq!(v2("\"<c8\"", "null").unwrap(), [0; 8]);
}

#[test]
fn fills_of_bytes_have_two_spellings() {
    for text in ["[1,0,255]", "\"AQD/\""] {
        assert_eq!(v3("\"r24\"", text).unwrap(), [1, 0, 255]);
        assert_eq!(rewritten("\"r24\"", text), "[1,0,255]");
    }
    for text in ["[1,0]", "[1,0,256]", "\"AQA=\"", "\"AQD\"", "7", "[1,0,-1]"] {
        assert_eq!(kind(v3("\"r24\"", text)), ErrorKind::Format, "{text}");
    }
    let padded = r#"{"name":"null_terminated_bytes","configuration":{"length_bytes":4}}"#;
    assert_eq!(v3(padded, "\"AP8=\"").unwrap(), [0, 255, 0, 0]);
    assert_eq!(rewritten(padded, "\"AP8AAA==\""), "\"AP8=\"");
    assert_eq!(rewritten(padded, "\"\""), "\"\"");
    assert_eq!(kind(v3(padded, "\"AAAAAAA=\"")), ErrorKind::Format);
    assert_eq!(v2("\"|S3\"", "0").unwrap(), [0; 3]);
    assert_eq!(v2("\"|V3\"", "\"AQD/\"").unwrap(), [1, 0, 255]);
    assert_eq!(v3("\"bytes\"", "\"AP8=\"").unwrap(), v3("\"bytes\"", "[0,255]").unwrap());
    assert_eq!(rewritten("\"bytes\"", "[0,255]"), "\"AP8=\"");
}

#[test]
fn fills_of_text() {
    let three = r#"{"name":"fixed_length_utf32","configuration":{"length_bytes":12}}"#;
    let packed = [u32::from('ü'), u32::from('😀'), 0].map(u32::to_le_bytes).concat();
    assert_eq!(v3(three, "\"ü😀\"").unwrap(), packed);
    assert_eq!(rewritten(three, "\"\\u00fc\\ud83d\\ude00\\u0000\""), "\"ü😀\"");
    assert_eq!(kind(v3(three, "\"four\"")), ErrorKind::Format);
    assert_eq!(kind(v3(three, "3")), ErrorKind::Format);
    assert_eq!(v2("\">U3\"", "\"ü😀\"").unwrap(), packed);
    assert_eq!(v2("\"<U3\"", "0").unwrap(), [0; 12]);
    let not_utf32 = FillValue(vec![0xff; 12]).to_json_v3(&v3_type(three).unwrap());
    assert_eq!(kind(not_utf32), ErrorKind::Argument);
    assert_eq!(rewritten("\"string\"", "\"a\\u0000\\\"\""), "\"a\\u0000\\\"\"");
    assert_eq!(kind(v3("\"string\"", "0")), ErrorKind::Format);
}

#[test]
fn fills_of_times() {
    let time = r#"{"name":"numpy.datetime64","configuration":{"unit":"ns","scale_factor":1}}"#;
    for (text, value) in [
        ("\"NaT\"", i64::MIN),
        ("-9223372036854775808", i64::MIN),
        ("9223372036854775807", i64::MAX),
        ("-5", -5),
    ] {
        assert_eq!(v3(time, text).unwrap(), value.to_le_bytes(), "{text}");
    }
    assert_eq!([rewritten(time, "-9223372036854775808"), rewritten(time, "-5")], ["\"NaT\"", "-5"]);
    for text in ["9223372036854775808", "1.0", "\"nat\"", "null"] {
        assert_eq!(kind(v3(time, text)), ErrorKind::Format, "{text}");
    }
    assert_eq!(v2("\">M8[s]\"", "0.0").unwrap(), [0; 8]);
    assert_eq!(v2("\"<m8[D]\"", "\"NaT\"").unwrap(), i64::MIN.to_le_bytes());
}

#[test]
fn structs_are_packed_field_after_field() {
    let fields = r#"[["a",">i2"],["b","<f4"],["c","|S3"],["d",">u2",[2]]]"#;
    let (data_type, endian) = v2_type(fields).unwrap();
    let DataType::Struct(structure) = &data_type else { panic!("{data_type:?}") };
    let offsets: Vec<_> =
        structure.fields().iter().map(|field| (field.name.as_str(), field.offset)).collect();
    assert_eq!(offsets, [("a", 0), ("b", 2), ("c", 6), ("d", 9)]);
    assert_eq!((data_type.size(), endian), (Some(13), None));
    let runs = |runs: Vec<Run>| runs.iter().map(|run| (run.offset, run.width, run.count)).collect::<Vec<_>>();
    assert_eq!(runs(data_type.swap_runs()), [(0, 2, 1), (2, 4, 1), (9, 2, 2)]);
    assert_eq!(runs(data_type.own_big_endian_runs().unwrap()), [(0, 2, 1), (9, 2, 2)]);
    // `np.array([(1, 2.5, b"ab", [1, 2])], …).tobytes()`
    let expected = [&[1, 0], 2.5_f32.to_le_bytes().as_slice(), b"ab\0", &[1, 0, 2, 0]].concat();
    assert_eq!(v2(fields, "\"AAEAACBAYWIAAAEAAg==\"").unwrap(), expected);
    assert_eq!(kind(v2(fields, "\"AAEAACBAYWIAAAEA\"")), ErrorKind::Format);
    assert_eq!(v2(fields, "null").unwrap(), [0; 13]);
    // v3 has no arrays as fields.
    assert_eq!(kind(data_type.to_json_v3()), ErrorKind::Unsupported);
}

#[test]
fn no_field_of_a_struct_is_a_date_that_nobody_wrote() {
    let nat = i64::MIN.to_le_bytes();
    let fields = r#"[["a",">i2"],["t",">M8[s]",[2]],["s",[["d","<m8[ns]"],["b","|u1"]]]]"#;
    assert_eq!(v2(fields, "null").unwrap(), [&[0, 0], nat.as_slice(), &nat, &nat, &[0]].concat());
    // zarr-python 2 writes 0 for a fill value of zeros.
    assert_eq!(v2(fields, "0").unwrap(), [0; 27]);
}

#[test]
fn raw_bytes_have_the_fill_value_of_the_library_that_knows_their_name() {
    let named = r#"{"name":"raw_bytes","configuration":{"length_bytes":3}}"#;
    assert_eq!(rewritten(named, "[1,2,0]"), "\"AQIA\"");
    assert_eq!(rewritten("\"r24\"", "\"AQIA\""), "[1,2,0]");
    assert_eq!(v3_type(named).unwrap(), v3_type("\"r24\"").unwrap());
    assert_ne!(v3_type(named).unwrap(), v3_type("\"r16\"").unwrap());
}

#[test]
fn structs_of_one_byte_order_are_like_those_of_v3() {
    for (fields, expected) in [
        (r#"[["a","<i2"],["b","|u1"]]"#, Endian::Little),
        (r#"[["a",">i2"],["b","|u1"]]"#, Endian::Big),
        (r#"[["a","|u1"],["b","|u1"]]"#, Endian::Little),
    ] {
        let (data_type, endian) = v2_type(fields).unwrap();
        assert_eq!(endian, Some(expected));
        assert_eq!(v3_type(&data_type.to_json_v3().unwrap()).unwrap(), data_type);
    }
    // The padding of NumPy's structs has no name in the metadata. NumPy names it when it reads
    // them.
    let (data_type, _) = v2_type(r#"[["a","|u1"],["","|V3"],["b","<i4"]]"#).unwrap();
    let DataType::Struct(structure) = &data_type else { panic!("{data_type:?}") };
    assert_eq!(structure.fields()[1].name, "f1");
    for fields in
        ["[]", r#"[["a"]]"#, r#"["a","<i2"]"#, r#"[["a","<i2"],["a","<i2"]]"#, r#"[["a","<i2",[0]]]"#]
    {
        assert_eq!(kind(v2_type(fields)), ErrorKind::Format, "{fields}");
    }
    assert_eq!(kind(v2_type(r#"[["a","|O"]]"#)), ErrorKind::Unsupported);
}

#[test]
fn fills_of_structs_name_every_field() {
    let inner = r#"{"name":"struct","configuration":{"fields":[{"name":"x","data_type":"float32"}]}}"#;
    let text = format!(
        r#"{{"name":"struct","configuration":{{"fields":[{{"name":"p","data_type":{inner}}},{{"name":"n","data_type":"uint8"}}]}}}}"#
    );
    let packed = [1_f32.to_le_bytes().as_slice(), &[7]].concat();
    assert_eq!(v3(&text, r#"{"n":7,"p":{"x":1.0}}"#).unwrap(), packed);
    assert_eq!(rewritten(&text, r#"{"n":7,"p":{"x":1}}"#), r#"{"p":{"x":1.0},"n":7}"#);
    for (fill, field) in [
        (r#"{"n":7}"#, "p"),
        (r#"{"n":7,"p":{}}"#, "p.x"),
        (r#"{"n":700,"p":{"x":1}}"#, "n"),
        (r#"{"n":7,"p":{"x":1},"q":1}"#, "q"),
    ] {
        let error = v3(&text, fill).unwrap_err();
        assert_eq!(
            (error.kind(), error.context().field.as_deref()),
            (ErrorKind::Format, Some(field)),
            "{fill}"
        );
    }
    // Legacy structs: base64 in the byte order of the elements.
    let document = Document::parse(b"\"P4AAAAc=\"").unwrap();
    let data_type = v3_type(&text).unwrap();
    let fill = FillValue::parse_packed(&data_type, Endian::Big, document.root()).unwrap();
    assert_eq!(fill.0, packed);
}

#[test]
fn fills_of_optional_elements() {
    let text = r#"{"name":"optional","configuration":{"name":"optional","configuration":{"name":"uint8"}}}"#;
    for (fill, packed) in [("null", [0, 0, 0]), ("[null]", [1, 0, 0]), ("[[42]]", [1, 1, 42])] {
        assert_eq!(v3(text, fill).unwrap(), packed);
        assert_eq!(rewritten(text, fill), fill);
    }
    assert_eq!(FillValue::zero(&v3_type(text).unwrap()).0, [0; 3]);
    let string = r#"{"name":"optional","configuration":{"name":"string"}}"#;
    assert_eq!(v3(string, "[\"a\"]").unwrap(), b"\x01a");
    assert_eq!(v3(string, "null").unwrap(), [0]);
    for fill in ["42", "[]", "[1,2]"] {
        assert_eq!(kind(v3(text, fill)), ErrorKind::Format, "{fill}");
    }
}

#[test]
fn descriptions_have_what_views_need() {
    let described = |data_type: &DataType| {
        serde_json::from_str::<serde_json::Value>(&description::Description::of(data_type).to_json()).unwrap()
    };
    let (data_type, _) = v2_type(r#"[["a",">i2"],["z","<c8",[2,3]],["t","<U2"]]"#).unwrap();
    assert_eq!(
        described(&data_type),
        serde_json::json!({
            "name": "struct", "kind": "struct", "size": 58,
            "fields": [
                { "name": "a", "offset": 0, "shape": [],
                  "type": { "name": "int16", "kind": "integer", "size": 2, "view": "Int16Array" } },
                { "name": "z", "offset": 2, "shape": [2, 3],
                  "type": { "name": "complex64", "kind": "complex", "size": 8, "components": 2, "view": "Float32Array" } },
                { "name": "t", "offset": 50, "shape": [],
                  "type": { "name": "fixed_length_utf32", "kind": "utf32", "size": 8, "components": 2, "view": "Uint32Array" } },
            ],
        })
    );
    let (time, _) = v2_type("\"<M8[25s]\"").unwrap();
    let expected = serde_json::json!({
        "name": "numpy.datetime64", "kind": "datetime", "size": 8, "view": "BigInt64Array", "unit": "s", "scaleFactor": 25,
    });
    assert_eq!(described(&time), expected);
    let ragged = DataType::VariableArray(Box::new(DataType::Float(Float::Bfloat16)));
    let inner = serde_json::json!({
        "name": "bfloat16", "kind": "float", "size": 2, "view": "Uint16Array", "widens": true,
    });
    let expected =
        serde_json::json!({ "name": "variable_length_array", "kind": "variable-array", "inner": inner });
    assert_eq!(described(&ragged), expected);
}

#[test]
fn floats_without_a_typed_array_are_widened() {
    let widened =
        |name: &str, bytes: &[u8]| widen::widen(&v3_type(&format!("{name:?}")).unwrap(), bytes).unwrap();
    // Bytes of ml_dtypes: 1.0, a NaN with a payload, NaN.
    let (data_type, wide) = widened("bfloat16", &[0x80, 0x3f, 0x81, 0xff, 0xc0, 0x7f]).unwrap();
    assert_eq!(data_type.name(), "float32");
    let bits: Vec<u32> = wide.chunks(4).map(|word| u32::from_le_bytes(word.try_into().unwrap())).collect();
    assert_eq!((bits[0], bits[2]), (1_065_353_216, 2_143_289_344));
    assert!(f32::from_bits(bits[1]).is_nan());
    let (data_type, wide) = widened("complex_float4_e2m1fn", &[0x01, 0x0c]).unwrap();
    assert_eq!(data_type.name(), "complex64");
    assert_eq!(wide, [0.5_f32.to_le_bytes(), (-2_f32).to_le_bytes()].concat());
    let (_, wide) = widened("float16", &[0x00, 0x3c]).unwrap();
    assert_eq!(wide, 1_f32.to_le_bytes());
    for name in ["float32", "float64", "complex64", "int8", "string"] {
        assert_eq!(widened(name, &[0; 16]), None, "{name}");
    }
}
