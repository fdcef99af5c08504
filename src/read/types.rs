//! What the files of this room hand to each other: what is asked for, what comes of it, and why nothing may.

use std::cell::Cell;
use std::rc::Rc;

use crate::access::instruction::ProjectedAxis;
use crate::access::part::Part;
use crate::access::plan::PartProjection;
use crate::access::selection::Selection;
use crate::error::{Error, Result};
use crate::format::conversion::Conversion;
use crate::store::in_flight::InFlight;
use crate::store::{LocalFuture, Value};

/// What is read.
#[derive(Clone, Debug)]
pub struct ReadRequest {
    /// Which elements.
    pub selection: Selection,
    /// The array's dimensions in the order of the output's memory, slowest first; C order when absent.
    pub order: Option<Vec<usize>>,
    /// The sink keeps no more than a part: the result may be of any size.
    pub streamed: bool,
    /// Which place of the result (in the array's dimensions) is wanted first, the middle along those that are not given; parts come in C order
    /// without. Of points it says nothing.
    pub nearest: Option<Vec<f64>>,
    /// What becomes of the elements; they stay as they are when absent.
    pub conversion: Option<Conversion>,
    /// Whether what is fetched is decoded; it is kept at least where its store's may be.
    pub decodes: bool,
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
    /// One packed element, converted.
    pub fill_value: Vec<u8>,
    /// Bytes of one element, converted; 0 where elements have lengths of their own.
    pub element_size: usize,
    /// What becomes of the elements, for those who decode; empty where they stay as they are.
    pub conversion: Vec<u32>,
}

/// The elements of a part: first what is below, then chunks over it.
#[derive(Clone, Debug)]
pub struct PartData {
    /// What is below.
    pub base: Base,
    /// Chunks of which the part has some; no two have a place in common.
    pub chunks: Vec<PlacedChunk>,
}

/// What a part is where no chunk is placed.
#[derive(Clone, Debug)]
pub enum Base {
    /// All fill value.
    Fill,
    /// Packed elements in the order of the layout.
    Bytes(Value),
    /// In its place already, or nowhere: the chunks fill the part.
    Covered,
}

/// What a part takes from a chunk that is decoded already. Others may use the same bytes: they are read, and never changed or given
/// away.
#[derive(Clone, Debug)]
pub struct PlacedChunk {
    /// Its elements, packed.
    pub elements: Value,
    /// Elements from one index to the next, along each dimension of the array.
    pub strides: Vec<usize>,
    /// Which of them go where in the part, dimension by dimension; only ranges.
    pub projection: Vec<ProjectedAxis>,
}

/// How far a read is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Stored chunks, or inner ones, that have arrived or are known to be absent.
    pub chunks: u64,
    /// Bytes that have arrived for this read.
    pub bytes: u64,
    /// PartsInFlight handed over.
    pub parts: u64,
    /// PartsInFlight in all.
    pub parts_total: u64,
    /// Chunks in all; of points 0, since that would take a look at each.
    pub chunks_total: u64,
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

/// What a read keeps of its chunks: nothing, where it would only drive out what others use.
pub(super) struct CachePolicy {
    pub encoded: bool,
    pub decoded: bool,
    /// The order in which the array's dimensions stand in a chunk.
    pub native_order: Vec<usize>,
}

/// How far a part is: chunks that have arrived, or are known to be absent, and bytes.
#[derive(Default)]
pub(super) struct PartCounts {
    pub chunks: Cell<u64>,
    pub bytes: Cell<u64>,
}

/// What became of a part.
pub(super) struct FinishedPart {
    pub data: PartData,
    /// Its elements were put in the place of whoever began it, and are nowhere else.
    pub is_placed: bool,
}

pub(super) type PartResult = std::result::Result<Rc<FinishedPart>, Interrupted>;

/// A decoded chunk (`None`: absent) and how many bytes were fetched for it.
#[derive(Clone)]
pub(super) struct WholeChunk {
    pub elements: Option<Value>,
    pub fetched: u64,
}

/// The chunks of a batch, in order.
pub(super) type DecodedBatch = std::result::Result<Rc<Vec<WholeChunk>>, Interrupted>;

/// Why a part was not read.
#[derive(Clone)]
pub(super) enum Interrupted {
    /// The version of a stored chunk is not that of its index.
    Changed(Rc<[u64]>),
    Failed(Error),
}

impl From<Error> for Interrupted {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

/// Array indices where a leaf chunk starts.
pub(super) type ChunkOrigin = Rc<[u64]>;

/// Whole chunks under way that others may take from, each with its place in its batch.
pub(super) type BatchesInFlight = InFlight<ChunkOrigin, DecodedBatch, usize>;

/// PartsInFlight under way, by the words of what they are of and of their form.
pub(super) type PartsInFlight = InFlight<Rc<[u32]>, PartResult, PartNote>;

/// What is known of a part under way.
#[derive(Clone)]
pub(super) struct PartNote {
    /// Which read has begun it.
    pub read: Rc<()>,
    pub projection: PartProjection,
    pub conversion: Vec<u32>,
    pub counts: Rc<PartCounts>,
    pub is_wanted: Rc<Cell<bool>>,
}
