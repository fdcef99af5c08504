//! Writing: the chunks of a selection, several at a time, each read, changed and stored on its own.
//!
//! Whole chunks are encoded straight from the source; others are read, changed and written back; a shard is stored once. When
//! something fails, what has begun is finished, nothing more is begun, and the error says how far the write came.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use futures_util::stream::{self, StreamExt};

use crate::access::chunk_update::{self, Change, ChunkUpdate};
use crate::access::write_plan::{ChunkWrite, SourceAxis, WritePlan, each_run};
use crate::error::{Error, Result, Stage};
use crate::format::codec::array_bytes::VariableBytes;
use crate::limits;
use crate::read::array::Array;
use crate::store::{RequestContext, Value};
use crate::write::chunk_writer::ChunkWriter;
use crate::write::encoder::Encoder;
use crate::write::types::{ChunkChange, Done, WriteProgress, WriteRequest, WriteSource};

/// Chunks under way at a time hold about so many decoded bytes, and are no more than so many.
const BYTES_IN_FLIGHT: u64 = 1 << 26;
const CHUNKS_IN_FLIGHT: u64 = 16;

/// So many keys are named when a write fails.
const NAMED_KEYS: usize = 8;

/// Writes to a selection of an array.
///
/// # Errors
/// `Argument` for a selection outside the array and elements that do not fill it; whatever store and codecs report, with how many
/// chunks were written and which were not.
pub async fn write(
    array: &Rc<Array>,
    request: &WriteRequest,
    encoder: &dyn Encoder,
    progress: &dyn Fn(&WriteProgress),
    context: &RequestContext,
) -> Result<WriteProgress> {
    let write = Write::new(array, request);
    let written = match &write {
        Ok(write) => write.run(encoder, progress, context).await,
        Err(error) => Err(error.clone()),
    };
    written.map_err(|error| error.at_node(array.path().as_str()))
}

struct Write<'a> {
    array: &'a Rc<Array>,
    request: &'a WriteRequest,
    plan: WritePlan,
    total: u64,
}

impl<'a> Write<'a> {
    fn new(array: &'a Rc<Array>, request: &'a WriteRequest) -> Result<Self> {
        let binding = array.binding();
        let selected = request.selection.resolve(&binding.metadata().shape)?;
        let plan = WritePlan::new(binding, &selected)?;
        check_source(&request.source, plan.source_shape(), binding.metadata().data_type.size())?;
        // An array whose codecs nobody knows is refused before anything is written.
        binding.first_chain()?;
        let total = plan.chunk_count()?;
        Ok(Self { array, request, plan, total })
    }

    async fn run(
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
                failures.borrow_mut().first.get_or_insert_with(|| Error::aborted("the write was given up"));
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

    async fn chunk(&self, i: u64, writer: &ChunkWriter<'_>) -> Result<Done> {
        let ChunkWrite { chunk, projection, source: cut, covers } = self.plan.chunk(i)?;
        let (elements, broadcast) = match &self.request.source {
            WriteSource::Element(element) => (Value::from(element.clone()), true),
            WriteSource::Elements(elements) => (self.cut_fixed(elements, &cut)?, false),
            WriteSource::Variable(elements) => (self.cut_variable(elements, &cut)?, false),
        };
        let update = ChunkUpdate {
            chunk,
            change: Change::Write { projection, broadcast },
            keep_empty: self.request.keep_empty_chunks,
            order: self.request.chunk_order,
        };
        writer.change(ChunkChange { update, elements, covers }).await
    }

    /// The elements that one chunk takes, packed. A chunk that takes neighbours shares the source's bytes.
    fn cut_fixed(&self, elements: &Value, cut: &[SourceAxis]) -> Result<Value> {
        let size = self.array.binding().element_size() as u64;
        let mut runs = Vec::new();
        each_run(self.plan.source_shape(), cut, &mut |run| {
            limits::reserve(&mut runs, 1, "runs of the source")?;
            runs.push(run.start * size..run.end * size);
            Ok(())
        })?;
        if let [only] = runs.as_slice() {
            return elements.slice(only.clone());
        }
        let len: u64 = runs.iter().map(|run| run.end - run.start).sum();
        let mut packed = limits::zeroed(len, limits::CHUNK_BYTES, "elements of a chunk")?;
        let mut rest = packed.as_mut_slice();
        for run in runs {
            let (output, behind) = rest.split_at_mut(limits::to_usize(run.end - run.start, "run")?);
            elements.copy_to(run.start, output)?;
            rest = behind;
        }
        Ok(packed.into())
    }

    fn cut_variable(&self, elements: &VariableBytes, cut: &[SourceAxis]) -> Result<Value> {
        let mut packed = VariableBytes::new();
        each_run(self.plan.source_shape(), cut, &mut |run| {
            run.into_iter().try_for_each(|number| {
                let element = elements.get(limits::to_usize(number, "element")?);
                packed.push(element.ok_or_else(|| Error::argument("the source has too few elements"))?)
            })
        })?;
        Ok(chunk_update::pack(&packed).into())
    }

    fn in_flight(&self) -> Result<usize> {
        let size = self.array.binding().element_size().max(8) as u64;
        let bytes = limits::product(self.array.binding().outer_shape().into_iter().chain([size]), "chunk")?;
        limits::to_usize((BYTES_IN_FLIGHT / bytes.max(1)).clamp(1, CHUNKS_IN_FLIGHT), "chunks in flight")
    }
}

fn check_source(source: &WriteSource, shape: &[u64], size: Option<usize>) -> Result<()> {
    let places = limits::product(shape.iter().copied(), "selection");
    let (what, expected, actual) = match (source, size) {
        (WriteSource::Element(element), Some(size)) => ("bytes", size as u64, element.len() as u64),
        (WriteSource::Element(_), None) => return Ok(()),
        (WriteSource::Elements(elements), Some(size)) => {
            ("bytes", limits::product([places?, size as u64], "selection")?, elements.len())
        }
        (WriteSource::Variable(elements), None) => ("elements", places?, elements.len() as u64),
        (WriteSource::Elements(_), None) | (WriteSource::Variable(_), Some(_)) => {
            let error = Error::argument("the new elements are of another kind than the array's");
            return Err(error.in_stage(Stage::Encode));
        }
    };
    if expected == actual {
        return Ok(());
    }
    let error = Error::argument("the new elements do not fill the selection").in_stage(Stage::Encode);
    Err(error.expected(format!("{expected} {what} for shape {shape:?}")).actual(format!("{actual} {what}")))
}

fn advanced(mut progress: WriteProgress, done: Done) -> WriteProgress {
    progress.chunks += 1;
    match done {
        Done::Stored(bytes) => progress.bytes += bytes,
        Done::Erased | Done::Nothing => progress.empty += 1,
    }
    progress
}

/// What went wrong.
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

    /// The first failure, with how far the write came.
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
