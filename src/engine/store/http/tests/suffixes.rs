//! Reading the end of an object and its size, and what the store remembers about the server.

use super::script::{Scene, respond, unreachable};
use crate::error::ErrorKind;
use crate::store::Store;
use crate::store::http::HttpOptions;

fn eager() -> Scene {
    Scene::with(HttpOptions { use_suffix_request: true, ..HttpOptions::default() })
}

#[test]
fn a_suffix_is_read_by_head_and_a_range() {
    let scene = Scene::new();
    for _ in 0..2 {
        scene
            .then("HEAD c/0", respond(200, b"", &["Content-Length: 10"]))
            .then("GET c/0 bytes=8-9", respond(206, b"89", &[]));
        assert_eq!(scene.suffix(2).unwrap().unwrap(), b"89");
    }
    scene
        .then("HEAD c/0", respond(200, b"", &["Content-Length: 10"]))
        .then("GET c/0 bytes=0-9", respond(206, b"0123456789", &[]));
    assert_eq!(scene.suffix(64).unwrap().unwrap(), b"0123456789");
}

#[test]
fn shards_may_exceed_4_gib() {
    let scene = Scene::new();
    scene
        .then("HEAD c/0", respond(200, b"", &["Content-Length: 6000000000"]))
        .then("GET c/0 bytes=5999999998-5999999999", respond(206, b"89", &[]));
    assert_eq!(scene.suffix(2).unwrap().unwrap(), b"89");
}

#[test]
fn an_absent_shard_costs_one_request() {
    let scene = Scene::new();
    scene.then("HEAD c/0", respond(404, b"", &[]));
    assert_eq!(scene.suffix(2).unwrap(), None);
}

#[test]
fn head_without_a_length_leads_to_a_suffix_request_which_is_remembered() {
    let scene = Scene::new();
    scene
        .then("HEAD c/0", respond(200, b"", &[]))
        .then("GET c/0 bytes=-2", respond(206, b"89", &["Content-Range: bytes 8-9/10"]));
    assert_eq!(scene.suffix(2).unwrap().unwrap(), b"89");
    scene.then("GET c/0 bytes=-2", respond(206, b"89", &[]));
    assert_eq!(scene.suffix(2).unwrap().unwrap(), b"89");
}

#[test]
fn the_length_of_a_compressed_transfer_is_not_the_size() {
    let scene = Scene::new();
    scene
        .then("HEAD c/0", respond(200, b"", &["Content-Length: 7", "Content-Encoding: gzip"]))
        .then("GET c/0 bytes=-2", respond(206, b"89", &[]));
    assert_eq!(scene.suffix(2).unwrap().unwrap(), b"89");
}

#[test]
fn a_signature_for_get_only_does_not_fail_the_read() {
    let scene = Scene::new();
    scene.then("HEAD c/0", respond(403, b"", &[])).then("GET c/0 bytes=-2", respond(206, b"89", &[]));
    assert_eq!(scene.suffix(2).unwrap().unwrap(), b"89");
}

#[test]
fn without_head_and_suffixes_the_whole_object_is_read() {
    let scene = Scene::new();
    // nginx with `gzip on` tells no length; npm's http-server answers suffixes with 416.
    scene
        .then("HEAD c/0", respond(200, b"", &[]))
        .then("GET c/0 bytes=-2", respond(416, b"", &[]))
        .then("GET c/0", respond(200, b"0123456789", &[]));
    assert_eq!(scene.suffix(2).unwrap().unwrap(), b"89");
    scene.then("GET c/0", respond(200, b"0123456789", &[]));
    assert_eq!(scene.suffix(2).unwrap().unwrap(), b"89");
}

#[test]
fn first_bytes_are_not_accepted_as_a_suffix() {
    // sirv and s3rver take `-2` for `0-2`; cross-origin the place is invisible.
    for headers in [&["Content-Range: bytes 0-2/10"] as &[&str], &[]] {
        let scene = eager();
        scene
            .then("GET c/0 bytes=-2", respond(206, b"012", headers))
            .then("HEAD c/0", respond(200, b"", &["Content-Length: 10"]))
            .then("GET c/0 bytes=8-9", respond(206, b"89", &[]));
        assert_eq!(scene.suffix(2).unwrap().unwrap(), b"89");
        // Remembered, against the option.
        scene
            .then("HEAD c/0", respond(200, b"", &["Content-Length: 10"]))
            .then("GET c/0 bytes=8-9", respond(206, b"89", &[]));
        assert_eq!(scene.suffix(2).unwrap().unwrap(), b"89");
    }
}

#[test]
fn a_longer_suffix_is_cut() {
    let scene = eager();
    scene.then("GET c/0 bytes=-2", respond(206, b"789", &["Content-Range: bytes 7-9/10"]));
    assert_eq!(scene.suffix(2).unwrap().unwrap(), b"89");
}

#[test]
fn a_refused_preflight_leads_to_head_and_is_remembered() {
    let scene = eager();
    for refused in [unreachable(), respond(501, b"", &[])] {
        let scene = eager();
        scene
            .then("GET c/0 bytes=-2", refused)
            .then("HEAD c/0", respond(200, b"", &["Content-Length: 10"]))
            .then("GET c/0 bytes=8-9", respond(206, b"89", &[]));
        assert_eq!(scene.suffix(2).unwrap().unwrap(), b"89");
        scene
            .then("HEAD c/0", respond(200, b"", &["Content-Length: 10"]))
            .then("GET c/0 bytes=8-9", respond(206, b"89", &[]));
        assert_eq!(scene.suffix(2).unwrap().unwrap(), b"89");
        assert!(scene.script.slept.borrow().is_empty());
    }
    // But once a suffix was answered, a failure is one of the network.
    scene.then("GET c/0 bytes=-2", respond(206, b"89", &[]));
    assert_eq!(scene.suffix(2).unwrap().unwrap(), b"89");
    scene.then("GET c/0 bytes=-2", unreachable()).then("GET c/0 bytes=-2", respond(206, b"89", &[]));
    assert_eq!(scene.suffix(2).unwrap().unwrap(), b"89");
}

#[test]
fn a_suffix_answered_with_everything_is_cut_and_remembered() {
    let scene = eager();
    scene.then("GET c/0 bytes=-2", respond(200, b"0123456789", &[]));
    assert_eq!(scene.suffix(2).unwrap().unwrap(), b"89");
    assert_eq!(scene.warnings.borrow().len(), 1);
    scene.store.forget_kept();
    scene.then("GET c/0", respond(200, b"0123456789", &[]));
    assert_eq!(scene.suffix(2).unwrap().unwrap(), b"89");
}

#[test]
fn small_and_empty_objects_prove_nothing_about_the_server() {
    let scene = Scene::new();
    scene
        .then("HEAD c/0", respond(200, b"", &["Content-Length: 0"]))
        .then("GET c/0 bytes=-2", respond(416, b"", &[]))
        .then("GET c/0", respond(200, b"", &[]));
    assert_eq!(scene.suffix(2).unwrap().unwrap(), b"");
    scene
        .then("HEAD c/0", respond(200, b"", &["Content-Length: 10"]))
        .then("GET c/0 bytes=8-9", respond(206, b"89", &[]));
    assert_eq!(scene.suffix(2).unwrap().unwrap(), b"89");

    let scene = eager();
    scene.then("GET c/0 bytes=-8", respond(416, b"", &["Content-Range: bytes */0"]));
    assert_eq!(scene.suffix(8).unwrap().unwrap(), b"");
    let small = || respond(206, b"012", &["Content-Length: 3"]);
    scene.then("GET c/0 bytes=-8", small()).then("GET c/0 bytes=-8 no-store", small());
    assert_eq!(scene.suffix(8).unwrap().unwrap(), b"012");
}

#[test]
fn status_416_that_tells_the_size_saves_head() {
    let scene = eager();
    scene
        .then("GET c/0 bytes=-2", respond(416, b"", &["Content-Range: bytes */10"]))
        .then("GET c/0 bytes=8-9", respond(206, b"89", &["Content-Range: bytes 8-9/10"]));
    assert_eq!(scene.suffix(2).unwrap().unwrap(), b"89");
}

#[test]
fn an_object_that_changed_between_head_and_get_is_read_again() {
    let scene = Scene::new();
    for stale in [respond(206, b"ab", &["Content-Range: bytes 8-9/12"]), respond(416, b"", &[])] {
        scene
            .then("HEAD c/0", respond(200, b"", &["Content-Length: 10"]))
            .then("GET c/0 bytes=8-9", stale)
            .then("HEAD c/0 no-store", respond(200, b"", &["Content-Length: 12"]))
            .then("GET c/0 bytes=10-11 no-store", respond(206, b"yz", &["Content-Range: bytes 10-11/12"]));
        assert_eq!(scene.suffix(2).unwrap().unwrap(), b"yz");
    }
}

#[test]
fn the_size_is_requested_by_head_and_then_by_the_first_byte() {
    let scene = Scene::new();
    scene.then("HEAD c/0", respond(200, b"", &["Content-Length: 10"]));
    assert_eq!(scene.size().unwrap(), Some(10));
    scene.then("HEAD c/0", respond(404, b"", &[]));
    assert_eq!(scene.size().unwrap(), None);
    scene
        .then("HEAD c/0", respond(200, b"", &[]))
        .then("GET c/0 bytes=0-0", respond(206, b"0", &["Content-Range: bytes 0-0/10"]));
    assert_eq!(scene.size().unwrap(), Some(10));
    scene.then("GET c/0 bytes=0-0", respond(200, b"0123456789", &[]));
    assert_eq!(scene.size().unwrap(), Some(10));
    scene.then("GET c/0 bytes=0-0", respond(416, b"", &["Content-Range: bytes */0"]));
    assert_eq!(scene.size().unwrap(), Some(0));
    scene.then("GET c/0 bytes=0-0", respond(206, b"0", &[]));
    assert_eq!(scene.size().unwrap_err().kind(), ErrorKind::Store);
}

#[test]
fn a_request_for_the_likely_end_tells_the_size_too() {
    let scene = Scene::new();
    // The end is among the bytes, at their end, or (cross-origin) implied by a short body.
    let visible = ["Content-Range: bytes 5-9/10"];
    let hidden = ["Content-Length: 5"];
    for headers in [&visible as &[&str], &hidden] {
        scene.then("GET c/0 bytes=5-12", respond(206, b"56789", headers));
        assert_eq!(scene.likely_suffix(2, 7, 12).unwrap().unwrap(), b"89");
    }
    scene.then("GET c/0 bytes=8-10", respond(206, b"89", &["Content-Length: 2"]));
    assert_eq!(scene.likely_suffix(2, 10, 10).unwrap().unwrap(), b"89");
    // All of a small one.
    scene.then("GET c/0 bytes=0-20", respond(206, b"0123456789", &["Content-Range: bytes 0-9/10"]));
    assert_eq!(scene.likely_suffix(12, 5, 20).unwrap().unwrap(), b"0123456789");
}

#[test]
fn a_wrong_estimate_of_the_end_costs_one_more_request() {
    let index = || respond(206, b"89", &["Content-Range: bytes 8-9/10"]);
    let scene = Scene::new();
    // Larger, smaller, and one that begins before what was asked for.
    scene
        .then("GET c/0 bytes=2-5", respond(206, b"2345", &["Content-Range: bytes 2-5/10"]))
        .then("GET c/0 bytes=8-9", index());
    assert_eq!(scene.likely_suffix(2, 4, 5).unwrap().unwrap(), b"89");
    scene
        .then("GET c/0 bytes=18-20", respond(416, b"", &["Content-Range: bytes */10"]))
        .then("GET c/0 bytes=8-9", index());
    assert_eq!(scene.likely_suffix(2, 20, 20).unwrap().unwrap(), b"89");
    scene
        .then("GET c/0 bytes=9-11", respond(206, b"9", &["Content-Range: bytes 9-9/10"]))
        .then("GET c/0 bytes=8-9", index());
    assert_eq!(scene.likely_suffix(2, 11, 11).unwrap().unwrap(), b"89");
    // It changed in between.
    scene
        .then("GET c/0 bytes=2-5", respond(206, b"2345", &["Content-Range: bytes 2-5/10"]))
        .then("GET c/0 bytes=8-9", respond(206, b"01", &["Content-Range: bytes 8-9/12"]))
        .then("HEAD c/0 no-store", respond(200, b"", &["Content-Length: 12"]))
        .then("GET c/0 bytes=10-11 no-store", respond(206, b"ab", &["Content-Range: bytes 10-11/12"]));
    assert_eq!(scene.likely_suffix(2, 4, 5).unwrap().unwrap(), b"ab");
}

#[test]
fn an_answer_that_does_not_tell_the_size_leads_to_head_and_is_remembered() {
    for refused in [
        respond(206, b"234", &[]),
        respond(206, b"01", &["Content-Range: bytes 0-1/10"]),
        respond(206, b"23", &["Content-Range: bytes 2-4/10"]),
        respond(416, b"", &[]),
        respond(501, b"", &[]),
    ] {
        let scene = Scene::new();
        scene
            .then("GET c/0 bytes=2-4", refused)
            .then("HEAD c/0", respond(200, b"", &["Content-Length: 10"]))
            .then("GET c/0 bytes=8-9", respond(206, b"89", &[]));
        assert_eq!(scene.likely_suffix(2, 4, 4).unwrap().unwrap(), b"89");
        scene
            .then("HEAD c/0", respond(200, b"", &["Content-Length: 10"]))
            .then("GET c/0 bytes=8-9", respond(206, b"89", &[]));
        assert_eq!(scene.likely_suffix(2, 4, 4).unwrap().unwrap(), b"89");
    }
}

#[test]
fn uncertain_estimates_are_not_used() {
    let scene = Scene::new();
    // Sizes that differ too much.
    scene
        .then("HEAD c/0", respond(200, b"", &["Content-Length: 10"]))
        .then("GET c/0 bytes=8-9", respond(206, b"89", &[]));
    assert_eq!(scene.likely_suffix(2, 10, 10_000_000).unwrap().unwrap(), b"89");
    // An absent one, and a server that sends everything.
    scene.then("GET c/0 bytes=8-10", respond(404, b"", &[]));
    assert_eq!(scene.likely_suffix(2, 10, 10).unwrap(), None);
    scene.then("GET c/0 bytes=8-10", respond(200, b"0123456789", &[]));
    assert_eq!(scene.likely_suffix(2, 10, 10).unwrap().unwrap(), b"89");
}
