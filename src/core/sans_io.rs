//! Reads arrays without I/O: the caller fetches the bytes, from files or from wherever they are.
//!
//! [`Array`] parses the metadata documents of an array. [`Array::read`] plans a read. The plan
//! names the byte ranges that it needs; the caller supplies them, and gets the elements.
//!
//! This file joins steps 1 to 6 of the crate into one object with a buffer for the whole result. It
//! has no cache and no threads: those are in the npm package's engine, which drives the same steps
//! in parts.

use std::collections::BTreeSet;
use std::ops::Range;
use std::rc::Rc;

use crate::access::assemble::Assembly;
use crate::access::binding::Binding;
use crate::access::instruction::PartHeader;
use crate::access::plan::{self, PartPlan};
use crate::access::projection::project;
use crate::access::selection::{Selected, Selection, memory_order, resolve};
use crate::error::{Error, Result};
use crate::format::codec::ArrayBytes;
use crate::format::codec::array_bytes::VariableBytes;
use crate::format::codec::pipeline::Scratch;
use crate::format::conversion::Conversion;
use crate::format::metadata::ArrayMetadata;
use crate::format::metadata::document::NodeDocument;
use crate::limits;

pub use crate::format::byte_range::ByteRange;

/// An array whose metadata is parsed.
pub struct Array {
    binding: Rc<Binding>,
}

impl Array {
    /// Parses the metadata documents of an array.
    ///
    /// Codecs are looked up by the first [`read`](Self::read), so that an array with an unknown
    /// codec can be described. Takes time and memory in the length of the documents.
    ///
    /// # Errors
    /// `Format` for documents that break the specification; `Unsupported` for unknown extensions;
    /// `NotFound` without a document; `Argument` for the documents of a group.
    pub fn new(document: &NodeDocument) -> Result<Self> {
        let binding = Binding::new(document)?;
        if let Some(transformer) = binding.metadata().storage_transformers.first() {
            let error = Error::unsupported("chunks behind this storage transformer cannot be read");
            return Err(error.in_field(&transformer.field).actual(&transformer.extension));
        }
        Ok(Self { binding: Rc::new(binding) })
    }

    /// The metadata, in the terms of Zarr v3.
    pub fn metadata(&self) -> &ArrayMetadata {
        self.binding.declared()
    }

    /// The shape of a chunk; of an inner chunk, where there are shards. The first call looks the
    /// codecs up; the array keeps them.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    pub fn chunk_shape(&self) -> Result<Vec<u64>> {
        self.binding.chunk_shape()
    }

    /// Plans a read, and makes room for the whole result: its bytes, and a few hundred bytes for
    /// each chunk that it needs. The first call looks the codecs up. A program that wants little
    /// memory reads an array in several selections.
    ///
    /// # Errors
    /// `Argument` for a selection outside the array; `Unsupported` for an unknown codec; `Format`
    /// for codecs that do not fit the array; `Limit` for a result of more than 1 GiB.
    pub fn read(&self, selection: &Selection) -> Result<Read> {
        Read::new(&self.binding, selection, &ResultForm::default())
    }

    /// As [`read`](Self::read), for a result in another form.
    ///
    /// # Errors
    /// As [`read`](Self::read); `Argument` for a form that the result cannot have.
    pub fn read_as(&self, selection: &Selection, form: &ResultForm) -> Result<Read> {
        Read::new(&self.binding, selection, form)
    }
}

/// The form of a result.
#[derive(Clone, Debug, Default)]
pub struct ResultForm {
    /// The dimensions in memory order, slowest first. `None` means C order.
    pub order: Option<Vec<usize>>,
    /// The conversion of the elements. `None` leaves them as they are.
    pub conversion: Option<Conversion>,
    /// The most bytes that the chunks of the read may have, decoded, and its result before it is
    /// converted. `None` sets no limit but that of all results.
    pub max_bytes: Option<u64>,
}

/// The shape and memory order of a result.
#[derive(Clone, Debug)]
pub struct ResultLayout {
    /// Extent along each dimension of the array, 1 for an integer index. One extent for points.
    pub extents: Vec<u64>,
    /// Whether the result keeps the dimension, one entry for each extent.
    pub kept: Vec<bool>,
    /// The dimensions in memory order, slowest first.
    pub order: Vec<usize>,
    /// Number of chunks that the read touches; of points, an upper bound.
    pub chunks: u64,
}

/// What an element of variable length counts for, in bytes.
const VARIABLE_BYTES: u64 = 16;

/// A read in progress.
///
/// Take the [`requests`](Self::requests), [`supply`](Self::supply) the bytes of each, and repeat
/// until there are no requests: the index of a shard leads to requests for its inner chunks. Then
/// [`finish`](Self::finish). Requests may be answered in any order, and at once or one by one. No
/// bytes are kept: each answer is decoded into the result when it comes.
pub struct Read {
    plan: PartPlan,
    binding: Rc<Binding>,
    assembly: Assembly,
    scratch: Scratch,
    shape: Vec<u64>,
    layout: ResultLayout,
    /// The ids of requests that are not answered.
    open: BTreeSet<usize>,
}

/// The bytes that a read needs next.
#[derive(Clone, Debug)]
pub struct ByteRequest {
    /// The store key, relative to the array: `c/0/1`, `0.1`.
    pub key: String,
    /// The bytes of the value under the key.
    pub range: ByteRange,
    id: usize,
    is_index: bool,
}

impl Read {
    fn new(binding: &Rc<Binding>, selection: &Selection, form: &ResultForm) -> Result<Self> {
        let selected = resolve(selection, &binding.metadata().shape)?;
        let (extents, kept) = (selected.shape(), selected.kept());
        let shape = extents.iter().zip(&kept).filter_map(|(extent, kept)| kept.then_some(*extent)).collect();
        let order = memory_order(&selected, form.order.as_deref())?;
        let conversion = form.conversion.as_ref().map_or_else(|| Ok(Vec::new()), Conversion::to_words)?;
        let header = PartHeader::new(&extents, &order, &conversion)?;
        let (plan, chunks) = planned(binding, &selected, form.max_bytes)?;
        let assembly = Assembly::begin(binding, &header.to_words(), Vec::new())?;
        let layout = ResultLayout { extents, kept, order, chunks };
        let (binding, scratch, open) = (binding.clone(), Scratch::default(), BTreeSet::new());
        Ok(Self { plan, binding, assembly, scratch, shape, layout, open })
    }

    /// The shape of the result. Dimensions with an integer index are not in it.
    pub fn shape(&self) -> &[u64] {
        &self.shape
    }

    /// The layout of the result in memory.
    pub fn layout(&self) -> &ResultLayout {
        &self.layout
    }

    /// The requests that were added since the last call. Empty when the read has all it needs. One
    /// for each chunk and each shard index; nothing merges neighbours in a shard.
    pub fn requests(&mut self) -> Vec<ByteRequest> {
        let taken = self.plan.take_requests();
        self.open.extend(taken.iter().map(|request| request.id));
        let keys = &self.binding.metadata().chunk_key_encoding;
        let request = |request: plan::ByteRequest| ByteRequest {
            key: keys.encode(&request.chunk),
            range: request.range,
            id: request.id,
            is_index: request.is_index,
        };
        taken.into_iter().map(request).collect()
    }

    /// Answers a request. `bytes` is `None` where the store has no value under the key: the
    /// elements then have the fill value. Decodes the chunk on this thread, and copies the wanted
    /// elements to their places; needs memory for one decoded chunk, which is reused.
    ///
    /// # Errors
    /// `Format` for bytes that cannot be decoded; `Store` for another number of bytes than was
    /// requested; `Argument` for a request that is answered already.
    pub fn supply(&mut self, request: &ByteRequest, bytes: Option<&[u8]>) -> Result<()> {
        self.supply_of(request, bytes, None)
    }

    /// As [`supply`](Self::supply), where the size of the whole value is known. A shard is then
    /// refused if its index leads out of it, as in a shard that lacks its first or last bytes.
    ///
    /// # Errors
    /// As [`supply`](Self::supply).
    pub fn supply_of(
        &mut self,
        request: &ByteRequest,
        bytes: Option<&[u8]>,
        value_len: Option<u64>,
    ) -> Result<()> {
        if !self.open.remove(&request.id) {
            return Err(Error::argument("the byte request is answered already").at_key(&request.key));
        }
        let Some(bytes) = bytes else { return Ok(()) };
        self.take(request, bytes, value_len).map_err(|error| error.at_key(&request.key))
    }

    fn take(&mut self, request: &ByteRequest, bytes: &[u8], value_len: Option<u64>) -> Result<()> {
        let len = bytes.len() as u64;
        if let ByteRange::At { len: wanted, .. } | ByteRange::Last(wanted) = request.range
            && wanted != len
        {
            let error = Error::store("the answer does not have the requested number of bytes");
            return Err(error.expected(format!("{wanted} bytes")).actual(format!("{len} bytes")));
        }
        if request.is_index {
            let shard_len = self.plan.nested_len(request.id).or(value_len);
            let index = self.plan.sharding(request.id)?.index().decode(bytes, shard_len)?;
            return self.plan.supply_index(request.id, &index);
        }
        let mut table = Vec::new();
        self.plan.write_instruction(request.id, 0, 0..len, &mut table)?;
        self.assembly.supply(&table, &[bytes], &mut self.scratch)
    }

    /// The elements of the result in its memory order. Numbers are little-endian. Hands the buffer
    /// over; elements of variable length are copied once.
    ///
    /// # Errors
    /// As [`finish_packed`](Self::finish_packed).
    pub fn finish(self) -> Result<ArrayBytes> {
        let (is_fixed, extents) = (self.binding.element_size() > 0, self.shape.clone());
        let packed = self.finish_packed()?;
        if is_fixed {
            return Ok(ArrayBytes::Fixed(packed));
        }
        let count = limits::to_usize(limits::product(extents, "result")?, "result")?;
        let elements = VariableBytes::from_packed(&packed, count);
        let broken = || Error::format("the elements of variable length are not packed as expected");
        elements.map(ArrayBytes::Variable).ok_or_else(broken)
    }

    /// As [`finish`](Self::finish), in one buffer: of elements of variable length it has the
    /// offsets as 32-bit words, one more than there are elements, and then the bytes.
    ///
    /// # Errors
    /// `Argument` while requests are not answered; `Limit` for elements that take too much memory.
    pub fn finish_packed(mut self) -> Result<Vec<u8>> {
        let missing = self.open.len() + self.plan.take_requests().len();
        if missing > 0 {
            let error = Error::argument("the read cannot be finished: byte requests have no answer");
            return Err(error.expected("an answer for each request").actual(format!("{missing} missing")));
        }
        self.assembly.finish()
    }
}

/// The plan of all that is selected, and the number of chunks that it touches.
fn planned(binding: &Rc<Binding>, selected: &Selected, max_bytes: Option<u64>) -> Result<(PartPlan, u64)> {
    match selected {
        Selected::Orthogonal(axes) => {
            let projections = project(axes, &binding.leaf_grid()?)?;
            let spans: Vec<Range<u64>> = projections.iter().map(|axis| 0..axis.span_count()).collect();
            let chunks = spans.iter().fold(1, |all: u64, span| all.saturating_mul(span.end));
            check_size(binding, selected, chunks, max_bytes)?;
            Ok((PartPlan::orthogonal(binding, &projections, &spans)?, chunks))
        }
        Selected::Points(points) => {
            let count = points.first().map_or(1, |list| list.len() as u64);
            check_size(binding, selected, count, max_bytes)?;
            Ok((PartPlan::points(binding, points, 0..count)?, count))
        }
    }
}

/// Checks the sizes of the chunks and of the result, before anything is planned.
fn check_size(binding: &Binding, selected: &Selected, chunks: u64, max_bytes: Option<u64>) -> Result<()> {
    let Some(max) = max_bytes else { return Ok(()) };
    let element = match binding.element_size() {
        0 => VARIABLE_BYTES,
        size => size as u64,
    };
    let bytes = |extents: Vec<u64>| extents.into_iter().fold(element, u64::saturating_mul);
    let decoded = bytes(binding.chunk_shape()?).saturating_mul(chunks);
    limits::within(decoded.max(bytes(selected.shape())), max, "size of a read in bytes").map(drop)
}
