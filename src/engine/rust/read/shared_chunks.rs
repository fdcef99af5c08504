//! Whole chunks that are fetched and decoded once for all reads that need some of them.
//!
//! Chunks go to a decoder in batches, with one message a batch. If a batch fails, each read that
//! joined it decodes its own chunk again, because another chunk of the batch may be the broken one.

use std::rc::Rc;

use futures_util::stream::{FuturesUnordered, StreamExt};

use crate::access::plan::{ByteRequest, PartPlan};
use crate::error::{Error, Result, Stage};
use crate::read::chunk_cache::CacheKind;
use crate::read::decoder::Decoder;
use crate::read::decoding::{DecoderInput, interrupted};
use crate::read::fetching::{Arrival, ChunkFetcher};
use crate::read::types::{DecodedBatch, WholeChunk};
use crate::store::Value;
use crate::store::writers::{self, Moment};

/// Fetches and decodes one batch: whole chunks of one shape.
pub(super) struct BatchReader {
    pub fetcher: ChunkFetcher,
    pub decoder: Rc<dyn Decoder>,
    pub header: Vec<u32>,
    /// A plan for these chunks only.
    pub plan: PartPlan,
    /// Bytes of one decoded chunk.
    pub slot_bytes: u64,
    /// The requests of the read that started the batch, as caches know them.
    pub requests: Vec<ByteRequest>,
}

impl BatchReader {
    /// Fetches and decodes the chunks, and caches their elements.
    pub async fn read(mut self) -> DecodedBatch {
        let begun = writers::now();
        let requests = self.plan.take_requests();
        let mut waiting: FuturesUnordered<_> =
            self.fetcher.arrivals(&self.plan, requests, begun)?.into_iter().collect();
        let mut decoding = None;
        let mut fetched: Vec<Option<u64>> = vec![None; self.requests.len()];
        while let Some(arrival) = waiting.next().await {
            let chunks = match arrival? {
                Arrival::Chunks(chunks) => chunks,
                Arrival::Merged(requests) => {
                    waiting.extend(requests);
                    continue;
                }
                Arrival::Index { .. } => continue,
            };
            let mut there = Vec::with_capacity(chunks.len());
            for (request, value) in chunks {
                let Some(value) = value else { continue };
                if let Some(fetched) = fetched.get_mut(request.id) {
                    *fetched = Some(value.len());
                }
                there.push((request, value));
            }
            let header = || Ok(self.header.clone());
            let input = DecoderInput { fetcher: &self.fetcher, decoder: &*self.decoder, plan: &self.plan };
            input.supply(&mut decoding, there, header)?;
        }
        drop(waiting);
        let elements = match decoding {
            Some(decoding) => {
                let decoded = decoding.finish().await;
                Some(decoded.map_err(|undecoded| interrupted(&self.fetcher, undecoded))?)
            }
            None => None,
        };
        let slots = cut(elements.as_ref(), &fetched, self.slot_bytes)?;
        self.keep(&slots, begun);
        Ok(Rc::new(slots))
    }

    fn keep(self, slots: &[WholeChunk], begun: Moment) {
        if self.fetcher.array.chunks().is_cacheable() {
            let mut chunks = Vec::with_capacity(slots.len());
            for (request, slot) in self.requests.into_iter().zip(slots) {
                chunks.push((request, slot.elements.clone()));
            }
            self.fetcher.array.cache().put(CacheKind::Decoded, chunks, begun);
        }
    }
}

/// Cuts the elements of a batch into chunks.
fn cut(elements: Option<&Value>, fetched: &[Option<u64>], len: u64) -> Result<Vec<WholeChunk>> {
    let expected = len * fetched.len() as u64;
    if let Some(actual) = elements.map(Value::len).filter(|actual| *actual != expected) {
        let error = Error::format("chunk decodes to the wrong number of bytes").in_stage(Stage::Decode);
        return Err(error.expected(format!("{expected} bytes")).actual(format!("{actual} bytes")));
    }
    let mut chunks = Vec::with_capacity(fetched.len());
    for (slot, fetched) in (0..).zip(fetched) {
        chunks.push(match (elements, fetched) {
            (Some(elements), Some(fetched)) => {
                let elements = Some(elements.slice(slot * len..(slot + 1) * len)?);
                WholeChunk { elements, fetched: *fetched }
            }
            _ => WholeChunk { elements: None, fetched: 0 },
        });
    }
    Ok(chunks)
}
