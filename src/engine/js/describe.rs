//! Describes nodes for the TypeScript classes: `NodeSummary` of `node_facts.ts`.

use js_sys::{Array, BigInt, Float32Array, Uint32Array};
use wasm_bindgen::prelude::*;

use super::error::Exported;
use super::record::{Record, bigints, dimensions, list, texts};
use super::{bytes, registry, user_codecs};
use crate::access::binding::Binding;
use crate::builds::Build;
use crate::error::{Error, Result};
use crate::format::chunk_grid::{ChunkGrid, GridDimension};
use crate::format::codec::standalone::StandaloneCodec;
use crate::format::data_type::description::Description;
use crate::format::data_type::{DataType, Float, widen};
use crate::format::metadata::document::NodeDocument;
use crate::format::metadata::{ArrayMetadata, NodeMetadata};
use crate::hierarchy::open::{LargeDocument, LeftAttributes, OpenedNode};
use crate::quoted::quoted;

/// The summary of an open node.
///
/// # Errors
/// None that an open node can cause.
pub fn summary(node: &OpenedNode) -> Result<JsValue> {
    let (attributes, warnings, array) = match &node.metadata {
        NodeMetadata::Array(array) => {
            (&array.attributes, &array.warnings, Some(array_summary(array, &node.document)?))
        }
        NodeMetadata::Group(group) => (&group.attributes, &group.warnings, None),
    };
    let record = Record::new()
        .with_text("kind", node.metadata.kind().name())
        .with_text("path", &format!("/{}", node.path))
        .with_number("format", node.document.format.version().into())
        .with_text("dialect", node.document.format.name())
        .with_text("document", &node.document.to_json())
        .with_text("attributes", attributes)
        .with("warnings", &texts(warnings));
    let record = match array {
        Some(array) => record.with("array", &array),
        None => record,
    };
    Ok(match &node.large {
        Some(large) => record.with("large", &large_document(large)?).finish(),
        None => record.finish(),
    })
}

/// A `LargeDocument` of `node_summary.ts`. It crosses as bytes, because its text is rarely needed.
fn large_document(large: &LargeDocument) -> Result<JsValue> {
    let bytes: JsValue = bytes::to_js_whole(&large.bytes)?.into();
    let record = Record::new().with_text("suffix", large.suffix).with("bytes", &bytes);
    let Some(LeftAttributes { range, marks }) = &large.attributes else { return Ok(record.finish()) };
    // A document has less than 2^32 bytes.
    #[allow(clippy::cast_possible_truncation)]
    let bound = |at: usize| at as u32;
    let mut bounds = vec![bound(range.start)];
    for token in &marks.tokens {
        bounds.extend([bound(range.start + token.start), bound(range.start + token.end)]);
    }
    bounds.push(bound(range.end));
    let bounds: JsValue = Uint32Array::from(bounds.as_slice()).into();
    Ok(record.with("attributes", &bounds).with_text("places", &marks.places).finish())
}

/// The `ArraySummary` of an array with user-defined codecs.
#[wasm_bindgen(js_name = describeArray)]
pub fn describe_array(document: &str, users: &str) -> Exported<JsValue> {
    let document = NodeDocument::from_json(document)?;
    let binding = Binding::with_users(&document, user_codecs::users_of(users)?)?;
    Ok(summary_of(&binding, &document)?)
}

fn array_summary(metadata: &ArrayMetadata, document: &NodeDocument) -> Result<JsValue> {
    summary_of(&Binding::of(metadata.clone())?, document)
}

// Axes are few.
#[allow(clippy::cast_precision_loss)]
fn summary_of(binding: &Binding, document: &NodeDocument) -> Result<JsValue> {
    let metadata = binding.metadata();
    let outer = binding.outer_shape();
    if let Err(error) = binding.first_chain()
        && error.is_of_build()
    {
        return Err(error);
    }
    // An array with unknown codecs is described as if it had none. Reading it reports what is
    // missing.
    let chunks = binding.chunk_shape().unwrap_or_else(|_| outer.clone());
    let order = binding.native_order().unwrap_or_else(|_| (0..metadata.shape.len()).collect());
    let order = dimensions(&order);
    let mut record = Record::new().with("shape", &bigints(&metadata.shape)).with("chunks", &bigints(&chunks));
    if chunks != outer || is_sharded(metadata) {
        record = record.with("shards", &bigints(&outer));
    }
    if let Some(grid) = uneven_grid(&metadata.chunk_grid) {
        record = record.with("grid", &grid);
    }
    record = record
        .with_text("dtype", &metadata.data_type.zarrita_name(document.format))
        .with_text("dataType", &type_description(&metadata.data_type));
    if !metadata.fill_is_null {
        record = record.with_bytes("fillValue", &metadata.fill_value.0);
    }
    if let Some(names) = &metadata.dimension_names {
        let list = Array::new();
        for name in names {
            list.push(&name.as_deref().map_or(JsValue::NULL, JsValue::from_str));
        }
        record = record.with("dimensionNames", &list);
    }
    if let Some(fallback) = &metadata.fallback {
        let described = Record::new()
            .with_text("extension", &fallback.extension)
            .with_text("dataType", &fallback.data_type)
            .with_text("used", &fallback.used);
        record = record.with("fallback", &described.finish());
    }
    Ok(record
        .with("order", &order)
        .with("codecs", &codecs(binding.declared()))
        .with("storageTransformers", &storage_transformers(binding.declared()))
        .with_text("build", binding.module().map_or("engine", Build::name))
        .finish())
}

/// For each dimension, [length, count] of each run of equal chunks, or one infinite run. `None` for
/// a regular grid.
#[allow(clippy::cast_precision_loss)]
fn uneven_grid(grid: &ChunkGrid) -> Option<JsValue> {
    if grid.is_uniform() {
        return None;
    }
    let pair = |len: u64, count: f64| list(&[BigInt::from(len).into(), count.into()]);
    let dimensions = Array::new();
    for dimension in &grid.dimensions {
        let runs = Array::new();
        match dimension {
            GridDimension::Regular(len) => drop(runs.push(&pair(*len, f64::INFINITY))),
            GridDimension::Varying(varying) => {
                for (len, count) in varying.pairs() {
                    runs.push(&pair(len, count as f64));
                }
            }
        }
        dimensions.push(&runs);
    }
    Some(dimensions.into())
}

/// JSON text of a `TypeDescription` of `data_type.ts`.
pub fn type_description(data_type: &DataType) -> String {
    Description::of(data_type).to_json()
}

/// The description of the data type of an array that a user's metadata object made: JSON text.
#[wasm_bindgen(js_name = describeType)]
pub fn describe_type(array: u32) -> Exported<String> {
    Ok(type_description(&registry::array(array)?.binding().metadata().data_type))
}

/// The build of the engine that decodes the chunks of the array. Reading reports errors of its
/// codecs.
#[wasm_bindgen(js_name = decodeBuild)]
pub fn decode_build(array: u32) -> String {
    let module = registry::array(array).and_then(|array| array.binding().module());
    module.map_or("engine", Build::name).to_owned()
}

/// The description of a codec on its own: JSON text of a `CodecDescription`.
#[wasm_bindgen(js_name = describeCodec)]
pub fn describe_codec(description: &str) -> Exported<String> {
    Ok(StandaloneCodec::from_json(description)?.to_json())
}

/// The values of all 256 patterns of a float of at most eight bits.
#[wasm_bindgen(js_name = narrowFloats)]
pub fn narrow_floats(name: &str) -> Exported<Float32Array> {
    let unknown = || Error::argument(format!("{} is not the name of a narrow float", quoted(name)));
    let float = Float::of_name(name).filter(|float| float.size() == 1).ok_or_else(unknown)?;
    let mut patterns = [0; 256];
    for (pattern, number) in patterns.iter_mut().zip(0..=u8::MAX) {
        *pattern = number;
    }
    let (_, wide) = widen::widen(&DataType::Float(float), &patterns)?.ok_or_else(unknown)?;
    let mut values = [0.0; 256];
    for (value, bytes) in values.iter_mut().zip(wide.as_chunks::<4>().0) {
        *value = f32::from_le_bytes(*bytes);
    }
    Ok(Float32Array::from(values.as_slice()))
}

/// The codecs as in the metadata; configurations are JSON text.
fn codecs(metadata: &ArrayMetadata) -> JsValue {
    let codecs = Array::new();
    for codec in &metadata.codecs {
        let record = Record::new().with_text("name", &codec.name);
        codecs.push(&record.with_text_of("configuration", codec.configuration.as_deref()).finish());
    }
    codecs.into()
}

/// The storage transformers as in a draft's metadata; all members but the name are JSON text.
fn storage_transformers(metadata: &ArrayMetadata) -> JsValue {
    let transformers = Array::new();
    for transformer in &metadata.storage_transformers {
        let record = Record::new().with_text("extension", &transformer.extension);
        let record = record.with_text("type", &transformer.kind);
        let configuration = transformer.configuration.as_deref();
        transformers.push(&record.with_text_of("configuration", configuration).finish());
    }
    transformers.into()
}

fn is_sharded(metadata: &ArrayMetadata) -> bool {
    metadata.codecs.iter().any(|codec| codec.name == "sharding_indexed")
}
