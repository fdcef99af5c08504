//! A codec that another module of the package has: the engine can plan an array that uses it, and cannot decode it.
//!
//! Reading an array is planned on the caller's thread, by the engine, and decoded by workers, which run the module that the array needs.
//! The planner only has to know where such a codec stands in its chain.

use super::registry::{CodecKind, Home, needs_module};
use super::{
    ArrayBytes, ArrayToArray, ArrayToArraySpec, ArrayToBytes, ArrayToBytesSpec, BytesToBytes,
    BytesToBytesSpec, ChunkRepresentation, Output, Spec,
};
use crate::error::Result;

#[derive(Clone, Copy, Debug)]
struct Elsewhere(Home);

/// A codec bound to a chunk that it will not see here.
struct Bound {
    home: Home,
    /// As the next codec would see it, as far as that can be told without the codec.
    chunk: ChunkRepresentation,
}

/// The spec of a codec of this kind that `home` has.
pub(super) fn spec(kind: CodecKind, home: Home) -> Spec {
    match kind {
        CodecKind::ArrayToArray => Spec::ArrayToArray(Box::new(Elsewhere(home))),
        CodecKind::ArrayToBytes => Spec::ArrayToBytes(Box::new(Elsewhere(home))),
        CodecKind::BytesToBytes => Spec::BytesToBytes(Box::new(Elsewhere(home))),
    }
}

impl ArrayToArraySpec for Elsewhere {
    fn bind(&self, decoded: &ChunkRepresentation) -> Result<Box<dyn ArrayToArray>> {
        Ok(Box::new(Bound { home: self.0, chunk: decoded.clone() }))
    }
}

impl ArrayToBytesSpec for Elsewhere {
    fn bind(&self, decoded: &ChunkRepresentation) -> Result<Box<dyn ArrayToBytes>> {
        Ok(Box::new(Bound { home: self.0, chunk: decoded.clone() }))
    }
}

impl BytesToBytesSpec for Elsewhere {
    fn bind(&self, decoded: &ChunkRepresentation) -> Result<Box<dyn BytesToBytes>> {
        Ok(Box::new(Bound { home: self.0, chunk: decoded.clone() }))
    }
}

impl ArrayToArray for Bound {
    fn encoded(&self) -> &ChunkRepresentation {
        &self.chunk
    }

    fn decode(&self, _: ArrayBytes) -> Result<ArrayBytes> {
        Err(needs_module(self.home))
    }

    fn encode(&self, _: ArrayBytes) -> Result<ArrayBytes> {
        Err(needs_module(self.home))
    }
}

impl ArrayToBytes for Bound {
    fn encoded_len(&self) -> Option<u64> {
        None
    }

    fn decode(&self, _: &[u8]) -> Result<ArrayBytes> {
        Err(needs_module(self.home))
    }

    fn encode(&self, _: &ArrayBytes) -> Result<Vec<u8>> {
        Err(needs_module(self.home))
    }
}

impl BytesToBytes for Bound {
    fn decode(&self, _: &[u8], _: Output<'_>) -> Result<()> {
        Err(needs_module(self.home))
    }

    fn encode(&self, _: &[u8]) -> Result<Vec<u8>> {
        Err(needs_module(self.home))
    }
}
