//! `repo` and the histories of Icechunk: names, messages, metadata and configurations that are
//! shared, and snapshots that come back to themselves.

use std::cell::Cell;
use std::rc::Rc;

use futures_executor::block_on;
use support::watched::{Call, Watch, Watched};
use support::{Files, memory_store};
use zarr_wasm::ErrorKind;
use zarr_wasm_engine::internals::store::LocalFuture;
use zarr_wasm_engine::internals::store::icechunk::history::{Repository, RepositorySubject};
use zarr_wasm_icechunk::ObjectId;

use crate::flatbuffer::{Flatbuffer, Layout, OFFSET};
use crate::flexbuffer::{self, Flexbuffer};
use crate::icechunk::{ID, Tables, blames_data, snapshot, snapshot_key, store_of, store_over};
use crate::measure::check;

const REPO: u8 = 6;

/// The tables of `repo`.
struct Repo {
    root: Layout,
    name: Layout,
    snapshot: Layout,
    item: Layout,
}

impl Repo {
    fn of(buffer: &mut Flatbuffer) -> Self {
        let root = [1, OFFSET, OFFSET, 0, OFFSET, 0, 0, 0, 0, OFFSET];
        Self {
            root: buffer.layout(&root),
            name: buffer.layout(&[OFFSET, 4]),
            snapshot: buffer.layout(&[12, 4, 8, OFFSET, OFFSET]),
            item: buffer.layout(&[OFFSET, OFFSET]),
        }
    }

    /// The root, its lists of names (of which none is read where there are none) and of snapshots.
    fn start(&self, buffer: &mut Flatbuffer, names: usize, snapshots: usize) -> [usize; 3] {
        let root = buffer.table(&self.root);
        let (branches, list) = (buffer.offsets(names), buffer.offsets(snapshots));
        for field in [1, 2] {
            buffer.point(Flatbuffer::field(root, &self.root, field), branches);
        }
        buffer.point(Flatbuffer::field(root, &self.root, 4), list);
        let config = buffer.text(b"");
        buffer.point(Flatbuffer::field(root, &self.root, 9), config);
        [root, branches, list]
    }

    /// A name of the first snapshot.
    fn name(&self, buffer: &mut Flatbuffer, text: &[u8]) -> usize {
        let name = buffer.table(&self.name);
        let text = buffer.text(text);
        buffer.point(Flatbuffer::field(name, &self.name, 0), text);
        name
    }

    /// A snapshot with a parent, whose message and metadata lead nowhere yet.
    fn snapshot(&self, buffer: &mut Flatbuffer, number: usize, parent: i32) -> usize {
        let snapshot = buffer.table(&self.snapshot);
        let mut id = ID;
        id[..4].copy_from_slice(&u32::try_from(number).unwrap().to_le_bytes());
        buffer.set(snapshot, &self.snapshot, 0, if number == 0 { &ID } else { &id });
        buffer.set(snapshot, &self.snapshot, 1, &parent.to_le_bytes());
        snapshot
    }
}

/// A repository with this `repo`, and a snapshot without nodes.
fn repository(buffer: Flatbuffer, root: usize) -> Files {
    let mut empty = Flatbuffer::new();
    let tables = Tables::of(&mut empty);
    let (empty_root, _) = tables.start(&mut empty, 0);
    let mut files = snapshot(empty, empty_root);
    files.insert("repo".to_owned(), buffer.file(REPO, root));
    files
}

/// A `repo` with a configuration.
pub fn configured(config: &[u8]) -> Files {
    let mut buffer = Flatbuffer::new();
    let repo = Repo::of(&mut buffer);
    let [root, names, list] = repo.start(&mut buffer, 1, 1);
    let name = repo.name(&mut buffer, b"main");
    buffer.point(Flatbuffer::element(names, 0), name);
    let snapshot = repo.snapshot(&mut buffer, 0, -1);
    buffer.point(Flatbuffer::element(list, 0), snapshot);
    let config = buffer.text(config);
    buffer.point(Flatbuffer::field(root, &repo.root, 9), config);
    Files::from([("repo".to_owned(), buffer.file(REPO, root))])
}

fn ask(files: &Files, question: RepositorySubject) {
    blames_data(block_on(store_of(files).ask(question)));
}

/// Snapshots, each the parent of the one before, that share a message and a list of metadata.
fn commits(count: usize, after: impl Fn(&mut Flatbuffer, &Repo) -> (usize, usize)) -> Files {
    let mut buffer = Flatbuffer::new();
    let repo = Repo::of(&mut buffer);
    let [root, names, list] = repo.start(&mut buffer, 1, count);
    let mut all = Vec::new();
    for number in 0..count {
        let parent = if number + 1 < count { i32::try_from(number).unwrap() + 1 } else { -1 };
        let snapshot = repo.snapshot(&mut buffer, number, parent);
        buffer.point(Flatbuffer::element(list, number), snapshot);
        all.push(snapshot);
    }
    let name = repo.name(&mut buffer, b"main");
    buffer.point(Flatbuffer::element(names, 0), name);
    // The list of metadata comes first, because its parts come behind it.
    let (message, metadata) = after(&mut buffer, &repo);
    for snapshot in all {
        buffer.point(Flatbuffer::field(snapshot, &repo.snapshot, 3), message);
        buffer.point(Flatbuffer::field(snapshot, &repo.snapshot, 4), metadata);
    }
    repository(buffer, root)
}

/// A list of `count` items that are one, with this name and value.
fn metadata(buffer: &mut Flatbuffer, repo: &Repo, count: usize, name: &[u8], value: &[u8]) -> usize {
    let list = buffer.offsets(count);
    let item = buffer.table(&repo.item);
    buffer.point_all(list, count, item);
    let (name, value) = (buffer.text(name), buffer.text(value));
    buffer.point(Flatbuffer::field(item, &repo.item, 0), name);
    buffer.point(Flatbuffer::field(item, &repo.item, 1), value);
    list
}

#[test]
fn names_that_are_one() {
    for subject in [RepositorySubject::Branches, RepositorySubject::Tags] {
        let make = |len: usize| {
            let mut buffer = Flatbuffer::new();
            let repo = Repo::of(&mut buffer);
            let count = len / 8;
            let [root, names, list] = repo.start(&mut buffer, count, 1);
            let snapshot = repo.snapshot(&mut buffer, 0, -1);
            buffer.point(Flatbuffer::element(list, 0), snapshot);
            let name = repo.name(&mut buffer, &vec![b'a'; len / 2]);
            buffer.point_all(names, count, name);
            repository(buffer, root)
        };
        check("names that are one", make, |files| ask(files, subject));
    }
}

/// Names of their own, which are all in the answer.
#[test]
fn many_names() {
    let make = |len: usize| {
        let mut buffer = Flatbuffer::new();
        let repo = Repo::of(&mut buffer);
        let count = len / 28;
        let [root, names, list] = repo.start(&mut buffer, count, 1);
        for number in 0..count {
            let name = repo.name(&mut buffer, format!("{number}").as_bytes());
            buffer.point(Flatbuffer::element(names, number), name);
        }
        let snapshot = repo.snapshot(&mut buffer, 0, -1);
        buffer.point(Flatbuffer::element(list, 0), snapshot);
        repository(buffer, root)
    };
    check("many names", make, |files| {
        block_on(store_of(files).ask(RepositorySubject::Branches)).unwrap();
    });
}

#[test]
fn one_message() {
    let make = |len: usize| {
        commits(len / 80, |buffer, repo| {
            let metadata = metadata(buffer, repo, 0, b"", b"");
            (buffer.text(&vec![b'm'; len / 2]), metadata)
        })
    };
    check("one message", make, |files| ask(files, RepositorySubject::History));
}

/// Characters that are six in JSON.
#[test]
fn long_messages() {
    let make = |len: usize| {
        commits(1, |buffer, repo| {
            let metadata = metadata(buffer, repo, 0, b"", b"");
            (buffer.text(&vec![1; len]), metadata)
        })
    };
    check("a long message", make, |files| ask(files, RepositorySubject::History));
}

#[test]
fn one_item_of_metadata() {
    let value = flexbuffer::text(b"x");
    for (name, count) in [(8, 1), (8, 4096), (2, 4096)] {
        let make = |len: usize| {
            commits(len / 160, |buffer, repo| {
                let value = if name == 8 { flexbuffer::text(&vec![1; len / 4]) } else { value.clone() };
                let list = metadata(buffer, repo, count.min(len / 16), &vec![b'n'; len / name], &value);
                (buffer.text(b"m"), list)
            })
        };
        check(&format!("{count} items of metadata"), make, |files| ask(files, RepositorySubject::History));
    }
}

/// Lists in lists, each of which has one list many times.
#[test]
fn metadata_that_grow() {
    for width in [2, 8, 64, 1024] {
        let make = |len: usize| {
            let mut value = Flexbuffer::new();
            let mut inner = value.list((0, 0), 0);
            for _ in 0..28 {
                inner = value.list(inner, width.min(len / 128));
            }
            let value = value.finish(inner);
            commits(len / 256, |buffer, repo| {
                let list = metadata(buffer, repo, 64.min(len / 64), b"n", &value);
                (buffer.text(b"m"), list)
            })
        };
        check(&format!("lists of {width} times one list"), make, |files| {
            ask(files, RepositorySubject::History)
        });
    }
}

#[test]
fn snapshots_that_are_one() {
    let make = |len: usize| {
        let mut buffer = Flatbuffer::new();
        let repo = Repo::of(&mut buffer);
        let count = len / 8;
        let [root, names, list] = repo.start(&mut buffer, 1, count);
        let name = repo.name(&mut buffer, b"main");
        buffer.point(Flatbuffer::element(names, 0), name);
        let snapshot = repo.snapshot(&mut buffer, 0, 1);
        buffer.point_all(list, count, snapshot);
        let metadata = metadata(&mut buffer, &repo, 1, b"a", &flexbuffer::text(b"b"));
        let message = buffer.text(b"m");
        buffer.point(Flatbuffer::field(snapshot, &repo.snapshot, 3), message);
        buffer.point(Flatbuffer::field(snapshot, &repo.snapshot, 4), metadata);
        repository(buffer, root)
    };
    check("snapshots that are one", make, |files| ask(files, RepositorySubject::History));
}

/// Snapshots of version 1, of which the last one's parent is the first: a circle of `count`.
fn circle(count: u8) -> Files {
    let mut files = Files::new();
    for number in 0..count {
        let mut buffer = Flatbuffer::new();
        let tables = Tables::of(&mut buffer);
        let (root, _) = tables.start(&mut buffer, 0);
        let id = |number: u8| [ID[0] + number % count; 12];
        buffer.set(root, &tables.root, 0, &id(number));
        buffer.set(root, &tables.root, 1, &id(number + 1));
        files.insert(snapshot_key(id(number)), buffer.file(1, root));
    }
    files
}

/// Counts the calls.
#[derive(Default)]
struct Counting(Cell<usize>);

impl Watch for Counting {
    fn before<'a>(&'a self, _: Call<'a>) -> LocalFuture<'a, zarr_wasm::Result<()>> {
        self.0.set(self.0.get() + 1);
        Box::pin(async { Ok(()) })
    }
}

#[test]
fn a_history_that_comes_back_is_an_error() {
    for count in [1, 2, 3, 50] {
        let files = circle(count);
        let watched = Watched::over(Rc::new(memory_store(&files)), Counting::default());
        let error = block_on(store_over(watched.clone()).ask(RepositorySubject::History)).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Format, "{error:?}");
        assert!(error.message().contains("comes back"), "{error:?}");
        // Each snapshot once, and `repo`.
        assert_eq!(watched.watch.0.get(), usize::from(count) + 1);
    }
}

#[test]
fn a_file_of_another_snapshot_is_an_error() {
    let mut files = circle(3);
    let other = files[&snapshot_key([9; 12])].clone();
    files.insert(snapshot_key([8; 12]), other);
    let error = block_on(store_of(&files).ask(RepositorySubject::History)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Format, "{error:?}");
    assert_eq!(error.context().expected, Some(ObjectId([8; 12]).to_string()));
}
