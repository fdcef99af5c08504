//! ZIP archives, from a URL, a `Blob` or another store. `full/new_archive.rs` lays out new ones.

use std::rc::Rc;

use js_sys::{Function, Uint8Array};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::Blob;

use crate::error::{Error, Result};
use crate::format::path::StoreKey;
use crate::js::bytes::{is_buffer, our_value};
use crate::js::error::{Exported, store_failed};
use crate::js::objects;
use crate::js::store::{HttpStoreOptions, http_object, warning_sink};
use crate::store::wrap::Gathering;
use crate::store::zip::ZipStore;
use crate::store::{ByteRange, Changeable, Fetched, GetFuture, RequestContext, SizeFuture, Store};

/// The key of the only value in the archive's store.
const ARCHIVE: &str = "archive";

/// Keeps the store of an archive. With `raw_names`, a single folder stays in the keys.
fn keep(id: u32, archive: Rc<dyn Store>, on_warning: Function, raw_names: bool) -> Result<()> {
    let zip = ZipStore::new(archive, StoreKey::parse(ARCHIVE)?, Some(warning_sink(on_warning)));
    objects::keep_store(id, Rc::new(Gathering::new(Rc::new(zip.with_raw_names(raw_names)))));
    Ok(())
}

/// Creates a store of the archive at a URL. Throws a failure.
#[wasm_bindgen(js_name = zipStoreOfUrl)]
pub fn zip_store_of_url(id: u32, url: &str, options: &HttpStoreOptions, raw_names: bool) -> Exported<()> {
    Ok(keep(id, http_object(url, options)?, options.on_warning(), raw_names)?)
}

/// Creates a store of the archive in a `Blob`. Throws a failure.
#[wasm_bindgen(js_name = zipStoreOfBlob)]
pub fn zip_store_of_blob(id: u32, blob: Blob, on_warning: Function, raw_names: bool) -> Exported<()> {
    Ok(keep(id, Rc::new(BlobStore { blob }), on_warning, raw_names)?)
}

/// Creates a store of the archive under the key `/archive` of another store. Throws a failure.
#[wasm_bindgen(js_name = zipStoreOfStore)]
pub fn zip_store_of_store(id: u32, store: u32, on_warning: Function, raw_names: bool) -> Exported<()> {
    Ok(keep(id, Rc::new(Gathering::new(objects::store(store)?)), on_warning, raw_names)?)
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
        if !is_buffer(&buffer) {
            return Err(Error::store("the file returned a value that is not bytes"));
        }
        let bytes = Uint8Array::new(&buffer);
        Ok(Fetched { value: our_value(bytes), size: Some(size), version: None, modified: None })
    }
}

impl Store for BlobStore {
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

    fn reads_parts(&self) -> bool {
        true
    }

    fn as_changeable(&self) -> Option<&dyn Changeable> {
        Some(self)
    }
}

impl Changeable for BlobStore {
    fn is_cacheable(&self) -> bool {
        true
    }
}
