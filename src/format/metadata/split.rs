//! An object and one deep within it taken apart in one pass: for consolidated metadata of tens of megabytes, where a pass
//! for each level and one to check the text would be most of the work.
//!
//! Deliberately not the way to read metadata: [`Json`] is, whose errors name fields.

use std::borrow::Cow;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::json::{Document, Json, Text, invalid};
use crate::error::Result;

/// What [`Document::split`] makes of a value.
#[derive(Debug)]
pub(super) enum Split<'a> {
    /// It does not lead further.
    Whole(Json<'a>),
    /// An object on the path, or at its end: its members in order, repeated keys too.
    Members(Vec<(Cow<'a, str>, Split<'a>)>),
    /// `null` on the path.
    Null,
}

impl<'a> Split<'a> {
    /// The value of a key: the last, if it is repeated.
    pub(super) fn get(&self, key: &str) -> Option<&Split<'a>> {
        match self {
            Self::Members(members) => members.iter().rfind(|(name, _)| name == key).map(|(_, value)| value),
            Self::Whole(_) | Self::Null => None,
        }
    }
}

/// Reads an object whose member at `path` is taken apart too.
struct Splitter<'p> {
    path: &'p [&'p str],
    non_finite: bool,
}

impl<'de> DeserializeSeed<'de> for Splitter<'_> {
    type Value = Split<'de>;

    fn deserialize<D: Deserializer<'de>>(
        self,
        deserializer: D,
    ) -> std::result::Result<Self::Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Splitter<'_> {
    type Value = Split<'de>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_unit<E>(self) -> std::result::Result<Self::Value, E> {
        Ok(Split::Null)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> std::result::Result<Self::Value, A::Error> {
        let mut members = Vec::new();
        while let Some(Text(key)) = map.next_key()? {
            let value = match self.path {
                [first, path @ ..] if *first == key => {
                    map.next_value_seed(Splitter { path, non_finite: self.non_finite })?
                }
                _ => Split::Whole(Json::from_checked(map.next_value::<&RawValue>()?.get(), self.non_finite)),
            };
            members.push((key, value));
        }
        Ok(Split::Members(members))
    }
}

impl Document<'_> {
    /// Takes an object apart, the object at `path` within it too, in one pass: for documents of tens of megabytes. The
    /// value at `path` may be `null`.
    ///
    /// # Errors
    /// `Format` for what is not JSON, and where there is something else than an object.
    pub(super) fn split(&self, path: &[&str]) -> Result<Split<'_>> {
        let mut deserializer = serde_json::Deserializer::from_str(self.root().text());
        let splitter = Splitter { path, non_finite: self.has_non_finite() };
        let split =
            splitter.deserialize(&mut deserializer).and_then(|split| deserializer.end().map(|()| split));
        split.map_err(|error| invalid(&error))
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;

    fn split<'a>(document: &'a Document<'_>) -> Result<Split<'a>> {
        document.split(&["a", "b"])
    }

    #[test]
    fn objects_on_the_path_are_taken_apart_and_others_not() {
        let document = Document::scan(br#" {"x":{"b":1}, "a":{"b":{"k":[1], "l":{}}, "c":{}}} "#).unwrap();
        let root = split(&document).unwrap();
        assert!(matches!(root.get("x"), Some(Split::Whole(json)) if json.text() == r#"{"b":1}"#));
        let inner = root.get("a").unwrap();
        assert!(matches!(inner.get("c"), Some(Split::Whole(_))));
        let Some(Split::Members(members)) = inner.get("b") else { panic!("not taken apart") };
        let texts = members.iter().map(|(key, value)| match value {
            Split::Whole(json) => (key.as_ref(), json.text()),
            _ => panic!("taken apart too far"),
        });
        assert_eq!(texts.collect::<Vec<_>>(), [("k", "[1]"), ("l", "{}")]);
    }

    #[test]
    fn null_ends_the_path() {
        let document = Document::scan(br#"{"a":{"b":1},"a":null}"#).unwrap();
        assert_eq!(split(&document).map(drop).unwrap_err().kind(), ErrorKind::Format);
        let document = Document::scan(br#"{"a":{"b":null},"a":null}"#).unwrap();
        assert!(matches!(split(&document).unwrap().get("a"), Some(Split::Null)));
    }

    #[test]
    fn the_whole_text_is_checked() {
        for text in ["{\"z\":{]}}", "{} x", "[]", "{\"a\":7}", "{\"z\":01}", ""] {
            let document = Document::scan(text.as_bytes()).unwrap();
            assert_eq!(split(&document).map(drop).unwrap_err().kind(), ErrorKind::Format, "{text}");
        }
    }
}
