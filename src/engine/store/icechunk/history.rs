//! What a repository says of itself: branches, tags, and the snapshots before one.

use super::IcechunkStore;
use super::objects::bytes;
use super::session::{self, of_file};
use crate::error::{Error, Result};
use crate::format::icechunk::object_id::ObjectId;
use crate::format::icechunk::repo::{RefKind, Repo, SnapshotInfo, metadata_json};
use crate::format::icechunk::snapshot::Snapshot;
use crate::format::json::text::{self, ObjectText};
use crate::format::message_pack;
use crate::format::path::NodePath;
use crate::limits;
use crate::store::{LocalFuture, RequestContext};

/// What can be asked of a repository.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Question {
    /// The id of the snapshot that a store shows.
    Snapshot,
    /// The branches or the tags as they are now: a JSON object of their snapshots.
    Names(RefKind),
    /// The snapshot and those before it: a JSON array.
    History,
}

/// A repository, which tells about itself.
pub trait Repository {
    /// Answers a question.
    fn ask(&self, question: Question) -> LocalFuture<'_, Result<String>>;
}

impl Repository for IcechunkStore {
    fn ask(&self, question: Question) -> LocalFuture<'_, Result<String>> {
        Box::pin(async move {
            match question {
                Question::Snapshot => Ok(self.session(&RequestContext::default()).await?.id.to_string()),
                Question::Names(kind) => self.names(kind).await,
                Question::History => self.history().await,
            }
        })
    }
}

impl IcechunkStore {
    /// The branches or the tags as they are now, as a JSON object of their snapshots.
    ///
    /// # Errors
    /// `NotFound` if there is no repository; `Unsupported` for one of version 1 in a store that
    /// cannot list; errors of the store.
    async fn names(&self, kind: RefKind) -> Result<String> {
        let context = RequestContext::default();
        let names = match session::permitted(session::repo(&self.objects.inner, &context).await)? {
            Some(repo) => repo.names(kind)?,
            None => self.listed(kind, &context).await?,
        };
        let add = |object: ObjectText, (name, id): (String, ObjectId)| {
            object.with(&name, text::string(&id.to_string()))
        };
        Ok(names.into_iter().fold(ObjectText::new(), add).compact())
    }

    /// The names of version 1, which are the names of folders.
    async fn listed(&self, kind: RefKind, context: &RequestContext) -> Result<Vec<(String, ObjectId)>> {
        let inner = &self.objects.inner;
        if !inner.can_list().await? {
            return Err(Error::unsupported(format!(
                "a repository of version 1 of Icechunk has branches and tags as folders, which cannot be listed at {}: name the branch or tag",
                inner.describe()
            )));
        }
        let prefix = if kind == RefKind::Branch { "refs/branch." } else { "refs/tag." };
        let mut names = Vec::new();
        for folder in inner.list_dir(&NodePath::parse_any("refs")?).await?.prefixes {
            let Some(name) = folder.as_str().trim_start_matches('/').strip_prefix(prefix) else { continue };
            if let Some(id) = of_file(inner, kind, name, context).await? {
                names.push((name.to_owned(), id));
            }
        }
        if names.is_empty() && kind == RefKind::Branch {
            return Err(Error::not_found(format!("an Icechunk repository at {}", inner.describe())));
        }
        Ok(names)
    }

    /// The snapshot of this store and those before it, as a JSON array.
    ///
    /// # Errors
    /// Errors of [`session`](Self::session); errors of the store for the snapshots before it.
    async fn history(&self) -> Result<String> {
        let context = RequestContext::default();
        let session = self.session(&context).await?;
        match session.repo(&self.objects.inner, &context).await? {
            Some(repo) => described(repo, session.id),
            None => self.walked(&session.snapshot, &context).await,
        }
    }

    /// The history of version 1: each snapshot names the one before it.
    async fn walked(&self, newest: &Snapshot, context: &RequestContext) -> Result<String> {
        let mut info = newest.info()?;
        let mut found = vec![entry(&info, &message_pack::json_of)?];
        while let Some(parent) = info.parent {
            limits::within(found.len() as u64, limits::SNAPSHOTS, "the history of a repository")?;
            let Some(file) =
                bytes(&self.objects.inner, &format!("snapshots/{parent}"), context, false).await?
            else {
                break;
            };
            info = Snapshot::parse(&file)?.info()?;
            found.push(entry(&info, &message_pack::json_of)?);
        }
        Ok(text::list(found))
    }
}

fn described(repo: &Repo, newest: ObjectId) -> Result<String> {
    let infos = repo.history(newest)?;
    let entries = infos.iter().map(|info| entry(info, &metadata_json)).collect::<Result<Vec<_>>>()?;
    Ok(text::list(entries))
}

/// A snapshot as JSON. The time is in milliseconds.
fn entry(info: &SnapshotInfo, value: &dyn Fn(&[u8]) -> Result<String>) -> Result<String> {
    let mut metadata = ObjectText::new();
    for (name, bytes) in &info.metadata {
        metadata.set(name, value(bytes)?);
    }
    let parent = info.parent.map_or_else(|| "null".to_owned(), |id| text::string(&id.to_string()));
    Ok(ObjectText::new()
        .with("id", text::string(&info.id.to_string()))
        .with("parent", parent)
        .with("message", text::string(&info.message))
        .with("time", (info.flushed_at / 1000).to_string())
        .with("metadata", metadata.compact())
        .compact())
}
