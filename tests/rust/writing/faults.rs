//! Stores that fail in the middle: after a failure at any write, each object is as it was at some
//! moment of the undisturbed change, never half; the array reads as before or after, element by
//! element; and the error says so.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use futures_executor::block_on;
use zarr_wasm::access::selection::{DimensionSelection, Selection, SliceSelection};
use zarr_wasm::error::{Error, ErrorKind, Result};
use zarr_wasm::format::metadata::write::edit::AttributeUpdate;
use zarr_wasm::format::path::{NodePath, StoreKey};
use zarr_wasm_engine::internals::hierarchy::attributes::update_attributes;
use zarr_wasm_engine::internals::hierarchy::consolidate::consolidate;
use zarr_wasm_engine::internals::hierarchy::erase::{EraseOptions, erase};
use zarr_wasm_engine::internals::hierarchy::resize::{Appended, append, resize};
use zarr_wasm_engine::internals::store::{LocalFuture, Store};
use zarr_wasm_engine::internals::write::WriteSource;
use zarr_wasm_engine::internals::write::inline_encoder::InlineEncoder;

use crate::{context, create_array, put, read_all, reopen};
use support::watched::{Call, Watch, Watched};

/// Makes a memory fail once, at its `fails_at`th change, and remembers every value that a key ever
/// had.
struct Failing {
    changes: Cell<usize>,
    fails_at: usize,
    state: RefCell<State>,
    seen: RefCell<BTreeMap<String, BTreeSet<Option<Vec<u8>>>>>,
}

fn failing(state: &State, fails_at: usize) -> Rc<Watched<Failing>> {
    let (changes, seen) = (Cell::new(0), RefCell::default());
    let watched = Watched::new(Failing { changes, fails_at, state: RefCell::new(state.clone()), seen });
    for (key, value) in state {
        watched.memory.insert(&StoreKey::parse(key).unwrap(), value.clone());
    }
    watched
}

impl Failing {
    /// Fails, or notes what the key had and has then.
    fn change(&self, key: &StoreKey, value: Option<Vec<u8>>) -> Result<()> {
        self.changes.set(self.changes.get() + 1);
        if self.changes.get() == self.fails_at {
            return Err(Error::store("the disk is full").at_key(key.as_str()));
        }
        let (key, mut state) = (key.as_str().to_owned(), self.state.borrow_mut());
        let before = match value.clone() {
            Some(value) => state.insert(key.clone(), value),
            None => state.remove(&key),
        };
        self.seen.borrow_mut().entry(key).or_default().extend([before, value]);
        Ok(())
    }

    fn state(&self) -> State {
        self.state.borrow().clone()
    }
}

impl Watch for Failing {
    fn before<'a>(&'a self, call: Call<'a>) -> LocalFuture<'a, Result<()>> {
        Box::pin(std::future::ready(match call {
            Call::Set(key, value) => self.change(key, Some(value.to_vec(1 << 30, "test").unwrap())),
            Call::Erase(key) => self.change(key, None),
            Call::Get(..) | Call::ListDir(_) => Ok(()),
        }))
    }
}

type State = BTreeMap<String, Vec<u8>>;
type Change = fn(&Rc<dyn Store>) -> Result<()>;

const LAYOUTS: [&str; 5] = [
    r#"{"shape":[7,6],"chunk_shape":[2,3],"data_type":"uint8","codecs":["gzip"]}"#,
    r#"{"shape":[7,6],"chunk_shape":[2,3],"shard_shape":[4,6],"data_type":"uint8","codecs":[]}"#,
    r#"{"shape":[7,6],"chunk_shape":[2,3],"data_type":"uint8","zarr_format":2}"#,
    r#"{"shape":[7,6],"chunk_shape":[2,3],"data_type":"uint8","zarr_format":"v3-draft-2020-10"}"#,
    r#"{"shape":[7,6],"chunk_shape":[2,3],"shard_shape":[4,6],"data_type":"uint8","zarr_format":"v3-draft-2022-05"}"#,
];

fn written(options: &str) -> State {
    let store = failing(&State::new(), 0);
    let shared: Rc<dyn Store> = store.clone();
    let array = create_array(&shared, "g/a", options).unwrap();
    put(&array, Selection::all(), WriteSource::Elements((1..43).collect::<Vec<u8>>().into())).unwrap();
    store.watch.state()
}

fn write_most(store: &Rc<dyn Store>) -> Result<()> {
    let slice = |start, stop| {
        DimensionSelection::Slice(SliceSelection { start: Some(start), stop: Some(stop), step: None })
    };
    let most = Selection::Orthogonal(vec![slice(1, 7), slice(0, 5)]);
    put(&reopen(store, "g/a"), most, WriteSource::Element(vec![99])).map(drop)
}

fn empty_it(store: &Rc<dyn Store>) -> Result<()> {
    put(&reopen(store, "g/a"), Selection::all(), WriteSource::Element(vec![0])).map(drop)
}

fn shrink(store: &Rc<dyn Store>) -> Result<()> {
    block_on(resize(&reopen(store, "g/a"), &[3, 4], &InlineEncoder, &context())).map(drop)
}

fn grow(store: &Rc<dyn Store>) -> Result<()> {
    block_on(resize(&reopen(store, "g/a"), &[9, 8], &InlineEncoder, &context())).map(drop)
}

fn append_rows(store: &Rc<dyn Store>) -> Result<()> {
    let appended = Appended { axis: 0, len: 3, elements: WriteSource::Element(vec![50]).into() };
    block_on(append(&reopen(store, "g/a"), &appended, &InlineEncoder, &|_| {}, &context())).map(drop)
}

fn name_it(store: &Rc<dyn Store>) -> Result<()> {
    let path = NodePath::parse_any("g/a").unwrap();
    let update = AttributeUpdate::Merge;
    block_on(update_attributes(store, &path, r#"{"name":"it"}"#, update, &context())).map(drop)
}

fn erase_it(store: &Rc<dyn Store>) -> Result<()> {
    block_on(erase(store, "g/a", EraseOptions::default(), &context())).map(drop)
}

fn consolidate_all(store: &Rc<dyn Store>) -> Result<()> {
    block_on(consolidate(store, &NodePath::root(), &context())).map(drop)
}

fn create_another(store: &Rc<dyn Store>) -> Result<()> {
    let format = reopen(store, "g/a").document().format.name();
    let format = format.strip_prefix('v').filter(|number| number.len() == 1).unwrap_or(format);
    let format = if format.len() == 1 { format.to_owned() } else { format!("{format:?}") };
    let options = format!(r#"{{"zarr_format":{format},"shape":[4],"data_type":"int16","chunk_shape":[2]}}"#);
    create_array(store, "g/h/b", &options).map(drop)
}

const CHANGES: [(&str, Change); 9] = [
    ("write", write_most),
    ("empty", empty_it),
    ("shrink", shrink),
    ("grow", grow),
    ("append", append_rows),
    ("attributes", name_it),
    ("erase", erase_it),
    ("consolidate", consolidate_all),
    ("create", create_another),
];

/// Fails at each write of each change in each layout.
#[test]
fn each_object_has_old_or_new_bytes_wherever_a_change_is_cut_off() {
    for options in LAYOUTS {
        let before = written(options);
        for (name, change) in CHANGES {
            let undisturbed = failing(&before, 0);
            let store: Rc<dyn Store> = undisturbed.clone();
            if let Err(error) = change(&store) {
                // A draft has no consolidated metadata of its own.
                assert_eq!(
                    (name, error.kind()),
                    ("consolidate", ErrorKind::Unsupported),
                    "{options}: {error}"
                );
                continue;
            }
            let (count, mut seen) = (undisturbed.watch.changes.get(), undisturbed.watch.seen.take());
            assert!(count > 0, "{name} changes nothing in {options}");
            for at in 1..=count {
                let failing = failing(&before, at);
                let store: Rc<dyn Store> = failing.clone();
                let error = change(&store).expect_err("the store failed");
                assert_eq!(error.kind(), ErrorKind::Store, "{error}");
                assert!(error.to_string().contains("the disk is full"), "{name} at {at}: {error}");
                assert!(error.context().key.is_some(), "{name} at {at}: {error}");
                // What was begun may be taken back: an append that fails leaves no rows past the
                // end.
                let mut taken_back = failing.watch.seen.take();
                for (key, value) in failing.watch.state() {
                    let values = seen.entry(key.clone()).or_default();
                    values.extend(before.get(&key).cloned().map(Some));
                    let known = values.contains(&Some(value.clone()))
                        || taken_back.remove(&key).is_some_and(|values| values.contains(&Some(value)));
                    assert!(known, "{name} at {at} of {count}: {key} has bytes that no call wrote");
                }
                for key in before.keys().filter(|key| !failing.watch.state().contains_key(*key)) {
                    assert!(seen.get(key).is_some_and(|values| values.contains(&None)), "{name} lost {key}");
                }
            }
        }
    }
}

/// Each element of an array whose write was cut off is the old one or the new one, and writing
/// again mends it.
#[test]
fn a_write_that_was_cut_off_leaves_old_or_new_elements_and_can_be_done_again() {
    for options in LAYOUTS {
        let before = written(options);
        let elements = |store: &Rc<dyn Store>| read_all(&reopen(store, "g/a")).unwrap();
        let (old, done): (Rc<dyn Store>, Rc<dyn Store>) = (failing(&before, 0), failing(&before, 0));
        write_most(&done).unwrap();
        let (old, new) = (elements(&old), elements(&done));
        let mut failures = 0;
        for at in 1.. {
            let store: Rc<dyn Store> = failing(&before, at);
            let Err(error) = write_most(&store) else { break };
            failures += 1;
            let message = error.message();
            assert!(message.contains("chunks were written, 1 failed ("), "{message}");
            let found = elements(&store);
            let either =
                found.iter().zip(old.iter().zip(&new)).all(|(at, (old, new))| at == old || at == new);
            assert!(either, "{options} at {at}: {found:?}");
            write_most(&store).unwrap();
            assert_eq!(elements(&store), new);
        }
        assert!(failures >= 2, "{options}: {failures} writes");
    }
}

/// A resize that was cut off shows the old array or the new one, whatever became of the chunks
/// outside.
#[test]
fn a_resize_that_was_cut_off_leaves_the_old_array_or_the_new_one() {
    for options in LAYOUTS {
        let before = written(options);
        for change in [shrink as Change, grow] {
            let done: Rc<dyn Store> = failing(&before, 0);
            change(&done).unwrap();
            let read = |store: &Rc<dyn Store>| {
                let array = reopen(store, "g/a");
                (array.binding().metadata().shape.clone(), read_all(&array).unwrap())
            };
            let old = read(&(failing(&before, 0) as Rc<dyn Store>));
            let new = read(&done);
            for at in 1.. {
                let store: Rc<dyn Store> = failing(&before, at);
                if change(&store).is_ok() {
                    break;
                }
                let found = read(&store);
                assert!(found == old || found == new, "{options} at {at}: {found:?}");
            }
        }
    }
}
