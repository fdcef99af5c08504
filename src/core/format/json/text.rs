//! Builds JSON text. Members keep their order, and values are JSON text already.
//!
//! There is no value tree: numbers keep every digit, and what users and other writers wrote stays
//! as written.

use std::borrow::Cow;

use crate::error::{Error, Result};
use crate::format::json::Json;
pub use crate::quoted::quoted as string;

/// A JSON object to write.
#[derive(Clone, Debug, Default)]
pub struct ObjectText {
    members: Vec<(String, String)>,
}

impl ObjectText {
    /// An object without members.
    pub fn new() -> Self {
        Self::default()
    }

    /// A copy of a parsed object.
    ///
    /// # Errors
    /// `Format` for anything but an object.
    pub fn of(json: Json<'_>) -> Result<Self> {
        let mut members = Vec::new();
        for (key, value) in json.object()? {
            members.push((key.into_owned(), value.original_text().into_owned()));
        }
        Ok(Self { members })
    }

    /// Sets a member, at its old position or after the others.
    pub fn set(&mut self, key: &str, value: impl Into<String>) {
        self.set_text(key, value.into());
    }

    fn set_text(&mut self, key: &str, value: String) {
        match self.members.iter_mut().find(|(name, _)| name == key) {
            Some((_, old)) => *old = value,
            None => self.members.push((key.to_owned(), value)),
        }
    }

    /// Adds a member after the others, also if there is one of this name: then the last counts.
    /// Many members are added in linear time.
    pub fn push(&mut self, key: &str, value: String) {
        self.members.push((key.to_owned(), value));
    }

    /// As [`set`](Self::set), for chaining.
    #[must_use]
    pub fn with(mut self, key: &str, value: impl Into<String>) -> Self {
        self.set(key, value);
        self
    }

    /// Sets those of these members that the object does not have.
    #[must_use]
    pub fn with_defaults(mut self, members: &[(&str, &str)]) -> Self {
        for (key, value) in members {
            if self.get(key).is_none() {
                self.set(key, *value);
            }
        }
        self
    }

    /// Removes a member and returns its text.
    pub fn remove(&mut self, key: &str) -> Option<String> {
        let at = self.members.iter().position(|(name, _)| name == key)?;
        Some(self.members.remove(at).1)
    }

    /// As [`remove`](Self::remove), for chaining.
    #[must_use]
    pub fn without(mut self, key: &str) -> Self {
        self.remove(key);
        self
    }

    /// The text of a member.
    pub fn get(&self, key: &str) -> Option<&str> {
        self.members.iter().find(|(name, _)| name == key).map(|(_, value)| value.as_str())
    }

    /// Keeps the members whose keys `keep` accepts.
    pub fn retain(&mut self, keep: impl Fn(&str) -> bool) {
        self.members.retain(|(key, _)| keep(key));
    }

    /// The keys and the texts of the members, in order.
    pub fn members_mut(&mut self) -> impl Iterator<Item = (&str, &mut String)> {
        self.members.iter_mut().map(|(key, value)| (key.as_str(), value))
    }

    /// Whether there are no members.
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// The text on one line.
    pub fn compact(&self) -> String {
        self.joined(ONE_LINE)
    }

    /// The text with one member on each line, which is easier to read.
    pub fn lines(&self) -> String {
        self.joined(LINES)
    }

    fn joined(&self, layout: Layout<'_>) -> String {
        joined(self.members.iter().map(|(key, value)| (key.as_str(), value.as_str())), layout)
    }
}

/// Sets one member of a parsed object, at its old position or at the end, and returns the text of
/// the object, one member on each line. Does not clone the other members, because they may be
/// large.
///
/// # Errors
/// `Format` for anything but an object.
pub fn with_member(json: Json<'_>, key: &str, value: &str) -> Result<String> {
    let object = json.object()?;
    let mut members: Vec<(Cow<'_, str>, Cow<'_, str>)> =
        object.into_iter().map(|(name, old)| (name, old.original_text())).collect();
    match members.iter_mut().find(|(name, _)| name == key) {
        Some((_, old)) => *old = value.into(),
        None => members.push((key.into(), value.into())),
    }
    Ok(joined(members.iter().map(|(name, text)| (name.as_ref(), text.as_ref())), LINES))
}

/// What stands before, between and after members, and after their keys.
type Layout<'a> = [&'a str; 4];

const ONE_LINE: Layout<'_> = ["", ",", "", ":"];
const LINES: Layout<'_> = ["\n  ", ",\n  ", "\n", ": "];

/// Joins members in one buffer, whose size is known before.
#[allow(clippy::arithmetic_side_effects, reason = "lengths of texts that are in memory")]
fn joined<'a>(
    members: impl Iterator<Item = (&'a str, &'a str)> + Clone,
    [open, between, close, colon]: Layout<'_>,
) -> String {
    let extra = open.len().max(between.len()) + colon.len() + 2;
    let size: usize = members.clone().map(|(key, value)| key.len() + value.len() + extra).sum();
    let mut text = String::with_capacity(size + close.len() + 2);
    text.push('{');
    for (at, (key, value)) in members.enumerate() {
        text.push_str(if at == 0 { open } else { between });
        text.push_str(&string(key));
        text.push_str(colon);
        text.push_str(value);
    }
    if text.len() > 1 {
        text.push_str(close);
    }
    text.push('}');
    text
}

/// Writes an array of the texts of its values.
pub fn list(values: impl IntoIterator<Item = impl ToString>) -> String {
    let mut text = "[".to_owned();
    for value in values {
        append(&mut text, &value.to_string());
    }
    text.push(']');
    text
}

/// Appends a value to the text of an array.
fn append(text: &mut String, value: &str) {
    if text.len() > 1 {
        text.push(',');
    }
    text.push_str(value);
}

/// Checks that text to be written has no bare `NaN` and `Infinity` tokens, which only Python reads.
///
/// # Errors
/// `Argument` where it has.
pub fn strict(json: Json<'_>, what: &str) -> Result<()> {
    if json.original_text() == json.text() {
        return Ok(());
    }
    Err(Error::argument(format!("{what} must be JSON without bare NaN and Infinity tokens")))
}

/// Writes an extension: `{"name": …, "configuration": …}`.
pub fn named(name: &str, configuration: &ObjectText) -> String {
    ObjectText::new().with("name", string(name)).with("configuration", configuration.compact()).compact()
}

#[cfg(all(test, not(target_arch = "wasm32")))]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::format::json::Document;

    #[test]
    fn strings_are_written_as_serde_json_writes_them() {
        let text: String = ('\0'..='\u{a0}').chain("\u{2028}\u{d7ff}𝄞".chars()).collect();
        assert_eq!(string(&text), serde_json::to_string(&text).unwrap());
    }

    #[test]
    fn members_keep_their_order_and_their_digits() {
        let document =
            Document::parse(br#"{"b": 18446744073709551616.50, "a": {"x" : NaN}, "c": []}"#).unwrap();
        let mut object = ObjectText::of(document.root()).unwrap();
        object.set("c", "7");
        object.set("d\"", string("ö\n"));
        assert_eq!(object.compact(), r#"{"b":18446744073709551616.50,"a":{"x" : NaN},"c":7,"d\"":"ö\n"}"#);
        assert_eq!(object.remove("a").as_deref(), Some(r#"{"x" : NaN}"#));
        assert_eq!(object.get("a"), None);
        assert_eq!(ObjectText::new().with("a", "1").with("b", "2").lines(), "{\n  \"a\": 1,\n  \"b\": 2\n}");
        assert_eq!(ObjectText::new().lines(), "{}");
    }

    #[test]
    fn bare_tokens_are_refused_and_strings_are_not() {
        let check = |text: &str| strict(Document::parse(text.as_bytes()).unwrap().root(), "attributes");
        assert!(check(r#"{"a":"NaN"}"#).is_ok());
        assert!(check(r#"{"a":NaN}"#).is_err());
    }
}
