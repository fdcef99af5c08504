//! A store of references: keys that lead to byte ranges of files on web servers, such as HDF5,
//! NetCDF, GRIB or TIFF files, as kerchunk describes them.
//! <https://fsspec.github.io/kerchunk/spec.html>
//!
//! The document is read when the first key is requested, and files by [`RemoteFiles`]. Parquet
//! references are not supported.

pub mod document;
mod generator;
mod json;
mod template;
#[cfg(all(test, not(target_arch = "wasm32")))]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests;
mod urls;

use std::cell::RefCell;
use std::rc::Rc;

use document::{Reference, References};
use futures_util::lock::Mutex;
use urls::Url;

use super::http::HttpOptions;
use super::http::origin::Origins;
use super::http::transport::Transport;
use super::http::url::{RootUrl, has_scheme, redact};
use super::remote_files::{FilePart, RemoteFiles};
use super::{
    ByteRange, Capabilities, FetchResult, Fetched, GetFuture, Listing, LocalFuture, RequestContext,
    SizeFuture, Store, Subject, Value, at_key,
};
use crate::error::{Error, Result};
use crate::format::path::{NodePath, StoreKey};
use crate::limits;

/// The source of the document.
pub enum Source {
    /// The document itself.
    Text(Value),
    /// Its URL.
    Url(RootUrl),
}

/// Options of a reference store.
#[derive(Default)]
pub struct ReferenceOptions {
    /// The base URL of relative references in a document without a URL.
    pub base: Option<RootUrl>,
    /// The file of references that do not name a file.
    pub target: Option<RootUrl>,
    /// Options of the requests.
    pub http: HttpOptions,
}

/// A store of references. See the module.
pub struct ReferenceStore<T> {
    source: Source,
    options: ReferenceOptions,
    files: RemoteFiles<T>,
    references: RefCell<Option<Rc<References>>>,
    loading: Mutex<()>,
}

impl<T: Transport + 'static> ReferenceStore<T> {
    /// A store of the references in a document.
    pub fn new(
        source: Source,
        mut options: ReferenceOptions,
        transport: Rc<T>,
        origins: Rc<Origins>,
    ) -> Self {
        if let Source::Url(url) = &source {
            options.base = Some(url.clone());
        }
        let files = RemoteFiles::new(transport, options.http.clone(), origins);
        Self { source, options, files, references: RefCell::default(), loading: Mutex::new(()) }
    }

    /// The parsed document.
    ///
    /// # Errors
    /// `NotFound` if there is no document; errors of the network; `Format` for an invalid document.
    pub async fn references(&self) -> Result<Rc<References>> {
        let known = || self.references.borrow().clone();
        if let Some(references) = known() {
            return Ok(references);
        }
        let _loading = self.loading.lock().await;
        if let Some(references) = known() {
            return Ok(references);
        }
        let text = self.text().await?.to_vec(limits::METADATA_BYTES, "the reference document")?;
        let references = Rc::new(References::parse(text)?);
        if references.skipped() > 0 {
            let skipped = references.skipped();
            self.files.warn(&format!("{skipped} references have invalid keys and are skipped"));
        }
        *self.references.borrow_mut() = Some(references.clone());
        Ok(references)
    }

    async fn text(&self) -> Result<Value> {
        match &self.source {
            Source::Text(text) => Ok(text.clone()),
            Source::Url(url) => {
                let context = RequestContext { subject: Subject::Metadata, ..RequestContext::default() };
                let fetched = self.files.server(url).get_at(url, ByteRange::Whole, &context).await?;
                let absent =
                    || Error::not_found(format!("there is no reference document at {}", url.shown()));
                Ok(fetched.ok_or_else(absent)?.value)
            }
        }
    }

    /// The URL of a reference.
    ///
    /// # Errors
    /// `Argument` for a relative reference without a base, and for a missing target; `Format` for a
    /// reference that is not a URL.
    fn locate(&self, references: &References, url: Url) -> Result<RootUrl> {
        match (references.url(url), &self.options.base) {
            (Some(url), Some(base)) => base.resolve(url).map_err(Error::into_format),
            (Some(url), None) if has_scheme(url.trim()) => RootUrl::parse(url).map_err(Error::into_format),
            (Some(url), None) => {
                Err(Error::argument("a relative reference needs a document with a URL").actual(redact(url)))
            }
            (None, _) => {
                let unnamed = || Error::argument("a reference names no file: give the file as `target`");
                self.options.target.clone().ok_or_else(unnamed)
            }
        }
    }

    async fn read(
        &self,
        key: &StoreKey,
        range: ByteRange,
        context: &RequestContext,
    ) -> Result<Option<Fetched>> {
        let references = self.references().await?;
        match references.find(key) {
            None => Ok(None),
            Some(Reference::Inline { start, len }) => {
                Fetched::part_of(&Value::from(references.inline(start, len)?), range).map(Some)
            }
            Some(Reference::File(url)) => {
                let url = self.locate(&references, url)?;
                self.files.get(&url, range, context).await
            }
            Some(Reference::Part { url, offset, len }) => {
                // Nothing is read of an empty part, whatever its file.
                if len == 0 {
                    return Fetched::part_of(&Value::from(Vec::new()), range).map(Some);
                }
                let part = FilePart { url: self.locate(&references, url)?, offset, len };
                self.files.part(&part, range, context, "a reference").await.map(Some)
            }
        }
    }

    async fn size_of(&self, key: &StoreKey, context: &RequestContext) -> Result<Option<u64>> {
        let references = self.references().await?;
        match references.find(key) {
            None => Ok(None),
            Some(Reference::Part { len, .. }) => Ok(Some(len)),
            Some(Reference::Inline { start, len }) => Ok(Some(references.inline(start, len)?.len() as u64)),
            Some(Reference::File(url)) => {
                let url = self.locate(&references, url)?;
                self.files.server(&url).size_at(&url, context).await
            }
        }
    }
}

impl<T: Transport + 'static> Store for ReferenceStore<T> {
    fn capabilities(&self) -> Capabilities {
        Capabilities { partial: true, writable: false, listable: true }
    }

    fn is_cacheable(&self) -> bool {
        true
    }

    fn absence_is_cacheable(&self) -> bool {
        self.files.absence_is_cacheable()
    }

    fn describe(&self) -> String {
        match &self.source {
            Source::Text(_) => "references".to_owned(),
            Source::Url(url) => format!("the references at {}", url.shown()),
        }
    }

    fn get<'a>(&'a self, key: &'a StoreKey, range: ByteRange, context: &'a RequestContext) -> GetFuture<'a> {
        Box::pin(at_key(key, async move { self.read(key, range.check()?, context).await }))
    }

    fn size<'a>(&'a self, key: &'a StoreKey, context: &'a RequestContext) -> SizeFuture<'a> {
        Box::pin(at_key(key, self.size_of(key, context)))
    }

    fn list_dir<'a>(&'a self, prefix: &'a NodePath) -> LocalFuture<'a, Result<Listing>> {
        Box::pin(async move { self.references().await?.table().list_dir(prefix) })
    }

    fn list_prefix<'a>(&'a self, prefix: &'a NodePath) -> LocalFuture<'a, Result<Vec<StoreKey>>> {
        Box::pin(async move { self.references().await?.table().list_prefix(prefix) })
    }
}
