//! The vectors of `tests/fixtures/codec-vectors/`, read.

use std::fs;
use std::path::{Path, PathBuf};

use ::base64::Engine as _;
use serde_json::Value as Json;
use zarr_wasm::builds::Build;
use zarr_wasm::format::codec::array_bytes::VariableBytes;
use zarr_wasm::format::codec::{ArrayBytes, ChunkRepresentation, registry};
use zarr_wasm::format::data_type::{DataType, FillValue, name};
use zarr_wasm::format::json::Document;
use zarr_wasm::format::metadata::extension::Extension;
use zarr_wasm::format::metadata::{CodecMetadata, ZarrFormat};

pub struct Vector {
    pub name: String,
    pub codec: CodecMetadata,
    pub representation: ChunkRepresentation,
    pub encoded: Vec<u8>,
    pub decoded: ArrayBytes,
    /// What was encoded, where a codec is lossy.
    pub original: Option<ArrayBytes>,
    /// How far samples of a lossy image may be from those that another decoder gives.
    pub tolerance: f64,
}

impl Vector {
    /// Whether the codec can decode but not encode: those of images and of GRIB messages.
    pub fn is_read_only(&self) -> bool {
        let module = registry::builds_of(&self.codec.name, self.codec.format).unwrap().first();
        [Build::Images, Build::Grib].contains(&module)
    }

    /// Whether these are the elements, or near enough where the format leaves decoders a choice.
    pub fn is_like(&self, decoded: &ArrayBytes) -> bool {
        *decoded == self.decoded || self.tolerance > 0.0 && self.distance(decoded) <= self.tolerance
    }

    /// The largest difference between two elements.
    pub fn distance(&self, decoded: &ArrayBytes) -> f64 {
        let (was, is) = (self.decoded.fixed().unwrap(), decoded.fixed().unwrap());
        let size = self.representation.data_type.size().unwrap();
        let number = |bytes: &[u8]| match (&self.representation.data_type, bytes) {
            (DataType::Float(_), [a, b, c, d]) => f64::from(f32::from_le_bytes([*a, *b, *c, *d])),
            (DataType::Float(_), bytes) => f64::from_le_bytes(bytes.try_into().unwrap()),
            (_, [byte]) => f64::from(*byte),
            (_, [low, high]) => f64::from(u16::from_le_bytes([*low, *high])),
            _ => f64::NAN,
        };
        assert_eq!(was.len(), is.len(), "{}", self.name);
        let pairs = was.chunks(size).zip(is.chunks(size));
        pairs.map(|(was, is)| (number(was) - number(is)).abs()).fold(0.0, f64::max)
    }

    /// What a codec of bytes decodes to.
    pub fn bytes(&self) -> &[u8] {
        self.decoded.fixed().unwrap()
    }
}

fn root() -> PathBuf {
    Path::new(env!("PROJECT_FOLDER")).join("tests/fixtures/codec-vectors")
}

pub fn vectors() -> Vec<Vector> {
    let mut lists: Vec<PathBuf> =
        fs::read_dir(root()).unwrap().map(|entry| entry.unwrap().path().join("vectors.json")).collect();
    lists.retain(|list| list.exists());
    assert!(!lists.is_empty(), "{} has no vectors", root().display());
    lists.sort();
    let read = |list: &PathBuf| -> Vec<Vector> {
        let vectors: Vec<Json> = serde_json::from_str(&fs::read_to_string(list).unwrap()).unwrap();
        vectors.iter().map(|vector| read_vector(list.parent().unwrap(), vector)).collect()
    };
    lists.iter().flat_map(read).collect()
}

fn read_vector(folder: &Path, vector: &Json) -> Vector {
    let text = |field: &str| vector[field].as_str().unwrap();
    let encoded = match vector["encoded_base64"].as_str() {
        Some(encoded) => base64(encoded),
        None => fs::read(folder.join(text("encoded"))).unwrap(),
    };
    let name = vector["name"].as_str().unwrap_or_else(|| text("encoded"));
    let data_type = data_type(&vector["data_type"]);
    Vector {
        name: format!("{}/{name}", folder.file_name().unwrap().to_string_lossy()),
        codec: codec(&vector["codec"], vector["zarr_format"] == 2),
        representation: ChunkRepresentation {
            shape: serde_json::from_value(vector["shape"].clone()).unwrap(),
            fill_value: fill_value(&vector["fill_value"], &data_type),
            data_type,
        },
        encoded,
        decoded: read_elements(vector),
        tolerance: vector["tolerance"].as_f64().unwrap_or(0.0),
        original: vector["original_base64"].as_str().map(|original| ArrayBytes::Fixed(base64(original))),
    }
}

fn read_elements(vector: &Json) -> ArrayBytes {
    if let Some(elements) = vector["input_base64"].as_str() {
        return ArrayBytes::Fixed(base64(elements));
    }
    if let Some(elements) = vector["input_elements_base64"].as_array() {
        let mut variable = VariableBytes::new();
        elements.iter().for_each(|element| variable.push(&base64(element.as_str().unwrap())).unwrap());
        return ArrayBytes::Variable(variable);
    }
    let input = fs::read(root().join("inputs").join(vector["input"].as_str().unwrap())).unwrap();
    ArrayBytes::Fixed(input.repeat(usize::try_from(vector["repeat"].as_u64().unwrap()).unwrap()))
}

fn base64(text: &str) -> Vec<u8> {
    ::base64::engine::general_purpose::STANDARD.decode(text).unwrap()
}

/// As v3 metadata has it, or what v2 has beyond: `json`, and `array of …`.
fn data_type(json: &Json) -> DataType {
    let text = json.as_str().unwrap_or_default();
    match text.strip_prefix("array of ") {
        Some(inner) => return DataType::VariableArray(Box::new(data_type(&inner.into()))),
        None if text == "json" => return DataType::Json,
        None => {}
    }
    let text = json.to_string();
    let document = Document::parse(text.as_bytes()).unwrap();
    name::parse(&Extension::parse(document.root()).unwrap()).unwrap()
}

/// As v3 metadata has it; zero where there is none.
fn fill_value(json: &Json, data_type: &DataType) -> FillValue {
    if json.is_null() {
        return FillValue::zero(data_type);
    }
    let text = json.to_string();
    FillValue::parse_v3(data_type, Document::parse(text.as_bytes()).unwrap().root()).unwrap()
}

pub fn codec(json: &Json, is_v2: bool) -> CodecMetadata {
    let (name, configuration, format) = match is_v2 {
        true => (&json["id"], json, ZarrFormat::V2),
        false => (&json["name"], &json["configuration"], ZarrFormat::V3),
    };
    let configuration = Some(configuration).filter(|json| json.is_object()).map(Json::to_string);
    CodecMetadata { name: name.as_str().unwrap().into(), configuration, format, field: "compressor".into() }
}
