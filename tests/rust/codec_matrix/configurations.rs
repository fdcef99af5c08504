//! For every codec the chain in which it is tried: a configuration that fits the type where one
//! can, the elements, and what a lossy codec may change.

use serde_json::{Value as Json, json};
use zarr_wasm::format::codec::ArrayBytes;
use zarr_wasm::format::codec::kind::CodecKind;
use zarr_wasm::format::codec::registry::CodecEntry;
use zarr_wasm::format::data_type::{DataType, FillValue, Float, Integer, TimeKind};

use super::elements::{Sample, to_f64};

type Allows = fn(&DataType, &ArrayBytes, &ArrayBytes) -> bool;

/// One cell's chain.
pub struct Trial {
    /// Name and configuration.
    pub codecs: Vec<(String, String)>,
    pub sample: Sample,
    /// What may differ, in words and as a check.
    pub bound: Option<(&'static str, Allows)>,
}

pub fn trial(entry: &CodecEntry, data_type: &DataType) -> Trial {
    let codec = (entry.name.to_owned(), configuration(entry.name, data_type).to_string());
    let codecs = match entry.kind {
        // Categories are small numbers, whatever the texts were.
        CodecKind::ArrayToArray if entry.name == "numcodecs.categorize" => {
            vec![codec, bytes_of(&DataType::Integer(Integer::Uint8))]
        }
        CodecKind::ArrayToArray => vec![codec, bytes_of(data_type)],
        CodecKind::ArrayToBytes => vec![codec],
        CodecKind::BytesToBytes => vec![bytes_of(data_type), codec],
    };
    Trial { codecs, sample: sample(entry.name, data_type), bound: bound(entry.name) }
}

/// The default codec from elements of a type to bytes.
fn bytes_of(data_type: &DataType) -> (String, String) {
    let (name, configuration) = match data_type {
        DataType::String => ("vlen-utf8", json!({})),
        DataType::Bytes => ("vlen-bytes", json!({})),
        DataType::VariableArray(inner) => ("vlen-array", json!({"dtype": dtype(inner)})),
        // The text of JSON comes back as it was only if the codec does not escape characters.
        DataType::Json => ("numcodecs.json2", json!({"ensure_ascii": false})),
        DataType::Optional(_) => ("zarrs.optional", optional()),
        _ => ("bytes", json!({"endian": "little"})),
    };
    (name.to_owned(), configuration.to_string())
}

fn optional() -> Json {
    json!({"mask_codecs": ["packbits"], "data_codecs": [{"name": "bytes", "configuration": {"endian": "big"}}]})
}

/// As NumPy spells the type; by its own name where NumPy has none.
fn dtype(data_type: &DataType) -> String {
    let kind = match data_type {
        DataType::Bool => "|b1".to_owned(),
        DataType::Integer(integer) if integer.bits() >= 8 => {
            let sign = if integer.is_signed() { 'i' } else { 'u' };
            format!("<{sign}{}", integer.size())
        }
        DataType::Float(float @ (Float::Float16 | Float::Float32 | Float::Float64)) => {
            format!("<f{}", float.size())
        }
        DataType::Complex(float @ (Float::Float32 | Float::Float64)) => format!("<c{}", 2 * float.size()),
        DataType::Time(time) if time.kind == TimeKind::Moment => "<M8[s]".to_owned(),
        DataType::Time(_) => "<m8[25ms]".to_owned(),
        DataType::NullTerminatedBytes(len) => format!("|S{len}"),
        DataType::Raw(raw) => format!("|V{}", raw.len),
        DataType::Utf32(len) => format!("<U{len}"),
        DataType::String | DataType::Bytes | DataType::VariableArray(_) | DataType::Json => "|O".to_owned(),
        _ => data_type.name().into_owned(),
    };
    kind.replace("<i1", "|i1").replace("<u1", "|u1")
}

/// A wider or another type to cast to.
fn other_type(data_type: &DataType) -> &'static str {
    match data_type {
        DataType::Float(Float::Float64) => "float32",
        _ => "float64",
    }
}

fn configuration(name: &str, data_type: &DataType) -> Json {
    let bytes = || {
        let (name, configuration) = bytes_of(data_type);
        json!({"name": name, "configuration": serde_json::from_str::<Json>(&configuration).unwrap()})
    };
    let dtype = || dtype(data_type);
    match name {
        "bytes" => json!({"endian": "big"}),
        "transpose" => json!({"order": [1, 0]}),
        "sharding_indexed" => json!({
            "chunk_shape": [1, 7], "codecs": [bytes()], "index_codecs": [{"name": "bytes", "configuration": {"endian": "little"}}, "crc32c"]
        }),
        "gzip" => json!({"level": 5}),
        "zstd" => json!({"level": 3, "checksum": true}),
        "blosc" => json!({
            "cname": "zstd", "clevel": 5, "shuffle": "shuffle", "typesize": data_type.size().unwrap_or(1).min(255), "blocksize": 0
        }),
        "numcodecs.delta" => json!({"dtype": dtype()}),
        "numcodecs.fixedscaleoffset" => json!({"offset": 0, "scale": 2, "dtype": dtype(), "astype": dtype()}),
        "numcodecs.quantize" => json!({"digits": 2, "dtype": dtype()}),
        "numcodecs.astype" => json!({"encode_dtype": "<f8", "decode_dtype": dtype()}),
        "numcodecs.categorize" => json!({"labels": ["a", "größe"], "dtype": dtype(), "astype": "|u1"}),
        "bitround" => json!({"keepbits": 5}),
        "scale_offset" => match FillValue::zero(data_type).to_json_v3(data_type) {
            Ok(zero) if to_f64(data_type, &[]).is_none() => {
                json!({"offset": serde_json::from_str::<Json>(&zero).unwrap()})
            }
            _ => json!({"offset": 0, "scale": 1}),
        },
        "cast_value" => json!({"data_type": other_type(data_type)}),
        "reshape" => json!({"shape": [[0, 1]]}),
        "vlen-array" => match data_type {
            DataType::VariableArray(inner) => json!({"dtype": self::dtype(inner)}),
            _ => json!({"dtype": dtype()}),
        },
        // A tolerance holds for floats alone; 5 is reversible.
        "numcodecs.zfpy" => match data_type {
            DataType::Integer(_) => json!({"mode": 5}),
            _ => json!({"mode": 4, "tolerance": 0.01}),
        },
        "zfp" => json!({"mode": "reversible"}),
        "n5_default" => json!({"codecs": [
            {"name": "transpose", "configuration": {"order": [1, 0]}}, {"name": "bytes", "configuration": {"endian": "big"}}
        ]}),
        "zarrs.optional" => optional(),
        // What optional elements are stored as has no one size.
        "numcodecs.shuffle" if matches!(data_type, DataType::Optional(_)) => json!({"elementsize": 1}),
        "numcodecs.shuffle" => json!({"elementsize": data_type.size().unwrap_or(1)}),
        "numcodecs.json2" => json!({"ensure_ascii": false}),
        "conditional" => json!({"codecs": [{"name": "gzip", "configuration": {"level": 1}}]}),
        "grib" => json!({"var": "t", "dtype": data_type.name()}),
        _ => json!({}),
    }
}

/// Codecs of numbers cannot store NaN and the infinities.
fn sample(name: &str, data_type: &DataType) -> Sample {
    let counts = matches!(data_type, DataType::Float(_) | DataType::Complex(_) | DataType::Struct(_));
    match name {
        "numcodecs.delta" if counts => Sample::Small,
        "numcodecs.astype" | "scale_offset" | "cast_value" | "numcodecs.fixedscaleoffset" => Sample::Small,
        "numcodecs.quantize" | "bitround" | "numcodecs.zfpy" => Sample::Sevenths,
        "zfp" => Sample::Small,
        _ => Sample::Edges,
    }
}

fn bound(name: &str) -> Option<(&'static str, Allows)> {
    match name {
        "numcodecs.quantize" => {
            Some(("to 2 decimal digits", |data_type, was, is| within(data_type, was, is, 0.005, 1e-2)))
        }
        "bitround" => Some(("to 5 bits of the fraction", |data_type, was, is| {
            within(data_type, was, is, 0.0, 1.0 / 64.0)
        })),
        "numcodecs.zfpy" => Some(("to 0.01", |data_type, was, is| within(data_type, was, is, 0.01, 0.0))),
        "numcodecs.categorize" => Some(("as its labels, nothing else", |_, was, is| labels_alone(was, is))),
        _ => None,
    }
}

/// Whether numbers are near enough, absolutely and by their own size.
fn within(data_type: &DataType, was: &ArrayBytes, is: &ArrayBytes, absolute: f64, relative: f64) -> bool {
    let (ArrayBytes::Fixed(was), ArrayBytes::Fixed(is)) = (was, is) else { return false };
    let size = data_type.size().unwrap_or(1);
    was.len() == is.len()
        && was.chunks(size).zip(is.chunks(size)).all(|(was, is)| {
            match (to_f64(data_type, was), to_f64(data_type, is)) {
                (Some(was), Some(is)) => (was - is).abs() <= absolute + was.abs() * relative,
                _ => false,
            }
        })
}

/// What is no label comes back empty.
fn labels_alone(was: &ArrayBytes, is: &ArrayBytes) -> bool {
    let (ArrayBytes::Variable(was), ArrayBytes::Variable(is)) = (was, is) else {
        // `größe` and `a` are the elements' first characters at most: none of three code points is
        // a label but `a`.
        let (ArrayBytes::Fixed(was), ArrayBytes::Fixed(is)) = (was, is) else { return false };
        let label = [[0x61, 0, 0, 0].as_slice(), &[0; 8]].concat();
        return was
            .chunks(12)
            .zip(is.chunks(12))
            .all(|(was, is)| is == if was == label { was } else { &[0; 12] });
    };
    was.len() == is.len()
        && (0..was.len()).all(|at| {
            let (was, is) = (was.get(at).unwrap(), is.get(at).unwrap());
            is == if [b"a".as_slice(), "größe".as_bytes()].contains(&was) { was } else { b"" }
        })
}
