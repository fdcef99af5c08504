//! Storage transformers of arrays of the drafts: of the user's, ours below them, and unknown ones.

use std::rc::Rc;

use futures_executor::block_on;
use zarr_wasm::access::selection::{DimensionSelection, Selection};
use zarr_wasm::error::{ErrorKind, Result};
use zarr_wasm::format::metadata::NodeMetadata;
use zarr_wasm::format::metadata::write::options::ArrayOptions;
use zarr_wasm::format::path::StoreKey;
use zarr_wasm_engine::internals::hierarchy::create::{NewNode, create};
use zarr_wasm_engine::internals::hierarchy::erase::{EraseOptions, erase};
use zarr_wasm_engine::internals::hierarchy::open::{OpenOptions, open};
use zarr_wasm_engine::internals::hierarchy::resize::resize;
use zarr_wasm_engine::internals::read::array::{Array, UserExtensions};
use zarr_wasm_engine::internals::store::memory::MemoryStore;
use zarr_wasm_engine::internals::store::wrap::transform::{ArrayKeys, Transformer, TransformerRegistry};
use zarr_wasm_engine::internals::store::{
    ByteRange, Fetched, GetFuture, LocalFuture, RequestContext, Store, Value, Writable,
};
use zarr_wasm_engine::internals::write::WriteSource;
use zarr_wasm_engine::internals::write::inline_encoder::InlineEncoder;

use crate::stores::Unlisted;
use crate::{context, create_array, json, memory, put, read_all, reopen, stored};
use support::watched::Watched;

const FLIP: &str = "https://example.org/flip/1.0";
const SHARDING: &str = "https://purl.org/zarr/spec/extensions/storage-transformers/sharding/1.0";

/// Stores the complement of every byte, and so knows nothing of keys.
struct Flip;

impl Transformer for Flip {
    fn around(&self, below: Rc<dyn Store>, _place: &ArrayKeys) -> Result<Rc<dyn Store>> {
        Ok(Rc::new(Flipped(below)))
    }
}

struct Flipped(Rc<dyn Store>);

fn flipped(value: &Value) -> Value {
    let mut bytes = value.to_vec(1 << 30, "test").unwrap();
    bytes.iter_mut().for_each(|byte| *byte = !*byte);
    bytes.into()
}

impl Store for Flipped {
    fn inner(&self) -> Option<&Rc<dyn Store>> {
        Some(&self.0)
    }

    fn get<'a>(&'a self, key: &'a StoreKey, range: ByteRange, context: &'a RequestContext) -> GetFuture<'a> {
        Box::pin(async move {
            let fetched = self.0.get(key, range, context).await?;
            Ok(fetched.map(|fetched| Fetched { value: flipped(&fetched.value), ..fetched }))
        })
    }

    fn as_writable(&self) -> Option<&dyn Writable> {
        Some(self)
    }
}

impl Writable for Flipped {
    fn set<'a>(&'a self, key: &'a StoreKey, value: Value) -> LocalFuture<'a, Result<()>> {
        self.0.set(key, flipped(&value))
    }

    fn erase<'a>(&'a self, key: &'a StoreKey) -> LocalFuture<'a, Result<()>> {
        self.0.erase(key)
    }
}

fn registered() -> UserExtensions {
    let mut registry = TransformerRegistry::default();
    registry.register(FLIP, Rc::new(|_| Ok(Rc::new(Flip))));
    UserExtensions { transformers: Rc::new(registry), ..UserExtensions::default() }
}

/// An array of 5 × 4 in raw chunks of 1 × 2, below these transformers.
fn create_with(store: &Rc<dyn Store>, transformers: &[String]) -> Result<Rc<Array>> {
    let options = format!(
        r#"{{"zarr_format":"v3-draft-2022-05","shape":[5,4],"chunk_shape":[1,2],"data_type":"uint8","codecs":[],
        "storage_transformers":[{}]}}"#,
        transformers.join(",")
    );
    let node = NewNode::Array(Box::new(ArrayOptions::from_json(&options)?));
    let opened = block_on(create(store, "a", &node, false, &context()))?;
    Array::with(store.clone(), opened.path, opened.document, registered())
}

fn flip() -> String {
    format!(r#"{{"extension":"{FLIP}","type":"bytes"}}"#)
}

fn sharding(per_shard: &str) -> String {
    format!(
        r#"{{"extension":"{SHARDING}","type":"indexed","configuration":{{"chunks_per_shard":{per_shard}}}}}"#
    )
}

fn chunk_keys(memory: &MemoryStore) -> Vec<String> {
    memory.keys().into_iter().filter(|key| key.starts_with("data/")).collect()
}

fn numbers() -> Vec<u8> {
    (1..21).collect()
}

fn row(at: i64) -> Selection {
    Selection::Orthogonal(vec![DimensionSelection::Index(at)])
}

#[test]
fn chunks_and_shards_pass_through_the_transformers_of_the_user() {
    // The shard of rows 0 and 1: four chunks in C order, and behind them where they stand.
    let index = |entries: &[u64]| entries.iter().flat_map(|entry| entry.to_le_bytes()).collect::<Vec<u8>>();
    let first = [&(1..9).collect::<Vec<u8>>()[..], &index(&[0, 2, 2, 2, 4, 2, 6, 2])].concat();
    let (bodies, entries) = first.split_at(8);
    let flipped: Vec<u8> = first.iter().map(|byte| !byte).collect();
    let bodies_flipped = [&bodies.iter().map(|byte| !byte).collect::<Vec<u8>>()[..], entries].concat();
    for (transformers, expected) in [
        // The whole shard is flipped, its index too; or each chunk before it goes into its shard.
        (vec![sharding("[2,2]"), flip()], flipped),
        (vec![flip(), sharding("[2,2]")], bodies_flipped),
        (vec![sharding("[2,2]"), flip(), flip()], first.clone()),
    ] {
        let (memory, store) = memory();
        let array = create_with(&store, &transformers).unwrap();
        put(&array, Selection::all(), WriteSource::Elements(numbers().into())).unwrap();
        assert_eq!(chunk_keys(&memory), ["data/a/c0/0", "data/a/c1/0", "data/a/c2/0"]);
        assert_eq!(stored(&memory, "data/a/c0/0").unwrap(), expected, "{transformers:?}");
        assert_eq!(read_all(&array).unwrap(), numbers());
    }
}

#[test]
fn chunks_below_transformers_are_updated_erased_and_cut() {
    for transformers in
        [vec![sharding("[2,2]"), flip()], vec![flip(), sharding("[2,2]")], vec![sharding("[2,2]")]]
    {
        let (memory, store) = memory();
        let array = create_with(&store, &transformers).unwrap();
        put(&array, Selection::all(), WriteSource::Elements(numbers().into())).unwrap();
        let mut expected = numbers();
        let one = Selection::Orthogonal(vec![DimensionSelection::Index(2), DimensionSelection::Index(3)]);
        put(&array, one, WriteSource::Element(vec![77])).unwrap();
        expected[11] = 77;
        assert_eq!(read_all(&array).unwrap(), expected, "{transformers:?}");
        // A shard whose chunks all become fill value goes with the last of them; half of one stays.
        put(&array, row(0), WriteSource::Element(vec![0])).unwrap();
        expected[..4].fill(0);
        assert_eq!(chunk_keys(&memory).len(), 3);
        put(&array, row(1), WriteSource::Element(vec![0])).unwrap();
        expected[4..8].fill(0);
        assert_eq!(chunk_keys(&memory), ["data/a/c1/0", "data/a/c2/0"]);
        assert_eq!(read_all(&array).unwrap(), expected);
        // Shrunk, and grown again: what was outside is gone.
        let smaller = block_on(resize(&array, &[3, 3], &InlineEncoder, &context())).unwrap();
        assert_eq!(chunk_keys(&memory), ["data/a/c1/0"]);
        let larger = block_on(resize(&smaller, &[4, 4], &InlineEncoder, &context())).unwrap();
        let mut expected = vec![0; 8];
        expected.extend([9, 10, 11, 0, 0, 0, 0, 0]);
        assert_eq!(read_all(&larger).unwrap(), expected, "{transformers:?}");
    }
}

/// "Empty chunks are denoted by setting both offset and nbytes to 2^64 - 1"; chunks past the
/// array's edge have entries too.
#[test]
fn an_index_has_an_entry_a_chunk_past_the_edge_too_and_says_which_are_empty() {
    let (memory, store) = memory();
    let array = create_with(&store, &[sharding("[2,2]")]).unwrap();
    put(&array, row(4), WriteSource::Elements(vec![0, 0, 8, 9].into())).unwrap();
    assert_eq!(chunk_keys(&memory), ["data/a/c2/0"]);
    let shard = stored(&memory, "data/a/c2/0").unwrap();
    let none = [u64::MAX; 2];
    let entries = [none, [0, 2], none, none].concat();
    let index: Vec<u8> = entries.into_iter().flat_map(u64::to_le_bytes).collect();
    assert_eq!(shard, [&[8, 9][..], &index].concat());
}

#[test]
fn an_unknown_transformer_is_refused_by_name_and_the_array_can_still_be_described() {
    let (memory, store) = memory();
    create_with(&store, &[sharding("[2,2]"), flip()]).unwrap();
    let opened = block_on(open(&store, "a", &OpenOptions::default(), &context())).unwrap();
    let NodeMetadata::Array(array) = &opened.metadata else { panic!("a group") };
    assert_eq!(array.storage_transformers[1].extension, FLIP);
    let error = Array::new(store.clone(), opened.path, opened.document).err().unwrap();
    assert_eq!(error.kind(), ErrorKind::Unsupported);
    assert!(error.message().contains(FLIP), "{error}");
    assert_eq!(error.context().field.as_deref(), Some("storage_transformers[1].extension"));
    assert_eq!(error.context().node.as_deref(), Some("a"));
    let keys = memory.keys();
    // What cannot be is refused before anything is written.
    for (transformers, field) in [
        (sharding("[2]"), "storage_transformers[0].configuration.chunks_per_shard"),
        (sharding("[2,0]"), "storage_transformers[0].configuration.chunks_per_shard"),
        (sharding("[2,2]").replace("indexed", "linked"), "storage_transformers[0].type"),
    ] {
        let options = format!(
            r#"{{"zarr_format":"v3-draft-2022-05","shape":[5,4],"chunk_shape":[1,2],"data_type":"uint8","storage_transformers":[{transformers}]}}"#
        );
        let error = create_array(&store, "b", &options).err().unwrap();
        assert_eq!(error.context().field.as_deref(), Some(field), "{error}");
        assert_eq!(memory.keys(), keys);
    }
}

#[test]
fn what_is_created_names_the_transformer_as_its_chapter_does() {
    let (memory, store) = memory();
    let options = r#"{"zarr_format":"v3-draft-2022-05","shape":[5,4],"chunk_shape":[1,2],"shard_shape":[2,4],"data_type":"uint8"}"#;
    create_array(&store, "a", options).unwrap();
    let document = json(&memory, "meta/a.array.json");
    let expected: serde_json::Value = serde_json::from_str(&sharding("[2,2]")).unwrap();
    assert_eq!(document["storage_transformers"], serde_json::json!([expected]));
    assert_eq!(document["chunk_grid"]["chunk_shape"], serde_json::json!([1, 2]));
    let like = create_like(&store, "like", &reopen(&store, "a"));
    assert_eq!(like["storage_transformers"], document["storage_transformers"]);
    assert_eq!(like["chunk_grid"], document["chunk_grid"]);
}

/// The document of an array that is like another.
fn create_like(store: &Rc<dyn Store>, path: &str, array: &Array) -> serde_json::Value {
    let options = r#"{"zarr_format":"v3-draft-2022-05"}"#;
    let options = ArrayOptions::like(options, Some(array.binding().declared())).unwrap();
    let opened =
        block_on(create(store, path, &NewNode::Array(Box::new(options)), false, &context())).unwrap();
    serde_json::from_str(opened.document.own_text().unwrap().1).unwrap()
}

#[test]
fn a_store_that_cannot_list_loses_the_shards_of_an_array() {
    let (memory, inner) = memory();
    let array = create_with(&inner, &[sharding("[2,2]")]).unwrap();
    put(&array, Selection::all(), WriteSource::Elements(numbers().into())).unwrap();
    let store: Rc<dyn Store> = Watched::over(memory.clone(), Unlisted);
    assert!(block_on(erase(&store, "a", EraseOptions::default(), &context())).unwrap());
    assert_eq!(memory.keys(), ["zarr.json"]);
}
