//! User codecs: codecs that the caller brought. The core knows their names, kinds and effect on the
//! data type; the host runs them.
//!
//! Binding and decoding are synchronous, but a user codec may be asynchronous. So a chain stops at
//! a user codec:
//!
//! 1. The pipeline records a [`CodecCall`] with the codec's input in [`CodecCalls`]. The functions
//!    that may stop are named `poll_…`, take the calls, and return [`Poll::Pending`].
//! 2. The host runs the codec, and its output is passed to [`CodecCalls::answer`].
//! 3. The pipeline starts again with the same calls. They know how far each chunk got, so that no
//!    codec runs twice on it.
//!
//! A codec of unknown kind cannot be bound. [`Unbound`] then has the question: its [`CodecSite`].

mod calls;
mod chain;
mod registered;

use std::rc::Rc;
use std::task::Poll;

pub use calls::{CodecCall, CodecCalls};
pub use chain::arrange_v2;
pub use registered::{CodecSite, RegisteredCodec};

use super::{ChunkRepresentation, CodecKind};
use crate::error::{Error, Result};
use crate::format::metadata::{CodecMetadata, ZarrFormat};

/// The user codecs that the chains of one array may contain. Nearly every array has `None`.
pub type OptionalUserCodecs = Option<Rc<UserCodecs>>;

/// The user codecs of one array: see [`OptionalUserCodecs`].
#[derive(Debug, Default)]
pub struct UserCodecs {
    names: Vec<String>,
    registered: Vec<RegisteredCodec>,
}

/// A user codec at its position in a chain.
#[derive(Debug)]
pub struct BoundUserCodec {
    /// What the host needs to construct the codec.
    pub site: CodecSite,
    /// The chunk before encoding, if the codec encodes arrays.
    pub decoded: ChunkRepresentation,
    /// The chunk after encoding, if the codec encodes to arrays.
    pub encoded: ChunkRepresentation,
    /// The kind that the codec declared.
    pub kind: CodecKind,
}

impl UserCodecs {
    /// Parses the message of the host: see `registered`.
    ///
    /// # Errors
    /// `Argument` for another form, `Format` or `Unsupported` for an unknown encoded data type.
    pub fn from_json(json: &str) -> Result<Self> {
        let (names, registered) = registered::parse(json)?;
        Ok(Self { names, registered })
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
    /// [`Unbound::UnknownKind`] while its kind is not known, and `Limit` for a chunk whose length
    /// in bytes does not fit 64 bits.
    pub fn bind(
        &self,
        codec: &CodecMetadata,
        decoded: &ChunkRepresentation,
    ) -> BindResult<Option<Rc<BoundUserCodec>>> {
        let Some(name) = self.name_of(codec) else { return Ok(None) };
        let site = CodecSite::new(name, codec, decoded)?;
        let Some(known) = self.registered.iter().find(|known| known.is_at(codec, &site)) else {
            return Err(Unbound::UnknownKind(Box::new(site)));
        };
        let encoded = known.encoded(decoded)?;
        Ok(Some(Rc::new(BoundUserCodec { site, decoded: decoded.clone(), encoded, kind: known.kind })))
    }
}

/// The result of binding codecs that may be users'.
pub type BindResult<T> = std::result::Result<T, Unbound>;

/// Why a codec or a chain is not bound.
#[derive(Debug)]
pub enum Unbound {
    /// The kind of this user codec must be known first.
    UnknownKind(Box<CodecSite>),
    /// An error.
    Failed(Error),
}

impl Unbound {
    /// Changes the error, if it is one.
    #[must_use]
    pub fn map_error(self, change: impl FnOnce(Error) -> Error) -> Self {
        match self {
            Self::UnknownKind(site) => Self::UnknownKind(site),
            Self::Failed(error) => Self::Failed(change(error)),
        }
    }

    /// The error for those who cannot ask for the kind.
    pub fn into_error(self) -> Error {
        match self {
            Self::UnknownKind(site) => {
                Error::unsupported("the kind of a user codec is not known").in_codec(site.codec)
            }
            Self::Failed(error) => error,
        }
    }
}

impl From<Error> for Unbound {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

/// Does work where user codecs are not run.
///
/// # Errors
/// Those of the work, and `Unsupported` if it needs a user codec.
pub fn without_user_codecs<T>(run: impl FnOnce(&mut CodecCalls) -> Poll<Result<T>>) -> Result<T> {
    match run(&mut CodecCalls::default()) {
        Poll::Ready(done) => done,
        Poll::Pending => Err(cannot_run_here()),
    }
}

/// The error of running a user codec without [`CodecCalls`].
pub(super) fn cannot_run_here() -> Error {
    Error::unsupported("a user codec cannot run here: the facade must run it")
}

#[cfg(all(test, not(target_arch = "wasm32")))]
#[allow(clippy::unwrap_used)]
mod tests;
