//! A node as conventions see it: its attributes, and the few facts of its metadata that conventions
//! refer to.

use super::pointer::Pointer;
use crate::error::{Error, Result};
use crate::request::Record;
use crate::value::{Map, Named, Value};

/// Array or group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// An array.
    Array,
    /// A group.
    Group,
}

impl Kind {
    fn of(record: &mut Record) -> Result<Self> {
        match record.require_text("kind")?.as_str() {
            "array" => Ok(Self::Array),
            "group" => Ok(Self::Group),
            other => Err(Error::argument("a node is an array or a group").actual(other)),
        }
    }
}

/// A node below another.
#[derive(Clone, Debug)]
pub struct Child {
    /// The path, relative to the node.
    pub path: String,
    /// Array or group.
    pub kind: Kind,
}

/// A node, as `model/node_like.ts` describes it.
#[derive(Clone, Debug)]
pub struct Node {
    /// Array or group.
    pub kind: Kind,
    /// The attributes, which may be any JSON value.
    pub attributes: Value,
    /// The shape of an array.
    pub shape: Vec<f64>,
    /// The data type of an array, if it has a name.
    pub data_type: Option<String>,
    /// The dimension names of an array, if the metadata has them. `""` for a dimension without.
    dimension_names: Option<Vec<String>>,
    /// The node's children; `None` if they have not been listed.
    pub children: Option<Vec<Child>>,
}

impl Child {
    fn of(value: Value) -> Result<Self> {
        let mut record = Record::of(value, "children")?;
        Ok(Self { path: record.require_text("path")?, kind: Kind::of(&mut record)? })
    }
}

impl Node {
    /// A node of a request.
    ///
    /// # Errors
    /// `Argument` for anything else.
    pub fn of(value: Value) -> Result<Self> {
        let mut record = Record::of(value, "node")?;
        let names = record.list("dimensionNames")?;
        Ok(Self {
            kind: Kind::of(&mut record)?,
            attributes: record.take("attributes"),
            shape: record.list("shape")?.unwrap_or_default().iter().filter_map(Value::as_f64).collect(),
            data_type: record.take("dataType").as_str().map(str::to_owned),
            dimension_names: names.map(|names| texts(&names)),
            children: match record.list("children")? {
                None => None,
                Some(children) => Some(children.into_iter().map(Child::of).collect::<Result<_>>()?),
            },
        })
    }

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
        if self.dimension_names.is_some() {
            return self.dimension_names.clone();
        }
        let names = self.get("_ARRAY_DIMENSIONS")?.as_array()?;
        let names: Vec<String> = names.iter().filter_map(|name| Some(name.as_str()?.to_owned())).collect();
        (names.len() == self.shape.len()).then_some(names)
    }
}

/// The texts in a list; `""` for any other value.
fn texts(values: &[Value]) -> Vec<String> {
    values.iter().map(|value| value.as_str().unwrap_or_default().to_owned()).collect()
}

/// The nodes that are known so far, by path; `None` for a path without a usable node.
pub type Nodes = Named<Option<Node>>;

/// The known nodes of a request.
///
/// # Errors
/// `Argument` for anything else.
pub fn nodes_of(members: Map) -> Result<Nodes> {
    let mut nodes = Vec::new();
    for (path, value) in members.into_entries() {
        nodes.push((path, if value.is_null() { None } else { Some(Node::of(value)?) }));
    }
    Ok(Nodes::of(nodes))
}

/// Why a node could not be opened.
#[derive(Clone, Debug)]
pub struct Refusal {
    /// The `code` of the error.
    pub code: String,
    /// The message of the error.
    pub message: String,
}

/// The nodes that exist and could not be opened, by path.
pub type Refusals = Named<Refusal>;

/// The refusals of a request.
///
/// # Errors
/// `Argument` for anything else.
pub fn refusals_of(members: Map) -> Result<Refusals> {
    let mut refusals = Vec::new();
    for (path, value) in members.into_entries() {
        let mut record = Record::of(value, "refused")?;
        let refusal =
            Refusal { code: record.require_text("code")?, message: record.require_text("message")? };
        refusals.push((path, refusal));
    }
    Ok(Refusals::of(refusals))
}
