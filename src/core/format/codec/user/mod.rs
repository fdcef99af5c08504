//! User codecs: codecs that the caller wrote in JavaScript. Rust knows their names, kinds and
//! effect on the data type; JavaScript runs them.
//!
//! Binding and decoding are synchronous, but a user codec may be asynchronous. So a chain stops at
//! a user codec:
//!
//! 1. The pipeline records a [`CodecCall`] with the codec's input and fails with
//!    [`Stage::UserCodec`].
//! 2. The `js` and `ts` rooms run the codec and pass the output to [`CodecCalls::answer`].
//! 3. The pipeline starts again. [`CodecCalls`] remembers how far each chunk got, so that no codec
//!    runs twice on it.
//!
//! Binding works in the same way: a codec of unknown kind leaves a [`CodecSite`] as a question.

mod calls;
mod chain;
mod registered;

use std::cell::RefCell;
use std::rc::Rc;

pub use calls::{CallKey, CodecCall, CodecCalls};
pub use chain::arrange_v2;
pub use registered::{CodecSite, RegisteredCodec};

use super::{ChunkRepresentation, CodecData, CodecKind};
use crate::error::{Error, Result, Stage};
use crate::format::metadata::{CodecMetadata, ZarrFormat};

/// The user codecs that the chains of one array may contain. Nearly every array has `None`.
pub type OptionalUserCodecs = Option<Rc<UserCodecs>>;

/// The user codecs of one array: see [`OptionalUserCodecs`].
#[derive(Debug, Default)]
pub struct UserCodecs {
    names: Vec<String>,
    registered: Vec<RegisteredCodec>,
    question: RefCell<Option<CodecSite>>,
    calls: RefCell<CodecCalls>,
    pipelines: RefCell<Vec<(Vec<CodecMetadata>, ChunkRepresentation)>>,
}

/// A user codec at its position in a chain.
#[derive(Debug)]
pub struct BoundUserCodec {
    /// What JavaScript needs to construct the codec.
    pub site: CodecSite,
    /// The chunk before encoding, if the codec encodes arrays.
    pub decoded: ChunkRepresentation,
    /// The chunk after encoding, if the codec encodes to arrays.
    pub encoded: ChunkRepresentation,
    /// The kind that the codec declared.
    pub kind: CodecKind,
}

impl UserCodecs {
    /// Parses the message of the TypeScript part: see [`registered`].
    ///
    /// # Errors
    /// `Argument` for another form, `Format` or `Unsupported` for an unknown encoded data type.
    pub fn from_json(json: &str) -> Result<Self> {
        let (names, registered) = registered::parse(json)?;
        Ok(Self { names, registered, ..Self::default() })
    }

    /// The name that a codec of the metadata is registered with, if any. A v2 `id` may be
    /// registered with the prefix `numcodecs.`, as in zarrita.
    fn name_of(&self, codec: &CodecMetadata) -> Option<&str> {
        let named = |name: &str| self.names.iter().find(|known| *known == name).map(String::as_str);
        match codec.format {
            ZarrFormat::V3 | ZarrFormat::Draft(_) => named(&codec.name),
            ZarrFormat::V2 => named(&format!("numcodecs.{}", codec.name)).or_else(|| named(&codec.name)),
        }
    }

    /// Whether the user has registered a codec of this name.
    pub fn has(&self, codec: &CodecMetadata) -> bool {
        self.name_of(codec).is_some()
    }

    /// The kind of a user codec, without its position in a chain: the kind that it declared with
    /// this configuration, or else with another one. `None` when it is not known.
    pub fn kind_of(&self, codec: &CodecMetadata) -> Option<CodecKind> {
        self.name_of(codec)?;
        let exact = self.registered.iter().find(|known| known.is_of(codec));
        exact.or_else(|| self.registered.iter().find(|known| known.is_named(codec))).map(|known| known.kind)
    }

    /// Binds the user codec that the metadata names; `None` when it is not a user codec.
    ///
    /// # Errors
    /// Of [`Stage::UserCodec`] while its kind is not known. Then
    /// [`take_question`](Self::take_question) returns what to ask.
    pub fn bind(
        &self,
        codec: &CodecMetadata,
        decoded: &ChunkRepresentation,
    ) -> Result<Option<Rc<BoundUserCodec>>> {
        let Some(name) = self.name_of(codec) else { return Ok(None) };
        let site = CodecSite::new(name, codec, decoded)?;
        let Some(known) = self.registered.iter().find(|known| known.is_at(codec, &site)) else {
            self.question.replace(Some(site));
            return Err(waiting());
        };
        let encoded = known.encoded(decoded)?;
        Ok(Some(Rc::new(BoundUserCodec { site, decoded: decoded.clone(), encoded, kind: known.kind })))
    }

    /// Takes the codec whose kind must be known before the chain can be bound.
    pub fn take_question(&self) -> Option<CodecSite> {
        self.question.take()
    }

    /// The number of a pipeline, which [`CallKey`] refers to. A pipeline that is bound again has
    /// the same number.
    #[allow(clippy::arithmetic_side_effects, reason = "one was pushed")]
    pub fn pipeline(&self, codecs: &[CodecMetadata], decoded: &ChunkRepresentation) -> usize {
        let mut pipelines = self.pipelines.borrow_mut();
        let known = pipelines.iter().position(|known| known.0 == codecs && known.1 == *decoded);
        known.unwrap_or_else(|| {
            pipelines.push((codecs.to_vec(), decoded.clone()));
            pipelines.len() - 1
        })
    }

    /// Swaps in the calls of one chunk before it is decoded or encoded, and swaps them out
    /// afterwards.
    pub fn swap_calls(&self, calls: &mut CodecCalls) {
        std::mem::swap(&mut *self.calls.borrow_mut(), calls);
    }

    /// The position of the last answered user codec plus one, and its output; `None` for a chunk
    /// without a call.
    ///
    /// # Errors
    /// Of [`Stage::UserCodec`] while a call of the chunk has no answer.
    pub fn resume(&self, key: &CallKey) -> Result<Option<(usize, CodecData<'static>)>> {
        self.calls.borrow().resume(key)
    }

    /// Records a call of a user codec and returns the error that stops the pipeline.
    pub fn ask(&self, key: CallKey, at: usize, stage: &Rc<BoundUserCodec>, input: CodecData<'_>) -> Error {
        self.calls.borrow_mut().ask(key, at, stage, input);
        waiting()
    }
}

/// The error that stops binding, decoding or encoding until a user codec has answered.
fn waiting() -> Error {
    Error::unsupported("a user codec has not answered yet").in_stage(Stage::UserCodec)
}

/// Whether work stopped only because a user codec has not answered yet.
pub fn is_waiting(error: &Error) -> bool {
    error.context().stage == Some(Stage::UserCodec)
}

#[cfg(all(test, not(target_arch = "wasm32")))]
#[allow(clippy::unwrap_used)]
mod tests;
