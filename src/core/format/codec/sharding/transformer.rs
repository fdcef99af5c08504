//! The sharding storage transformer of the 2022 draft, read as a sharding codec. Both store the
//! same bytes under the same keys: inner chunks in any order and an index at the end,
//! little-endian, without a checksum.
//!
//! If the *first* transformers of an array (those nearest to it) are of this kind, the array is
//! read and written as a sharded array: it reads one index and merges byte ranges. Below other
//! transformers, and for stores of single chunks, the engine's `store::wrap::transform`
//! implements the transformer.

use super::bind;
use super::index::{IndexLocation, ShardIndexFormat};
use crate::error::{Error, Result};
use crate::format::chunk_grid::ChunkGrid;
use crate::format::data_type::Endian;
use crate::format::json::text::{ObjectText, list, string};
use crate::format::json::{Document, Json};
use crate::format::metadata::draft::uri::is_sharding;
use crate::format::metadata::{
    ArrayMetadata, CodecMetadata, Draft, StorageTransformerMetadata, ZarrFormat, codec,
};

/// The array as it is stored: the grid of shards and the sharding codec replace the first
/// transformers. The other transformers stay between the shards and the store. `None` when the
/// first transformer is not a sharding transformer.
///
/// # Errors
/// `Unsupported` for another binary format, `Format` that names the field for a configuration that
/// does not fit the array.
pub fn as_sharded(declared: &ArrayMetadata) -> Result<Option<ArrayMetadata>> {
    let transformers = declared.storage_transformers.iter();
    let count = transformers.take_while(|transformer| is_sharding(&transformer.extension)).count();
    if count == 0 {
        return Ok(None);
    }
    Error::check_full("shards of a draft")?;
    let mut stored = declared.clone();
    for transformer in stored.storage_transformers.drain(..count).collect::<Vec<_>>() {
        add_sharding(&mut stored, &transformer).map_err(|error| error.within_field(&transformer.field))?;
    }
    Ok(Some(stored))
}

fn add_sharding(stored: &mut ArrayMetadata, transformer: &StorageTransformerMetadata) -> Result<()> {
    let per_shard = chunks_per_shard(&transformer.kind, transformer.configuration.as_deref())?;
    let chunk_shape = stored.chunk_grid.first_chunk_shape();
    let shard_shape = shard_shape(&chunk_shape, &per_shard)?;
    stored.codecs = vec![codec(&chunk_shape, &stored.codecs, &transformer.field)];
    stored.chunk_grid = ChunkGrid::regular(&shard_shape, stored.shape.len())?;
    Ok(())
}

/// The number of chunks along each dimension of a shard, from the JSON texts of the transformer's
/// `type` and `configuration`.
///
/// # Errors
/// `Unsupported` for a binary format other than `indexed` and for unknown members, `Format` that
/// names the field.
pub fn chunks_per_shard(kind: &str, configuration: Option<&str>) -> Result<Vec<u64>> {
    let document = Document::parse(kind.as_bytes())?;
    if document.root().str().ok().as_deref() != Some("indexed") {
        let message = format!("the binary format of shards {kind} is not supported");
        return Err(Error::unsupported(message).in_field("type").expected("\"indexed\""));
    }
    let document = Document::parse(configuration.unwrap_or("{}").as_bytes())?;
    let read = || {
        let members = document.root().object()?;
        let chunks_per_shard = members.require("chunks_per_shard", Json::u64_list)?;
        match members.iter().find(|(name, _)| name != "chunks_per_shard") {
            None => Ok(chunks_per_shard),
            Some((name, _)) => {
                Err(Error::unsupported("the configuration of shards has an unknown field").in_field(&**name))
            }
        }
    };
    read().map_err(|error: Error| error.within_field("configuration"))
}

/// The shape of a shard, in elements.
///
/// # Errors
/// `Format` when the numbers do not fit the array, `Limit` for shards with more than 2^64 elements
/// along a dimension.
fn shard_shape(chunk_shape: &[u64], chunks_per_shard: &[u64]) -> Result<Vec<u64>> {
    if chunk_shape.len() != chunks_per_shard.len() || chunks_per_shard.contains(&0) {
        return Err(Error::format("chunks_per_shard does not fit the array")
            .in_field("configuration.chunks_per_shard")
            .expected(format!("{} integers of at least 1", chunk_shape.len()))
            .actual(format!("{chunks_per_shard:?}")));
    }
    let extents = chunk_shape.iter().zip(chunks_per_shard).map(|(chunk, count)| {
        let extent = chunk.checked_mul(*count);
        extent.ok_or_else(|| {
            Error::limit("a shard has too many elements").in_field("configuration.chunks_per_shard")
        })
    });
    extents.collect()
}

/// The index at the end of a shard of an array with so many dimensions.
///
/// # Errors
/// As for an array of which the transformer is the first.
pub fn index_format(rank: usize, chunks_per_shard: &[u64]) -> Result<ShardIndexFormat> {
    let grid = shard_shape(&vec![1; rank], chunks_per_shard)?;
    let index = bind::index(IndexLocation::End, &[CodecMetadata::bytes(Some(Endian::Little))], &grid);
    index.map_err(|error| error.in_field("configuration.chunks_per_shard"))
}

/// The sharding codec for chunks of this shape with these codecs; `field` is the position of the
/// transformer in the metadata.
fn codec(chunk_shape: &[u64], codecs: &[CodecMetadata], field: &str) -> CodecMetadata {
    let configuration = ObjectText::new()
        .with("chunk_shape", list(chunk_shape))
        .with("codecs", codec::list_text(codecs))
        .with("index_codecs", codec::list_text([&CodecMetadata::bytes(Some(Endian::Little))]))
        .with("index_location", string("end"));
    let codec = CodecMetadata::v3("sharding_indexed").with(&configuration).at(field);
    // Its codecs are those of a draft, which have numcodecs' names and fields.
    CodecMetadata { format: ZarrFormat::Draft(Draft::May2022), ..codec }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;
    use crate::format::codec::pipeline::{Elements, Pipeline, Scratch};
    use crate::format::codec::{ArrayBytes, ChunkRepresentation};
    use crate::format::data_type::{DataType, FillValue, Integer};

    fn codecs() -> Vec<CodecMetadata> {
        let made = |name: &str, configuration: &str, format| CodecMetadata {
            name: name.to_owned(),
            configuration: Some(configuration.to_owned()),
            format,
            field: "codecs[0]".to_owned(),
        };
        vec![
            made("bytes", r#"{"endian":"big"}"#, ZarrFormat::V3),
            made("gzip", r#"{"id":"gzip","level":1}"#, ZarrFormat::V2),
        ]
    }

    /// A shard of 2 × 2 chunks of one element each. Two of them exist. The test builds the bytes
    /// from the draft's text.
    #[test]
    fn shards_of_the_draft_are_read() {
        let chunk = |value: u8| {
            let deflated = miniz_oxide::deflate::compress_to_vec(&[0, value], 1);
            let crc = zlib_rs::crc32::crc32(0, &[0, value]).to_le_bytes();
            [&[31, 139, 8, 0, 0, 0, 0, 0, 0, 255][..], &deflated, &crc, &2_u32.to_le_bytes()].concat()
        };
        let (first, last) = (chunk(7), chunk(9));
        let mut shard = [last.clone(), first.clone()].concat();
        let empty = [u64::MAX; 2];
        let (first_at, last_len) = (last.len() as u64, last.len() as u64);
        for entry in [[first_at, first.len() as u64], empty, empty, [0, last_len]] {
            shard.extend(entry.into_iter().flat_map(u64::to_le_bytes));
        }
        let representation = ChunkRepresentation {
            shape: shard_shape(&[1, 1], &[2, 2]).unwrap(),
            data_type: DataType::Integer(Integer::Uint16),
            fill_value: FillValue(vec![5, 0]),
        };
        let chain = [codec(&[1, 1], &codecs(), "storage_transformers[0]")];
        let pipeline = Pipeline::bind(&chain, representation).unwrap();
        let mut scratch = Scratch::default();
        let decoded = pipeline.decode(&shard, &[0..2, 0..2], &mut scratch).unwrap();
        let Elements::Fixed(bytes) = decoded.elements else { panic!("fixed") };
        assert_eq!(bytes, [7, 0, 5, 0, 5, 0, 9, 0]);
        assert!(pipeline.plannable_sharding().is_some());
        let encoded = pipeline.encode(ArrayBytes::Fixed(bytes.to_vec())).unwrap();
        assert_eq!(encoded.len(), shard.len(), "no checksum");
    }

    #[test]
    fn shards_of_shards_nest() {
        let inner = codec(&[1, 1], &codecs(), "storage_transformers[0]");
        let outer = codec(&[2, 2], &[inner], "storage_transformers[1]");
        let representation = ChunkRepresentation {
            shape: shard_shape(&[2, 2], &[3, 1]).unwrap(),
            data_type: DataType::Integer(Integer::Uint16),
            fill_value: FillValue(vec![0, 0]),
        };
        let pipeline = Pipeline::bind(&[outer], representation).unwrap();
        let sharding = pipeline.plannable_sharding().unwrap();
        assert_eq!((sharding.grid(), sharding.depth()), (&[3, 1][..], 2));
    }

    #[test]
    fn invalid_shards_are_refused() {
        for (chunks, per_shard, kind) in [
            (&[4, 4][..], &[2][..], ErrorKind::Format),
            (&[4, 4], &[2, 0], ErrorKind::Format),
            (&[4], &[u64::MAX], ErrorKind::Limit),
        ] {
            assert_eq!(shard_shape(chunks, per_shard).unwrap_err().kind(), kind);
        }
        assert_eq!(chunks_per_shard("\"linked\"", None).unwrap_err().kind(), ErrorKind::Unsupported);
        assert_eq!(chunks_per_shard("\"indexed\"", None).unwrap_err().kind(), ErrorKind::Format);
    }
}
