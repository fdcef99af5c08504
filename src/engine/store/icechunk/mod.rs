//! Icechunk repositories as stores: the keys of Zarr, from one snapshot of a repository.
//!
//! A repository is read through any store. `repo` leads to a snapshot ([`session`]), which has the
//! documents of all nodes. Its manifests lead to chunks, which are in the manifest, in a file of
//! the repository, or in a file of another server ([`virtual_chunks`]). All files but `repo` never
//! change, so a store shows one state of the repository, while others write to it.
//!
//! A chunk without a reference is absent. A chunk whose file is missing is an error. Nothing is
//! written here. [`crate::format::icechunk`] knows what the bytes mean.

mod chunk_key;
#[cfg(feature = "full")]
mod history;
mod objects;
pub mod session;
mod virtual_chunks;

use std::rc::Rc;

use chunk_key::Target;
use objects::Objects;
use session::{Session, Version};
pub use virtual_chunks::{Permission, VirtualChunks};

use super::http::transport::Transport;
use super::{
    ByteRange, Capabilities, Fetched, GetFuture, Listing, LocalFuture, RequestContext, SizeFuture, Store,
    Subject, Value, at_key, in_full,
};
use crate::error::{Error, Result};
use crate::format::byte_range::len_of;
use crate::format::icechunk::manifest::ChunkRef;
use crate::format::icechunk::object_id::ObjectId;
use crate::format::icechunk::repo::RefKind;
use crate::format::icechunk::snapshot::{ArrayNode, Node};
use crate::format::path::{NodePath, StoreKey};
use crate::limits;

/// What can be asked of a repository.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Question {
    /// The id of the snapshot that a store shows.
    Snapshot,
    /// The id of the snapshot that it would show if it were opened now.
    Newest,
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

/// One state of a repository. See the module.
pub struct IcechunkStore<T> {
    objects: Objects,
    version: Version,
    /// The snapshot that was found before for this version.
    at: Option<ObjectId>,
    /// Is told the snapshot when it is found.
    on_found: Option<Rc<dyn Fn(&str)>>,
    virtual_chunks: VirtualChunks<T>,
}

impl<T: Transport + 'static> IcechunkStore<T> {
    /// The state that `version` names, of the repository in a store.
    pub fn new(inner: Rc<dyn Store>, version: Version, virtual_chunks: VirtualChunks<T>) -> Self {
        Self { objects: Objects::new(inner), version, at: None, on_found: None, virtual_chunks }
    }

    /// The same, at a snapshot that was found before. Another build of the engine goes on there.
    #[must_use]
    pub fn starting_at(self, at: Option<ObjectId>, on_found: Rc<dyn Fn(&str)>) -> Self {
        Self { at, on_found: Some(on_found), ..self }
    }

    /// The state that this store shows. It is looked up once.
    ///
    /// # Errors
    /// `NotFound` if there is no repository or no such version; errors of the store; `Format` for
    /// damaged files.
    pub async fn session(&self, context: &RequestContext) -> Result<Rc<Session>> {
        let found = self.at.map_or_else(|| self.version.clone(), Version::Snapshot);
        let on_found = self.on_found.clone();
        session::of(&self.objects, &found, on_found, context).await
    }

    async fn read(
        &self,
        key: &StoreKey,
        range: ByteRange,
        context: &RequestContext,
    ) -> Result<Option<Fetched>> {
        let session = self.session(context).await?;
        match chunk_key::target(&session.snapshot, key)? {
            Target::Document(node) => Fetched::part_of(&Value::from(node.document.to_vec()), range).map(Some),
            Target::Chunk { array, index } => {
                let Some(reference) = self.reference(&array, &index, context).await? else { return Ok(None) };
                self.chunk(&session, reference, range, context).await.map(Some)
            }
            Target::Nothing if context.subject == Subject::Metadata => Ok(None),
            Target::Nothing => Err(Error::unsupported(
                "Icechunk has chunks by their index, which the key of a chunk does not show here",
            )),
        }
    }

    /// The reference to a chunk, if it was written.
    async fn reference(
        &self,
        array: &ArrayNode,
        index: &[u32],
        context: &RequestContext,
    ) -> Result<Option<ChunkRef>> {
        if index.len() != array.rank {
            return Err(Error::format("the snapshot and the metadata of an array differ in its dimensions")
                .expected(index.len().to_string())
                .actual(array.rank.to_string()));
        }
        let Some(of) = array.manifests.iter().find(|manifest| manifest.contains(index)) else {
            return Ok(None);
        };
        self.objects.manifest(of.id, context).await?.find(array.id, &of.extents, index)
    }

    async fn chunk(
        &self,
        session: &Session,
        reference: ChunkRef,
        range: ByteRange,
        context: &RequestContext,
    ) -> Result<Fetched> {
        match reference {
            ChunkRef::Inline(bytes) => Fetched::part_of(&Value::from(bytes), range),
            ChunkRef::Native { id, offset, len } => self.native(id, offset, len, range, context).await,
            ChunkRef::Virtual { location, offset, len, checksum } => {
                let place = session.containers(&self.objects, context).await?.locate(&location)?;
                let part = self.virtual_chunks.part(&place, offset, len)?;
                self.virtual_chunks.read(&part, checksum.as_ref(), range, context).await
            }
        }
    }

    /// A range of a part of a file of the repository.
    async fn native(
        &self,
        id: ObjectId,
        offset: u64,
        len: u64,
        range: ByteRange,
        context: &RequestContext,
    ) -> Result<Fetched> {
        if len == 0 {
            return Fetched::part_of(&Value::from(Vec::new()), range);
        }
        let bytes = range.of(len).ok_or_else(|| range.past_end(Some(len)))?;
        let want = len_of(&bytes);
        limits::within(want, context.body_limit(), "a chunk")?;
        let key = objects::key("chunks", id)?;
        let start = offset.saturating_add(bytes.start);
        let context = RequestContext { subject: Subject::Chunk, most_bytes: None, ..context.clone() };
        let fetched =
            self.objects.inner.get(&key, ByteRange::At { offset: start, len: want }, &context).await?;
        let fetched = fetched.ok_or_else(|| objects::missing("a chunk", &key, &self.objects.inner))?;
        if fetched.value.len() != want {
            return Err(Error::store("a file of the repository is shorter than the chunk in it")
                .at_range(offset, len)
                .actual(format!("{} bytes", fetched.value.len())));
        }
        Ok(Fetched { size: Some(len), ..fetched })
    }

    async fn size_of(&self, key: &StoreKey, context: &RequestContext) -> Result<Option<u64>> {
        let session = self.session(context).await?;
        Ok(match chunk_key::target(&session.snapshot, key)? {
            Target::Document(node) => Some(node.document.len() as u64),
            Target::Nothing => None,
            Target::Chunk { array, index } => {
                self.reference(&array, &index, context).await?.map(|reference| match reference {
                    ChunkRef::Inline(bytes) => bytes.len() as u64,
                    ChunkRef::Native { len, .. } | ChunkRef::Virtual { len, .. } => len,
                })
            }
        })
    }

    /// The keys of documents below a path, and those of chunks in arrays for which `has_chunks`.
    async fn keys(&self, prefix: &NodePath, has_chunks: impl Fn(&Node<'_>) -> bool) -> Result<Vec<StoreKey>> {
        let context = RequestContext::default();
        let session = self.session(&context).await?;
        let mut keys = Vec::new();
        for node in session.snapshot.below("/")? {
            let node = node?;
            let key = StoreKey::parse(&format!("{}/zarr.json", node.path.trim_end_matches('/')))?;
            let path = NodePath::parse_any(node.path)?;
            let is_chunks = prefix.is_below_or_equal(&path) && *prefix != path;
            if key.below(prefix).is_none() && !is_chunks {
                continue;
            }
            if has_chunks(&node) || is_chunks {
                self.add_chunks(&node, &path, &mut keys, &context).await?;
            } else if node.array.as_ref().is_some_and(|array| !array.manifests.is_empty()) {
                // The folder of the chunks is shown by one of them.
                keys.push(StoreKey::new(&path, "c/0"));
            }
            keys.push(key);
        }
        Ok(keys)
    }

    async fn add_chunks(
        &self,
        node: &Node<'_>,
        path: &NodePath,
        keys: &mut Vec<StoreKey>,
        context: &RequestContext,
    ) -> Result<()> {
        let Some(array) = &node.array else { return Ok(()) };
        for of in &array.manifests {
            let manifest = self.objects.manifest(of.id, context).await?;
            for index in manifest.chunks(array.id, &of.extents)? {
                limits::within(keys.len() as u64, limits::LISTED_KEYS, "a listing of a store")?;
                let names: String = index.iter().map(|number| format!("/{number}")).collect();
                keys.push(StoreKey::new(path, &format!("c{names}")));
            }
        }
        Ok(())
    }
}

impl<T: Transport + 'static> Repository for IcechunkStore<T> {
    fn ask(&self, question: Question) -> LocalFuture<'_, Result<String>> {
        match question {
            Question::Snapshot => {
                Box::pin(async { Ok(self.session(&RequestContext::default()).await?.id.to_string()) })
            }
            Question::Newest => {
                Box::pin(async { Ok(session::newest(&self.objects.inner, &self.version).await?.to_string()) })
            }
            #[cfg(feature = "full")]
            Question::Names(kind) => Box::pin(self.names(kind)),
            #[cfg(feature = "full")]
            Question::History => Box::pin(self.history()),
            #[cfg(not(feature = "full"))]
            Question::Names(_) | Question::History => {
                Box::pin(std::future::ready(Err(Error::needs_full("the history of a repository"))))
            }
        }
    }
}

impl<T: Transport + 'static> Store for IcechunkStore<T> {
    fn repository(&self) -> Option<&dyn Repository> {
        Some(self)
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities { partial: true, writable: false, listable: true }
    }

    fn is_cacheable(&self) -> bool {
        true
    }

    fn describe(&self) -> String {
        format!("the Icechunk repository at {}", self.objects.inner.describe())
    }

    fn get<'a>(&'a self, key: &'a StoreKey, range: ByteRange, context: &'a RequestContext) -> GetFuture<'a> {
        Box::pin(at_key(key, async move { self.read(key, range.check()?, context).await }))
    }

    fn size<'a>(&'a self, key: &'a StoreKey, context: &'a RequestContext) -> SizeFuture<'a> {
        Box::pin(at_key(key, self.size_of(key, context)))
    }

    fn list_dir<'a>(&'a self, prefix: &'a NodePath) -> LocalFuture<'a, Result<Listing>> {
        Box::pin(async move { Ok(Listing::of(&self.keys(prefix, |_| false).await?, prefix)) })
    }

    fn list_prefix<'a>(&'a self, prefix: &'a NodePath) -> LocalFuture<'a, Result<Vec<StoreKey>>> {
        let keys = async move {
            let keys = self.keys(prefix, |_| true).await?;
            Ok(keys.into_iter().filter(|key| key.below(prefix).is_some()).collect())
        };
        in_full("listing", || Box::pin(keys))
    }
}
