//! Writes that are cut off at every call of the store, and what comes after them: the array grows,
//! shrinks and takes rows as if only what was read right after the failure had ever been there.
//!
//! A call fails before it acts, or acts and then reports a failure. The store answers again
//! afterwards, or only after the whole change has failed, so that no cleaning up succeeds either.
//! The model (`model.rs`) is a list of elements.

use std::cell::Cell;
use std::rc::Rc;

use futures_executor::block_on;
use zarr_wasm::access::selection::{DimensionSelection, Selection, SliceSelection};
use zarr_wasm::error::{Error, Result};
use zarr_wasm::format::path::StoreKey;
use zarr_wasm_engine::internals::hierarchy::resize::{Appended, append, resize};
use zarr_wasm_engine::internals::read::array::Array;
use zarr_wasm_engine::internals::store::{LocalFuture, Store};
use zarr_wasm_engine::internals::write::WriteSource;
use zarr_wasm_engine::internals::write::inline_encoder::InlineEncoder;

use crate::model::{Model, positions};
use crate::{context, create_array, put, read_all, reopen};
use support::watched::{Call, Watch, Watched, lacks};

/// How a store fails.
#[derive(Clone, Copy, Debug)]
struct Failure {
    /// The number of the call that fails, from 1 on.
    at: usize,
    /// Whether that call acts before it reports the failure.
    acts: bool,
    /// Whether all later calls fail too, until the store is mended.
    stays: bool,
}

/// Makes a memory fail, and maybe unable to list or to erase.
struct Broken {
    lists: bool,
    erases: bool,
    calls: Cell<usize>,
    failure: Cell<Option<Failure>>,
}

impl Broken {
    fn new(lists: bool, erases: bool) -> Self {
        Self { lists, erases, calls: Cell::new(0), failure: Cell::new(None) }
    }

    /// The error of this call, if it is the one that fails, or a later one while the store is
    /// broken. `has_acted` tells on which side of the call this is.
    fn fail(&self, has_acted: bool) -> Result<()> {
        let now = self.calls.get();
        let fails = self.failure.get().is_some_and(|failure| match now == failure.at {
            true => failure.acts == has_acted,
            false => failure.stays && now > failure.at,
        });
        if fails { Err(Error::store("the connection was lost")) } else { Ok(()) }
    }
}

impl Watch for Broken {
    fn lists(&self) -> bool {
        self.lists
    }

    /// As a store over HTTP, so that chunks and shard indexes are cached.
    fn is_cacheable(&self) -> bool {
        true
    }

    fn before<'a>(&'a self, call: Call<'a>) -> LocalFuture<'a, Result<()>> {
        Box::pin(async move {
            match call {
                Call::Erase(_) if !self.erases => return Err(lacks("erase")),
                Call::ListDir(_) if !self.lists => return Err(lacks("list")),
                _ => self.calls.set(self.calls.get() + 1),
            }
            self.fail(false)
        })
    }

    fn after<'a>(&'a self, _call: Call<'a>) -> LocalFuture<'a, Result<()>> {
        Box::pin(async { self.fail(true) })
    }
}

const FILL: u8 = 200;
const LAYOUTS: [&str; 5] = [
    r#"{"shape":[7,6],"chunk_shape":[2,3],"data_type":"uint8","fill_value":200,"codecs":["gzip"]}"#,
    r#"{"shape":[7,6],"chunk_shape":[2,3],"shard_shape":[4,6],"data_type":"uint8","fill_value":200,"codecs":[]}"#,
    r#"{"shape":[7,6],"chunk_shape":[2,2],"shard_shape":[4,4],"data_type":"uint8","fill_value":200,"codecs":["zstd"]}"#,
    r#"{"shape":[7,6],"chunk_shape":[4,4],"data_type":"uint8","fill_value":200,"zarr_format":2,"codecs":["zlib"]}"#,
    r#"{"shape":[7,6],"chunk_shape":[2,3],"shard_shape":[4,6],"data_type":"uint8","fill_value":200,"zarr_format":"v3-draft-2022-05"}"#,
];

/// A change of an array.
#[derive(Clone, Copy, Debug)]
enum Step {
    Set,
    Resize([u64; 2]),
    Append { axis: usize, len: u64, value: u8 },
}

const CHANGES: [Step; 6] = [
    Step::Set,
    Step::Resize([3, 4]),
    Step::Resize([9, 8]),
    Step::Resize([10, 2]),
    Step::Append { axis: 0, len: 5, value: 50 },
    Step::Append { axis: 1, len: 4, value: 60 },
];

/// What comes after a failure: the array grows over all that a failed change may have touched.
const AFTERWARDS: [&[Step]; 3] = [
    &[Step::Resize([11, 10])],
    &[Step::Resize([2, 1]), Step::Resize([11, 10])],
    &[
        Step::Append { axis: 1, len: 1, value: 70 },
        Step::Append { axis: 0, len: 1, value: 71 },
        Step::Resize([11, 10]),
    ],
];

fn part() -> Selection {
    let slice = |start, stop| {
        DimensionSelection::Slice(SliceSelection { start: Some(start), stop: Some(stop), step: None })
    };
    Selection::Orthogonal(vec![slice(1, 7), slice(0, 5)])
}

fn perform(array: &Rc<Array>, step: Step) -> Result<Rc<Array>> {
    match step {
        Step::Set => put(array, part(), WriteSource::Element(vec![99])).map(|_| array.clone()),
        Step::Resize(shape) => block_on(resize(array, &shape, &InlineEncoder, &context())),
        Step::Append { axis, len, value } => {
            let appended = Appended { axis, len, elements: WriteSource::Element(vec![value]).into() };
            block_on(append(array, &appended, &InlineEncoder, &|_| {}, &context()))
        }
    }
}

/// The plainest meaning of a step.
fn modelled(model: &Model, step: Step) -> Model {
    let mut new = model.clone();
    match step {
        Step::Set => {
            for position in model.selected(&part()) {
                let at = new.at(&position);
                new.elements[at] = vec![99];
            }
        }
        Step::Resize(shape) => new = model.resized(&shape),
        Step::Append { axis, len, value } => {
            let mut shape = model.shape.clone();
            let start = shape[axis];
            shape[axis] += len;
            new = model.resized(&shape);
            for position in positions(&shape).into_iter().filter(|position| position[axis] >= start) {
                let at = new.at(&position);
                new.elements[at] = vec![value];
            }
        }
    }
    new
}

fn model_of(array: &Rc<Array>) -> Model {
    let shape = array.binding().metadata().shape.clone();
    let elements = read_all(array).unwrap().into_iter().map(|element| vec![element]).collect();
    Model { shape, fill: vec![FILL], elements }
}

/// A store with an array whose elements are 1, 2, 3, …
fn written(layout: &str, lists: bool, erases: bool) -> (Rc<Watched<Broken>>, Rc<dyn Store>) {
    let broken = Watched::new(Broken::new(lists, erases));
    let store: Rc<dyn Store> = broken.clone();
    let array = create_array(&store, "a", layout).unwrap();
    put(&array, Selection::all(), WriteSource::Elements((1..43).collect::<Vec<u8>>().into())).unwrap();
    (broken, store)
}

/// Whether this is what a failed step may leave: the old array, the new one, or for a step that
/// changes chunks one by one, old and new elements.
fn may_be_left(found: &Model, old: &Model, new: &Model, step: Step, lists: bool) -> bool {
    if found.shape == new.shape && found.elements == new.elements {
        return true;
    }
    let is_shrink =
        matches!(step, Step::Resize(shape) if shape.iter().zip(&old.shape).any(|(new, old)| new < old));
    let changes_one_by_one = matches!(step, Step::Set) || (is_shrink && !lists);
    found.shape == old.shape
        && positions(&old.shape).iter().all(|position| {
            let (now, before) = (&found.elements[found.at(position)], &old.elements[old.at(position)]);
            let is_inside = position.iter().zip(&new.shape).all(|(at, len)| at < len);
            let after = if is_inside { &new.elements[new.at(position)] } else { &new.fill };
            now == before || (changes_one_by_one && now == after)
        })
}

/// Cuts a step off at call number `at`. `None` once the step needs fewer calls. What comes
/// afterwards takes turns with the number of the call.
fn cut_off(layout: &str, step: Step, failure: Failure, lists: bool, erases: bool) -> Option<()> {
    let afterwards = AFTERWARDS[failure.at % AFTERWARDS.len()];
    let (broken, store) = written(layout, lists, erases);
    let array = reopen(&store, "a");
    // Fills the caches of this array.
    let old = model_of(&array);
    broken.watch.calls.set(0);
    broken.watch.failure.set(Some(failure));
    let done = perform(&array, step);
    broken.watch.failure.set(None);
    if done.is_ok() && broken.watch.calls.get() < failure.at {
        return None;
    }
    let case = format!("{layout} {step:?} {failure:?} lists {lists} erases {erases} {afterwards:?}");
    let new = modelled(&old, step);
    let mut current = reopen(&store, "a");
    let mut model = model_of(&current);
    assert!(may_be_left(&model, &old, &new, step, lists), "{case}: {model:?}");
    if model.shape == old.shape {
        // What this process had cached has given way to what is stored.
        assert_eq!(read_all(&array).unwrap(), model.bytes(), "{case}: the caches of the open array");
    }
    for next in afterwards {
        current = perform(&current, *next).unwrap_or_else(|error| panic!("{case}: {error}"));
        model = modelled(&model, *next);
        assert_eq!(current.binding().metadata().shape, model.shape, "{case}");
        assert_eq!(read_all(&current).unwrap(), model.bytes(), "{case}: after {next:?}");
        assert_eq!(read_all(&reopen(&store, "a")).unwrap(), model.bytes(), "{case}: anew after {next:?}");
    }
    Some(())
}

fn cut_off_everywhere(lists: bool, erases: bool) {
    let mut cases = 0;
    for layout in LAYOUTS {
        for step in CHANGES {
            for (acts, stays) in [(false, false), (false, true), (true, true)] {
                let count = (1..)
                    .map_while(|at| cut_off(layout, step, Failure { at, acts, stays }, lists, erases))
                    .count();
                assert!(count > 0, "{layout} {step:?} needs no call");
                cases += count;
            }
        }
    }
    assert!(cases > 800, "{cases} cases");
}

#[test]
fn what_a_write_that_was_cut_off_left_never_comes_back() {
    cut_off_everywhere(true, true);
}

#[test]
fn nor_in_a_store_that_cannot_list() {
    cut_off_everywhere(false, true);
}

#[test]
fn nor_in_a_store_that_can_neither_list_nor_erase() {
    cut_off_everywhere(false, false);
}

/// Another program made the array smaller and changed nothing but its document.
#[test]
fn growth_clears_what_another_program_left_beyond_the_shape() {
    for layout in LAYOUTS {
        for (lists, erases) in [(true, true), (false, true), (false, false)] {
            let (broken, store) = written(layout, lists, erases);
            let documents = ["a/zarr.json", "a/.zarray", "a.array.json"];
            let keys = broken.memory.keys().into_iter();
            for key in keys.filter(|key| documents.iter().any(|name| key.ends_with(name))) {
                let mut document = crate::json(&broken.memory, &key);
                document["shape"] = serde_json::json!([3, 2]);
                broken.memory.insert(&StoreKey::parse(&key).unwrap(), serde_json::to_vec(&document).unwrap());
            }
            let array = reopen(&store, "a");
            let model = model_of(&array);
            assert_eq!(
                (model.shape.as_slice(), model.bytes()),
                ([3, 2].as_slice(), vec![1, 2, 7, 8, 13, 14])
            );
            let grown = perform(&array, Step::Resize([7, 6])).unwrap();
            assert_eq!(read_all(&grown).unwrap(), modelled(&model, Step::Resize([7, 6])).bytes(), "{layout}");
        }
    }
}

/// A store of many chunks: growth lists them where it can, and asks for no more than 4096 where it
/// cannot.
#[test]
fn growth_over_a_million_chunks_stays_cheap() {
    for (lists, most) in [(true, 20), (false, 4_200)] {
        let layout = r#"{"shape":[10],"chunk_shape":[1],"data_type":"uint8","codecs":[],"fill_value":200}"#;
        let broken = Watched::new(Broken::new(lists, true));
        let store: Rc<dyn Store> = broken.clone();
        let array = create_array(&store, "a", layout).unwrap();
        put(&array, Selection::all(), WriteSource::Element(vec![1])).unwrap();
        for left in [10, 11, 4_000] {
            broken.memory.insert(&array.chunk_key(&[left]), vec![77]);
        }
        broken.watch.calls.set(0);
        let grown = block_on(resize(&array, &[1 << 40], &InlineEncoder, &context())).unwrap();
        assert!(broken.watch.calls.get() <= most, "{} calls", broken.watch.calls.get());
        let slice =
            DimensionSelection::Slice(SliceSelection { start: Some(0), stop: Some(5_000), step: None });
        let read = support::read_selection(&grown, Selection::Orthogonal(vec![slice]), None).unwrap();
        let support::ReadElements::Packed(read) = read else { panic!("elements of one byte") };
        assert!(read.iter().enumerate().all(|(at, element)| *element == if at < 10 { 1 } else { FILL }));
    }
}
