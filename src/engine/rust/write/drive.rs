//! Writes the chunks of a selection, several at a time.
//!
//! A chunk that the selection covers is encoded directly. Other chunks are read, changed and
//! written back. A shard is stored once. If a chunk fails, the chunks in flight are finished, no
//! other is started, and the error says how many chunks were written.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use futures_util::stream::{self, StreamExt};

use crate::access::chunk_update::{Change, ChunkUpdate};
use crate::access::selection::{Indices, resolve};
use crate::access::write_plan::{ChunkWrite, WritePlan, each_run};
use crate::error::{Error, Result, Stage};
use crate::format::codec::array_bytes::VariableBytes;
use crate::limits;
use crate::read::array::Array;
use crate::store::{RequestContext, Value};
use crate::write::chunk_writer::ChunkWriter;
use crate::write::encoder::Encoder;
use crate::write::fit::Fitted;
use crate::write::types::{ChunkChange, ChunkOutcome, WriteProgress, WriteRequest, WriteSource};

// Limits of the chunks in flight: their decoded bytes, and their number.
const BYTES_IN_FLIGHT: u64 = 1 << 26;
const CHUNKS_IN_FLIGHT: u64 = 16;

/// Number of keys that the error of a failed write names.
const NAMED_KEYS: usize = 8;

/// Writes to a selection of an array. Returns the final progress.
///
/// # Errors
/// `Argument` for a selection outside the array, or for elements that do not match the selection;
/// errors of the store and of the codecs. The message says how many chunks were written and how
/// many were not.
pub async fn write(
    array: &Rc<Array>,
    request: &WriteRequest,
    encoder: &dyn Encoder,
    progress: &dyn Fn(&WriteProgress),
    context: &RequestContext,
) -> Result<WriteProgress> {
    let write = WriteRun::new(array, request);
    let written = match &write {
        Ok(write) => write.run(encoder, progress, context).await,
        Err(error) => Err(error.clone()),
    };
    written.map_err(|error| error.at_node(array.path().as_str()))
}

/// A write, and its plan.
pub(crate) struct WriteRun<'a> {
    array: &'a Rc<Array>,
    request: &'a WriteRequest,
    elements: Fitted,
    plan: WritePlan,
    total: u64,
}

impl<'a> WriteRun<'a> {
    /// Plans a write, and refuses one that cannot be. It stores nothing.
    pub fn new(array: &'a Rc<Array>, request: &'a WriteRequest) -> Result<Self> {
        let binding = array.binding();
        let selected = resolve(&request.selection, &binding.metadata().shape)?;
        let elements = Fitted::new(&request.elements, &selected, binding.metadata().data_type.size())?;
        let plan = WritePlan::new(binding, &selected)?;
        // Refuses an array with unknown codecs before anything is written.
        binding.first_chain()?;
        let total = plan.chunk_count()?;
        Ok(Self { array, request, elements, plan, total })
    }

    pub async fn run(
        &self,
        encoder: &dyn Encoder,
        progress: &dyn Fn(&WriteProgress),
        context: &RequestContext,
    ) -> Result<WriteProgress> {
        let writer = ChunkWriter::new(self.array, encoder, context);
        let at = Cell::new(WriteProgress { chunks_total: self.total, ..WriteProgress::default() });
        let failures = RefCell::new(Failures::default());
        let writes = stream::iter(0..self.total).take_while(|_| {
            if encoder.is_abandoned() {
                failures.borrow_mut().first.get_or_insert_with(|| Error::aborted("the write was aborted"));
            }
            let go_on = failures.borrow().first.is_none();
            async move { go_on }
        });
        let writes = writes.map(|i| {
            let (writer, at, failures) = (&writer, &at, &failures);
            async move {
                match self.chunk(i, writer).await {
                    Ok(done) => {
                        at.set(advanced(at.get(), done));
                        progress(&at.get());
                    }
                    Err(error) => failures.borrow_mut().add(error),
                }
            }
        });
        writes.buffer_unordered(self.in_flight()?).for_each(|()| async {}).await;
        failures.into_inner().into_result(&at.get())
    }

    async fn chunk(&self, i: u64, writer: &ChunkWriter<'_>) -> Result<ChunkOutcome> {
        let ChunkWrite { chunk, projection, source: places, covers } = self.plan.chunk(i)?;
        let new = &self.request.elements;
        let cut = self.elements.sources(places);
        let (elements, broadcast) = match &self.elements.source {
            WriteSource::Element(element) => (Value::from(element.clone()), true),
            WriteSource::Elements(elements) => (self.cut_fixed(elements, &cut)?, false),
            WriteSource::Variable(elements) => (self.cut_variable(elements, &cut)?, false),
        };
        let update = ChunkUpdate {
            chunk,
            change: Change::Write { projection, broadcast },
            keep_empty: new.keep_empty_chunks,
            order: new.chunk_order,
        };
        writer.change(ChunkChange { update, elements, covers }).await
    }

    /// The packed elements of one chunk. If they are contiguous in the source, the chunk shares its
    /// bytes.
    fn cut_fixed(&self, elements: &Value, cut: &[Indices]) -> Result<Value> {
        let size = self.array.binding().element_size() as u64;
        let len = limits::product(cut.iter().map(Indices::count).chain([size]), "elements of a chunk")?;
        let mut contiguous = None;
        let mut packed = Vec::new();
        each_run(&self.elements.shape, cut, &mut |run| {
            let (start, end) = (run.start * size, run.end * size);
            if end - start == len {
                contiguous = Some(start..end);
                return Ok(());
            }
            if packed.is_empty() {
                limits::reserve(&mut packed, limits::within(len, limits::CHUNK_BYTES, "chunk")?, "chunk")?;
            }
            let at = packed.len();
            packed.resize(at + limits::to_usize(end - start, "chunk")?, 0);
            elements.copy_to(start, packed.get_mut(at..).unwrap_or_default())
        })?;
        contiguous.map_or_else(|| Ok(packed.into()), |range| elements.slice(range))
    }

    /// The elements of variable length of one chunk, packed.
    fn cut_variable(&self, elements: &VariableBytes, cut: &[Indices]) -> Result<Value> {
        let mut packed = VariableBytes::new();
        each_run(&self.elements.shape, cut, &mut |run| {
            run.into_iter().try_for_each(|number| {
                let element = elements.get(limits::to_usize(number, "element")?);
                packed.push(element.ok_or_else(|| too_few_elements(number, elements.len()))?)
            })
        })?;
        Ok(packed.to_packed().into())
    }

    /// Number of chunks in flight.
    fn in_flight(&self) -> Result<usize> {
        let size = self.array.binding().element_size().max(8) as u64;
        let bytes = limits::product(self.array.binding().outer_shape().into_iter().chain([size]), "chunk")?;
        limits::to_usize((BYTES_IN_FLIGHT / bytes.max(1)).clamp(1, CHUNKS_IN_FLIGHT), "chunks in flight")
    }
}

fn too_few_elements(number: u64, actual: usize) -> Error {
    let error = Error::argument("the new elements do not fill the selection").in_stage(Stage::Encode);
    error.expected(format!("more than {number} elements")).actual(format!("{actual} elements"))
}

fn advanced(mut progress: WriteProgress, done: ChunkOutcome) -> WriteProgress {
    progress.chunks += 1;
    match done {
        ChunkOutcome::Stored(bytes) => progress.bytes += bytes,
        ChunkOutcome::Erased | ChunkOutcome::Nothing => progress.empty += 1,
    }
    progress
}

/// The errors of a write.
#[derive(Default)]
pub(super) struct Failures {
    first: Option<Error>,
    keys: Vec<String>,
    count: u64,
}

impl Failures {
    pub fn add(&mut self, error: Error) {
        self.count += 1;
        if self.keys.len() < NAMED_KEYS {
            self.keys.extend(error.context().key.clone());
        }
        self.first.get_or_insert(error);
    }

    /// The first error, with the number of chunks that were written; the progress if there is no
    /// error.
    pub fn into_result(self, progress: &WriteProgress) -> Result<WriteProgress> {
        let Some(first) = self.first else { return Ok(*progress) };
        let not_begun = progress.chunks_total - progress.chunks - self.count;
        let message = format!(
            "{}; {} of {} chunks were written, {} failed ({}), {not_begun} were not begun",
            first.message(),
            progress.chunks,
            progress.chunks_total,
            self.count,
            self.keys.join(", "),
        );
        let mut error = Error::new(first.kind(), message).with_context(first.context().clone());
        if let Some(cause) = first.cause() {
            error = error.caused_by(cause.clone());
        }
        Err(error)
    }
}
