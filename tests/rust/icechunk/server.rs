//! Serves the files of virtual chunks by the formula of `tests/fixtures/icechunk/served.py`.

use zarr_wasm_engine::internals::store::http::transport::{
    Headers, HttpRequest, HttpResponse, Transport, TransportResult,
};
use zarr_wasm_engine::internals::store::{LocalFuture, Value};

const SIZE: usize = 10_000;

/// Answers requests.
pub struct Server;

fn byte_at(path: &str, at: usize) -> u8 {
    let sum: usize = path.bytes().map(usize::from).sum();
    u8::try_from((at * 31 + sum * 7) % 251).unwrap()
}

/// The decoded path of an object: AWS has the bucket in the host.
fn path_of(url: &str) -> String {
    let (host, path) = url.split_once("://").unwrap().1.split_once('/').unwrap();
    let path = path.replace("%20", " ");
    if host == "bucket.s3.amazonaws.com" { format!("/bucket/{path}") } else { format!("/{path}") }
}

impl Transport for Server {
    fn send(&self, request: HttpRequest) -> LocalFuture<'_, TransportResult> {
        let path = path_of(&request.url);
        let range = request.range.clone().unwrap_or_default();
        let range = range.strip_prefix("bytes=").and_then(|range| range.split_once('-')).unwrap();
        let (first, last): (usize, usize) = (range.0.parse().unwrap(), range.1.parse().unwrap());
        let body: Vec<u8> = (first..=last).map(|at| byte_at(&path, at)).collect();
        let sent = [
            ("content-range", format!("bytes {first}-{last}/{SIZE}")),
            ("etag", "\"the-tag\"".to_owned()),
            ("last-modified", "Wed, 01 Jan 2025 00:00:00 GMT".to_owned()),
        ];
        let mut headers = Headers::default();
        for (name, value) in sent {
            headers.add(name, &value);
        }
        let (status, body) = if path.contains("/absent/") { (404, Vec::new()) } else { (206, body) };
        let response =
            HttpResponse { status, url: request.url, redirected: false, headers, body: Value::from(body) };
        Box::pin(std::future::ready(Ok(response)))
    }

    fn sleep(&self, _ms: u32) -> LocalFuture<'_, ()> {
        Box::pin(std::future::ready(()))
    }

    fn random(&self) -> f64 {
        0.5
    }

    fn serialises_ranges(&self) -> bool {
        false
    }
}
