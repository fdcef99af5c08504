//! Whole chunks that are fetched and decoded for all who need some part of them.
//!
//! Chunks are decoded some at a time, one message a batch. A batch that failed is tried again by those who joined it: it may have been
//! another chunk that is broken.

use std::rc::Rc;

use futures_util::stream::{FuturesUnordered, StreamExt};

use crate::access::plan::{ByteRequest, PartPlan};
use crate::error::{Error, Result, Stage};
use crate::read::chunk_cache::CacheKind;
use crate::read::decoder::Decoder;
use crate::read::decoding::{supply, with_full_key};
use crate::read::fetching::{Arrival, ChunkFetcher};
use crate::read::types::{DecodedBatch, WholeChunk};
use crate::store::Value;
use crate::store::writers::{self, Moment};

/// Whole chunks of one shape, on their way to a decoder of their own.
pub(super) struct BatchReader {
    pub fetcher: ChunkFetcher,
    pub decoder: Rc<dyn Decoder>,
    pub header: Vec<u32>,
    /// Of these chunks alone.
    pub plan: PartPlan,
    /// Bytes of one of them, decoded.
    pub slot_bytes: u64,
    /// As those know them who keep them; in the plan of whoever began it.
    pub requests: Vec<ByteRequest>,
}

impl BatchReader {
    /// Fetches and decodes them, and keeps their elements.
    pub async fn read(mut self) -> DecodedBatch {
        let begun = writers::now();
        let requests = self.plan.take_requests();
        let mut waiting: FuturesUnordered<_> =
            self.fetcher.arrivals(&self.plan, requests, begun)?.into_iter().collect();
        let mut decoding = None;
        let mut fetched: Vec<Option<u64>> = vec![None; self.requests.len()];
        while let Some(arrival) = waiting.next().await {
            let Arrival::Chunks(chunks) = arrival? else { continue };
            let chunks: Vec<(ByteRequest, Value)> =
                chunks.into_iter().filter_map(|(request, value)| Some((request, value?))).collect();
            for (request, value) in &chunks {
                if let Some(fetched) = fetched.get_mut(request.id) {
                    *fetched = Some(value.len());
                }
            }
            let header = || Ok(self.header.clone());
            supply(&self.fetcher, &*self.decoder, &self.plan, &mut decoding, chunks, header)?;
        }
        drop(waiting);
        let elements = match decoding {
            Some(decoding) => {
                let decoded = decoding.finish().await;
                Some(decoded.map_err(|error| with_full_key(&self.fetcher, error))?)
            }
            None => None,
        };
        let slots = cut(elements.as_ref(), &fetched, self.slot_bytes)?;
        self.keep(&slots, begun);
        Ok(Rc::new(slots))
    }

    fn keep(self, slots: &[WholeChunk], begun: Moment) {
        if self.fetcher.array.chunks().may_be_kept() {
            let elements = slots.iter().map(|slot| slot.elements.clone());
            let chunks = self.requests.into_iter().zip(elements).collect();
            self.fetcher.array.cache().put(CacheKind::Decoded, chunks, begun);
        }
    }
}

/// The chunks of a decoded batch.
fn cut(elements: Option<&Value>, fetched: &[Option<u64>], len: u64) -> Result<Vec<WholeChunk>> {
    let expected = len * fetched.len() as u64;
    if let Some(actual) = elements.map(Value::len).filter(|actual| *actual != expected) {
        let error = Error::format("chunks decode to the wrong number of bytes").in_stage(Stage::Decode);
        return Err(error.expected(format!("{expected} bytes")).actual(format!("{actual} bytes")));
    }
    let slot = |(slot, fetched): (u64, &Option<u64>)| match (elements, fetched) {
        (Some(elements), Some(fetched)) => {
            let elements = Some(elements.slice(slot * len..(slot + 1) * len)?);
            Ok(WholeChunk { elements, fetched: *fetched })
        }
        _ => Ok(WholeChunk { elements: None, fetched: 0 }),
    };
    (0..).zip(fetched).map(slot).collect()
}
