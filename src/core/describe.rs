//! Summaries of nodes, data types and codecs, as hosts get them: records of the contract. They say
//! what the metadata say; nothing is decided here.

use zarr_wasm_contract::{
    ArraySummary, Build, Bytes, CodecSummary, FallbackSummary, FloatTable, FormatVersion, JsonText,
    NodeSummary, StorageTransformerSummary,
};

use crate::access::binding::Binding;
use crate::error::Result;
use crate::format::chunk_grid::{ChunkGrid, GridDimension};
use crate::format::data_type::description::Description;
use crate::format::data_type::{DataType, Float, widen};
use crate::format::metadata::document::NodeDocument;
use crate::format::metadata::lossless::{json_text, json_text_of};
use crate::format::metadata::{ArrayMetadata, CodecMetadata, NodeMetadata, StorageTransformerMetadata};

/// The summary of a node at an absolute path, all of whose documents are texts.
///
/// # Errors
/// `Unsupported` for an array that needs a larger build.
pub fn node(path: &str, metadata: &NodeMetadata, document: &NodeDocument) -> Result<NodeSummary> {
    let (attributes, warnings, array) = match metadata {
        NodeMetadata::Array(array) => {
            let binding = Binding::of((**array).clone())?;
            (&array.attributes, &array.warnings, Some(self::array(&binding, document)?))
        }
        NodeMetadata::Group(group) => (&group.attributes, &group.warnings, None),
    };
    Ok(NodeSummary {
        kind: metadata.kind(),
        path: path.to_owned(),
        format: FormatVersion(document.format.version()),
        dialect: document.format.dialect(),
        document: document.to_json(),
        large: None,
        attributes: json_text(attributes)?,
        warnings: warnings.clone(),
        array,
    })
}

/// The summary of an array. Codecs that are unknown are left out: reading reports them.
///
/// # Errors
/// `Unsupported` for an array that needs a larger build.
pub fn array(binding: &Binding, document: &NodeDocument) -> Result<ArraySummary> {
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
        fill_json: fill_json(&metadata.data_type, &metadata.fill_value.0)?,
        float_tables: float_tables(&metadata.data_type)?,
        dimension_names: metadata.dimension_names.clone(),
        order: order.into_iter().map(dimension).collect(),
        codecs: codecs(binding.declared())?,
        storage_transformers: storage_transformers(binding.declared())?,
        build: build_of(binding),
        fallback: fallback(metadata)?,
    })
}

fn fallback(metadata: &ArrayMetadata) -> Result<Option<FallbackSummary>> {
    let Some(fallback) = &metadata.fallback else { return Ok(None) };
    let (extension, used) = (fallback.extension.clone(), fallback.used.clone());
    Ok(Some(FallbackSummary { extension, data_type: json_text(&fallback.data_type)?, used }))
}

/// A fill value that is JSON, if a plain reader may lose it.
fn fill_json(data_type: &DataType, fill: &[u8]) -> Result<Option<(String, JsonText)>> {
    match (data_type, fill) {
        (DataType::Optional(inner), [is_some, rest @ ..]) if *is_some != 0 => fill_json(inner, rest),
        (DataType::Json, _) => {
            let text = String::from_utf8_lossy(fill).into_owned();
            let json = json_text(&text)?;
            Ok(json.marks.is_some().then_some((text, json)))
        }
        _ => Ok(None),
    }
}

/// The smallest build that decodes an array. Reading it reports errors of its codecs.
pub fn build_of(binding: &Binding) -> Build {
    binding.build().unwrap_or(Build::Engine)
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

/// A data type, as JSON.
pub fn type_description(data_type: &DataType) -> String {
    Description::of(data_type).to_json()
}

/// The tables of the floats of one byte in a data type, each once.
pub fn float_tables(data_type: &DataType) -> Result<Vec<FloatTable>> {
    let mut tables = Vec::new();
    add_float_tables(data_type, &mut tables)?;
    Ok(tables)
}

fn add_float_tables(data_type: &DataType, tables: &mut Vec<FloatTable>) -> Result<()> {
    match data_type {
        DataType::Float(float) | DataType::Complex(float) if float.size() == 1 => {
            let name = float.name();
            if !tables.iter().any(|table| table.name == name) {
                tables.push(FloatTable { name: name.to_owned(), numbers: Bytes(numbers_of(*float)?) });
            }
        }
        DataType::Optional(inner) | DataType::VariableArray(inner) => add_float_tables(inner, tables)?,
        DataType::Struct(structure) => {
            for field in structure.fields() {
                add_float_tables(&field.data_type, tables)?;
            }
        }
        _ => {}
    }
    Ok(())
}

/// The numbers of all patterns of a float of one byte, as float32.
fn numbers_of(float: Float) -> Result<Vec<u8>> {
    let mut patterns = [0; 256];
    for (pattern, number) in patterns.iter_mut().zip(0..=u8::MAX) {
        *pattern = number;
    }
    Ok(widen::widen(&DataType::Float(float), &patterns)?.map_or_else(Vec::new, |(_, wide)| wide))
}

fn codecs(metadata: &ArrayMetadata) -> Result<Vec<CodecSummary>> {
    let mut codecs = Vec::new();
    for CodecMetadata { name, configuration, .. } in &metadata.codecs {
        let configuration = json_text_of(configuration.as_ref())?;
        codecs.push(CodecSummary { name: name.clone(), configuration });
    }
    Ok(codecs)
}

fn storage_transformers(metadata: &ArrayMetadata) -> Result<Vec<StorageTransformerSummary>> {
    let mut transformers = Vec::new();
    for StorageTransformerMetadata { extension, kind, configuration, .. } in &metadata.storage_transformers {
        transformers.push(StorageTransformerSummary {
            extension: extension.clone(),
            r#type: json_text(kind)?,
            configuration: json_text_of(configuration.as_ref())?,
        });
    }
    Ok(transformers)
}

fn is_sharded(metadata: &ArrayMetadata) -> bool {
    metadata.codecs.iter().any(|codec| codec.name == "sharding_indexed")
}
