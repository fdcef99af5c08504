//! What the sharding transformer asks of the store below, call by call; what it writes, byte by
//! byte; and what it makes of shards that cannot be. Expected bytes are put together here, from the
//! text's words alone.

use std::rc::Rc;

use futures_executor::block_on;
use zarr_wasm::error::{ErrorKind, Result};
use zarr_wasm::format::chunk_key::Separator;
use zarr_wasm::format::path::StoreKey;
use zarr_wasm_engine::internals::store::memory::MemoryStore;
use zarr_wasm_engine::internals::store::wrap::Recording;
use zarr_wasm_engine::internals::store::wrap::transform::ArrayKeys;
use zarr_wasm_engine::internals::store::wrap::transform::sharding::ShardingTransformer;
use zarr_wasm_engine::internals::store::{ByteRange, Listable, LocalFuture, RequestContext, Store, Writable};

use super::stores::{key, prefix, sharded};
use super::{Outcome, Test};
use support::watched::{Call, Watch, Watched, others_first};

/// Each test, by what it says.
pub const TESTS: &[Test] = &[
    ("the_layout_is_that_of_the_text", layout),
    ("a_chunk_is_two_requests", two_requests),
    ("an_absent_chunk_is_one_request", absent_chunks),
    ("a_change_reads_the_shard_and_sets_it", set_anew),
    ("other_chunks_keep_their_bytes", others_stay),
    ("what_nothing_refers_to_is_left_out", unused_bytes),
    ("chunks_that_share_bytes_are_told_apart", shared_bytes),
    ("new_shards_have_their_chunks_in_c_order", order),
    ("erase_of_a_chunk_leaves_the_others", erase_some),
    ("erasing_the_last_chunk_erases_the_shard", erase_last),
    ("erase_prefix_of_the_array_is_relayed", erase_prefix_relayed),
    ("erase_prefix_of_a_part_of_the_grid_is_translated", erase_prefix_translated),
    ("list_prefix_is_translated", list_prefix),
    ("list_dir_translates_prefixes", list_dir),
    ("other_keys_pass_through", pass_through),
    ("a_scalar_is_a_shard_of_one_chunk", scalar),
    ("indexes_that_cannot_be_are_refused", hostile_indexes),
    ("shards_that_are_too_short_are_refused", short_shards),
    ("a_shard_that_keeps_changing_is_refused", changing_shards),
    ("a_read_only_store_is_not_asked_to_write", read_only),
    ("writers_of_one_shard_wait_for_one_another", concurrent_writers),
];

fn over(below: &Rc<Recording>) -> Rc<dyn Store> {
    sharded(below.clone(), Separator::Slash)
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

fn layout() -> Outcome {
    let below = Recording::empty();
    let store = over(&below);
    put(&*store, "data/a/c4/3", b"(1, 1)")?;
    put(&*store, "data/a/c3/2", b"(0, 0)!")?;
    // Shard 1, 1 of 3 × 2 chunks, in C order.
    let entries = [(0, 7), EMPTY, EMPTY, (7, 6), EMPTY, EMPTY];
    same(below.memory.bytes(&key("data/a/c1/1")), Some(shard(b"(0, 0)!(1, 1)", &entries)))?;
    // At the edge of 7 × 5 chunks the index has its full size.
    put(&*store, "data/a/c6/4", b"edge")?;
    same(
        below.memory.bytes(&key("data/a/c2/2")),
        Some(shard(b"edge", &[(0, 4), EMPTY, EMPTY, EMPTY, EMPTY, EMPTY])),
    )
}

fn two_requests() -> Outcome {
    let below = Recording::empty();
    let store = over(&below);
    put(&*store, "data/a/c0/0", b"zero")?;
    put(&*store, "data/a/c0/1", b"one")?;
    below.calls();
    same(fine(whole(&*store, "data/a/c0/1"))?, Some(b"one".to_vec()))?;
    called(&below, &["get data/a/c0/0 -96", "get data/a/c0/0 4+3"])?;
    let range = ByteRange::At { offset: 1, len: 2 };
    let part = fine(block_on(store.get(&key("data/a/c0/0"), range, &RequestContext::default())))?;
    same(part.and_then(|part| part.value.as_slice().map(<[u8]>::to_vec)), Some(b"er".to_vec()))?;
    called(&below, &["get data/a/c0/0 -96", "get data/a/c0/0 1+2"])
}

fn absent_chunks() -> Outcome {
    let below = Recording::empty();
    let store = over(&below);
    put(&*store, "data/a/c0/0", b"zero")?;
    below.calls();
    same(fine(whole(&*store, "data/a/c0/1"))?, None)?;
    same(fine(whole(&*store, "data/a/c6/4"))?, None)?;
    called(&below, &["get data/a/c0/0 -96", "get data/a/c2/2 -96"])
}

fn set_anew() -> Outcome {
    let below = Recording::empty();
    let store = over(&below);
    put(&*store, "data/a/c0/0", b"zero")?;
    called(&below, &["get data/a/c0/0", "set data/a/c0/0"])?;
    // What is there already is not written again.
    put(&*store, "data/a/c0/0", b"zero")?;
    called(&below, &["get data/a/c0/0"])
}

fn others_stay() -> Outcome {
    let below = Recording::empty();
    let store = over(&below);
    for (name, bytes) in [("data/a/c0/0", "zero"), ("data/a/c0/1", "one"), ("data/a/c1/0", "two")] {
        put(&*store, name, bytes.as_bytes())?;
    }
    put(&*store, "data/a/c0/1", b"longer")?;
    let entries = [(0, 4), (4, 6), (10, 3), EMPTY, EMPTY, EMPTY];
    same(below.memory.bytes(&key("data/a/c0/0")), Some(shard(b"zerolongertwo", &entries)))
}

/// Other writers leave gaps.
fn unused_bytes() -> Outcome {
    let below = Recording::empty();
    let entries = [(3, 4), EMPTY, (9, 3), EMPTY, EMPTY, EMPTY];
    below.memory.insert(&key("data/a/c0/0"), shard(b"...zero..two.", &entries));
    let store = over(&below);
    put(&*store, "data/a/c0/1", b"one")?;
    let entries = [(0, 4), (4, 3), (7, 3), EMPTY, EMPTY, EMPTY];
    same(below.memory.bytes(&key("data/a/c0/0")), Some(shard(b"zeroonetwo", &entries)))
}

/// Writers may store equal chunks once.
fn shared_bytes() -> Outcome {
    let below = Recording::empty();
    let entries = [(0, 4), (0, 4), (2, 2), EMPTY, EMPTY, EMPTY];
    below.memory.insert(&key("data/a/c0/0"), shard(b"same", &entries));
    let store = over(&below);
    put(&*store, "data/a/c0/0", b"diff")?;
    for (name, expected) in [("data/a/c0/0", "diff"), ("data/a/c0/1", "same"), ("data/a/c1/0", "me")] {
        same(fine(whole(&*store, name))?, Some(expected.as_bytes().to_vec()))?;
    }
    Ok(())
}

fn order() -> Outcome {
    let below = Recording::empty();
    let store = over(&below);
    let names = ["c2/1", "c0/0", "c1/1", "c0/1", "c2/0", "c1/0"].map(|name| format!("data/a/{name}"));
    for (name, bytes) in names.iter().zip([b"f", b"a", b"d", b"b", b"e", b"c"]) {
        put(&*store, name, bytes)?;
    }
    same(below.memory.bytes(&key("data/a/c0/0")).map(|bytes| bytes[..6].to_vec()), Some(b"abcdef".to_vec()))
}

fn erase_some() -> Outcome {
    let below = Recording::empty();
    let store = over(&below);
    put(&*store, "data/a/c0/0", b"zero")?;
    put(&*store, "data/a/c0/1", b"one")?;
    below.calls();
    fine(block_on(store.erase(&key("data/a/c0/0"))))?;
    called(&below, &["get data/a/c0/0", "set data/a/c0/0"])?;
    let entries = [EMPTY, (0, 3), EMPTY, EMPTY, EMPTY, EMPTY];
    same(below.memory.bytes(&key("data/a/c0/0")), Some(shard(b"one", &entries)))?;
    // Chunks that are not there change nothing.
    fine(block_on(store.erase(&key("data/a/c0/0"))))?;
    fine(block_on(store.erase(&key("data/a/c3/0"))))?;
    called(&below, &["get data/a/c0/0", "get data/a/c1/0"])
}

fn erase_last() -> Outcome {
    let below = Recording::empty();
    let store = over(&below);
    put(&*store, "data/a/c1/1", b"only")?;
    below.calls();
    fine(block_on(store.erase(&key("data/a/c1/1"))))?;
    called(&below, &["get data/a/c0/0", "erase data/a/c0/0"])
}

fn erase_prefix_relayed() -> Outcome {
    for above in ["data/a", "data", "", "other"] {
        let below = Recording::empty();
        let store = over(&below);
        put(&*store, "data/a/c0/0", b"zero")?;
        below.calls();
        fine(block_on(store.erase_prefix(&prefix(above))))?;
        called(&below, &[&format!("erase_prefix {above}/")])?;
    }
    Ok(())
}

fn erase_prefix_translated() -> Outcome {
    let below = Recording::empty();
    let store = over(&below);
    for name in ["data/a/c4/0", "data/a/c4/3", "data/a/c5/0", "data/a/c1/2"] {
        put(&*store, name, name.as_bytes())?;
    }
    below.calls();
    fine(block_on(store.erase_prefix(&prefix("data/a/c4"))))?;
    called(
        &below,
        &[
            "list_prefix data/a/c1/",
            "get data/a/c1/0",
            "set data/a/c1/0",
            "get data/a/c1/1",
            "erase data/a/c1/1",
        ],
    )?;
    let keys = fine(block_on(store.list_prefix(&prefix(""))))?;
    let mut names: Vec<&str> = keys.iter().map(StoreKey::as_str).collect();
    names.sort_unstable();
    same(names, vec!["data/a/c1/2", "data/a/c5/0"])
}

fn list_prefix() -> Outcome {
    let below = Recording::empty();
    let store = over(&below);
    for name in ["data/a/c4/0", "data/a/c4/3", "data/a/c5/0"] {
        put(&*store, name, name.as_bytes())?;
    }
    below.calls();
    let keys = fine(block_on(store.list_prefix(&prefix("data/a/c4"))))?;
    same(keys, ["data/a/c4/0", "data/a/c4/3"].map(key).to_vec())?;
    called(&below, &["list_prefix data/a/c1/", "get data/a/c1/0 -96", "get data/a/c1/1 -96"])
}

/// The text's example: shards of 32 × 2 chunks.
fn list_dir() -> Outcome {
    let below = Recording::empty();
    let keys = ArrayKeys {
        prefix: prefix("data/root/foo/baz"),
        grid_shape: vec![100, 40],
        separator: Separator::Slash,
    };
    let store = fine(ShardingTransformer::new(below.clone(), keys, vec![32, 2]))?;
    put(&store, "data/root/foo/baz/c96/18", b"here")?;
    put(&store, "data/root/foo/baz/c97/19", b"there")?;
    below.calls();
    let listing = fine(block_on(store.list_dir(&prefix("data/root/foo/baz"))))?;
    // The chunks' own, not c3.
    let expected = ["data/root/foo/baz/c96", "data/root/foo/baz/c97"].map(prefix);
    same((listing.keys, listing.prefixes), (Vec::new(), expected.to_vec()))?;
    called(&below, &["list_prefix data/root/foo/baz/", "get data/root/foo/baz/c3/9 -1024"])?;
    let listing = fine(block_on(store.list_dir(&prefix("data/root/foo/baz/c96"))))?;
    same((listing.keys, listing.prefixes), (vec![key("data/root/foo/baz/c96/18")], Vec::new()))?;
    called(&below, &["list_prefix data/root/foo/baz/c3/", "get data/root/foo/baz/c3/9 -1024"])?;
    let listing = fine(block_on(store.list_dir(&prefix("data/root/foo/baz/c98"))))?;
    same((listing.keys.len(), listing.prefixes.len()), (0, 0))
}

fn pass_through() -> Outcome {
    let below = Recording::empty();
    let store = over(&below);
    let names =
        ["zarr.json", "meta/a.array.json", "data/b/c0/0", "data/a/c0.0", "data/a/c01/0", "data/a/c0/0/0"];
    for name in names {
        put(&*store, name, b"as it is")?;
        called(&below, &[&format!("set {name}")])?;
        same(fine(whole(&*store, name))?, Some(b"as it is".to_vec()))?;
        called(&below, &[&format!("get {name}")])?;
        fine(block_on(store.erase(&key(name))))?;
        called(&below, &[&format!("erase {name}")])?;
    }
    Ok(())
}

fn scalar() -> Outcome {
    for name in ["data/c", "data/c0"] {
        let below = Recording::empty();
        let keys = ArrayKeys { prefix: prefix("data"), grid_shape: vec![], separator: Separator::Slash };
        let store = fine(ShardingTransformer::new(below.clone(), keys, vec![]))?;
        put(&store, name, b"one")?;
        same(below.memory.bytes(&key(name)), Some(shard(b"one", &[(0, 3)])))?;
        same(fine(whole(&store, name))?, Some(b"one".to_vec()))?;
        same(fine(block_on(store.list_prefix(&prefix("data"))))?, vec![key(name)])?;
        fine(block_on(store.erase(&key(name))))?;
        same(below.memory.keys().len(), 0)?;
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
        let below = Recording::empty();
        // One entry that cannot be is enough to doubt the others.
        let entries = [(0, 5), EMPTY, entry, EMPTY, EMPTY, EMPTY];
        below.memory.insert(&key("data/a/c0/0"), shard(b"chunk", &entries));
        let store = over(&below);
        for name in ["c0/0", "c0/1", "c1/0"] {
            match whole(&*store, &format!("data/a/{name}")) {
                Err(error) if error.kind() == ErrorKind::Format => {
                    same(error.context().key.as_deref(), Some("data/a/c0/0"))?;
                }
                other => return Err(format!("{entry:?}, {name}: {other:?}")),
            }
        }
        for result in [
            block_on(store.list_prefix(&prefix(""))).map(drop),
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
        let below = Recording::empty();
        below.memory.insert(&key("data/a/c0/0"), vec![0xff; len]);
        let store = over(&below);
        match whole(&*store, "data/a/c0/0") {
            Err(error) if error.kind() == ErrorKind::Format => {}
            other => return Err(format!("{len} bytes: {other:?}")),
        }
    }
    Ok(())
}

/// Writes another shard before each request for bytes.
struct Unsteady {
    shards: [Vec<u8>; 2],
    memory: Rc<MemoryStore>,
}

impl Watch for Unsteady {
    fn after<'a>(&'a self, call: Call<'a>) -> LocalFuture<'a, Result<()>> {
        if let Call::Get(key, ByteRange::Last(_)) = call {
            self.memory.insert(key, self.shards[1].clone());
        } else if let Call::Get(key, _) = call {
            self.memory.insert(key, self.shards[0].clone());
        }
        Box::pin(async { Ok(()) })
    }
}

fn changing_shards() -> Outcome {
    let entries = |len| [(0, len), EMPTY, EMPTY, EMPTY, EMPTY, EMPTY];
    let shards = [shard(b"chunk", &entries(5)), shard(b"another chunk", &entries(13))];
    let memory = Rc::new(MemoryStore::new());
    memory.insert(&key("data/a/c0/0"), shards[0].clone());
    let below = Watched::over(memory.clone(), Unsteady { shards, memory });
    let store = sharded(below, Separator::Slash);
    match whole(&*store, "data/a/c0/0") {
        Err(error) if error.message().contains("changed during every attempt") => {
            same(error.context().key.as_deref(), Some("data/a/c0/0"))
        }
        other => Err(format!("{other:?}")),
    }
}

fn read_only() -> Outcome {
    let below = Recording::read_only(Rc::default());
    let store = over(&below);
    match block_on(store.set(&key("data/a/c0/0"), b"x".to_vec().into())) {
        Err(error) if error.kind() == ErrorKind::Unsupported && error.message().contains("write") => {}
        other => return Err(format!("{other:?}")),
    }
    called(&below, &[])
}

fn concurrent_writers() -> Outcome {
    let store = sharded(Watched::new(Slow), Separator::Slash);
    let names = ["data/a/c0/0", "data/a/c0/1", "data/a/c1/0", "data/a/c2/1", "data/a/c3/0"].map(key);
    let sets = names.iter().map(|name| store.set(name, name.as_str().as_bytes().to_vec().into()));
    fine(block_on(futures_util::future::try_join_all(sets)).map(drop))?;
    for name in &names {
        same(fine(whole(&*store, name.as_str()))?, Some(name.as_str().as_bytes().to_vec()))?;
    }
    Ok(())
}

/// Lets others go first before each call.
struct Slow;

impl Watch for Slow {
    fn before<'a>(&'a self, _call: Call<'a>) -> LocalFuture<'a, Result<()>> {
        Box::pin(async {
            others_first(3).await;
            Ok(())
        })
    }
}
