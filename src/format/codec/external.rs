//! A codec that this build cannot run: another WebAssembly module of the package, or
//! JavaScript of the user, runs it.
//!
//! The engine plans the read of an array that uses such a codec. Decode workers then load the
//! module that the array needs. The planner only has to know the position of the codec in its
//! chain.

use super::registry::{CodecKind, WasmModule, needs_module};
use super::user::{BoundUserCodec, OptionalUserCodecs, UserCodecs};
use super::{
    ArrayBytes, ArrayToArray, ArrayToArraySpec, ArrayToBytes, ArrayToBytesSpec, BytesToBytes,
    BytesToBytesSpec, ChunkRepresentation, Output, Spec,
};
use crate::error::{Error, Result};
use crate::format::metadata::CodecMetadata;
use crate::format::metadata::codec;
use crate::format::metadata::json::Document;

#[derive(Clone, Debug)]
struct ExternalSpec {
    runner: Runner,
    /// The chunk as the next codec sees it; `None` when that is not known.
    encoded: Option<ChunkRepresentation>,
    /// User codecs in the codec's configuration. Planning must know their kinds before decoding.
    inner: Vec<CodecMetadata>,
    users: OptionalUserCodecs,
}

#[derive(Clone, Copy, Debug)]
enum Runner {
    Module(WasmModule),
    /// JavaScript of the user. The pipeline never calls the bound codec: see
    /// [`stepwise`](super::stepwise).
    User,
}

/// A codec bound to a chunk that this build does not decode.
struct ExternalCodec {
    runner: Runner,
    /// The chunk as the next codec sees it, or the decoded chunk when that is not known.
    chunk: ChunkRepresentation,
}

/// The spec of a codec that the WebAssembly module `module` decodes.
pub(super) fn spec(
    kind: CodecKind,
    module: WasmModule,
    codec: &CodecMetadata,
    users: &OptionalUserCodecs,
) -> Spec {
    let (users, inner) = match users {
        Some(known) => (users.clone(), inner_codecs(codec, known)),
        None => (None, Vec::new()),
    };
    of_kind(kind, ExternalSpec { runner: Runner::Module(module), encoded: None, inner, users })
}

/// The spec of a user codec.
pub(super) fn user_spec(stage: &BoundUserCodec) -> Spec {
    let encoded = Some(stage.encoded.clone());
    of_kind(stage.kind, ExternalSpec { runner: Runner::User, encoded, inner: Vec::new(), users: None })
}

/// The user codecs among the `codecs` of a configuration. Errors in it are ignored here: the module
/// that decodes the codec reports them.
fn inner_codecs(codec: &CodecMetadata, users: &UserCodecs) -> Vec<CodecMetadata> {
    let read = || {
        let document = Document::parse(codec.configuration.as_deref().unwrap_or("{}").as_bytes())?;
        document.root().object()?.read("codecs", |json| json.list(codec::parse))
    };
    let codecs: Result<Option<Vec<CodecMetadata>>> = read();
    codecs.ok().flatten().unwrap_or_default().into_iter().filter(|codec| users.has(codec)).collect()
}

fn of_kind(kind: CodecKind, spec: ExternalSpec) -> Spec {
    match kind {
        CodecKind::ArrayToArray => Spec::ArrayToArray(Box::new(spec)),
        CodecKind::ArrayToBytes => Spec::ArrayToBytes(Box::new(spec)),
        CodecKind::BytesToBytes => Spec::BytesToBytes(Box::new(spec)),
    }
}

impl ExternalSpec {
    fn bound(&self, decoded: &ChunkRepresentation) -> Result<Box<ExternalCodec>> {
        for (codec, users) in self.inner.iter().zip(self.users.iter().cycle()) {
            users.bind(codec, decoded)?;
        }
        let chunk = self.encoded.as_ref().unwrap_or(decoded).clone();
        Ok(Box::new(ExternalCodec { runner: self.runner, chunk }))
    }
}

impl ExternalCodec {
    fn refuse(&self) -> Error {
        match self.runner {
            Runner::Module(module) => needs_module(module),
            Runner::User => Error::unsupported("a user codec cannot run here: the facade must run it"),
        }
    }
}

impl ArrayToArraySpec for ExternalSpec {
    fn bind(&self, decoded: &ChunkRepresentation) -> Result<Box<dyn ArrayToArray>> {
        Ok(self.bound(decoded)?)
    }
}

impl ArrayToBytesSpec for ExternalSpec {
    fn bind(&self, decoded: &ChunkRepresentation) -> Result<Box<dyn ArrayToBytes>> {
        Ok(self.bound(decoded)?)
    }
}

impl BytesToBytesSpec for ExternalSpec {
    fn bind(&self, decoded: &ChunkRepresentation) -> Result<Box<dyn BytesToBytes>> {
        Ok(self.bound(decoded)?)
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
    fn encoded_len(&self) -> Option<u64> {
        None
    }

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
