//! ZIP archives: reads them from a URL, a `Blob` or another store, and lays out new ones.

use std::rc::Rc;

use js_sys::{ArrayBuffer, Function, Uint8Array};
use serde::{Deserialize, Serialize};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::Blob;

use crate::error::{Error, Result};
use crate::format::codec;
use crate::format::path::StoreKey;
use crate::js::bytes::our_value;
use crate::js::error::{Exported, store_failed};
use crate::js::registry;
use crate::js::store::{HttpStoreOptions, http_object, warning_sink};
use crate::store::wrap::Gathering;
use crate::store::zip::ZipStore;
use crate::store::zip::write::{self, NewEntry};
use crate::store::{ByteRange, Capabilities, Fetched, GetFuture, RequestContext, SizeFuture, Store};

/// The key of the only value in the archive's store.
const ARCHIVE: &str = "archive";

/// Adds the store of an archive. With `raw_names`, a single folder stays in the keys.
fn add(archive: Rc<dyn Store>, on_warning: Function, raw_names: bool) -> Result<u32> {
    let zip = ZipStore::new(archive, StoreKey::parse(ARCHIVE)?, Some(warning_sink(on_warning)));
    Ok(registry::add_store(Rc::new(Gathering::new(Rc::new(zip.with_raw_names(raw_names))))))
}

/// Creates a store of the archive at a URL. Throws a report.
#[wasm_bindgen(js_name = zipStoreOfUrl)]
pub fn zip_store_of_url(url: &str, options: &HttpStoreOptions, raw_names: bool) -> Exported<u32> {
    Ok(add(http_object(url, options)?, options.on_warning(), raw_names)?)
}

/// Creates a store of the archive in a `Blob`. Throws a report.
#[wasm_bindgen(js_name = zipStoreOfBlob)]
pub fn zip_store_of_blob(blob: Blob, on_warning: Function, raw_names: bool) -> Exported<u32> {
    Ok(add(Rc::new(BlobStore { blob }), on_warning, raw_names)?)
}

/// Creates a store of the archive under the key `/archive` of another store. Throws a report.
#[wasm_bindgen(js_name = zipStoreOfStore)]
pub fn zip_store_of_store(store: u32, on_warning: Function, raw_names: bool) -> Exported<u32> {
    Ok(add(Rc::new(Gathering::new(registry::store(store)?)), on_warning, raw_names)?)
}

/// A `Blob` as a store of one value, whatever the key.
struct BlobStore {
    blob: Blob,
}

impl BlobStore {
    // The size of a `Blob` is an integer, and ranges are cut to it.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss)]
    async fn read(&self, range: ByteRange) -> Result<Fetched> {
        let size = self.blob.size() as u64;
        let part = range.of(size).ok_or_else(|| range.past_end(Some(size)))?;
        let read = self.blob.slice_with_f64_and_f64(part.start as f64, part.end as f64);
        let read = match read {
            Ok(part) => JsFuture::from(part.array_buffer()).await,
            Err(thrown) => Err(thrown),
        };
        // A file that changed or was removed after the user chose it cannot be read.
        let buffer = read.map_err(|thrown| store_failed("the file cannot be read", thrown))?;
        if !buffer.is_instance_of::<ArrayBuffer>() {
            return Err(Error::store("the file returned a value that is not bytes"));
        }
        let bytes = Uint8Array::new(&buffer);
        Ok(Fetched { value: our_value(bytes), size: Some(size), version: None, modified: None })
    }
}

impl Store for BlobStore {
    fn capabilities(&self) -> Capabilities {
        Capabilities { partial: true, writable: false, listable: false }
    }

    fn is_cacheable(&self) -> bool {
        true
    }

    fn describe(&self) -> String {
        "in a file".to_owned()
    }

    fn get<'a>(
        &'a self,
        _key: &'a StoreKey,
        range: ByteRange,
        _context: &'a RequestContext,
    ) -> GetFuture<'a> {
        Box::pin(async move { self.read(range).await.map(Some) })
    }

    // See `read`.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    fn size<'a>(&'a self, _key: &'a StoreKey, _context: &'a RequestContext) -> SizeFuture<'a> {
        Box::pin(async move { Ok(Some(self.blob.size() as u64)) })
    }
}

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
    Ok(super::objects::to_js(&records)?)
}
