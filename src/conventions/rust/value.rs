//! Values of JSON (RFC 8259): attributes, which conventions look at many times, and requests.
//! [`crate::format::json`] reads and writes their text.

use std::borrow::Cow;

use crate::error::Result;
use crate::format::json::text::string;
use crate::format::json::{Json, decimal};
use crate::sorted;

/// A value.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Value {
    /// `null`.
    #[default]
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number.
    Number(Number),
    /// A string.
    String(String),
    /// An array.
    Array(Vec<Value>),
    /// An object.
    Object(Map),
}

/// A number. Integers of at most 64 bits are exact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    /// An integer without a sign.
    Natural(u64),
    /// An integer below zero.
    Negative(i64),
    /// Any other number, which is finite.
    Float(f64),
}

/// Things with names, in the order of their names.
#[derive(Clone, Debug, PartialEq)]
pub struct Named<T>(Vec<(String, T)>);

/// The members of an object.
pub type Map = Named<Value>;

impl<T> Default for Named<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T> Named<T> {
    /// Puts things into the order of their names. Of equal names the last one counts.
    pub fn of(mut things: Vec<(String, T)>) -> Self {
        // The sort is stable, and of equal neighbours the first one stays.
        things.reverse();
        sorted::sort_by(&mut things, |(one, _), (other, _)| one.cmp(other));
        things.dedup_by(|(one, _), (other, _)| one == other);
        Self(things)
    }

    fn search(&self, name: &str) -> std::result::Result<usize, usize> {
        self.0.binary_search_by(|(known, _)| known.as_str().cmp(name))
    }

    /// The thing with a name.
    pub fn get(&self, name: &str) -> Option<&T> {
        self.search(name).ok().and_then(|at| self.0.get(at)).map(|(_, thing)| thing)
    }

    /// The thing with a name, to be changed.
    pub fn get_mut(&mut self, name: &str) -> Option<&mut T> {
        self.search(name).ok().and_then(|at| self.0.get_mut(at)).map(|(_, thing)| thing)
    }

    /// Whether something has the name.
    pub fn has(&self, name: &str) -> bool {
        self.search(name).is_ok()
    }

    /// Whether something has one of the names.
    pub fn has_any(&self, names: &[&str]) -> bool {
        names.iter().any(|name| self.has(name))
    }

    /// Gives a thing a name, instead of what has it.
    pub fn insert(&mut self, name: &str, thing: T) {
        match self.search(name) {
            Ok(at) => {
                if let Some((_, old)) = self.0.get_mut(at) {
                    *old = thing;
                }
            }
            Err(at) => self.0.insert(at, (name.to_owned(), thing)),
        }
    }

    /// Removes the thing with a name.
    pub fn remove(&mut self, name: &str) {
        if let Ok(at) = self.search(name) {
            self.0.remove(at);
        }
    }

    /// All names and things, in order.
    pub fn iter(&self) -> std::slice::Iter<'_, (String, T)> {
        self.0.iter()
    }

    /// As [`iter`](Self::iter), and gives them away.
    pub fn into_entries(self) -> Vec<(String, T)> {
        self.0
    }

    /// Whether there is nothing.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Number {
    fn of(json: Json<'_>) -> Result<Self> {
        let text = json.number_text()?;
        if let Ok(natural) = text.parse() {
            return Ok(Self::Natural(natural));
        }
        // `-0` is a float: as an integer it would lose its sign.
        if let Ok(negative) = text.parse()
            && negative < 0
        {
            return Ok(Self::Negative(negative));
        }
        let float = json.f64()?;
        if float.is_finite() { Ok(Self::Float(float)) } else { Err(json.unexpected("a number of 64 bits")) }
    }

    /// An integer.
    pub fn whole(self) -> Option<i128> {
        match self {
            Self::Natural(natural) => Some(natural.into()),
            Self::Negative(negative) => Some(negative.into()),
            Self::Float(_) => None,
        }
    }

    /// The nearest float.
    #[allow(clippy::cast_precision_loss)] // what the name says
    pub fn float(self) -> f64 {
        match self {
            Self::Natural(natural) => natural as f64,
            Self::Negative(negative) => negative as f64,
            Self::Float(float) => float,
        }
    }

    fn text(self) -> String {
        match self {
            Self::Natural(natural) => natural.to_string(),
            Self::Negative(negative) => negative.to_string(),
            Self::Float(float) => decimal::text(float),
        }
    }
}

impl Value {
    /// The value of a text. The document bounds its depth.
    ///
    /// # Errors
    /// `Format` for lone surrogates and for numbers beyond 64 bits.
    pub fn of(json: Json<'_>) -> Result<Self> {
        Ok(match json.text().as_bytes().first() {
            Some(b'{') => Self::Object(Map::of(members_of(json)?)),
            Some(b'[') => Self::Array(items_of(json)?),
            Some(b'"') => Self::String(json.str()?.into_owned()),
            Some(b't' | b'f') => Self::Bool(json.bool()?),
            Some(b'n') => Self::Null,
            _ => Self::Number(Number::of(json)?),
        })
    }

    /// An object with these members.
    pub fn object(members: &[(&str, Value)]) -> Self {
        Self::Object(Map::of(members.iter().map(|(key, value)| ((*key).to_owned(), value.clone())).collect()))
    }

    /// The text.
    pub fn text(&self) -> String {
        let mut text = String::new();
        self.write(&mut text);
        text
    }

    /// The beginning of the text, for messages.
    pub fn shown(&self) -> String {
        self.text().chars().take(80).collect()
    }

    /// Appends the text.
    pub fn write(&self, text: &mut String) {
        match self {
            Self::Null => text.push_str("null"),
            Self::Bool(flag) => text.push_str(if *flag { "true" } else { "false" }),
            Self::Number(number) => text.push_str(&number.text()),
            Self::String(unquoted) => text.push_str(&string(unquoted)),
            Self::Array(items) => write_array(items, text),
            Self::Object(members) => members.write(text),
        }
    }

    /// A member of an object.
    pub fn get(&self, key: &str) -> Option<&Value> {
        self.as_object()?.get(key)
    }

    /// A string.
    pub fn as_str(&self) -> Option<&str> {
        if let Self::String(text) = self { Some(text) } else { None }
    }

    /// A member that is a string.
    pub fn text_of(&self, key: &str) -> Option<&str> {
        self.get(key)?.as_str()
    }

    /// A boolean.
    pub fn as_bool(&self) -> Option<bool> {
        if let Self::Bool(flag) = self { Some(*flag) } else { None }
    }

    /// A number.
    pub fn as_number(&self) -> Option<Number> {
        if let Self::Number(number) = self { Some(*number) } else { None }
    }

    /// The float nearest to a number.
    pub fn as_f64(&self) -> Option<f64> {
        self.as_number().map(Number::float)
    }

    /// An integer without a sign.
    pub fn as_u64(&self) -> Option<u64> {
        if let Self::Number(Number::Natural(natural)) = self { Some(*natural) } else { None }
    }

    /// An array.
    pub fn as_array(&self) -> Option<&[Value]> {
        if let Self::Array(items) = self { Some(items) } else { None }
    }

    /// The elements of an array; none for any other value.
    pub fn items(&self) -> &[Value] {
        self.as_array().unwrap_or_default()
    }

    /// An object.
    pub fn as_object(&self) -> Option<&Map> {
        if let Self::Object(members) = self { Some(members) } else { None }
    }

    /// Whether it is `null`.
    pub fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    /// The kind, for messages.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "a boolean",
            Self::Number(_) => "a number",
            Self::String(_) => "a string",
            Self::Array(_) => "an array",
            Self::Object(_) => "an object",
        }
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::String(text.to_owned())
    }
}

impl Map {
    /// Appends the text.
    pub fn write(&self, text: &mut String) {
        text.push('{');
        for (at, (key, value)) in self.iter().enumerate() {
            text.push_str(if at == 0 { "" } else { "," });
            text.push_str(&string(key));
            text.push(':');
            value.write(text);
        }
        text.push('}');
    }
}

/// Appends the text of an array.
fn write_array(items: &[Value], text: &mut String) {
    text.push('[');
    for (at, item) in items.iter().enumerate() {
        text.push_str(if at == 0 { "" } else { "," });
        item.write(text);
    }
    text.push(']');
}

fn members_of(json: Json<'_>) -> Result<Vec<(String, Value)>> {
    let mut members = Vec::new();
    for (key, value) in json.members()? {
        members.push((Cow::into_owned(key), Value::of(value)?));
    }
    Ok(members)
}

fn items_of(json: Json<'_>) -> Result<Vec<Value>> {
    let mut items = Vec::new();
    for item in json.array()? {
        items.push(Value::of(item)?);
    }
    Ok(items)
}
