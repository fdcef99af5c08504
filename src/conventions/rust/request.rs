//! Reads the records of requests, which `src/conventions/ts/` writes. A member that is missing is
//! as one that is `null`.

use crate::error::{Error, Result};
use crate::value::{Map, Number, Value};

/// A record of a request.
pub struct Record(Map);

#[cold]
fn wrong(key: &str, expected: &str, value: &Value) -> Error {
    Error::argument("the request has an invalid value").in_field(key).expected(expected).actual(value.kind())
}

impl Record {
    /// The record that is a member `key` of another, or the request itself.
    ///
    /// # Errors
    /// `Argument` for anything but an object.
    pub fn of(value: Value, key: &str) -> Result<Self> {
        match value {
            Value::Object(members) => Ok(Self(members)),
            other => Err(wrong(key, "an object", &other)),
        }
    }

    /// Any member.
    pub fn take(&mut self, key: &str) -> Value {
        self.0.get_mut(key).map(std::mem::take).unwrap_or_default()
    }

    /// A string, if it is there.
    ///
    /// # Errors
    /// `Argument` for anything else.
    pub fn text(&mut self, key: &str) -> Result<Option<String>> {
        match self.take(key) {
            Value::Null => Ok(None),
            Value::String(text) => Ok(Some(text)),
            other => Err(wrong(key, "a string", &other)),
        }
    }

    /// A string.
    ///
    /// # Errors
    /// `Argument` for anything else.
    pub fn require_text(&mut self, key: &str) -> Result<String> {
        self.text(key)?.ok_or_else(|| wrong(key, "a string", &Value::Null))
    }

    /// Whether a boolean is true.
    ///
    /// # Errors
    /// `Argument` for anything else.
    pub fn flag(&mut self, key: &str) -> Result<bool> {
        match self.take(key) {
            Value::Null => Ok(false),
            Value::Bool(flag) => Ok(flag),
            other => Err(wrong(key, "a boolean", &other)),
        }
    }

    /// An integer of 64 bits, if it is there.
    ///
    /// # Errors
    /// `Argument` for anything else.
    pub fn integer(&mut self, key: &str) -> Result<Option<i64>> {
        let value = self.take(key);
        let integer = value.as_number().and_then(Number::whole).and_then(|whole| i64::try_from(whole).ok());
        match integer {
            None if !value.is_null() => Err(wrong(key, "an integer", &value)),
            integer => Ok(integer),
        }
    }

    /// A list, if it is there.
    ///
    /// # Errors
    /// `Argument` for anything else.
    pub fn list(&mut self, key: &str) -> Result<Option<Vec<Value>>> {
        match self.take(key) {
            Value::Null => Ok(None),
            Value::Array(items) => Ok(Some(items)),
            other => Err(wrong(key, "an array", &other)),
        }
    }

    /// An object; an empty one if it is not there.
    ///
    /// # Errors
    /// `Argument` for anything else.
    pub fn members(&mut self, key: &str) -> Result<Map> {
        match self.take(key) {
            Value::Null => Ok(Map::default()),
            other => Ok(Self::of(other, key)?.0),
        }
    }
}
