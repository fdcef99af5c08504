//! What the verbs hand to each other.

use crate::format::metadata::NodeMetadata;
use crate::format::metadata::document::NodeDocument;
use crate::format::path::NodePath;
use crate::read::array::Array;
use crate::store::Value;

/// A node that was found.
#[derive(Clone, Debug)]
pub struct OpenedNode {
    /// Which node.
    pub path: NodePath,
    /// Its raw documents.
    pub document: NodeDocument,
    /// What they say.
    pub metadata: NodeMetadata,
    /// Of a group whose document was left as it came: that. There are no texts then.
    pub large: Option<Value>,
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

/// How to erase.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EraseOptions {
    /// Give a draft's group above a document when it would vanish: it was only implied by what is erased. The groups of v2 and v3 have
    /// documents of their own.
    pub reify: bool,
}
