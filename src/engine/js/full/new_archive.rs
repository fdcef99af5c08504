//! The records of new ZIP archives. `reading/archive.rs` reads archives.

use serde::{Deserialize, Serialize};
use wasm_bindgen::prelude::*;

use super::objects::to_js;
use crate::error::{Error, Result};
use crate::format::codec;
use crate::format::path::StoreKey;
use crate::js::error::Exported;
use crate::store::zip::write::{self, NewEntry};

/// The CRC-32 of bytes. `before` is that of the bytes before them, 0 for none.
#[wasm_bindgen(js_name = crc32)]
pub fn crc32(bytes: &[u8], before: u32) -> u32 {
    codec::crc32(before, bytes)
}

/// A value to archive, as `zip_writer.ts` describes it.
#[derive(Deserialize)]
struct ArchiveEntry {
    key: String,
    size: f64,
    crc: u32,
}

/// The records of an archive.
#[derive(Serialize)]
struct ArchiveRecords {
    order: Vec<u32>,
    headers: Vec<Bytes>,
    end: Bytes,
}

struct Bytes(Vec<u8>);

impl Serialize for Bytes {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        serializer.serialize_bytes(&self.0)
    }
}

/// The records around the values of an archive: `{ order, headers, end }`. Throws a report. With
/// `ome_version`, the comment of the archive says that it is an OME-Zarr of that version whose
/// metadata documents come first.
// Sizes of buffers and blobs are integers. There are fewer entries than bytes in memory.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
#[wasm_bindgen(js_name = layOutArchive)]
pub fn lay_out_archive(entries: JsValue, ome_version: Option<String>) -> Exported<JsValue> {
    let entries: Vec<ArchiveEntry> = serde_wasm_bindgen::from_value(entries)
        .map_err(|error| Error::argument(format!("the entries of an archive cannot be read: {error}")))?;
    let entries = entries.into_iter().map(|ArchiveEntry { key, size, crc }| {
        Ok(NewEntry { key: StoreKey::parse(&key)?, size: size as u64, crc })
    });
    let entries: Vec<NewEntry> = entries.collect::<Result<_>>()?;
    let comment = ome_version.map(|version| write::ome_comment(&version)).unwrap_or_default();
    let write::Layout { order, headers, end } = write::layout(&entries, &comment)?;
    let records = ArchiveRecords {
        order: order.into_iter().map(|at| at as u32).collect(),
        headers: headers.into_iter().map(Bytes).collect(),
        end: Bytes(end),
    };
    Ok(to_js(&records)?)
}
