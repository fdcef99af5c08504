//! The errors of GRIB messages.

use std::fmt::Display;

use crate::error::Error;

/// The error for a message that breaks the format.
pub fn damaged(what: &str) -> Error {
    Error::format("the GRIB message is corrupt").actual(what)
}

/// The error for a message that needs a feature which is not implemented.
pub fn unsupported(what: &str, number: impl Display) -> Error {
    Error::unsupported(format!("the GRIB message has a feature that is not supported: {what} {number}"))
}

/// A message with another number of points than the chunk has elements.
pub fn other_count(expected: usize, actual: usize) -> Error {
    Error::format("the GRIB message has another number of elements than the chunk")
        .expected(expected.to_string())
        .actual(actual.to_string())
}
