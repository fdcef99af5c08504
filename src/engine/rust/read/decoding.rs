//! Step 5 of a read: passes chunks that have arrived to a decoder.

use crate::access::instruction::word;
use crate::access::plan::{ByteRequest, PartPlan};
use crate::error::{Error, Result};
use crate::read::decoder::{Decoder, EncodedChunks, PartDecoder, Undecoded};
use crate::read::fetching::ChunkFetcher;
use crate::read::types::Interrupted;
use crate::store::Value;
use crate::store::merged_ranges::GAP_BYTES;

/// The way from arrived chunks to a decoder.
pub(super) struct DecoderInput<'a> {
    pub fetcher: &'a ChunkFetcher,
    pub decoder: &'a dyn Decoder,
    pub plan: &'a PartPlan,
}

impl DecoderInput<'_> {
    /// Passes encoded chunks to a decoder. The first chunks start it with a header.
    pub fn supply(
        &self,
        decoding: &mut Option<Box<dyn PartDecoder>>,
        chunks: Vec<(ByteRequest, Value)>,
        header: impl FnOnce() -> Result<Vec<u32>>,
    ) -> Result<()> {
        if chunks.is_empty() {
            return Ok(());
        }
        let (table, values) = instructions(self.plan, chunks)?;
        let decoding = match decoding {
            Some(decoding) => decoding,
            none => none.insert(self.decoder.begin(&self.fetcher.array, header()?)?),
        };
        decoding.supply(EncodedChunks { table, values }).map_err(|error| with_full_key(self.fetcher, error))
    }
}

/// Completes the key of an error, because decoders know only keys relative to the array.
fn with_full_key(fetcher: &ChunkFetcher, error: Error) -> Error {
    match error.context().key.clone() {
        Some(relative) => error.replace_key(fetcher.array.key(&relative).as_str()),
        None => error,
    }
}

/// Why a part is interrupted that was not decoded.
pub(super) fn interrupted(fetcher: &ChunkFetcher, undecoded: Undecoded) -> Interrupted {
    match undecoded {
        Undecoded::WorkerLost(reason) => Interrupted::WorkerLost(reason),
        Undecoded::Failed(error) => Interrupted::Failed(with_full_key(fetcher, error)),
    }
}

/// The table of instructions for encoded chunks, and their buffers.
///
/// Chunks that were cut from one answer share a buffer again. An answer of a shard holds a thousand
/// inner chunks, and each buffer costs a copy and a transfer.
fn instructions(plan: &PartPlan, chunks: Vec<(ByteRequest, Value)>) -> Result<(Vec<u32>, Vec<Value>)> {
    let mut values: Vec<Value> = Vec::new();
    let mut spans = Vec::with_capacity(chunks.len());
    for (request, value) in chunks {
        let span = value.offset()..value.offset() + value.len();
        match values.last_mut().and_then(|last| Some((last.joined(&value, GAP_BYTES)?, last))) {
            Some((joined, last)) => *last = joined,
            None => values.push(value),
        }
        spans.push((request.id, values.len() - 1, span));
    }
    let mut table = Vec::new();
    for (request, buffer, span) in spans {
        let start = values.get(buffer).map_or(0, Value::offset);
        let bytes = span.start - start..span.end - start;
        plan.write_instruction(request, word(buffer as u64)?, bytes, &mut table)?;
    }
    Ok((table, values))
}
