//! The face to workers: plain numbers, no wasm-bindgen. `worker/decode_host.ts` drives it; the caller's thread too, where
//! there are no workers, with an instance of its own.
//!
//! A call answers 0, or 1 and leaves an error as JSON where [`zarr_result_ptr`] points. Pointers come from [`zarr_alloc`].

use std::alloc::{Layout, alloc, dealloc};
use std::cell::RefCell;
use std::rc::Rc;

use super::error::report_to_json;
use super::worker_part::WorkerPart;
#[cfg(feature = "full")]
use super::worker_part::{WAITING, outcome};
use super::{panic, user_codecs};
use crate::access::assemble::Assembly;
use crate::access::binding::Binding;
#[cfg(feature = "full")]
use crate::access::chunk_update::{ChunkUpdate, PendingUpdate, apply};
use crate::error::{Error, Result, Stage};
use crate::format::codec::pipeline::Scratch;
use crate::format::metadata::document::NodeDocument;
use crate::format::tolerated::Form;
use crate::sorted::Map;

/// Every buffer begins at a multiple of this: tables are words.
const ALIGNMENT: usize = 16;

#[derive(Default)]
struct Worker {
    bindings: Map<u32, Rc<Binding>>,
    parts: Map<u32, WorkerPart>,
    scratch: Scratch,
    result: Vec<u8>,
    /// Memory of a part that is over, for the next one: neither has to be filled before its chunks come.
    spare: Vec<u8>,
}

/// The largest memory that is kept for the next part.
const LARGEST_SPARE: usize = 8 << 20;

thread_local! {
    static WORKER: RefCell<Worker> = RefCell::default();
}

/// Runs a call and turns its outcome into a status.
fn answer(call: impl FnOnce(&mut Worker) -> Result<Vec<u8>>) -> u32 {
    WORKER.with_borrow_mut(|worker| match call(worker) {
        Ok(result) => {
            worker.result = result;
            0
        }
        Err(error) => {
            worker.result = report_to_json(&error).into_bytes();
            1
        }
    })
}

fn layout(len: usize) -> Option<Layout> {
    Layout::from_size_align(len.max(1), ALIGNMENT).ok()
}

/// A buffer of `len` bytes, or 0 when there is no memory.
#[unsafe(no_mangle)]
pub extern "C" fn zarr_alloc(len: usize) -> *mut u8 {
    match layout(len) {
        // SAFETY: the layout's size is at least 1.
        Some(layout) => unsafe { alloc(layout) },
        None => std::ptr::null_mut(),
    }
}

/// Gives a buffer back.
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
/// `len` elements stand at `pointer`, which came from [`zarr_alloc`] and stays until the caller has returned.
unsafe fn slice<'a, T>(pointer: *const T, len: usize) -> &'a [T] {
    if pointer.is_null() || len == 0 {
        return &[];
    }
    // SAFETY: as this function requires; `zarr_alloc` aligns for every T that is used here.
    unsafe { std::slice::from_raw_parts(pointer, len) }
}

/// Makes an array known: `document` is what `NodeDocument::to_json` wrote, `users` what `UserCodecs::from_json` reads, or empty.
///
/// # Safety
/// `len` bytes stand at `document`, `users_len` at `users`.
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

/// Forgets an array.
#[unsafe(no_mangle)]
pub extern "C" fn zarr_unbind(array: u32) {
    WORKER.with_borrow_mut(|worker| worker.bindings.remove(&array));
}

/// Begins a part.
///
/// # Safety
/// `words` words stand at `header`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zarr_begin(part: u32, array: u32, header: *const u32, words: usize) -> u32 {
    // SAFETY: as this function requires.
    let header = unsafe { slice(header, words) };
    answer(|worker| {
        let binding = worker.bindings.get(&array).ok_or_else(|| unknown("array", array))?;
        let assembly = Assembly::begin(binding, header, std::mem::take(&mut worker.spare))?;
        worker.parts.insert(part, WorkerPart::Assembly(assembly));
        Ok(Vec::new())
    })
}

/// Decodes what arrived for a part. `buffers` are pairs of pointer and length.
///
/// # Safety
/// `words` words stand at `table`, `2 * count` at `buffers`, and as many bytes as each pair says where it says.
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
        let assembly = worker.parts.get_mut(&part).and_then(WorkerPart::assembly);
        let assembly = assembly.ok_or_else(|| unknown("part", part))?;
        let supplied = assembly.supply(table, &buffers, &mut worker.scratch);
        supplied.map_err(|error| error.in_stage(Stage::Decode))?;
        Ok(Vec::new())
    })
}

/// What the user's codecs are to do for a part: the result is empty, or as `user_codecs::write_requests` has it.
#[unsafe(no_mangle)]
pub extern "C" fn zarr_requests(part: u32) -> u32 {
    answer(|worker| {
        let part = worker.parts.get_mut(&part).ok_or_else(|| unknown("part", part))?;
        user_codecs::write_requests(part)
    })
}

/// Takes what a codec of the user's made.
///
/// # Safety
/// `len` bytes stand at `output`.
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

/// Goes on with a part after answers.
#[unsafe(no_mangle)]
pub extern "C" fn zarr_resume(part: u32) -> u32 {
    answer(|worker| {
        let part = worker.parts.get_mut(&part).ok_or_else(|| unknown("part", part))?;
        part.resume(&mut worker.scratch)?;
        Ok(Vec::new())
    })
}

/// Whether a part waits for codecs of the user's.
#[unsafe(no_mangle)]
pub extern "C" fn zarr_is_waiting(part: u32) -> u32 {
    WORKER.with_borrow(|worker| worker.parts.get(&part).is_some_and(WorkerPart::is_waiting).into())
}

/// Ends a part; its elements are the result. An update that has waited ends as [`zarr_update`] does.
#[unsafe(no_mangle)]
pub extern "C" fn zarr_finish(part: u32) -> u32 {
    let mut status = 0;
    let failed = answer(|worker| {
        let part = worker.parts.remove(&part).ok_or_else(|| unknown("part", part))?;
        let (kind, bytes) = part.finish()?;
        status = kind;
        Ok(bytes)
    });
    failed.max(status)
}

/// Changes a stored chunk: `update` as `access::chunk_update` writes it, the bytes that are stored (where `has_old`), and the new
/// elements. Answers 0 with the bytes to be stored, 2 where nothing has changed, 3 where all is fill value, 4 where codecs of the
/// user's have to be run: then the part is one that waits, and [`zarr_finish`] ends it.
///
/// # Safety
/// `words` words stand at `update`, `old_len` bytes at `old`, `elements_len` bytes at `elements`.
#[cfg(feature = "full")]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zarr_update(
    part: u32,
    array: u32,
    update: *const u32,
    words: usize,
    old: *const u8,
    old_len: usize,
    has_old: u32,
    elements: *const u8,
    elements_len: usize,
) -> u32 {
    // SAFETY: as this function requires.
    let (update, old, elements) =
        unsafe { (slice(update, words), slice(old, old_len), slice(elements, elements_len)) };
    let mut status = 0;
    let failed = answer(|worker| {
        let binding = worker.bindings.get(&array).ok_or_else(|| unknown("array", array))?;
        let update = ChunkUpdate::from_words(update)?;
        let old = (has_old != 0).then_some(old);
        let updated = if binding.users().is_some() {
            let pending = PendingUpdate::begin(binding, update, old, elements)?;
            if pending.is_waiting() {
                worker.parts.insert(part, WorkerPart::Update(pending));
                status = WAITING;
                return Ok(Vec::new());
            }
            pending.finish()?
        } else {
            apply(binding, &update, old, elements).map_err(|error| error.in_stage(Stage::Encode))?
        };
        let (kind, bytes) = outcome(updated);
        status = kind;
        Ok(bytes)
    });
    failed.max(status)
}

/// Forgets a part.
#[unsafe(no_mangle)]
pub extern "C" fn zarr_cancel(part: u32) {
    WORKER.with_borrow_mut(|worker| worker.parts.remove(&part));
}

/// How many warnings there are of what was decoded since the last call; they are the result then, a line each.
#[unsafe(no_mangle)]
pub extern "C" fn zarr_warnings() -> u32 {
    let warnings = Form::take_noted();
    let count = u32::try_from(warnings.len()).unwrap_or(u32::MAX);
    if count > 0 {
        WORKER.with_borrow_mut(|worker| worker.result = warnings.join("\n").into_bytes());
    }
    count
}

/// Where the result of the last call is.
#[unsafe(no_mangle)]
pub extern "C" fn zarr_result_ptr() -> *const u8 {
    WORKER.with_borrow(|worker| worker.result.as_ptr())
}

/// How long it is.
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

/// Where the message of a panic is; readable after the trap.
#[unsafe(no_mangle)]
pub extern "C" fn zarr_panic_ptr() -> *const u8 {
    panic::message().0
}

/// How long it is.
#[unsafe(no_mangle)]
pub extern "C" fn zarr_panic_len() -> usize {
    panic::message().1
}

fn unknown(what: &str, number: u32) -> Error {
    Error::argument(format!("the decoder knows no {what} {number}"))
}
