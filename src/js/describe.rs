//! A node in the words of the TypeScript classes' getters: `NodeSummary` of `node_facts.ts`.

use js_sys::{Float32Array, Reflect};
use serde::{Serialize, Serializer};
use wasm_bindgen::prelude::*;

use super::error::report_to_js;
use super::json::to_js;
use super::{bytes, registry, user_codecs};
use crate::access::binding::Binding;
use crate::error::{Error, Result, Stage};
use crate::format::chunk_grid::{ChunkGrid, GridDimension};
use crate::format::codec::registry::Home;
use crate::format::data_type::description::Description;
use crate::format::data_type::{DataType, Float, widen};
use crate::format::metadata::document::NodeDocument;
use crate::format::metadata::json::Document;
use crate::format::metadata::{ArrayMetadata, NodeMetadata, StorageTransformerMetadata};
use crate::hierarchy::open::OpenedNode;

#[derive(Serialize)]
struct NodeSummary<'a> {
    kind: &'static str,
    path: String,
    format: u8,
    dialect: &'static str,
    document: String,
    attributes: &'a str,
    warnings: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    array: Option<ArraySummary>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ArraySummary {
    shape: Vec<u64>,
    chunks: Vec<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    shards: Option<Vec<u64>>,
    /// Of a grid whose chunks differ: for each dimension [length, count] of each run of chunks, or one run that never ends.
    #[serde(skip_serializing_if = "Option::is_none")]
    grid: Option<Vec<Vec<(u64, f64)>>>,
    dtype: String,
    /// JSON text: `TypeDescription` of `data_type.ts`.
    data_type: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    fill_value: Option<Packed>,
    #[serde(skip_serializing_if = "Option::is_none")]
    dimension_names: Option<Vec<Option<String>>>,
    order: Vec<u32>,
    codecs: Vec<CodecSummary>,
    storage_transformers: Vec<TransformerSummary>,
    home: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    fallback: Option<FallbackSummary>,
}

/// What is read instead of a data type that nobody here knows.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct FallbackSummary {
    extension: String,
    /// JSON text.
    data_type: String,
    used: String,
}

/// A codec as the metadata has it.
#[derive(Serialize)]
struct CodecSummary {
    name: String,
    /// JSON text.
    #[serde(skip_serializing_if = "Option::is_none")]
    configuration: Option<String>,
}

/// A storage transformer as a draft's metadata has it.
#[derive(Serialize)]
struct TransformerSummary {
    extension: String,
    /// JSON text.
    #[serde(rename = "type")]
    kind: String,
    /// JSON text.
    #[serde(skip_serializing_if = "Option::is_none")]
    configuration: Option<String>,
}

/// Bytes that become a `Uint8Array`.
struct Packed(Vec<u8>);

impl Serialize for Packed {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        serializer.serialize_bytes(&self.0)
    }
}

/// The summary of an opened node.
///
/// # Errors
/// None that a node that was opened can cause.
pub fn summary(node: &OpenedNode) -> Result<JsValue> {
    let (kind, attributes, warnings, array) = match &node.metadata {
        NodeMetadata::Array(array) => {
            ("array", &array.attributes, &array.warnings, Some(array_summary(array, &node.document)?))
        }
        NodeMetadata::Group(group) => ("group", &group.attributes, &group.warnings, None),
    };
    let summary = to_js(&NodeSummary {
        kind,
        path: format!("/{}", node.path),
        format: node.document.format.version(),
        dialect: node.document.format.name(),
        document: node.document.to_json(),
        attributes,
        warnings,
        array,
    })?;
    if let Some(value) = &node.large {
        // As it came: nobody may ever want it as text.
        let bytes = bytes::to_js(value, usize::MAX)?.bytes;
        // It is an object that was made just now.
        let _ = Reflect::set(&summary, &"large".into(), &bytes);
    }
    Ok(summary)
}

/// The part of a summary that codecs of the user's have a say in: an `ArraySummary`.
#[wasm_bindgen(js_name = describeArray)]
pub fn describe_array(document: &str, users: &str) -> std::result::Result<JsValue, JsValue> {
    let describe = || {
        let document = NodeDocument::from_json(document)?;
        let binding = Binding::with_users(&document, user_codecs::users_of(users)?)?;
        to_js(&summary_of(&binding, &document)?)
    };
    describe().map_err(|error: Error| report_to_js(&error))
}

fn array_summary(metadata: &ArrayMetadata, document: &NodeDocument) -> Result<ArraySummary> {
    summary_of(&Binding::of(metadata.clone())?, document)
}

fn summary_of(binding: &Binding, document: &NodeDocument) -> Result<ArraySummary> {
    let metadata = binding.metadata();
    let outer = binding.outer_shape();
    if let Err(error) = binding.first_chain()
        && error.context().stage == Some(Stage::Full)
    {
        return Err(error);
    }
    // An array whose codecs nobody knows is described as if it had none; reading it says what is missing.
    let chunks = binding.chunk_shape().unwrap_or_else(|_| outer.clone());
    let rank = u32::try_from(metadata.shape.len()).unwrap_or(u32::MAX);
    let order = match binding.native_order() {
        Ok(order) => order.into_iter().filter_map(|axis| u32::try_from(axis).ok()).collect(),
        Err(_) => (0..rank).collect(),
    };
    let fill_value = (!is_null_fill(document)).then(|| Packed(metadata.fill_value.0.clone()));
    Ok(ArraySummary {
        shape: metadata.shape.clone(),
        shards: (chunks != outer || is_sharded(metadata)).then_some(outer),
        chunks,
        grid: uneven_grid(&metadata.chunk_grid),
        dtype: metadata.data_type.zarrita_name(document.format).into_owned(),
        data_type: type_description(&metadata.data_type)?,
        fill_value,
        dimension_names: metadata.dimension_names.clone(),
        order,
        codecs: codecs(binding.declared()),
        storage_transformers: storage_transformers(binding.declared()),
        home: binding.home().map_or("engine", home_name),
        fallback: metadata.fallback.clone().map(|fallback| FallbackSummary {
            extension: fallback.extension,
            data_type: fallback.data_type,
            used: fallback.used,
        }),
    })
}

// More chunks than 2^53 are as many as there need be.
#[allow(clippy::cast_precision_loss)]
fn uneven_grid(grid: &ChunkGrid) -> Option<Vec<Vec<(u64, f64)>>> {
    let runs = grid.dimensions.iter().map(|dimension| match dimension {
        GridDimension::Regular(len) => vec![(*len, f64::INFINITY)],
        GridDimension::Varying(runs) => runs.pairs().map(|(len, count)| (len, count as f64)).collect(),
    });
    (!grid.is_uniform()).then(|| runs.collect())
}

fn type_description(data_type: &DataType) -> Result<String> {
    serde_json::to_string(&Description::of(data_type)).map_err(|error| Error::format(error.to_string()))
}

/// The description of the data type of an array that a caller's metadata object made: JSON text.
#[wasm_bindgen(js_name = describeType)]
pub fn describe_type(array: u32) -> std::result::Result<String, JsValue> {
    let described =
        registry::array(array).and_then(|array| type_description(&array.binding().metadata().data_type));
    described.map_err(|error| report_to_js(&error))
}

/// Which build of the engine decodes the chunks of such an array; an error of its codecs is for reading to tell.
#[wasm_bindgen(js_name = homeOf)]
pub fn home_of(array: u32) -> String {
    let home = registry::array(array).and_then(|array| array.binding().home());
    home.map_or("engine", home_name).to_owned()
}

/// What all 256 patterns of a float of eight bits or fewer mean.
#[wasm_bindgen(js_name = narrowFloats)]
pub fn narrow_floats(name: &str) -> std::result::Result<Float32Array, JsValue> {
    values_of_patterns(name).map_err(|error| report_to_js(&error))
}

fn values_of_patterns(name: &str) -> Result<Float32Array> {
    let unknown = || Error::argument(format!("{name:?} is no narrow float"));
    let float = Float::of_name(name).filter(|float| float.size() == 1).ok_or_else(unknown)?;
    let patterns: Vec<u8> = (0..=u8::MAX).collect();
    let (_, wide) = widen::widen(&DataType::Float(float), &patterns)?.ok_or_else(unknown)?;
    let values: Vec<f32> = wide
        .chunks_exact(4)
        .map(|value| f32::from_le_bytes([value[0], value[1], value[2], value[3]]))
        .collect();
    Ok(Float32Array::from(values.as_slice()))
}

fn codecs(metadata: &ArrayMetadata) -> Vec<CodecSummary> {
    let codecs = metadata.codecs.iter();
    codecs
        .map(|codec| CodecSummary { name: codec.name.clone(), configuration: codec.configuration.clone() })
        .collect()
}

fn storage_transformers(metadata: &ArrayMetadata) -> Vec<TransformerSummary> {
    let transformers = metadata.storage_transformers.iter().cloned();
    let summary = |it: StorageTransformerMetadata| TransformerSummary {
        extension: it.extension,
        kind: it.kind,
        configuration: it.configuration,
    };
    transformers.map(summary).collect()
}

fn is_sharded(metadata: &ArrayMetadata) -> bool {
    metadata.codecs.iter().any(|codec| codec.name == "sharding_indexed")
}

/// A null, which v2 has for "undefined" and some write into v3, reads as zero and is shown as null.
fn is_null_fill(document: &NodeDocument) -> bool {
    let is_null = |document: Document<'_>| {
        document.root().object().is_ok_and(|array| array.get("fill_value").is_none_or(|fill| fill.is_null()))
    };
    document.own_text().is_some_and(|(_, text)| Document::parse(text.as_bytes()).is_ok_and(is_null))
}

fn home_name(home: Home) -> &'static str {
    match home {
        Home::Engine => "engine",
        Home::Full => "full",
        Home::Images => "images",
    }
}
