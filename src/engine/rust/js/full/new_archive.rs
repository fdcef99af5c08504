//! The records of new ZIP archives. `reading/archive.rs` reads archives.

use wasm_bindgen::prelude::*;
use zarr_wasm_contract::{ArchiveEntry, ArchiveLayout, Bytes, Natural, NewArchive};

use crate::error::Result;
use crate::format::codec;
use crate::format::path::StoreKey;
use crate::js::call::Call;
use crate::store::zip::write::{self, NewEntry};

/// The CRC-32 of bytes. `before` is that of the bytes before them, 0 for none.
#[wasm_bindgen(js_name = crc32)]
pub fn crc32(bytes: &[u8], before: u32) -> u32 {
    codec::crc32(before, bytes)
}

/// See `lay_out_archive` of the contract.
// There are fewer entries than bytes in memory.
#[allow(clippy::cast_possible_truncation)]
pub async fn lay_out_archive(
    NewArchive { entries, ome_version }: NewArchive,
    _: Call,
) -> Result<ArchiveLayout> {
    let entries = entries.into_iter().map(|ArchiveEntry { key, size: Natural(size), crc }| {
        Ok(NewEntry { key: StoreKey::parse(&key)?, size, crc })
    });
    let entries: Vec<NewEntry> = entries.collect::<Result<_>>()?;
    let comment = ome_version.map(|version| write::ome_comment(&version)).unwrap_or_default();
    let write::Layout { order, headers, end } = write::layout(&entries, &comment)?;
    Ok(ArchiveLayout {
        order: order.into_iter().map(|at| at as u32).collect(),
        headers: headers.into_iter().map(Bytes).collect(),
        end: Bytes(end),
    })
}
