//! Whole objects and `bytes=a-b`: errors of servers and caches.

use zarr_wasm_contract::Natural;
use zarr_wasm_http::Subject;

use super::script::{Scene, respond};
use crate::error::ErrorKind;
use crate::store::http::HttpOptions;
use crate::store::http::transport::{TransportError, TransportResult};
use crate::store::{ByteRange, Changeable, Store};

#[test]
fn a_whole_object_has_its_size_and_version() {
    let scene = Scene::new();
    scene.then("GET zarr.json", respond(200, b"{}", &["ETag: W/\"v1\"", "Last-Modified: yesterday"]));
    let fetched = scene.fetch("zarr.json", ByteRange::Whole, Subject::Metadata).unwrap().unwrap();
    assert_eq!((fetched.size, fetched.version.as_deref()), (Some(2), Some("\"v1\"")));

    scene.then("GET zarr.json", respond(200, b"{}", &["Last-Modified: yesterday"]));
    let fetched = scene.fetch("zarr.json", ByteRange::Whole, Subject::Metadata).unwrap().unwrap();
    assert_eq!(fetched.version.as_deref(), Some("yesterday"));
}

#[test]
fn a_range_is_checked_by_content_range_or_by_length() {
    let scene = Scene::new();
    scene.then("GET c/0 bytes=4-7", respond(206, b"4567", &["Content-Range: bytes 4-7/10"]));
    let range = ByteRange::At { offset: 4, len: 4 };
    let fetched = scene.fetch("c/0", range, Subject::Chunk).unwrap().unwrap();
    assert_eq!((fetched.size, fetched.value.as_slice().unwrap()), (Some(10), b"4567".as_slice()));

    scene.then("GET c/0 bytes=4-7", respond(206, b"4567", &["Content-Length: 4"]));
    let fetched = scene.fetch("c/0", range, Subject::Chunk).unwrap().unwrap();
    assert_eq!((fetched.size, fetched.value.len()), (None, 4));
}

#[test]
fn a_range_is_cut_at_the_end_of_the_object() {
    let scene = Scene::new();
    scene.then("GET c/0 bytes=6-13", respond(206, b"6789", &["Content-Range: bytes 6-9/10"]));
    assert_eq!(scene.window(6, 8).unwrap().unwrap(), b"6789");
}

#[test]
fn an_open_range_has_no_last_byte() {
    let scene = Scene::new();
    scene.then("GET c/0 bytes=6-", respond(206, b"6789", &["Content-Range: bytes 6-9/10"]));
    let fetched = scene.fetch("c/0", ByteRange::from_offset(6), Subject::Chunk).unwrap().unwrap();
    assert_eq!((fetched.size, fetched.value.as_slice().unwrap()), (Some(10), b"6789".as_slice()));
}

#[test]
fn a_longer_answer_is_cut_to_the_requested_range() {
    let scene = Scene::new();
    scene.then("GET c/0 bytes=4-5", respond(206, b"234567", &["Content-Range: bytes 2-7/10"]));
    assert_eq!(scene.window(4, 2).unwrap().unwrap(), b"45");
}

#[test]
fn a_server_that_ignores_ranges_causes_one_warning_and_is_remembered() {
    let scene = Scene::new();
    assert!(scene.store.reads_parts());
    // When the server is known, whole objects are asked for.
    for request in ["GET c/0 bytes=4-5", "GET c/0"] {
        scene.then(request, respond(200, b"0123456789", &[]));
        assert_eq!(scene.window(4, 2).unwrap().unwrap(), b"45");
        scene.store.forget_kept();
    }
    assert_eq!(scene.warnings.borrow().len(), 1);
    assert!(!scene.warnings.borrow()[0].contains("secret"));
    assert!(!scene.store.reads_parts());
    // A suffix costs the whole object in any case: no HEAD for it.
    scene.then("GET c/0", respond(200, b"0123456789", &[]));
    assert_eq!(scene.suffix(2).unwrap().unwrap(), b"89");
}

#[test]
fn an_object_that_came_whole_is_kept_until_it_is_forgotten_written_or_read_anew() {
    let scene = Scene::new();
    let whole = |body: &[u8]| respond(200, body, &["ETag: \"v1\""]);
    scene.then("GET c/0 bytes=4-5", whole(b"0123456789"));
    assert_eq!(scene.window(4, 2).unwrap().unwrap(), b"45");
    assert_eq!(scene.window(0, 2).unwrap().unwrap(), b"01");
    assert_eq!(scene.suffix(2).unwrap().unwrap(), b"89");
    let range = ByteRange::At { offset: 1, len: 2 };
    let part = scene.fetch("c/0", range, Subject::Chunk).unwrap().unwrap();
    assert_eq!((part.size, part.version.as_deref()), (Some(10), Some("\"v1\"")));
    // What will be changed is read as the server has it.
    scene.then("GET c/0", whole(b"0ab3456789"));
    assert_eq!(scene.fetch("c/0", range, Subject::Update).unwrap().unwrap().value.as_slice().unwrap(), b"ab");
    scene.store.forget_kept();
    scene.then("GET c/0", whole(b"ABCDEFGHIJ"));
    assert_eq!(scene.window(0, 2).unwrap().unwrap(), b"AB");
    assert_eq!(scene.window(2, 2).unwrap().unwrap(), b"CD");
}

#[test]
fn a_whole_answer_to_a_whole_range_does_not_mean_that_ranges_are_ignored() {
    let scene = Scene::new();
    scene.then("GET c/0 bytes=0-9", respond(200, b"0123456789", &[]));
    assert_eq!(scene.window(0, 10).unwrap().unwrap(), b"0123456789");
    assert!(scene.store.reads_parts());
    assert!(scene.warnings.borrow().is_empty());
}

/// A 206 whose body is longer than what is read of a part.
fn longer_part() -> TransportResult {
    Err(TransportError::TooLarge { announced: Some(1 << 24), limit: (64 << 10) + 2 })
}

#[test]
fn a_206_with_the_whole_object_is_read_as_a_whole() {
    let scene = Scene::new();
    scene
        .then("GET c/0 bytes=4-5", longer_part())
        .then("GET c/0", respond(200, b"0123456789", &["Content-Length: 10"]));
    assert_eq!(scene.window(4, 2).unwrap().unwrap(), b"45");
    assert_eq!(scene.warnings.borrow().len(), 1);
    assert_eq!(scene.window(0, 2).unwrap().unwrap(), b"01");

    // Such a server takes no suffix either.
    let scene = Scene::with(HttpOptions { use_suffix_request: true, ..HttpOptions::default() });
    scene
        .then("GET c/0 bytes=-2", longer_part())
        .then("HEAD c/0", respond(200, b"", &["Content-Length: 10"]))
        .then("GET c/0 bytes=8-9", longer_part())
        .then("GET c/0", respond(200, b"0123456789", &[]));
    assert_eq!(scene.suffix(2).unwrap().unwrap(), b"89");

    // Whatever it sends instead of the whole object is an error that names it.
    let scene = Scene::new();
    let part = || respond(206, b"01234", &["Content-Range: bytes 0-4/10"]);
    scene.then("GET c/0 bytes=4-5", longer_part()).then("GET c/0", part()).then("GET c/0 no-store", part());
    assert_eq!(scene.window(4, 2).unwrap_err().kind(), ErrorKind::Store);
}

#[test]
fn the_size_of_an_object_that_always_comes_whole_is_a_store_error() {
    let scene = Scene::new();
    scene.then("HEAD c/0", respond(405, b"", &[])).then("GET c/0 bytes=0-0", longer_part());
    let error = scene.size().unwrap_err();
    assert_eq!((error.kind(), error.context().actual.as_deref()), (ErrorKind::Store, Some("16777216 bytes")));
}

#[test]
fn a_range_past_the_end_of_a_whole_answer_is_a_format_error() {
    let scene = Scene::new();
    scene.then("GET c/0 bytes=10-11", respond(200, b"0123456789", &[]));
    assert_eq!(scene.window(10, 2).unwrap_err().kind(), ErrorKind::Format);
}

#[test]
fn a_wrong_range_is_requested_again_and_then_an_error() {
    let scene = Scene::new();
    let wrong = || respond(206, b"0123", &["Content-Range: bytes 0-3/10"]);
    scene.then("GET c/0 bytes=4-7", wrong()).then("GET c/0 bytes=4-7 no-store", wrong());
    let error = scene.window(4, 4).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Store);
    assert_eq!(error.context().expected.as_deref(), Some("bytes 4..8"));
    assert_eq!(error.context().actual.as_deref(), Some("bytes 0..4"));
    assert_eq!(error.context().key.as_deref(), Some("c/0"));
}

#[test]
fn a_body_shorter_than_announced_is_requested_without_cache() {
    // Chromium 148 and 149 produce it from a fresh in-memory cache.
    let scene = Scene::new();
    let headers = ["Content-Range: bytes 4-7/10", "Content-Length: 4"];
    scene
        .then("GET c/0 bytes=4-7", respond(206, b"45", &headers))
        .then("GET c/0 bytes=4-7 no-store", respond(206, b"4567", &headers));
    assert_eq!(scene.window(4, 4).unwrap().unwrap(), b"4567");

    for headers in [&["Content-Length: 4"] as &[&str], &[]] {
        scene
            .then("GET c/0 bytes=4-7", respond(206, b"45", headers))
            .then("GET c/0 bytes=4-7 no-store", respond(206, b"45", headers));
        let error = scene.window(4, 4).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Store);
        assert_eq!(error.context().expected.as_deref(), Some("4 bytes"));
        assert_eq!(error.context().actual.as_deref(), Some("2 bytes"));
    }
}

#[test]
fn two_consistent_short_answers_mark_the_end_of_the_object() {
    let scene = Scene::new();
    let cut = || respond(206, b"89", &["Content-Length: 2"]);
    scene.then("GET c/0 bytes=8-11", cut()).then("GET c/0 bytes=8-11 no-store", cut());
    assert_eq!(scene.window(8, 4).unwrap().unwrap(), b"89");
    // Not when they differ.
    scene
        .then("GET c/0 bytes=8-11", cut())
        .then("GET c/0 bytes=8-11 no-store", respond(206, b"8", &["Content-Length: 1"]));
    assert_eq!(scene.window(8, 4).unwrap_err().kind(), ErrorKind::Store);
}

#[test]
fn a_longer_answer_without_content_range_is_an_error() {
    let scene = Scene::new();
    let long = || respond(206, b"012345", &[]);
    scene.then("GET c/0 bytes=4-5", long()).then("GET c/0 bytes=4-5 no-store", long());
    assert_eq!(scene.window(4, 2).unwrap_err().kind(), ErrorKind::Store);
}

#[test]
fn a_truncated_chunk_is_requested_again_unless_it_was_compressed() {
    let scene = Scene::new();
    scene
        .then("GET c/0", respond(200, b"012", &["Content-Length: 5"]))
        .then("GET c/0 no-store", respond(200, b"01234", &["Content-Length: 5"]));
    assert_eq!(scene.chunk(ByteRange::Whole).unwrap().unwrap(), b"01234");
    scene.then("GET c/0", respond(200, b"012", &["Content-Length: 23", "Content-Encoding: gzip"]));
    assert_eq!(scene.chunk(ByteRange::Whole).unwrap().unwrap(), b"012");
    // A document's Content-Encoding is invisible from another origin.
    scene.then("GET zarr.json", respond(200, b"{}", &["Content-Length: 22"]));
    assert_eq!(scene.metadata().unwrap().unwrap(), b"{}");
}

#[test]
fn a_206_to_a_whole_request_is_valid_if_it_is_complete() {
    let scene = Scene::new();
    scene.then("GET c/0", respond(206, b"01", &["Content-Range: bytes 0-1/2"]));
    assert_eq!(scene.chunk(ByteRange::Whole).unwrap().unwrap(), b"01");
    let part = || respond(206, b"01", &["Content-Range: bytes 0-1/3"]);
    scene.then("GET c/0", part()).then("GET c/0 no-store", part());
    assert_eq!(scene.chunk(ByteRange::Whole).unwrap_err().kind(), ErrorKind::Store);
}

#[test]
fn status_416_is_a_range_past_the_end() {
    let scene = Scene::new();
    scene.then("GET c/0 bytes=10-11", respond(416, b"", &["Content-Range: bytes */10"]));
    let error = scene.window(10, 2).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Format);
    assert_eq!(error.context().range, Some((Natural(10), Natural(2))));
    assert_eq!(error.context().actual.as_deref(), Some("10 bytes"));

    scene.then("GET c/0 bytes=10-11", respond(416, b"", &[]));
    assert_eq!(scene.window(10, 2).unwrap_err().kind(), ErrorKind::Format);
}

#[test]
fn status_416_for_a_range_that_ends_past_the_end_is_retried_with_a_shorter_range() {
    let scene = Scene::new();
    scene
        .then("GET c/0 bytes=8-11", respond(416, b"", &["Content-Range: bytes */10"]))
        .then("GET c/0 bytes=8-9", respond(206, b"89", &["Content-Range: bytes 8-9/10"]));
    assert_eq!(scene.window(8, 4).unwrap().unwrap(), b"89");
}

#[test]
fn an_empty_range_is_an_argument_error() {
    let scene = Scene::new();
    assert_eq!(scene.window(3, 0).unwrap_err().kind(), ErrorKind::Argument);
    assert_eq!(scene.suffix(0).unwrap_err().kind(), ErrorKind::Argument);
}
