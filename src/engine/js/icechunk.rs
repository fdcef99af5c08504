//! Icechunk repositories as stores, and what they say of themselves.

use std::rc::Rc;

use js_sys::Function;
use wasm_bindgen::prelude::*;

use super::error::Exported;
use super::fetch::FetchTransport;
use super::store::{HttpStoreOptions, http_options, origins};
use super::{registry, task};
use crate::error::{Error, Result};
use crate::format::icechunk::object_id::ObjectId;
use crate::format::icechunk::repo::RefKind;
use crate::store::icechunk::session::Version;
use crate::store::icechunk::{IcechunkStore, Permission, Question, VirtualChunks};
use crate::store::remote_files::RemoteFiles;

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
    #[wasm_bindgen(method, getter)]
    fn prefixes(this: &RepositoryOptions) -> Vec<String>;
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
pub fn icechunk_store(inner: u32, options: &RepositoryOptions, http: &HttpStoreOptions) -> Exported<u32> {
    let (transport, http) = http_options(http);
    let files: RemoteFiles<FetchTransport> = RemoteFiles::new(Rc::new(transport), http, origins());
    let permission = Permission {
        prefixes: options.prefixes(),
        allow: telling(options.allow()),
        verifies: options.verify(),
    };
    let at = options.at().map(|id| ObjectId::parse(&id)).transpose()?;
    let store =
        IcechunkStore::new(registry::store(inner)?, version(options)?, VirtualChunks::new(files, permission))
            .starting_at(at, telling(options.on_found()));
    Ok(registry::add_store(Rc::new(store)))
}

/// Asks a repository about itself. The answer is JSON text, or an id.
#[wasm_bindgen(js_name = askRepository)]
pub fn ask_repository(store: u32, question: String, settle: Function) -> u32 {
    task::start(settle, async move {
        let store = registry::store(store)?;
        let repository = store.repository().ok_or_else(|| Error::argument("not an Icechunk repository"))?;
        let question = match question.as_str() {
            "snapshot" => Question::Snapshot,
            "newest" => Question::Newest,
            "branches" => Question::Names(RefKind::Branch),
            "tags" => Question::Names(RefKind::Tag),
            _ => Question::History,
        };
        Ok(repository.ask(question).await?.into())
    })
}
