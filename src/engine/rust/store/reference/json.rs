//! Walks the members and the items of JSON in one pass. A reference document may have millions of
//! them, so none is kept.

use std::borrow::Cow;
use std::fmt;

use serde::de::{MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer as _};
use serde_json::value::RawValue;

use crate::error::{Error, Result};

/// Takes a member or an item: its name, which is empty for an item, and its unparsed value.
type Take<'t, 'de> = &'t mut dyn FnMut(Cow<'de, str>, &'de RawValue) -> Result<()>;

/// A string, borrowed from the document where it has no escapes.
#[derive(Deserialize)]
pub struct Text<'a>(#[serde(borrow)] pub Cow<'a, str>);

impl<'a> Text<'a> {
    /// Parses a string.
    ///
    /// # Errors
    /// `Format` for another value.
    pub fn parse(json: &'a str) -> Result<Cow<'a, str>> {
        let Self(text) = serde_json::from_str(json).map_err(|error| not_read(&error))?;
        Ok(text)
    }
}

/// Calls `take` with each member of a JSON object.
///
/// # Errors
/// `Format` if the JSON is of another kind; any error that `take` returns.
pub fn members<'de>(json: &'de str, take: Take<'_, 'de>) -> Result<()> {
    walk(json, take, |json, walk| json.deserialize_map(walk))
}

/// Calls `take` with each item of a JSON list.
///
/// # Errors
/// `Format` if the JSON is of another kind; any error that `take` returns.
pub fn items<'de>(json: &'de str, take: Take<'_, 'de>) -> Result<()> {
    walk(json, take, |json, walk| json.deserialize_seq(walk))
}

type Json<'de> = serde_json::Deserializer<serde_json::de::StrRead<'de>>;

fn walk<'de>(
    json: &'de str,
    take: Take<'_, 'de>,
    start: fn(&mut Json<'de>, Walk<'_, 'de>) -> serde_json::Result<()>,
) -> Result<()> {
    let mut failed = None;
    let mut json = serde_json::Deserializer::from_str(json);
    let outcome = start(&mut json, Walk { take, failed: &mut failed }).and_then(|()| json.end());
    match failed {
        Some(error) => Err(error),
        None => outcome.map_err(|error| not_read(&error)),
    }
}

pub fn not_read(error: &serde_json::Error) -> Error {
    Error::format(format!("the reference document is not valid: {error}"))
}

struct Walk<'t, 'de> {
    take: Take<'t, 'de>,
    /// The error that `take` returned. It is kept here, because a visitor returns serde's errors.
    failed: &'t mut Option<Error>,
}

impl<'de> Walk<'_, 'de> {
    fn take<E: serde::de::Error>(
        &mut self,
        name: Cow<'de, str>,
        value: &'de RawValue,
    ) -> std::result::Result<(), E> {
        (self.take)(name, value).map_err(|error| {
            *self.failed = Some(error);
            E::custom("failed")
        })
    }
}

impl<'de> Visitor<'de> for Walk<'_, 'de> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object or a list of a reference document")
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> std::result::Result<(), A::Error> {
        while let Some(Text(name)) = map.next_key()? {
            self.take(name, map.next_value()?)?;
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut list: A) -> std::result::Result<(), A::Error> {
        while let Some(value) = list.next_element()? {
            self.take(Cow::Borrowed(""), value)?;
        }
        Ok(())
    }
}
