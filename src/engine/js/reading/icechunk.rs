//! Icechunk repositories as stores.

use std::rc::Rc;

use js_sys::Function;
use wasm_bindgen::prelude::*;

use crate::error::Result;
use crate::format::icechunk::object_id::ObjectId;
use crate::format::icechunk::repo::RefKind;
use crate::js::error::Exported;
use crate::js::registry;
use crate::js::store::{self, HttpStoreOptions};
use crate::store::icechunk::session::Version;
use crate::store::icechunk::{IcechunkStore, OpenFile, Permission, VirtualChunks};

#[wasm_bindgen]
extern "C" {
    /// Which state of a repository is shown, and what its opener allows. `stores.ts` sets every
    /// member.
    pub type RepositoryOptions;

    /// `"branch"`, `"tag"` or `"snapshot"`.
    #[wasm_bindgen(method, getter)]
    fn kind(this: &RepositoryOptions) -> String;
    #[wasm_bindgen(method, getter)]
    fn name(this: &RepositoryOptions) -> String;
    /// The snapshot that was found before.
    #[wasm_bindgen(method, getter)]
    fn at(this: &RepositoryOptions) -> Option<String>;
    /// Beginnings of locations, one a line.
    #[wasm_bindgen(method, getter)]
    fn prefixes(this: &RepositoryOptions) -> String;
    #[wasm_bindgen(method, getter)]
    fn verify(this: &RepositoryOptions) -> bool;
    /// Allows the server of a URL.
    #[wasm_bindgen(method, getter)]
    fn allow(this: &RepositoryOptions) -> Function;
    /// Is told the snapshot that was found.
    #[wasm_bindgen(method, getter, js_name = onFound)]
    fn on_found(this: &RepositoryOptions) -> Function;
}

/// A listener for a text.
fn telling(listener: Function) -> Rc<dyn Fn(&str)> {
    Rc::new(move |text| {
        // A listener that throws must not end the read.
        let _ = listener.call1(&JsValue::UNDEFINED, &text.into());
    })
}

fn version(options: &RepositoryOptions) -> Result<Version> {
    Ok(match options.kind().as_str() {
        "tag" => Version::Named(RefKind::Tag, options.name()),
        "snapshot" => Version::Snapshot(ObjectId::parse(&options.name())?),
        _ => Version::Named(RefKind::Branch, options.name()),
    })
}

/// Creates a store of the repository in a store. `http` are the options of requests for virtual
/// chunks. Throws a report.
#[wasm_bindgen(js_name = icechunkStore)]
pub fn icechunk_store(inner: u32, options: &RepositoryOptions, http: HttpStoreOptions) -> Exported<u32> {
    let open: OpenFile = Rc::new(move |url| store::http(url, &http));
    let permission = Permission {
        prefixes: options.prefixes().lines().map(str::to_owned).collect(),
        allow: telling(options.allow()),
        verifies: options.verify(),
    };
    let at = options.at().map(|id| ObjectId::parse(&id)).transpose()?;
    let store =
        IcechunkStore::new(registry::store(inner)?, version(options)?, VirtualChunks::new(open, permission))
            .starting_at(at, telling(options.on_found()));
    Ok(registry::add_store(Rc::new(store)))
}
