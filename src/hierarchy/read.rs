//! Reading: the only loop that awaits bytes. It drives the plan of each part over a store and a decoder, and hands finished
//! parts to a sink as they come. Deliberately without knowledge of results: placing parts is the sink's matter.

use std::ops::Range;
use std::rc::Rc;

use futures_util::stream::{self, StreamExt, TryStreamExt};

use crate::access::part::{Part, PartGrid};
use crate::access::plan::PartPlan;
use crate::access::projection::AxisProjection;
use crate::access::selection::{Selected, Selection};
use crate::error::{Error, Result};
use crate::hierarchy::array::Array;
use crate::hierarchy::decoder::Decoder;
use crate::hierarchy::read_part::PartReader;
use crate::limits;
use crate::store::{LocalFuture, RequestContext, Value};

/// How many parts are fetched at a time: enough to keep connections busy, few enough that memory stays within some parts.
const PARTS_IN_FLIGHT: usize = 32;

/// What is read.
#[derive(Clone, Debug)]
pub struct ReadRequest {
    /// Which elements.
    pub selection: Selection,
    /// The array's dimensions in the order of the output's memory, slowest first; C order when absent.
    pub order: Option<Vec<usize>>,
    /// The sink keeps no more than a part: the result may be of any size.
    pub streamed: bool,
}

/// What the sink must make room for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutputLayout {
    /// Extent along each dimension of the array (1 for integer indices); one dimension for points.
    pub shape: Vec<u64>,
    /// Which of them the result keeps.
    pub kept: Vec<bool>,
    /// Dimensions in the order of memory, slowest first.
    pub order: Vec<usize>,
    /// How many parts will come.
    pub parts: u64,
    /// One packed element.
    pub fill_value: Vec<u8>,
    /// Bytes of one element; 0 where elements have lengths of their own.
    pub element_size: usize,
}

/// The elements of a part.
#[derive(Clone, Debug)]
pub enum PartData {
    /// All fill value.
    Fill,
    /// Packed elements in the order of the layout.
    Bytes(Value),
}

/// How far a read is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Stored chunks, or inner ones, that have arrived or are known to be absent.
    pub chunks: u64,
    /// Bytes that have arrived for this read.
    pub bytes: u64,
    /// Parts handed over.
    pub parts: u64,
    /// Parts in all.
    pub parts_total: u64,
}

/// Whoever takes the parts of a read.
pub trait PartSink {
    /// Called once, before the first part.
    ///
    /// # Errors
    /// When there is no room.
    fn begin(&self, layout: &OutputLayout) -> Result<()>;

    /// Takes a part; parts come in any order, each once.
    fn part(&self, part: &Part, data: PartData) -> LocalFuture<'_, Result<()>>;

    /// Called as bytes arrive and parts are done.
    fn progress(&self, progress: &Progress) {
        let _ = progress;
    }
}

/// What a read is made of: the projections of a box, or points.
enum Work {
    Orthogonal { projections: Vec<AxisProjection>, grid: PartGrid },
    Points { points: Vec<Rc<[u64]>>, count: u64, step: u64 },
}

/// Reads a selection of an array.
///
/// # Errors
/// `Argument` for a selection outside the array, `Limit` for a result too large to be held, and whatever store and codecs report;
/// all name the node.
pub async fn read(
    array: &Rc<Array>,
    request: &ReadRequest,
    decoder: &dyn Decoder,
    sink: &dyn PartSink,
    context: &RequestContext,
) -> Result<()> {
    let result = read_selected(array, request, decoder, sink, context).await;
    result.map_err(|error| error.at_node(array.path().as_str()))
}

async fn read_selected(
    array: &Rc<Array>,
    request: &ReadRequest,
    decoder: &dyn Decoder,
    sink: &dyn PartSink,
    context: &RequestContext,
) -> Result<()> {
    let selected = request.selection.resolve(&array.binding().metadata().shape)?;
    let mut layout = layout(array, request, &selected)?;
    if !request.streamed {
        // An element with a length of its own takes a reference at least.
        let extents = layout.shape.iter().copied().chain([typical_size(&layout) as u64]);
        limits::within(limits::product(extents, "result")?, limits::RESULT_BYTES, "result")?;
    }
    let work = Work::new(array, selected, &layout)?;
    layout.parts = work.part_count();
    sink.begin(&layout)?;
    let reader = PartReader::new(array, decoder, sink, context, &layout);
    stream::iter(0..layout.parts)
        .map(|i| {
            let (work, reader) = (&work, &reader);
            async move {
                let (part, plan) = work.part(array, i);
                reader.read(&part, &plan).await
            }
        })
        .buffer_unordered(PARTS_IN_FLIGHT)
        .try_collect::<()>()
        .await
}

impl Work {
    fn new(array: &Array, selected: Selected, layout: &OutputLayout) -> Result<Self> {
        match selected {
            Selected::Orthogonal(axes) => {
                let leaf_grid = array.binding().leaf_grid()?;
                let projections = axes
                    .iter()
                    .zip(&leaf_grid)
                    .map(|(axis, grid)| AxisProjection::new(&axis.indices, grid))
                    .collect::<Result<Vec<_>>>()?;
                let grid = PartGrid::new(&projections, typical_size(layout), &layout.order)?;
                Ok(Self::Orthogonal { projections, grid })
            }
            Selected::Points(points) => {
                // Points are not sorted: parts would decode the same chunks again, so there are few of them.
                let step = (crate::access::part::WHOLE_BYTES / typical_size(layout) as u64).max(1);
                Ok(Self::Points { points, count: layout.shape.iter().product(), step })
            }
        }
    }

    fn part_count(&self) -> u64 {
        match self {
            Self::Orthogonal { grid, .. } => grid.count(),
            Self::Points { count, step, .. } => count.div_ceil(*step),
        }
    }

    /// Part `i`, and how to plan it (again, where a shard changed while it was read).
    fn part<'a>(&'a self, array: &'a Array, i: u64) -> (Part, Box<dyn Fn() -> Result<PartPlan> + 'a>) {
        let binding = array.binding();
        match self {
            Self::Orthogonal { projections, grid } => {
                let part = grid.part(i, projections);
                let spans = part.spans;
                (part.part, Box::new(move || PartPlan::orthogonal(binding, projections, &spans)))
            }
            Self::Points { points, count, step } => {
                let range: Range<u64> = i * step..((i + 1) * step).min(*count);
                let part = Part { start: vec![range.start], shape: vec![range.end - range.start] };
                (part, Box::new(move || PartPlan::points(binding, points, range.clone())))
            }
        }
    }
}

/// Bytes of an element, for cutting parts and bounding results; an element with a length of its own is taken for a short word.
fn typical_size(layout: &OutputLayout) -> usize {
    if layout.element_size == 0 { 8 } else { layout.element_size }
}

fn layout(array: &Array, request: &ReadRequest, selected: &Selected) -> Result<OutputLayout> {
    let (shape, kept) = (selected.shape(), selected.kept());
    let in_c_order: Vec<usize> = (0..shape.len()).collect();
    let order = match &request.order {
        Some(order) if matches!(selected, Selected::Orthogonal(_)) => {
            let mut sorted = order.clone();
            sorted.sort_unstable();
            if sorted != in_c_order {
                return Err(Error::argument("the memory order is not a permutation of the dimensions")
                    .actual(format!("{order:?}")));
            }
            order.clone()
        }
        _ => in_c_order,
    };
    let binding = array.binding();
    let fill_value = binding.metadata().fill_value.0.clone();
    Ok(OutputLayout { shape, kept, order, parts: 0, fill_value, element_size: binding.element_size() })
}
