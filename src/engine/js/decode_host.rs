//! The interface for decode workers: plain numbers, without wasm-bindgen. `decode/decode_host.ts`
//! calls it, in workers and, where there are none, with an instance of its own on the engine's
//! thread. `full::update` adds a call to it. [`zarr_unpack`] makes the other builds of the package
//! from their compressed form.
//!
//! A call returns 0. If it fails, it returns 1, and [`zarr_result_ptr`] points to the error as
//! JSON. The caller allocates buffers with [`zarr_alloc`].

use std::alloc::{Layout, alloc, dealloc};
use std::cell::RefCell;
use std::rc::Rc;

use super::error::report_to_json;
use super::worker_part::WorkerPart;
use super::{panic, user_codecs};
use crate::access::assemble::Assembly;
use crate::access::binding::Binding;
use crate::error::{Error, Result, Stage};
use crate::format::codec::Direction;
use crate::format::codec::bytes_to_bytes::zstd;
use crate::format::codec::pipeline::Scratch;
use crate::format::codec::standalone::StandaloneCodec;
use crate::format::metadata::document::NodeDocument;
use crate::format::tolerated::Form;
use crate::sorted::Map;

/// Alignment of all buffers, because tables consist of words.
const ALIGNMENT: usize = 16;

/// The largest build that [`zarr_unpack`] makes (bytes). The full build has 3.5 MB.
const MAX_WASM_BYTES: usize = 64 << 20;

#[derive(Default)]
pub(super) struct Worker {
    bindings: Map<u32, Rc<Binding>>,
    parts: Map<u32, Box<dyn WorkerPart>>,
    scratch: Scratch,
    result: Vec<u8>,
    /// Memory of a finished part, for the next one. Neither needs to be zeroed in advance.
    spare: Vec<u8>,
}

impl Worker {
    /// A registered array.
    ///
    /// # Errors
    /// `Argument` for an unknown number.
    pub(super) fn binding(&self, array: u32) -> Result<&Rc<Binding>> {
        self.bindings.get(&array).ok_or_else(|| unknown("array", array))
    }

    /// Keeps a part until it is finished or cancelled.
    pub(super) fn hold(&mut self, part: u32, held: Box<dyn WorkerPart>) {
        self.parts.insert(part, held);
    }
}

/// Maximum size of the memory that is kept for the next part.
const LARGEST_SPARE: usize = 8 << 20;

thread_local! {
    static WORKER: RefCell<Worker> = RefCell::default();
}

/// Runs a call and converts its outcome into a status: 0, or 1 for an error.
fn answer(call: impl FnOnce(&mut Worker) -> Result<Vec<u8>>) -> u32 {
    answer_with(|worker| Ok((0, call(worker)?)))
}

/// As [`answer`], for a call that has more statuses.
pub(super) fn answer_with(call: impl FnOnce(&mut Worker) -> Result<(u32, Vec<u8>)>) -> u32 {
    WORKER.with_borrow_mut(|worker| {
        let outcome = call(worker);
        let (status, result) = outcome.unwrap_or_else(|error| (1, report_to_json(&error).into_bytes()));
        worker.result = result;
        status
    })
}

fn layout(len: usize) -> Option<Layout> {
    Layout::from_size_align(len.max(1), ALIGNMENT).ok()
}

/// A buffer of `len` bytes; null if there is no memory.
#[unsafe(no_mangle)]
pub extern "C" fn zarr_alloc(len: usize) -> *mut u8 {
    match layout(len) {
        // SAFETY: the layout's size is at least 1.
        Some(layout) => unsafe { alloc(layout) },
        None => std::ptr::null_mut(),
    }
}

/// Frees a buffer.
///
/// # Safety
/// `pointer` came from [`zarr_alloc`] with the same `len`, and is not used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zarr_free(pointer: *mut u8, len: usize) {
    if let Some(layout) = layout(len)
        && !pointer.is_null()
    {
        // SAFETY: allocated by `zarr_alloc` with this very layout.
        unsafe { dealloc(pointer, layout) };
    }
}

/// # Safety
/// There are `len` elements at `pointer`, which came from [`zarr_alloc`] and lives until the caller
/// has returned.
pub(super) unsafe fn slice<'a, T>(pointer: *const T, len: usize) -> &'a [T] {
    if pointer.is_null() || len == 0 {
        return &[];
    }
    // SAFETY: as this function requires; `zarr_alloc` aligns for every T that is used here.
    unsafe { std::slice::from_raw_parts(pointer, len) }
}

/// Registers an array. `document` was written by `NodeDocument::to_json`; `users` is the input of
/// `UserCodecs::from_json`, or empty.
///
/// # Safety
/// There are `len` bytes at `document` and `users_len` bytes at `users`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zarr_bind(
    array: u32,
    document: *const u8,
    len: usize,
    users: *const u8,
    users_len: usize,
) -> u32 {
    panic::install();
    // SAFETY: as this function requires.
    let (document, users) = unsafe { (slice(document, len), slice(users, users_len)) };
    answer(|worker| {
        let users = user_codecs::users_of(text(users)?)?;
        let binding = Binding::with_users(&NodeDocument::from_json(text(document)?)?, users)?;
        worker.bindings.insert(array, Rc::new(binding));
        Ok(Vec::new())
    })
}

fn text(bytes: &[u8]) -> Result<&str> {
    std::str::from_utf8(bytes).map_err(|error| Error::argument(error.to_string()))
}

/// Removes an array.
#[unsafe(no_mangle)]
pub extern "C" fn zarr_unbind(array: u32) {
    WORKER.with_borrow_mut(|worker| worker.bindings.remove(&array));
}

/// Starts a part.
///
/// # Safety
/// There are `words` words at `header`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zarr_begin(part: u32, array: u32, header: *const u32, words: usize) -> u32 {
    // SAFETY: as this function requires.
    let header = unsafe { slice(header, words) };
    answer(|worker| {
        let spare = std::mem::take(&mut worker.spare);
        let assembly = Assembly::begin(worker.binding(array)?, header, spare)?;
        worker.hold(part, Box::new(assembly));
        Ok(Vec::new())
    })
}

/// Decodes chunks of a part. `buffers` are pairs of pointer and length.
///
/// # Safety
/// There are `words` words at `table`, `2 * count` words at `buffers`, and at each pointer as many
/// bytes as its length says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zarr_supply(
    part: u32,
    table: *const u32,
    words: usize,
    buffers: *const u32,
    count: usize,
) -> u32 {
    // SAFETY: as this function requires.
    let (table, pairs) = unsafe { (slice(table, words), slice(buffers, count.saturating_mul(2))) };
    let buffers: Vec<&[u8]> = pairs
        .chunks_exact(2)
        // SAFETY: as this function requires.
        .map(|pair| unsafe { slice(pair[0] as usize as *const u8, pair[1] as usize) })
        .collect();
    answer(|worker| {
        let assembly = worker.parts.get_mut(&part).and_then(|part| part.assembly());
        let assembly = assembly.ok_or_else(|| unknown("part", part))?;
        let supplied = assembly.supply(table, &buffers, &mut worker.scratch);
        supplied.map_err(|error| error.in_stage(Stage::Decode))?;
        Ok(Vec::new())
    })
}

/// Requests to user-defined codecs for a part. The result is empty, or as
/// `user_codecs::write_requests` writes it.
#[unsafe(no_mangle)]
pub extern "C" fn zarr_requests(part: u32) -> u32 {
    answer(|worker| {
        let part = worker.parts.get_mut(&part).ok_or_else(|| unknown("part", part))?;
        user_codecs::write_requests(part.as_mut())
    })
}

/// Takes the output of a user's codec.
///
/// # Safety
/// There are `len` bytes at `output`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zarr_answer(part: u32, request: u32, output: *const u8, len: usize) -> u32 {
    // SAFETY: as this function requires.
    let output = unsafe { slice(output, len) };
    answer(|worker| {
        let part = worker.parts.get_mut(&part).ok_or_else(|| unknown("part", part))?;
        part.answer(request, output)?;
        Ok(Vec::new())
    })
}

/// Continues a part after answers.
#[unsafe(no_mangle)]
pub extern "C" fn zarr_resume(part: u32) -> u32 {
    answer(|worker| {
        let part = worker.parts.get_mut(&part).ok_or_else(|| unknown("part", part))?;
        part.resume(&mut worker.scratch)?;
        Ok(Vec::new())
    })
}

/// Whether a part waits for user-defined codecs.
#[unsafe(no_mangle)]
pub extern "C" fn zarr_is_waiting(part: u32) -> u32 {
    WORKER.with_borrow(|worker| worker.parts.get(&part).is_some_and(|part| part.is_waiting()).into())
}

/// Finishes a part. The result is its elements. An update that waited ends as `zarr_update` does.
#[unsafe(no_mangle)]
pub extern "C" fn zarr_finish(part: u32) -> u32 {
    answer_with(|worker| worker.parts.remove(&part).ok_or_else(|| unknown("part", part))?.finish())
}

/// Runs a codec on its own. `description` is read by [`StandaloneCodec::from_json`]. It encodes if
/// `encodes` is 1, else it decodes. The result is its output.
///
/// # Safety
/// There are `len` bytes at `description` and `input_len` bytes at `input`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zarr_codec(
    description: *const u8,
    len: usize,
    input: *const u8,
    input_len: usize,
    encodes: u32,
) -> u32 {
    panic::install();
    // SAFETY: as this function requires.
    let (description, input) = unsafe { (slice(description, len), slice(input, input_len)) };
    let direction = if encodes == 1 { Direction::Encode } else { Direction::Decode };
    answer(|_| StandaloneCodec::from_json(text(description)?)?.run(direction, input))
}

/// Decompresses a build of the package: a Zstandard frame with another build as prefix. The result
/// is the wasm module.
///
/// # Safety
/// There are `len` bytes at `frame` and `prefix_len` bytes at `prefix`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zarr_unpack(
    frame: *const u8,
    len: usize,
    prefix: *const u8,
    prefix_len: usize,
) -> u32 {
    // SAFETY: as this function requires.
    let (frame, prefix) = unsafe { (slice(frame, len), slice(prefix, prefix_len)) };
    answer(|_| {
        zstd::decompress_with_prefix(frame, prefix, MAX_WASM_BYTES)
            .map_err(|error| Error::format("the compressed wasm is corrupt").actual(error.to_string()))
    })
}

/// Removes a part.
#[unsafe(no_mangle)]
pub extern "C" fn zarr_cancel(part: u32) {
    WORKER.with_borrow_mut(|worker| worker.parts.remove(&part));
}

/// Number of decoding warnings since the last call. If there are any, they are the result, one a
/// line.
#[unsafe(no_mangle)]
pub extern "C" fn zarr_warnings() -> u32 {
    let warnings = Form::take_noted();
    let count = u32::try_from(warnings.len()).unwrap_or(u32::MAX);
    if count > 0 {
        WORKER.with_borrow_mut(|worker| worker.result = warnings.join("\n").into_bytes());
    }
    count
}

/// Address of the result of the last call.
#[unsafe(no_mangle)]
pub extern "C" fn zarr_result_ptr() -> *const u8 {
    WORKER.with_borrow(|worker| worker.result.as_ptr())
}

/// Length of the result in bytes.
#[unsafe(no_mangle)]
pub extern "C" fn zarr_result_len() -> usize {
    WORKER.with_borrow(|worker| worker.result.len())
}

/// Frees the result.
#[unsafe(no_mangle)]
pub extern "C" fn zarr_release_result() {
    WORKER.with_borrow_mut(|worker| {
        let result = std::mem::take(&mut worker.result);
        if result.len() <= LARGEST_SPARE && result.len() > worker.spare.len() {
            worker.spare = result;
        }
    });
}

/// Address of the message of a panic. It is readable after the trap.
#[unsafe(no_mangle)]
pub extern "C" fn zarr_panic_ptr() -> *const u8 {
    panic::message().0
}

/// Length of the message in bytes.
#[unsafe(no_mangle)]
pub extern "C" fn zarr_panic_len() -> usize {
    panic::message().1
}

fn unknown(what: &str, number: u32) -> Error {
    Error::argument(format!("the decoder has no {what} with number {number}"))
}
