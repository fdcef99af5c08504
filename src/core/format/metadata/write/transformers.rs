//! The storage transformers of a new array: those that the user chose, and that of its shards. Only
//! the draft of May 2022 has them.

use super::options::ArrayOptions;
use crate::error::{Error, Result};
use crate::format::json;
use crate::format::json::text::{ObjectText, list, string};
use crate::format::metadata::draft::uri::SHARDING_URIS;
use crate::format::metadata::{StorageTransformerMetadata, ZarrFormat, draft};

impl ArrayOptions {
    /// The storage transformers of a draft's array. That of its shards is the last before the
    /// store.
    pub(super) fn transformers(
        &self,
        shard_shape: Option<&[u64]>,
        chunk_shape: &[u64],
    ) -> Result<Vec<StorageTransformerMetadata>> {
        if self.storage_transformers.is_empty() && shard_shape.is_none() {
            return Ok(Vec::new());
        }
        let ZarrFormat::Draft(_) = self.format else {
            return match self.storage_transformers.first() {
                Some(_) => {
                    let error = Error::argument("only the draft of 2022 has storage transformers");
                    Err(error.in_field("storage_transformers"))
                }
                None => Ok(Vec::new()),
            };
        };
        let shards = shard_shape.map(|shape| sharding(shape, chunk_shape)).transpose();
        let all = self.storage_transformers.iter().cloned().chain(shards?);
        json::read(&list(all), draft::storage_transformers)
            .map_err(|error| error.within_field("storage_transformers"))
    }
}

/// Writes the sharding transformer for shards of this shape.
///
/// # Errors
/// `Argument` when a shard is not a whole number of chunks.
fn sharding(shard_shape: &[u64], chunk_shape: &[u64]) -> Result<String> {
    let per_shard = shard_shape.iter().zip(chunk_shape).map(|(shard, chunk)| {
        shard.checked_div(*chunk).filter(|count| *count > 0 && shard.is_multiple_of(*chunk))
    });
    let per_shard = per_shard.collect::<Option<Vec<u64>>>();
    let Some(per_shard) = per_shard.filter(|_| shard_shape.len() == chunk_shape.len()) else {
        let error = Error::argument("a shard must be a whole number of chunks along each dimension");
        return Err(error
            .in_field("shard_shape")
            .expected(format!("a multiple of {chunk_shape:?}"))
            .actual(format!("{shard_shape:?}")));
    };
    let configuration = ObjectText::new().with("chunks_per_shard", list(per_shard)).compact();
    let object = ObjectText::new().with("extension", string(SHARDING_URIS[0])).with("type", "\"indexed\"");
    Ok(object.with("configuration", configuration).compact())
}
