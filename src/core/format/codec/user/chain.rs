//! Chains of v2 metadata with user codecs. Their kinds decide the position of the `bytes` codec,
//! which the metadata parser could only guess.

use super::UserCodecs;
use crate::format::codec::registry::{CodecKind, kind_of};
use crate::format::metadata::{CodecMetadata, ZarrFormat};

/// Moves the `bytes` codec, which v2's byte order stands for, before the first bytes → bytes codec.
/// Removes it if another codec is array → bytes.
pub fn arrange_v2(codecs: &mut Vec<CodecMetadata>, users: &UserCodecs) {
    let is_user = |codec: &CodecMetadata| users.kind_of(codec).is_some();
    if !codecs.iter().any(is_user) {
        return;
    }
    let place = codecs.iter().position(|codec| codec.format == ZarrFormat::V3 && codec.name == "bytes");
    let bytes = match place {
        Some(place) => codecs.remove(place),
        None => CodecMetadata {
            name: "bytes".to_owned(),
            configuration: Some("{\"endian\":\"little\"}".to_owned()),
            format: ZarrFormat::V3,
            field: "dtype".to_owned(),
        },
    };
    let kinds: Vec<CodecKind> = codecs.iter().map(|codec| kind(codec, users)).collect();
    if !kinds.contains(&CodecKind::ArrayToBytes) {
        let place = kinds.iter().position(|kind| *kind == CodecKind::BytesToBytes).unwrap_or(codecs.len());
        codecs.insert(place, bytes);
    }
}

/// The kind of a codec; for an unknown codec the kind that its field suggests.
fn kind(codec: &CodecMetadata, users: &UserCodecs) -> CodecKind {
    let assumed = if codec.field == "compressor" { CodecKind::BytesToBytes } else { CodecKind::ArrayToArray };
    users.kind_of(codec).or_else(|| kind_of(&codec.name, codec.format)).unwrap_or(assumed)
}
