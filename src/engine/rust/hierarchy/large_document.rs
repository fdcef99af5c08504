//! Scans metadata documents of megabytes in steps. Between the steps other work of the thread runs,
//! so that a page keeps drawing.

use crate::error::Result;
use crate::format::metadata::ZarrFormat;
use crate::format::metadata::consolidated::Consolidated;
use crate::format::metadata::large::DocumentScan;
use crate::format::metadata::lossless::{Marking, Marks};
use crate::hierarchy::types::LeftAttributes;
use crate::limits;
use crate::store::Value;
use crate::store::turn::next_turn;

/// Documents of at least this size (bytes) are large. It is far above a node's own document, and
/// small enough that scanning it takes less than a frame.
pub const LARGE_BYTES: u64 = 1 << 19;

/// Bytes that one step scans: some milliseconds on a slow machine.
const STEP_BYTES: usize = 1 << 19;

/// Documents that one step of indexing reads.
const STEP_DOCUMENTS: usize = 1 << 14;

/// Bytes that one step copies.
const COPIED_BYTES: usize = 4 << 20;

/// Copies the bytes of a document into memory.
///
/// # Errors
/// `Limit` above [`limits::METADATA_BYTES`].
pub async fn read(value: &Value) -> Result<Vec<u8>> {
    let len = limits::within(value.len(), limits::METADATA_BYTES, "metadata document")?;
    let mut text = Vec::new();
    limits::reserve(&mut text, len, "metadata document")?;
    while text.len() < len {
        let start = text.len();
        limits::grow(&mut text, len.min(start + COPIED_BYTES), "metadata document")?;
        value.copy_to(start as u64, text.get_mut(start..).unwrap_or_default())?;
        if text.len() < len {
            next_turn().await;
        }
    }
    Ok(text)
}

/// The consolidated metadata of a scanned document. `None` for a group without consolidated
/// metadata.
///
/// # Errors
/// As [`Consolidated::index`].
pub async fn index(scanned: DocumentScan) -> Result<Option<Consolidated>> {
    next_turn().await;
    let Some(mut indexing) = Consolidated::begin(scanned)? else { return Ok(None) };
    loop {
        next_turn().await;
        if !indexing.step(STEP_DOCUMENTS) {
            break;
        }
    }
    next_turn().await;
    Ok(Some(indexing.end()))
}

/// Scans a whole document.
///
/// # Errors
/// As [`DocumentScan::new`].
pub async fn scan(text: Vec<u8>, format: ZarrFormat) -> Result<DocumentScan> {
    next_turn().await;
    Ok(to_end(DocumentScan::new(text, format)?).await)
}

/// Scans v2's attributes.
///
/// # Errors
/// As [`DocumentScan::new`].
pub async fn scan_attributes(text: Vec<u8>) -> Result<DocumentScan> {
    next_turn().await;
    Ok(to_end(DocumentScan::of_attributes(text)?).await)
}

async fn to_end(mut scanning: DocumentScan) -> DocumentScan {
    loop {
        next_turn().await;
        if !scanning.step(STEP_BYTES) {
            return scanning;
        }
    }
}

/// The attributes of a scanned document, if they are large and can be left where they are, and the
/// text of the rest.
pub async fn left_attributes(scanned: &DocumentScan) -> Option<(LeftAttributes, String)> {
    let left = scanned.without_attributes().filter(|left| left.range.len() as u64 >= LARGE_BYTES)?;
    let marks = if left.is_exact { Marks::default() } else { marks(left.attributes).await };
    Some((LeftAttributes { range: left.range, marks }, left.rest))
}

async fn marks(json: &str) -> Marks {
    let mut marking = Marking::new(json, true);
    loop {
        next_turn().await;
        if !marking.step(STEP_BYTES) {
            return marking.finish();
        }
    }
}
