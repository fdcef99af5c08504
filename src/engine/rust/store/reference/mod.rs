//! A store of references: keys that lead to byte ranges of files on web servers, such as HDF5,
//! NetCDF, GRIB or TIFF files, as kerchunk describes them.
//! <https://fsspec.github.io/kerchunk/spec.html>
//!
//! The document is read when the first key is requested. Files are read like HTTP stores. All files
//! of a server share its queue and what is known about it. Neighbouring ranges of one file become
//! one request, also for different keys ([`gather`](super::gather)). This store does not decide
//! which servers are contacted: the sender of its requests does, by the platform's `URL`
//! (`src/engine/ts/host/http/redirects.ts`).
//!
//! Many references may be in tables instead ([`tables`]): then the document has the metadata alone,
//! and each file of a table is read when a chunk needs it.

pub mod document;
mod generator;
mod json;
pub mod record;
mod records;
mod tables;
mod template;
#[cfg(all(test, not(target_arch = "wasm32")))]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests;
mod urls;

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use zarr_wasm_http::{Subject, Value};

use document::{Reference, References};
use futures_util::lock::Mutex;
use record::Row;
use tables::Tables;

use super::gather::Gatherer;
use super::http::origin::Origins;
use super::http::transport::Transport;
use super::http::url::{RootUrl, has_scheme, redact};
use super::http::{HttpOptions, HttpStore};
use super::{
    ByteRange, Changeable, FetchResult, Fetched, GetFuture, Listable, Listing, LocalFuture, Measured,
    MeasuredFuture, RequestContext, SizeFuture, Store, at_key,
};
use crate::error::{Error, Result, Stage};
use crate::format::byte_range::len_of;
use crate::format::path::{NodePath, StoreKey};
use crate::limits;

/// The source of the document.
pub enum Source {
    /// The document itself.
    Text(Value),
    /// Its URL.
    Url(RootUrl),
    /// The `.zmetadata` of a store, which also has the tables of references.
    Tables(Rc<dyn Store>),
}

/// Options of a reference store.
#[derive(Default)]
pub struct ReferenceOptions {
    /// The base URL of relative references, unless the document has a URL.
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
    transport: Rc<T>,
    origins: Rc<Origins>,
    loaded: RefCell<Option<Rc<Loaded>>>,
    loading: Mutex<()>,
    /// HTTP stores by origin.
    servers: RefCell<BTreeMap<String, Rc<HttpStore<Rc<T>>>>>,
    /// Gathers requests by URL.
    gatherer: Gatherer<String>,
}

/// What the document has.
pub struct Loaded {
    references: References,
    tables: Option<Tables>,
}

/// What a key leads to.
enum Target {
    Inline(Value),
    /// A whole file.
    File(RootUrl),
    /// A part of a file.
    Part {
        url: RootUrl,
        offset: u64,
        len: u64,
    },
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
        Self {
            source,
            options,
            transport,
            origins,
            loaded: RefCell::default(),
            loading: Mutex::new(()),
            servers: RefCell::default(),
            gatherer: Gatherer::default(),
        }
    }

    /// The parsed document.
    ///
    /// # Errors
    /// `NotFound` if there is no document; errors of the network; `Format` for an invalid document.
    async fn loaded(&self) -> Result<Rc<Loaded>> {
        let known = || self.loaded.borrow().clone();
        if let Some(loaded) = known() {
            return Ok(loaded);
        }
        let _loading = self.loading.lock().await;
        if let Some(loaded) = known() {
            return Ok(loaded);
        }
        let loaded = Rc::new(self.load().await?);
        let skipped = loaded.references.skipped();
        if skipped > 0
            && let Some(on_warning) = &self.options.http.on_warning
        {
            on_warning(&format!("{skipped} references have invalid keys and are skipped"));
        }
        *self.loaded.borrow_mut() = Some(loaded.clone());
        Ok(loaded)
    }

    async fn load(&self) -> Result<Loaded> {
        let text = self.text().await?.to_vec(limits::METADATA_BYTES, "the reference document")?;
        if let Source::Tables(store) = &self.source {
            let read = || {
                let (references, record_size) = References::parse_metadata(text)?;
                Ok(Loaded { references, tables: Some(Tables::new(store.clone(), record_size)?) })
            };
            return read().map_err(|error: Error| error.in_stage(Stage::Metadata).at_key(tables::ZMETADATA));
        }
        Ok(Loaded { references: References::parse(text)?, tables: None })
    }

    async fn text(&self) -> Result<Value> {
        let context = RequestContext { subject: Subject::Metadata, ..RequestContext::default() };
        match &self.source {
            Source::Text(text) => Ok(text.clone()),
            Source::Url(url) => {
                let fetched = self.server(url).get_at(url, ByteRange::Whole, &context).await?;
                let absent =
                    || Error::not_found(format!("there is no reference document at {}", url.shown()));
                Ok(fetched.ok_or_else(absent)?.value)
            }
            Source::Tables(store) => {
                let key = StoreKey::parse(tables::ZMETADATA)?;
                let fetched = store.get(&key, ByteRange::Whole, &context).await?;
                let absent = || {
                    Error::not_found(format!("there are no references in {}", store.describe()))
                        .expected(tables::ZMETADATA)
                };
                Ok(fetched.ok_or_else(absent)?.value)
            }
        }
    }

    fn server(&self, url: &RootUrl) -> Rc<HttpStore<Rc<T>>> {
        let origin = self.origins.of(url);
        let make = || {
            let (transport, options) = (self.transport.clone(), self.options.http.clone());
            HttpStore::new(transport, url.clone(), options, origin)
        };
        self.servers.borrow_mut().entry(url.origin()).or_insert_with(make).clone()
    }

    /// The URL of a reference.
    ///
    /// # Errors
    /// `Argument` for a relative reference without a base, and for a missing target; `Format` for a
    /// reference that is not a URL.
    fn locate(&self, url: Option<&str>) -> Result<RootUrl> {
        match (url, &self.options.base) {
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

    /// What a key leads to. `None` if there is no such key.
    async fn target(&self, key: &StoreKey, context: &RequestContext) -> Result<Option<Target>> {
        let Loaded { references, tables } = &*self.loaded().await?;
        match references.find(key) {
            Some(Reference::Inline { start, len }) => {
                Ok(Some(Target::Inline(Value::from(references.inline(start, len)?))))
            }
            Some(Reference::File(url)) => Ok(Some(Target::File(self.locate(references.url(url))?))),
            Some(Reference::Part { url, offset, len }) => {
                Ok(Some(Target::Part { url: self.locate(references.url(url))?, offset, len }))
            }
            None => match tables {
                Some(tables) => self.target_in(tables, references, key, context).await,
                None => Ok(None),
            },
        }
    }

    /// What a chunk in a table leads to.
    async fn target_in(
        &self,
        tables: &Tables,
        documents: &References,
        key: &StoreKey,
        context: &RequestContext,
    ) -> Result<Option<Target>> {
        let Some(found) = tables.find(documents, key, context).await? else { return Ok(None) };
        let of_row = || {
            Ok(match found.record.row(found.row)? {
                Row::Missing => None,
                Row::Inline(raw) => Some(Target::Inline(Value::from(raw.to_vec()))),
                Row::File(path) => Some(Target::File(self.locate(Some(path))?)),
                Row::Part { path, offset, len } => {
                    Some(Target::Part { url: self.locate(Some(path))?, offset, len })
                }
            })
        };
        of_row().map_err(|error: Error| error.at_key(found.key.as_str()))
    }

    async fn read(
        &self,
        key: &StoreKey,
        range: ByteRange,
        context: &RequestContext,
    ) -> Result<Option<Fetched>> {
        match self.target(key, context).await? {
            None => Ok(None),
            Some(Target::Inline(value)) => Fetched::part_of(&value, range).map(Some),
            Some(Target::File(url)) => match self.file(&url, range, context).await? {
                Some(fetched) => Ok(Some(fetched)),
                None => Err(absent(&url)),
            },
            Some(Target::Part { len: 0, .. }) => Fetched::part_of(&Value::from(Vec::new()), range).map(Some),
            Some(Target::Part { url, offset, len }) => {
                let part = range.of(len).ok_or_else(|| range.past_end(Some(len)))?;
                let want = len_of(&part);
                let start = offset.saturating_add(part.start);
                limits::within(want, context.body_limit(), "a reference")?;
                // A part of a file is read like a chunk, whatever it contains. The bound of the
                // chunk is not that of the file, which a server may send whole.
                let context = RequestContext { subject: Subject::Chunk, most_bytes: None, ..context.clone() };
                let fetched = self.file(&url, ByteRange::At { offset: start, len: want }, &context).await?;
                let fetched = fetched.ok_or_else(|| absent(&url))?;
                if fetched.value.len() != want {
                    return Err(Error::store("the file of a reference is shorter than the reference")
                        .at_range(offset, len)
                        .actual(format!("{} bytes", fetched.value.len())));
                }
                Ok(Some(Fetched { size: Some(len), ..fetched }))
            }
        }
    }

    /// A range of a file. Concurrent requests for the same file are merged.
    async fn file(&self, url: &RootUrl, range: ByteRange, context: &RequestContext) -> FetchResult {
        let ask = |range: ByteRange, context: RequestContext| -> LocalFuture<'static, FetchResult> {
            let (server, url) = (self.server(url), url.clone());
            Box::pin(async move { server.get_at(&url, range, &context).await })
        };
        self.gatherer.get(&url.object(), range, context, &ask).await
    }

    async fn measured(&self, key: &StoreKey, context: &RequestContext) -> Result<Option<Measured>> {
        let size = match self.target(key, context).await? {
            None => return Ok(None),
            Some(Target::Part { len, .. }) => len,
            Some(Target::Inline(value)) => value.len(),
            Some(Target::File(url)) => return self.server(&url).measure_at(&url, context).await,
        };
        Ok(Some(Measured { size, modified: None }))
    }
}

/// The error of a reference to nothing. It is no missing chunk: the author refers to values.
fn absent(url: &RootUrl) -> Error {
    Error::store(format!("the file of a reference does not exist: {}", url.shown()))
}

impl<T: Transport + 'static> Store for ReferenceStore<T> {
    fn describe(&self) -> String {
        match &self.source {
            Source::Text(_) => "references".to_owned(),
            Source::Url(url) => format!("the references at {}", url.shown()),
            Source::Tables(store) => format!("the references in {}", store.describe()),
        }
    }

    fn get<'a>(&'a self, key: &'a StoreKey, range: ByteRange, context: &'a RequestContext) -> GetFuture<'a> {
        Box::pin(at_key(key, async move { self.read(key, range.check()?, context).await }))
    }

    fn size<'a>(&'a self, key: &'a StoreKey, context: &'a RequestContext) -> SizeFuture<'a> {
        Box::pin(at_key(key, async move { Ok(self.measured(key, context).await?.map(|found| found.size)) }))
    }

    fn measure<'a>(&'a self, key: &'a StoreKey, context: &'a RequestContext) -> MeasuredFuture<'a> {
        Box::pin(at_key(key, self.measured(key, context)))
    }

    fn reads_parts(&self) -> bool {
        true
    }

    fn as_listable(&self) -> Option<&dyn Listable> {
        Some(self)
    }

    fn as_changeable(&self) -> Option<&dyn Changeable> {
        Some(self)
    }
}

impl<T: Transport + 'static> Changeable for ReferenceStore<T> {
    fn is_cacheable(&self) -> bool {
        true
    }

    fn absence_is_cacheable(&self) -> bool {
        let of_tables = match &self.source {
            Source::Tables(store) => store.absence_is_cacheable(),
            Source::Text(_) | Source::Url(_) => true,
        };
        of_tables && self.servers.borrow().values().all(|server| server.absence_is_cacheable())
    }
}

impl<T: Transport + 'static> Listable for ReferenceStore<T> {
    fn list_dir<'a>(&'a self, prefix: &'a NodePath) -> LocalFuture<'a, Result<Listing>> {
        Box::pin(async move {
            let Loaded { references, tables } = &*self.loaded().await?;
            match tables {
                Some(tables) => tables.list_dir(references, prefix).await,
                None => references.table().list_dir(prefix),
            }
        })
    }

    fn list_prefix<'a>(&'a self, prefix: &'a NodePath) -> LocalFuture<'a, Result<Vec<StoreKey>>> {
        Box::pin(async move {
            let Loaded { references, tables } = &*self.loaded().await?;
            match tables {
                Some(tables) => tables.list_prefix(references, prefix).await,
                None => references.table().list_prefix(prefix),
            }
        })
    }
}
