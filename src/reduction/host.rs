//! The interface of the module, without wasm-bindgen: functions from numbers to numbers.
//! `engine/decode/reducer.ts` drives it, in decode workers and beside the engine.
//!
//! A call answers 0, or 1 when the answer is an error as JSON: its `code`, the `message`, what was
//! `expected` and what the `actual` value is, and all of that as `text`. The module
//! imports nothing; a panic is a trap, after which the instance is thrown away.

use std::cell::RefCell;

use crate::answer::{Question, Settings};
use crate::downsample::downsampled;
use crate::error::{Error, Result};
use crate::format::json::text::{ObjectText, string};
use crate::kernel::number::NumberType;
use crate::limits;
use crate::request::Reduction;
use crate::session::{Part, Session};
use crate::wire::Numbers;

thread_local! {
    static ANSWER: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    static SESSIONS: RefCell<Vec<Session>> = const { RefCell::new(Vec::new()) };
    /// The elements of a part. The memory is kept for the next one, so that it is cleared once.
    static ELEMENTS: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// A buffer for the elements of the part that is added next; null if there is no memory. It has
/// what was left there.
#[unsafe(no_mangle)]
pub extern "C" fn reduction_elements(len: usize) -> *mut u8 {
    ELEMENTS.with_borrow_mut(|elements| {
        if elements.len() < len {
            *elements = Vec::new();
            if elements.try_reserve_exact(len).is_err() {
                return std::ptr::null_mut();
            }
            elements.resize(len, 0);
        }
        elements.as_mut_ptr()
    })
}

/// Does something with the elements that were written to the buffer.
fn with_elements<T>(len: usize, run: impl FnOnce(&[u8]) -> Result<T>) -> Result<T> {
    ELEMENTS.with_borrow(|elements| run(elements.get(..len).unwrap_or_default()))
}

/// A buffer for a request of `len` bytes; null if there is no memory. The call that receives the
/// buffer frees it.
#[unsafe(no_mangle)]
pub extern "C" fn reduction_request(len: usize) -> *mut u8 {
    let mut bytes: Vec<u8> = Vec::new();
    if bytes.try_reserve_exact(len).is_err() {
        return std::ptr::null_mut();
    }
    bytes.resize(len, 0);
    Box::into_raw(bytes.into_boxed_slice()).cast()
}

/// The bytes of a request.
///
/// # Safety
/// `request` came from [`reduction_request`] with the same `len`, all of it was written, and it is
/// not used again.
unsafe fn taken(request: *mut u8, len: usize) -> Box<[u8]> {
    if request.is_null() {
        return Box::default();
    }
    // SAFETY: `reduction_request` leaked a boxed slice of this very length.
    unsafe { Box::from_raw(std::ptr::slice_from_raw_parts_mut(request, len)) }
}

/// Keeps an answer.
fn answered(answer: Result<Vec<u8>>) -> u32 {
    let (status, answer) = match answer {
        Ok(answer) => (0, answer),
        Err(error) => (1, report(&error).into_bytes()),
    };
    ANSWER.with_borrow_mut(|slot| *slot = answer);
    status
}

fn report(error: &Error) -> String {
    let (mut report, context, whole) = (ObjectText::new(), error.context(), error.to_string());
    let members = [
        ("code", Some(error.kind().code())),
        ("message", Some(error.message())),
        ("text", Some(whole.as_str())),
        ("expected", context.expected.as_deref()),
        ("actual", context.actual.as_deref()),
    ];
    for (name, value) in members {
        if let Some(value) = value {
            report.set(name, string(value));
        }
    }
    report.compact()
}

/// Does something with a session.
fn with_session<T>(session: usize, run: impl FnOnce(&mut Session) -> Result<T>) -> Result<T> {
    SESSIONS.with_borrow_mut(|sessions| match sessions.get_mut(session) {
        Some(session) => run(session),
        None => Err(Error::argument("there is no such reduction")
            .expected(format!("a number below {}", sessions.len()))
            .actual(session.to_string())),
    })
}

/// The bytes of a reduction's elements, and those that its accumulators take.
fn sizes(reduction: &Reduction) -> Result<[u64; 2]> {
    let elements = reduction.elements()?.saturating_mul(reduction.source.size() as u64);
    Ok([elements, reduction.accumulator_bytes()?])
}

/// The sizes of a reduction (`wire.rs` says what the numbers are) in bytes, before it begins: of its
/// elements, and of its accumulators.
///
/// # Safety
/// As of [`taken`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reduction_sizes(request: *mut u8, len: usize) -> u32 {
    // SAFETY: as above.
    let bytes = unsafe { taken(request, len) };
    let found = Reduction::from_numbers(&mut Numbers::new(&bytes)).and_then(|whole| sizes(&whole));
    answered(found.and_then(|sizes| bytes_of(&sizes)))
}

/// Begins a reduction whose accumulators may take `most` bytes. The answer is its number, and its
/// sizes as [`reduction_sizes`] tells them. It ends with the instance.
///
/// # Safety
/// As of [`taken`].
#[unsafe(no_mangle)]
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates")]
pub unsafe extern "C" fn reduction_open(request: *mut u8, len: usize, most: f64) -> u32 {
    // SAFETY: as above.
    let bytes = unsafe { taken(request, len) };
    let opened = Reduction::from_numbers(&mut Numbers::new(&bytes)).and_then(|whole| {
        let [elements, accumulators] = sizes(&whole)?;
        let session = Session::new(whole, most as u64)?;
        let number = SESSIONS.with_borrow_mut(|sessions| {
            sessions.push(session);
            sessions.len().saturating_sub(1)
        });
        bytes_of(&[number as u64, elements, accumulators])
    });
    answered(opened)
}

fn part(numbers: &mut Numbers<'_>) -> Result<Part> {
    Ok(Part { start: numbers.sizes()?, shape: numbers.sizes()? })
}

/// What a part contributes to: a request for [`reduction_add`].
///
/// # Safety
/// As of [`taken`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reduction_within(session: usize, request: *mut u8, len: usize) -> u32 {
    // SAFETY: as above.
    let bytes = unsafe { taken(request, len) };
    answered(with_session(session, |session| {
        Ok(session.within(&part(&mut Numbers::new(&bytes))?)?.to_bytes())
    }))
}

/// The bytes of words. The list is as long as they are, so none of it is grown by pieces.
fn bytes_of(words: &[u64]) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    limits::grow(&mut bytes, words.len().saturating_mul(8), "accumulators")?;
    for (bytes, word) in bytes.as_chunks_mut::<8>().0.iter_mut().zip(words) {
        *bytes = word.to_le_bytes();
    }
    Ok(bytes)
}

/// What is remembered of the elements of a part, which are in [`reduction_elements`].
///
/// # Safety
/// As of [`taken`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reduction_add(request: *mut u8, len: usize, elements_len: usize) -> u32 {
    // SAFETY: as above.
    let bytes = unsafe { taken(request, len) };
    let found = Reduction::from_numbers(&mut Numbers::new(&bytes)).and_then(|part| {
        let found = with_elements(elements_len, |elements| part.add(elements))?;
        bytes_of(&found.to_words(&part)?)
    });
    answered(found)
}

/// The number of elements that are merged, as a float64.
#[allow(clippy::cast_precision_loss, reason = "a selection that is read has below 2^53 elements")]
fn merged(session: &Session) -> Vec<u8> {
    (session.merged() as f64).to_le_bytes().to_vec()
}

/// Adds a part here, as [`reduction_add`] and [`reduction_take`] do: its number and its box. Its
/// elements are in [`reduction_elements`]. The answer is that of [`reduction_take`].
///
/// # Safety
/// As of [`taken`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reduction_take_elements(
    session: usize,
    request: *mut u8,
    len: usize,
    elements_len: usize,
) -> u32 {
    // SAFETY: as above.
    let bytes = unsafe { taken(request, len) };
    answered(with_session(session, |session| {
        let mut numbers = Numbers::new(&bytes);
        let (number, part) = (numbers.count()?, part(&mut numbers)?);
        with_elements(elements_len, |elements| session.take_elements(number, part, elements))?;
        Ok(merged(session))
    }))
}

/// Takes what is remembered of a part: its number and its box, and the words. The answer is the
/// number of elements that are merged, as a float64.
///
/// # Safety
/// As of [`taken`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reduction_take(session: usize, request: *mut u8, len: usize) -> u32 {
    // SAFETY: as above.
    let bytes = unsafe { taken(request, len) };
    answered(with_session(session, |session| {
        let mut numbers = Numbers::new(&bytes);
        let (number, part) = (numbers.count()?, part(&mut numbers)?);
        session.take(number, part, &numbers.words()?)?;
        Ok(merged(session))
    }))
}

/// Goes on from the words of another reduction.
///
/// # Safety
/// As of [`taken`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reduction_resume(session: usize, request: *mut u8, len: usize) -> u32 {
    // SAFETY: as above.
    let bytes = unsafe { taken(request, len) };
    answered(with_session(session, |session| {
        let mut numbers = Numbers::new(&bytes);
        let groups = numbers.sizes()?;
        session.resume(&numbers.words()?, &groups)?;
        Ok(Vec::new())
    }))
}

/// The words of a reduction, for [`reduction_resume`].
#[unsafe(no_mangle)]
pub extern "C" fn reduction_words(session: usize) -> u32 {
    answered(with_session(session, |session| bytes_of(&session.words()?)))
}

/// The answers to a question: the place of their type in `NumberType::ALL`, as a byte, and them.
#[unsafe(no_mangle)]
pub extern "C" fn reduction_answer(
    session: usize,
    question: usize,
    source: usize,
    freedom: f64,
    skips_missing: u32,
    share: f64,
) -> u32 {
    answered(with_session(session, |session| {
        let known = Question::ALL.get(question).copied().zip(NumberType::ALL.get(source).copied());
        let (question, source) = known.ok_or_else(|| {
            Error::argument("there is no such question")
                .expected(format!("numbers below {} and {}", Question::ALL.len(), NumberType::ALL.len()))
                .actual(format!("{question} and {source}"))
        })?;
        let settings = Settings { source, freedom, skips_missing: skips_missing != 0, share };
        let answer = session.answer(question, settings)?;
        let place = NumberType::ALL.iter().position(|number| *number == answer.number);
        let mut bytes = vec![u8::try_from(place.unwrap_or(0)).unwrap_or(0)];
        bytes.extend(answer.bytes);
        Ok(bytes)
    }))
}

/// The address of the answer, which is valid until the next call.
#[unsafe(no_mangle)]
pub extern "C" fn reduction_answer_ptr() -> *const u8 {
    ANSWER.with_borrow(Vec::as_ptr)
}

/// The length of the answer in bytes.
#[unsafe(no_mangle)]
pub extern "C" fn reduction_answer_len() -> usize {
    ANSWER.with_borrow(Vec::len)
}

/// Downsamples a box of elements, as `downsample.rs` says. The answer is the smaller box.
///
/// # Safety
/// As of [`taken`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reduction_downsample(request: *mut u8, len: usize) -> u32 {
    // SAFETY: as above.
    answered(downsampled(&unsafe { taken(request, len) }))
}
