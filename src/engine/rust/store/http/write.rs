//! Writing over HTTP with PUT and DELETE, as S3-compatible stores, WebDAV and small servers support
//! them. <https://www.rfc-editor.org/rfc/rfc9110#name-put>
//!
//! Both methods are idempotent, so a request is repeated after a temporary failure, even if the
//! first one may have succeeded. Requests are not conditional (`If-Match`): the caller's lock
//! orders concurrent writes.

use zarr_wasm_http::url::redact;
use zarr_wasm_http::{Lost, RequestLabel, Retries, Seen, Value};

use super::HttpStore;
use super::transport::{CacheMode, HttpRequest, HttpResponse, Method, Transport, TransportError};
use crate::error::{Error, Result};
use crate::limits;
use crate::store::{Changeable, Priority};

/// The message for a server that does not support the method.
const READ_ONLY: &str = "the server does not accept writes here";

impl<T: Transport + 'static> HttpStore<T> {
    pub(super) async fn put(&self, url: &str, value: Value) -> Result<()> {
        self.written.borrow_mut().add(url);
        let response = self.answered(Method::Put, url, Some(value)).await;
        self.forget_kept();
        let response = response?;
        match response.status {
            200 | 201 | 202 | 204 => Ok(()),
            _ => Err(refused(Method::Put, url, &response)),
        }
    }

    pub(super) async fn delete(&self, url: &str) -> Result<()> {
        self.written.borrow_mut().add(url);
        let response = self.answered(Method::Delete, url, None).await;
        self.forget_kept();
        self.knowledge.web_pages.forget_object(url);
        let response = response?;
        match response.status {
            200 | 202 | 204 | 404 | 410 => Ok(()),
            _ => Err(refused(Method::Delete, url, &response)),
        }
    }

    /// Sends a request until it gets an answer that is not a temporary failure. Caches are
    /// bypassed, because neither a write nor a listing may return an older state.
    pub(super) async fn answered(
        &self,
        method: Method,
        url: &str,
        body: Option<Value>,
    ) -> Result<HttpResponse> {
        self.answered_within(self.options.retries, method, url, body).await
    }

    /// Like [`answered`](Self::answered), with at most `most` retries.
    pub(super) async fn answered_within(
        &self,
        most: u32,
        method: Method,
        url: &str,
        body: Option<Value>,
    ) -> Result<HttpResponse> {
        let shown = redact(url);
        let label = RequestLabel { url: &shown, method, range: None };
        let mut retries = Retries::default();
        loop {
            let request = HttpRequest {
                method,
                url: url.to_owned(),
                range: None,
                cache: CacheMode::NoStore,
                reload: true,
                background: false,
                body: body.clone(),
                body_limit: limits::LISTING_BYTES,
                part_limit: limits::LISTING_BYTES,
            };
            let answer = {
                let _permit = self.origin.permit(&Priority::default()).await;
                self.transport.send(request).await
            };
            let (told, error) = match answer {
                Ok(response) if !will_pass(response.status) => return Ok(response),
                Ok(response) => {
                    let told = response.retry_after();
                    (told, label.kept_failing(response.status, retries.tries().saturating_add(1), told))
                }
                Err(TransportError::Unreachable { message, cause, cut }) => {
                    (None, label.unreachable(&Lost { message, cause, cut }, Seen::Nothing))
                }
                Err(TransportError::TooLarge { announced, limit }) => {
                    return Err(label.too_large(announced, limit));
                }
                Err(TransportError::Failed(error)) => return Err(error),
            };
            match retries.next(most, told, self.transport.random()) {
                Some(after_ms) => self.transport.sleep(after_ms).await,
                None => return Err(error),
            }
        }
    }
}

/// Whether a retry may help.
fn will_pass(status: u16) -> bool {
    matches!(status, 408 | 429 | 500 | 502 | 503 | 504)
}

fn refused(method: Method, url: &str, response: &HttpResponse) -> Error {
    let shown = redact(url);
    let label = RequestLabel { url: &shown, method, range: None };
    match response.status {
        status @ (405 | 501) => Error::unsupported(format!(
            "{READ_ONLY}: {} {shown} was answered with status {status}",
            method.name()
        )),
        _ => label.refused(response),
    }
}
