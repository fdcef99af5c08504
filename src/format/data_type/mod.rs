//! Data types: what one element is. <https://zarr-specs.readthedocs.io/en/latest/v3/data-types/index.html>
//!
//! [`DataType`] is the one value that all dialects' names are turned into; a file a family knows its names, sizes and
//! fill-value forms. In memory, elements are packed **little-endian**; a stored byte order belongs to the `bytes` codec
//! (v2 and draft types that carry one are taken apart on entry).

mod base64;
mod boolean;
pub mod fill_value;
mod float;
mod integer;
pub mod name;
pub mod typestr;
pub mod variable;

pub use fill_value::FillValue;
pub use float::Float;
pub use integer::Integer;

/// What one element of an array is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DataType {
    /// `bool`: one byte, 0 or 1.
    Bool,
    /// `int8` … `uint64`.
    Integer(Integer),
    /// `float16`, `float32`, `float64`.
    Float(Float),
    /// `string`: UTF-8 text.
    String,
    /// `bytes`: any number of bytes.
    Bytes,
    /// Any number of elements of another type, packed little-endian: v2's objects with the `vlen-array` codec.
    VariableArray(Box<DataType>),
    /// The text of a JSON value: v2's objects with the `json2` and `msgpack2` codecs.
    Json,
}

impl DataType {
    /// Bytes of one element; `None` where elements have lengths of their own.
    pub fn size(&self) -> Option<usize> {
        Some(match self {
            Self::Bool => 1,
            Self::Integer(integer) => integer.size(),
            Self::Float(float) => float.size(),
            Self::String | Self::Bytes | Self::VariableArray(_) | Self::Json => return None,
        })
    }

    /// The runs of bytes within one element that a change of byte order reverses, as (offset, width); widths of 1 are
    /// left out. A plain number is one run, a complex number two, a struct one or more a field.
    pub fn swap_runs(&self) -> Vec<(usize, usize)> {
        match self.size() {
            Some(width) if width > 1 => vec![(0, width)],
            _ => Vec::new(),
        }
    }
}
