//! Codecs that the user brought: known here by name, kind and what they make of a data type; run by
//! somebody else.
//!
//! Binding and coding are synchronous, a user's codec need not be. So the chain is cut at it: what
//! goes into it is noted as a [`CodecCall`], coding ends with an error of [`Stage::UserCodec`], and
//! is begun again once the answer is there. A [`CodecCalls`] keeps how far each chunk has come, so
//! that nothing before the cut is done twice. Binding works alike: a codec whose kind is not known
//! yet leaves a [`Site`] as a question. Deliberately without knowledge of JavaScript: `js` and `ts`
//! ask and answer.

mod calls;
mod chain;
mod registered;

use std::cell::RefCell;
use std::rc::Rc;

pub use calls::{CallKey, CodecCall, CodecCalls, CodecData, Direction};
pub use chain::arrange_v2;
pub use registered::{RegisteredCodec, Site};

use super::{ChunkRepresentation, CodecKind};
use crate::error::{Error, Result, Stage};
use crate::format::metadata::{CodecMetadata, ZarrFormat};

/// The user's codecs that the chains of one array may hold; none for nearly every array.
pub type OptionalUserCodecs = Option<Rc<UserCodecs>>;

/// See [`OptionalUserCodecs`].
#[derive(Debug, Default)]
pub struct UserCodecs {
    names: Vec<String>,
    registered: Vec<RegisteredCodec>,
    question: RefCell<Option<Site>>,
    calls: RefCell<CodecCalls>,
    pipelines: RefCell<Vec<(Vec<CodecMetadata>, ChunkRepresentation)>>,
}

/// A user's codec at its place in a chain.
#[derive(Debug)]
pub struct BoundUserCodec {
    /// Which codec, for whoever runs it.
    pub site: Site,
    /// What it sees when it encodes, if that is an array.
    pub decoded: ChunkRepresentation,
    /// What it makes of that, if it is an array still.
    pub encoded: ChunkRepresentation,
    /// Where it stands in a chain.
    pub kind: CodecKind,
}

impl UserCodecs {
    /// From the words of `ts`: see [`registered`].
    ///
    /// # Errors
    /// `Argument` when they are others, `Format` or `Unsupported` for an encoded data type that
    /// nobody knows.
    pub fn from_json(json: &str) -> Result<Self> {
        let (names, registered) = registered::parse(json)?;
        Ok(Self { names, registered, ..Self::default() })
    }

    /// The name that a codec of the metadata is registered by, if it is: v2's `id` also behind
    /// `numcodecs.`, as zarrita has it.
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

    /// The kind of a codec of the user's, as far as it is known without its place: that of its
    /// configuration, or of its name with another one.
    pub fn kind_of(&self, codec: &CodecMetadata) -> Option<CodecKind> {
        self.name_of(codec)?;
        let exact = self.registered.iter().find(|known| known.is_of(codec));
        exact.or_else(|| self.registered.iter().find(|known| known.is_named(codec))).map(|known| known.kind)
    }

    /// The user's codec that the metadata names, bound to what it will see; `None` when it is none
    /// of the user's.
    ///
    /// # Errors
    /// Of [`Stage::UserCodec`] while its kind is not known: then
    /// [`take_question`](Self::take_question) tells which it is.
    pub fn bind(
        &self,
        codec: &CodecMetadata,
        decoded: &ChunkRepresentation,
    ) -> Result<Option<Rc<BoundUserCodec>>> {
        let Some(name) = self.name_of(codec) else { return Ok(None) };
        let site = Site::new(name, codec, decoded)?;
        let Some(known) = self.registered.iter().find(|known| known.is_at(codec, &site)) else {
            self.question.replace(Some(site));
            return Err(waiting());
        };
        let encoded = known.encoded(decoded)?;
        Ok(Some(Rc::new(BoundUserCodec { site, decoded: decoded.clone(), encoded, kind: known.kind })))
    }

    /// The codec whose kind has to be known before the chain can be bound.
    pub fn take_question(&self) -> Option<Site> {
        self.question.take()
    }

    /// The number of a pipeline, by which the calls tells its chunks: the same for one that is
    /// bound again.
    pub fn pipeline(&self, codecs: &[CodecMetadata], decoded: &ChunkRepresentation) -> usize {
        let mut pipelines = self.pipelines.borrow_mut();
        let known = pipelines.iter().position(|known| known.0 == codecs && known.1 == *decoded);
        known.unwrap_or_else(|| {
            pipelines.push((codecs.to_vec(), decoded.clone()));
            pipelines.len() - 1
        })
    }

    /// Puts the calls of a chunk in its place while that chunk is coded, or back.
    pub fn exchange(&self, calls: &mut CodecCalls) {
        std::mem::swap(&mut *self.calls.borrow_mut(), calls);
    }

    /// How far a chunk has come, and what it is there; `None` for one that has not been begun.
    ///
    /// # Errors
    /// Of [`Stage::UserCodec`] while its codec has not answered.
    pub fn resume(&self, key: &CallKey) -> Result<Option<(usize, CodecData)>> {
        self.calls.borrow().resume(key)
    }

    /// Notes that a codec of the user's is to be run, and gives the error that says so.
    pub fn ask(&self, key: CallKey, at: usize, stage: &Rc<BoundUserCodec>, input: CodecData) -> Error {
        self.calls.borrow_mut().ask(key, at, stage, input);
        waiting()
    }
}

/// What ends coding, or binding, until the user's codec has answered.
fn waiting() -> Error {
    Error::unsupported("a codec of the user's has to be run by someone else").in_stage(Stage::UserCodec)
}

/// Whether work ended only because a codec of the user's has not answered yet.
pub fn is_waiting(error: &Error) -> bool {
    error.context().stage == Some(Stage::UserCodec)
}

#[cfg(all(test, not(target_arch = "wasm32")))]
#[allow(clippy::unwrap_used)]
mod tests;
