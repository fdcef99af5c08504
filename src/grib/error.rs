//! Why a message is not decoded.

use std::fmt::{self, Display};

/// The result of every function that may fail.
pub type Result<T> = std::result::Result<T, Error>;

/// Who must act.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// The bytes break the format, or the field is not the one that was expected.
    Format,
    /// The message is valid, but has a feature that is not decoded.
    Unsupported,
    /// Memory is short.
    Limit,
}

/// What failed. It is one pointer, so that results are small and pass cheaply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error(Box<ErrorParts>);

/// What an [`Error`] says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ErrorParts {
    /// Who must act.
    pub kind: ErrorKind,
    /// What failed, as a sentence without its full stop.
    pub message: String,
    /// What was expected.
    pub expected: Option<String>,
    /// What was found.
    pub actual: Option<String>,
}

impl Error {
    /// Who must act.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// All that it says.
    pub fn into_parts(self) -> ErrorParts {
        *self.0
    }
}

impl Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ErrorParts { message, expected, actual, .. } = &*self.0;
        f.write_str(message)?;
        if let Some(expected) = expected {
            write!(f, ": expected {expected}")?;
        }
        if let Some(actual) = actual {
            write!(f, "{} {actual}", if expected.is_some() { ", found" } else { ": found" })?;
        }
        Ok(())
    }
}

impl std::error::Error for Error {}

#[cfg(feature = "jpeg2000")]
impl From<zarr_wasm_jpeg2000::Error> for Error {
    fn from(error: zarr_wasm_jpeg2000::Error) -> Self {
        use zarr_wasm_jpeg2000::ErrorKind as Kind;
        let kind = match error.kind() {
            Kind::Format => ErrorKind::Format,
            Kind::Unsupported => ErrorKind::Unsupported,
            Kind::Limit => ErrorKind::Limit,
        };
        let parts = error.into_parts();
        let (message, expected, actual) = (parts.message, parts.expected, parts.actual);
        Self(Box::new(ErrorParts { kind, message, expected, actual }))
    }
}

#[cold]
fn error(kind: ErrorKind, message: &str, expected: Option<String>, actual: Option<String>) -> Error {
    Error(Box::new(ErrorParts { kind, message: message.to_owned(), expected, actual }))
}

/// The error for a message that breaks the format.
pub fn damaged(what: &str) -> Error {
    error(ErrorKind::Format, "the GRIB message is corrupt", None, Some(what.to_owned()))
}

/// The error for bytes that are something else.
pub fn no_message() -> Error {
    let expected = "the bytes \"GRIB\" at its start".to_owned();
    error(ErrorKind::Format, "the chunk is no GRIB message", Some(expected), None)
}

/// The error of data that end too early.
#[cold]
pub fn too_short() -> Error {
    damaged("it ends too early")
}

/// The error for a message that needs a feature which is not implemented.
pub fn unsupported(what: &str, number: impl Display) -> Error {
    let message = format!("the GRIB message has a feature that is not supported: {what} {number}");
    error(ErrorKind::Unsupported, &message, None, None)
}

/// A message with another number of points than the caller expects.
pub fn other_count(expected: usize, actual: usize) -> Error {
    let message = "the GRIB message has another number of elements than the chunk";
    error(ErrorKind::Format, message, Some(expected.to_string()), Some(actual.to_string()))
}

/// The error of a field that memory has no room for.
pub fn no_memory(elements: usize) -> Error {
    error(ErrorKind::Limit, "no memory for chunk", None, Some(format!("{elements} elements")))
}
