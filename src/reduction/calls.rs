//! The calls of the module. `engine/decode/reducer.ts` makes them, in decode workers and beside the
//! engine. In wasm the module imports nothing; a panic is a trap, after which the instance is
//! thrown away. Blocks of numbers are float64 (`wire.rs` says which). Accumulators are 64-bit
//! words.

use std::cell::RefCell;

use crate::answer::{Question, Settings};
use crate::contract::calls::ReductionCall;
use crate::contract::wasm_module::Answer;
use crate::downsample::downsampled;
use crate::error::{Error, Result};
use crate::kernel::number::NumberType;
use crate::limits;
use crate::request::Reduction;
use crate::session::{Part, Session};
use crate::wire::Numbers;

thread_local! {
    static SESSIONS: RefCell<Vec<Session>> = const { RefCell::new(Vec::new()) };
}

#[cfg(target_arch = "wasm32")]
crate::contract::wasm_module!("reduction_call", ReductionCall, answer);

/// Answers a call.
///
/// # Errors
/// `Argument` for a malformed request or an unknown reduction, and the errors of reductions.
pub fn answer(call: ReductionCall<'_>) -> Result<Answer> {
    Ok(bytes_of_answer(call)?.into())
}

fn bytes_of_answer(call: ReductionCall<'_>) -> Result<Vec<u8>> {
    match call {
        ReductionCall::Sizes { request } => bytes_of(&sizes(&reduction(request)?)?),
        ReductionCall::Open { most, request } => open(Numbers::new(most).saturated()?, request),
        ReductionCall::Within { session, part } => with_session(session, |session| {
            Ok(session.within(&part_of(&mut Numbers::new(part))?)?.to_bytes())
        }),
        ReductionCall::Add { request, elements } => {
            let part = reduction(request)?;
            bytes_of(&part.add(elements)?.to_words(&part)?)
        }
        ReductionCall::TakeElements { session, part, elements } => with_session(session, |session| {
            let (number, part) = numbered(part)?;
            session.take_elements(number, part, elements)?;
            Ok(merged(session))
        }),
        ReductionCall::Take { session, part, accumulators } => with_session(session, |session| {
            let (number, part) = numbered(part)?;
            session.take(number, part, &Numbers::new(accumulators).words()?)?;
            Ok(merged(session))
        }),
        ReductionCall::Resume { session, groups, accumulators } => with_session(session, |session| {
            session.resume(&Numbers::new(accumulators).words()?, &Numbers::new(groups).sizes()?)?;
            Ok(Vec::new())
        }),
        ReductionCall::Words { session } => with_session(session, |session| bytes_of(&session.words()?)),
        ReductionCall::Answer { session, question, source, skips_missing, settings } => {
            let (question, source) = known(question as usize, source as usize)?;
            let mut numbers = Numbers::new(settings);
            let (freedom, share) = (numbers.number()?, numbers.number()?);
            let settings = Settings { source, freedom, skips_missing: skips_missing != 0, share };
            with_session(session, |session| answered(session, question, settings))
        }
        ReductionCall::Downsample { request } => downsampled(request),
    }
}

/// Does something with a session.
fn with_session<T>(session: u32, run: impl FnOnce(&mut Session) -> Result<T>) -> Result<T> {
    SESSIONS.with_borrow_mut(|sessions| match sessions.get_mut(session as usize) {
        Some(session) => run(session),
        None => Err(Error::argument("there is no such reduction")
            .expected(format!("a number below {}", sessions.len()))
            .actual(session.to_string())),
    })
}

fn reduction(request: &[u8]) -> Result<Reduction> {
    Reduction::from_numbers(&mut Numbers::new(request))
}

/// The bytes of a reduction's elements, and those that its accumulators take.
fn sizes(reduction: &Reduction) -> Result<[u64; 2]> {
    let elements = reduction.elements()?.saturating_mul(reduction.source.size() as u64);
    Ok([elements, reduction.accumulator_bytes()?])
}

/// Begins a reduction: its number and its sizes.
fn open(most: u64, request: &[u8]) -> Result<Vec<u8>> {
    let whole = reduction(request)?;
    let [elements, accumulators] = sizes(&whole)?;
    let session = Session::new(whole, most)?;
    let number = SESSIONS.with_borrow_mut(|sessions| {
        sessions.push(session);
        sessions.len().saturating_sub(1)
    });
    bytes_of(&[number as u64, elements, accumulators])
}

fn part_of(numbers: &mut Numbers<'_>) -> Result<Part> {
    Ok(Part { start: numbers.sizes()?, shape: numbers.sizes()? })
}

/// A part behind its number.
fn numbered(part: &[u8]) -> Result<(u64, Part)> {
    let mut numbers = Numbers::new(part);
    Ok((numbers.count()?, part_of(&mut numbers)?))
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

/// The number of elements that are merged, as a float64.
#[allow(clippy::cast_precision_loss, reason = "a selection that is read has below 2^53 elements")]
fn merged(session: &Session) -> Vec<u8> {
    (session.merged() as f64).to_le_bytes().to_vec()
}

fn known(question: usize, source: usize) -> Result<(Question, NumberType)> {
    let known = Question::ALL.get(question).copied().zip(NumberType::ALL.get(source).copied());
    known.ok_or_else(|| {
        Error::argument("there is no such question")
            .expected(format!("numbers below {} and {}", Question::ALL.len(), NumberType::ALL.len()))
            .actual(format!("{question} and {source}"))
    })
}

fn answered(session: &mut Session, question: Question, settings: Settings) -> Result<Vec<u8>> {
    let answer = session.answer(question, settings)?;
    let place = NumberType::ALL.iter().position(|number| *number == answer.number);
    let mut bytes = vec![u8::try_from(place.unwrap_or(0)).unwrap_or(0)];
    bytes.extend(answer.bytes);
    Ok(bytes)
}
