//! Writes FlexBuffers in which several offsets lead to one value. An offset leads backwards, so
//! what is shared comes first. And configurations of repositories that are such.

use support::Files;
use zarr_wasm_icechunk::{Repo, metadata_json};

use crate::history::configured;
use crate::icechunk::blames_data;
use crate::measure::check;

const KEY: u8 = 4;
const STRING: u8 = 5;
const MAP: u8 = 9;
const VECTOR: u8 = 10;

/// A value that was written: its offset, and its type with the width of four bytes.
pub type Value = (usize, u8);

/// A buffer whose numbers and offsets have four bytes.
pub struct Flexbuffer {
    bytes: Vec<u8>,
}

impl Flexbuffer {
    pub fn new() -> Self {
        Self { bytes: Vec::new() }
    }

    fn word(&mut self, number: usize) {
        self.bytes.extend(u32::try_from(number).unwrap().to_le_bytes());
    }

    fn offset_to(&mut self, target: usize) {
        self.word(self.bytes.len() - target);
    }

    /// A text.
    pub fn text(&mut self, text: &[u8]) -> Value {
        self.word(text.len());
        let offset = self.bytes.len();
        self.bytes.extend(text);
        self.bytes.push(0);
        (offset, STRING << 2 | 2)
    }

    /// A key. Returns its offset.
    pub fn key(&mut self, text: &[u8]) -> usize {
        let offset = self.bytes.len();
        self.bytes.extend(text);
        self.bytes.push(0);
        offset
    }

    fn elements(&mut self, values: &[Value]) -> usize {
        self.word(values.len());
        let offset = self.bytes.len();
        for (target, _) in values {
            self.offset_to(*target);
        }
        offset
    }

    /// A list of `len` times one value.
    pub fn list(&mut self, value: Value, len: usize) -> Value {
        let offset = self.elements(&vec![value; len]);
        self.bytes.extend(vec![value.1; len]);
        (offset, VECTOR << 2 | 2)
    }

    /// A map. Its keys are in the order of their texts.
    pub fn map(&mut self, members: &[(usize, Value)]) -> Value {
        let keys: Vec<Value> = members.iter().map(|(key, _)| (*key, KEY << 2)).collect();
        let keys = self.elements(&keys);
        self.offset_to(keys);
        self.word(4);
        let values: Vec<Value> = members.iter().map(|(_, value)| *value).collect();
        let offset = self.elements(&values);
        self.bytes.extend(values.iter().map(|(_, packed)| *packed));
        (offset, MAP << 2 | 2)
    }

    /// The buffer with its root.
    pub fn finish(mut self, (offset, packed): Value) -> Vec<u8> {
        self.offset_to(offset);
        self.bytes.extend([packed, 4]);
        self.bytes
    }
}

/// A buffer of a text.
pub fn text(text: &[u8]) -> Vec<u8> {
    let mut buffer = Flexbuffer::new();
    let text = buffer.text(text);
    buffer.finish(text)
}

/// A configuration of `count` containers that are one, with these texts.
fn containers(count: usize, prefix: &[u8], endpoint: &[u8]) -> Vec<u8> {
    let mut buffer = Flexbuffer::new();
    let names = ["endpoint_url", "s3_compatible", "store", "url_prefix", "virtual_chunk_containers"];
    let [endpoint_url, kind, store, url_prefix, list] = names.map(|name| buffer.key(name.as_bytes()));
    let (prefix, endpoint) = (buffer.text(prefix), buffer.text(endpoint));
    let options = buffer.map(&[(endpoint_url, endpoint)]);
    let server = buffer.map(&[(kind, options)]);
    let container = buffer.map(&[(store, server), (url_prefix, prefix)]);
    let all = buffer.map(&vec![(kind, container); count]);
    let root = buffer.map(&[(list, all)]);
    buffer.finish(root)
}

fn read(files: &Files) {
    let repo = Repo::parse(&files["repo"]).unwrap();
    if let Some(containers) = blames_data(repo.containers()) {
        drop(blames_data(containers.locate("s3://bucket/x")));
    }
}

#[test]
fn containers_that_are_one() {
    for (count, prefix) in [(4096, 1), (4096, 1000), (64, 2)] {
        let make = |len: usize| {
            let length = if prefix == 2 { len / 2 } else { prefix };
            let count = count.min(len / 16);
            configured(&containers(count, &vec![b'a'; length], &vec![b'b'; length.min(1000)]))
        };
        check(&format!("{count} containers of one text"), make, read);
    }
}

#[test]
fn members_of_one_key() {
    // A container has many members of one long key, and so has each of many containers.
    for count in [1, 64, 4096] {
        let make = |len: usize| {
            let mut buffer = Flexbuffer::new();
            let list = buffer.key(b"virtual_chunk_containers");
            let key = buffer.key(&vec![b'a'; len / 4]);
            let value = buffer.text(b"b");
            let container = buffer.map(&vec![(key, value); len / 24]);
            let all = buffer.map(&vec![(key, container); count.min(len / 64)]);
            let root = buffer.map(&[(list, all)]);
            configured(&buffer.finish(root))
        };
        check(&format!("members of one key of {count} containers"), make, read);
    }
}

#[test]
fn texts_of_values() {
    for (key, text) in [(2, 2), (64, 1)] {
        let make = |len: usize| {
            let mut buffer = Flexbuffer::new();
            let (key, value) = (buffer.key(&vec![1; len / key]), buffer.text(&vec![1; text]));
            let map = buffer.map(&vec![(key, value); len / 24]);
            buffer.finish(map)
        };
        check("the text of a map of one key", make, |buffer| drop(blames_data(metadata_json(buffer))));
    }
}
