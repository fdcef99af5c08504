//! Which snapshot of a repository a store shows.
//!
//! Version 2 of the format has one file that changes, `repo`. Version 1 has a file for each branch
//! and tag instead. A repository that was migrated may still have these, so `repo` is asked first.
//! Both are asked past all caches.

use std::cell::OnceCell;
use std::rc::Rc;

use super::objects::{Objects, bytes, key, missing};
use crate::error::{Error, Result};
use crate::format::icechunk::container::Containers;
use crate::format::icechunk::object_id::ObjectId;
use crate::format::icechunk::repo::{RefKind, Repo};
use crate::format::icechunk::snapshot::Snapshot;
use crate::format::json::Document;
use crate::format::path::StoreKey;
use crate::store::{LocalFuture, RequestContext, Store};

/// The state of a repository that a caller names.
#[derive(Clone, Debug)]
pub enum Version {
    /// The last snapshot of a branch, or the one of a tag.
    Named(RefKind, String),
    /// A snapshot.
    Snapshot(ObjectId),
}

/// One state of a repository.
pub struct Session {
    /// The id of the snapshot.
    pub id: ObjectId,
    /// The nodes.
    pub snapshot: Snapshot,
    /// `repo`, once it was looked for.
    repo: OnceCell<Option<Repo>>,
    containers: OnceCell<Containers>,
}

impl Session {
    /// `repo`, which is read now if a snapshot was named by its id.
    ///
    /// # Errors
    /// Errors of the store; `Format` for a damaged file.
    pub async fn repo(&self, objects: &Objects, context: &RequestContext) -> Result<Option<&Repo>> {
        if self.repo.get().is_none() {
            let late = repo(&objects.inner, context).await?;
            let _ = self.repo.set(late);
        }
        Ok(self.repo.get().and_then(Option::as_ref))
    }

    /// Where virtual chunks are.
    ///
    /// # Errors
    /// Errors of the store; `Format` for a damaged file.
    pub async fn containers(&self, objects: &Objects, context: &RequestContext) -> Result<&Containers> {
        if self.containers.get().is_none() {
            let containers = match self.repo(objects, context).await? {
                Some(repo) => repo.containers()?,
                None => Containers::default(),
            };
            let _ = self.containers.set(containers);
        }
        self.containers.get().ok_or_else(|| Error::store("internal error: no containers"))
    }
}

/// The session of a version, which is looked up once. `on_found` is told the snapshot then.
pub(super) fn of<'a>(
    objects: &'a Objects,
    version: Version,
    on_found: Option<&'a Rc<dyn Fn(&str)>>,
    context: &'a RequestContext,
) -> LocalFuture<'a, Result<Rc<Session>>> {
    Box::pin(async move {
        if let Some(session) = objects.session.borrow().clone() {
            return Ok(session);
        }
        let session = open(&objects.inner, &version, context).await?;
        // Another caller may have found one since: all callers see the same.
        let mut known = objects.session.borrow_mut();
        if let Some(known) = &*known {
            return Ok(known.clone());
        }
        if let Some(on_found) = on_found {
            on_found(&session.id.to_string());
        }
        Ok(known.insert(Rc::new(session)).clone())
    })
}

async fn open(inner: &Rc<dyn Store>, version: &Version, context: &RequestContext) -> Result<Session> {
    let Found { mut id, mut repo } = find(inner, version, context).await?;
    let mut file = snapshot(inner, id, context).await?;
    if file.is_none() && matches!(version, Version::Named(..)) {
        // Others may have let it expire since.
        let again = find(inner, version, context).await?;
        if again.id != id {
            (id, repo) = (again.id, again.repo);
            file = snapshot(inner, id, context).await?;
        }
    }
    let key = key("snapshots", id)?;
    let file = file.ok_or_else(|| missing("a snapshot", &key, inner))?;
    let snapshot = Snapshot::parse(&file).map_err(|error| error.at_key(key.as_str()))?;
    let repo = repo.map_or_else(OnceCell::new, OnceCell::from);
    Ok(Session { id, snapshot, repo, containers: OnceCell::new() })
}

/// The file of a snapshot, if it is there.
pub(super) async fn snapshot(
    inner: &Rc<dyn Store>,
    id: ObjectId,
    context: &RequestContext,
) -> Result<Option<Vec<u8>>> {
    bytes(inner, &key("snapshots", id)?, context, false).await
}

/// A snapshot's id, and `repo` if it was looked for.
struct Found {
    id: ObjectId,
    repo: Option<Option<Repo>>,
}

/// The snapshot of a version as it is now.
fn find<'a>(
    inner: &'a Rc<dyn Store>,
    version: &'a Version,
    context: &'a RequestContext,
) -> LocalFuture<'a, Result<Found>> {
    Box::pin(async move {
        let (kind, name) = match version {
            Version::Snapshot(id) => return Ok(Found { id: *id, repo: None }),
            Version::Named(kind, name) => (*kind, name),
        };
        let repo = repo(inner, context).await?;
        let id = match &repo {
            Some(repo) => repo.find(kind, name)?,
            None => of_file(inner, kind, name, context).await?,
        };
        Ok(Found { id: id.ok_or_else(|| unnamed(kind, name, inner))?, repo: Some(repo) })
    })
}

/// The id of the snapshot that a version leads to now.
#[cfg(feature = "full")]
pub(super) async fn newest(inner: &Rc<dyn Store>, version: &Version) -> Result<ObjectId> {
    Ok(find(inner, version, &RequestContext::default()).await?.id)
}

fn unnamed(kind: RefKind, name: &str, inner: &Rc<dyn Store>) -> Error {
    let kind = if kind == RefKind::Branch { "branch" } else { "tag" };
    Error::not_found(format!("an Icechunk repository with the {kind} \"{name}\" at {}", inner.describe()))
}

/// `repo`, if it is there.
///
/// # Errors
/// Errors of the store; `Format` for a damaged file.
pub(super) async fn repo(inner: &Rc<dyn Store>, context: &RequestContext) -> Result<Option<Repo>> {
    match bytes(inner, &StoreKey::parse("repo")?, context, true).await? {
        Some(file) => Repo::parse(&file).map(Some).map_err(|error| error.at_key("repo")),
        None => Ok(None),
    }
}

/// The snapshot of a name in version 1. A tag that was deleted keeps its file, beside another one.
pub(super) async fn of_file(
    inner: &Rc<dyn Store>,
    kind: RefKind,
    name: &str,
    context: &RequestContext,
) -> Result<Option<ObjectId>> {
    let folder = if kind == RefKind::Branch { "branch" } else { "tag" };
    let key = StoreKey::parse(&format!("refs/{folder}.{name}/ref.json"))?;
    let Some(file) = bytes(inner, &key, context, true).await? else { return Ok(None) };
    if kind == RefKind::Tag {
        let deleted = StoreKey::parse(&format!("{}.deleted", key.as_str()))?;
        if bytes(inner, &deleted, context, true).await?.is_some() {
            return Ok(None);
        }
    }
    id_in(&file).map(Some).map_err(|error| error.at_key(key.as_str()))
}

/// The id in the file of a name.
fn id_in(file: &[u8]) -> Result<ObjectId> {
    let document = Document::parse(file)?;
    let object = document.root().object()?;
    let id =
        object.get("snapshot").ok_or_else(|| Error::format("a reference of Icechunk has no snapshot"))?;
    ObjectId::parse(&id.str()?).map_err(Error::into_format)
}
