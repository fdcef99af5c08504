//! Web pages with status 200 instead of objects.

use super::script::{OPEN_ROOT, Scene, respond};
use super::statuses::{anonymous, redirected};
use crate::error::ErrorKind;
use crate::store::ByteRange::Whole;
use crate::store::http::HttpOptions;
use crate::store::http::transport::TransportResult;

const HTML: &str = "Content-Type: text/html; charset=utf-8";
const APPLICATION: &[u8] = b"\n<!DOCTYPE html><title>Application</title>";
const LOGIN: &[u8] = b"<html><title>Sign in</title>";

fn page(body: &[u8]) -> TransportResult {
    respond(200, body, &[HTML])
}

/// A store that has read its metadata.
fn opened() -> Scene {
    let scene = Scene::with(HttpOptions::default());
    scene.then("GET zarr.json", respond(200, b"{}", &[]));
    assert_eq!(scene.metadata().unwrap().unwrap(), b"{}");
    scene
}

/// Lets the store find out that its server sends a page for absent names.
fn see_absence(scene: &Scene) {
    scene
        .then("GET c/0", page(APPLICATION))
        .then("GET c/0 no-store", page(APPLICATION))
        .then("GET zarr.json reload", respond(200, b"{}", &[]));
    assert_eq!(scene.chunk(Whole).unwrap(), None);
}

#[test]
fn the_first_metadata_are_absent_where_a_page_is() {
    let scene = Scene::new();
    scene.then("GET zarr.json", page(APPLICATION));
    assert_eq!(scene.metadata().unwrap(), None);
    scene.then("GET zarr.json", respond(200, b"<Error>", &[]));
    assert_eq!(scene.metadata().unwrap(), None);
}

#[test]
fn the_page_of_an_application_means_absence_and_is_known_from_then_on() {
    let scene = opened();
    see_absence(&scene);
    scene.then("GET c/0", page(APPLICATION));
    assert_eq!(scene.chunk(Whole).unwrap(), None);
    let warned = scene.on_console.borrow().join("; ");
    assert!(warned.starts_with("a web page with status 200 for https://host/data.zarr/c/0"), "{warned}");
    assert_eq!((scene.on_console.borrow().len(), warned.contains("secret")), (1, false));
    scene.then("GET zarr.json", page(APPLICATION));
    assert_eq!(scene.metadata().unwrap(), None);
}

#[test]
fn a_page_for_everything_is_an_error_also_if_absence_had_another_page() {
    let scene = opened();
    for is_known in [false, true] {
        if is_known {
            see_absence(&scene);
        }
        scene
            .then("GET c/0", page(LOGIN))
            .then("GET c/0 no-store", page(LOGIN))
            .then("GET zarr.json reload", page(LOGIN))
            .then("GET zarr.json no-store", page(LOGIN));
        let error = scene.chunk(Whole).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Store);
        assert!(error.message().contains("a login may be needed"), "{error}");
    }
}

#[test]
fn a_page_that_came_once_is_not_believed() {
    let scene = opened();
    scene.then("GET c/0", page(LOGIN)).then("GET c/0 no-store", respond(200, b"01", &[]));
    assert_eq!(scene.chunk(Whole).unwrap().unwrap(), b"01");
    scene.then("GET zarr.json", page(LOGIN)).then("GET zarr.json no-store", respond(200, b"{}", &[]));
    assert_eq!(scene.metadata().unwrap().unwrap(), b"{}");
}

#[test]
fn a_page_is_an_error_where_no_object_was_read() {
    let scene = Scene::at(OPEN_ROOT, anonymous());
    scene.then("GET c/0", page(APPLICATION)).then("GET c/0 no-store", page(APPLICATION));
    assert_eq!(scene.chunk(Whole).unwrap_err().kind(), ErrorKind::Store);
    // It was no read either: 403 is still an error.
    scene.then("GET c/0", respond(403, b"", &[]));
    assert!(scene.chunk(Whole).is_err());
}

#[test]
fn a_page_is_an_error_where_the_known_object_is_gone() {
    let scene = opened();
    scene
        .then("GET c/0", page(APPLICATION))
        .then("GET c/0 no-store", page(APPLICATION))
        .then("GET zarr.json reload", respond(404, b"", &[]));
    assert_eq!(scene.chunk(Whole).unwrap_err().kind(), ErrorKind::Store);
}

#[test]
fn a_chunk_to_change_is_never_absent_where_a_page_is() {
    let scene = opened();
    see_absence(&scene);
    scene.then("GET c/0", page(APPLICATION)).then("GET c/0 no-store", page(APPLICATION));
    assert_eq!(scene.chunk_to_change().unwrap_err().kind(), ErrorKind::Store);
}

#[test]
fn a_redirect_to_a_folder_of_the_name_is_absent_and_to_another_path_is_a_page() {
    let scene = opened();
    let listing = redirected(respond(200, b"0\n1\n", &[]), "https://host/data.zarr/c/0/?sig=secret");
    scene.then("GET c/0", listing);
    assert_eq!(scene.chunk(Whole).unwrap(), None);
    let login = || redirected(page(LOGIN), "https://login.host/?for=data");
    scene
        .then("GET c/0", login())
        .then("GET c/0 no-store", login())
        .then("GET zarr.json reload", login())
        .then("GET zarr.json no-store", login());
    assert_eq!(scene.chunk(Whole).unwrap_err().kind(), ErrorKind::Store);
}

#[test]
fn a_part_of_a_page_is_recognised_by_the_beginning_of_the_page() {
    let scene = opened();
    let size = format!("Content-Range: bytes 0-40/{}", APPLICATION.len());
    let beginning = || respond(206, APPLICATION, &[HTML, &size]);
    scene
        .then("GET c/0 bytes=8-11", respond(206, b"html", &[HTML, "Content-Range: bytes 8-11/41"]))
        .then("GET c/0 bytes=0-511", beginning())
        .then("GET c/0 bytes=8-11 no-store", respond(416, b"", &[HTML, "Content-Range: bytes */41"]))
        .then("GET c/0 bytes=0-511 no-store", beginning())
        .then("GET zarr.json reload", respond(200, b"{}", &[]));
    assert_eq!(scene.window(8, 4).unwrap(), None);
    scene
        .then("HEAD c/0", respond(200, b"", &[HTML, "Content-Length: 41"]))
        .then("GET c/0 bytes=0-511", beginning());
    assert_eq!(scene.suffix(4).unwrap(), None);
}

#[test]
fn a_server_that_labels_all_files_as_html_costs_one_more_request() {
    let scene = opened();
    let part = || respond(206, b"4567", &[HTML, "Content-Range: bytes 4-7/10"]);
    scene
        .then("GET c/0 bytes=4-7", part())
        .then("GET c/0 bytes=0-511", respond(206, b"0123456789", &[HTML, "Content-Range: bytes 0-9/10"]))
        .then("GET c/0 bytes=4-7", part());
    assert_eq!(scene.window(4, 4).unwrap().unwrap(), b"4567");
    scene.then("GET c/0 bytes=4-7", part());
    assert_eq!(scene.window(4, 4).unwrap().unwrap(), b"4567");
}
