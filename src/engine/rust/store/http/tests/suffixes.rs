//! Reading the end of an object and its size, and what the store remembers about the server.

use super::script::{Scene, respond, unreachable};
use crate::error::ErrorKind;
use crate::store::http::HttpOptions;
use crate::store::http::transport::TransportResult;
use crate::store::{Changeable, Measured};

fn eager() -> Scene {
    Scene::with(HttpOptions { use_suffix_request: true, ..HttpOptions::default() })
}

/// A request and its answer.
type Step = (&'static str, TransportResult);

/// What a server says of the size of the object, which has ten bytes.
fn head(headers: &[&str]) -> Step {
    ("HEAD c/0", respond(200, b"", headers))
}

fn sized_head() -> Step {
    head(&["Content-Length: 10"])
}

fn last_by_place() -> Step {
    ("GET c/0 bytes=8-9", respond(206, b"89", &[]))
}

fn last_by_suffix(answer: TransportResult) -> Step {
    ("GET c/0 bytes=-2", answer)
}

fn last() -> TransportResult {
    respond(206, b"89", &[])
}

fn whole() -> Step {
    ("GET c/0", respond(200, b"0123456789", &[]))
}

impl Scene {
    fn steps(&self, steps: impl IntoIterator<Item = Step>) {
        for (line, answer) in steps {
            self.then(line, answer);
        }
    }

    /// Reads the last two bytes by these requests.
    fn reads_by(&self, steps: impl IntoIterator<Item = Step>, what: &str) {
        self.steps(steps);
        self.store.forget_kept();
        assert_eq!(self.suffix(2).unwrap().unwrap(), b"89", "{what}");
    }
}

/// The requests of two reads of the last two bytes.
type TwoReads = (&'static str, Vec<Step>, Vec<Step>);

#[test]
fn a_suffix_is_read_by_head_and_what_that_leads_to() {
    let cases: [TwoReads; 5] = [
        ("its size", vec![sized_head(), last_by_place()], vec![sized_head(), last_by_place()]),
        (
            "no size: suffixes are remembered",
            vec![head(&[]), last_by_suffix(respond(206, b"89", &["Content-Range: bytes 8-9/10"]))],
            vec![last_by_suffix(last())],
        ),
        (
            "the length of a compressed transfer is not the size",
            vec![head(&["Content-Length: 7", "Content-Encoding: gzip"]), last_by_suffix(last())],
            vec![last_by_suffix(last())],
        ),
        (
            "a signature for GET only",
            vec![("HEAD c/0", respond(403, b"", &[])), last_by_suffix(last())],
            vec![last_by_suffix(last())],
        ),
        (
            // nginx with `gzip on` tells no length; npm's http-server answers suffixes with 416.
            "neither a size nor suffixes: the whole object",
            vec![head(&[]), last_by_suffix(respond(416, b"", &[])), whole()],
            vec![whole()],
        ),
    ];
    for (what, first, second) in cases {
        let scene = Scene::new();
        scene.reads_by(first, what);
        scene.reads_by(second, what);
    }
}

#[test]
fn a_suffix_that_a_server_refuses_leads_to_head_which_is_remembered() {
    // sirv and s3rver take `-2` for `0-2`; cross-origin the place is invisible.
    for (what, refused) in [
        ("first bytes", respond(206, b"012", &["Content-Range: bytes 0-2/10"])),
        ("first bytes of unknown place", respond(206, b"012", &[])),
        ("a refused preflight", unreachable()),
        ("not implemented", respond(501, b"", &[])),
    ] {
        let scene = eager();
        scene.reads_by([last_by_suffix(refused), sized_head(), last_by_place()], what);
        // Against the option.
        scene.reads_by([sized_head(), last_by_place()], what);
        assert!(scene.script.slept.borrow().is_empty(), "{what}");
    }
}

#[test]
fn a_suffix_is_asked_for_first_by_option() {
    let too_long = respond(206, b"789", &["Content-Range: bytes 7-9/10"]);
    eager().reads_by([last_by_suffix(too_long)], "a longer one is cut");
    let told = respond(416, b"", &["Content-Range: bytes */10"]);
    eager().reads_by([last_by_suffix(told), last_by_place()], "a refusal that tells the size saves HEAD");
    // Once a suffix was answered, a failure is one of the network.
    let scene = eager();
    scene.reads_by([last_by_suffix(last())], "answered");
    scene.reads_by([last_by_suffix(unreachable()), last_by_suffix(last())], "unreachable for once");
}

#[test]
fn shards_may_exceed_4_gib_and_absent_ones_cost_one_request() {
    let scene = Scene::new();
    let end = ("GET c/0 bytes=5999999998-5999999999", last());
    scene.reads_by([head(&["Content-Length: 6000000000"]), end], "a large shard");
    scene.then("HEAD c/0", respond(404, b"", &[]));
    assert_eq!(scene.suffix(2).unwrap(), None);
}

#[test]
fn a_suffix_answered_with_everything_is_cut_and_remembered() {
    let scene = eager();
    let (_, everything) = whole();
    scene.reads_by([last_by_suffix(everything)], "everything");
    assert_eq!(scene.warnings.borrow().len(), 1);
    scene.store.forget_kept();
    scene.reads_by([whole()], "remembered");
}

#[test]
fn small_and_empty_objects_prove_nothing_about_the_server() {
    let scene = Scene::new();
    scene
        .then("HEAD c/0", respond(200, b"", &["Content-Length: 0"]))
        .then("GET c/0 bytes=-2", respond(416, b"", &[]))
        .then("GET c/0", respond(200, b"", &[]));
    assert_eq!(scene.suffix(2).unwrap().unwrap(), b"");
    scene.reads_by([sized_head(), last_by_place()], "ten bytes");

    let scene = eager();
    scene.then("GET c/0 bytes=-8", respond(416, b"", &["Content-Range: bytes */0"]));
    assert_eq!(scene.suffix(8).unwrap().unwrap(), b"");
    let small = || respond(206, b"012", &["Content-Length: 3"]);
    scene.then("GET c/0 bytes=-8", small()).then("GET c/0 bytes=-8 no-store", small());
    assert_eq!(scene.suffix(8).unwrap().unwrap(), b"012");
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
    scene.store.forget_kept();
    scene.then("GET c/0 bytes=0-0", respond(416, b"", &["Content-Range: bytes */0"]));
    assert_eq!(scene.size().unwrap(), Some(0));
    scene.then("GET c/0 bytes=0-0", respond(206, b"0", &[]));
    assert_eq!(scene.size().unwrap_err().kind(), ErrorKind::Store);
}

#[test]
fn with_the_size_comes_the_time_of_the_last_change() {
    let scene = Scene::new();
    let (date, line) = ("Wed, 21 Oct 2015 07:28:00 GMT", "Last-Modified: Wed, 21 Oct 2015 07:28:00 GMT");
    let measured = |size| Some(Measured { size, modified: Some(date.to_owned()) });
    scene.then("HEAD c/0", respond(200, b"", &["Content-Length: 10", line]));
    assert_eq!(scene.measure().unwrap(), measured(10));
    scene
        .then("HEAD c/0", respond(405, b"", &[]))
        .then("GET c/0 bytes=0-0", respond(206, b"0", &["Content-Range: bytes 0-0/12", line]));
    assert_eq!(scene.measure().unwrap(), measured(12));
    scene.then("GET c/0 bytes=0-0", respond(200, b"0123", &[line]));
    assert_eq!(scene.measure().unwrap(), measured(4));
    // Now it is known whole.
    assert_eq!(scene.measure().unwrap(), measured(4));
    scene.store.forget_kept();
    scene.then("GET c/0 bytes=0-0", respond(404, b"", &[]));
    assert_eq!(scene.measure().unwrap(), None);
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
    for (guess, asked, answer) in [
        ((4, 5), "GET c/0 bytes=2-5", respond(206, b"2345", &["Content-Range: bytes 2-5/10"])),
        ((20, 20), "GET c/0 bytes=18-20", respond(416, b"", &["Content-Range: bytes */10"])),
        // It begins before what was asked for.
        ((11, 11), "GET c/0 bytes=9-11", respond(206, b"9", &["Content-Range: bytes 9-9/10"])),
    ] {
        scene.then(asked, answer).then("GET c/0 bytes=8-9", index());
        assert_eq!(scene.likely_suffix(2, guess.0, guess.1).unwrap().unwrap(), b"89");
    }
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
        scene.then("GET c/0 bytes=2-4", refused);
        for _ in 0..2 {
            scene.steps([sized_head(), last_by_place()]);
            assert_eq!(scene.likely_suffix(2, 4, 4).unwrap().unwrap(), b"89");
        }
    }
}

#[test]
fn uncertain_estimates_are_not_used() {
    let scene = Scene::new();
    // Sizes that differ too much.
    scene.steps([sized_head(), last_by_place()]);
    assert_eq!(scene.likely_suffix(2, 10, 10_000_000).unwrap().unwrap(), b"89");
    // An absent one, and a server that sends everything.
    scene.then("GET c/0 bytes=8-10", respond(404, b"", &[]));
    assert_eq!(scene.likely_suffix(2, 10, 10).unwrap(), None);
    scene.then("GET c/0 bytes=8-10", respond(200, b"0123456789", &[]));
    assert_eq!(scene.likely_suffix(2, 10, 10).unwrap().unwrap(), b"89");
}
