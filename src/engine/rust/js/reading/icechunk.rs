//! Icechunk repositories as stores.

use std::rc::Rc;

use js_sys::Function;
use serde::Deserialize;
use wasm_bindgen::prelude::*;
use zarr_wasm_icechunk::{ObjectId, RefKind};

use super::definition_of;
use crate::error::Result;
use crate::js::error::Exported;
use crate::js::objects;
use crate::js::store::{self, HttpStoreOptions};
use crate::store::icechunk::session::Version;
use crate::store::icechunk::{IcechunkStore, OpenFile, Permission, VirtualChunks};

/// Which state of a repository is shown, and what its opener allows.
#[derive(Deserialize)]
struct RepositoryDefinition {
    /// The store that the repository is in.
    store: u32,
    kind: RefKindName,
    name: String,
    /// The snapshot that was found before.
    at: Option<String>,
    /// Beginnings of locations of virtual chunks.
    prefixes: Vec<String>,
    verify: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum RefKindName {
    Branch,
    Tag,
    Snapshot,
}

/// A listener for a text.
fn telling(listener: Function) -> Rc<dyn Fn(&str)> {
    Rc::new(move |text| {
        // A listener that throws must not end the read.
        let _ = listener.call1(&JsValue::UNDEFINED, &text.into());
    })
}

fn version(kind: &RefKindName, name: String) -> Result<Version> {
    Ok(match kind {
        RefKindName::Branch => Version::Named(RefKind::Branch, name),
        RefKindName::Tag => Version::Named(RefKind::Tag, name),
        RefKindName::Snapshot => Version::Snapshot(ObjectId::parse(&name)?),
    })
}

/// Creates a store of the repository in a store. `allow` allows the server of a URL, `on_found`
/// receives the id of the snapshot that was found, and `http` are the options of requests for
/// virtual chunks. Throws a failure.
#[wasm_bindgen(js_name = icechunkStore)]
pub fn icechunk_store(
    id: u32,
    definition: JsValue,
    allow: Function,
    on_found: Function,
    http: HttpStoreOptions,
) -> Exported<()> {
    let RepositoryDefinition { store: inner, kind, name, at, prefixes, verify } = definition_of(definition)?;
    let open: OpenFile = Rc::new(move |url| store::http(url, &http));
    let permission = Permission { prefixes, allow: telling(allow), verifies: verify };
    let at = at.map(|id| ObjectId::parse(&id)).transpose()?;
    let chunks = VirtualChunks::new(open, permission);
    let store = IcechunkStore::new(objects::store(inner)?, version(&kind, name)?, chunks)
        .starting_at(at, telling(on_found));
    objects::keep_store(id, Rc::new(store));
    Ok(())
}
