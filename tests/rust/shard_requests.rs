//! A read of shards costs what its ranges cost when all of them are merged, however many parts it
//! has. Requests are counted, and the bytes of each are compared with those of the others.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::io::Write as _;
use std::ops::Range;
use std::rc::Rc;

use flate2::{Compression, write::GzEncoder};
use futures_channel::oneshot;
use futures_executor::{LocalPool, block_on};
use futures_util::future::FutureExt;
use futures_util::task::LocalSpawnExt;
use support::watched::{Call, Watch, Watched};
use support::{Discard, open_array};
use zarr_wasm::error::Result;
use zarr_wasm::format::path::StoreKey;
use zarr_wasm_engine::internals::read::array::Array;
use zarr_wasm_engine::internals::read::decoder::Decoder;
use zarr_wasm_engine::internals::read::inline_decoder::InlineDecoder;
use zarr_wasm_engine::internals::read::{Growth, ReadRequest, read};
use zarr_wasm_engine::internals::store::merged_ranges::{GAP_BYTES, MERGED_BYTES};
use zarr_wasm_engine::internals::store::turn::set_next_task;
use zarr_wasm_engine::internals::store::wrap::Gathering;
use zarr_wasm_engine::internals::store::{ByteRange, LocalFuture, RequestContext, Store};

/// The array of a test: bytes, in shards with the index at the end.
#[derive(Clone, Copy)]
struct Layout {
    shape: &'static [u64],
    shard: &'static [u64],
    inner: &'static [u64],
}

/// A request: a key, and a range of the value in bytes.
type Asked = (String, Range<u64>);

/// What makes a memory a store over HTTP, as far as order and time matter: each answer comes alone,
/// when the test allows it.
#[derive(Default)]
struct Answers {
    waiting: RefCell<Vec<oneshot::Sender<()>>>,
    /// The most requests that waited at a time.
    most: Cell<usize>,
    log: RefCell<Vec<(StoreKey, ByteRange)>>,
}

type Server = Watched<Answers>;

impl Watch for Answers {
    fn lists(&self) -> bool {
        false
    }

    fn writes(&self) -> bool {
        false
    }

    fn is_cacheable(&self) -> bool {
        true
    }

    fn after<'a>(&'a self, call: Call<'a>) -> LocalFuture<'a, Result<()>> {
        let Call::Get(key, range) = call else { return Box::pin(async { Ok(()) }) };
        Box::pin(async move {
            if key.as_str() != "zarr.json" {
                self.log.borrow_mut().push((key.clone(), range));
                let (sender, answered) = oneshot::channel();
                self.waiting.borrow_mut().push(sender);
                self.most.set(self.most.get().max(self.waiting.borrow().len()));
                assert!(answered.await.is_ok());
            }
            Ok(())
        })
    }
}

fn product(extents: &[u64]) -> u64 {
    extents.iter().product()
}

/// The indices of all chunks of a grid, in C order.
fn indices(grid: &[u64]) -> Vec<Vec<u64>> {
    grid.iter().fold(vec![Vec::new()], |found, extent| {
        found.iter().flat_map(|index| (0..*extent).map(|i| [index.as_slice(), &[i]].concat())).collect()
    })
}

impl Layout {
    fn per_shard(&self) -> Vec<u64> {
        self.shard.iter().zip(self.inner).map(|(shard, inner)| shard / inner).collect()
    }

    fn document(&self) -> String {
        let Self { shape, shard, inner } = self;
        format!(
            r#"{{"zarr_format": 3, "node_type": "array", "shape": {shape:?}, "data_type": "uint8", "fill_value": 0,
            "chunk_grid": {{"name": "regular", "configuration": {{"chunk_shape": {shard:?}}}}},
            "chunk_key_encoding": {{"name": "default"}},
            "codecs": [{{"name": "sharding_indexed", "configuration": {{
                "chunk_shape": {inner:?}, "index_location": "end",
                "codecs": [{{"name": "bytes"}}, {{"name": "gzip", "configuration": {{"level": 0}}}}],
                "index_codecs": [{{"name": "bytes", "configuration": {{"endian": "little"}}}}, {{"name": "crc32c"}}]}}}}]}}"#
        )
    }

    /// A stored inner chunk: bytes that gzip does not make smaller.
    fn chunk(&self) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::none());
        encoder.write_all(&vec![7; usize::try_from(product(self.inner)).unwrap_or(0)]).unwrap_or_default();
        encoder.finish().unwrap_or_default()
    }

    /// A shard with all of its chunks, in C order.
    fn stored_shard(&self) -> Vec<u8> {
        let (chunk, count) = (self.chunk(), product(&self.per_shard()));
        let (len, mut index) = (chunk.len() as u64, Vec::new());
        for number in 0..count {
            index.extend([number * len, len].iter().flat_map(|word| word.to_le_bytes()));
        }
        index.extend(crc32c::crc32c(&index).to_le_bytes());
        let chunks = (0..count).flat_map(|_| chunk.iter().copied());
        chunks.chain(index).collect()
    }

    fn server(&self) -> Rc<Server> {
        let server = Server::new(Answers::default());
        let shard = self.stored_shard();
        let insert = |name: &str, bytes: Vec<u8>| {
            server.memory.insert(&StoreKey::parse(name).unwrap_or_else(|error| panic!("{error:?}")), bytes);
        };
        insert("zarr.json", self.document().into_bytes());
        let grid: Vec<u64> = self.shape.iter().zip(self.shard).map(|(shape, shard)| shape / shard).collect();
        for index in indices(&grid) {
            insert(&key_of(&index), shard.clone());
        }
        server
    }

    /// What a box needs: for each shard the ranges of its chunks, merged over small gaps.
    fn needed(&self, window: &[Range<u64>]) -> BTreeMap<String, Vec<Range<u64>>> {
        let (len, per_shard) = (self.chunk().len() as u64, self.per_shard());
        let mut needed: BTreeMap<String, Vec<Range<u64>>> = BTreeMap::new();
        let chunks: Vec<u64> =
            self.shape.iter().zip(self.inner).map(|(shape, inner)| shape / inner).collect();
        // In C order, the chunks of each shard come in the order of their bytes.
        for index in indices(&chunks) {
            let is_wanted = index.iter().zip(self.inner).zip(window).all(|((index, inner), window)| {
                index * inner < window.end && (index + 1) * inner > window.start
            });
            if !is_wanted {
                continue;
            }
            let shard: Vec<u64> = index.iter().zip(&per_shard).map(|(index, count)| index / count).collect();
            let within =
                index.iter().zip(&per_shard).fold(0, |at, (index, count)| at * count + index % count);
            let ranges = needed.entry(key_of(&shard)).or_default();
            match ranges.last_mut().filter(|last| within * len - last.end <= GAP_BYTES) {
                Some(last) => last.end = (within + 1) * len,
                None => ranges.push(within * len..(within + 1) * len),
            }
        }
        needed
    }
}

fn key_of(index: &[u64]) -> String {
    index.iter().fold("c".to_owned(), |key, i| format!("{key}/{i}"))
}

fn array_on(server: &Rc<Server>) -> Rc<Array> {
    let store: Rc<dyn Store> = Rc::new(Gathering::new(server.clone()));
    open_array(&store, "")
}

thread_local! {
    /// Tasks that wait until all others have run.
    static TURN: RefCell<Vec<oneshot::Sender<()>>> = const { RefCell::new(Vec::new()) };
}

fn next_task() -> LocalFuture<'static, ()> {
    let (sender, next) = oneshot::channel();
    TURN.with_borrow_mut(|tasks| tasks.push(sender));
    Box::pin(next.map(|_| ()))
}

/// Reads boxes at the same time. Returns the requests, each answered alone, in order.
fn read_boxes(server: &Rc<Server>, array: &Rc<Array>, windows: &[Vec<Range<u64>>]) -> Vec<Asked> {
    read_all(server, array, windows.iter().map(|window| request(window)).collect())
}

fn request(window: &[Range<u64>]) -> ReadRequest {
    ReadRequest {
        selection: support::window(window),
        order: None,
        padded: false,
        growth: None,
        spreads: false,
        streamed: false,
        nearest: None,
        conversion: None,
        decodes: true,
    }
}

/// As [`read_boxes`].
fn read_all(server: &Rc<Server>, array: &Rc<Array>, requests: Vec<ReadRequest>) -> Vec<Asked> {
    set_next_task(next_task);
    let mut pool = LocalPool::new();
    for request in requests {
        let array = array.clone();
        let reading = async move {
            let decoder: Rc<dyn Decoder> = Rc::new(InlineDecoder::default());
            read(&array, &request, &decoder, &Discard, &RequestContext::default()).await
        };
        let done = reading.map(|read| assert!(read.is_ok(), "{read:?}"));
        pool.spawner().spawn_local(done).unwrap_or_else(|error| panic!("{error:?}"));
    }
    loop {
        pool.run_until_stalled();
        let ended = TURN.take();
        if !ended.is_empty() {
            ended.into_iter().for_each(|task| assert!(task.send(()).is_ok()));
            continue;
        }
        if server.watch.waiting.borrow().is_empty() {
            break;
        }
        let next = server.watch.waiting.borrow_mut().remove(0);
        assert!(next.send(()).is_ok());
    }
    let asked = server.watch.log.take().into_iter();
    let bytes = |(key, range): (StoreKey, ByteRange)| {
        let size = block_on(server.memory.size(&key, &RequestContext::default())).ok()??;
        Some((key.as_str().to_owned(), range.of(size)?))
    };
    asked.filter_map(bytes).collect()
}

/// Each shard's chunks cost one request for each of their merged ranges, or for each piece of such
/// a range that is as long as requests may be. No byte comes twice.
fn check(layout: &Layout, windows: &[Vec<Range<u64>>], needed: &BTreeMap<String, Vec<Range<u64>>>) {
    let server = layout.server();
    let asked = read_boxes(&server, &array_on(&server), windows);
    let end_of_chunks = layout.chunk().len() as u64 * product(&layout.per_shard());
    for (shard, ranges) in needed {
        let mut asked: Vec<Range<u64>> =
            asked.iter().filter(|(key, _)| key == shard).map(|(_, range)| range.clone()).collect();
        asked.sort_by_key(|range| range.start);
        assert!(asked.windows(2).all(|pair| pair[0].end <= pair[1].start), "{shard}: {asked:?}");
        let index = asked.pop().filter(|last| last.start == end_of_chunks);
        assert!(index.is_some(), "{shard}: {asked:?}");
        let pieces =
            |range: &Range<u64>| ((range.end - range.start + MERGED_BYTES / 2) / MERGED_BYTES).max(1);
        let most: u64 = ranges.iter().map(pieces).sum();
        assert!(asked.len() as u64 <= most, "{shard}: {} of {most}: {asked:?} {ranges:?}", asked.len());
    }
}

/// Shards of 2 MiB with chunks of 8 KiB.
const IMAGE: Layout = Layout { shape: &[4096, 4096], shard: &[1024, 2048], inner: &[64, 128] };

/// Shards of 2 MiB with chunks of 16 KiB. Between the chunks of a part are those of others.
const VOLUME: Layout = Layout { shape: &[128, 384, 512], shard: &[128, 128, 128], inner: &[16, 32, 32] };

/// One shard of 48 MiB with chunks of 16 KiB, of which more parts are read than are in flight.
const LARGE: Layout = Layout { shape: &[192, 512, 512], shard: &[192, 512, 512], inner: &[16, 32, 32] };

#[test]
fn a_read_of_many_parts_costs_the_merged_ranges_of_each_shard() {
    for (layout, window) in [
        (IMAGE, vec![500..3100, 300..2500]),
        (VOLUME, vec![10..90, 50..330, 20..300]),
        (VOLUME, vec![30..60, 0..384, 0..500]),
    ] {
        check(&layout, std::slice::from_ref(&window), &layout.needed(&window));
    }
}

/// Reads that are begun together, as the tiles of a map are.
#[test]
fn reads_of_many_tiles_cost_what_one_read_of_all_costs() {
    let tiles: Vec<_> = (0..4)
        .flat_map(|row| {
            (0..4).map(move |column| vec![256 * row..256 * row + 256, 512 * column..512 * column + 512])
        })
        .collect();
    check(&IMAGE, &tiles, &IMAGE.needed(&[0..1024, 0..2048]));
}

/// The parts that follow the first ones begin together too.
#[test]
fn the_later_parts_of_a_long_read_are_merged_too() {
    let server = LARGE.server();
    let asked = read_boxes(&server, &array_on(&server), &[vec![0..192, 0..512, 0..500]]);
    let bytes: u64 = asked.iter().map(|(_, range)| range.end - range.start).sum();
    assert!(bytes < 49 << 20, "{bytes}");
    // 25 requests of 2 MiB would do.
    assert!(asked.len() <= 40, "{} requests", asked.len());
}

#[test]
fn a_chunk_that_was_read_in_part_is_not_fetched_again_when_all_of_it_is_read() {
    let server = IMAGE.server();
    let array = array_on(&server);
    let first = read_boxes(&server, &array, &[vec![10..100, 20..200]]);
    assert_eq!(first.len(), 3, "an index, and a range for each row of chunks: {first:?}");
    assert_eq!(read_boxes(&server, &array, &[vec![0..128, 0..256]]), []);
}

/// Four shards of 32 MiB with chunks of 64 KiB.
const VAST: Layout = Layout { shape: &[128, 1024, 1024], shard: &[128, 512, 512], inner: &[16, 64, 64] };

/// A reduction of all of [`VAST`], whose parts have the chunks of a column. Parts with different
/// places along the dimensions that are `apart` have no cell in common.
fn reduction(apart: &[usize]) -> ReadRequest {
    let growth = Growth { order: vec![1, 2, 0], apart: apart.to_vec(), bytes: 1 << 19, together: 32 << 20 };
    ReadRequest { growth: Some(growth), streamed: true, ..request(&[0..128, 0..1024, 0..1024]) }
}

#[test]
fn a_reduction_asks_for_one_shard_after_the_other_with_few_long_requests() {
    let server = VAST.server();
    let mut asked = read_all(&server, &array_on(&server), vec![reduction(&[1, 2])]);
    // Half of a lot at a time is decoded while three long requests and an index are under way.
    assert!(server.watch.most.get() <= 4, "{} requests at a time", server.watch.most.get());
    asked.retain(|(_, range)| range.end - range.start > 10_000);
    // Of 4 MiB, after a first one of half a length, and at the end of 2 MiB.
    assert!(asked.len() <= 9 + 8 + 8 + 16, "{} requests", asked.len());
    let shards: Vec<_> = asked.chunk_by(|one, next| one.0 == next.0).map(|of| of[0].0.as_str()).collect();
    assert_eq!(shards, ["c/0/0/0", "c/0/0/1", "c/0/1/0", "c/0/1/1"]);
    asked.sort_by_key(|(key, range)| (key.clone(), range.start));
    assert!(asked.windows(2).all(|pair| pair[0].0 != pair[1].0 || pair[0].1.end <= pair[1].1.start));
}

#[test]
fn a_reduction_of_everything_keeps_the_order_of_its_parts() {
    let server = VAST.server();
    let asked = read_all(&server, &array_on(&server), vec![reduction(&[])]);
    let shards = asked.chunk_by(|one, next| one.0 == next.0).count();
    assert!(shards > 4, "the rows of two shards take turns");
    let bytes: u64 = asked.iter().map(|(_, range)| range.end - range.start).sum();
    assert!(bytes < 129 << 20, "{bytes}");
    let sample = ReadRequest { spreads: true, ..reduction(&[1, 2]) };
    let spread = read_all(&server, &array_on(&server), vec![sample]);
    assert!(spread.len() > 2 * asked.len(), "neighbours of a sample are not asked for");
}
