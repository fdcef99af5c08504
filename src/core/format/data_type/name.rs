//! The names of data types in v3.
//! <https://zarr-specs.readthedocs.io/en/latest/v3/data-types/index.html>
//!
//! A type without a configuration is a plain string. Since 3.1 an object with that name is allowed
//! too. Both are read.

use std::borrow::Cow;

use super::fixed_bytes::RawBytes;
use super::{
    DataType, Float, Integer, Time, TimeKind, boolean, complex, fixed_bytes, optional, structure, utf32,
    variable,
};
use crate::error::{Error, Result};
use crate::format::json::Json;
use crate::format::metadata::ZarrFormat;
use crate::format::metadata::extension::Extension;
use crate::quoted::quoted;

/// zarrita's name for the type of v2's objects. Their codec tells what they are.
pub const OBJECTS: &str = "v2:object";

/// Parses v3's `data_type`.
///
/// # Errors
/// `Unsupported` for an unknown type, `Format` for a configuration that does not fit its type.
pub fn parse(extension: &Extension<'_>) -> Result<DataType> {
    let name = extension.name.as_ref();
    if optional::NAMES.contains(&name) {
        return optional::parse(extension, parse).map_err(|error| error.within_field("configuration"));
    }
    let configured = configured_type(extension).map_err(|error| error.within_field("configuration"))?;
    let (data_type, keys) = match configured {
        Some(configured) => configured,
        None => (plain_type(name)?, [].as_slice()),
    };
    let configuration = extension.configuration()?;
    match configuration.iter().find(|(key, _)| !keys.contains(&key.as_ref())) {
        None => Ok(data_type),
        Some((key, _)) => {
            let error =
                Error::format(format!("data type {} does not have this configuration member", quoted(name)));
            Err(error.in_field("configuration").actual(quoted(key)))
        }
    }
}

/// Parses a type in either form of an extension. See [`parse`].
///
/// # Errors
/// As [`parse`], and `Format` for anything but an extension.
pub fn parse_json(json: Json<'_>) -> Result<DataType> {
    parse(&Extension::parse(json)?)
}

/// Parses a type that has a configuration. Returns the type and the members that its configuration
/// may have.
fn configured_type(extension: &Extension<'_>) -> Result<Option<(DataType, &'static [&'static str])>> {
    let configuration = extension.configuration()?;
    let name = extension.name.as_ref();
    Ok(Some(match name {
        "raw_bytes" => {
            let len = fixed_bytes::configured_len(&configuration)?;
            (DataType::Raw(RawBytes { len, is_named: true }), &["length_bytes"])
        }
        "null_terminated_bytes" => {
            (DataType::NullTerminatedBytes(fixed_bytes::configured_len(&configuration)?), &["length_bytes"])
        }
        "fixed_length_utf32" => (DataType::Utf32(utf32::configured_len(&configuration)?), &["length_bytes"]),
        "struct" | "structured" => {
            (DataType::Struct(Box::new(structure::parse(&configuration, parse)?)), &["fields"])
        }
        _ => match TimeKind::of_name(name) {
            Some(kind) => (DataType::Time(Time::parse(kind, &configuration)?), &["unit", "scale_factor"]),
            None => return Ok(None),
        },
    }))
}

fn plain_type(name: &str) -> Result<DataType> {
    let number = Integer::of_name(name)
        .map(DataType::Integer)
        .or_else(|| Float::of_name(name).map(DataType::Float))
        .or_else(|| complex::of_name(name).map(DataType::Complex));
    if let Some(number) = number {
        return Ok(number);
    }
    match name {
        boolean::NAME => Ok(DataType::Bool),
        "string" => Ok(DataType::String),
        // Only callers of the API use this name; no metadata document has it.
        OBJECTS => Ok(DataType::Json),
        _ if variable::BYTES_NAMES.contains(&name) => Ok(DataType::Bytes),
        _ => match fixed_bytes::raw_len_of_name(name) {
            Some(len) => len.map(DataType::raw),
            None => Err(Error::unsupported(format!("unknown data type {}", quoted(name)))),
        },
    }
}

impl DataType {
    /// The name in v3 metadata. For v2's objects, which v3 does not have, a name of the same style.
    #[allow(clippy::arithmetic_side_effects, reason = "`fixed_bytes::element_len` has bounded the sizes")]
    pub fn name(&self) -> Cow<'static, str> {
        Cow::Borrowed(match self {
            Self::Bool => boolean::NAME,
            Self::Integer(integer) => integer.name(),
            Self::Float(float) => float.name(),
            Self::Complex(part) => return complex::name(*part),
            Self::Raw(raw) => return Cow::Owned(format!("r{}", 8 * raw.len)),
            Self::NullTerminatedBytes(_) => "null_terminated_bytes",
            Self::Utf32(_) => "fixed_length_utf32",
            Self::Time(time) => time.kind.name(),
            Self::Struct(_) => "struct",
            Self::Optional(_) => optional::NAMES[0],
            Self::String => "string",
            Self::Bytes => "bytes",
            Self::VariableArray(_) => "variable_length_array",
            Self::Json => "json",
        })
    }

    /// The name in zarrita, which has other names for v2's strings and objects.
    pub fn zarrita_name(&self, format: ZarrFormat) -> Cow<'static, str> {
        match (format, self) {
            (ZarrFormat::V2, Self::Utf32(len)) => Cow::Owned(format!("v2:U{len}")),
            (ZarrFormat::V2, Self::NullTerminatedBytes(len)) => Cow::Owned(format!("v2:S{len}")),
            (ZarrFormat::V2, _) if self.size().is_none() => Cow::Borrowed("v2:object"),
            _ => self.name(),
        }
    }

    /// Writes v3's `data_type`: a plain string for types without a configuration.
    ///
    /// # Errors
    /// `Unsupported` for types that v3 does not have.
    pub fn to_json_v3(&self) -> Result<String> {
        Ok(match self.parts_v3()? {
            (name, None) => format!("\"{name}\""),
            (name, Some(configuration)) => {
                format!("{{\"name\":\"{name}\",\"configuration\":{configuration}}}")
            }
        })
    }

    /// The name and the configuration in v3 metadata.
    #[allow(clippy::arithmetic_side_effects, reason = "`fixed_bytes::element_len` has bounded the sizes")]
    pub(super) fn parts_v3(&self) -> Result<(Cow<'static, str>, Option<String>)> {
        let configuration = match self {
            Self::Raw(RawBytes { len, is_named: true }) => {
                return Ok((Cow::Borrowed("raw_bytes"), Some(length_bytes(*len))));
            }
            Self::NullTerminatedBytes(len) => Some(length_bytes(*len)),
            Self::Utf32(len) => Some(length_bytes(4 * len)),
            Self::Time(time) => Some(time.configuration()),
            Self::Struct(structure) => Some(structure.configuration()?),
            Self::Optional(inner) => Some(optional::configuration(inner)?),
            Self::VariableArray(_) | Self::Json => {
                return Err(Error::unsupported(format!("Zarr v3 has no data type {}", quoted(&self.name()))));
            }
            _ => None,
        };
        Ok((self.name(), configuration))
    }
}

fn length_bytes(len: usize) -> String {
    format!("{{\"length_bytes\":{len}}}")
}
