//! Icechunk repositories as stores: the keys of Zarr, from one snapshot of a repository.
//!
//! A repository is read through any store. `repo` leads to a snapshot ([`session`]), which has the
//! documents of all nodes. Its manifests lead to chunks, which are in the manifest, in a file of
//! the repository, or in a file of another server ([`virtual_chunks`]). All files but `repo` never
//! change, so a store shows one state of the repository, while others write to it.
//!
//! A chunk without a reference is absent. A chunk whose file is missing is an error. Nothing is
//! written here. [`zarr_wasm_icechunk`] knows what the bytes mean.

mod chunk_key;
pub mod history;
mod objects;
pub mod session;
mod virtual_chunks;

use std::cell::RefCell;
use std::rc::Rc;

use zarr_wasm_http::{Subject, Value};

use chunk_key::Target;
use futures_util::lock::Mutex;
use objects::{Objects, manifest_key, missing};
use session::{Session, Version};
use virtual_chunks::read_part;
pub use virtual_chunks::{OpenFile, Permission, VirtualChunks};
use zarr_wasm_icechunk::{ArrayNode, ChunkRef, Manifest, ObjectId, Span};

use super::{
    ByteRange, Changeable, Fetched, GetFuture, Listable, Listing, LocalFuture, RequestContext, SizeFuture,
    Store, at_key,
};
use crate::error::{Error, Result};
use crate::format::path::{NodePath, StoreKey};
use crate::limits;

/// The most bytes of the keys of chunks for each byte of the files that have them. All chunks of an
/// array have its path, which may be as long as the snapshot.
const KEY_BYTES: usize = 16;

/// Receives a text.
pub type Listener = Rc<dyn Fn(&str)>;

/// What a key leads to.
enum Found {
    Document(Span),
    Chunk(Rc<Session>, ChunkRef),
}

/// One state of a repository. See the module.
pub struct IcechunkStore {
    objects: Objects,
    version: Version,
    /// The snapshot that was found before for this version.
    at: Option<ObjectId>,
    /// Receives the id of the snapshot when it is found.
    on_found: Option<Listener>,
    virtual_chunks: VirtualChunks,
    session: RefCell<Option<Rc<Session>>>,
    finding: Mutex<()>,
}

impl IcechunkStore {
    /// The state that `version` names, of the repository in a store.
    pub fn new(inner: Rc<dyn Store>, version: Version, virtual_chunks: VirtualChunks) -> Self {
        let (session, finding) = (RefCell::default(), Mutex::new(()));
        Self {
            objects: Objects::new(inner),
            version,
            at: None,
            on_found: None,
            virtual_chunks,
            session,
            finding,
        }
    }

    /// The same, at a snapshot that was found before. Another build of the engine continues there.
    #[must_use]
    pub fn starting_at(self, at: Option<ObjectId>, on_found: Listener) -> Self {
        Self { at, on_found: Some(on_found), ..self }
    }

    /// The state that this store shows. It is looked up once.
    fn session<'a>(&'a self, context: &'a RequestContext) -> LocalFuture<'a, Result<Rc<Session>>> {
        Box::pin(async move {
            let known = || self.session.borrow().clone();
            if let Some(session) = known() {
                return Ok(session);
            }
            // Callers wait for the first, so that all see the same.
            let _finding = self.finding.lock().await;
            if let Some(session) = known() {
                return Ok(session);
            }
            let version = self.at.map_or_else(|| self.version.clone(), Version::Snapshot);
            let found = Rc::new(session::open(&self.objects.inner, &version, context).await?);
            if let Some(on_found) = &self.on_found {
                on_found(&found.id.to_string());
            }
            *self.session.borrow_mut() = Some(found.clone());
            Ok(found)
        })
    }

    /// What a key leads to.
    fn find<'a>(
        &'a self,
        key: &'a StoreKey,
        context: &'a RequestContext,
    ) -> LocalFuture<'a, Result<Option<Found>>> {
        Box::pin(async move {
            let session = self.session(context).await?;
            match chunk_key::target(&session.snapshot, key)? {
                Target::Document(node) => Ok(Some(Found::Document(node.document))),
                Target::Chunk { array, index } => {
                    self.reference(session.clone(), &array, &index, context).await
                }
                Target::Nothing if context.subject == Subject::Metadata => Ok(None),
                Target::Nothing => Err(Error::unsupported(
                    "Icechunk has chunks by their index, which the key of a chunk does not show here",
                )),
            }
        })
    }

    /// A manifest of a snapshot. Where it is missing, the state is looked up again. The snapshot
    /// may have expired since, which the error tells. This store stays at its state.
    async fn manifest(
        &self,
        session: &Session,
        id: ObjectId,
        context: &RequestContext,
    ) -> Result<Rc<Manifest>> {
        if let Some(manifest) = self.objects.manifest(id, context, false).await? {
            return Ok(manifest);
        }
        let inner = &self.objects.inner;
        let newest = session::newest(inner, &self.version, context).await?;
        if let Some(newest) = newest.filter(|newest| *newest != session.id) {
            let error = missing("a manifest", &manifest_key(id), inner);
            return Err(error.actual(format!("a newer snapshot, {newest}")));
        }
        // A cache may have kept the absence.
        let again = self.objects.manifest(id, context, true).await?;
        again.ok_or_else(|| missing("a manifest", &manifest_key(id), inner))
    }

    /// The reference to a chunk, if it was written.
    async fn reference(
        &self,
        session: Rc<Session>,
        array: &ArrayNode,
        index: &[u32],
        context: &RequestContext,
    ) -> Result<Option<Found>> {
        if index.len() != array.rank {
            return Err(Error::format("the snapshot and the metadata of an array differ in its dimensions")
                .expected(index.len().to_string())
                .actual(array.rank.to_string()));
        }
        let Some(of) = array.manifest_of(index) else { return Ok(None) };
        let manifest = self.manifest(&session, of.id, context).await?;
        let reference = manifest.find(array.id, &of.extents, index)?;
        Ok(reference.map(|reference| Found::Chunk(session, reference)))
    }

    async fn chunk(
        &self,
        session: &Session,
        reference: ChunkRef,
        range: ByteRange,
        context: &RequestContext,
    ) -> Result<Fetched> {
        match reference {
            ChunkRef::Inline(span) => Fetched::part_of(&value_of(span), range),
            ChunkRef::Native { id, offset, len } => {
                let key = StoreKey::parse(&format!("chunks/{id}"))?;
                read_part(&self.objects.inner, &key, (offset, len), range, context).await
            }
            ChunkRef::Virtual { location, offset, len, checksum } => {
                let containers = session.containers(&self.objects.inner, context).await?;
                let file = self.virtual_chunks.file(&containers.locate(&location)?)?;
                let part = (offset, len);
                self.virtual_chunks.read(&file, part, checksum.as_ref(), range, context).await
            }
        }
    }

    /// All keys below a path, in any order. Those of chunks are in manifests.
    async fn keys_below(&self, prefix: &NodePath) -> Result<Vec<StoreKey>> {
        let context = RequestContext::default();
        let session = self.session(&context).await?;
        let (mut keys, mut bytes) = (Vec::new(), 0);
        let mut most_bytes = session.snapshot.size().saturating_mul(KEY_BYTES);
        for node in session.snapshot.nodes() {
            let node = node?;
            let path = NodePath::parse_any(node.path)?;
            // The prefix may be the folder of an array's chunks.
            if !path.is_below_or_equal(prefix) && !prefix.is_below_or_equal(&path) {
                continue;
            }
            keys.push(StoreKey::new(&path, "zarr.json"));
            let Some(array) = session.snapshot.array(&node)? else { continue };
            for of in &array.manifests {
                let manifest = self.manifest(&session, of.id, &context).await?;
                most_bytes = most_bytes.saturating_add(manifest.size().saturating_mul(KEY_BYTES));
                for index in manifest.chunks(array.id, &of.extents)? {
                    limits::within(keys.len() as u64, limits::LISTED_KEYS, "a listing of a store")?;
                    let names: String = index.iter().map(|number| format!("/{number}")).collect();
                    let key = StoreKey::new(&path, &format!("c{names}"));
                    bytes = key.as_str().len().saturating_add(bytes);
                    limits::within(bytes as u64, most_bytes as u64, "the names of the chunks of a store")?;
                    keys.push(key);
                }
            }
        }
        keys.retain(|key| key.below(prefix).is_some());
        Ok(keys)
    }

    /// What is directly below a node. The folder of an array's chunks is known without a manifest.
    async fn listing(&self, prefix: &NodePath) -> Result<Listing> {
        let session = self.session(&RequestContext::default()).await?;
        let own = format!("/{}", prefix.as_str());
        let Some(node) = session.snapshot.node(&own)? else {
            return Ok(Listing::of(&self.list_prefix(prefix).await?, prefix));
        };
        let mut listing = Listing { keys: vec![StoreKey::new(prefix, "zarr.json")], prefixes: Vec::new() };
        if session.snapshot.array(&node)?.is_some_and(|array| !array.manifests.is_empty()) {
            listing.prefixes.extend(NodePath::from_normal("c").map(|chunks| prefix.join(&chunks)));
        }
        for path in session.snapshot.children(&own)? {
            listing.prefixes.push(NodePath::parse_any(path)?);
        }
        Ok(listing)
    }
}

/// What a file of the repository has in a range. It shares the file's memory.
fn value_of(span: Span) -> Value {
    Value::shared(span.file, span.range)
}

impl Store for IcechunkStore {
    fn repository(&self) -> Option<&dyn history::Repository> {
        Some(self)
    }

    fn describe(&self) -> String {
        format!("the Icechunk repository at {}", self.objects.inner.describe())
    }

    fn get<'a>(&'a self, key: &'a StoreKey, range: ByteRange, context: &'a RequestContext) -> GetFuture<'a> {
        Box::pin(at_key(key, async move {
            let range = range.check()?;
            match self.find(key, context).await? {
                None => Ok(None),
                Some(Found::Document(document)) => Fetched::part_of(&value_of(document), range).map(Some),
                Some(Found::Chunk(session, reference)) => {
                    self.chunk(&session, reference, range, context).await.map(Some)
                }
            }
        }))
    }

    fn size<'a>(&'a self, key: &'a StoreKey, context: &'a RequestContext) -> SizeFuture<'a> {
        Box::pin(at_key(key, async move {
            Ok(self.find(key, context).await?.map(|found| match found {
                Found::Document(span) | Found::Chunk(_, ChunkRef::Inline(span)) => span.range.len() as u64,
                Found::Chunk(_, ChunkRef::Native { len, .. } | ChunkRef::Virtual { len, .. }) => len,
            }))
        }))
    }

    fn reads_parts(&self) -> bool {
        true
    }

    fn as_listable(&self) -> Option<&dyn Listable> {
        Some(self)
    }

    fn as_changeable(&self) -> Option<&dyn Changeable> {
        Some(self)
    }
}

impl Changeable for IcechunkStore {
    fn is_cacheable(&self) -> bool {
        true
    }
}

impl Listable for IcechunkStore {
    fn list_dir<'a>(&'a self, prefix: &'a NodePath) -> LocalFuture<'a, Result<Listing>> {
        Box::pin(self.listing(prefix))
    }

    fn list_prefix<'a>(&'a self, prefix: &'a NodePath) -> LocalFuture<'a, Result<Vec<StoreKey>>> {
        Box::pin(self.keys_below(prefix))
    }
}
