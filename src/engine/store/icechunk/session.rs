//! Which snapshot of a repository a store shows.
//!
//! Version 2 of the format has one file that changes, `repo`. Version 1 has a file for each branch
//! and tag instead. A repository that was migrated may still have these, so `repo` is asked first.
//! Both are asked past all caches.

use std::cell::OnceCell;
use std::rc::Rc;

use super::objects::{Objects, bytes, key, missing, shared_context};
use crate::error::{Error, Result};
use crate::format::icechunk::container::Containers;
use crate::format::icechunk::object_id::ObjectId;
use crate::format::icechunk::repo::{RefKind, Repo};
use crate::format::icechunk::snapshot::Snapshot;
use crate::format::json;
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
            let late = repo(&objects.inner, &shared_context(context)).await?;
            self.repo.get_or_init(|| late);
        }
        Ok(self.repo.get().and_then(Option::as_ref))
    }

    /// Where virtual chunks are.
    ///
    /// # Errors
    /// Errors of the store; `Format` for a damaged file.
    pub async fn containers(&self, objects: &Objects, context: &RequestContext) -> Result<&Containers> {
        if let Some(containers) = self.containers.get() {
            return Ok(containers);
        }
        let containers = self.repo(objects, context).await?.map(Repo::containers).transpose()?;
        Ok(self.containers.get_or_init(|| containers.unwrap_or_default()))
    }
}

/// The session of a version, which is looked up once. `on_found` is told the snapshot then.
pub(super) async fn of(
    objects: &Objects,
    version: &Version,
    on_found: Option<Rc<dyn Fn(&str)>>,
    context: &RequestContext,
) -> Result<Rc<Session>> {
    let make = || -> LocalFuture<'static, Result<Session>> {
        let (inner, version, context) = (objects.inner.clone(), version.clone(), shared_context(context));
        Box::pin(async move {
            let session = open(&inner, &version, &context).await?;
            if let Some(on_found) = on_found {
                on_found(&session.id.to_string());
            }
            Ok(session)
        })
    };
    objects.session.get(context, make).await
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
    bytes(inner, &key("snapshots", id)?, context).await
}

/// A snapshot's id, and `repo` if it was looked for.
struct Found {
    id: ObjectId,
    repo: Option<Option<Repo>>,
}

/// The snapshot of a version as it is now.
async fn find(inner: &Rc<dyn Store>, version: &Version, context: &RequestContext) -> Result<Found> {
    let (kind, name) = match version {
        Version::Snapshot(id) => return Ok(Found { id: *id, repo: None }),
        Version::Named(kind, name) => (*kind, name),
    };
    if let Some(repo) = repo(inner, context).await? {
        let found = repo.find(kind, name)?;
        return Ok(Found { id: found.ok_or_else(|| unnamed(kind, name, inner))?, repo: Some(Some(repo)) });
    }
    let id = of_file(inner, kind, name, context).await?;
    Ok(Found { id: id.ok_or_else(|| unnamed(kind, name, inner))?, repo: Some(None) })
}

/// The id of the snapshot that a version leads to now.
///
/// # Errors
/// Errors of [`IcechunkStore::session`](super::IcechunkStore::session).
pub async fn newest(inner: &Rc<dyn Store>, version: &Version) -> Result<ObjectId> {
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
    let context = RequestContext { reload: true, ..context.clone() };
    let file = bytes(inner, &StoreKey::parse("repo")?, &context).await?;
    file.map(|file| Repo::parse(&file).map_err(|error| error.at_key("repo"))).transpose()
}

/// The snapshot of a name in version 1. A tag that was deleted keeps its file, beside another one.
pub(super) async fn of_file(
    inner: &Rc<dyn Store>,
    kind: RefKind,
    name: &str,
    context: &RequestContext,
) -> Result<Option<ObjectId>> {
    let context = RequestContext { reload: true, ..context.clone() };
    let folder = if kind == RefKind::Branch { "branch" } else { "tag" };
    let key = StoreKey::parse(&format!("refs/{folder}.{name}/ref.json"))?;
    let Some(file) = bytes(inner, &key, &context).await? else { return Ok(None) };
    if kind == RefKind::Tag {
        let deleted = StoreKey::parse(&format!("{}.deleted", key.as_str()))?;
        if bytes(inner, &deleted, &context).await?.is_some() {
            return Ok(None);
        }
    }
    let read = || {
        let text =
            String::from_utf8(file).map_err(|_| Error::format("a reference of Icechunk is not UTF-8"))?;
        let id =
            json::read(&text, |json| json.object()?.require("snapshot", |id| Ok(id.str()?.into_owned())))?;
        ObjectId::parse(&id).map_err(Error::into_format)
    };
    read().map(Some).map_err(|error| error.at_key(key.as_str()))
}
