//! Archives written by Python and Info-ZIP, by this crate, and by attackers.

use std::rc::Rc;

use futures_executor::block_on;

use super::write::{Layout, NewEntry, layout, ome_comment};
use super::*;
use crate::error::ErrorKind;
use crate::store::memory::MemoryStore;
use crate::store::wrap::Counting;

fn key(text: &str) -> StoreKey {
    StoreKey::parse(text).unwrap()
}

fn path(text: &str) -> NodePath {
    NodePath::parse_any(text).unwrap()
}

/// An archive in memory, and a count of its requests.
fn open(archive: &[u8]) -> (ZipStore, Rc<Counting>) {
    let memory = MemoryStore::new();
    memory.insert(&key("a.zip"), archive.to_vec());
    let counting = Rc::new(Counting::new(Rc::new(memory)));
    (ZipStore::new(counting.clone(), key("a.zip"), None), counting)
}

fn read(store: &ZipStore, name: &str, range: ByteRange) -> Result<Option<Vec<u8>>> {
    let fetched = block_on(store.get(&key(name), range, &RequestContext::default()))?;
    Ok(fetched.map(|fetched| fetched.value.to_vec(1 << 24, "test").unwrap()))
}

fn whole(store: &ZipStore, name: &str) -> Result<Option<Vec<u8>>> {
    read(store, name, ByteRange::Whole)
}

fn crc(bytes: &[u8]) -> u32 {
    zlib_rs::crc32::crc32(0, bytes)
}

/// An archive as the writer lays it out.
fn written(values: &[(&str, &[u8])], comment: &str) -> Vec<u8> {
    let entries: Vec<_> = values
        .iter()
        .map(|(name, value)| NewEntry { key: key(name), size: value.len() as u64, crc: crc(value) })
        .collect();
    let Layout { order, headers, end } = layout(&entries, comment).unwrap();
    let mut archive = Vec::new();
    for (at, header) in order.iter().zip(headers) {
        archive.extend(header);
        archive.extend(values[*at].1);
    }
    archive.extend(end);
    archive
}

const VALUES: [(&str, &[u8]); 5] = [
    ("b/c/0", b"chunk of b"),
    ("b/zarr.json", b"{\"b\":1}"),
    ("zarr.json", b"{}"),
    ("a/b/zarr.json", b"{\"ab\":1}"),
    ("\u{e9}/c/0", b""),
];

#[test]
fn a_written_archive_is_read_back() {
    let (store, counting) = open(&written(&VALUES, ""));
    for (name, value) in VALUES {
        assert_eq!(whole(&store, name).unwrap().as_deref(), Some(value), "{name}");
    }
    assert_eq!(whole(&store, "c").unwrap(), None);
    let part = ByteRange::At { offset: 6, len: 2 };
    assert_eq!(read(&store, "b/c/0", part).unwrap().unwrap(), b"of");
    assert_eq!(read(&store, "b/c/0", ByteRange::Last(3)).unwrap().unwrap(), b"f b");
    let past = ByteRange::At { offset: 10, len: 1 };
    assert_eq!(read(&store, "b/c/0", past).unwrap_err().kind(), ErrorKind::Format);
    assert_eq!(block_on(store.size(&key("b/c/0"), &RequestContext::default())).unwrap(), Some(10));
    // It is small: its end was all of it.
    assert_eq!(counting.counters().requests, 1);
}

/// An archive with one entry of 1000 bytes, and where its bytes begin.
fn archive_of_a_shard() -> (Vec<u8>, usize, Vec<u8>) {
    let value: Vec<u8> = (0..1000_u32).map(|at| (at * at % 251) as u8).collect();
    let archive = written(&[("c/0", &value)], "");
    let start = archive.windows(value.len()).position(|window| window == value).unwrap();
    (archive, start, value)
}

const fn part(range: Range<u64>) -> ByteRange {
    ByteRange::At { offset: range.start, len: range.end - range.start }
}

/// Ranges that together are all of the entry: in order, backwards, with overlaps, with repetition.
const ORDERS: [&[Range<u64>]; 5] = [
    &[0..400, 400..1000],
    &[900..1000, 500..900, 0..500],
    &[100..300, 200..600, 0..150, 550..1000],
    &[0..10, 0..10, 990..1000, 5..995],
    &[300..400, 100..200, 500..600, 0..1000],
];

#[test]
fn ranges_are_checked_once_all_of_an_entry_has_been_read() {
    let (archive, start, value) = archive_of_a_shard();
    for ranges in ORDERS {
        let (store, _) = open(&archive);
        for range in ranges {
            let [start, end] = [range.start, range.end].map(|at| usize::try_from(at).unwrap());
            let expected = &value[start..end];
            assert_eq!(read(&store, "c/0", part(range.clone())).unwrap().unwrap(), expected, "{ranges:?}");
        }
        let mut damaged = archive.clone();
        damaged[start + 450] ^= 1;
        let (store, _) = open(&damaged);
        let (last, first) = ranges.split_last().unwrap();
        for range in first {
            assert!(read(&store, "c/0", part(range.clone())).is_ok(), "{range:?} of {ranges:?}");
        }
        for range in [last.clone(), 0..1] {
            let error = read(&store, "c/0", part(range)).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Format, "{ranges:?}");
        }
    }
}

#[test]
fn parts_that_do_not_touch_are_kept_up_to_a_limit() {
    let value = vec![7; 1 << 18];
    let mut archive = written(&[("c/0", &value)], "");
    let start = archive.windows(value.len()).position(|window| window == value).unwrap();
    archive[start] = 8;
    let (store, _) = open(&archive);
    for at in 0..(1 << 17) - 1 {
        read(&store, "c/0", part(2 * at..2 * at + 1)).unwrap();
    }
    // Too many parts: this entry is not checked any more. Whole reads are.
    assert!(read(&store, "c/0", part(0..(1 << 18) - 1)).is_ok());
    assert_eq!(whole(&store, "c/0").unwrap_err().kind(), ErrorKind::Format);
}

#[test]
fn documents_come_first_and_breadth_first() {
    let (store, _) = open(&written(&VALUES, &ome_comment("0.5")));
    let entries: Vec<_> = VALUES
        .iter()
        .map(|(name, value)| NewEntry { key: key(name), size: value.len() as u64, crc: 0 })
        .collect();
    assert_eq!(layout(&entries, "").unwrap().order, [2, 1, 3, 0, 4]);
    let root = block_on(store.list_dir(&NodePath::root())).unwrap();
    assert_eq!(
        (root.keys, root.prefixes),
        (vec![key("zarr.json")], vec![path("a"), path("b"), path("\u{e9}")])
    );
    assert_eq!(block_on(store.list_prefix(&path("b"))).unwrap(), [key("b/c/0"), key("b/zarr.json")]);
}

#[test]
fn sizes_beyond_32_bits_use_zip64_fields() {
    let large = 5 << 30;
    let entries = [
        NewEntry { key: key("large"), size: large, crc: 7 },
        NewEntry { key: key("after"), size: 3, crc: 8 },
    ];
    let Layout { headers, end, .. } = layout(&entries, "c").unwrap();
    let offset = large + headers.iter().map(|header| header.len() as u64).sum::<u64>() + 3;
    let Tail::Complete(found) = records::read_tail(&end, offset, None).unwrap() else {
        panic!("in the tail")
    };
    assert_eq!((found.entries, found.shift, found.comment.as_slice()), (2, 0, b"c".as_slice()));
    assert_eq!(found.directory.start, offset);
    let mut reader = DirectoryReader::new(found, false);
    let len = usize::try_from(reader.end().directory.end - offset).unwrap();
    for piece in end[..len].chunks(7) {
        reader.take(piece).unwrap();
    }
    let directory = reader.finish(false).unwrap();
    let of = |name: &str| directory.find(&key(name)).unwrap();
    assert_eq!((of("large").size, of("large").stored, of("large").header), (large, large, 0));
    assert_eq!((of("after").size, of("after").header), (3, large + headers[0].len() as u64));
}

/// Beside what the directory has, one request a value: the local header comes with it.
#[test]
fn requests() {
    let mut values = vec![("zarr.json".to_owned(), b"{}".to_vec())];
    for chunk in 0..4000 {
        values.push((format!("c/{chunk:05}"), vec![7; 100]));
    }
    let values: Vec<(&str, &[u8])> =
        values.iter().map(|(name, value)| (name.as_str(), value.as_slice())).collect();
    let (store, counting) = open(&written(&values, &ome_comment("0.5")));
    assert_eq!(whole(&store, "zarr.json").unwrap().unwrap(), b"{}");
    // The end, the first piece of the directory, the document.
    assert_eq!(counting.counters().requests, 3);
    assert_eq!(whole(&store, "a/zarr.json").unwrap(), None);
    assert_eq!(counting.counters().requests, 3);
    assert_eq!(whole(&store, "c/00007").unwrap().unwrap(), [7; 100]);
    let before = counting.counters().requests;
    assert_eq!(whole(&store, "c/00008").unwrap().unwrap(), [7; 100]);
    assert_eq!(counting.counters().requests, before + 1);
    // A range of another: the header and the range at once, then the range alone.
    read(&store, "c/00009", ByteRange::Last(4)).unwrap();
    assert_eq!(counting.counters().requests, before + 3);
    read(&store, "c/00009", ByteRange::At { offset: 0, len: 4 }).unwrap();
    assert_eq!(counting.counters().requests, before + 4);
}

#[test]
fn bytes_before_and_after_an_archive_are_ignored() {
    let mut archive = b"#!/bin/sh".to_vec();
    archive.extend(written(&VALUES, "comment"));
    archive.extend(b"\0\0");
    let (store, _) = open(&archive);
    assert_eq!(whole(&store, "b/c/0").unwrap().unwrap(), b"chunk of b");
}

#[test]
fn an_archive_of_a_single_folder_is_read_as_its_content() {
    let values: [(&str, &[u8]); 4] = [
        ("d.zarr/zarr.json", b"{}"),
        ("d.zarr/a/zarr.json", b"{1}"),
        ("d.zarr/a/c/0", b"x"),
        ("__MACOSX/d.zarr/._zarr.json", b"?"),
    ];
    let (store, _) = open(&written(&values, ""));
    assert_eq!(whole(&store, "zarr.json").unwrap().unwrap(), b"{}");
    assert_eq!(whole(&store, "d.zarr/zarr.json").unwrap().unwrap(), b"{}");
    let root = block_on(store.list_dir(&NodePath::root())).unwrap();
    assert_eq!((root.keys, root.prefixes), (vec![key("zarr.json")], vec![path("a")]));
    assert_eq!(block_on(store.list_dir(&path("a"))).unwrap().prefixes, [path("a/c")]);
    assert_eq!(block_on(store.list_prefix(&path("a"))).unwrap().len(), 2);
    assert_eq!(block_on(store.list_prefix(&path("d.zarr/a"))).unwrap().len(), 2);

    // One group in a hierarchy without a document at its root stays reachable by its name too.
    let (store, _) = open(&written(&[("a/.zarray", b"{}"), ("a/0", b"x")], ""));
    assert_eq!(whole(&store, "a/0").unwrap(), whole(&store, "0").unwrap());
}

/// Names of an archive, and where its one folder leads, or which hierarchies it tells of.
#[test]
fn a_single_folder_is_found_and_other_roots_are_listed() {
    let read = |names: &[&str]| {
        let values: Vec<(&str, &[u8])> = names.iter().map(|name| (*name, name.as_bytes())).collect();
        let (store, _) = open(&written(&values, &ome_comment("0.5")));
        let root = whole(&store, "zarr.json").unwrap().map(|bytes| String::from_utf8(bytes).unwrap());
        (root, store.roots().iter().map(|root| root.as_str().to_owned()).collect::<Vec<_>>())
    };
    let one = |name: &str, root: &str| (Some(name.to_owned()), vec![root.to_owned()]);
    assert_eq!(read(&["zarr.json", "a/zarr.json"]), one("zarr.json", ""));
    assert_eq!(read(&["d.zarr/a/zarr.json", "d.zarr/zarr.json"]), one("d.zarr/zarr.json", "d.zarr"));
    // A folder in a folder, and what macOS and Windows leave there.
    let nested = [
        "up/d.zarr/zarr.json",
        "up/d.zarr/c/0",
        "up/._d.zarr",
        "up/Thumbs.db",
        "__MACOSX/up/d.zarr/zarr.json",
    ];
    assert_eq!(read(&nested), one("up/d.zarr/zarr.json", "up/d.zarr"));
    // What else is there could be meant.
    let beside = |other: &'static str| read(&["d.zarr/zarr.json", "d.zarr/a/zarr.json", other]);
    assert_eq!(beside("README.txt"), (None, vec!["d.zarr".to_owned()]));
    assert_eq!(beside("e.zarr/zarr.json"), (None, vec!["d.zarr".to_owned(), "e.zarr".to_owned()]));
    assert_eq!(read(&["readme/a.txt"]), (None, Vec::new()));
}

/// An archive in which one byte of names is another.
fn renamed(values: &[(&str, &[u8])], from: u8, to: u8) -> Vec<u8> {
    let mut archive = written(values, "");
    for at in 0..values.len() {
        let (start, len) = (central_at(&archive, at) + 46, archive[central_at(&archive, at) + 28]);
        let name = &mut archive[start..start + usize::from(len)];
        name.iter_mut().filter(|byte| **byte == from).for_each(|byte| *byte = to);
    }
    archive
}

/// Other programs cut such names, so `zarr.json|x` would be `zarr.json` for them.
#[test]
fn names_with_nul_are_neither_listed_nor_found() {
    let all: [(&str, &[u8]); 5] = [
        ("zarr.json|x", b"{0}"),
        ("d/zarr.json", b"{1}"),
        ("d/c|/0", b"x"),
        ("|/zarr.json", b"{2}"),
        ("d/c/0", b"y"),
    ];
    let (store, _) = open(&renamed(&all, b'|', 0));
    // The only folder is still one.
    let root = block_on(store.list_dir(&NodePath::root())).unwrap();
    assert_eq!((root.keys, root.prefixes), (vec![key("zarr.json")], vec![path("c")]));
    let keys = block_on(store.list_prefix(&NodePath::root())).unwrap();
    assert_eq!(keys, [key("c/0"), key("zarr.json")]);
    assert_eq!(whole(&store, "c/0").unwrap().unwrap(), b"y");
    for name in ["zarr.json\0x", "d/c\0/0", "c\0/0", "\0/zarr.json"] {
        assert_eq!(whole(&store, name).unwrap(), None, "{name:?}");
    }
    // Other odd names are legal.
    let (store, _) = open(&renamed(&all, b'|', 1));
    assert_eq!(block_on(store.list_prefix(&NodePath::root())).unwrap().len(), 5);
    assert_eq!(whole(&store, "d/c\u{1}/0").unwrap().unwrap(), b"x");

    let entry = NewEntry { key: key("a\0b"), size: 0, crc: 0 };
    assert_eq!(layout(&[entry], "").unwrap_err().kind(), ErrorKind::Argument);
}

fn error_of(archive: &[u8], name: &str) -> Error {
    whole(&open(archive).0, name).unwrap_err()
}

#[test]
fn files_that_are_not_archives_are_rejected() {
    for archive in [&b""[..], b"PK\x05\x06", b"<html>not found</html>", &[0; 100_000]] {
        assert_eq!(error_of(archive, "zarr.json").kind(), ErrorKind::Format);
    }
    let store = ZipStore::new(Rc::new(MemoryStore::new()), key("a.zip"), None);
    assert_eq!(whole(&store, "zarr.json").unwrap_err().kind(), ErrorKind::NotFound);
}

#[test]
fn damaged_archives_yield_errors_or_correct_values() {
    let archive = written(&VALUES, "");
    for len in 0..archive.len() {
        assert!(whole(&open(&archive[..len]).0, "b/c/0").is_err(), "cut to {len}");
    }
    for at in 0..archive.len() {
        for bits in [1, 0x80, 0xff] {
            let mut changed = archive.clone();
            changed[at] ^= bits;
            if let Ok(Some(value)) = whole(&open(&changed).0, "b/c/0") {
                assert_eq!(value, b"chunk of b", "byte {at}");
            }
        }
    }
}

/// Where a record of the directory begins, by its number.
fn central_at(archive: &[u8], number: usize) -> usize {
    let signature = records::CENTRAL_SIGNATURE.to_le_bytes();
    (0..archive.len()).filter(|at| archive[*at..].starts_with(&signature)).nth(number).unwrap()
}

#[test]
fn hostile_archives_are_rejected() {
    let archive = written(&[("a", b"abc"), ("b", b"defg")], "");
    let second = central_at(&archive, 1);

    // Two names for one stream, which is how small archives become huge.
    let mut overlapping = archive.clone();
    overlapping[second + 42..second + 46].copy_from_slice(&0_u32.to_le_bytes());
    assert_eq!(error_of(&overlapping, "a").kind(), ErrorKind::Format);

    // A stored value that claims another size, and one that claims to reach into the directory.
    let mut larger = archive.clone();
    larger[second + 24] = 5;
    assert_eq!(error_of(&larger, "b").kind(), ErrorKind::Format);
    larger[second + 20] = 5;
    assert_eq!(error_of(&larger, "b").kind(), ErrorKind::Format);

    // Names that lead out.
    for name in ["..", "../x", "a/../../x", "a//b"] {
        let mut led = written(&[("xxxxxxxxxxx"[..name.len()].as_ref(), b"abc")], "");
        let at = central_at(&led, 0) + 46;
        led[at..at + name.len()].copy_from_slice(name.as_bytes());
        assert_eq!(error_of(&led, "a").kind(), ErrorKind::Format, "{name}");
    }

    // Encryption, other compression, several files.
    for (at, value, kind) in [(8, 1, ErrorKind::Unsupported), (10, 93, ErrorKind::Unsupported)] {
        let mut changed = archive.clone();
        changed[second + at] = value;
        assert_eq!(error_of(&changed, "b").kind(), kind);
        assert_eq!(whole(&open(&changed).0, "a").unwrap().unwrap(), b"abc");
    }
    let mut split = archive.clone();
    let end = split.len() - 22;
    split[end + 4] = 1;
    assert_eq!(error_of(&split, "a").kind(), ErrorKind::Unsupported);

    // A directory that would be too large, or has more entries than bytes.
    let mut many = archive.clone();
    many[end + 10] = 3;
    assert_eq!(error_of(&many, "a").kind(), ErrorKind::Format);
}

fn deflated(value: &[u8], claimed: u64) -> Vec<u8> {
    let stream = miniz_oxide::deflate::compress_to_vec(value, 6);
    let mut archive = written(&[("zarr.json", &stream)], "");
    let at = central_at(&archive, 0);
    archive[at + 10] = 8;
    archive[at + 16..at + 20].copy_from_slice(&crc(value).to_le_bytes());
    archive[at + 24..at + 28].copy_from_slice(&u32::try_from(claimed).unwrap().to_le_bytes());
    archive
}

#[test]
fn deflated_values_are_read_and_wrong_sizes_rejected() {
    let value = b"abcabcabcabcabcabcabc".repeat(50);
    let store = open(&deflated(&value, value.len() as u64)).0;
    assert_eq!(read(&store, "zarr.json", ByteRange::Last(3)).unwrap().unwrap(), b"abc");
    assert_eq!(whole(&store, "zarr.json").unwrap().unwrap(), value);
    for claimed in [0, 1, value.len() as u64 - 1, value.len() as u64 + 1, 1 << 31] {
        let error = error_of(&deflated(&value, claimed), "zarr.json");
        assert_eq!(error.kind(), ErrorKind::Format, "{claimed}");
    }
}
