//! What a repository says of itself: branches, tags, and the snapshots before one.

use zarr_wasm_icechunk::{ObjectId, RefKind, Repo, Snapshot, SnapshotInfo, metadata_json};

use super::IcechunkStore;
use super::objects::bytes;
use super::session::{self, of_file};
use crate::error::{Error, Result};
use crate::format::json::message_pack;
use crate::format::json::text::{self, ObjectText};
use crate::format::path::NodePath;
use crate::limits;
pub use crate::store::repository::{Repository, RepositorySubject};
use crate::store::{LocalFuture, RequestContext};

impl Repository for IcechunkStore {
    fn ask(&self, question: RepositorySubject) -> LocalFuture<'_, Result<String>> {
        Box::pin(async move {
            match question {
                RepositorySubject::Snapshot => {
                    Ok(self.session(&RequestContext::default()).await?.id.to_string())
                }
                RepositorySubject::Branches => self.names(RefKind::Branch).await,
                RepositorySubject::Tags => self.names(RefKind::Tag).await,
                RepositorySubject::History => self.history().await,
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
        let mut object = ObjectText::new();
        for (name, id) in names {
            object.push(&name, text::string(&id.to_string()));
        }
        Ok(object.compact())
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
        let (mut info, mut entries) = (newest.info()?, Entries::default());
        let mut seen = vec![info.id];
        entries.add_file(newest.size());
        entries.push(&info, &message_pack::json_of)?;
        while let Some(parent) = info.parent {
            limits::within(seen.len() as u64, limits::SNAPSHOTS, "the history of a repository")?;
            if seen.contains(&parent) {
                return Err(comes_back(parent));
            }
            let key = format!("snapshots/{parent}");
            let Some(file) = bytes(&self.objects.inner, &key, context, false).await? else { break };
            let snapshot = Snapshot::parse(&file).map_err(|error| error.at_key(&key))?;
            info = snapshot.info().map_err(|error| error.at_key(&key))?;
            if info.id != parent {
                return Err(Error::format("the file of a snapshot has another one")
                    .expected(parent.to_string())
                    .actual(info.id.to_string())
                    .at_key(key));
            }
            seen.push(parent);
            entries.add_file(snapshot.size());
            entries.push(&info, &message_pack::json_of)?;
        }
        Ok(entries.finish())
    }
}

#[cold]
fn comes_back(snapshot: ObjectId) -> Error {
    Error::format("the history of a repository comes back to a snapshot before its first one")
        .actual(snapshot.to_string())
        .at_key(format!("snapshots/{snapshot}"))
}

fn described(repo: &Repo, newest: ObjectId) -> Result<String> {
    let mut entries = Entries::default();
    entries.add_file(repo.size());
    for info in repo.history(newest)? {
        entries.push(&info, &metadata_json)?;
    }
    Ok(entries.finish())
}

/// The most bytes of text for each byte of the files that have the history, and those of a short
/// one. Values may share their parts, so that their text is much longer than they are.
const TEXT_BYTES: usize = 12;
const FLOOR: usize = 1 << 16;

/// The snapshots of a history as the text of a JSON array.
#[derive(Default)]
struct Entries {
    text: String,
    /// The most bytes.
    most: usize,
}

impl Entries {
    /// Allows as much text as a file of `bytes` bytes may have.
    fn add_file(&mut self, bytes: usize) {
        self.most = self.most.max(FLOOR).saturating_add(bytes.saturating_mul(TEXT_BYTES));
    }

    /// Adds a snapshot. The time is in milliseconds.
    fn push(&mut self, info: &SnapshotInfo, value: &dyn Fn(&[u8]) -> Result<String>) -> Result<()> {
        let parent = info.parent.map_or_else(|| "null".to_owned(), |id| text::string(&id.to_string()));
        self.text.push(if self.text.is_empty() { '[' } else { ',' });
        self.put("{\"id\":", &text::string(&info.id.to_string()))?;
        self.put(",\"parent\":", &parent)?;
        self.put(",\"message\":", &text::string(&info.message))?;
        self.put(",\"time\":", &(info.flushed_at / 1000).to_string())?;
        self.put(",\"metadata\":", "{")?;
        for (at, (name, bytes)) in info.metadata.iter().enumerate() {
            self.put(if at == 0 { "" } else { "," }, &text::string(name))?;
            self.put(":", &value(bytes)?)?;
        }
        self.put("}", "}")
    }

    /// Appends two texts.
    fn put(&mut self, one: &str, other: &str) -> Result<()> {
        let len = self.text.len().saturating_add(one.len()).saturating_add(other.len());
        limits::within(len as u64, self.most as u64, "the history of a repository")?;
        self.text.push_str(one);
        self.text.push_str(other);
        Ok(())
    }

    fn finish(mut self) -> String {
        self.text.push(']');
        self.text
    }
}
