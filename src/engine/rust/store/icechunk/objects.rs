//! The files of a repository that never change, by their ids. Stores share requests in flight, so
//! each is requested once. Manifests are kept as long as there is room for them.

use std::cell::RefCell;
use std::rc::Rc;

use zarr_wasm_http::Subject;
use zarr_wasm_icechunk::{Manifest, ObjectId};

use crate::error::{Error, Result};
use crate::format::path::StoreKey;
use crate::limits;
use crate::store::{ByteRange, LocalFuture, Priority, RequestContext, Store};

/// The most bytes of manifests that are kept, but for one of any size.
const KEPT_BYTES: usize = 128 << 20;
/// The most manifests that are kept.
const KEPT: usize = 1 << 10;

/// The files of a repository.
pub struct Objects {
    /// The store that has them.
    pub inner: Rc<dyn Store>,
    /// The one that was used last comes last.
    manifests: RefCell<Vec<(ObjectId, Rc<Manifest>)>>,
}

/// The circumstances of a request that callers share: without the signal of one of them.
fn shared_context(context: &RequestContext) -> RequestContext {
    let priority = Priority::new(context.priority.value());
    RequestContext { subject: Subject::Metadata, priority, ..RequestContext::default() }
}

/// The error for a file that another one refers to.
pub fn missing(what: &str, key: &str, store: &Rc<dyn Store>) -> Error {
    Error::store(format!(
        "{what} is missing that the Icechunk repository at {} refers to: it may have expired since, then open the repository again",
        store.describe()
    ))
    .at_key(key)
}

/// The bytes of a file, if it is there. With `reload`, caches are passed.
pub fn bytes<'a>(
    store: &'a Rc<dyn Store>,
    key: &str,
    context: &RequestContext,
    reload: bool,
) -> LocalFuture<'a, Result<Option<Vec<u8>>>> {
    let context = RequestContext { reload, ..shared_context(context) };
    let key = StoreKey::parse(key);
    Box::pin(async move {
        match store.get(&key?, ByteRange::Whole, &context).await? {
            Some(fetched) => fetched.value.to_vec(limits::METADATA_BYTES, "a file of Icechunk").map(Some),
            None => Ok(None),
        }
    })
}

/// The key of a manifest.
pub fn manifest_key(id: ObjectId) -> String {
    format!("manifests/{id}")
}

impl Objects {
    /// The files in a store.
    pub fn new(inner: Rc<dyn Store>) -> Self {
        Self { inner, manifests: RefCell::default() }
    }

    /// A manifest, if it is there. With `reload`, caches are passed.
    pub fn manifest<'a>(
        &'a self,
        id: ObjectId,
        context: &'a RequestContext,
        reload: bool,
    ) -> LocalFuture<'a, Result<Option<Rc<Manifest>>>> {
        Box::pin(async move {
            if let Some(manifest) = self.kept(id) {
                return Ok(Some(manifest));
            }
            let key = manifest_key(id);
            let Some(file) = bytes(&self.inner, &key, context, reload).await? else { return Ok(None) };
            // Another caller may have parsed it since.
            if let Some(manifest) = self.kept(id) {
                return Ok(Some(manifest));
            }
            let manifest = Rc::new(Manifest::parse(&file).map_err(|error| error.at_key(key))?);
            self.keep(id, &manifest);
            Ok(Some(manifest))
        })
    }

    fn kept(&self, id: ObjectId) -> Option<Rc<Manifest>> {
        let mut kept = self.manifests.borrow_mut();
        let at = kept.iter().rposition(|(known, _)| *known == id)?;
        let used = kept.remove(at);
        let manifest = used.1.clone();
        kept.push(used);
        Some(manifest)
    }

    fn keep(&self, id: ObjectId, manifest: &Rc<Manifest>) {
        let mut kept = self.manifests.borrow_mut();
        kept.push((id, manifest.clone()));
        let mut bytes = 0_usize;
        for (_, manifest) in kept.iter() {
            bytes = bytes.saturating_add(manifest.size());
        }
        while (bytes > KEPT_BYTES || kept.len() > KEPT) && kept.len() > 1 {
            bytes = bytes.saturating_sub(kept.remove(0).1.size());
        }
    }
}
