//! The bytes → bytes codecs at the end of a chain, and how many bytes there may be between two of
//! them: no more than the earlier one can have encoded. Otherwise a few bytes, compressed several
//! times, would become as large as a chunk may be.

use std::rc::Rc;

use super::named::NamedCodec;
use super::{BytesToBytes, Output};
use crate::error::{Result, Stage};
use crate::limits;

/// The most bytes that a codec makes of so many; `None` for a user's codec.
///
/// It is exact where the codec is. A codec that compresses makes its input at most half as long
/// again (LZW, of all that are supported), so twice as long is generous.
pub(super) fn most_encoded(decoded: Option<u64>, stage: &NamedCodec<Rc<dyn BytesToBytes>>) -> Option<u64> {
    let decoded = decoded.filter(|_| stage.user.is_none())?;
    Some(stage.codec.encoded_len(decoded).unwrap_or(decoded.saturating_mul(2)))
}

/// The most bytes that each codec of a chain may decode to: what the codec before it can have
/// encoded. `most` is what the first one can have got.
pub(super) fn most_decoded<'a>(
    most: Option<u64>,
    stages: impl Iterator<Item = &'a NamedCodec<Rc<dyn BytesToBytes>>>,
) -> Vec<usize> {
    let mut limit_of_each = Vec::new();
    let mut most = most;
    for stage in stages {
        let limit = most.map_or(limits::CHUNK_BYTES, |most| most.saturating_add(limits::BODY_SLACK));
        let limit = limit.min(limits::CHUNK_BYTES);
        limit_of_each.push(usize::try_from(limit).unwrap_or(usize::MAX));
        most = most_encoded(most, stage);
    }
    limit_of_each
}

/// Decodes stages from last to first, each to at most so many bytes. Two buffers take turns.
pub(super) fn undo<'a, 's>(
    stages: impl DoubleEndedIterator<Item = (&'s NamedCodec<Rc<dyn BytesToBytes>>, &'s usize)>,
    encoded: &'a [u8],
    intermediate: &'a mut [Vec<u8>; 2],
) -> Result<&'a [u8]> {
    let [ready, next] = intermediate;
    let mut is_first = true;
    for (stage, limit) in stages.rev() {
        let source: &[u8] = if is_first { encoded } else { ready };
        next.clear();
        let output = Output::Growing { buf: next, limit: *limit };
        stage.codec.decode(source, output).map_err(stage.add_context(Stage::Decode))?;
        std::mem::swap(ready, next);
        is_first = false;
    }
    Ok(if is_first { encoded } else { ready })
}
