//! A node as conventions see it: its attributes, and the few facts of its metadata that conventions
//! refer to.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Map, Value};

use super::place::Place;

/// Array or group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// An array.
    Array,
    /// A group.
    Group,
}

/// A node below another.
#[derive(Clone, Debug, Deserialize)]
pub struct Child {
    /// The path, relative to the node.
    pub path: String,
    /// Array or group.
    pub kind: Kind,
}

/// A node, as `convention/facts.ts` describes it.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Node {
    /// Array or group.
    pub kind: Kind,
    /// The attributes, which may be any JSON value.
    #[serde(default)]
    pub attributes: Value,
    /// The shape of an array.
    #[serde(default)]
    pub shape: Vec<f64>,
    /// The dimension names of an array, if the metadata has them.
    #[serde(default)]
    dimension_names: Option<Vec<Option<String>>>,
    /// The node's children; `None` if they have not been listed.
    #[serde(default)]
    pub children: Option<Vec<Child>>,
}

impl Node {
    /// The attributes as a place.
    pub fn place(&self) -> Place<'_> {
        Place::root(&self.attributes)
    }

    /// The attributes, if they are an object.
    pub fn object(&self) -> Option<&Map<String, Value>> {
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
        if let Some(names) = &self.dimension_names {
            return Some(names.iter().map(|name| name.clone().unwrap_or_default()).collect());
        }
        let names = self.get("_ARRAY_DIMENSIONS")?.as_array()?;
        let names: Vec<String> = names.iter().filter_map(|name| Some(name.as_str()?.to_owned())).collect();
        (names.len() == self.shape.len()).then_some(names)
    }
}

/// The nodes that are known so far, by path; `None` for a path without a usable node.
pub type Nodes = BTreeMap<String, Option<Node>>;

/// Why a node could not be opened.
#[derive(Clone, Debug, Deserialize)]
pub struct Refusal {
    /// The `code` of the error.
    pub code: String,
    /// The message of the error.
    pub message: String,
}

/// The nodes that exist and could not be opened, by path.
pub type Refusals = BTreeMap<String, Refusal>;
