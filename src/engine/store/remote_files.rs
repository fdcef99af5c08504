//! Files on web servers, by their URLs: what references and virtual chunks lead to.
//!
//! Files are read like HTTP stores. All files of a server share its queue and what is known about
//! it. Neighbouring ranges of one file become one request ([`gather`](super::gather)). Which
//! servers are contacted is not decided here: the sender of the requests does, by the platform's
//! `URL` (`src/ts/engine/http/redirects.ts`).

use std::cell::RefCell;
use std::rc::Rc;

use super::gather::Gatherer;
use super::http::origin::Origins;
use super::http::transport::Transport;
use super::http::url::RootUrl;
use super::http::{HttpOptions, HttpStore};
use super::{ByteRange, FetchResult, Fetched, LocalFuture, RequestContext, Store, Subject, Value};
use crate::error::{Error, Result};
use crate::format::byte_range::len_of;
use crate::limits;
use crate::sorted::Map;

/// Files on web servers. See the module.
pub struct RemoteFiles<T> {
    pub(super) transport: Rc<T>,
    http: HttpOptions,
    origins: Rc<Origins>,
    /// HTTP stores by origin.
    servers: RefCell<Map<String, Rc<HttpStore<Rc<T>>>>>,
    /// Gathers requests by URL.
    gatherer: Gatherer<String>,
}

/// A byte range of a file.
pub struct FilePart {
    /// The file.
    pub url: RootUrl,
    /// The offset of the first byte.
    pub offset: u64,
    /// The number of bytes.
    pub len: u64,
}

impl<T: Transport + 'static> RemoteFiles<T> {
    /// Files that are requested with these options.
    pub fn new(transport: Rc<T>, http: HttpOptions, origins: Rc<Origins>) -> Self {
        Self { transport, http, origins, servers: RefCell::default(), gatherer: Gatherer::default() }
    }

    /// Issues a warning.
    pub fn warn(&self, message: &str) {
        if let Some(on_warning) = &self.http.on_warning {
            on_warning(message);
        }
    }

    /// The server of a URL.
    pub fn server(&self, url: &RootUrl) -> Rc<HttpStore<Rc<T>>> {
        let origin = self.origins.of(url);
        let make = || {
            let (transport, options) = (self.transport.clone(), self.http.clone());
            Rc::new(HttpStore::new(transport, url.clone(), options, origin))
        };
        self.servers.borrow_mut().get_or_insert_with(url.origin(), make).clone()
    }

    /// Whether all servers tell by status 404 alone that a file is absent.
    pub fn absence_is_cacheable(&self) -> bool {
        self.servers.borrow().values().all(|server| server.absence_is_cacheable())
    }

    /// A range of a file. Concurrent requests for the same file are merged.
    ///
    /// # Errors
    /// Errors of the server.
    pub async fn get(&self, url: &RootUrl, range: ByteRange, context: &RequestContext) -> FetchResult {
        let ask = |range: ByteRange, context: RequestContext| -> LocalFuture<'static, FetchResult> {
            let (server, url) = (self.server(url), url.clone());
            Box::pin(async move { server.get_at(&url, range, &context).await })
        };
        self.gatherer.get(&url.object(), range, context, &ask).await
    }

    /// A range of a part of a file, which must have all of it. `what` refers to the part.
    ///
    /// # Errors
    /// `Store` for a file that is absent or too short; errors of the server.
    pub async fn part(
        &self,
        part: &FilePart,
        range: ByteRange,
        context: &RequestContext,
        what: &str,
    ) -> Result<Fetched> {
        let FilePart { url, offset, len } = part;
        if *len == 0 {
            return Fetched::part_of(&Value::from(Vec::new()), range);
        }
        let bytes = range.of(*len).ok_or_else(|| range.past_end(Some(*len)))?;
        let want = len_of(&bytes);
        let start = offset.saturating_add(bytes.start);
        limits::within(want, context.body_limit(), what)?;
        // A part of a file is read like a chunk, whatever it contains. The bound of the chunk is
        // not that of the file, which a server may send whole.
        let context = RequestContext { subject: Subject::Chunk, most_bytes: None, ..context.clone() };
        let fetched = self.get(url, ByteRange::At { offset: start, len: want }, &context).await?;
        let absent = || Error::store(format!("the file of {what} does not exist: {}", url.shown()));
        let fetched = fetched.ok_or_else(absent)?;
        if fetched.value.len() != want {
            return Err(Error::store(format!("the file of {what} is shorter than {what}"))
                .at_range(*offset, *len)
                .actual(format!("{} bytes", fetched.value.len())));
        }
        Ok(Fetched { size: Some(*len), ..fetched })
    }
}
