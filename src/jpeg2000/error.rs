//! Why an image is not decoded.

use std::fmt;

/// The result of every function that may fail.
pub type Result<T> = std::result::Result<T, Error>;

/// Who must act.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// The bytes break the format.
    Format,
    /// The image is valid, but has a feature that is not decoded.
    Unsupported,
    /// The image would take too much memory.
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
    #[cold]
    fn new(kind: ErrorKind, message: String) -> Self {
        Self(Box::new(ErrorParts { kind, message, expected: None, actual: None }))
    }

    /// Who must act.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// All that it says.
    pub fn into_parts(self) -> ErrorParts {
        *self.0
    }

    pub(crate) fn format(message: &str) -> Self {
        Self::new(ErrorKind::Format, message.to_owned())
    }

    pub(crate) fn expected(mut self, expected: impl Into<String>) -> Self {
        self.0.expected = Some(expected.into());
        self
    }

    pub(crate) fn actual(mut self, actual: String) -> Self {
        self.0.actual = Some(actual);
        self
    }
}

impl fmt::Display for Error {
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

/// The error of a feature that is not decoded.
pub(crate) fn unsupported(what: &str) -> Error {
    let message = format!("the JPEG 2000 image has a feature that is not supported: {what}");
    Error::new(ErrorKind::Unsupported, message)
}

/// The error of bytes that end too early.
#[cold]
pub(crate) fn too_short() -> Error {
    Error::format("the JPEG 2000 image is truncated")
}

/// Checks a size against its limit.
pub(crate) fn within(value: u64, limit: u64, what: &str) -> Result<usize> {
    let too_large = || {
        let error = Error::new(ErrorKind::Limit, format!("{what} is too large"));
        error.expected(format!("at most {limit}")).actual(value.to_string())
    };
    usize::try_from(value).ok().filter(|_| value <= limit).ok_or_else(too_large)
}
