//! The files of a repository that never change, by their ids. Each is read once, also for callers
//! that want it at the same time. Manifests are kept as long as there is room for them.

use std::cell::RefCell;
use std::rc::Rc;

use super::session::Session;
use crate::error::{Error, Result};
use crate::format::icechunk::manifest::Manifest;
use crate::format::icechunk::object_id::ObjectId;
use crate::format::path::StoreKey;
use crate::limits;
use crate::store::in_flight::{Begun, InFlight};
use crate::store::{ByteRange, LocalFuture, Priority, RequestContext, Store, Subject, writers};

/// The most bytes of manifests that are kept, but for one of any size.
const KEPT_BYTES: usize = 128 << 20;

/// The files of a repository.
pub struct Objects {
    /// The store that has them.
    pub inner: Rc<dyn Store>,
    pub(super) session: Shared<Session>,
    manifests: InFlight<String, Result<Rc<Manifest>>>,
    /// The one that was used last comes last.
    kept: RefCell<Vec<(ObjectId, Rc<Manifest>)>>,
}

/// A value that is made once, however many callers ask for it.
pub struct Shared<T> {
    known: Rc<RefCell<Option<Rc<T>>>>,
    in_flight: InFlight<String, Result<Rc<T>>>,
}

impl<T> Default for Shared<T> {
    fn default() -> Self {
        Self { known: Rc::default(), in_flight: InFlight::default() }
    }
}

impl<T: 'static> Shared<T> {
    /// The value, which `make` makes if it is not known.
    pub async fn get(
        &self,
        context: &RequestContext,
        make: impl FnOnce() -> LocalFuture<'static, Result<T>>,
    ) -> Result<Rc<T>> {
        if let Some(known) = self.known.borrow().clone() {
            return Ok(known);
        }
        let known = self.known.clone();
        let work = || -> LocalFuture<'static, Result<Rc<T>>> {
            let making = make();
            Box::pin(async move {
                let made = Rc::new(making.await?);
                *known.borrow_mut() = Some(made.clone());
                Ok(made)
            })
        };
        shared(&self.in_flight, String::new(), context, work).await
    }
}

/// Joins the work for a key, or begins it.
async fn shared<T: Clone + 'static>(
    in_flight: &InFlight<String, Result<T>>,
    key: String,
    context: &RequestContext,
    work: impl FnOnce() -> LocalFuture<'static, Result<T>>,
) -> Result<T> {
    let joined = in_flight.join(&key, |begun, ()| {
        begun.priority.raise(context.priority.value());
        true
    });
    let future = match joined {
        Some((future, ())) => future,
        None => {
            let priority = context.priority.clone();
            in_flight.begin(key, Begun { moment: writers::now(), priority }, (), work())
        }
    };
    future.await
}

/// The circumstances of a request that several callers may share.
pub fn shared_context(context: &RequestContext) -> RequestContext {
    let priority = Priority::new(context.priority.value());
    RequestContext { subject: Subject::Metadata, priority, ..RequestContext::default() }
}

/// The key of a file.
///
/// # Errors
/// None: ids have letters and digits alone.
pub fn key(folder: &str, id: ObjectId) -> Result<StoreKey> {
    StoreKey::parse(&format!("{folder}/{id}"))
}

/// The error for a file that another one refers to.
pub fn missing(what: &str, key: &StoreKey, store: &Rc<dyn Store>) -> Error {
    Error::store(format!(
        "{what} is missing that the Icechunk repository at {} refers to: it may have expired since, then open the repository again",
        store.describe()
    ))
    .at_key(key.as_str())
}

/// The bytes of a file, if it is there.
///
/// # Errors
/// Errors of the store; `Limit` for a file that is too large.
pub async fn bytes(
    store: &Rc<dyn Store>,
    key: &StoreKey,
    context: &RequestContext,
) -> Result<Option<Vec<u8>>> {
    let fetched =
        store.get(key, ByteRange::Whole, context).await.map_err(|error| error.at_key(key.as_str()))?;
    fetched.map(|fetched| fetched.value.to_vec(limits::METADATA_BYTES, "a file of Icechunk")).transpose()
}

impl Objects {
    /// The files in a store.
    pub fn new(inner: Rc<dyn Store>) -> Self {
        Self { inner, session: Shared::default(), manifests: InFlight::default(), kept: RefCell::default() }
    }

    /// A manifest.
    ///
    /// # Errors
    /// `Store` if it is missing; errors of the store; `Format` for a damaged file.
    pub async fn manifest(&self, id: ObjectId, context: &RequestContext) -> Result<Rc<Manifest>> {
        if let Some(manifest) = self.kept(id) {
            return Ok(manifest);
        }
        let work = || -> LocalFuture<'static, Result<Rc<Manifest>>> {
            let (inner, context) = (self.inner.clone(), shared_context(context));
            Box::pin(async move {
                let key = key("manifests", id)?;
                let file = bytes(&inner, &key, &context).await?;
                let file = file.ok_or_else(|| missing("a manifest", &key, &inner))?;
                Ok(Rc::new(Manifest::parse(&file).map_err(|error| error.at_key(key.as_str()))?))
            })
        };
        let manifest = shared(&self.manifests, id.to_string(), context, work).await?;
        self.keep(id, &manifest);
        Ok(manifest)
    }

    fn kept(&self, id: ObjectId) -> Option<Rc<Manifest>> {
        let mut kept = self.kept.borrow_mut();
        let at = kept.iter().position(|(known, _)| *known == id)?;
        let used = kept.remove(at);
        let manifest = used.1.clone();
        kept.push(used);
        Some(manifest)
    }

    fn keep(&self, id: ObjectId, manifest: &Rc<Manifest>) {
        if self.kept(id).is_some() {
            return;
        }
        let mut kept = self.kept.borrow_mut();
        kept.push((id, manifest.clone()));
        let bytes = |kept: &[(ObjectId, Rc<Manifest>)]| {
            kept.iter().fold(0_usize, |bytes, (_, manifest)| bytes.saturating_add(manifest.size()))
        };
        while kept.len() > 1 && bytes(&kept) > KEPT_BYTES {
            kept.remove(0);
        }
    }
}
