//! Data types by their v3 names. <https://zarr-specs.readthedocs.io/en/latest/v3/data-types/index.html>
//!
//! A core type is a bare string; since 3.1 an object with that name is legal too, and both are read.

use std::borrow::Cow;

use super::{DataType, Float, Integer, boolean, variable};
use crate::error::{Error, Result};
use crate::format::metadata::extension::Extension;

/// From v3's `data_type`.
///
/// # Errors
/// `Unsupported` naming a type that this build does not have, `Format` for a configuration that a type does not take.
pub fn parse(extension: &Extension<'_>) -> Result<DataType> {
    let name = extension.name.as_ref();
    let data_type =
        core_type(name).ok_or_else(|| Error::unsupported(format!("unknown data type {name:?}")))?;
    if let Some((key, _)) = extension.configuration()?.iter().next() {
        let error = Error::format(format!("data type {name:?} takes no configuration"));
        return Err(error.in_field("configuration").actual(format!("{key:?}")));
    }
    Ok(data_type)
}

fn core_type(name: &str) -> Option<DataType> {
    if name == boolean::NAME {
        return Some(DataType::Bool);
    }
    if name == "string" {
        return Some(DataType::String);
    }
    if variable::BYTES_NAMES.contains(&name) {
        return Some(DataType::Bytes);
    }
    let integers = Integer::ALL.map(DataType::Integer);
    let floats = Float::ALL.map(DataType::Float);
    integers.into_iter().chain(floats).find(|data_type| data_type.name() == name)
}

impl DataType {
    /// The name in v3 metadata; for v2's objects, which v3 does not have, one of the same kind.
    pub fn name(&self) -> Cow<'static, str> {
        Cow::Borrowed(match self {
            Self::Bool => boolean::NAME,
            Self::Integer(integer) => integer.name(),
            Self::Float(float) => float.name(),
            Self::String => "string",
            Self::Bytes => "bytes",
            Self::VariableArray(_) => "variable_length_array",
            Self::Json => "json",
        })
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;
    use crate::format::metadata::json::Document;

    fn parse_text(text: &str) -> Result<DataType> {
        let document = Document::parse(text.as_bytes())?;
        parse(&Extension::parse(document.root())?)
    }

    #[test]
    fn core_names_and_sizes() {
        for (name, data_type, size) in [
            ("bool", DataType::Bool, 1),
            ("int8", DataType::Integer(Integer::Int8), 1),
            ("uint16", DataType::Integer(Integer::Uint16), 2),
            ("int32", DataType::Integer(Integer::Int32), 4),
            ("uint64", DataType::Integer(Integer::Uint64), 8),
            ("float16", DataType::Float(Float::Float16), 2),
            ("float32", DataType::Float(Float::Float32), 4),
            ("float64", DataType::Float(Float::Float64), 8),
        ] {
            let parsed = parse_text(&format!("{name:?}")).unwrap();
            assert_eq!(parsed, data_type);
            assert_eq!(parsed.size(), Some(size));
            assert_eq!(parsed.name(), name);
        }
    }

    #[test]
    fn core_types_as_objects() {
        for text in [r#"{"name":"int32"}"#, r#"{"name":"int32","configuration":{}}"#] {
            assert_eq!(parse_text(text).unwrap(), DataType::Integer(Integer::Int32));
        }
        let error = parse_text(r#"{"name":"int32","configuration":{"unit":"s"}}"#).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Format);
    }

    #[test]
    fn unknown_types_are_named() {
        for text in [r#""int128""#, r#"{"name":"numpy.datetime64","configuration":{"unit":"s"}}"#] {
            assert_eq!(parse_text(text).unwrap_err().kind(), ErrorKind::Unsupported);
        }
        assert!(parse_text(r#""int128""#).unwrap_err().message().contains("int128"));
    }
}
