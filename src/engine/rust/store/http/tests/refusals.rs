//! Answers that a page may not read, buckets whose readers pay, and pages about data sets: the
//! errors name the cause and the cure.

use super::script::{OPEN_ROOT, Scene, respond, unreachable};
use super::statuses::anonymous;
use crate::error::{Error, ErrorKind};
use crate::store::ByteRange::Whole;
use crate::store::Store;
use crate::store::http::HttpOptions;
use crate::store::http::transport::{CutBody, TransportError, TransportResult};

fn probing() -> HttpOptions {
    HttpOptions { may_probe: true, ..anonymous() }
}

fn scene() -> Scene {
    Scene::at(OPEN_ROOT, probing())
}

/// The error of metadata without an answer, where the probe is answered so.
fn lost(scene: &Scene, probe: Option<TransportResult>) -> Error {
    scene.then("GET zarr.json", unreachable()).then("GET zarr.json", unreachable());
    if let Some(probe) = probe {
        scene.then("HEAD zarr.json", probe);
    }
    let error = scene.metadata().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Store);
    error
}

/// What a page sees of any answer without CORS.
fn opaque() -> TransportResult {
    respond(0, b"", &[])
}

#[test]
fn a_server_that_hides_its_answers_is_distinguished_from_a_lost_network_and_asked_once() {
    let scene = scene();
    for probe in [Some(opaque()), None] {
        let error = lost(&scene, probe);
        let message = error.message();
        for part in
            ["CORS: ", "host sends no Access-Control-Allow-Origin;", "ask its owner", "Failed to fetch"]
        {
            assert!(message.contains(part), "{message}");
        }
        assert_eq!(error.context().expected.as_deref(), Some("Access-Control-Allow-Origin"));
    }
}

#[test]
fn a_body_that_breaks_off_is_distinguished_from_a_server_that_hides_its_answers_or_is_not_there() {
    for (announced, expected) in [(Some(1000), "after 100 of 1000 bytes"), (None, "after 100 bytes")] {
        let scene = scene();
        let cut = Some(CutBody { received: 100, announced });
        let message = "network error".to_owned();
        let broken = TransportError::Unreachable { message, cause: None, cut };
        // It is asked again, and not whether it is there.
        scene.then("GET zarr.json", Err(broken.clone()));
        scene.then("GET zarr.json", Err(broken));
        let error = scene.metadata().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Store);
        let message = error.message();
        for part in ["network: the answer to GET https://host", "was cut off", expected, "(network error)"] {
            assert!(message.contains(part), "{message}");
        }
        assert!(!message.contains("CORS") && !message.contains("no such server"), "{message}");
    }
}

#[test]
fn a_silent_server_is_asked_each_time() {
    let scene = scene();
    for _ in 0..2 {
        let error = lost(&scene, Some(unreachable()));
        assert!(error.message().contains("there is no such server"), "{error}");
    }
    assert!(lost(&scene, Some(opaque())).message().starts_with("CORS: "));
}

#[test]
fn where_no_answer_is_hidden_there_was_none() {
    let failed = Err(TransportError::Failed(Error::store("not here")));
    let error = lost(&scene(), Some(failed));
    assert!(error.message().ends_with("zarr.json got no answer (Failed to fetch)"), "{error}");
}

#[test]
fn a_server_that_showed_other_answers_hides_this_one() {
    let scene = scene();
    scene.then("GET zarr.json", respond(200, b"{}", &[]));
    scene.metadata().unwrap();
    for _ in 0..2 {
        let error = lost(&scene, Some(opaque()));
        assert!(error.message().contains("with this answer, which may be an error such as 404"), "{error}");
    }
}

#[test]
fn a_signature_in_the_url_or_a_fetch_of_the_user_forbids_the_question() {
    for scene in [Scene::with(probing()), Scene::at(OPEN_ROOT, anonymous())] {
        assert!(lost(&scene, None).message().starts_with("network or CORS: "));
    }
}

#[test]
fn buckets_whose_readers_pay_are_named() {
    let google = b"<?xml version='1.0'?><Error><Code>UserProjectMissing</Code><Message>User project specified in the request is invalid.</Message><Details>Bucket is a requester pays bucket but no user project provided.</Details></Error>";
    let scene = scene();
    scene.then("GET zarr.json", respond(400, google, &[]));
    let error = scene.metadata().unwrap_err();
    assert!(error.message().contains("is requester pays"), "{error}");
    assert!(error.message().contains("userProject=PROJECT"), "{error}");
    assert_eq!(error.context().expected.as_deref(), Some("a request whose sender pays"));
    // It says nothing about a chunk, also of a store that has answered.
    scene.then("GET zarr.json", respond(200, b"{}", &[]));
    scene.metadata().unwrap();
    scene.then("GET c/0", respond(403, google, &[]));
    assert!(scene.chunk(Whole).unwrap_err().message().contains("is requester pays"));
}

#[test]
fn a_refusal_of_s3_names_the_three_causes() {
    let refusal =
        b"<?xml version=\"1.0\"?><Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>";
    let scene = scene();
    scene.then("GET zarr.json", respond(403, refusal, &["Content-Type: application/xml"]));
    let error = scene.metadata().unwrap_err();
    for part in ["is not allowed", "the key does not exist", "x-amz-request-payer: requester"] {
        assert!(error.message().contains(part), "{error}");
    }
}

/// The address of a store after this answer to its metadata.
fn described(body: &[u8], content_type: &str) -> String {
    let scene = scene();
    scene.then("GET zarr.json", respond(200, body, &[&format!("Content-Type: {content_type}")]));
    assert_eq!(scene.metadata().unwrap(), None);
    scene.store.describe()
}

#[test]
fn a_page_instead_of_metadata_is_named_by_its_title() {
    let page = b"<!DOCTYPE html><html><head>\n<TITLE data-x='1'>ERA5 on\n a host</TITLE>";
    let message = described(page, "text/html");
    assert!(
        message
            .starts_with("https://host/data.zarr, where the server sends a web page, \"ERA5 on a host\", in")
    );
    assert!(message.contains("open the address of the data, not of a page about them"), "{message}");
    let error = b"<?xml version='1.0'?><Error><Code>NoSuchKey</Code><Message>No such key.</Message></Error>";
    assert!(described(error, "application/xml").contains("an error in XML, \"No such key.\","));
    for page in [&b"<html>"[..], b"<html><title", b"<html><title></title>", b"<html><title>\xff</title>"] {
        assert!(described(page, "text/html").contains("a web page"));
    }
    let long = format!("<html><title>{}</title>", "long ".repeat(1000));
    assert!(described(long.as_bytes(), "text/html").len() < 400);
}

#[test]
fn a_store_with_metadata_says_nothing_of_pages() {
    let scene = scene();
    scene.then("GET zarr.json", respond(200, b"{}", &[]));
    scene.metadata().unwrap();
    assert_eq!(scene.store.describe(), OPEN_ROOT);
    let page = Scene::at("https://github.com/o/n/blob/main/a.zarr", anonymous());
    assert!(page.store.describe().contains("raw.githubusercontent.com"));
}
