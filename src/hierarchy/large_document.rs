//! Metadata documents of megabytes, scanned without keeping the thread from others: a page goes on drawing.

use crate::error::Result;
use crate::format::metadata::ZarrFormat;
use crate::format::metadata::consolidated::Consolidated;
use crate::format::metadata::large::Scanning;
use crate::limits;
use crate::store::Value;
use crate::store::turn::next_turn;

/// From here on (bytes) a document counts as large: well above a node's own, below what takes a frame to read.
pub const LARGE_BYTES: u64 = 1 << 19;

/// Bytes that are scanned at a time: some milliseconds on a slow machine.
const STEP_BYTES: usize = 1 << 19;

/// Documents whose nodes are told at a time.
const STEP_DOCUMENTS: usize = 1 << 14;

/// Bytes that are copied at a time.
const COPIED_BYTES: usize = 4 << 20;

/// The bytes of a document.
///
/// # Errors
/// `Limit` for too many.
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

/// The consolidated metadata that a document is; `None` for a group without any.
///
/// # Errors
/// As [`Consolidated::index`].
pub async fn index(scanned: Scanning) -> Result<Option<Consolidated>> {
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

/// Scans a document to its end.
///
/// # Errors
/// As [`Scanning::new`].
pub async fn scan(text: Vec<u8>, format: ZarrFormat) -> Result<Scanning> {
    next_turn().await;
    let mut scanning = Scanning::new(text, format)?;
    loop {
        next_turn().await;
        if !scanning.step(STEP_BYTES) {
            return Ok(scanning);
        }
    }
}
