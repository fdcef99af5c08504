//! Data types: what one element is. <https://zarr-specs.readthedocs.io/en/latest/v3/data-types/index.html>
//!
//! [`DataType`] is the one value that all dialects' names are turned into; a file a family knows its names, sizes and
//! fill-value forms. In memory, elements are packed **little-endian**; a stored byte order belongs to the `bytes` codec
//! (v2 and draft types that carry one are taken apart on entry). [`name`] reads and writes v3's names, [`typestr`] reads v2's.

mod base64;
mod boolean;
mod complex;
pub mod description;
pub mod fill_value;
mod fixed_bytes;
mod float;
mod integer;
mod micro;
pub mod name;
mod optional;
pub mod run;
pub mod structure;
#[cfg(all(test, not(target_arch = "wasm32")))]
#[allow(clippy::unwrap_used)]
mod tests;
mod time;
pub mod typestr;
mod utf32;
pub mod variable;
pub mod widen;

use crate::error::Result;
use crate::format::metadata::extension::Extension;

pub use fill_value::FillValue;
pub use float::Float;
pub use integer::Integer;
pub use run::Run;
pub use structure::Struct;
pub use time::{Time, TimeKind, TimeUnit};

/// Reads a data type that is part of another: see [`name::parse`].
type ParseType = fn(&Extension<'_>) -> Result<DataType>;

/// What one element of an array is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DataType {
    /// `bool`: one byte, 0 or 1.
    Bool,
    /// `int8` … `uint64`, and those of two and four bits, in one byte each.
    Integer(Integer),
    /// `float64` … `float4_e2m1fn`.
    Float(Float),
    /// Two floats: real part, imaginary part.
    Complex(Float),
    /// `r24`: this many bytes, whatever they mean.
    Raw(usize),
    /// `null_terminated_bytes`: up to this many bytes, zeros after them.
    NullTerminatedBytes(usize),
    /// `fixed_length_utf32`: up to this many code points, zeros after them; four bytes each.
    Utf32(usize),
    /// `numpy.datetime64`, `numpy.timedelta64`.
    Time(Time),
    /// `struct`: named fields, packed.
    Struct(Box<Struct>),
    /// `optional`: one byte that says whether there is a value, and the value.
    Optional(Box<DataType>),
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
            Self::Complex(part) => 2 * part.size(),
            Self::Raw(len) | Self::NullTerminatedBytes(len) => *len,
            Self::Utf32(len) => 4 * len,
            Self::Time(_) => 8,
            Self::Struct(structure) => structure.size(),
            Self::Optional(inner) => 1 + inner.size()?,
            Self::String | Self::Bytes | Self::VariableArray(_) | Self::Json => return None,
        })
    }

    /// The numbers that one element is made of; none for bytes and text of bytes.
    pub fn runs(&self) -> Vec<Run> {
        match self {
            Self::Integer(integer) => {
                vec![Run::of(integer.size(), 1).with_bits(integer.bits(), integer.is_signed())]
            }
            Self::Float(float) => vec![Run::of(float.size(), 1).with_bits(float.bits(), false)],
            Self::Complex(part) => vec![Run::of(part.size(), 2).with_bits(part.bits(), false)],
            Self::Utf32(len) => vec![Run::of(4, *len)],
            Self::Time(_) => vec![Run::of(8, 1)],
            Self::Struct(structure) => structure.runs().to_vec(),
            _ => Vec::new(),
        }
    }

    /// The numbers within one element whose bytes a change of byte order reverses.
    pub fn swap_runs(&self) -> Vec<Run> {
        self.runs().into_iter().filter(|run| run.width > 1).collect()
    }

    /// The byte order that a type brings along where the `bytes` codec names none: v2's structs whose fields differ in it give
    /// what is stored with the highest byte first; legacy structs are little-endian; other types of wide numbers have none.
    pub fn own_big_endian_runs(&self) -> Option<Vec<Run>> {
        match self {
            Self::Struct(structure) => Some(structure.mixed_byte_order().unwrap_or_default().to_vec()),
            _ if self.swap_runs().is_empty() => Some(Vec::new()),
            _ => None,
        }
    }

    /// The numbers within one element that leave the upper bits of their byte unused.
    pub fn narrow_runs(&self) -> Vec<Run> {
        self.runs().into_iter().filter(Run::is_narrow).collect()
    }
}
