//! The interface of a wasm module that has no JavaScript of its own: a request in, a result out.
//! `src/engine/ts/host/wasm_module.ts` is the other side.
//!
//! The caller takes memory with `zarr_alloc`, writes a request there, and passes it with the number
//! of a call ([`calls`](crate::calls)) to the module's call function. That frees the request and
//! returns a [`Status`]. The result, or the [`ErrorRecord`] of a failure, is `zarr_result_len`
//! bytes at `zarr_result_ptr` until `zarr_free`, or until the next call.
//!
//! A request is copied into wasm once, and its words and blocks are read in place.
//! [`wasm_module!`](crate::wasm_module!) writes the exports; what they do is here, and also runs
//! outside wasm.

use std::alloc::{Layout, alloc as allocate, dealloc};
use std::cell::RefCell;

use crate::encoding::Record as _;
use crate::records::{ErrorCode, ErrorContext, ErrorRecord};

/// Alignment of requests, because their words are read in place.
const ALIGNMENT: usize = 16;

/// Maximum size of the memory of a result that is kept for a later one.
const MAX_SPARE: usize = 8 << 20;

/// The message for a request that is none.
const MALFORMED: &str = "a request to a wasm module is malformed";

macro_rules! statuses {
    ($($(#[$doc:meta])* $status:ident $name:literal,)*) => {
        /// How a call ended.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Status { $($(#[$doc])* $status),* }

        impl Status {
            /// The names of all, in their order.
            pub const NAMES: &[&str] = &[$($name),*];
        }
    };
}

statuses! {
    /// The bytes are the result.
    Done "done",
    /// The bytes are an [`ErrorRecord`].
    Failed "failed",
    /// No bytes: nothing has changed.
    Same "same",
    /// No bytes: a chunk has nothing but the fill value.
    Empty "empty",
    /// The call needs the output of the user's codecs before it can finish.
    Waiting "waiting",
}

/// What a call gives.
#[derive(Debug, PartialEq, Eq)]
pub struct Answer {
    /// How it ended.
    pub status: Status,
    /// The result.
    pub bytes: Vec<u8>,
}

impl From<Vec<u8>> for Answer {
    fn from(bytes: Vec<u8>) -> Self {
        Self { status: Status::Done, bytes }
    }
}

impl From<Status> for Answer {
    fn from(status: Status) -> Self {
        Self { status, bytes: Vec::new() }
    }
}

/// What is left of a request: words, and blocks of bytes.
#[derive(Clone, Debug)]
pub struct Request<'a> {
    words: &'a [u32],
    blocks: Blocks<'a>,
}

impl<'a> Request<'a> {
    /// A request: the number of its words, the number of its blocks, the words, the lengths of the
    /// blocks, and the blocks. `bytes` are all of it; `words` are the same memory. `None` if it is
    /// too short.
    fn new(words: &'a [u32], bytes: &'a [u8]) -> Option<Self> {
        let ([count, blocks], rest) = words.split_first_chunk()?;
        let (words, rest) = rest.split_at_checked(*count as usize)?;
        let (lengths, _) = rest.split_at_checked(*blocks as usize)?;
        let head = words.len().checked_add(lengths.len())?.checked_add(2)?;
        let bytes = bytes.get(head.checked_mul(size_of::<u32>())?..)?;
        Some(Self { words, blocks: Blocks { lengths, bytes } })
    }

    /// The next word; `None` if there is none.
    pub fn word(&mut self) -> Option<u32> {
        self.words.split_off_first().copied()
    }

    /// All words that are left.
    pub fn table(&mut self) -> &'a [u32] {
        std::mem::take(&mut self.words)
    }

    /// The next block; `None` if there is none.
    pub fn block(&mut self) -> Option<&'a [u8]> {
        self.blocks.next()
    }

    /// All blocks that are left.
    pub fn blocks(&mut self) -> Blocks<'a> {
        std::mem::take(&mut self.blocks)
    }
}

/// Blocks of bytes, one behind the other.
#[derive(Clone, Debug, Default)]
pub struct Blocks<'a> {
    lengths: &'a [u32],
    bytes: &'a [u8],
}

impl<'a> Iterator for Blocks<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        let length = self.lengths.split_off_first()?;
        self.bytes.split_off(..*length as usize)
    }
}

thread_local! {
    static RESULT: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    /// Memory of a result that was freed.
    static SPARE: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

fn layout(len: usize) -> Option<Layout> {
    Layout::from_size_align(len.max(1), ALIGNMENT).ok()
}

/// Memory for a request of `len` bytes; null if there is none.
pub fn alloc(len: usize) -> *mut u8 {
    match layout(len) {
        // SAFETY: the layout's size is at least 1.
        Some(layout) => unsafe { allocate(layout) },
        None => std::ptr::null_mut(),
    }
}

/// Answers a request and frees it.
///
/// # Safety
/// `request` came from [`alloc`] with the same `len` and is not null, all of it was written, and it
/// is not used again.
pub unsafe fn call(
    request: *mut u8,
    len: usize,
    answer: impl FnOnce(Request<'_>) -> Option<Result<Answer, ErrorRecord>>,
) -> Status {
    // SAFETY: `alloc` aligned it for words, and `len` bytes were written. Nothing writes to it
    // before it is freed, and no answer can borrow it.
    let (words, bytes) = unsafe {
        let words = std::slice::from_raw_parts(request.cast::<u32>(), len / size_of::<u32>());
        (words, std::slice::from_raw_parts(request, len))
    };
    let answered = Request::new(words, bytes).and_then(answer);
    if let Some(layout) = layout(len) {
        // SAFETY: allocated by `alloc` with this very layout.
        unsafe { dealloc(request, layout) };
    }
    let Answer { status, bytes } = match answered {
        Some(Ok(answer)) => answer,
        Some(Err(error)) => Answer { status: Status::Failed, bytes: error.to_bytes() },
        None => Answer { status: Status::Failed, bytes: malformed().to_bytes() },
    };
    RESULT.set(bytes);
    status
}

#[cold]
fn malformed() -> ErrorRecord {
    let (code, message) = (ErrorCode::Argument, MALFORMED.to_owned());
    ErrorRecord { code, message, text: None, context: ErrorContext::default(), cause: None }
}

/// Keeps the message of a panic as the result. It can be read after the trap.
pub fn keep_panic(message: String) {
    RESULT.with(|result| {
        if let Ok(mut result) = result.try_borrow_mut() {
            *result = message.into_bytes();
        }
    });
}

/// Address and length of the result of the last call.
pub fn result() -> (*const u8, usize) {
    RESULT.with(|result| {
        result.try_borrow().map_or((std::ptr::null(), 0), |result| (result.as_ptr(), result.len()))
    })
}

/// Frees the result. Its memory may become that of a later one ([`spare`]).
pub fn free() {
    let result = RESULT.take();
    SPARE.with_borrow_mut(|spare| {
        if result.len() <= MAX_SPARE && result.len() > spare.len() {
            *spare = result;
        }
    });
}

/// Memory of an earlier result, with what is left there.
pub fn spare() -> Vec<u8> {
    SPARE.take()
}

/// Writes the exports of a wasm module: `$name` is the export that takes the calls `$calls`,
/// and `$answer` answers one. Its errors are also [`ErrorRecord`]s.
#[macro_export]
macro_rules! wasm_module {
    ($name:literal, $calls:ident, $answer:path) => {
        #[allow(unsafe_code, reason = "memory crosses as `wasm_module.rs` of the contract says")]
        const _: () = {
            #[unsafe(no_mangle)]
            extern "C" fn zarr_alloc(len: usize) -> *mut u8 {
                $crate::wasm_module::alloc(len)
            }

            /// # Safety
            /// As of `call`. `number` is that of the call.
            #[unsafe(export_name = $name)]
            unsafe extern "C" fn zarr_call(number: u32, request: *mut u8, len: usize) -> u32 {
                let answer = |mut request: $crate::wasm_module::Request<'_>| {
                    let call = $calls::read(number, &mut request)?;
                    Some($answer(call).map_err(|error| $crate::ErrorRecord::from(&error)))
                };
                // SAFETY: as this function requires.
                unsafe { $crate::wasm_module::call(request, len, answer) as u32 }
            }

            #[unsafe(no_mangle)]
            extern "C" fn zarr_result_ptr() -> *const u8 {
                $crate::wasm_module::result().0
            }

            #[unsafe(no_mangle)]
            extern "C" fn zarr_result_len() -> usize {
                $crate::wasm_module::result().1
            }

            #[unsafe(no_mangle)]
            extern "C" fn zarr_free() {
                $crate::wasm_module::free();
            }
        };
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The result of a call with a request of these words.
    fn called(
        words: &[u32],
        answer: fn(Request<'_>) -> Option<Result<Answer, ErrorRecord>>,
    ) -> (Status, Vec<u8>) {
        let request = alloc(4 * words.len());
        for (at, word) in words.iter().enumerate() {
            // SAFETY: there are as many words.
            unsafe { request.cast::<u32>().add(at).write(*word) };
        }
        // SAFETY: all of it was written.
        let status = unsafe { call(request, 4 * words.len(), answer) };
        let (pointer, len) = result();
        // SAFETY: the result is there until it is freed.
        let bytes = unsafe { std::slice::from_raw_parts(pointer, len) }.to_vec();
        free();
        (status, bytes)
    }

    #[test]
    fn words_and_blocks_come_back_as_they_were_written() {
        let words = [3, 2, 7, 8, 9, 1, 3, u32::from_le_bytes([1, 2, 3, 4])];
        let found = called(&words, |mut request| {
            assert_eq!((request.word(), request.table()), (Some(7), &[8, 9][..]));
            assert_eq!(request.block(), Some(&[1][..]));
            assert_eq!(request.blocks().collect::<Vec<_>>(), [&[2, 3, 4][..]]);
            assert_eq!((request.word(), request.block()), (None, None));
            Some(Ok(vec![5].into()))
        });
        assert_eq!(found, (Status::Done, vec![5]));
        assert_eq!(spare(), [5]);
    }

    fn refused() -> ErrorRecord {
        ErrorRecord { message: "no".into(), ..malformed() }
    }

    #[test]
    fn errors_and_malformed_requests_are_records() {
        let record = |bytes: &[u8]| ErrorRecord::from_bytes(bytes);
        let (status, bytes) = called(&[0, 0], |_| Some(Err(refused())));
        assert_eq!((status, record(&bytes)), (Status::Failed, Some(refused())));
        for words in [&[0][..], &[1, 0], &[0, 1], &[u32::MAX, u32::MAX, 0]] {
            assert_eq!(called(words, |_| Some(Ok(Status::Same.into()))).0, Status::Failed, "{words:?}");
        }
        let (_, bytes) = called(&[0, 1, 9, 0], |mut request| Some(Ok(request.block()?.to_vec().into())));
        assert_eq!(record(&bytes), Some(malformed()));
    }
}
