//! The interface of the conventions' own module, without wasm-bindgen: functions from JSON text to
//! JSON text, and from numbers to numbers. `engine/wasm_builds.ts` drives it.
//!
//! A call answers 0, or 1 when the answer is an error: `{code, message}` as JSON. The module
//! imports nothing; a panic is a trap, after which the instance is thrown away.

use std::cell::RefCell;

use crate::error::{Error, Result};
use crate::format::json::text::{ObjectText, string};
use crate::reply;

thread_local! {
    static ANSWER: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// A buffer for a request of `len` bytes; null if there is no memory. The call that receives the
/// buffer frees it.
#[unsafe(no_mangle)]
pub extern "C" fn conventions_request(len: usize) -> *mut u8 {
    let mut bytes: Vec<u8> = Vec::new();
    if bytes.try_reserve_exact(len).is_err() {
        return std::ptr::null_mut();
    }
    bytes.resize(len, 0);
    Box::into_raw(bytes.into_boxed_slice()).cast()
}

/// Answers a request in JSON.
///
/// # Safety
/// `request` came from [`conventions_request`] with the same `len`, all of it was written, and it
/// is not used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn conventions_answer(request: *mut u8, len: usize) -> u32 {
    let in_json = |bytes: &[u8]| {
        let text = std::str::from_utf8(bytes).map_err(|error| Error::argument(error.to_string()));
        text.and_then(crate::answer).map(String::into_bytes)
    };
    // SAFETY: as above.
    unsafe { answered(request, len, in_json) }
}

/// Answers a request of numbers with numbers ([`crate::answer_numbers`]).
///
/// # Safety
/// As of [`conventions_answer`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn conventions_numbers(request: *mut u8, len: usize) -> u32 {
    // SAFETY: as above.
    unsafe { answered(request, len, crate::answer_numbers) }
}

/// Takes a request, and keeps its answer.
///
/// # Safety
/// As of [`conventions_answer`].
unsafe fn answered(request: *mut u8, len: usize, answer: impl Fn(&[u8]) -> Result<Vec<u8>>) -> u32 {
    if request.is_null() {
        return 1;
    }
    // SAFETY: `conventions_request` leaked a boxed slice of this very length.
    let bytes = unsafe { Box::from_raw(std::ptr::slice_from_raw_parts_mut(request, len)) };
    let (status, answer) = match answer(&bytes) {
        Ok(answer) => (0, answer),
        Err(error) => (1, report(&error).into_bytes()),
    };
    ANSWER.with_borrow_mut(|slot| *slot = answer);
    status
}

/// The address of the answer, which is valid until the next call.
#[unsafe(no_mangle)]
pub extern "C" fn conventions_answer_ptr() -> *const u8 {
    ANSWER.with_borrow(Vec::as_ptr)
}

/// The length of the answer in bytes.
#[unsafe(no_mangle)]
pub extern "C" fn conventions_answer_len() -> usize {
    ANSWER.with_borrow(Vec::len)
}

fn report(error: &Error) -> String {
    let mut report = ObjectText::new();
    report.set("code", string(error.kind().code()));
    report.set("message", string(&error.to_string()));
    reply::set_string(&mut report, "node", error.context().node.as_deref());
    report.compact()
}
