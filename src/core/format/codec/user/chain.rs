//! Chains of v2 metadata with user codecs. Their kinds decide the position of the `bytes` codec,
//! which the metadata parser could only guess.

use super::UserCodecs;
use crate::format::codec::kind::{CodecKind, index_of_bytes};
use crate::format::codec::registry::kind_of;
use crate::format::data_type::Endian;
use crate::format::metadata::CodecMetadata;

/// Moves the `bytes` codec, which v2's byte order stands for, before the first bytes → bytes codec.
/// Removes it if another codec is array → bytes.
pub fn arrange_v2(codecs: &mut Vec<CodecMetadata>, users: &UserCodecs) {
    let is_user = |codec: &CodecMetadata| users.kind_of(codec).is_some();
    if !codecs.iter().any(is_user) {
        return;
    }
    let bytes = match codecs.iter().position(CodecMetadata::is_bytes) {
        Some(index) => codecs.remove(index),
        None => CodecMetadata::bytes(Some(Endian::Little)).at("dtype"),
    };
    let mut kinds = Vec::with_capacity(codecs.len());
    for codec in codecs.iter() {
        kinds.push(kind(codec, users));
    }
    if let Some(index) = index_of_bytes(&kinds) {
        codecs.insert(index, bytes);
    }
}

/// The kind of a codec; for an unknown codec the kind that its field suggests.
fn kind(codec: &CodecMetadata, users: &UserCodecs) -> CodecKind {
    let assumed = if codec.field == "compressor" { CodecKind::BytesToBytes } else { CodecKind::ArrayToArray };
    users.kind_of(codec).or_else(|| kind_of(&codec.name, codec.format)).unwrap_or(assumed)
}
