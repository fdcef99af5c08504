//! Types that several files of this room use.

use std::ops::Range;

use crate::format::metadata::NodeMetadata;
use crate::format::metadata::document::NodeDocument;
use crate::format::metadata::lossless::Marks;
use crate::format::metadata::sketch::Sketch;
use crate::format::path::NodePath;
use crate::hierarchy::fetch;
use crate::read::array::Array;
use crate::store::Value;

/// A node that was opened.
#[derive(Clone, Debug)]
pub struct OpenedNode {
    /// The node's path.
    pub path: NodePath,
    /// The texts of its metadata documents.
    pub document: NodeDocument,
    /// The parsed metadata.
    pub metadata: NodeMetadata,
    /// A large document, where [`OpenOptions`](super::open::OpenOptions) ask to leave it where it
    /// is. `document` then has its text without the attributes, or not at all.
    pub large: Option<LargeDocument>,
}

/// A document that is too large for several copies of its text.
#[derive(Clone, Debug)]
pub struct LargeDocument {
    /// Its key suffix.
    pub suffix: &'static str,
    /// All of its bytes.
    pub bytes: Value,
    /// The node's attributes in it. `None` where the node's metadata has them.
    pub attributes: Option<LeftAttributes>,
}

impl LargeDocument {
    /// What can be read of the node, with the attributes that are left here.
    pub fn sketch_with_attributes(&self, sketch: Sketch) -> Sketch {
        let text = self.attributes.as_ref().and_then(|left| fetch::part(&self.bytes, &left.range));
        Sketch { attributes: text.or(sketch.attributes), ..sketch }
    }
}

/// Attributes that are left in a large document.
#[derive(Clone, Debug)]
pub struct LeftAttributes {
    /// Their byte range: a JSON object.
    pub range: Range<usize>,
    /// The tokens in it that `JSON.parse` would lose.
    pub marks: Marks,
}

impl OpenedNode {
    /// What can be read of the documents, for a node of which more cannot be used.
    pub fn sketch(&self) -> Sketch {
        let sketch = Sketch::of_document(&self.document);
        match &self.large {
            Some(large) => large.sketch_with_attributes(sketch),
            None => sketch,
        }
    }
}

impl From<&Array> for OpenedNode {
    fn from(array: &Array) -> Self {
        Self {
            path: array.path().clone(),
            document: array.document().clone(),
            metadata: NodeMetadata::Array(Box::new(array.binding().declared().clone())),
            large: None,
        }
    }
}

/// Options of `erase`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EraseOptions {
    /// Drafts only: write a document for the parent group when it would vanish. A group without a
    /// document exists only as long as there are nodes below it. Groups of v2 and v3 always have
    /// documents.
    pub reify: bool,
}
