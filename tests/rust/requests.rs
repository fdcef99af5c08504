//! Requests are counted: the usual motions of a viewer ask for what they need and nothing twice.

use std::cell::{Cell, RefCell};
use std::future::poll_fn;
use std::ops::Range;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

use futures_executor::{LocalPool, block_on};
use futures_util::future::FutureExt;
use futures_util::task::LocalSpawnExt;
use support::watched::{Call, Watch, Watched};
use support::{
    Discard, ReadElements, case_store, fixtures, open_array, read_async, read_selection, read_with,
};
use zarr_wasm::access::selection::Selection;
use zarr_wasm::error::Result;
use zarr_wasm::format::path::StoreKey;
use zarr_wasm_engine::internals::read::array::Array;
use zarr_wasm_engine::internals::read::decoder::{Decoded, Decoder, EncodedChunks, PartDecoder, Undecoded};
use zarr_wasm_engine::internals::read::inline_decoder::InlineDecoder;
use zarr_wasm_engine::internals::read::{ReadRequest, read};
use zarr_wasm_engine::internals::store::memory::MemoryStore;
use zarr_wasm_engine::internals::store::turn::set_pause;
use zarr_wasm_engine::internals::store::wrap::{Counting, Gathering};
use zarr_wasm_engine::internals::store::{ByteRange, LocalFuture, RequestContext, Store, Value};

/// Shards of 8 × 12 elements in an array of 13 × 23, inner chunks of 4 × 6, the index of 4 entries
/// and a checksum at the end.
const SHARDED: &str = "zstd-checked-end";
const INDEX: ByteRange = ByteRange::Last(4 * 16 + 4);

fn counting_store() -> Rc<Counting> {
    counting("zarr-python-3/sharding-v3")
}

fn counting(fixture: &str) -> Rc<Counting> {
    Rc::new(Counting::with_log(Rc::new(case_store(&fixtures().join(fixture)))))
}

fn array(store: &Rc<Counting>) -> Rc<Array> {
    array_at(store, SHARDED)
}

/// The array over the store, as stores of ours are made.
fn array_at(store: &Rc<Counting>, path: &str) -> Rc<Array> {
    open_array(&gathering(store), path)
}

fn gathering(store: &Rc<Counting>) -> Rc<dyn Store> {
    Rc::new(Gathering::new(store.clone()))
}

fn window(rows: Range<u64>, columns: Range<u64>) -> Selection {
    support::window(&[rows, columns])
}

/// The reads of chunks since `from` reads.
fn chunk_reads(store: &Counting, from: usize) -> Vec<(String, ByteRange)> {
    let prefix = format!("{SHARDED}/c/");
    let log = store.log().split_off(from);
    log.into_iter().filter_map(|(key, range)| Some((key.strip_prefix(&prefix)?.to_owned(), range))).collect()
}

#[test]
fn opening_asks_for_each_document_once_and_all_at_once() {
    let store = counting_store();
    array(&store);
    let mut keys: Vec<String> = store.log().into_iter().map(|(key, _)| key).collect();
    keys.sort();
    let expected = [".zarray", ".zattrs", ".zgroup", "zarr.json"].map(|suffix| format!("{SHARDED}/{suffix}"));
    // A store that answers at once ends the open with its first answer; none is asked for twice.
    assert!(keys.iter().all(|key| expected.contains(key)), "{keys:?}");
    keys.dedup();
    assert_eq!(keys.len(), store.log().len());
}

#[test]
fn a_window_inside_a_shard_is_an_index_and_one_merged_range() {
    let store = counting_store();
    let array = array(&store);
    let opened = store.log().len();
    let read =
        |selection| read_selection(&array, selection, None).unwrap_or_else(|error| panic!("{error:?}"));
    read(window(0..8, 0..12));
    let first = chunk_reads(&store, opened);
    assert_eq!(first.len(), 2, "{first:?}");
    assert_eq!(first[0], ("0/0".to_owned(), INDEX));
    assert!(matches!(&first[1], (key, ByteRange::At { .. }) if key == "0/0"), "{first:?}");
    let so_far = store.log().len();
    read(window(4..8, 6..12));
    let second = chunk_reads(&store, so_far);
    assert_eq!(second.len(), 1, "the index was kept: {second:?}");
}

#[test]
fn chunks_that_are_shared_and_those_that_are_not_are_asked_for_together() {
    let store = counting_store();
    let array = array(&store);
    let opened = store.log().len();
    // Of the upper chunks some rows, which is worth decoding once for all; all of the lower ones.
    read_selection(&array, window(2..8, 0..12), None).unwrap_or_else(|error| panic!("{error:?}"));
    let reads = chunk_reads(&store, opened);
    assert_eq!(reads.len(), 2, "{reads:?}");
    assert_eq!(reads[0], ("0/0".to_owned(), INDEX));
}

/// Reads that are begun together cost what one read of all of it costs, whether their shards'
/// indexes are known or not: each a task of its own, as calls of a page are, of an array that was
/// opened several times.
#[test]
fn concurrent_reads_cost_what_one_read_of_all_costs() {
    let windows = || {
        (0..3).flat_map(|row| {
            (0..4).map(move |column| window(4 * row..4 * row + 3, 6 * column..6 * column + 4))
        })
    };
    for index_is_known in [false, true] {
        let store = counting_store();
        let gathering = gathering(&store);
        let arrays = [open_array(&gathering, SHARDED), open_array(&gathering, SHARDED)];
        let asked = |reads: Vec<Selection>| {
            arrays.iter().for_each(|array| array.forget_chunks());
            if index_is_known {
                // Of each shard a corner, which tells its index.
                for (row, column) in [(7, 11), (7, 22), (12, 11), (12, 22)] {
                    for array in &arrays {
                        let corner = window(row..row + 1, column..column + 1);
                        read_selection(array, corner, None).unwrap_or_else(|error| panic!("{error:?}"));
                    }
                }
            }
            let before = store.log().len();
            let mut pool = LocalPool::new();
            for (selection, array) in reads.into_iter().zip(arrays.iter().cycle()) {
                let array = array.clone();
                let read = async move { read_async(&array, selection, None).await.map(|_| ()) };
                pool.spawner()
                    .spawn_local(read.map(|read| assert!(read.is_ok())))
                    .unwrap_or_else(|error| panic!("{error:?}"));
            }
            pool.run();
            chunk_reads(&store, before)
        };
        let all = asked(vec![window(0..11, 0..22)]);
        let each = asked(windows().collect());
        assert!(each.len() <= all.len(), "{each:?}, and of all {all:?}");
    }
}

#[test]
fn a_read_of_everything_asks_for_each_shard_twice() {
    let store = counting_store();
    let array = array(&store);
    let opened = store.log().len();
    read_selection(&array, Selection::all(), None).unwrap_or_else(|error| panic!("{error:?}"));
    let reads = chunk_reads(&store, opened);
    assert_eq!(reads.len(), 2 * 2 * 2, "four shards, an index and a range each: {reads:?}");
}

/// Shards of a draft's storage transformer are read as those of the codec are.
#[test]
fn a_window_inside_a_shard_of_a_transformer_is_an_index_and_one_merged_range() {
    for (fixture, path, prefix, index_entries, window, shard) in [
        // Shards of 4 × 6 elements in chunks of 2 × 3.
        ("draft-2022/sharded", "plain", "data/plain/", 4, window(0..4, 0..6), "c0/0"),
        ("draft-2022/sharded", "any-order", "data/any-order/", 4, window(4..8, 6..12), "c1/1"),
        ("zarr-python-2-draft/sharded", "g/plain", "data/root/g/plain/", 4, window(1..3, 1..5), "c0/0"),
        // Its shards have a compressor in them, and hold 2 × 3 chunks of 4 × 4.
        ("draft-2022/sharded", "gzip", "data/gzip/", 6, window(0..8, 0..9), "c0/0"),
    ] {
        let store = counting(fixture);
        let array = array_at(&store, path);
        let opened = store.log().len();
        read_selection(&array, window, None).unwrap_or_else(|error| panic!("{error:?}"));
        let asked = store.log().split_off(opened);
        assert_eq!(asked.len(), 2, "{fixture}: {asked:?}");
        assert_eq!(asked[0], (format!("{prefix}{shard}"), ByteRange::Last(index_entries * 16)));
        assert!(matches!(asked[1].1, ByteRange::At { .. }), "{fixture}: {asked:?}");
    }
}

/// Shards of shards: an index each, and the chunks.
#[test]
fn a_chunk_in_a_shard_in_a_shard_is_two_indexes_and_a_range() {
    let store = counting("draft-2022/sharded");
    let array = array_at(&store, "stacked");
    let opened = store.log().len();
    read_selection(&array, window(0..1, 0..1), None).unwrap_or_else(|error| panic!("{error:?}"));
    assert_eq!(store.log().len() - opened, 3);
}

/// What makes a memory a store over HTTP: its answers to reads of chunks are those of the moment at
/// which they were asked for, and come when they may.
struct Gate {
    is_open: Cell<bool>,
}

impl Gate {
    fn poll_open(&self, context: &mut Context<'_>) -> Poll<()> {
        // It is polled again with each other future, because nothing else wakes it.
        context.waker().wake_by_ref();
        if self.is_open.get() { Poll::Ready(()) } else { Poll::Pending }
    }
}

impl Watch for Gate {
    fn is_cacheable(&self) -> bool {
        true
    }

    fn after<'a>(&'a self, call: Call<'a>) -> LocalFuture<'a, Result<()>> {
        let is_chunk = matches!(call, Call::Get(key, _) if key.as_str().contains("/c/"));
        Box::pin(async move {
            if is_chunk {
                poll_fn(|context| self.poll_open(context)).await;
            }
            Ok(())
        })
    }
}

fn slow_array(path: &str, is_open: bool) -> (Rc<Watched<Gate>>, Rc<Array>) {
    let memory = Rc::new(case_store(&fixtures().join("zarr-python-3/sharding-v3")));
    let store = Watched::over(memory, Gate { is_open: Cell::new(is_open) });
    let shared: Rc<dyn Store> = store.clone();
    let array = open_array(&shared, path);
    (store, array)
}

/// Whatever a read that is under way brings after everything was to be forgotten, it is not kept:
/// neither the index of a shard (which is on its way first) nor a chunk (where the index is there).
#[test]
fn what_was_asked_for_before_a_refresh_is_not_kept() {
    for has_index in [false, true] {
        let (store, array) = slow_array(SHARDED, has_index);
        let first = |column: u64| -> LocalFuture<'_, Result<ReadElements>> {
            Box::pin(read_async(&array, window(0..3, column..column + 3), None))
        };
        let done = |read: LocalFuture<'_, Result<ReadElements>>| {
            block_on(read).unwrap_or_else(|error| panic!("{error:?}"))
        };
        if has_index {
            done(first(6));
        }
        store.watch.is_open.set(false);
        let mut early = first(0);
        let mut context = Context::from_waker(Waker::noop());
        assert!(early.as_mut().poll(&mut context).is_pending());
        // Another shard replaces this one.
        let key = |chunk: &str| StoreKey::parse(&format!("{SHARDED}/c/{chunk}"));
        let (from, to) = (key("0/1"), key("0/0"));
        let (from, to) = from.and_then(|from| Ok((from, to?))).unwrap_or_else(|error| panic!("{error:?}"));
        let anything = RequestContext::default();
        let other = block_on(store.memory.get(&from, ByteRange::Whole, &anything));
        let other = other.ok().flatten().unwrap_or_else(|| panic!("there is a second shard"));
        store.memory.insert(&to, other.value);
        array.forget_chunks();
        let mut later = first(0);
        assert!(later.as_mut().poll(&mut context).is_pending());
        store.watch.is_open.set(true);
        let later = done(later);
        // It has the old index or chunk; what it makes of that is its own matter.
        let _ = block_on(early);
        assert_eq!(later, done(first(12)));
        assert_eq!(done(first(0)), later, "a chunk, has index: {has_index}");
        assert_eq!(done(first(8)), done(first(20)), "an index, has index: {has_index}");
    }
}

/// Counts the parts that it is given.
#[derive(Default)]
struct Tally {
    inner: InlineDecoder,
    parts: Cell<usize>,
}

impl Decoder for Tally {
    fn begin(&self, array: &Rc<Array>, header: Vec<u32>) -> Result<Box<dyn PartDecoder>> {
        self.parts.set(self.parts.get() + 1);
        self.inner.begin(array, header)
    }
}

type Reading<'a> = LocalFuture<'a, Result<ReadElements>>;

fn is_pending(reading: &mut Reading<'_>) -> bool {
    reading.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending()
}

/// The read that started the work may leave. The last read that leaves ends it, and then nothing
/// keeps the array or its store alive.
#[test]
fn the_same_elements_are_decoded_once_for_all_who_read_them() {
    let (store, array) = slow_array(SHARDED, true);
    let expected = read_selection(&array, Selection::all(), None).unwrap_or_else(|error| panic!("{error:?}"));
    array.forget_chunks();
    let held = (Rc::strong_count(&array), Rc::strong_count(&store));
    for leave in [vec![], vec![0], vec![0, 2], vec![0, 1, 2, 3]] {
        store.watch.is_open.set(false);
        let tally = Rc::new(Tally::default());
        let decoder: Rc<dyn Decoder> = tally.clone();
        let read = || -> Reading<'_> { Box::pin(read_with(&array, Selection::all(), None, decoder.clone())) };
        let mut readings: Vec<Option<Reading<'_>>> = (0..4).map(|_| Some(read())).collect();
        assert!(readings.iter_mut().flatten().all(is_pending));
        leave.iter().for_each(|at| readings[*at] = None);
        store.watch.is_open.set(true);
        for reading in readings.into_iter().flatten() {
            assert_eq!(block_on(reading).unwrap_or_else(|error| panic!("{error:?}")), expected);
        }
        assert_eq!(tally.parts.get(), usize::from(leave.len() < 4), "{leave:?}");
        drop((tally, decoder));
        array.forget_chunks();
        assert_eq!((Rc::strong_count(&array), Rc::strong_count(&store)), held, "{leave:?}");
    }
}

/// Loses the worker of so many parts.
struct Losing {
    inner: InlineDecoder,
    left: Cell<usize>,
}

struct LostPart;

impl Decoder for Losing {
    fn begin(&self, array: &Rc<Array>, header: Vec<u32>) -> Result<Box<dyn PartDecoder>> {
        let left = self.left.get();
        self.left.set(left.saturating_sub(1));
        if left == 0 { self.inner.begin(array, header) } else { Ok(Box::new(LostPart)) }
    }
}

impl PartDecoder for LostPart {
    fn supply(&mut self, _: EncodedChunks) -> Result<()> {
        Ok(())
    }

    fn finish(self: Box<Self>) -> LocalFuture<'static, Decoded<Value>> {
        Box::pin(async { Err(Undecoded::WorkerLost("the worker has stopped".to_owned())) })
    }
}

#[test]
fn a_part_is_read_again_where_its_worker_was_lost_but_only_once() {
    let (_, array) = slow_array(SHARDED, true);
    let expected = read_selection(&array, Selection::all(), None).unwrap_or_else(|error| panic!("{error:?}"));
    for lost in 0..3 {
        array.forget_chunks();
        let decoder = Rc::new(Losing { inner: InlineDecoder::default(), left: Cell::new(lost) });
        match block_on(read_with(&array, Selection::all(), None, decoder)) {
            Ok(read) => assert!(lost < 2 && read == expected, "{lost}"),
            Err(error) => assert_eq!((lost, error.message()), (2, "the worker has stopped")),
        }
    }
}

thread_local! {
    static TURN: Cell<u64> = const { Cell::new(0) };
    static WAITING: RefCell<Vec<Waker>> = const { RefCell::new(Vec::new()) };
}

/// Ready in the next turn.
fn pause() -> LocalFuture<'static, ()> {
    let begun = TURN.get();
    Box::pin(poll_fn(move |context| {
        if TURN.get() > begun {
            return Poll::Ready(());
        }
        WAITING.with_borrow_mut(|waiting| waiting.push(context.waker().clone()));
        Poll::Pending
    }))
}

/// Parts of a thousand chunks each are begun many at a time, and none of them in one go with the
/// next.
#[test]
fn others_have_their_turn_between_parts_of_many_chunks() {
    let document = r#"{"zarr_format": 3, "node_type": "array", "shape": [1048576, 1048576], "data_type": "uint32",
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [16, 16]}},
        "chunk_key_encoding": {"name": "default"}, "fill_value": 0,
        "codecs": [{"name": "bytes", "configuration": {"endian": "little"}}]}"#;
    let inner = Rc::new(MemoryStore::new());
    let key = StoreKey::parse("zarr.json").unwrap_or_else(|error| panic!("{error:?}"));
    inner.insert(&key, document.as_bytes().to_vec());
    let store = Rc::new(Counting::with_log(inner));
    let array = array_at(&store, "");
    set_pause(pause);
    let opened = store.log().len();
    let request = ReadRequest {
        selection: Selection::all(),
        order: None,
        padded: false,
        growth: None,
        spreads: false,
        streamed: true,
        nearest: None,
        conversion: None,
        decodes: true,
    };
    let decoder: Rc<dyn Decoder> = Rc::new(InlineDecoder::default());
    let context = RequestContext::default();
    let mut reading: LocalFuture<'_, _> = Box::pin(read(&array, &request, &decoder, &Discard, &context));
    for turn in 1..5 {
        let before = store.log().len();
        assert!(reading.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
        // 64 at a time of each part; of 32 parts at once it would be 2048.
        assert!(store.log().len() - before <= 64 * turn, "{}", store.log().len() - before);
        TURN.set(TURN.get() + 1);
        WAITING.take().iter().for_each(Waker::wake_by_ref);
    }
    assert!(store.log().len() - opened >= 3 * 64);
}
