//! The three kinds of codecs, and where `bytes` goes among them.

pub use zarr_wasm_contract::CodecKind;

/// The index of the `bytes` codec in a chain of these kinds: before the first codec of bytes, or at
/// the end. `None` where a codec turns elements into bytes.
pub fn index_of_bytes(kinds: &[CodecKind]) -> Option<usize> {
    let index = kinds.iter().position(|kind| *kind == CodecKind::BytesToBytes).unwrap_or(kinds.len());
    (!kinds.contains(&CodecKind::ArrayToBytes)).then_some(index)
}
