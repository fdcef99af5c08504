//! A codec that this build cannot run: another WebAssembly module of the package runs it, or the
//! host, if the user brought it.
//!
//! The engine plans the read of an array that uses such a codec. Decode workers then load the
//! module that the array needs. The planner only has to know the position of the codec in its
//! chain.

use super::build::needs_module;
use super::kind::CodecKind;
use super::user::{BindResult, BoundUserCodec, OptionalUserCodecs, cannot_run_here};
use super::{ArrayBytes, ArrayToArray, ArrayToBytes, BytesToBytes, ChunkRepresentation, Codec, Output};
use crate::builds::Build;
use crate::error::{Error, HAS_USER_CODECS, Result};
use crate::format::metadata::{CodecMetadata, codec};

#[derive(Clone, Copy)]
enum Runner {
    Module(Build),
    /// The host, for a codec that the user brought. The pipeline never calls it: see
    /// [`stepwise`](super::stepwise).
    User,
}

struct ExternalCodec {
    runner: Runner,
    /// The chunk as the next codec sees it, or the decoded chunk when that is not known.
    chunk: ChunkRepresentation,
}

/// A codec of a WebAssembly module that is not in this build.
///
/// # Errors
/// `UnknownKind` while the kind of a user codec in its configuration is not known. Planning must
/// know it before decoding.
pub(super) fn codec(
    (kind, module): (CodecKind, Build),
    metadata: &CodecMetadata,
    decoded: &ChunkRepresentation,
    users: &OptionalUserCodecs,
) -> BindResult<Codec> {
    if let Some(users) = users.as_ref().filter(|_| HAS_USER_CODECS) {
        inner_codecs(metadata).iter().try_for_each(|codec| users.bind(codec, decoded).map(drop))?;
    }
    Ok(of_kind(kind, Runner::Module(module), decoded))
}

/// A user codec.
pub(super) fn user_codec(stage: &BoundUserCodec) -> Codec {
    of_kind(stage.kind, Runner::User, &stage.encoded)
}

/// The `codecs` of a configuration. Errors in it are ignored here: the module that decodes the
/// codec reports them.
fn inner_codecs(metadata: &CodecMetadata) -> Vec<CodecMetadata> {
    let read = || {
        let document = metadata.document()?;
        document.root().object()?.read("codecs", |json| json.list(codec::parse))
    };
    read().ok().flatten().unwrap_or_default()
}

fn of_kind(kind: CodecKind, runner: Runner, chunk: &ChunkRepresentation) -> Codec {
    let codec = ExternalCodec { runner, chunk: chunk.clone() };
    match kind {
        CodecKind::ArrayToArray => Codec::array_to_array(codec),
        CodecKind::ArrayToBytes => Codec::array_to_bytes(codec),
        CodecKind::BytesToBytes => Codec::bytes_to_bytes(codec),
    }
}

impl ExternalCodec {
    fn refuse(&self) -> Error {
        match self.runner {
            Runner::Module(module) => needs_module(module),
            Runner::User => cannot_run_here(),
        }
    }
}

impl ArrayToArray for ExternalCodec {
    fn encoded(&self) -> &ChunkRepresentation {
        &self.chunk
    }

    fn decode(&self, _: ArrayBytes) -> Result<ArrayBytes> {
        Err(self.refuse())
    }

    fn encode(&self, _: ArrayBytes) -> Result<ArrayBytes> {
        Err(self.refuse())
    }
}

impl ArrayToBytes for ExternalCodec {
    fn decode(&self, _: &[u8]) -> Result<ArrayBytes> {
        Err(self.refuse())
    }

    fn encode(&self, _: &ArrayBytes) -> Result<Vec<u8>> {
        Err(self.refuse())
    }
}

impl BytesToBytes for ExternalCodec {
    fn decode(&self, _: &[u8], _: Output<'_>) -> Result<()> {
        Err(self.refuse())
    }

    fn encode(&self, _: &[u8]) -> Result<Vec<u8>> {
        Err(self.refuse())
    }
}
