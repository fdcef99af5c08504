//! Reads a selection of an array: splits it into parts, reads several parts at a time, and hands
//! each finished part to a sink. The sink builds the result; this file knows nothing about results.

use std::ops::Range;
use std::rc::Rc;

use futures_util::stream::{self, StreamExt, TryStreamExt};

use crate::access::nearest::NearestFirst;
use crate::access::part::{Part, PartGrid};
use crate::access::plan::PartPlan;
use crate::access::projection::{DimensionProjection, project};
use crate::access::selection::{Selected, check_order, memory_order, resolve};
use crate::access::shard_order::ShardOrder;
use crate::access::spread::spread;
use crate::error::{Error, Result};
use crate::limits;
use crate::read::array::Array;
use crate::read::chunk_cache::{self, CacheKind};
use crate::read::decoder::Decoder;
use crate::read::fetching::ChunkFetcher;
use crate::read::part_reader::PartReader;
use crate::read::part_work::ReadContext;
use crate::read::types::{CachePolicy, Growth, OutputLayout, PartSink, Progress, ReadRequest};
use crate::read::whole_shards::WholeShards;
use crate::store::merged_ranges::MERGED_BYTES;
use crate::store::{Bulk, Reader, RequestContext};

/// Number of parts that are read at a time. It keeps the connections busy and bounds the memory.
const PARTS_IN_FLIGHT: usize = 32;

/// The parts in flight begin in this number of groups. All parts of a group begin together, because
/// the chunks of one part often lie between those of another in the same shard. So their ranges can
/// be merged into few requests.
const GROUPS_IN_FLIGHT: usize = 2;

/// Bytes of decoded parts that a stream may hold before its reader takes them.
const STREAMED_BYTES: u64 = 32 << 20;

/// The most parts of a reduction of shards in flight. Parts may be small, and only requests of many
/// of them are long.
const REDUCED_IN_FLIGHT: usize = 128;

/// The longest requests of a reduction: 40 of them fetch half a GiB. In longer ones there is little
/// to gain.
const LONGEST_REQUEST: u64 = 16 << 20;

/// A reduction takes this number of requests at least, so that decoding overlaps fetching.
const MIN_REQUESTS: u64 = 32;

/// Splits a read into parts: the dimension projections of an orthogonal selection, or points.
enum PartPlanner {
    Orthogonal { projections: Vec<DimensionProjection>, grid: PartGrid },
    Points { points: Vec<Rc<[u64]>>, count: u64, step: u64 },
}

/// A part, the number of its chunks, and a function that plans it.
type PlannedPart<'a> = (Part, u64, Box<dyn Fn() -> Result<PartPlan> + 'a>);

/// Reads a selection of an array. Returns the final progress.
///
/// # Errors
/// `Argument` for a selection outside the array; `Limit` for a result too large for one buffer;
/// errors of the store and of the codecs. All name the node.
pub async fn read(
    array: &Rc<Array>,
    request: &ReadRequest,
    decoder: &Rc<dyn Decoder>,
    sink: &dyn PartSink,
    context: &RequestContext,
) -> Result<Progress> {
    let result = read_selected(array, request, decoder, sink, context).await;
    result.map_err(|error| error.at_node(array.path().as_str()))
}

async fn read_selected(
    array: &Rc<Array>,
    request: &ReadRequest,
    decoder: &Rc<dyn Decoder>,
    sink: &dyn PartSink,
    context: &RequestContext,
) -> Result<Progress> {
    let metadata = array.binding().metadata();
    let padded = request.padded.then(|| metadata.chunk_grid.padded_shape(&metadata.shape));
    let selected = resolve(&request.selection, padded.as_deref().unwrap_or(&metadata.shape))?;
    let mut layout = layout(array, request, &selected)?;
    if !request.streamed {
        // An element of variable length takes at least a reference.
        let extents = layout.shape.iter().copied().chain([typical_size(&layout) as u64]);
        check_size(extents)?;
    }
    let planner = PartPlanner::new(array, request, selected, &layout)?;
    layout.parts = planner.part_count();
    layout.touched = planner.touched(array)?;
    sink.begin(&layout)?;
    if context.reload {
        // Once for the whole read, so that its parts share what they fetch anew.
        array.forget_chunks();
    }
    let cache_policy = planner.cache_policy(array, request, &layout)?;
    let fetcher = ChunkFetcher {
        array: array.clone(),
        context: RequestContext { reader: Some(Rc::new(Reader::begin())), ..context.clone() },
        fills_cache: cache_policy.encoded,
        uses_cache: !context.reload,
        bulk: bulk(array, request, &layout)?,
        shards: planner.whole_shards(array)?,
        versions: Rc::default(),
    };
    let part_work = ReadContext {
        fetcher,
        decoder: decoder.clone(),
        layout: layout.clone(),
        cache_policy,
        reduces: request.growth.is_some(),
        token: Rc::new(()),
    };
    let reader = PartReader::new(part_work, sink, planner.chunk_count(), request.decodes);
    let in_flight = parts_in_flight(array, request, &planner, &layout)?;
    let group = (in_flight / GROUPS_IN_FLIGHT).max(1);
    let shards = planner.shard_order(array, request)?;
    stream::iter(planner.order(request, shards.as_ref()).enumerate())
        .then(|(number, i)| {
            let (planner, reader) = (&planner, &reader);
            async move {
                reader.finished((number / group).saturating_sub(GROUPS_IN_FLIGHT - 1) * group).await;
                if number.saturating_add(group) as u64 >= planner.part_count() {
                    reader.shorten_requests();
                }
                let (part, chunks, plan) = planner.part(array, i);
                reader.take_turn(chunks).await;
                (Part { number: number as u64, ..part }, chunks, plan)
            }
        })
        .map(|(part, chunks, plan)| {
            let reader = &reader;
            async move { reader.read(&part, chunks, &plan).await }
        })
        .buffer_unordered(in_flight)
        .try_collect::<()>()
        .await?;
    Ok(reader.progress())
}

/// Checks that a result fits into one buffer. The product of `extents` is its size in bytes.
fn check_size(extents: impl Iterator<Item = u64>) -> Result<()> {
    let bytes = limits::product(extents, "result").unwrap_or(u64::MAX);
    if bytes <= limits::RESULT_BYTES {
        return Ok(());
    }
    let advice = "select fewer elements, use a step, or read it in parts with `stream`";
    let actual = if bytes == u64::MAX { "more than 2^64 bytes".to_owned() } else { format!("{bytes} bytes") };
    let error = Error::limit(format!("the result is too large for one buffer: {advice}"));
    Err(error.expected(format!("at most {} bytes", limits::RESULT_BYTES)).actual(actual))
}

/// Number of parts that are read at a time. A streamed part waits for its reader, so a stream is
/// bounded by bytes.
fn parts_in_flight(
    array: &Array,
    request: &ReadRequest,
    planner: &PartPlanner,
    layout: &OutputLayout,
) -> Result<usize> {
    if !request.streamed {
        return Ok(PARTS_IN_FLIGHT);
    }
    let (bytes, most) = match &request.growth {
        Some(growth) if in_bulk(array, request)? => {
            (growth.together.saturating_mul(GROUPS_IN_FLIGHT as u64), REDUCED_IN_FLIGHT)
        }
        _ => (STREAMED_BYTES, PARTS_IN_FLIGHT),
    };
    let part = planner.first_part_elements().saturating_mul(typical_size(layout) as u64).max(1);
    Ok(usize::try_from(bytes / part).unwrap_or(most).clamp(2, most))
}

/// Whether ranges of shards are asked for in bulk. Not where the parts that come first are to be a
/// sample of the whole: they are not neighbours.
fn in_bulk(array: &Array, request: &ReadRequest) -> Result<bool> {
    Ok(request.growth.is_some() && !request.spreads && array.binding().first_chain()?.depth() > 1)
}

/// How ranges of shards are asked for. The fewer bytes a reduction has, the shorter its requests
/// are.
fn bulk(array: &Array, request: &ReadRequest, layout: &OutputLayout) -> Result<Option<Rc<Bulk>>> {
    let Some(growth) = request.growth.as_ref().filter(|_| request.decodes) else { return Ok(None) };
    if !in_bulk(array, request)? {
        return Ok(None);
    }
    let bytes = layout.touched.unwrap_or(0).saturating_mul(typical_size(layout) as u64);
    let longest = LONGEST_REQUEST.min(growth.together).max(MERGED_BYTES);
    let merged = (bytes / MIN_REQUESTS).clamp(MERGED_BYTES, longest);
    Ok(Some(Rc::new(Bulk::new(merged))))
}

impl PartPlanner {
    /// Decides which chunks the read caches.
    fn cache_policy(
        &self,
        array: &Array,
        request: &ReadRequest,
        layout: &OutputLayout,
    ) -> Result<CachePolicy> {
        let native_order = array.binding().native_order()?;
        let is_cacheable = array.chunks().is_cacheable();
        let fits = |kind, bytes| is_cacheable && bytes <= chunk_cache::capacity(kind) / 2;
        let size = typical_size(layout) as u64;
        let touched = layout.touched.map(|elements| elements.saturating_mul(size));
        let encoded = fits(CacheKind::Encoded, touched.unwrap_or(0));
        // A summary (such as a range of values) of a part cannot be computed from summaries of
        // chunks.
        let is_summary = request.conversion.as_ref().is_some_and(|to| to.element_size().is_none());
        let decoded =
            request.decodes && !is_summary && touched.is_some_and(|bytes| fits(CacheKind::Decoded, bytes));
        Ok(CachePolicy { encoded, decoded, native_order })
    }

    /// Number of elements of all chunks that an orthogonal selection touches; unknown for points.
    fn touched(&self, array: &Array) -> Result<Option<u64>> {
        let Self::Orthogonal { projections, .. } = self else { return Ok(None) };
        let shape = array.binding().chunk_shape()?;
        let extents =
            projections.iter().zip(shape).map(|(axis, extent)| axis.span_count().saturating_mul(extent));
        Ok(Some(extents.fold(1, u64::saturating_mul)))
    }

    fn new(array: &Array, request: &ReadRequest, selected: Selected, layout: &OutputLayout) -> Result<Self> {
        match selected {
            Selected::Orthogonal(axes) => {
                let projections = project(&axes, &array.binding().leaf_grid()?)?;
                let size = typical_size(layout).max(array.binding().element_size());
                let grid = match &request.growth {
                    Some(Growth { order, bytes, .. }) => PartGrid::grown(&projections, size, order, *bytes)?,
                    None => PartGrid::new(&projections, size, &layout.order)?,
                };
                Ok(Self::Orthogonal { projections, grid })
            }
            Selected::Points(points) => {
                // Points are not sorted, so several parts may decode the same chunk. Few parts keep
                // that rare.
                let step = (crate::access::part::WHOLE_BYTES / typical_size(layout) as u64).max(1);
                Ok(Self::Points { points, count: layout.shape.iter().product(), step })
            }
        }
    }

    /// Decides whether to fetch whole shards; never for points.
    fn whole_shards(&self, array: &Array) -> Result<Option<Rc<WholeShards>>> {
        match self {
            Self::Orthogonal { projections, .. } => WholeShards::for_read(array, projections),
            Self::Points { .. } => Ok(None),
        }
    }

    /// Number of parts.
    fn part_count(&self) -> u64 {
        match self {
            Self::Orthogonal { grid, .. } => grid.count(),
            Self::Points { count, step, .. } => count.div_ceil(*step),
        }
    }

    /// Number of chunks; 0 for points, where counting would visit each point.
    fn chunk_count(&self) -> u64 {
        match self {
            Self::Orthogonal { projections, .. } => {
                projections.iter().map(DimensionProjection::span_count).fold(1, u64::saturating_mul)
            }
            Self::Points { .. } => 0,
        }
    }

    /// Number of elements of the first part. The others have about as many.
    fn first_part_elements(&self) -> u64 {
        match self {
            Self::Orthogonal { projections, grid } if grid.count() > 0 => {
                grid.part(0, projections).part.shape.iter().copied().fold(1, u64::saturating_mul)
            }
            Self::Orthogonal { .. } => 1,
            Self::Points { step, .. } => *step,
        }
    }

    /// The numbers of the parts in the order in which they are read.
    fn order<'a>(
        &'a self,
        request: &ReadRequest,
        shards: Option<&'a ShardOrder>,
    ) -> Box<dyn Iterator<Item = u64> + 'a> {
        match (self, &request.nearest) {
            (Self::Orthogonal { projections, grid }, Some(given)) => {
                let places = move |dimension, at| grid.places(projections, dimension, at);
                Box::new(NearestFirst::new(grid.shape(), &centre(projections, given), places))
            }
            (Self::Orthogonal { grid, .. }, None) if request.spreads => Box::new(spread(grid.count())),
            _ => match shards {
                Some(shards) => Box::new(shards.numbers()),
                None => Box::new(0..self.part_count()),
            },
        }
    }

    /// The order of the parts of a reduction shard by shard, if that changes no answer.
    fn shard_order(&self, array: &Array, request: &ReadRequest) -> Result<Option<ShardOrder>> {
        let (Self::Orthogonal { projections, grid }, Some(growth)) = (self, &request.growth) else {
            return Ok(None);
        };
        let binding = array.binding();
        if !in_bulk(array, request)? || !binding.metadata().chunk_grid.is_uniform() {
            return Ok(None);
        }
        let outer = binding.outer_shape().into_iter();
        let in_shard = outer.zip(binding.chunk_shape()?).map(|(outer, inner)| outer.div_ceil(inner.max(1)));
        Ok(ShardOrder::new(grid, projections, &in_shard.collect::<Vec<_>>(), &growth.apart))
    }

    /// Part `i`, the number of its chunks, and a function that plans it. The plan is made again if
    /// a shard changes during the read.
    fn part<'a>(&'a self, array: &'a Array, i: u64) -> PlannedPart<'a> {
        let binding = array.binding();
        match self {
            Self::Orthogonal { projections, grid } => {
                let part = grid.part(i, projections);
                let spans = part.spans;
                let chunks = spans.iter().map(|along| along.end - along.start).fold(1, u64::saturating_mul);
                (part.part, chunks, Box::new(move || PartPlan::orthogonal(binding, projections, &spans)))
            }
            Self::Points { points, count, step } => {
                let range: Range<u64> = i * step..((i + 1) * step).min(*count);
                let part = Part { start: vec![range.start], shape: vec![range.end - range.start], number: i };
                (part, 0, Box::new(move || PartPlan::points(binding, points, range.clone())))
            }
        }
    }
}

/// The requested indices; the middle of the result along dimensions that the request leaves out.
/// Only distances are computed from it, so rounding does no harm.
#[allow(clippy::cast_precision_loss)]
fn centre(projections: &[DimensionProjection], given: &[f64]) -> Vec<f64> {
    let along = projections.iter().enumerate();
    along.map(|(at, axis)| given.get(at).copied().unwrap_or(axis.count() as f64 / 2.0)).collect()
}

/// Bytes of an element, to size parts and to bound results. Elements of variable length count as 8.
fn typical_size(layout: &OutputLayout) -> usize {
    if layout.element_size == 0 { 8 } else { layout.element_size }
}

/// The layout of the result, before its parts are planned.
fn layout(array: &Array, request: &ReadRequest, selected: &Selected) -> Result<OutputLayout> {
    let (shape, kept) = (selected.shape(), selected.kept());
    let order = memory_order(selected, request.order.as_deref())?;
    if let Some(growth) = &request.growth {
        check_order(&growth.order, shape.len())?;
    }
    let binding = array.binding();
    let metadata = binding.metadata();
    let mut fill_value = metadata.fill_value.0.clone();
    let (mut element_size, mut words) = (binding.element_size(), Vec::new());
    if let Some(conversion) = &request.conversion {
        fill_value = conversion.apply(&metadata.data_type, &fill_value)?;
        element_size = conversion.element_size().unwrap_or(element_size);
        words = conversion.to_words()?;
    }
    Ok(OutputLayout {
        shape,
        kept,
        order,
        parts: 0,
        touched: None,
        fill_value,
        element_size,
        conversion: words,
    })
}
