//! The three kinds of codecs, and where `bytes` goes among them.

/// The kind of a codec, which decides its position in a chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CodecKind {
    /// Array → array.
    ArrayToArray,
    /// Array → bytes.
    ArrayToBytes,
    /// Bytes → bytes.
    BytesToBytes,
}

impl CodecKind {
    /// All kinds, in the order of a chain.
    const ALL: [Self; 3] = [Self::ArrayToArray, Self::ArrayToBytes, Self::BytesToBytes];

    /// The name in TypeScript.
    pub fn name(self) -> &'static str {
        match self {
            Self::ArrayToArray => "array_to_array",
            Self::ArrayToBytes => "array_to_bytes",
            Self::BytesToBytes => "bytes_to_bytes",
        }
    }

    /// The kind of this name.
    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

/// The place of the `bytes` codec in a chain of these kinds: before the first codec of bytes, or at
/// the end. `None` where a codec turns elements into bytes.
pub fn place_of_bytes(kinds: &[CodecKind]) -> Option<usize> {
    let place = kinds.iter().position(|kind| *kind == CodecKind::BytesToBytes).unwrap_or(kinds.len());
    (!kinds.contains(&CodecKind::ArrayToBytes)).then_some(place)
}
