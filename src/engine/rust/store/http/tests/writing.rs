//! PUT and DELETE: which statuses mean success, what is retried, and the errors.

use futures_executor::block_on;
use zarr_wasm_http::Value;

use super::script::{Scene, respond, unreachable};
use crate::error::{ErrorKind, Result};
use crate::format::path::StoreKey;
use crate::store::Writable;

const PUT: &str = "PUT c/0 no-store [3 bytes]";
const DELETE: &str = "DELETE c/0 no-store";

fn put(scene: &Scene) -> Result<()> {
    let key = StoreKey::parse("c/0").unwrap();
    scene.finish(block_on(scene.store.set(&key, Value::from(vec![1, 2, 3]))))
}

fn delete(scene: &Scene) -> Result<()> {
    let key = StoreKey::parse("c/0").unwrap();
    scene.finish(block_on(scene.store.erase(&key)))
}

#[test]
fn every_success_status_is_accepted() {
    for status in [200, 201, 202, 204] {
        put(Scene::new().then(PUT, respond(status, b"", &[]))).unwrap();
    }
    for status in [200, 202, 204, 404, 410] {
        delete(Scene::new().then(DELETE, respond(status, b"", &[]))).unwrap();
    }
}

#[test]
fn temporary_failures_of_writes_are_retried() {
    let scene = Scene::new();
    scene.then(PUT, unreachable());
    scene.then(PUT, respond(503, b"", &["retry-after: 1"]));
    scene.then(PUT, respond(201, b"", &[]));
    put(&scene).unwrap();
    assert_eq!(*scene.script.slept.borrow(), [225, 1450]);
}

#[test]
fn permanent_failures_of_writes_are_errors() {
    for (status, kind) in [
        (301, ErrorKind::Store),
        (400, ErrorKind::Store),
        (401, ErrorKind::Store),
        (403, ErrorKind::Store),
        (405, ErrorKind::Unsupported),
        (409, ErrorKind::Store),
        (412, ErrorKind::Store),
        (501, ErrorKind::Unsupported),
        (507, ErrorKind::Store),
    ] {
        let error = put(Scene::new().then(PUT, respond(status, b"", &[]))).unwrap_err();
        assert_eq!((error.kind(), error.context().key.as_deref()), (kind, Some("c/0")), "{status}");
        assert!(error.message().contains(&status.to_string()), "{error}");
        assert!(delete(Scene::new().then(DELETE, respond(status, b"", &[]))).is_err());
    }
    let scene = Scene::new();
    for _ in 0..4 {
        scene.then(DELETE, respond(500, b"", &[]));
    }
    assert_eq!(delete(&scene).unwrap_err().kind(), ErrorKind::Store);
}
