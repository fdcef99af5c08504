//! How long an encoded chunk can be, so that no more is read from a store. It is a bound for
//! hostile stores, not an estimate.

use super::pipeline::Pipeline;
use crate::limits;

impl Pipeline {
    /// The most bytes that an encoded chunk can have, for a bound of what is read from a store.
    ///
    /// It is exact where the codecs are. A codec that compresses makes its input at most half as
    /// long again (LZW, of all that are supported), so twice as long is generous. Text of numbers
    /// (`json2`) takes the most room of the others: up to 26 bytes for a number. A user's codec and
    /// elements of variable length have the bound of every body.
    pub fn most_encoded_len(&self) -> u64 {
        let most = self.most_elements_len().filter(|_| self.user_chain.is_none());
        let most = self.bytes_to_bytes.iter().fold(most, |most, stage| {
            let decoded = most?;
            Some(stage.codec.encoded_len(decoded).unwrap_or(decoded.saturating_mul(2)))
        });
        most.map_or(limits::RESULT_BYTES, |most| {
            most.saturating_add(limits::BODY_SLACK).min(limits::RESULT_BYTES)
        })
    }

    /// The most bytes that the array → bytes codec can make; `None` if that is not known.
    fn most_elements_len(&self) -> Option<u64> {
        let codec = &self.array_to_bytes.codec;
        if let Some(len) = codec.encoded_len() {
            return Some(len);
        }
        if let Some(sharding) = codec.sharding() {
            return Some(sharding.most_len());
        }
        let (count, bytes) = (self.encoded.element_count().ok()?, self.encoded.byte_len().ok()??);
        Some(bytes.saturating_mul(4).saturating_add(count.saturating_mul(32)))
    }
}
