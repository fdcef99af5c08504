//! A store that answers requests for metadata documents from consolidated metadata. Other requests
//! go to the wrapped store: chunks, and nodes that the consolidated metadata does not list, because
//! they may be newer.
//!
//! It also knows which documents a listed node does not have. A v2 node therefore needs no request
//! for `zarr.json`.

use std::ops::Range;
use std::rc::Rc;

use zarr_wasm_http::Value;

use crate::error::Result;
use crate::format::metadata::NodeMetadata;
use crate::format::metadata::ZarrFormat;
use crate::format::metadata::consolidated::Consolidated;
use crate::format::metadata::document::{ZARR_JSON, ZARRAY, ZATTRS, ZGROUP};
use crate::format::path::{NodePath, StoreKey};
#[cfg(feature = "reading")]
use crate::store::MeasuredFuture;
use crate::store::writers::{self, Moment};
use crate::store::{ByteRange, Fetched, Gathered, GetFuture, LocalFuture, RequestContext, SizeFuture, Store};

/// All names of metadata documents.
const DOCUMENTS: [&str; 4] = [ZARR_JSON, ZARRAY, ZGROUP, ZATTRS];

/// A store, and the consolidated metadata of the group at its root.
pub struct KnownDocuments {
    inner: Rc<dyn Store>,
    consolidated: Consolidated,
    /// The document that contains the consolidated metadata.
    document: Value,
    /// A moment no later than when the document was read.
    since: Moment,
}

impl KnownDocuments {
    /// Answers from `consolidated`, which was just read from `document` at the root of `inner`.
    pub fn new(inner: Rc<dyn Store>, consolidated: Consolidated, document: Value) -> Self {
        Self { inner, consolidated, document, since: writers::now() }
    }

    /// Whether the consolidated metadata may answer. Not on a reload, and not for documents that
    /// this process has written since.
    fn is_current(&self, key: &StoreKey, context: &RequestContext) -> bool {
        !context.reload && writers::unchanged_since(&self.inner, key, self.since)
    }

    /// The value of a key. `None` if only the wrapped store knows, `Some(None)` if it is absent.
    fn known(&self, key: &StoreKey, context: &RequestContext) -> Option<Option<Value>> {
        if !self.is_current(key, context) {
            return None;
        }
        if let ZarrFormat::Draft(_) = self.consolidated.format() {
            let text = self.consolidated.draft_text(key.as_str())?;
            return Some(Some(Value::from(text.into_bytes())));
        }
        let (path, suffix) = key.as_str().rsplit_once('/').unwrap_or(("", key.as_str()));
        if !DOCUMENTS.contains(&suffix) {
            return None;
        }
        if path.is_empty() && self.consolidated.format() == ZarrFormat::V3 {
            return Some((suffix == ZARR_JSON).then(|| self.document.clone()));
        }
        let document = self.consolidated.document(&NodePath::parse_any(path).ok()?)?;
        Some(document.text(suffix).map(|text| Value::from(text.as_bytes().to_vec())))
    }
}

impl Store for KnownDocuments {
    fn inner(&self) -> Option<&Rc<dyn Store>> {
        Some(&self.inner)
    }

    fn known_group(&self, context: &RequestContext) -> Option<Result<(Value, NodeMetadata)>> {
        let key = StoreKey::new(&NodePath::root(), ZARR_JSON);
        let own = self.consolidated.own_group().filter(|_| self.is_current(&key, context))?;
        Some(own.map(|metadata| (self.document.clone(), metadata)))
    }

    fn get<'a>(&'a self, key: &'a StoreKey, range: ByteRange, context: &'a RequestContext) -> GetFuture<'a> {
        match self.known(key, context) {
            Some(known) => {
                Box::pin(async move { known.map(|value| Fetched::part_of(&value, range)).transpose() })
            }
            None => self.inner.get(key, range, context),
        }
    }

    /// Ranges are of chunks, which are not known here.
    fn gather<'a>(
        &'a self,
        key: &'a StoreKey,
        ranges: &'a [Range<u64>],
        context: &'a RequestContext,
    ) -> Option<LocalFuture<'a, Result<Vec<Gathered>>>> {
        self.inner.gather(key, ranges, context)
    }

    fn size<'a>(&'a self, key: &'a StoreKey, context: &'a RequestContext) -> SizeFuture<'a> {
        match self.known(key, context) {
            Some(known) => Box::pin(async move { Ok(known.map(|value| value.len())) }),
            None => self.inner.size(key, context),
        }
    }

    /// Chunks are measured, which are not known here.
    #[cfg(feature = "reading")]
    fn measure<'a>(&'a self, key: &'a StoreKey, context: &'a RequestContext) -> MeasuredFuture<'a> {
        self.inner.measure(key, context)
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
#[allow(clippy::unwrap_used)]
mod tests {
    use futures_executor::block_on;

    use super::*;
    use crate::store::memory::MemoryStore;

    const ZMETADATA: &str = r#"{"zarr_consolidated_format":1,"metadata":{".zgroup":{"zarr_format":2},
        "a/.zarray":{"zarr_format":2},"a/.zattrs":{"x":1}}}"#;

    fn text(store: &dyn Store, key: &str) -> Option<String> {
        let key = StoreKey::parse(key).unwrap();
        let fetched = block_on(store.get(&key, ByteRange::Whole, &RequestContext::default())).unwrap();
        fetched.map(|fetched| String::from_utf8(fetched.value.to_vec(1000, "test").unwrap()).unwrap())
    }

    #[test]
    fn listed_nodes_are_answered_and_others_forwarded() {
        let memory = MemoryStore::new();
        for key in ["a/.zattrs", "a/zarr.json", "b/.zarray", "a/0.0"] {
            memory.insert(&StoreKey::parse(key).unwrap(), b"from the store".to_vec());
        }
        let consolidated = Consolidated::index(ZMETADATA.as_bytes(), ZarrFormat::V2).unwrap().unwrap();
        let store =
            KnownDocuments::new(Rc::new(memory), consolidated, Value::from(ZMETADATA.as_bytes().to_vec()));
        assert_eq!(text(&store, ".zgroup").unwrap(), r#"{"zarr_format":2}"#);
        assert_eq!(text(&store, "a/.zattrs").unwrap(), r#"{"x":1}"#);
        assert_eq!(text(&store, "a/zarr.json"), None);
        assert_eq!(text(&store, "b/.zarray").unwrap(), "from the store");
        assert_eq!(text(&store, "a/0.0").unwrap(), "from the store");

        let reload = RequestContext { reload: true, ..RequestContext::default() };
        let key = StoreKey::parse("a/.zattrs").unwrap();
        let fetched = block_on(store.get(&key, ByteRange::Whole, &reload)).unwrap().unwrap();
        assert_eq!(fetched.value.as_slice().unwrap(), b"from the store");
        assert_eq!(block_on(store.size(&key, &reload)).unwrap(), Some(14));
    }
}
