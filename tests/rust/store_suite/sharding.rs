//! What the sharding transformer asks of the store below, call by call; what it writes, byte by
//! byte; and what it makes of shards that cannot be. Expected bytes are put together here, from the
//! text's words alone.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;

use futures_executor::block_on;
use zarr_wasm::internals::error::{ErrorKind, Result};
use zarr_wasm::internals::format::chunk_key::Separator;
use zarr_wasm::internals::format::path::{NodePath, StoreKey};
use zarr_wasm::internals::store::memory::MemoryStore;
use zarr_wasm::internals::store::wrap::transform::ArrayPlace;
use zarr_wasm::internals::store::wrap::transform::sharding::{ShardingTransformer, UNUSED_BYTES};
use zarr_wasm::internals::store::{
    ByteRange, Capabilities, Fetched, KeyRange, KeyStartValue, LocalFuture, RequestContext, Store, Value,
};

use super::recording::{Recording, recording};
use super::stores::{key, prefix, sharded};
use super::{Outcome, Test};

/// Each test, by what it says.
pub const TESTS: &[Test] = &[
    ("the_layout_is_that_of_the_text", layout),
    ("get_partial_values_is_two_calls", two_calls),
    ("get_partial_values_of_absent_chunks_is_one_call", absent_chunks),
    ("a_new_shard_is_one_index_and_one_set", set_anew),
    ("all_chunks_within_the_array_are_set_without_an_index", set_all),
    ("set_partial_values_reads_what_is_not_replaced", set_partial),
    ("chunks_of_the_same_size_are_replaced_in_place", in_place),
    ("too_many_unused_bytes_are_written_away", unused_bytes),
    ("chunks_that_share_bytes_are_not_written_over", shared_bytes),
    ("new_shards_have_their_chunks_in_c_order", order),
    ("erase_values_of_all_chunks_within_the_array_erases_the_shard", erase_all),
    ("erase_values_of_some_chunks_updates_the_index", erase_some),
    ("erasing_the_last_chunk_erases_the_shard", erase_last),
    ("erase_prefix_of_the_array_is_relayed", erase_prefix_relayed),
    ("erase_prefix_of_a_part_of_the_grid_is_translated", erase_prefix_translated),
    ("list_prefix_is_translated", list_prefix),
    ("list_dir_translates_prefixes", list_dir),
    ("other_keys_pass_through", pass_through),
    ("a_scalar_is_a_shard_of_one_chunk", scalar),
    ("indexes_that_cannot_be_are_refused", hostile_indexes),
    ("shards_that_are_too_short_are_refused", short_shards),
    ("a_read_only_store_is_not_asked_to_write", read_only),
    ("writers_of_one_shard_wait_for_one_another", concurrent_writers),
];

fn over(below: &Rc<Recording>, unused_bytes: u64) -> Rc<dyn Store> {
    sharded(below.clone(), Separator::Slash, unused_bytes)
}

fn plain(below: &Rc<Recording>) -> Rc<dyn Store> {
    over(below, UNUSED_BYTES)
}

const EMPTY: (u64, u64) = (u64::MAX, u64::MAX);

/// Bytes, and offset and length of each chunk after them.
fn shard(body: &[u8], entries: &[(u64, u64)]) -> Vec<u8> {
    let index = entries.iter().flat_map(|(offset, len)| [offset.to_le_bytes(), len.to_le_bytes()]);
    body.iter().copied().chain(index.flatten()).collect()
}

fn put(store: &dyn Store, name: &str, bytes: &[u8]) -> Outcome {
    fine(block_on(store.set(&key(name), bytes.to_vec().into())))
}

fn whole(store: &dyn Store, name: &str) -> Result<Option<Vec<u8>>> {
    let fetched = block_on(store.get(&key(name), ByteRange::Whole, &RequestContext::default()))?;
    fetched.map(|fetched| fetched.value.to_vec(1 << 20, "test")).transpose()
}

fn fine<T>(result: Result<T>) -> std::result::Result<T, String> {
    result.map_err(|error| format!("{error:?}"))
}

fn same<T: PartialEq + std::fmt::Debug>(found: T, expected: T) -> Outcome {
    if found == expected { Ok(()) } else { Err(format!("found {found:?}, expected {expected:?}")) }
}

fn called(below: &Recording, expected: &[&str]) -> Outcome {
    same(below.calls(), expected.iter().map(|call| (*call).to_owned()).collect())
}

fn values(list: &[(&str, u64, &[u8])]) -> Vec<KeyStartValue> {
    let value = |(name, start, bytes): &(&str, u64, &[u8])| KeyStartValue {
        key: key(name),
        start: *start,
        value: bytes.to_vec().into(),
    };
    list.iter().map(value).collect()
}

fn layout() -> Outcome {
    let below = recording();
    let store = plain(&below);
    put(&*store, "data/a/c4/3", b"(1, 1)")?;
    put(&*store, "data/a/c3/2", b"(0, 0)!")?;
    // Shard 1, 1 of 3 × 2 chunks, in C order.
    let entries = [(0, 7), EMPTY, EMPTY, (7, 6), EMPTY, EMPTY];
    same(below.bytes("data/a/c1/1"), Some(shard(b"(0, 0)!(1, 1)", &entries)))?;
    // At the edge of 7 × 5 chunks the index has its full size.
    put(&*store, "data/a/c6/4", b"edge")?;
    same(below.bytes("data/a/c2/2"), Some(shard(b"edge", &[(0, 4), EMPTY, EMPTY, EMPTY, EMPTY, EMPTY])))
}

fn two_calls() -> Outcome {
    let below = recording();
    let store = plain(&below);
    for (name, bytes) in
        [("data/a/c0/0", "zero"), ("data/a/c0/1", "one"), ("data/a/c6/4", "last"), ("zarr.json", "{}")]
    {
        put(&*store, name, bytes.as_bytes())?;
    }
    below.calls();
    let asked = [
        ("data/a/c6/4", ByteRange::Suffix(2)),
        ("data/a/c0/1", ByteRange::Whole),
        ("zarr.json", ByteRange::Whole),
        ("data/a/c0/0", ByteRange::FromStart { offset: 1, len: 2 }),
        ("data/a/c0/0", ByteRange::Whole),
        ("data/a/c5/4", ByteRange::Whole),
    ];
    let asked = asked.map(|(name, range)| KeyRange { key: key(name), range });
    let found = fine(block_on(store.get_partial_values(&asked, &RequestContext::default())))?;
    let found: Vec<Option<Vec<u8>>> = found
        .into_iter()
        .map(|fetched| fetched.and_then(|fetched| fetched.value.as_slice().map(<[u8]>::to_vec)))
        .collect();
    let expected = [Some("st"), Some("one"), Some("{}"), Some("er"), Some("zero"), None];
    same(found, expected.map(|text| text.map(|text| text.as_bytes().to_vec())).to_vec())?;
    called(
        &below,
        &[
            "get_partial_values data/a/c2/2 -96, data/a/c0/0 -96, data/a/c1/2 -96, zarr.json all",
            "get_partial_values data/a/c2/2 2+2, data/a/c0/0 4+3, data/a/c0/0 1+2, data/a/c0/0 0+4",
        ],
    )
}

fn absent_chunks() -> Outcome {
    let below = recording();
    let store = plain(&below);
    put(&*store, "data/a/c0/0", b"zero")?;
    below.calls();
    same(fine(whole(&*store, "data/a/c0/1"))?, None)?;
    same(fine(whole(&*store, "data/a/c6/4"))?, None)?;
    let index = ["get_partial_values data/a/c0/0 -96", "get_partial_values data/a/c2/2 -96"];
    called(&below, &index)
}

fn set_anew() -> Outcome {
    let below = recording();
    let store = plain(&below);
    put(&*store, "data/a/c0/0", b"zero")?;
    called(&below, &["get_partial_values data/a/c0/0 -96", "set data/a/c0/0"])
}

/// One chunk of shard 2, 2 lies within the array.
fn set_all() -> Outcome {
    let below = recording();
    let store = plain(&below);
    put(&*store, "data/a/c6/4", b"all there is")?;
    called(&below, &["set data/a/c2/2"])
}

fn set_partial() -> Outcome {
    let below = recording();
    let store = over(&below, 0);
    for (name, bytes) in [("data/a/c0/0", "zero"), ("data/a/c0/1", "one"), ("data/a/c1/0", "two")] {
        put(&*store, name, bytes.as_bytes())?;
    }
    below.calls();
    // One grows, one is replaced as a whole, one is not mentioned; and one of another shard is new.
    let list =
        values(&[("data/a/c0/0", 4, b"!!"), ("data/a/c0/1", 0, b"longer"), ("data/a/c4/2", 1, b"new")]);
    fine(block_on(store.set_partial_values(&list)))?;
    called(
        &below,
        &[
            "get_partial_values data/a/c0/0 -96, data/a/c1/1 -96",
            "get_partial_values data/a/c0/0 7+3, data/a/c0/0 0+4",
            "set data/a/c0/0",
            "set data/a/c1/1",
        ],
    )?;
    let entries = [(0, 6), (6, 6), (12, 3), EMPTY, EMPTY, EMPTY];
    same(below.bytes("data/a/c0/0"), Some(shard(b"zero!!longertwo", &entries)))?;
    same(below.bytes("data/a/c1/1"), Some(shard(b"\0new", &[EMPTY, EMPTY, (0, 4), EMPTY, EMPTY, EMPTY])))
}

fn in_place() -> Outcome {
    let below = recording();
    let store = over(&below, 3);
    put(&*store, "data/a/c0/0", b"zero")?;
    put(&*store, "data/a/c0/1", b"one")?;
    below.calls();
    put(&*store, "data/a/c0/0", b"ZERO")?;
    let index = "get_partial_values data/a/c0/0 -96";
    called(&below, &[index, "set_partial_values data/a/c0/0 0+4, data/a/c0/0 7+96"])?;
    // Shorter: a byte is unused.
    put(&*store, "data/a/c0/1", b"II")?;
    called(&below, &[index, "set_partial_values data/a/c0/0 4+2, data/a/c0/0 7+96"])?;
    // A part of a chunk, without a look at the rest.
    fine(block_on(store.set_partial_values(&values(&[("data/a/c0/0", 1, b"e")]))))?;
    called(&below, &[index, "set_partial_values data/a/c0/0 1+1, data/a/c0/0 7+96"])?;
    let entries = [(0, 4), (4, 2), EMPTY, EMPTY, EMPTY, EMPTY];
    same(below.bytes("data/a/c0/0"), Some(shard(b"ZeROIIe", &entries)))
}

fn unused_bytes() -> Outcome {
    let below = recording();
    let store = over(&below, 3);
    put(&*store, "data/a/c0/0", b"zero")?;
    put(&*store, "data/a/c0/1", b"one")?;
    below.calls();
    // Four bytes would be unused.
    fine(block_on(store.erase(&key("data/a/c0/0"))))?;
    let expected =
        ["get_partial_values data/a/c0/0 -96", "get_partial_values data/a/c0/0 4+3", "set data/a/c0/0"];
    called(&below, &expected)?;
    same(below.bytes("data/a/c0/0"), Some(shard(b"one", &[EMPTY, (0, 3), EMPTY, EMPTY, EMPTY, EMPTY])))
}

/// Writers may store equal chunks once.
fn shared_bytes() -> Outcome {
    let below = recording();
    let entries = [(0, 4), (0, 4), (2, 2), EMPTY, EMPTY, EMPTY];
    below.inner.insert(&key("data/a/c0/0"), shard(b"same", &entries));
    let store = plain(&below);
    put(&*store, "data/a/c0/0", b"diff")?;
    for (name, expected) in [("data/a/c0/0", "diff"), ("data/a/c0/1", "same"), ("data/a/c1/0", "me")] {
        same(fine(whole(&*store, name))?, Some(expected.as_bytes().to_vec()))?;
    }
    Ok(())
}

fn order() -> Outcome {
    let below = recording();
    let store = plain(&below);
    let names = ["c2/1", "c0/0", "c1/1", "c0/1", "c2/0", "c1/0"].map(|name| format!("data/a/{name}"));
    let list: Vec<(&str, u64, &[u8])> = names
        .iter()
        .zip([b"f", b"a", b"d", b"b", b"e", b"c"])
        .map(|(name, bytes)| (name.as_str(), 0, &bytes[..]))
        .collect();
    fine(block_on(store.set_partial_values(&values(&list))))?;
    same(below.bytes("data/a/c0/0").map(|bytes| bytes[..6].to_vec()), Some(b"abcdef".to_vec()))
}

fn erase_all() -> Outcome {
    let below = recording();
    let store = plain(&below);
    put(&*store, "data/a/c0/0", b"zero")?;
    // Of shard 2, 0 two chunks lie within the array.
    put(&*store, "data/a/c6/0", b"one")?;
    put(&*store, "data/a/c6/1", b"two")?;
    below.calls();
    fine(block_on(store.erase_values(&["data/a/c6/1", "data/a/c6/0", "zarr.json"].map(key))))?;
    called(&below, &["erase_values zarr.json, data/a/c2/0"])?;
    same(below.inner.keys(), vec!["data/a/c0/0".to_owned()])
}

fn erase_some() -> Outcome {
    let below = recording();
    let store = plain(&below);
    put(&*store, "data/a/c0/0", b"zero")?;
    put(&*store, "data/a/c0/1", b"one")?;
    below.calls();
    fine(block_on(store.erase_values(&["data/a/c0/0", "data/a/c1/0"].map(key))))?;
    called(&below, &["get_partial_values data/a/c0/0 -96", "set_partial_values data/a/c0/0 7+96"])?;
    let entries = [EMPTY, (4, 3), EMPTY, EMPTY, EMPTY, EMPTY];
    same(below.bytes("data/a/c0/0"), Some(shard(b"zeroone", &entries)))?;
    // Chunks that are not there change nothing.
    fine(block_on(store.erase_values(&["data/a/c0/0", "data/a/c3/0"].map(key))))?;
    called(&below, &["get_partial_values data/a/c0/0 -96, data/a/c1/0 -96"])
}

fn erase_last() -> Outcome {
    let below = recording();
    let store = plain(&below);
    put(&*store, "data/a/c1/1", b"only")?;
    below.calls();
    fine(block_on(store.erase(&key("data/a/c1/1"))))?;
    called(&below, &["get_partial_values data/a/c0/0 -96", "erase_values data/a/c0/0"])
}

fn erase_prefix_relayed() -> Outcome {
    for above in ["data/a", "data", "", "other"] {
        let below = recording();
        let store = plain(&below);
        put(&*store, "data/a/c0/0", b"zero")?;
        below.calls();
        fine(block_on(store.erase_prefix(&prefix(above))))?;
        called(&below, &[&format!("erase_prefix {above}/")])?;
    }
    // The one row of its shards that lies within the array: the shards go as they are.
    let below = recording();
    let store = plain(&below);
    put(&*store, "data/a/c6/0", b"row")?;
    put(&*store, "data/a/c5/0", b"row before")?;
    below.calls();
    fine(block_on(store.erase_prefix(&prefix("data/a/c6"))))?;
    called(&below, &["list_prefix data/a/c2/", "erase_values data/a/c2/0"])?;
    same(below.inner.keys(), vec!["data/a/c1/0".to_owned()])
}

fn erase_prefix_translated() -> Outcome {
    let below = recording();
    let store = plain(&below);
    for name in ["data/a/c4/0", "data/a/c4/3", "data/a/c5/0", "data/a/c1/2"] {
        put(&*store, name, name.as_bytes())?;
    }
    below.calls();
    fine(block_on(store.erase_prefix(&prefix("data/a/c4"))))?;
    called(
        &below,
        &[
            "list_prefix data/a/c1/",
            "get_partial_values data/a/c1/0 -96, data/a/c1/1 -96",
            "get_partial_values data/a/c1/0 -96, data/a/c1/1 -96",
            "set_partial_values data/a/c1/0 22+96",
            "erase_values data/a/c1/1",
        ],
    )?;
    let keys = fine(block_on(store.list()))?;
    let mut names: Vec<&str> = keys.iter().map(StoreKey::as_str).collect();
    names.sort_unstable();
    same(names, vec!["data/a/c1/2", "data/a/c5/0"])
}

fn list_prefix() -> Outcome {
    let below = recording();
    let store = plain(&below);
    for name in ["data/a/c4/0", "data/a/c4/3", "data/a/c5/0"] {
        put(&*store, name, name.as_bytes())?;
    }
    below.calls();
    let keys = fine(block_on(store.list_prefix(&prefix("data/a/c4"))))?;
    same(keys, ["data/a/c4/0", "data/a/c4/3"].map(key).to_vec())?;
    called(&below, &["list_prefix data/a/c1/", "get_partial_values data/a/c1/0 -96, data/a/c1/1 -96"])
}

/// The text's example: shards of 32 × 2 chunks.
fn list_dir() -> Outcome {
    let below = recording();
    let place = ArrayPlace {
        prefix: prefix("data/root/foo/baz"),
        grid_shape: vec![100, 40],
        separator: Separator::Slash,
    };
    let store = fine(ShardingTransformer::new(below.clone(), place, vec![32, 2], UNUSED_BYTES))?;
    put(&store, "data/root/foo/baz/c96/18", b"here")?;
    put(&store, "data/root/foo/baz/c97/19", b"there")?;
    below.calls();
    let listing = fine(block_on(store.list_dir(&prefix("data/root/foo/baz"))))?;
    // All prefixes that shard 3 can hold chunks of; not c3.
    let expected: BTreeSet<NodePath> =
        (96..128).map(|at| prefix(&format!("data/root/foo/baz/c{at}"))).collect();
    same((listing.keys, listing.prefixes.into_iter().collect()), (Vec::new(), expected))?;
    called(&below, &["list_dir data/root/foo/baz/"])?;
    let listing = fine(block_on(store.list_dir(&prefix("data/root/foo/baz/c96"))))?;
    same((listing.keys, listing.prefixes), (vec![key("data/root/foo/baz/c96/18")], Vec::new()))?;
    called(&below, &["list_dir data/root/foo/baz/c3/", "get_partial_values data/root/foo/baz/c3/9 -1024"])?;
    let listing = fine(block_on(store.list_dir(&prefix("data/root/foo/baz/c98"))))?;
    same((listing.keys.len(), listing.prefixes.len()), (0, 0))
}

fn pass_through() -> Outcome {
    let below = recording();
    let store = plain(&below);
    let names =
        ["zarr.json", "meta/a.array.json", "data/b/c0/0", "data/a/c0.0", "data/a/c01/0", "data/a/c0/0/0"];
    for name in names {
        put(&*store, name, b"as it is")?;
        called(&below, &[&format!("set {name}")])?;
        same(fine(whole(&*store, name))?, Some(b"as it is".to_vec()))?;
        called(&below, &[&format!("get {name} all")])?;
        fine(block_on(store.erase(&key(name))))?;
        called(&below, &[&format!("erase {name}")])?;
    }
    Ok(())
}

fn scalar() -> Outcome {
    for name in ["data/c", "data/c0"] {
        let below = recording();
        let place = ArrayPlace { prefix: prefix("data"), grid_shape: vec![], separator: Separator::Slash };
        let store = fine(ShardingTransformer::new(below.clone(), place, vec![], UNUSED_BYTES))?;
        put(&store, name, b"one")?;
        same(below.bytes(name), Some(shard(b"one", &[(0, 3)])))?;
        same(fine(whole(&store, name))?, Some(b"one".to_vec()))?;
        same(fine(block_on(store.list_prefix(&prefix("data"))))?, vec![key(name)])?;
        fine(block_on(store.erase(&key(name))))?;
        same(below.inner.keys().len(), 0)?;
    }
    Ok(())
}

fn hostile_indexes() -> Outcome {
    let hostile = [
        (3, 3),            // reaches into the index
        (5, 1),            // is in the index
        (u64::MAX - 1, 4), // overflow
        (u64::MAX, 4),     // half empty
        (4, u64::MAX),     // half empty
        (0, 1 << 60),      // far more than there is
        (1 << 40, 1),      // begins past the end
    ];
    for entry in hostile {
        let below = recording();
        // One entry that cannot be is enough to doubt the others.
        let entries = [(0, 5), EMPTY, entry, EMPTY, EMPTY, EMPTY];
        below.inner.insert(&key("data/a/c0/0"), shard(b"chunk", &entries));
        let store = plain(&below);
        for name in ["c0/0", "c0/1", "c1/0"] {
            match whole(&*store, &format!("data/a/{name}")) {
                Err(error) if error.kind() == ErrorKind::Format => {
                    same(error.context().key.as_deref(), Some("data/a/c0/0"))?;
                }
                other => return Err(format!("{entry:?}, {name}: {other:?}")),
            }
        }
        for result in [
            block_on(store.list()).map(drop),
            block_on(store.set(&key("data/a/c0/0"), b"new".to_vec().into())),
            block_on(store.erase(&key("data/a/c0/0"))),
        ] {
            same(result.map_err(|error| error.kind()), Err(ErrorKind::Format))?;
        }
    }
    Ok(())
}

fn short_shards() -> Outcome {
    for len in [0, 1, 95] {
        let below = recording();
        below.inner.insert(&key("data/a/c0/0"), vec![0xff; len]);
        let store = plain(&below);
        match whole(&*store, "data/a/c0/0") {
            Err(error) if error.kind() == ErrorKind::Format => {}
            other => return Err(format!("{len} bytes: {other:?}")),
        }
    }
    Ok(())
}

fn read_only() -> Outcome {
    let below =
        Rc::new(Recording { inner: MemoryStore::new(), calls: RefCell::default(), is_writable: false });
    let store = plain(&below);
    match block_on(store.set(&key("data/a/c0/0"), b"x".to_vec().into())) {
        Err(error) if error.kind() == ErrorKind::Unsupported && error.message().contains("write") => {}
        other => return Err(format!("{other:?}")),
    }
    called(&below, &[])
}

fn concurrent_writers() -> Outcome {
    let slow = Rc::new(Slow { inner: recording() });
    let store = sharded(slow, Separator::Slash, UNUSED_BYTES);
    let names = ["data/a/c0/0", "data/a/c0/1", "data/a/c1/0", "data/a/c2/1", "data/a/c3/0"].map(key);
    let sets = names.iter().map(|name| store.set(name, name.as_str().as_bytes().to_vec().into()));
    fine(block_on(futures_util::future::try_join_all(sets)).map(drop))?;
    for name in &names {
        same(fine(whole(&*store, name.as_str()))?, Some(name.as_str().as_bytes().to_vec()))?;
    }
    Ok(())
}

/// Lets others go first before each call.
struct Slow {
    inner: Rc<Recording>,
}

async fn others_first() {
    let mut turns = 3;
    std::future::poll_fn(|context| {
        if turns == 0 {
            return std::task::Poll::Ready(());
        }
        turns -= 1;
        context.waker().wake_by_ref();
        std::task::Poll::Pending
    })
    .await;
}

impl Store for Slow {
    fn capabilities(&self) -> Capabilities {
        self.inner.capabilities()
    }

    fn describe(&self) -> String {
        "slow".to_owned()
    }

    fn get<'a>(
        &'a self,
        key: &'a StoreKey,
        range: ByteRange,
        context: &'a RequestContext,
    ) -> LocalFuture<'a, Result<Option<Fetched>>> {
        Box::pin(async move {
            others_first().await;
            self.inner.get(key, range, context).await
        })
    }

    fn set<'a>(&'a self, key: &'a StoreKey, value: Value) -> LocalFuture<'a, Result<()>> {
        Box::pin(async move {
            others_first().await;
            self.inner.set(key, value).await
        })
    }
}
