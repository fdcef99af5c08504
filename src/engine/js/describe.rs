//! Describes nodes, data types and codecs.

use js_sys::Float32Array;
use wasm_bindgen::prelude::*;
use zarr_wasm_contract::{
    ArraySummary, Build, Bytes, CodecSummary, CodecText, Dialect, FallbackSummary, FormatVersion,
    LargeDocument, NodeSummary, StorageTransformerSummary, UserArray,
};

use super::call::Call;
use super::error::Exported;
use super::{bytes, user_codecs};
use crate::access::binding::Binding;
use crate::error::{Error, Result};
use crate::format::chunk_grid::{ChunkGrid, GridDimension};
use crate::format::codec::standalone::StandaloneCodec;
use crate::format::data_type::description::Description;
use crate::format::data_type::{DataType, Float, widen};
use crate::format::metadata::document::NodeDocument;
use crate::format::metadata::{
    ArrayMetadata, CodecMetadata, Draft, NodeMetadata, StorageTransformerMetadata, ZarrFormat,
};
use crate::hierarchy::open::{self as hierarchy, LeftAttributes, OpenedNode};
use crate::quoted::quoted;

/// The summary of an open node.
///
/// # Errors
/// None that an open node can cause.
pub fn summary(node: &OpenedNode, call: &Call) -> Result<NodeSummary> {
    let (attributes, warnings, array) = match &node.metadata {
        NodeMetadata::Array(array) => {
            let binding = Binding::of((**array).clone())?;
            (&array.attributes, &array.warnings, Some(array_summary(&binding, &node.document)?))
        }
        NodeMetadata::Group(group) => (&group.attributes, &group.warnings, None),
    };
    Ok(NodeSummary {
        kind: node.metadata.kind(),
        path: format!("/{}", node.path),
        format: FormatVersion(node.document.format.version()),
        dialect: dialect(node.document.format),
        document: node.document.to_json(),
        large: node.large.as_ref().map(|large| large_document(large, call)).transpose()?,
        attributes: attributes.clone(),
        warnings: warnings.clone(),
        array,
    })
}

fn dialect(format: ZarrFormat) -> Dialect {
    match format {
        ZarrFormat::V2 => Dialect::V2,
        ZarrFormat::V3 => Dialect::V3,
        ZarrFormat::Draft(Draft::October2020) => Dialect::Draft2020,
        ZarrFormat::Draft(Draft::May2022) => Dialect::Draft2022,
    }
}

/// A document that crosses as bytes, because its text is rarely needed.
fn large_document(large: &hierarchy::LargeDocument, call: &Call) -> Result<LargeDocument> {
    let bytes = call.hold_bytes(&bytes::to_js_whole(&large.bytes)?);
    let suffix = large.suffix.to_owned();
    let Some(LeftAttributes { range, marks }) = &large.attributes else {
        return Ok(LargeDocument { suffix, bytes, attributes: None, places: None });
    };
    // A document has less than 2^32 bytes.
    #[allow(clippy::cast_possible_truncation)]
    let bound = |at: usize| at as u32;
    let mut bounds = vec![bound(range.start)];
    for token in &marks.tokens {
        bounds.extend([bound(range.start + token.start), bound(range.start + token.end)]);
    }
    bounds.push(bound(range.end));
    Ok(LargeDocument { suffix, bytes, attributes: Some(bounds), places: Some(marks.places.clone()) })
}

/// See `describe_array` of the contract.
pub async fn describe_array(array: UserArray, _: Call) -> Result<ArraySummary> {
    let document = NodeDocument::from_json(&array.document)?;
    let binding = Binding::with_users(&document, user_codecs::users_of(&array.codecs)?)?;
    array_summary(&binding, &document)
}

fn array_summary(binding: &Binding, document: &NodeDocument) -> Result<ArraySummary> {
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
    let is_sharded = chunks != outer || is_sharded(metadata);
    Ok(ArraySummary {
        shape: metadata.shape.to_vec(),
        chunks: chunks.to_vec(),
        shards: is_sharded.then(|| outer.to_vec()),
        grid: uneven_grid(&metadata.chunk_grid),
        dtype: metadata.data_type.zarrita_name(document.format).into(),
        data_type: type_description(&metadata.data_type),
        fill_value: (!metadata.fill_is_null).then(|| Bytes(metadata.fill_value.0.clone())),
        dimension_names: metadata.dimension_names.clone(),
        order: order.into_iter().map(dimension).collect(),
        codecs: codecs(binding.declared()),
        storage_transformers: storage_transformers(binding.declared()),
        build: build_of(binding),
        fallback: metadata.fallback.as_ref().map(|fallback| FallbackSummary {
            extension: fallback.extension.clone(),
            data_type: fallback.data_type.clone(),
            used: fallback.used.clone(),
        }),
    })
}

/// The smallest build that decodes an array. Reading it reports errors of its codecs.
pub fn build_of(binding: &Binding) -> Build {
    binding.module().ok().and_then(|build| Build::of_name(build.name())).unwrap_or(Build::Engine)
}

/// Axes are few.
#[allow(clippy::cast_possible_truncation)]
fn dimension(axis: usize) -> u32 {
    axis as u32
}

/// For each dimension, length and number of each run of equal chunks, or one infinite run. `None`
/// for a regular grid.
#[allow(clippy::cast_precision_loss)]
fn uneven_grid(grid: &ChunkGrid) -> Option<Vec<Vec<(u64, f64)>>> {
    if grid.is_uniform() {
        return None;
    }
    let runs = |dimension: &GridDimension| match dimension {
        GridDimension::Regular(len) => vec![(*len, f64::INFINITY)],
        GridDimension::Varying(varying) => varying.pairs().map(|(len, count)| (len, count as f64)).collect(),
    };
    Some(grid.dimensions.iter().map(runs).collect())
}

/// JSON text of a `TypeDescription` of `data_type.ts`.
pub fn type_description(data_type: &DataType) -> String {
    Description::of(data_type).to_json()
}

/// See `describe_codec` of the contract.
pub async fn describe_codec(CodecText { text }: CodecText, _: Call) -> Result<String> {
    Ok(StandaloneCodec::from_json(&text)?.to_json())
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

fn codecs(metadata: &ArrayMetadata) -> Vec<CodecSummary> {
    let described = |codec: &CodecMetadata| CodecSummary {
        name: codec.name.clone(),
        configuration: codec.configuration.clone(),
    };
    metadata.codecs.iter().map(described).collect()
}

fn storage_transformers(metadata: &ArrayMetadata) -> Vec<StorageTransformerSummary> {
    let described = |transformer: &StorageTransformerMetadata| StorageTransformerSummary {
        extension: transformer.extension.clone(),
        r#type: transformer.kind.clone(),
        configuration: transformer.configuration.clone(),
    };
    metadata.storage_transformers.iter().map(described).collect()
}

fn is_sharded(metadata: &ArrayMetadata) -> bool {
    metadata.codecs.iter().any(|codec| codec.name == "sharding_indexed")
}
