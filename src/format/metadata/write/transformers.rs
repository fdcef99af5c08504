//! The storage transformers of a new array: those that the user chose, and that of its shards. Only
//! the draft of May 2022 has them.

use super::options::ArrayOptions;
use super::text::list;
use crate::error::{Error, Result};
use crate::format::metadata::json::Document;
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
        let shards = shard_shape.map(|shape| draft::sharding(shape, chunk_shape)).transpose();
        let all = self.storage_transformers.iter().cloned().chain(shards?);
        let text = list(all);
        let document = Document::parse(text.as_bytes())?;
        draft::parse_storage_transformers(document.root())
            .map_err(|error| error.within_field("storage_transformers"))
    }
}
