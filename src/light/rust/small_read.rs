//! A read in progress: which ranges become one request, and which bytes of an answer are for which
//! chunk.

use std::collections::BTreeMap;

use zarr_wasm::{Array, ByteRange, ByteRequest, Error, Read, Result, ResultForm, ResultLayout};
use zarr_wasm_http::merged_ranges::{GAP_BYTES, MERGED_BYTES, merge};

use crate::contract::{Natural, ReadRequest, SmallRead, ValueRequest};
use zarr_wasm::format::conversion_request::requested;
use zarr_wasm::format::data_type::DataType;

/// The most bytes that a read may decode. More would keep the page's thread longer than a frame.
pub const MAX_BYTES: u64 = 2 << 20;

/// A read, and the requests that have no answer yet.
pub struct Reading {
    read: Read,
    sent: Vec<Sent>,
}

/// A request for a value, or for a range that some chunks are in.
struct Sent {
    /// The first byte of the range.
    start: u64,
    members: Vec<ByteRequest>,
}

impl Reading {
    /// Plans a read.
    ///
    /// # Errors
    /// As [`Array::read_as`]. `Unsupported` for what only the engine does; `Limit` for a read of
    /// more than [`MAX_BYTES`].
    pub fn begin(array: &Array, request: ReadRequest) -> Result<Self> {
        let data_type = &array.metadata().data_type;
        let is_engines = request.padded.is_some_and(|padded| padded)
            || request.growth.is_some()
            || request.spreads.is_some_and(|spreads| spreads)
            || request.streamed.is_some_and(|streamed| streamed)
            || request.reload.is_some_and(|reload| reload);
        if is_engines || !is_plain(data_type) {
            return Err(Error::unsupported("only the engine reads this"));
        }
        let conversion =
            request.conversion.as_ref().map(|wanted| requested(wanted, data_type)).transpose()?;
        let order = request.order.map(|order| order.into_iter().map(|axis| axis as usize).collect());
        let form = ResultForm { order, conversion, max_bytes: Some(MAX_BYTES) };
        Ok(Self { read: array.read_as(&request.selection, &form)?, sent: Vec::new() })
    }

    /// The layout of the result, and the first requests.
    ///
    /// # Errors
    /// As [`requests`](Self::requests).
    pub fn record(&mut self) -> Result<SmallRead> {
        let requests = self.requests()?;
        let ResultLayout { extents, kept, order, chunks } = self.read.layout();
        // The result is small, and axes are few.
        #[allow(clippy::cast_precision_loss)]
        let extent = |extent: &u64| *extent as f64;
        #[allow(clippy::cast_possible_truncation)]
        let axis = |axis: &usize| *axis as u32;
        Ok(SmallRead {
            shape: extents.iter().map(extent).collect(),
            kept: kept.clone(),
            order: order.iter().map(axis).collect(),
            chunks: extent(chunks),
            requests,
        })
    }

    /// The requests that were added since the last call. Ranges of one value that are near each
    /// other are one request, as the engine merges them.
    ///
    /// # Errors
    /// `Unsupported` for a range without an end.
    pub fn requests(&mut self) -> Result<Vec<ValueRequest>> {
        let mut found = Vec::new();
        let mut ranges: BTreeMap<String, Vec<ByteRequest>> = BTreeMap::new();
        for request in self.read.requests() {
            match request.range {
                ByteRange::Whole => found.push(self.send(None, None, vec![request])),
                ByteRange::Last(len) => found.push(self.send(None, Some(len), vec![request])),
                ByteRange::At { .. } if request.range.is_open() => {
                    return Err(Error::unsupported("only the engine reads this"));
                }
                ByteRange::At { .. } => ranges.entry(request.key.clone()).or_default().push(request),
            }
        }
        for (_, members) in ranges {
            found.extend(self.send_merged(&members));
        }
        Ok(found)
    }

    fn send_merged(&mut self, members: &[ByteRequest]) -> Vec<ValueRequest> {
        let spans: Vec<_> = members.iter().filter_map(|member| member.range.of(u64::MAX)).collect();
        let mut requests = Vec::new();
        for group in merge(&spans, GAP_BYTES, MERGED_BYTES) {
            let (start, len) = (group.span.start, group.span.end.saturating_sub(group.span.start));
            let members = group.members.iter().filter_map(|member| members.get(*member).cloned()).collect();
            requests.push(self.send(Some(start), Some(len), members));
        }
        requests
    }

    fn send(&mut self, offset: Option<u64>, len: Option<u64>, members: Vec<ByteRequest>) -> ValueRequest {
        let key = members.first().map(|member| member.key.clone()).unwrap_or_default();
        self.sent.push(Sent { start: offset.unwrap_or(0), members });
        ValueRequest { key, offset: offset.map(Natural), len: len.map(Natural) }
    }

    /// Takes the answer to a request, by its number in all requests of the read. `None` where there
    /// is no value. `size` is that of the whole value, if it is known.
    ///
    /// # Errors
    /// As [`Read::supply_of`].
    pub fn supply(&mut self, number: usize, bytes: Option<&[u8]>, size: Option<u64>) -> Result<()> {
        let sent = self.sent.get_mut(number).map(|sent| (sent.start, std::mem::take(&mut sent.members)));
        let (start, members) = sent.ok_or_else(|| Error::argument("there is no such request"))?;
        for member in members {
            let part = bytes.map(|bytes| match member.range.of(u64::MAX) {
                Some(range) if matches!(member.range, ByteRange::At { .. }) => within(bytes, range, start),
                _ => bytes,
            });
            self.read.supply_of(&member, part, size)?;
        }
        Ok(())
    }

    /// The elements, in one buffer.
    ///
    /// # Errors
    /// As [`Read::finish_packed`].
    pub fn finish(self) -> Result<Vec<u8>> {
        self.read.finish_packed()
    }
}

/// The bytes of a range, of those that begin at `start`. None if they are too short, which the
/// read refuses.
fn within(bytes: &[u8], range: std::ops::Range<u64>, start: u64) -> &[u8] {
    let at = |position: u64| usize::try_from(position.saturating_sub(start)).unwrap_or(usize::MAX);
    bytes.get(at(range.start)..at(range.end)).unwrap_or_default()
}

/// Whether elements cross as they are: values of JSON need marks, which the engine makes.
fn is_plain(data_type: &DataType) -> bool {
    data_type.size().is_some() || matches!(data_type, DataType::String | DataType::Bytes)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use zarr_wasm::metadata::{NodeDocument, ZARR_JSON, ZarrFormat};
    use zarr_wasm::{ErrorKind, Selection};

    use super::*;

    /// Two inner chunks of two elements in a shard, whose index is at the end.
    const SHARDED: &str = r#"{"zarr_format":3,"node_type":"array","shape":[4],"data_type":"uint8","fill_value":7,
        "chunk_grid":{"name":"regular","configuration":{"chunk_shape":[4]}},"chunk_key_encoding":{"name":"default"},
        "codecs":[{"name":"sharding_indexed","configuration":{"chunk_shape":[2],"codecs":[{"name":"bytes"}],
        "index_codecs":[{"name":"bytes","configuration":{"endian":"little"}}]}}]}"#;

    fn array(document: &str) -> Array {
        let document = NodeDocument::read(ZarrFormat::V3, &[(ZARR_JSON, document.as_bytes())]);
        Array::new(&document.unwrap()).unwrap()
    }

    fn request() -> ReadRequest {
        let selection = Selection::all();
        ReadRequest {
            selection,
            order: None,
            padded: None,
            growth: None,
            spreads: None,
            streamed: None,
            nearest: None,
            priority: None,
            reload: None,
            conversion: None,
        }
    }

    fn index(entries: [u64; 4]) -> Vec<u8> {
        entries.iter().flat_map(|entry| entry.to_le_bytes()).collect()
    }

    fn wanted(offset: Option<u64>, len: u64) -> ValueRequest {
        ValueRequest { key: "c/0".into(), offset: offset.map(Natural), len: Some(Natural(len)) }
    }

    #[test]
    fn neighbours_in_a_shard_are_one_request() {
        let mut reading = Reading::begin(&array(SHARDED), request()).unwrap();
        let record = reading.record().unwrap();
        assert_eq!((record.chunks, record.requests), (2.0, vec![wanted(None, 32)]));
        reading.supply(0, Some(&index([0, 2, 2, 2])), Some(36)).unwrap();
        assert_eq!(reading.requests().unwrap(), [wanted(Some(0), 4)]);
        reading.supply(1, Some(&[1, 2, 3, 4]), Some(36)).unwrap();
        assert_eq!(reading.finish().unwrap(), [1, 2, 3, 4]);
    }

    #[test]
    fn an_index_that_leads_out_of_its_shard_is_refused() {
        let mut reading = Reading::begin(&array(SHARDED), request()).unwrap();
        reading.record().unwrap();
        let error = reading.supply(0, Some(&index([0, 2, 2, 2])), Some(35)).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Format);
        let mut reading = Reading::begin(&array(SHARDED), request()).unwrap();
        reading.record().unwrap();
        reading.supply(0, None, None).unwrap();
        assert_eq!(reading.finish().unwrap(), [7; 4]);
    }

    #[test]
    fn what_the_engine_must_do_is_refused_before_anything_is_planned() {
        let huge = SHARDED.replace(r#""shape":[4]"#, r#""shape":[9007199254740991]"#);
        let refused = |array: &Array, request| Reading::begin(array, request).err().map(|error| error.kind());
        assert_eq!(refused(&array(&huge), request()), Some(ErrorKind::Limit));
        let streamed = ReadRequest { streamed: Some(true), ..request() };
        assert_eq!(refused(&array(SHARDED), streamed), Some(ErrorKind::Unsupported));
    }
}
