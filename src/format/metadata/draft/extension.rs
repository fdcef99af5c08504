//! Parses extensions of the drafts: the list `extensions` of entry points and arrays, and the
//! objects at extension points.

use std::borrow::Cow;

use crate::error::{Error, Result};
use crate::format::metadata::json::{Json, Object};

/// Checks a list of extensions. None is known, so each must say that it need not be understood.
///
/// # Errors
/// `Unsupported`, with the URI, for an extension that must be understood. `Format` for one that
/// does not say.
pub(super) fn check_list(json: Json<'_>) -> Result<()> {
    json.list(|json| {
        let members = json.object()?;
        let uri = members.require("extension", Json::str)?;
        match members.require("must_understand", Json::bool)? {
            false => Ok(()),
            true => {
                Err(Error::unsupported(format!("the extension {uri:?} must be understood, and is unknown")))
            }
        }
    })
    .map(drop)
}

/// An object at an extension point.
#[derive(Debug)]
pub(super) struct ExtensionPoint<'a> {
    /// The URI of the extension.
    pub uri: Cow<'a, str>,
    /// The type: which of the things that the extension defines.
    pub kind: Json<'a>,
    /// All members.
    pub members: Object<'a>,
}

impl<'a> ExtensionPoint<'a> {
    /// Parses an object. `None` for one that names no extension.
    ///
    /// # Errors
    /// `Format` for an extension without `type`.
    pub fn parse(json: Json<'a>) -> Result<Option<Self>> {
        let members = json.object()?;
        let Some(uri) = members.read("extension", Json::str)? else { return Ok(None) };
        let kind = members.require("type", Ok)?;
        Ok(Some(Self { uri, kind, members }))
    }

    /// The error for an unknown extension.
    pub fn unknown(&self, what: &str) -> Error {
        let kind = self.kind.text();
        Error::unsupported(format!("unknown {what} {kind} of the extension {:?}", self.uri))
    }
}

/// The error for a value at an extension point where no extension is known: `Unsupported` with the
/// URI for an extension, `Format` for any other value.
pub(super) fn refuse(json: Json<'_>, what: &str, expected: &str) -> Error {
    if json.kind_name() != "an object" {
        return json.unexpected(expected);
    }
    match ExtensionPoint::parse(json) {
        Ok(Some(extension)) => extension.unknown(what),
        Ok(None) => json.unexpected(expected),
        Err(error) => error,
    }
}
