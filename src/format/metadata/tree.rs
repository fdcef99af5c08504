//! A JSON value as a tree, for attributes that `JSON.parse` cannot give a user: bare `NaN` and `Infinity`, and integers
//! beyond 2^53 when they are asked for exactly.
//!
//! Deliberately the exception: attributes cross to JavaScript as text wherever `JSON.parse` will do.

use serde::ser::{Serialize, SerializeMap, Serializer};

use super::json::Json;
use crate::error::Result;

/// A JSON value. Serializes numbers as doubles, and integers that no double holds as integers.
#[derive(Clone, Debug, PartialEq)]
pub enum Tree {
    /// `null`.
    Null,
    /// `true` and `false`.
    Bool(bool),
    /// A number as JavaScript has it; also NaN and the infinities.
    Number(f64),
    /// An integer beyond ±(2^53 − 1).
    Integer(i64),
    /// An integer beyond 2^63 − 1.
    Unsigned(u64),
    /// A string.
    Text(String),
    /// An array.
    Array(Vec<Tree>),
    /// An object, in document order.
    Object(Vec<(String, Tree)>),
}

/// The largest integer up to which doubles hold every one: `Number.MAX_SAFE_INTEGER`.
const MAX_SAFE_INTEGER: u64 = (1 << 53) - 1;

impl Json<'_> {
    /// The whole value. With `exact_integers`, integers that a double would round stay integers where 64 bits hold them.
    /// The recursion is bounded: [`Document::parse`](super::json::Document::parse) has bounded the nesting.
    ///
    /// # Errors
    /// `Format` for strings with lone surrogates.
    pub fn tree(self, exact_integers: bool) -> Result<Tree> {
        if let Some(value) = self.non_finite_token() {
            return Ok(Tree::Number(value));
        }
        Ok(match self.kind_name() {
            "null" => Tree::Null,
            "a boolean" => Tree::Bool(self.bool()?),
            "a string" => Tree::Text(self.str()?.into_owned()),
            "an array" => Tree::Array(self.list(|json| json.tree(exact_integers))?),
            "an object" => {
                let member = |(key, json): (std::borrow::Cow<'_, str>, Json<'_>)| {
                    Ok((key.into_owned(), json.tree(exact_integers)?))
                };
                Tree::Object(self.object()?.into_iter().map(member).collect::<Result<_>>()?)
            }
            _ => self.number_tree(exact_integers)?,
        })
    }

    fn number_tree(self, exact_integers: bool) -> Result<Tree> {
        if exact_integers {
            match (self.i64(), self.u64()) {
                (Ok(value), _) if value.unsigned_abs() > MAX_SAFE_INTEGER => return Ok(Tree::Integer(value)),
                (Err(_), Ok(value)) => return Ok(Tree::Unsigned(value)),
                _ => {}
            }
        }
        self.number_text()?.parse().map(Tree::Number).map_err(|_| self.unexpected("a number"))
    }
}

impl Serialize for Tree {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        match self {
            Self::Null => serializer.serialize_unit(),
            Self::Bool(value) => serializer.serialize_bool(*value),
            Self::Number(value) => serializer.serialize_f64(*value),
            Self::Integer(value) => serializer.serialize_i64(*value),
            Self::Unsigned(value) => serializer.serialize_u64(*value),
            Self::Text(text) => serializer.serialize_str(text),
            Self::Array(elements) => serializer.collect_seq(elements),
            Self::Object(members) => {
                let mut map = serializer.serialize_map(Some(members.len()))?;
                members.iter().try_for_each(|(key, value)| map.serialize_entry(key, value))?;
                map.end()
            }
        }
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::format::metadata::json::Document;

    fn tree(text: &str, exact_integers: bool) -> Tree {
        Document::parse(text.as_bytes()).unwrap().root().tree(exact_integers).unwrap()
    }

    #[test]
    fn tokens_become_numbers_and_strings_stay_strings() {
        let Tree::Array(elements) =
            tree(r#"[NaN, "NaN", -Infinity, "-Infinity", Infinity, null, true]"#, false)
        else {
            panic!("no array");
        };
        assert!(matches!(elements[0], Tree::Number(value) if value.is_nan()));
        let rest = [
            Tree::Text("NaN".into()),
            Tree::Number(f64::NEG_INFINITY),
            Tree::Text("-Infinity".into()),
            Tree::Number(f64::INFINITY),
            Tree::Null,
            Tree::Bool(true),
        ];
        assert_eq!(elements[1..], rest);
    }

    #[test]
    fn integers_are_exact_when_asked_for() {
        let text = "[9007199254740991, 9007199254740993, -9007199254740993, 18446744073709551615, 1.5, 36893488147419103232]";
        let exact = [
            Tree::Number(9_007_199_254_740_991.0),
            Tree::Integer(9_007_199_254_740_993),
            Tree::Integer(-9_007_199_254_740_993),
            Tree::Unsigned(u64::MAX),
            Tree::Number(1.5),
            Tree::Number(36_893_488_147_419_103_232.0),
        ];
        assert_eq!(tree(text, true), Tree::Array(exact.into()));
        let Tree::Array(rounded) = tree(text, false) else { panic!("no array") };
        assert_eq!(rounded[1], Tree::Number(9_007_199_254_740_992.0));
        assert!(rounded.iter().all(|element| matches!(element, Tree::Number(_))));
    }

    #[test]
    fn serialization_keeps_structure_and_order() {
        let text = r#"{"b":[1.5,"x",null],"a":{"ö":true},"b2":18446744073709551615}"#;
        assert_eq!(serde_json::to_string(&tree(text, true)).unwrap(), text);
    }
}
