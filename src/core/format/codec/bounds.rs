//! How long an encoded chunk can be, so that no more is read from a store. It is a bound for
//! hostile stores, not an estimate.

use super::bytes_chain::most_encoded;
use super::pipeline::Pipeline;
use super::{ArrayToBytes, ChunkRepresentation};
use crate::limits;

impl Pipeline {
    /// The most bytes that an encoded chunk can have, for a bound of what is read from a store.
    ///
    /// A user's codec and elements of variable length have the bound of every body.
    pub fn most_encoded_len(&self) -> u64 {
        let most = most_elements_len(&*self.array_to_bytes.codec, &self.encoded);
        let most = most.filter(|_| self.user_chain.is_none());
        let most = self.bytes_to_bytes.iter().fold(most, most_encoded);
        most.map_or(limits::RESULT_BYTES, |most| {
            most.saturating_add(limits::BODY_SLACK).min(limits::RESULT_BYTES)
        })
    }
}

/// The most bytes that an array → bytes codec can make; `None` if that is not known.
pub(super) fn most_elements_len(codec: &dyn ArrayToBytes, chunk: &ChunkRepresentation) -> Option<u64> {
    if let Some(len) = codec.encoded_len() {
        return Some(len);
    }
    if let Some(sharding) = codec.sharding() {
        return Some(sharding.most_len());
    }
    // Text of numbers (`json2`) takes the most room: up to 26 bytes for a number.
    let (count, bytes) = (chunk.element_count().ok()?, chunk.byte_len().ok()??);
    Some(bytes.saturating_mul(4).saturating_add(count.saturating_mul(32)))
}
