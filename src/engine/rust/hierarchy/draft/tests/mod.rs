//! Tests of the sections "Protocol operations" (2020) and "Operations" (2022): one test for each
//! sentence, in both drafts.
//!
//! Expected keys are written as in the draft of 2020. In 2022 they have no `/root` after `meta` and
//! `data`.

mod creating;
mod erasing;
mod finding;

use std::rc::Rc;

use futures_executor::block_on;

use super::erase::erase;
use super::*;
use crate::error::{ErrorKind, Result};
use crate::format::metadata::write::edit::AttributeUpdate;
use crate::format::metadata::write::options::ArrayOptions;
use crate::format::metadata::{Draft, NodeKind, NodeMetadata, ZarrFormat};
use crate::format::path::{NodePath, StoreKey};
use crate::hierarchy::attributes::update_attributes;
use crate::hierarchy::consolidate::consolidate;
use crate::hierarchy::create::{NewNode, create};
use crate::hierarchy::draft::hierarchy::Hierarchy;
use crate::hierarchy::erase::EraseOptions;
use crate::hierarchy::exists::exists;
use crate::hierarchy::open::{OpenOptions, OpenedNode, open};
use crate::store::memory::MemoryStore;
use crate::store::wrap::Recording;
use crate::store::{RequestContext, Store};

const DRAFTS: [Draft; 2] = [Draft::October2020, Draft::May2022];

/// A hierarchy of one of the drafts, in a recording store.
struct TestHierarchy {
    draft: Draft,
    recording: Rc<Recording>,
    store: Rc<dyn Store>,
}

impl TestHierarchy {
    fn empty(draft: Draft) -> Self {
        Self::over(draft, Recording::empty())
    }

    fn over(draft: Draft, recording: Rc<Recording>) -> Self {
        Self { draft, store: recording.clone(), recording }
    }

    /// A hierarchy with arrays and groups at these paths. A group's path ends with a slash.
    fn with(draft: Draft, paths: &[&str]) -> Self {
        let made = Self::empty(draft);
        for path in paths {
            match path.strip_suffix('/') {
                Some(group) => made.group(group).unwrap(),
                None => made.array(path).unwrap(),
            }
        }
        made.recording.calls();
        made
    }

    fn create(&self, path: &str, node: &NewNode, overwrite: bool) -> Result<()> {
        block_on(create(&self.store, path, node, overwrite, &RequestContext::default())).map(drop)
    }

    fn array(&self, path: &str) -> Result<()> {
        self.create(path, &self.new_array(), false)
    }

    fn group(&self, path: &str) -> Result<()> {
        self.create(path, &self.new_group(), false)
    }

    fn new_array(&self) -> NewNode {
        NewNode::Array(Box::new(ArrayOptions::new(ZarrFormat::Draft(self.draft), &[4, 4], "\"int16\"")))
    }

    fn new_group(&self) -> NewNode {
        NewNode::Group { format: ZarrFormat::Draft(self.draft), attributes: "{}".to_owned() }
    }

    fn put(&self, key: &str) {
        self.recording.memory.insert(&StoreKey::parse(&self.key(key)).unwrap(), vec![0]);
    }

    fn hierarchy(&self) -> Hierarchy {
        block_on(Hierarchy::find(&self.store, &RequestContext::default())).unwrap().unwrap()
    }

    fn erase(&self, path: &str, reify: bool) -> bool {
        let path = NodePath::parse_any(path).unwrap();
        block_on(erase(&self.hierarchy(), &path, EraseOptions { reify }, &RequestContext::default())).unwrap()
    }

    fn exists(&self, path: &str) -> Option<NodeKind> {
        block_on(exists(&self.store, path, &RequestContext::default())).unwrap()
    }

    fn open(&self, path: &str) -> Result<OpenedNode> {
        block_on(open(&self.store, path, &OpenOptions::default(), &RequestContext::default()))
    }

    fn children(&self, path: &str) -> Vec<(String, NodeKind)> {
        let children = block_on(self.hierarchy().children(&NodePath::parse_any(path).unwrap())).unwrap();
        children.into_iter().map(|(path, kind)| (path.as_str().to_owned(), kind)).collect()
    }

    /// Turns a key of the draft of 2020 into the same key of this draft.
    fn key(&self, key: &str) -> String {
        match self.draft {
            Draft::October2020 => key.to_owned(),
            Draft::May2022 => {
                key.replace("meta/root.", "meta/").replace("meta/root", "meta").replace("data/root", "data")
            }
        }
    }

    fn keys(&self) -> Vec<String> {
        self.recording.memory.keys()
    }

    fn assert_keys(&self, expected: &[&str]) {
        let mut expected: Vec<String> = expected.iter().map(|key| self.key(key)).collect();
        expected.sort();
        assert_eq!(self.keys(), expected);
    }

    fn assert_calls(&self, expected: &[&str]) {
        let expected: Vec<String> = expected.iter().map(|call| self.key(call)).collect();
        assert_eq!(self.recording.calls(), expected);
    }
}

fn each(test: impl Fn(Draft)) {
    DRAFTS.into_iter().for_each(test);
}
