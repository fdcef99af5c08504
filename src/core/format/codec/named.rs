//! A codec of a chain, with what the chain knows about it.

use std::rc::Rc;

use super::registry::{self, BoundCodec};
use super::user::{BindResult, BoundUserCodec, OptionalUserCodecs};
use super::{BytesToBytes, ChunkRepresentation, Codec, external};
use crate::error::{Error, HAS_USER_CODECS, Result, Stage};
use crate::format::metadata::CodecMetadata;

/// A codec, and its name in the metadata for errors.
pub(super) struct NamedCodec<C> {
    pub(super) name: String,
    pub(super) codec: C,
    /// Set for a user codec, which the host runs.
    pub(super) user: Option<Rc<BoundUserCodec>>,
    /// Set when the codec decodes but cannot encode: the reason.
    pub(super) encode_error: Option<Error>,
}

impl NamedCodec<Codec> {
    /// Binds one codec of a chain: the user's codec of this name, or else one of this package.
    pub(super) fn bind(
        metadata: &CodecMetadata,
        decoded: &ChunkRepresentation,
        users: &OptionalUserCodecs,
    ) -> BindResult<Self> {
        let user = match users {
            Some(users) if HAS_USER_CODECS => users.bind(metadata, decoded)?,
            _ => None,
        };
        let BoundCodec { codec, encode_error } = match &user {
            Some(stage) => BoundCodec { codec: external::user_codec(stage), encode_error: None },
            None => registry::bind_with(metadata, decoded, users)?,
        };
        Ok(Self { name: metadata.name.clone(), codec, user, encode_error })
    }

    /// The same codec as one of its kind.
    pub(super) fn with<C>(self, codec: C) -> NamedCodec<C> {
        let Self { name, user, encode_error, .. } = self;
        NamedCodec { name, codec, user, encode_error }
    }
}

impl<C: Clone> NamedCodec<C> {
    /// The same codec as one of any kind.
    pub(super) fn to_any(&self, any: impl Fn(C) -> Codec) -> NamedCodec<Codec> {
        let Self { name, codec, user, encode_error } = self;
        let (user, encode_error) = (user.clone(), encode_error.clone());
        NamedCodec { name: name.clone(), codec: any(codec.clone()), user, encode_error }
    }
}

impl NamedCodec<Rc<dyn BytesToBytes>> {
    /// Whether it is a user codec, or contains a chain with user codecs.
    pub(super) fn has_user_codecs(&self) -> bool {
        self.user.is_some() || self.codec.with_user_codecs().is_some()
    }
}

impl<C> NamedCodec<C> {
    pub(super) fn add_context(&self, stage: Stage) -> impl Fn(Error) -> Error + '_ {
        move |error| error.in_stage(stage).in_codec(self.name.as_str())
    }

    /// Checks that the codec can encode.
    pub(super) fn check_encodes(&self) -> Result<()> {
        self.encode_error.clone().map_or(Ok(()), Err)
    }
}
