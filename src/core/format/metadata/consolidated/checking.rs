//! Finds the nodes of consolidated metadata whose documents cannot be parsed. `contents()` lists
//! them with their errors.
//!
//! It runs in steps and within a budget: most documents of a large hierarchy are equal to one of
//! the last few, and are not parsed again. Drafts are not checked: their hierarchies are small, and
//! the full build reads them.

use std::ops::Range;

use super::{Consolidated, Node, V2_SUFFIXES};
use crate::error::Error;
use crate::format::metadata::ZarrFormat;
use crate::format::metadata::document;
use crate::format::path::NodePath;

/// The number of parsed documents that others are compared with.
const REMEMBERED: usize = 16;

/// The most documents that are parsed. Opening the rest finds their errors.
const MAX_PARSED_DOCUMENTS: usize = 1 << 14;

type Spans = [Option<Range<usize>>; V2_SUFFIXES.len()];

/// The state of a check. See the module.
#[derive(Default)]
pub struct Checking {
    /// The number of the next node.
    next: usize,
    parsed: usize,
    /// The ranges of documents that could be parsed.
    good: Vec<Spans>,
    errors: Vec<(NodePath, Error)>,
}

impl Checking {
    /// Checks up to this many nodes, and parses up to this many documents. Returns whether there
    /// are more.
    #[allow(clippy::arithmetic_side_effects, reason = "counts of nodes")]
    pub fn step(&mut self, consolidated: &Consolidated, nodes: usize, documents: usize) -> bool {
        if let ZarrFormat::Draft(_) = consolidated.format {
            return false;
        }
        let most = MAX_PARSED_DOCUMENTS.min(self.parsed.saturating_add(documents));
        for node in consolidated.nodes.iter().skip(self.next).take(nodes) {
            if self.parsed == most {
                break;
            }
            self.next += 1;
            self.check(consolidated, node);
        }
        self.next < consolidated.nodes.len() && self.parsed < MAX_PARSED_DOCUMENTS
    }

    /// The nodes that cannot be opened, with their errors.
    pub fn errors(self) -> Vec<(NodePath, Error)> {
        self.errors
    }

    #[allow(clippy::arithmetic_side_effects, reason = "a count of nodes")]
    fn check(&mut self, consolidated: &Consolidated, node: &Node) {
        let is_node = consolidated.own_kind(node).is_some() && !consolidated.is_own_group(&node.path);
        if !is_node || self.good.iter().any(|good| is_same(consolidated, good, &node.spans)) {
            return;
        }
        let Some(document) = consolidated.document(&node.path) else { return };
        self.parsed += 1;
        match document::parse(&document) {
            Ok(_) => {
                let slot = self.parsed % REMEMBERED;
                match self.good.get_mut(slot) {
                    Some(oldest) => oldest.clone_from(&node.spans),
                    None => self.good.push(node.spans.clone()),
                }
            }
            // Another build may be able to parse it.
            Err(error) if error.is_of_build() => {}
            Err(error) => self.errors.push((node.path.clone(), error.at_node(node.path.as_str()))),
        }
    }
}

/// Whether two nodes have equal documents.
fn is_same(consolidated: &Consolidated, a: &Spans, b: &Spans) -> bool {
    let text = |span: &Option<Range<usize>>| span.clone().and_then(|span| consolidated.text.get(span));
    a.iter().zip(b).all(|(a, b)| text(a) == text(b))
}
