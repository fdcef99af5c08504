//! Which snapshot of a repository a store shows.
//!
//! Version 2 of the format has one file that changes, `repo`. Version 1 has a file for each branch
//! and tag instead. A repository that was migrated may still have these, so `repo` is asked first.
//! Both are asked past all caches.

use std::cell::OnceCell;
use std::rc::Rc;

use zarr_wasm_icechunk::{Containers, ObjectId, RefKind, Repo, Snapshot};

use super::objects::{bytes, missing};
use crate::error::{Error, Result};
use crate::format::json::Document;
use crate::store::{RequestContext, Store};

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
    pub async fn repo(&self, inner: &Rc<dyn Store>, context: &RequestContext) -> Result<Option<&Repo>> {
        if self.repo.get().is_none() {
            let found = permitted(repo(inner, context).await)?;
            let _ = self.repo.set(found);
        }
        Ok(self.repo.get().and_then(Option::as_ref))
    }

    /// Where virtual chunks are.
    ///
    /// # Errors
    /// Errors of the store; `Format` for a damaged file.
    pub async fn containers(&self, inner: &Rc<dyn Store>, context: &RequestContext) -> Result<&Containers> {
        if self.containers.get().is_none() {
            let containers = match self.repo(inner, context).await? {
                Some(repo) => repo.containers()?,
                None => of_version_1(inner, context).await?,
            };
            let _ = self.containers.set(containers);
        }
        self.containers.get().ok_or_else(|| Error::store("internal error: no containers"))
    }
}

/// Looks up the session of a version.
pub(super) async fn open(
    inner: &Rc<dyn Store>,
    version: &Version,
    context: &RequestContext,
) -> Result<Session> {
    let mut missed = None;
    loop {
        let (id, repo) = find(inner, version, context).await?;
        let key = format!("snapshots/{id}");
        if let Some(file) = bytes(inner, &key, context, false).await? {
            let snapshot = Snapshot::parse(&file).map_err(|error| error.at_key(key))?;
            let repo = repo.map_or_else(OnceCell::new, OnceCell::from);
            return Ok(Session { id, snapshot, repo, containers: OnceCell::new() });
        }
        let error = match version {
            Version::Snapshot(_) => unnamed("snapshot", &id.to_string(), inner).at_key(key),
            // Others may have let it expire since `repo` was read.
            Version::Named(..) if missed != Some(id) => {
                missed = Some(id);
                continue;
            }
            Version::Named(..) => missing("a snapshot", &key, inner),
        };
        return Err(error);
    }
}

/// The snapshot of a version as it is now, and `repo` if it was looked for.
async fn find(
    inner: &Rc<dyn Store>,
    version: &Version,
    context: &RequestContext,
) -> Result<(ObjectId, Option<Option<Repo>>)> {
    let (kind, name) = match version {
        Version::Snapshot(id) => return Ok((*id, None)),
        Version::Named(kind, name) => (*kind, name),
    };
    let (repo, refusal) = match repo(inner, context).await {
        Err(error) if is_refusal(&error) => (None, Some(error)),
        found => (found?, None),
    };
    let id = match &repo {
        Some(repo) => repo.find(kind, name)?,
        None => of_file(inner, kind, name, context).await?,
    };
    let kind = if kind == RefKind::Branch { "branch" } else { "tag" };
    Ok((id.ok_or_else(|| refusal.unwrap_or_else(|| unnamed(kind, name, inner)))?, Some(repo)))
}

/// Whether a server answered 403. A bucket that may not be listed says so of files that are absent,
/// and version 1 lacks some.
fn is_refusal(error: &Error) -> bool {
    error.context().actual.as_deref() == Some("status 403")
}

/// What a server has permitted to read of files that may be absent.
pub(super) fn permitted<T>(found: Result<Option<T>>) -> Result<Option<T>> {
    match found {
        Err(error) if is_refusal(&error) => Ok(None),
        found => found,
    }
}

/// The containers of a repository of version 1.
async fn of_version_1(inner: &Rc<dyn Store>, context: &RequestContext) -> Result<Containers> {
    const CONFIG: &str = "config.yaml";
    match permitted(bytes(inner, CONFIG, context, true).await)? {
        Some(config) => Containers::read_yaml(&config).map_err(|error| error.at_key(CONFIG)),
        None => Ok(Containers::default()),
    }
}

/// The snapshot that a branch or tag has now; `None` if the version is a snapshot.
pub(super) async fn newest(
    inner: &Rc<dyn Store>,
    version: &Version,
    context: &RequestContext,
) -> Result<Option<ObjectId>> {
    match version {
        Version::Snapshot(_) => Ok(None),
        named @ Version::Named(..) => Ok(Some(find(inner, named, context).await?.0)),
    }
}

/// The error for a branch, a tag or a snapshot that the repository does not have.
fn unnamed(kind: &str, name: &str, inner: &Rc<dyn Store>) -> Error {
    Error::not_found(format!("an Icechunk repository with the {kind} \"{name}\" at {}", inner.describe()))
}

/// `repo`, if it is there.
///
/// # Errors
/// Errors of the store; `Format` for a damaged file.
pub(super) async fn repo(inner: &Rc<dyn Store>, context: &RequestContext) -> Result<Option<Repo>> {
    match bytes(inner, "repo", context, true).await? {
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
    let key = format!("refs/{folder}.{name}/ref.json");
    let Some(file) = bytes(inner, &key, context, true).await? else { return Ok(None) };
    let is_deleted = kind == RefKind::Tag
        && permitted(bytes(inner, &format!("{key}.deleted"), context, true).await)?.is_some();
    if is_deleted { Ok(None) } else { id_in(&file).map(Some).map_err(|error| error.at_key(key)) }
}

/// The id in the file of a name.
fn id_in(file: &[u8]) -> Result<ObjectId> {
    let document = Document::parse(file)?;
    let object = document.root().object()?;
    let id =
        object.get("snapshot").ok_or_else(|| Error::format("a reference of Icechunk has no snapshot"))?;
    ObjectId::parse(&id.str()?).map_err(Error::into_format)
}
