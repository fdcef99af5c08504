//! The meaning of each HTTP status for metadata and for chunks.

use super::script::{OPEN_ROOT, ROOT, Scene, respond, unreachable};
use crate::error::ErrorKind;
use crate::store::ByteRange::Whole;
use crate::store::http::HttpOptions;
use crate::store::http::transport::{TransportError, TransportResult};
use crate::store::{Changeable, Store};

pub fn redirected(answer: TransportResult, url: &str) -> TransportResult {
    answer.map(|mut response| {
        response.redirected = true;
        response.url = url.to_owned();
        response
    })
}

#[test]
fn not_found_and_gone_are_absent() {
    let scene = Scene::new();
    for status in [404, 410] {
        scene.then("GET zarr.json", respond(status, b"<html>", &[]));
        assert_eq!(scene.metadata().unwrap(), None);
        scene.then("GET c/0", respond(status, b"", &[]));
        assert_eq!(scene.chunk(Whole).unwrap(), None);
    }
}

#[test]
fn rejected_requests_are_errors_with_status_and_url() {
    let scene = Scene::new();
    for status in [400, 401, 405, 418, 204] {
        scene.then("GET c/0", respond(status, b"", &[]));
        let error = scene.chunk(Whole).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Store);
        let expected = format!("GET https://host/data.zarr/c/0?… was answered with status {status}");
        assert!(error.to_string().starts_with(&expected), "{error}");
    }
}

#[test]
fn forbidden_metadata_is_an_error_even_after_a_success() {
    let scene = Scene::new();
    scene.then("GET zarr.json", respond(200, b"{}", &[]));
    assert_eq!(scene.metadata().unwrap().unwrap(), b"{}");
    scene.then("GET zarr.json", respond(403, b"AccessDenied", &[]));
    assert_eq!(scene.metadata().unwrap_err().kind(), ErrorKind::Store);
}

pub fn anonymous() -> HttpOptions {
    HttpOptions { is_anonymous: true, ..HttpOptions::default() }
}

fn read_metadata(scene: &Scene) {
    scene.then("GET zarr.json", respond(200, b"{}", &[]));
    assert_eq!(scene.metadata().unwrap().unwrap(), b"{}");
}

fn forbid(scene: &Scene) {
    scene.then("GET c/0", respond(403, b"AccessDenied", &[]));
}

#[test]
fn a_forbidden_chunk_is_absent_once_something_was_read_without_credentials() {
    let scene = Scene::at(OPEN_ROOT, anonymous());
    forbid(&scene);
    assert_eq!(scene.chunk(Whole).unwrap_err().kind(), ErrorKind::Store);
    scene.then("GET zarr.json", respond(404, b"", &[]));
    assert_eq!(scene.metadata().unwrap(), None);
    forbid(&scene);
    assert_eq!(scene.chunk(Whole).unwrap_err().kind(), ErrorKind::Store);

    read_metadata(&scene);
    assert!(scene.store.absence_is_cacheable());
    for _ in 0..2 {
        forbid(&scene);
        assert_eq!(scene.chunk(Whole).unwrap(), None);
        assert!(!scene.store.absence_is_cacheable());
    }
    assert_eq!(scene.warnings.borrow().len(), 1);
    assert_eq!(*scene.on_console.borrow(), *scene.warnings.borrow());
}

#[test]
fn a_forbidden_chunk_is_an_error_where_the_request_carries_credentials() {
    // The user's headers, cookies or `fetch`; a signature; a name and a password.
    let places = [
        (OPEN_ROOT, HttpOptions::default()),
        (ROOT, anonymous()),
        ("https://user:secret@host/data.zarr", anonymous()),
    ];
    for (root, options) in places {
        let scene = Scene::at(root, options);
        read_metadata(&scene);
        forbid(&scene);
        let error = scene.chunk(Whole).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Store, "{root}");
        assert!(error.message().contains("status 403"), "{error}");
        assert!(scene.on_console.borrow().is_empty());
    }
}

#[test]
fn a_forbidden_chunk_is_an_error_for_updates_unless_the_option_is_set() {
    let scene = Scene::at(OPEN_ROOT, anonymous());
    read_metadata(&scene);
    forbid(&scene);
    assert_eq!(scene.chunk_to_change().unwrap_err().kind(), ErrorKind::Store);
    let scene = Scene::at(OPEN_ROOT, HttpOptions { missing_on_403: true, ..anonymous() });
    forbid(&scene);
    assert_eq!(scene.chunk_to_change().unwrap(), None);
}

#[test]
fn a_forbidden_chunk_is_absent_by_option_without_a_warning() {
    let scene = Scene::with(HttpOptions { missing_on_403: true, ..HttpOptions::default() });
    forbid(&scene);
    assert_eq!(scene.chunk(Whole).unwrap(), None);
    assert!(!scene.store.absence_is_cacheable());
    assert!(scene.warnings.borrow().is_empty());
}

#[test]
fn an_expired_signature_is_never_an_absent_chunk() {
    let scene = Scene::with(HttpOptions { missing_on_403: true, ..HttpOptions::default() });
    scene.then("GET zarr.json", respond(200, b"{}", &[]));
    scene.metadata().unwrap();
    let bodies: [&[u8]; 3] = [
        b"<Error><Code>AccessDenied</Code><Message>Request has expired</Message></Error>",
        b"<Error><Code>ExpiredToken</Code></Error>",
        b"<Error><Code>AuthenticationFailed</Code></Error>",
    ];
    for body in bodies {
        scene.then("GET c/0", respond(403, body, &[]));
        let error = scene.chunk(Whole).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Store);
        assert!(error.message().contains("signature"), "{error}");
    }
}

#[test]
fn temporary_failures_are_retried_with_growing_pauses() {
    let scene = Scene::new();
    for status in [429, 503, 500] {
        scene.then("GET c/0", respond(status, b"", &[]));
    }
    scene.then("GET c/0", respond(200, b"01", &[]));
    assert_eq!(scene.chunk(Whole).unwrap().unwrap(), b"01");
    assert_eq!(*scene.script.slept.borrow(), [225, 450, 900]);
}

#[test]
fn retry_after_sets_the_pause() {
    let scene = Scene::new();
    scene.then("GET c/0", respond(503, b"", &["Retry-After: 2"])).then("GET c/0", respond(200, b"01", &[]));
    assert_eq!(scene.chunk(Whole).unwrap().unwrap(), b"01");
    assert_eq!(*scene.script.slept.borrow(), [2225]);

    scene.then("GET c/0", respond(429, b"", &["Retry-After: 3600"]));
    let error = scene.chunk(Whole).unwrap_err();
    assert!(error.message().contains("status 429 once; the server asks to wait 3600 s"), "{error}");
}

#[test]
fn retries_are_limited() {
    for (retries, tries) in [(3, 4), (0, 1)] {
        let scene = Scene::with(HttpOptions { retries, ..HttpOptions::default() });
        for _ in 0..tries {
            scene.then("GET c/0", respond(502, b"", &[]));
        }
        let error = scene.chunk(Whole).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Store);
        assert!(error.message().contains("status 502"), "{error}");
    }
}

#[test]
fn a_missing_answer_is_retried_and_then_a_network_or_cors_error() {
    let scene = Scene::new();
    for _ in 0..4 {
        scene.then("GET c/0 bytes=0-3", unreachable());
    }
    let error = scene.window(0, 4).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Store);
    for part in
        ["network or CORS", "https://host/data.zarr/c/0", "Access-Control-Allow-Origin", "Failed to fetch"]
    {
        assert!(error.message().contains(part), "{error}");
    }
}

#[test]
fn probes_for_metadata_do_not_wait_long_for_a_404_without_cors() {
    let scene = Scene::new();
    scene.then("GET zarr.json", unreachable()).then("GET zarr.json", unreachable());
    assert_eq!(scene.metadata().unwrap_err().kind(), ErrorKind::Store);
    assert_eq!(*scene.script.slept.borrow(), [225]);
}

#[test]
fn a_failing_head_does_not_fail_the_read() {
    let scene = Scene::with(HttpOptions { retries: 1, ..HttpOptions::default() });
    for answer in [unreachable(), respond(500, b"", &[])] {
        scene.then("HEAD c/0", answer);
    }
    scene.then("GET c/0 bytes=-2", respond(206, b"89", &["Content-Range: bytes 8-9/10"]));
    assert_eq!(scene.suffix(2).unwrap().unwrap(), b"89");
}

#[test]
fn errors_of_the_transport_are_not_retried() {
    let scene = Scene::new();
    scene.then(
        "GET c/0 bytes=0-3",
        Err(TransportError::TooLarge { announced: Some(10_000_000_000), limit: 1 << 31 }),
    );
    let error = scene.window(0, 4).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Limit);
    assert_eq!(error.context().actual.as_deref(), Some("10000000000"));
    let failure = crate::error::Error::aborted("the hook threw");
    scene.then("GET c/0", Err(TransportError::Failed(failure)));
    assert_eq!(scene.chunk(Whole).unwrap_err().kind(), ErrorKind::Aborted);
}

#[test]
fn chunks_that_resemble_html_are_values() {
    let scene = Scene::new();
    scene.then("GET c/0", respond(200, b"<html>", &["Content-Type: application/octet-stream"]));
    assert_eq!(scene.chunk(Whole).unwrap().unwrap(), b"<html>");
    scene.then("GET c/0", respond(200, b"\x00\x01", &["Content-Type: text/html"]));
    assert_eq!(scene.chunk(Whole).unwrap().unwrap(), [0, 1]);
    let moved = redirected(respond(200, b"01", &[]), "https://mirror/c/0");
    scene.then("GET c/0", moved);
    assert_eq!(scene.chunk(Whole).unwrap().unwrap(), b"01");
}
