//! The calls of the module. `host/decode/reducer.ts` makes them, in decode workers and beside the
//! engine. In wasm the module imports nothing; a panic is a trap, after which the instance is
//! thrown away. Requests and results are records of the contract; accumulators are 64-bit words.

use std::cell::RefCell;

use crate::answer::Settings;
use crate::contract::calls::ReductionCall;
use crate::contract::wasm_module::Answer;
use crate::contract::{
    Bytes, Natural, OpenedReduction, Record, ReductionAnswer, ReductionQuestion, ReductionSettings,
    ReductionSizes,
};
use crate::downsample::downsampled;
use crate::error::{Error, Result};
use crate::limits;
use crate::records::{long_words, number_type, numbered, read};
use crate::request::Reduction;
use crate::session::Session;

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
        ReductionCall::Sizes { request } => Ok(sizes(&reduction(request)?)?.to_bytes()),
        ReductionCall::Open { most, request } => open(read(most)?, request),
        ReductionCall::Within { session, part } => with_session(session, |session| {
            let (_, part) = numbered(read(part)?)?;
            Ok(session.within(&part)?.record().to_bytes())
        }),
        ReductionCall::Add { request, elements } => {
            let part = reduction(request)?;
            bytes_of(&part.add(elements)?.to_words(&part)?)
        }
        ReductionCall::TakeElements { session, part, elements } => with_session(session, |session| {
            let (index, part) = numbered(read(part)?)?;
            session.take_elements(index, part, elements)?;
            Ok(Natural(session.merged()).to_bytes())
        }),
        ReductionCall::Take { session, part, accumulators } => with_session(session, |session| {
            let (index, part) = numbered(read(part)?)?;
            session.take(index, part, &long_words(accumulators)?)?;
            Ok(Natural(session.merged()).to_bytes())
        }),
        ReductionCall::Resume { session, groups, accumulators } => with_session(session, |session| {
            let groups: Vec<usize> = groups.iter().map(|group| *group as usize).collect();
            session.resume(&long_words(accumulators)?, &groups)?;
            Ok(Vec::new())
        }),
        ReductionCall::Words { session } => with_session(session, |session| bytes_of(&session.words()?)),
        ReductionCall::Answer { session, question, settings } => {
            with_session(session, |session| answered(session, &read(question)?, &read(settings)?))
        }
        ReductionCall::Downsample { request, elements } => downsampled(&read(request)?, elements),
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
    Reduction::of(read(request)?)
}

fn sizes(reduction: &Reduction) -> Result<ReductionSizes> {
    let elements = reduction.elements()?.saturating_mul(reduction.source.size() as u64);
    Ok(ReductionSizes {
        element_bytes: Natural(elements),
        accumulator_bytes: Natural(reduction.accumulator_bytes()?),
    })
}

/// Begins a reduction. `most` may be larger than any count.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates")]
fn open(most: f64, request: &[u8]) -> Result<Vec<u8>> {
    let whole = reduction(request)?;
    let sizes = sizes(&whole)?;
    let opened = Session::new(whole, most as u64)?;
    let session = SESSIONS.with_borrow_mut(|sessions| {
        sessions.push(opened);
        sessions.len().saturating_sub(1)
    });
    Ok(OpenedReduction { session: session as u32, sizes }.to_bytes())
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

fn answered(
    session: &mut Session,
    asked: &ReductionQuestion,
    settings: &ReductionSettings,
) -> Result<Vec<u8>> {
    let settings = Settings {
        source: number_type(&settings.source)?,
        freedom: settings.freedom,
        skips_missing: settings.skips_missing,
        share: asked.share,
    };
    let answer = session.answer(asked.question, settings)?;
    let number = answer.number.name().to_owned();
    Ok(ReductionAnswer { number, values: Bytes(answer.bytes) }.to_bytes())
}
