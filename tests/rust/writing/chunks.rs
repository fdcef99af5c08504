//! What is stored, read and erased by a write, a resize, an append; and what is said when it fails.

use std::rc::Rc;

use futures_executor::block_on;
use zarr_wasm::access::selection::{DimensionSelection, Selection, SliceSelection};
use zarr_wasm::error::ErrorKind;
use zarr_wasm::format::codec::array_bytes::VariableBytes;
use zarr_wasm::format::path::{NodePath, StoreKey};
use zarr_wasm_engine::internals::hierarchy::consolidate::consolidate;
use zarr_wasm_engine::internals::hierarchy::resize::{Appended, append, resize};
use zarr_wasm_engine::internals::read::array::Array;
use zarr_wasm_engine::internals::store::memory::MemoryStore;
use zarr_wasm_engine::internals::store::wrap::Counting;
use zarr_wasm_engine::internals::store::{ByteRange, Store};
use zarr_wasm_engine::internals::write::inline_encoder::InlineEncoder;
use zarr_wasm_engine::internals::write::{NewElements, WriteRequest, WriteSource, write};

use crate::stores::{picky, slow};
use crate::{SMALL, context, create_array, elements, memory, put, read_all, reopen, stored};
use support::{self, ReadElements};

#[test]
fn a_failing_store_tells_what_was_written() {
    let (memory, _) = memory();
    let picky = picky(memory.clone(), &["a/c/1"], false);
    let store: Rc<dyn Store> = picky.clone();
    let array = create_array(&store, "a", SMALL).unwrap();
    let error = put(&array, Selection::all(), elements(1..7)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Store);
    assert_eq!(error.context().key.as_deref(), Some("a/c/1"));
    assert_eq!(error.context().node.as_deref(), Some("a"));
    assert!(
        error.message().contains("the disk is full; 2 of 3 chunks were written, 1 failed (a/c/1)"),
        "{error}"
    );
    assert_eq!(stored(&memory, "a/c/0"), Some(vec![1, 2]));
    picky.watch.refused.borrow_mut().clear();
    put(&array, Selection::all(), elements(1..7)).unwrap();
    assert_eq!(read_all(&array).unwrap(), [1, 2, 3, 4, 5, 6]);
}

#[test]
fn whole_chunks_are_not_read_and_shards_are_stored_once() {
    let picky = picky(memory().0, &[], false);
    let store: Rc<dyn Store> = picky.clone();
    let options = r#"{"shape":[9,8],"chunk_shape":[1,2],"shard_shape":[4,8],"data_type":"uint8"}"#;
    let array = create_array(&store, "a", options).unwrap();
    let (gets, sets) = (picky.watch.gets.get(), picky.watch.sets.get());
    let done = put(&array, Selection::all(), elements(1..73)).unwrap();
    assert_eq!((picky.watch.gets.get() - gets, picky.watch.sets.get() - sets), (0, 3));
    assert_eq!((done.chunks, done.chunks_total, done.empty), (3, 3, 0));
    let row = Selection::Orthogonal(vec![DimensionSelection::Index(2)]);
    put(&array, row, elements(100..108)).unwrap();
    assert_eq!((picky.watch.gets.get() - gets, picky.watch.sets.get() - sets), (1, 4));
}

/// Of a shard that is mostly replaced, the index is read and what is kept; of one that is mostly
/// kept, all.
#[test]
fn of_a_shard_what_is_replaced_is_not_read() {
    for (location, index) in
        [("end", ByteRange::Last(8 * 16 + 4)), ("start", ByteRange::At { offset: 0, len: 8 * 16 + 4 })]
    {
        let inner = Rc::new(Counting::with_log(Rc::new(MemoryStore::new())));
        let store: Rc<dyn Store> = inner.clone();
        let options = format!(
            r#"{{"shape":[800000],"chunk_shape":[100000],"shard_shape":[800000],"data_type":"uint8","codecs":[],"index_location":"{location}"}}"#
        );
        let array = create_array(&store, "a", &options).unwrap();
        let mut expected: Vec<u8> = (0..800_000_u32).map(|at| u8::try_from(at % 251).unwrap() + 1).collect();
        put(&array, Selection::all(), WriteSource::Elements(expected.clone().into())).unwrap();
        let mut write = |from: i64, to: i64, value: u8| {
            let (asked, bytes) = (inner.log().len(), inner.counters().bytes);
            let slice =
                DimensionSelection::Slice(SliceSelection { start: Some(from), stop: Some(to), step: None });
            put(&array, Selection::Orthogonal(vec![slice]), WriteSource::Element(vec![value])).unwrap();
            expected[usize::try_from(from).unwrap()..usize::try_from(to).unwrap()].fill(value);
            let log = inner.log().split_off(asked);
            let bytes = inner.counters().bytes - bytes;
            assert_eq!(read_all(&reopen(&store, "a")).unwrap(), expected);
            (log.into_iter().map(|(_, range)| range).collect::<Vec<_>>(), bytes)
        };
        // Half of the third chunk, the next four, a part of the eighth.
        let (asked, bytes) = write(250_000, 750_000, 3);
        let first = if location == "end" { 0 } else { 8 * 16 + 4 };
        let ranges = [
            index,
            ByteRange::At { offset: first, len: 300_000 },
            ByteRange::At { offset: first + 700_000, len: 100_000 },
        ];
        assert_eq!((asked.as_slice(), bytes), (&ranges[..], 132 + 400_000), "index, then what is kept");
        // Two of eight: the whole costs one request less.
        let (asked, bytes) = write(0, 200_000, 5);
        assert_eq!((asked.as_slice(), bytes), (&[ByteRange::Whole][..], 800_000 + 132));
        // All but one element.
        let (asked, bytes) = write(1, 800_000, 7);
        assert_eq!((asked.len(), bytes), (2, 132 + 100_000));
    }
}

#[test]
fn untouched_inner_chunks_keep_their_bytes() {
    let (memory, store) = memory();
    // Inner chunks of gzip: encoding them again at another level would change them.
    let options = |level: u8| {
        format!(
            r#"{{"shape":[512],"chunk_shape":[256],"shard_shape":[512],"data_type":"uint8",
            "codecs":[{{"name":"gzip","configuration":{{"level":{level}}}}}]}}"#
        )
    };
    let best = create_array(&store, "a", &options(9)).unwrap();
    let values: Vec<u8> = (0..=255_u8).map(|value| value / 9).collect();
    put(&best, Selection::all(), WriteSource::Elements([values.clone(), values].concat().into())).unwrap();
    let before = stored(&memory, "a/c/0").unwrap();
    let document = stored(&memory, "a/zarr.json").unwrap();
    let document = String::from_utf8(document).unwrap().replace("\"level\":9", "\"level\":0");
    memory.insert(&StoreKey::parse("a/zarr.json").unwrap(), document.into_bytes());
    let first = Selection::Orthogonal(vec![DimensionSelection::Index(0)]);
    put(&reopen(&store, "a"), first, WriteSource::Element(vec![77])).unwrap();
    let after = stored(&memory, "a/c/0").unwrap();
    // The second inner chunk stands before the index of two entries and a checksum.
    let second = |shard: &[u8]| {
        let entry = &shard[shard.len() - 20..shard.len() - 4];
        let number =
            |at: usize| usize::try_from(u64::from_le_bytes(entry[at..at + 8].try_into().unwrap())).unwrap();
        shard[number(0)..number(0) + number(8)].to_vec()
    };
    assert_eq!(second(&after), second(&before));
    assert!(after.len() > before.len() + 200, "the first inner chunk is stored raw now");
}

#[test]
fn stores_that_cannot_erase_keep_chunks_of_fill_value() {
    let (memory, _) = memory();
    let store: Rc<dyn Store> = picky(memory.clone(), &[], true);
    let array = create_array(&store, "", SMALL).unwrap();
    put(&array, Selection::all(), elements(1..7)).unwrap();
    put(&array, Selection::all(), WriteSource::Element(vec![0])).unwrap();
    assert_eq!(stored(&memory, "c/1"), Some(vec![0, 0]));
    assert_eq!(read_all(&array).unwrap(), [0; 6]);
    let error = block_on(consolidate(&store, &NodePath::root(), &context())).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Argument);
}

#[test]
fn empty_chunks_are_kept_by_option() {
    let (memory, store) = memory();
    let array = create_array(&store, "a", SMALL).unwrap();
    let source = WriteSource::Element(vec![0]);
    let request = WriteRequest {
        selection: Selection::all(),
        elements: NewElements { keep_empty_chunks: true, ..source.into() },
    };
    block_on(write(&array, &request, &InlineEncoder, &|_| {}, &context())).unwrap();
    assert_eq!(stored(&memory, "a/c/2"), Some(vec![0, 0]));
}

#[test]
fn what_does_not_fit_is_the_callers_mistake() {
    let (_, store) = memory();
    let array = create_array(&store, "a", SMALL).unwrap();
    for source in [elements(0..5), WriteSource::Element(vec![1, 2]), WriteSource::Element(vec![])] {
        let error = put(&array, Selection::all(), source).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Argument);
    }
    let outside = Selection::Orthogonal(vec![DimensionSelection::Index(6)]);
    assert_eq!(put(&array, outside, WriteSource::Element(vec![1])).unwrap_err().kind(), ErrorKind::Argument);
    let error = block_on(resize(&array, &[1, 1], &InlineEncoder, &context())).map(drop).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Argument);
}

#[test]
fn growing_never_shows_what_others_left_past_the_end() {
    let (memory, store) = memory();
    let array = create_array(
        &store,
        "a",
        r#"{"shape":[3],"chunk_shape":[2],"data_type":"uint8","codecs":[],"zarr_format":2}"#,
    );
    let array = array.unwrap();
    // v2 leaves undefined what stands past the end.
    memory.insert(&StoreKey::parse("a/1").unwrap(), vec![5, 99]);
    let grown = block_on(resize(&array, &[6], &InlineEncoder, &context())).unwrap();
    assert_eq!(read_all(&grown).unwrap(), [0, 0, 5, 0, 0, 0]);
}

#[test]
fn shrinking_leaves_nothing_past_the_end() {
    let (memory, store) = memory();
    let array = create_array(&store, "a", SMALL).unwrap();
    put(&array, Selection::all(), elements(1..7)).unwrap();
    block_on(resize(&array, &[3], &InlineEncoder, &context())).unwrap();
    assert_eq!(stored(&memory, "a/c/1"), Some(vec![3, 0]));
    assert_eq!(stored(&memory, "a/c/2"), None);
    // Of a shard the inner chunks that fall outside: one of four is left, before an index of four
    // entries and a checksum.
    let options = r#"{"shape":[8],"chunk_shape":[2],"shard_shape":[8],"data_type":"uint8","codecs":[]}"#;
    let array = create_array(&store, "s", options).unwrap();
    put(&array, Selection::all(), elements(1..9)).unwrap();
    assert_eq!(stored(&memory, "s/c/0").unwrap().len(), 8 + 4 * 16 + 4);
    block_on(resize(&array, &[1], &InlineEncoder, &context())).unwrap();
    let shard = stored(&memory, "s/c/0").unwrap();
    assert_eq!((shard.len(), &shard[..2]), (2 + 4 * 16 + 4, &[1, 0][..]));
}

#[test]
fn a_reader_sees_the_shard_that_another_has_written() {
    let (_, store) = memory();
    let options = r#"{"shape":[8],"chunk_shape":[2],"shard_shape":[8],"data_type":"uint8"}"#;
    let array = create_array(&store, "a", options).unwrap();
    put(&array, Selection::all(), elements(1..9)).unwrap();
    let reader = reopen(&store, "a");
    assert_eq!(read_all(&reader).unwrap(), (1..9).collect::<Vec<u8>>());
    let inner = DimensionSelection::Slice(SliceSelection { start: Some(0), stop: Some(2), step: None });
    put(&array, Selection::Orthogonal(vec![inner]), WriteSource::Element(vec![0])).unwrap();
    assert_eq!(read_all(&reader).unwrap(), [0, 0, 3, 4, 5, 6, 7, 8]);
}

#[test]
fn two_appends_at_a_time_both_survive() {
    let store = slow(9);
    let array =
        create_array(&store, "a", r#"{"shape":[0,2],"chunk_shape":[3,2],"data_type":"uint8"}"#).unwrap();
    let appended =
        |value: u8| Appended { axis: 0, len: 2, elements: WriteSource::Element(vec![value]).into() };
    let (one, two, context) = (appended(1), appended(2), context());
    let one = append(&array, &one, &InlineEncoder, &|_| {}, &context);
    let two = append(&array, &two, &InlineEncoder, &|_| {}, &context);
    let (one, two) = block_on(futures_util::future::join(one, two));
    assert!(one.is_ok() && two.is_ok());
    let array = reopen(&store, "a");
    assert_eq!(array.binding().metadata().shape, [4, 2]);
    assert_eq!(read_all(&array).unwrap(), [1, 1, 1, 1, 2, 2, 2, 2]);
}

#[test]
fn an_append_that_fails_leaves_the_old_array() {
    let (memory, _) = memory();
    let store: Rc<dyn Store> = picky(memory.clone(), &["a/c/3"], false);
    let array =
        create_array(&store, "a", r#"{"shape":[5],"chunk_shape":[2],"data_type":"uint8","codecs":[]}"#)
            .unwrap();
    put(&array, Selection::all(), elements(1..6)).unwrap();
    let appended = Appended { axis: 0, len: 4, elements: elements(10..14).into() };
    let failed = block_on(append(&array, &appended, &InlineEncoder, &|_| {}, &context()));
    assert_eq!(failed.map(drop).unwrap_err().kind(), ErrorKind::Store);
    assert_eq!(read_all(&reopen(&store, "a")).unwrap(), [1, 2, 3, 4, 5]);
    assert_eq!(stored(&memory, "a/c/2"), Some(vec![5, 0]));
    assert_eq!(stored(&memory, "a/c/4"), None);
}

#[test]
fn huge_sparse_arrays_shrink_by_what_is_stored() {
    let (memory, store) = memory();
    let options = r#"{"shape":[4611686018427387904],"chunk_shape":[16],"data_type":"uint8"}"#;
    let array = create_array(&store, "a", options).unwrap();
    let points = Selection::Points(vec![vec![1, 40, 1 << 61]]);
    put(&array, points, WriteSource::Element(vec![7])).unwrap();
    assert_eq!(memory.keys().len(), 2 + 3);
    let small = block_on(resize(&array, &[41], &InlineEncoder, &context())).unwrap();
    assert_eq!(memory.keys(), ["a/c/0", "a/c/2", "a/zarr.json", "zarr.json"]);
    assert_eq!(read_all(&small).unwrap()[40], 7);
}

#[test]
fn strings_of_any_length() {
    for format in [2, 3] {
        let (memory, store) = memory();
        for (path, chunks) in
            [("plain", r#""chunk_shape":[2]"#), ("shards", r#""chunk_shape":[1],"shard_shape":[3]"#)]
        {
            if format == 2 && path == "shards" {
                continue;
            }
            let options = format!(
                r#"{{"zarr_format":{format},"shape":[5],{chunks},"data_type":"string","fill_value":"-"}}"#
            );
            let array = create_array(&store, path, &options).unwrap();
            let mut words = VariableBytes::new();
            ["a", "", "größe"].iter().for_each(|word| words.push(word.as_bytes()).unwrap());
            let slice =
                DimensionSelection::Slice(SliceSelection { start: Some(1), stop: Some(4), step: None });
            let source = WriteSource::Variable(Rc::new(words));
            put(&array, Selection::Orthogonal(vec![slice]), source).unwrap();
            let last = Selection::Orthogonal(vec![DimensionSelection::Index(-1)]);
            put(&array, last, WriteSource::Element(b"z".to_vec())).unwrap();
            assert_eq!(read_texts(&array), ["-", "a", "", "größe", "z"]);
            let short = block_on(resize(&array, &[2], &InlineEncoder, &context())).unwrap();
            let long = block_on(resize(&short, &[4], &InlineEncoder, &context())).unwrap();
            assert_eq!(read_texts(&long), ["-", "a", "-", "-"]);
            put(&long, Selection::all(), WriteSource::Element(b"-".to_vec())).unwrap();
            assert!(
                memory
                    .keys()
                    .iter()
                    .all(|key| key.ends_with("zarr.json") || key.contains("/.z") || key.starts_with(".z"))
            );
        }
    }
}

/// All elements of an array of strings.
fn read_texts(array: &Rc<Array>) -> Vec<String> {
    match support::read_all(array).unwrap() {
        ReadElements::Variable(texts) => {
            texts.into_iter().map(|text| String::from_utf8(text).unwrap()).collect()
        }
        ReadElements::Packed(_) => panic!("these are no strings"),
    }
}
