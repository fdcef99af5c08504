//! Which attributes belong to which convention: by their prefix, or by their name. The names of all
//! conventions of a node share one budget, and one walk through the attributes finds the members
//! of all prefixes. Otherwise many declarations would multiply with many attributes.

use super::known_conventions::{Known, Namespace};
use super::node::Node;
use crate::error::Result;
use crate::limits;
use crate::value::{Map, Value};

/// The most bytes of all names and pointers of one node together.
const NAMED_BYTES: u64 = 1 << 26;

/// The maximum number of extensions that are listed for each convention.
const EXTENSIONS: usize = 1000;

/// What the names of the attributes of a node's conventions have taken so far.
#[derive(Debug, Default)]
pub struct NameBudget(u64);

impl NameBudget {
    fn take(&mut self, bytes: usize) -> Result<()> {
        self.0 = self.0.saturating_add(bytes as u64);
        limits::within(self.0, NAMED_BYTES, "list of the attributes of all conventions").map(drop)
    }
}

/// How to find the attributes of a convention.
#[derive(Debug, Default)]
pub struct Marks {
    /// Not empty.
    prefix: Option<String>,
    keys: Vec<String>,
}

impl Marks {
    /// By a prefix, a name, or both.
    pub fn new(prefix: Option<String>, key: Option<String>) -> Self {
        Self { prefix: prefix.filter(|prefix| !prefix.is_empty()), keys: key.into_iter().collect() }
    }

    /// For a known convention from the table; for others from their name, which should be the
    /// prefix (with its colon) or the key.
    pub fn of(known: Option<&Known>, name: Option<&str>) -> Self {
        match (known.map(|known| known.namespace), name) {
            (Some(Namespace::Prefix(prefix)), _) => Self::new(Some(prefix.to_owned()), None),
            (Some(Namespace::Keys(keys)), _) => {
                Self { prefix: None, keys: keys.iter().map(|key| (*key).to_owned()).collect() }
            }
            (None, Some(name)) if name.len() > 1 && name.ends_with(':') => {
                Self::new(Some(name.to_owned()), None)
            }
            (None, Some(name)) if name != "zarr_conventions" => {
                Self::new(Some(format!("{name}:")), Some(name.to_owned()))
            }
            _ => Self::default(),
        }
    }

    fn has(&self, key: &str) -> bool {
        let prefixed = self.prefix.as_ref().is_some_and(|prefix| key.starts_with(prefix.as_str()));
        prefixed || self.keys.iter().any(|own| own == key)
    }

    /// The node's attributes that belong to the convention.
    ///
    /// # Errors
    /// `Limit` beyond the budget.
    pub fn keys(&self, node: &Node, budget: &mut NameBudget) -> Result<Vec<String>> {
        let mut found = Vec::new();
        for (key, _) in node.object().into_iter().flat_map(Map::iter).filter(|(key, _)| self.has(key)) {
            budget.take(key.len())?;
            found.push(key.clone());
        }
        Ok(found)
    }
}

/// The JSON pointers of the prefixed members of objects below the root, for each convention.
///
/// # Errors
/// `Limit` beyond the budget.
pub fn extensions(node: &Node, marks: &[Marks], budget: &mut NameBudget) -> Result<Vec<Vec<String>>> {
    let prefixes = marks.iter().map(|marks| marks.prefix.as_deref()).enumerate();
    let mut walk = Walk {
        wanted: prefixes.filter_map(|(at, prefix)| Some((at, prefix?))).collect(),
        found: marks.iter().map(|_| Vec::new()).collect(),
        path: String::new(),
        budget,
    };
    let members = node.object().into_iter().flat_map(Map::iter);
    for (key, value) in members.filter(|(key, _)| key != "zarr_conventions") {
        let end = walk.enter(key);
        walk.value(value)?;
        walk.path.truncate(end);
    }
    Ok(walk.found)
}

/// A convention, by its index in the list, and its prefix.
type Wanted<'a> = (usize, &'a str);

struct Walk<'a> {
    /// The conventions whose members are looked for here.
    wanted: Vec<Wanted<'a>>,
    found: Vec<Vec<String>>,
    /// The JSON pointer of this value.
    path: String,
    budget: &'a mut NameBudget,
}

impl<'a> Walk<'a> {
    /// Appends a key to the pointer. Returns the length to go back to.
    fn enter(&mut self, key: &str) -> usize {
        let end = self.path.len();
        self.path.push('/');
        for c in key.chars() {
            match c {
                '~' => self.path.push_str("~0"),
                '/' => self.path.push_str("~1"),
                _ => self.path.push(c),
            }
        }
        end
    }

    /// The nesting of the document bounds the depth.
    fn value(&mut self, value: &Value) -> Result<()> {
        match value {
            _ if self.wanted.is_empty() => {}
            Value::Object(members) => {
                for (key, value) in members.iter() {
                    let end = self.enter(key);
                    let owners = self.owners(key)?;
                    self.value(value)?;
                    self.wanted.extend(owners);
                    self.path.truncate(end);
                }
            }
            Value::Array(items) => {
                for (idx, item) in items.iter().enumerate() {
                    let end = self.enter(&idx.to_string());
                    self.value(item)?;
                    self.path.truncate(end);
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Notes this member for the conventions whose prefix the key has. They are not looked for
    /// further inside: these are returned, without those that have enough.
    fn owners(&mut self, key: &str) -> Result<Vec<Wanted<'a>>> {
        let mut owners: Vec<Wanted<'a>> =
            self.wanted.extract_if(.., |(_, prefix)| key.starts_with(*prefix)).collect();
        for (at, _) in &owners {
            self.budget.take(self.path.len())?;
            if let Some(found) = self.found.get_mut(*at) {
                found.push(self.path.clone());
            }
        }
        owners.retain(|(at, _)| self.found.get(*at).is_some_and(|found| found.len() < EXTENSIONS));
        Ok(owners)
    }
}
