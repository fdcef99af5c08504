//! The sentences of the text, "Abstract store interface": a test each, on keys of chunks and on
//! others.

use zarr_wasm::error::ErrorKind;
use zarr_wasm_engine::internals::store::ByteRange;

use super::Outcome;
use super::stores::Subject;

type Sentence = fn(&Subject) -> Outcome;

/// Each sentence, by what it says.
pub const SENTENCES: &[(&str, Sentence)] = &[
    ("get_retrieves_the_value_of_a_key", get_retrieves),
    ("a_missing_key_is_absent", absent),
    ("a_range_is_a_start_and_a_length", ranges),
    ("a_range_of_length_none_reaches_to_the_end", open_ranges),
    ("a_suffix_is_the_last_bytes", suffixes),
    ("a_range_past_the_end_is_an_error", past_the_end),
    ("set_replaces_the_whole_value", set_replaces),
    ("an_empty_value_is_a_value", empty_values),
    ("keys_are_case_sensitive", case_sensitive),
    ("erase_removes_the_pair", erase_removes),
    ("erasing_what_is_absent_is_fine", erase_absent),
    ("erase_prefix_removes_all_below", erase_prefix),
    ("erase_prefix_of_the_root_removes_everything", erase_root),
    ("list_retrieves_all_keys", list),
    ("list_prefix_retrieves_the_keys_below", list_prefix),
    ("list_dir_retrieves_keys_and_prefixes", list_dir),
    ("a_listing_of_nothing_is_empty", list_nothing),
    ("size_is_the_length_of_the_value", sizes),
    ("capabilities_are_told", capabilities),
];

/// Keys that every transformer passes on, and chunks (of both separators) that the sharding one
/// does not.
const NAMES: [&str; 4] = ["meta/root.array.json", "zarr.json", "data/a/c4/3", "data/a/c4.3"];

fn same<T: PartialEq + std::fmt::Debug>(found: T, expected: T, what: &str) -> Outcome {
    if found == expected { Ok(()) } else { Err(format!("{what}: found {found:?}, expected {expected:?}")) }
}

fn fine<T>(result: zarr_wasm::error::Result<T>) -> Result<T, String> {
    result.map_err(|error| format!("{error:?}"))
}

fn refused<T: std::fmt::Debug>(result: zarr_wasm::error::Result<T>, kind: ErrorKind) -> Outcome {
    match result {
        Err(error) if error.kind() == kind => Ok(()),
        other => Err(format!("{other:?} instead of a {kind:?} error")),
    }
}

fn on_each(subject: &Subject, test: impl Fn(&Subject, &str) -> Outcome) -> Outcome {
    NAMES.iter().try_for_each(|name| test(subject, name).map_err(|message| format!("{name}: {message}")))
}

fn get_retrieves(subject: &Subject) -> Outcome {
    on_each(subject, |subject, name| {
        fine(subject.set(name, b"value"))?;
        same(fine(subject.whole(name))?, Some(b"value".to_vec()), "value")
    })
}

fn absent(subject: &Subject) -> Outcome {
    on_each(subject, |subject, name| {
        same(fine(subject.whole(name))?, None, "of an empty store")?;
        same(fine(subject.get(name, ByteRange::Last(3)))?, None, "suffix")?;
        same(fine(subject.size(name))?, None, "size")
    })?;
    fine(subject.set("data/a/c4/2", b"neighbour"))?;
    same(fine(subject.whole("data/a/c4/3"))?, None, "beside one in the same shard")?;
    same(fine(subject.size("data/a/c4/3"))?, None, "size beside one in the same shard")
}

fn ranges(subject: &Subject) -> Outcome {
    on_each(subject, |subject, name| {
        fine(subject.set(name, b"0123456789"))?;
        for (offset, len, expected) in [(0, 1, "0"), (3, 4, "3456"), (8, 2, "89"), (7, 100, "789")] {
            let found = fine(subject.get(name, ByteRange::At { offset, len }))?;
            same(found, Some(expected.as_bytes().to_vec()), "range")?;
        }
        Ok(())
    })
}

fn open_ranges(subject: &Subject) -> Outcome {
    on_each(subject, |subject, name| {
        fine(subject.set(name, b"0123456789"))?;
        for (offset, expected) in [(0, "0123456789"), (1, "123456789"), (9, "9")] {
            let found = fine(subject.get(name, ByteRange::from_offset(offset)))?;
            same(found, Some(expected.as_bytes().to_vec()), "range")?;
        }
        Ok(())
    })
}

fn suffixes(subject: &Subject) -> Outcome {
    on_each(subject, |subject, name| {
        fine(subject.set(name, b"0123456789"))?;
        for (len, expected) in [(1, "9"), (10, "0123456789"), (99, "0123456789")] {
            let found = fine(subject.get(name, ByteRange::Last(len)))?;
            same(found, Some(expected.as_bytes().to_vec()), "suffix")?;
        }
        Ok(())
    })
}

fn past_the_end(subject: &Subject) -> Outcome {
    on_each(subject, |subject, name| {
        fine(subject.set(name, b"0123"))?;
        for offset in [4, 5, u64::MAX - 1] {
            refused(subject.get(name, ByteRange::At { offset, len: 1 }), ErrorKind::Format)?;
        }
        Ok(())
    })
}

fn set_replaces(subject: &Subject) -> Outcome {
    on_each(subject, |subject, name| {
        for bytes in [&b"a long value"[..], b"short", b"longer again, by far", b"x"] {
            fine(subject.set(name, bytes))?;
            same(fine(subject.whole(name))?, Some(bytes.to_vec()), "value")?;
        }
        Ok(())
    })
}

fn empty_values(subject: &Subject) -> Outcome {
    on_each(subject, |subject, name| {
        fine(subject.set(name, b""))?;
        same(fine(subject.whole(name))?, Some(Vec::new()), "value")?;
        same(fine(subject.size(name))?, Some(0), "size")?;
        same(fine(subject.list())?.contains(&name.to_owned()), true, "listed")
    })
}

fn case_sensitive(subject: &Subject) -> Outcome {
    fine(subject.set("foo", b"a"))?;
    fine(subject.set("FOO", b"b"))?;
    same(fine(subject.whole("foo"))?, Some(b"a".to_vec()), "foo")?;
    same(fine(subject.whole("FOO"))?, Some(b"b".to_vec()), "FOO")
}

fn erase_removes(subject: &Subject) -> Outcome {
    on_each(subject, |subject, name| {
        fine(subject.set(name, b"value"))?;
        fine(subject.set("data/a/c4/2", b"neighbour"))?;
        fine(subject.erase(name))?;
        same(fine(subject.whole(name))?, None, "erased")?;
        same(fine(subject.whole("data/a/c4/2"))?, Some(b"neighbour".to_vec()), "neighbour")
    })
}

fn erase_absent(subject: &Subject) -> Outcome {
    on_each(subject, |subject, name| {
        fine(subject.erase(name))?;
        fine(subject.erase("no/such/key"))
    })?;
    fine(subject.erase_prefix("no/such"))?;
    fine(subject.erase_prefix("data/a/c4"))?;
    same(fine(subject.list())?, Vec::new(), "nothing came of it")
}

fn fill(subject: &Subject, names: &[&str]) -> Outcome {
    names.iter().try_for_each(|name| fine(subject.set(name, name.as_bytes())))
}

fn erase_prefix(subject: &Subject) -> Outcome {
    fill(
        subject,
        &["a/b", "a/c/d", "a.b", "ab/c", "data/a/c0/0", "data/a/c1/0", "data/a/c1/4", "data/b/c1/0"],
    )?;
    fine(subject.erase_prefix("a"))?;
    fine(subject.erase_prefix("data/a/c1"))?;
    same(
        fine(subject.list())?,
        ["a.b", "ab/c", "data/a/c0/0", "data/b/c1/0"].map(str::to_owned).to_vec(),
        "left",
    )?;
    same(fine(subject.whole("data/a/c0/0"))?, Some(b"data/a/c0/0".to_vec()), "value")?;
    fine(subject.erase_prefix("data/a"))?;
    same(fine(subject.list())?, ["a.b", "ab/c", "data/b/c1/0"].map(str::to_owned).to_vec(), "left at last")
}

fn erase_root(subject: &Subject) -> Outcome {
    fill(subject, &["a/b", "zarr.json", "data/a/c0/0", "data/a/c6/4"])?;
    fine(subject.erase_prefix("/"))?;
    same(fine(subject.list())?, Vec::new(), "left")?;
    fine(subject.set("a/b", b"again"))
}

fn list(subject: &Subject) -> Outcome {
    let names = ["a/b", "data/a/c0/0", "data/a/c0/1", "data/a/c6/4", "data/aa/c0/0", "zarr.json"];
    fill(subject, &names)?;
    same(fine(subject.list())?, names.map(str::to_owned).to_vec(), "keys")?;
    same(fine(subject.list_prefix("/"))?, names.map(str::to_owned).to_vec(), "keys below the root")
}

/// The text's own example, and the same among chunks.
fn list_prefix(subject: &Subject) -> Outcome {
    fill(subject, &["a/b", "a/c/d", "e/f/g"])?;
    same(fine(subject.list_prefix("a/"))?, vec!["a/b".to_owned(), "a/c/d".to_owned()], "a/")?;
    let chunks = ["data/a/c4/0", "data/a/c4/3", "data/a/c5/0", "data/a/c5.1", "data/a/c0/0"];
    fill(subject, &chunks)?;
    let expected = ["data/a/c4/0", "data/a/c4/3"].map(str::to_owned).to_vec();
    same(fine(subject.list_prefix("data/a/c4/"))?, expected, "data/a/c4/")?;
    let mut all = chunks.map(str::to_owned).to_vec();
    all.sort();
    same(fine(subject.list_prefix("data/a/"))?, all.clone(), "data/a/")?;
    same(fine(subject.list_prefix("data/"))?, all, "data/")?;
    same(fine(subject.list_prefix("data/a/c4/3/"))?, Vec::new(), "below a chunk")
}

/// The text's own example, and the same among chunks.
fn list_dir(subject: &Subject) -> Outcome {
    let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    fill(subject, &["a/b", "a/c", "a/d/e", "a/f/g"])?;
    same(fine(subject.list_dir("a/"))?, (names(&["a/b", "a/c"]), names(&["a/d", "a/f"])), "a/")?;
    same(fine(subject.list_dir("b/"))?, (Vec::new(), Vec::new()), "b/")?;
    fill(subject, &["data/a/c4/0", "data/a/c4/3", "data/a/c5/0", "data/a/c5.1"])?;
    same(fine(subject.list_dir("data/a/c4"))?, (names(&["data/a/c4/0", "data/a/c4/3"]), Vec::new()), "c4/")?;
    same(fine(subject.list_dir("data"))?, (Vec::new(), names(&["data/a"])), "data/")?;
    same(fine(subject.list_dir("/"))?, (Vec::new(), names(&["a", "data"])), "the root")?;
    let (keys, prefixes) = fine(subject.list_dir("data/a"))?;
    same(keys, names(&["data/a/c5.1"]), "keys of data/a/")?;
    same(prefixes, names(&["data/a/c4", "data/a/c5"]), "prefixes of data/a/")
}

fn list_nothing(subject: &Subject) -> Outcome {
    same(fine(subject.list())?, Vec::new(), "keys")?;
    for prefix in ["/", "data", "data/a", "data/a/c4", "b"] {
        same(fine(subject.list_prefix(prefix))?, Vec::new(), prefix)?;
        same(fine(subject.list_dir(prefix))?, (Vec::new(), Vec::new()), prefix)?;
    }
    Ok(())
}

fn sizes(subject: &Subject) -> Outcome {
    on_each(subject, |subject, name| {
        fine(subject.set(name, b"0123456789"))?;
        same(fine(subject.size(name))?, Some(10), "size")
    })
}

fn capabilities(subject: &Subject) -> Outcome {
    let (writes, lists) = (subject.store.as_writable().is_some(), subject.store.is_known_to_list());
    same((writes, lists), (true, true), "capabilities")?;
    same(subject.store.describe().is_empty(), false, "described")
}
