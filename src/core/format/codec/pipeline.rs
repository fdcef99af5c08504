//! Step 5, decode: a chain of codecs, from bytes to elements and back.
//!
//! The chain does no more than it must:
//!
//! - Transpositions move no element. They permute strides, and the scatter into the output uses
//!   them.
//! - A byte order is changed in place.
//! - The first bytes-to-bytes codec, which decodes last, writes to the final buffer, and only the
//!   wanted runs if it can.
//!
//! The pipeline does not know the output of a read: that is `access::assemble`.

use std::ops::Range;
use std::rc::Rc;

use super::bounds::most_elements_len;
use super::bytes_chain::{most_decoded, undo};
use super::named::NamedCodec;
use super::stepwise::UserChain;
use super::user::{BindResult, OptionalUserCodecs, Unbound};
use crate::builds::Builds;
use crate::error::{Error, Result, Stage};
use crate::format::byte_range::len_of;
use crate::format::codec::sharding::Sharding;
use crate::format::codec::{
    ArrayBytes, ArrayToArray, ArrayToBytes, BytesToBytes, ChunkRepresentation, Codec, CodecKind, Output,
    Packed, registry,
};
use crate::format::dimension_order::{offsets, transposed_strides};
use crate::format::metadata::CodecMetadata;
use crate::limits;

/// A chain of codecs bound to a data type and a chunk shape. Where it has user codecs, it runs
/// codec by codec: see `stepwise`.
pub struct Pipeline {
    decoded: ChunkRepresentation,
    /// The chunk as the array → bytes codec sees it.
    pub(super) encoded: ChunkRepresentation,
    pub(super) array_to_array: Vec<NamedCodec<Rc<dyn ArrayToArray>>>,
    pub(super) array_to_bytes: NamedCodec<Rc<dyn ArrayToBytes>>,
    pub(super) bytes_to_bytes: Vec<NamedCodec<Rc<dyn BytesToBytes>>>,
    /// The most bytes that each of them may decode to.
    most_decoded: Vec<usize>,
    packed: Option<Packed>,
    /// The builds that decode it.
    builds: Builds,
    /// The same codecs, when some of them are user codecs, or contain a chain with user codecs.
    pub(super) user_chain: Option<UserChain>,
    /// The codecs' metadata, when the chunk's bytes are its packed elements. The same codecs then
    /// decode a box of elements that is contiguous in those bytes.
    raw: Option<Vec<CodecMetadata>>,
}

/// Buffers that decoding reuses from chunk to chunk.
#[derive(Default)]
pub struct Scratch {
    elements: Vec<u8>,
    intermediate: [Vec<u8>; 2],
}

/// A decoded chunk: packed little-endian elements and the stride of each dimension.
pub struct DecodedChunk<'a> {
    /// The elements. Only those in the wanted box are decoded.
    pub elements: Elements<'a>,
    /// The stride of each dimension of the decoded chunk, in elements.
    pub strides: Vec<usize>,
}

/// The elements of a decoded chunk.
pub enum Elements<'a> {
    /// Elements of one size, packed.
    Fixed(&'a [u8]),
    /// Elements of variable length.
    Variable(super::array_bytes::VariableBytes),
}

impl<'a> Elements<'a> {
    /// Elements of one size move to the scratch buffer.
    fn of(chunk: ArrayBytes, elements: &'a mut Vec<u8>) -> Self {
        match chunk {
            ArrayBytes::Fixed(bytes) => {
                *elements = bytes;
                Elements::Fixed(elements)
            }
            ArrayBytes::Variable(variable) => Elements::Variable(variable),
        }
    }
}

/// A box of a chunk's elements: a range along each dimension of the decoded chunk.
pub type ChunkBox = [Range<u64>];

/// The maximal number of runs for a partial decode. With more, the overhead exceeds the gain.
const MAX_RUNS: u64 = 4096;

impl Pipeline {
    /// Looks the codecs up and binds each to what it will see. It parses their configurations, so
    /// it is done once an array, not once a chunk.
    ///
    /// # Errors
    /// `Unsupported` for an unknown codec, `Format` for a chain or configuration that does not fit.
    /// The error names the codec and its field.
    pub fn bind(codecs: &[CodecMetadata], decoded: ChunkRepresentation) -> Result<Self> {
        Self::bind_with(codecs, decoded, &None).map_err(Unbound::into_error)
    }

    /// As [`bind`](Self::bind), for a chain that may contain user codecs. A user codec takes
    /// precedence over a codec of this package with the same name.
    ///
    /// # Errors
    /// As [`bind`](Self::bind), and `UnknownKind` while a user codec's kind is not known.
    pub fn bind_with(
        codecs: &[CodecMetadata],
        decoded: ChunkRepresentation,
        users: &OptionalUserCodecs,
    ) -> BindResult<Self> {
        let mut array_to_array = Vec::new();
        let mut array_to_bytes = None;
        let mut bytes_to_bytes = Vec::new();
        let mut encoded = decoded.clone();
        let mut builds = Builds::ALL;
        let mut has_user_codec = false;
        for metadata in codecs {
            let named = NamedCodec::bind(metadata, &encoded, users)?;
            has_user_codec |= named.user.is_some() || named.codec.has_user_codecs();
            if named.user.is_none() {
                builds = common(builds, registry::builds_of(&named.name, metadata.format))?;
            }
            match (named.codec.clone(), &array_to_bytes) {
                (Codec::ArrayToArray(codec), None) => {
                    encoded = codec.encoded().clone();
                    array_to_array.push(named.with(codec));
                }
                (Codec::ArrayToBytes(codec), None) => array_to_bytes = Some(named.with(codec)),
                (Codec::BytesToBytes(codec), Some(_)) => bytes_to_bytes.push(named.with(codec)),
                (codec, _) => {
                    let error = at_wrong_position(codec.kind()).in_codec(named.name);
                    return Err(error.in_field(metadata.field.as_str()).into());
                }
            }
        }
        let array_to_bytes = array_to_bytes
            .ok_or_else(|| Error::format("no array-to-bytes codec in the chain").in_field("codecs"))?;
        // A chain with user codecs runs codec by codec, never in place.
        let packed = array_to_bytes.codec.packed().filter(|_| !has_user_codec);
        builds = common(builds, array_to_bytes.codec.sharding().map(Sharding::builds))?;
        let most = most_elements_len(&*array_to_bytes.codec, &encoded);
        let most_decoded =
            most_decoded(most.filter(|_| array_to_bytes.user.is_none()), bytes_to_bytes.iter());
        let user_chain = has_user_codec.then(|| {
            let mut all = Vec::new();
            for named in &array_to_array {
                all.push(named.to_any(Codec::ArrayToArray));
            }
            all.push(array_to_bytes.to_any(Codec::ArrayToBytes));
            for named in &bytes_to_bytes {
                all.push(named.to_any(Codec::BytesToBytes));
            }
            UserChain::new(all, &most_decoded)
        });
        let is_raw = packed.is_some() && bytes_to_bytes.is_empty() && all_transpose(&array_to_array);
        let raw = is_raw.then(|| codecs.to_vec());
        Ok(Self {
            decoded,
            encoded,
            array_to_array,
            array_to_bytes,
            bytes_to_bytes,
            most_decoded,
            packed,
            builds,
            user_chain,
            raw,
        })
    }

    /// The chain for boxes of this shape; `None` unless the chunk's bytes are its packed elements.
    pub fn for_packed_boxes(&self, shape: Vec<u64>) -> Option<Result<Self>> {
        let codecs = self.raw.as_ref()?;
        Some(Self::bind(codecs, ChunkRepresentation { shape, ..self.decoded.clone() }))
    }

    /// The decoded chunk.
    pub fn decoded(&self) -> &ChunkRepresentation {
        &self.decoded
    }

    /// The builds that can decode the whole chain.
    pub fn builds(&self) -> Builds {
        self.builds
    }

    /// The exact length of the encoded bytes; `None` when it depends on the elements. A shard index
    /// must have one.
    pub fn encoded_len(&self) -> Option<u64> {
        let start = self.array_to_bytes.codec.encoded_len()?;
        self.bytes_to_bytes.iter().try_fold(start, |len, stage| stage.codec.encoded_len(len))
    }

    /// The sharding codec, when its index can be read on its own: only transpositions come before
    /// it and nothing after it.
    pub fn plannable_sharding(&self) -> Option<&Sharding> {
        let is_seen = self.only_transposed() && self.bytes_to_bytes.is_empty();
        self.array_to_bytes.codec.sharding().filter(|_| is_seen)
    }

    /// For each dimension that the array → bytes codec sees: the decoded dimension that it holds.
    /// Valid when only transpositions come before that codec.
    pub fn axes(&self) -> Vec<usize> {
        composed(&self.decoded.shape, &self.array_to_array)
    }

    /// Whether decoding a part of the chunk takes less work than decoding all of it.
    pub fn decodes_partially(&self) -> bool {
        let packed = self.packed.is_some() && self.only_transposed();
        packed && self.bytes_to_bytes.first().is_none_or(|stage| stage.codec.decodes_runs())
    }

    /// The stride of each decoded dimension in the encoded bytes, in elements; `None` unless the
    /// bytes are the decoded elements without any change.
    pub fn plain_strides(&self) -> Option<Vec<usize>> {
        let packed = self.packed.as_ref()?;
        let as_they_are = packed.swap.is_empty() && packed.narrow.is_empty();
        let is_plain = as_they_are && self.bytes_to_bytes.is_empty() && self.only_transposed();
        is_plain.then(|| self.strides())
    }

    /// Decodes at least the elements in `wanted`: those alone where the chain
    /// [can](Self::decodes_partially), else the whole chunk. Uses the buffers of `scratch`, which
    /// grow to the largest chunk and are then reused.
    ///
    /// # Errors
    /// `Format` for corrupt bytes or a wrong length, `Limit` for more memory than a chunk may take.
    /// Both name the codec.
    pub fn decode<'a>(
        &'a self,
        encoded: &[u8],
        wanted: &ChunkBox,
        scratch: &'a mut Scratch,
    ) -> Result<DecodedChunk<'a>> {
        let Scratch { elements, intermediate } = scratch;
        if self.packed.is_some() && self.only_transposed() {
            self.decode_packed(encoded, wanted, elements, intermediate)?;
            let strides = self.strides();
            return Ok(DecodedChunk { elements: Elements::Fixed(elements), strides });
        }
        let bytes = self.undo_bytes_to_bytes(encoded, intermediate)?;
        let add_context = self.array_to_bytes.add_context(Stage::Decode);
        let chunk = self.array_to_bytes.codec.decode(bytes).map_err(add_context)?;
        let (chunk, strides) = self.undo_array_to_array(chunk)?;
        Ok(DecodedChunk { elements: Elements::of(chunk, elements), strides })
    }

    /// The decoded chunk of these elements, which are in C order.
    pub(super) fn in_c_order<'a>(&self, chunk: ArrayBytes, scratch: &'a mut Scratch) -> DecodedChunk<'a> {
        let strides = transposed_strides(&self.decoded.shape, &identity(&self.decoded.shape));
        DecodedChunk { elements: Elements::of(chunk, &mut scratch.elements), strides }
    }

    /// Decodes the whole chunk to elements in C order, for small chunks: transpositions move
    /// elements here, and each codec allocates its output.
    ///
    /// # Errors
    /// As [`decode`](Self::decode).
    pub fn decode_all(&self, encoded: &[u8]) -> Result<ArrayBytes> {
        let mut intermediate = [Vec::new(), Vec::new()];
        let bytes = self.undo_bytes_to_bytes(encoded, &mut intermediate)?;
        let chunk = self.array_to_bytes.codec.decode(bytes);
        let chunk = chunk.map_err(self.array_to_bytes.add_context(Stage::Decode))?;
        undo_all(&self.array_to_array, chunk)
    }

    /// Decodes the whole chunk into `output`, as packed elements in stored order. `None` when the
    /// chain has elements of variable length or codecs that change elements; `output` is then
    /// untouched. The last decompressor writes to `output` itself: no copy of the chunk is made.
    ///
    /// # Errors
    /// As [`decode`](Self::decode).
    pub fn decode_into(
        &self,
        encoded: &[u8],
        output: &mut [u8],
        scratch: &mut Scratch,
    ) -> Option<Result<()>> {
        let packed = self.packed.as_ref().filter(|_| self.only_transposed())?;
        let mut decode = |output: &mut [u8]| {
            self.undo_bytes_to_bytes_into(encoded, output, &mut scratch.intermediate)?;
            packed.decode_in_place(output, self.element_size());
            Ok(())
        };
        Some(decode(output))
    }

    /// Encodes elements (packed, C order, little-endian) to bytes. Takes the elements over; each
    /// codec allocates its output.
    ///
    /// # Errors
    /// `Argument` for values that a codec cannot represent, `Unsupported` when this build has no
    /// encoder, and as [`check_encodes`](Self::check_encodes).
    pub fn encode(&self, elements: ArrayBytes) -> Result<Vec<u8>> {
        self.check_encodes().map_err(|error| error.in_stage(Stage::Encode))?;
        let mut elements = elements;
        for stage in &self.array_to_array {
            elements = stage.codec.encode(elements).map_err(stage.add_context(Stage::Encode))?;
        }
        let add_context = self.array_to_bytes.add_context(Stage::Encode);
        let mut bytes = self.array_to_bytes.codec.encode(&elements).map_err(add_context)?;
        for stage in &self.bytes_to_bytes {
            bytes = stage.codec.encode(&bytes).map_err(stage.add_context(Stage::Encode))?;
        }
        Ok(bytes)
    }

    /// Checks that every codec can encode with its configuration.
    ///
    /// # Errors
    /// `Format` for a wrong parameter that only an encoder needs.
    pub fn check_encodes(&self) -> Result<()> {
        self.array_to_array.iter().try_for_each(NamedCodec::check_encodes)?;
        self.array_to_bytes.check_encodes()?;
        self.bytes_to_bytes.iter().try_for_each(NamedCodec::check_encodes)
    }

    fn element_size(&self) -> usize {
        self.encoded.data_type.size().unwrap_or(1)
    }

    fn only_transposed(&self) -> bool {
        all_transpose(&self.array_to_array)
    }

    /// The stride of each decoded dimension, when all array → array codecs are transpositions.
    fn strides(&self) -> Vec<usize> {
        transposed_strides(&self.encoded.shape, &self.axes())
    }

    /// The fast path: decodes packed elements in place, and only the wanted runs.
    fn decode_packed(
        &self,
        encoded: &[u8],
        wanted: &ChunkBox,
        elements: &mut Vec<u8>,
        intermediate: &mut [Vec<u8>; 2],
    ) -> Result<()> {
        let len = self.array_to_bytes.codec.encoded_len().unwrap_or(0);
        let len = limits::within(len, limits::CHUNK_BYTES, "chunk")?;
        if elements.len() != len {
            elements.clear();
            limits::grow(elements, len, "chunk")?;
        }
        let runs = self.wanted_runs(wanted);
        let [stage, rest @ ..] = self.bytes_to_bytes.as_slice() else {
            check_len(encoded, len)?;
            for run in &runs {
                copy_run(encoded, elements, run);
                swap_run(elements, run, self.packed.as_ref(), self.element_size());
            }
            return Ok(());
        };
        let bytes = undo(rest.iter().zip(self.most_between()), encoded, intermediate)?;
        let partial = if runs.len() == 1 && runs.first() == Some(&(0..len)) {
            None
        } else {
            stage.codec.decode_runs(bytes, &runs, elements)
        };
        let result = partial.unwrap_or_else(|| stage.codec.decode(bytes, Output::Exact(elements)));
        result.map_err(stage.add_context(Stage::Decode))?;
        for run in &runs {
            swap_run(elements, run, self.packed.as_ref(), self.element_size());
        }
        Ok(())
    }

    /// The byte runs of the packed elements that a box of the decoded chunk needs.
    fn wanted_runs(&self, wanted: &ChunkBox) -> Vec<Range<usize>> {
        let shape = &self.encoded.shape;
        let axes = self.axes();
        let wanted: Vec<Range<u64>> = axes.iter().filter_map(|axis| wanted.get(*axis).cloned()).collect();
        runs_of_box(shape, &wanted, self.element_size())
    }

    /// Decodes all bytes → bytes codecs. The lengths between them are not known.
    fn undo_bytes_to_bytes<'a>(
        &self,
        encoded: &'a [u8],
        intermediate: &'a mut [Vec<u8>; 2],
    ) -> Result<&'a [u8]> {
        undo(self.bytes_to_bytes.iter().zip(&self.most_decoded), encoded, intermediate)
    }

    /// The most bytes between two bytes → bytes codecs.
    fn most_between(&self) -> &[usize] {
        self.most_decoded.get(1..).unwrap_or_default()
    }

    /// Decodes all bytes → bytes codecs into an output of the exact length.
    fn undo_bytes_to_bytes_into(
        &self,
        encoded: &[u8],
        output: &mut [u8],
        intermediate: &mut [Vec<u8>; 2],
    ) -> Result<()> {
        let [first, rest @ ..] = self.bytes_to_bytes.as_slice() else {
            check_len(encoded, output.len())?;
            output.copy_from_slice(encoded);
            return Ok(());
        };
        let bytes = undo(rest.iter().zip(self.most_between()), encoded, intermediate)?;
        first.codec.decode(bytes, Output::Exact(output)).map_err(first.add_context(Stage::Decode))
    }

    /// Decodes the array → array codecs. Transpositions at the start of the chain become strides.
    fn undo_array_to_array(&self, chunk: ArrayBytes) -> Result<(ArrayBytes, Vec<usize>)> {
        let transposed =
            self.array_to_array.iter().take_while(|stage| stage.codec.permutation().is_some()).count();
        let (left_as_strides, undone) = self.array_to_array.split_at(transposed);
        let chunk = undo_all(undone, chunk)?;
        let shape = left_as_strides.last().map_or(&self.decoded.shape, |stage| &stage.codec.encoded().shape);
        Ok((chunk, transposed_strides(shape, &composed(shape, left_as_strides))))
    }
}

/// The builds that have the codecs of both.
///
/// # Errors
/// `Unsupported` for a chain that needs two builds, neither of which contains the other. A native
/// build contains both.
fn common(builds: Builds, others: Option<Builds>) -> Result<Builds> {
    let others = others.unwrap_or(Builds::ALL);
    let found = builds.and(others).or_else(|| (builds.are_here() && others.are_here()).then_some(builds));
    found.ok_or_else(|| {
        Error::unsupported("a chain cannot combine codecs of two modules, such as \"full\" and \"images\"")
            .in_field("codecs")
    })
}

fn at_wrong_position(kind: CodecKind) -> Error {
    let (what, position) = match kind {
        CodecKind::ArrayToArray => ("an array-to-array codec", "before the array-to-bytes codec"),
        CodecKind::ArrayToBytes => ("a second array-to-bytes codec", "once in a chain"),
        CodecKind::BytesToBytes => ("a bytes-to-bytes codec", "after the array-to-bytes codec"),
    };
    Error::format("a codec is at the wrong position of its chain")
        .in_stage(Stage::Metadata)
        .expected(format!("{what} only {position}"))
}

fn all_transpose(codecs: &[NamedCodec<Rc<dyn ArrayToArray>>]) -> bool {
    codecs.iter().all(|stage| stage.codec.permutation().is_some())
}

/// The dimensions in order.
fn identity(shape: &[u64]) -> Vec<usize> {
    (0..shape.len()).collect()
}

/// Applies the permutation `order` after the permutation `axes`.
fn undo_all(stages: &[NamedCodec<Rc<dyn ArrayToArray>>], chunk: ArrayBytes) -> Result<ArrayBytes> {
    let mut chunk = chunk;
    for stage in stages.iter().rev() {
        chunk = stage.codec.decode(chunk).map_err(stage.add_context(Stage::Decode))?;
    }
    Ok(chunk)
}

/// The dimensions of a chunk of this shape in the order that all transpositions together give.
fn composed(shape: &[u64], stages: &[NamedCodec<Rc<dyn ArrayToArray>>]) -> Vec<usize> {
    let mut axes = identity(shape);
    for stage in stages {
        if let Some(order) = stage.codec.permutation() {
            axes = compose(&axes, order);
        }
    }
    axes
}

fn compose(axes: &[usize], order: &[usize]) -> Vec<usize> {
    let mut composed = Vec::with_capacity(order.len());
    for dimension in order {
        composed.extend(axes.get(*dimension));
    }
    composed
}

fn check_len(encoded: &[u8], expected: usize) -> Result<()> {
    if encoded.len() == expected {
        return Ok(());
    }
    Err(Error::format("the chunk has the wrong length")
        .in_stage(Stage::Decode)
        .expected(format!("{expected} bytes"))
        .actual(format!("{} bytes", encoded.len())))
}

fn copy_run(src: &[u8], dst: &mut [u8], run: &Range<usize>) {
    if let (Some(src), Some(dst)) = (src.get(run.clone()), dst.get_mut(run.clone())) {
        dst.copy_from_slice(src);
    }
}

fn swap_run(elements: &mut [u8], run: &Range<usize>, packed: Option<&Packed>, element_size: usize) {
    if let (Some(bytes), Some(packed)) = (elements.get_mut(run.clone()), packed) {
        packed.decode_in_place(bytes, element_size);
    }
}

/// The byte runs of a box in a packed array, ascending and disjoint. Adjacent runs are merged. A
/// box with more than [`MAX_RUNS`] rows widens to whole rows of its outer dimensions.
// The chunk fits memory, so that positions fit usize. A list of one run is meant.
#[allow(clippy::cast_possible_truncation, clippy::single_range_in_vec_init)]
#[allow(
    clippy::arithmetic_side_effects,
    clippy::indexing_slicing,
    reason = "the box is in the array, and a chunk in memory has fewer than 2^32 bytes"
)]
fn runs_of_box(shape: &[u64], wanted: &[Range<u64>], element_size: usize) -> Vec<Range<usize>> {
    let mut run_len = element_size as u64;
    let mut dimension = shape.len();
    // Inner dimensions that are wanted whole merge with the next outer one into one run.
    while dimension > 0 {
        dimension -= 1;
        if wanted[dimension] != (0..shape[dimension]) {
            break;
        }
        run_len *= shape[dimension];
    }
    if shape.is_empty() || wanted[dimension] == (0..shape[dimension]) {
        return vec![0..run_len as usize];
    }
    let rows = wanted[..dimension].iter().map(|range| range.end - range.start).product::<u64>();
    if rows > MAX_RUNS {
        let mut outer = wanted.to_vec();
        outer[dimension] = 0..shape[dimension];
        return runs_of_box(shape, &outer, element_size);
    }
    let inner = &wanted[dimension];
    let (offset, len) = (inner.start * run_len, (inner.end - inner.start) * run_len);
    let row_len = run_len * shape[dimension];
    let strides = transposed_strides(&shape[..dimension], &identity(&shape[..dimension]));
    let (mut extents, mut first) = (Vec::with_capacity(dimension), 0);
    for (range, stride) in wanted[..dimension].iter().zip(&strides) {
        extents.push(len_of(range));
        first += range.start * *stride as u64;
    }
    let mut runs = Vec::with_capacity(rows as usize);
    for row in offsets(&extents, &strides) {
        let start = ((first + row as u64) * row_len + offset) as usize;
        runs.push(start..start + len as usize);
    }
    runs
}

#[cfg(all(test, not(target_arch = "wasm32")))]
#[allow(clippy::single_range_in_vec_init)] // A list of one run is meant.
mod tests {
    use super::*;

    #[test]
    fn permutations_compose() {
        assert_eq!(compose(&[1, 2, 0], &[2, 0, 1]), [0, 1, 2]);
    }

    #[test]
    fn runs_of_a_box_are_its_rows() {
        assert_eq!(runs_of_box(&[4, 5], &[1..3, 2..4], 2), [14..18, 24..28]);
        assert_eq!(runs_of_box(&[4, 5], &[1..3, 0..5], 2), [10..30]);
        assert_eq!(runs_of_box(&[4, 5], &[0..4, 0..5], 2), [0..40]);
        assert_eq!(runs_of_box(&[2, 3, 4], &[1..2, 1..2, 0..2], 1), [16..18]);
        assert_eq!(runs_of_box(&[], &[], 8), [0..8]);
    }

    #[test]
    fn too_many_rows_merge_to_longer_ones() {
        let runs = runs_of_box(&[100_000, 10], &[0..100_000, 1..2], 1);
        assert_eq!(runs, [0..1_000_000]);
    }
}
