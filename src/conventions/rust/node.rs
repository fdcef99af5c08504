//! A node as conventions see it: its attributes, and the few facts of its metadata that conventions
//! refer to.

use super::pointer::Pointer;
pub use crate::records::{ChildFact as Child, MemberKind as Kind, NodeFacts as Node, Refusal};
use crate::value::{Map, Named, Value};

impl Node {
    /// A pointer to the attributes.
    pub fn pointer(&self) -> Pointer<'_> {
        Pointer::root(&self.attributes)
    }

    /// The attributes, if they are an object.
    pub fn object(&self) -> Option<&Map> {
        self.attributes.as_object()
    }

    /// An attribute.
    pub fn get(&self, key: &str) -> Option<&Value> {
        self.object()?.get(key)
    }

    /// A string attribute.
    pub fn text(&self, key: &str) -> Option<&str> {
        self.get(key)?.as_str()
    }

    /// Whether it is a group.
    pub fn is_group(&self) -> bool {
        self.kind == Kind::Group
    }

    /// The names of an array's dimensions; those of xarray for formats without dimension names.
    /// `""` for a dimension without a name.
    pub fn dimension_names(&self) -> Option<Vec<String>> {
        if let Some(names) = &self.named_dimensions {
            return Some(names.iter().map(|name| name.clone().unwrap_or_default()).collect());
        }
        let names = self.get("_ARRAY_DIMENSIONS")?.as_array()?;
        let names: Vec<String> = names.iter().filter_map(|name| Some(name.as_str()?.to_owned())).collect();
        (names.len() == self.shape.len()).then_some(names)
    }
}

/// The nodes that are known so far, by path; `None` for a path without a usable node.
pub type Nodes = Named<Option<Node>>;
