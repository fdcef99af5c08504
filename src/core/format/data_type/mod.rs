//! Data types: what one element of an array is.
//! <https://zarr-specs.readthedocs.io/en/latest/v3/data-types/index.html>
//!
//! Names of all Zarr formats are parsed to one [`DataType`]. Each family of types has a file, which
//! knows its names, its size and the forms of its fill values. In memory, elements are packed
//! **little-endian**. A stored byte order belongs to the `bytes` codec: where a v2 or draft type
//! has one, parsing separates it. [`name`] reads and writes v3's names, [`typestr`] reads v2's.

mod base64;
mod boolean;
mod complex;
pub mod description;
pub mod endian;
pub mod fill_value;
mod fixed_bytes;
mod float;
mod integer;
mod micro;
pub mod name;
mod number;
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

pub use endian::Endian;
pub use fill_value::FillValue;
pub use number::{Float, Integer};
pub use run::Run;
pub use structure::Struct;
pub use time::{Time, TimeKind, TimeUnit};

/// Parses a data type that is part of another. See [`name::parse`].
type ParseType = fn(&Extension<'_>) -> Result<DataType>;

/// The data type of an array.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DataType {
    /// `bool`: one byte, 0 or 1.
    Bool,
    /// `int8` … `uint64`. Integers of two and four bits have one byte each.
    Integer(Integer),
    /// `float64` … `float4_e2m1fn`.
    Float(Float),
    /// Two floats: the real and the imaginary part.
    Complex(Float),
    /// `r24` and the like: this many bytes.
    Raw(fixed_bytes::RawBytes),
    /// `null_terminated_bytes`: up to this many bytes, padded with zeros.
    NullTerminatedBytes(usize),
    /// `fixed_length_utf32`: up to this many code points of four bytes each, padded with zeros.
    Utf32(usize),
    /// `numpy.datetime64`, `numpy.timedelta64`.
    Time(Time),
    /// `struct`: named fields, packed.
    Struct(Box<Struct>),
    /// `optional`: one byte that tells whether there is a value, then the value.
    Optional(Box<DataType>),
    /// `string`: UTF-8 text.
    String,
    /// `bytes`: any number of bytes.
    Bytes,
    /// A list of packed little-endian elements of another type: v2's objects with the codec
    /// `vlen-array`.
    VariableArray(Box<DataType>),
    /// The text of a JSON value: v2's objects with the codecs `json2` and `msgpack2`.
    Json,
}

impl DataType {
    /// The size of one element in bytes. `None` for types of variable length.
    #[allow(clippy::arithmetic_side_effects, reason = "`fixed_bytes::element_len` has bounded the sizes")]
    pub fn size(&self) -> Option<usize> {
        Some(match self {
            Self::Bool => 1,
            Self::Integer(integer) => integer.size(),
            Self::Float(float) => float.size(),
            Self::Complex(part) => 2 * part.size(),
            Self::Raw(raw) => raw.len,
            Self::NullTerminatedBytes(len) => *len,
            Self::Utf32(len) => 4 * len,
            Self::Time(_) => 8,
            Self::Struct(structure) => structure.size(),
            Self::Optional(inner) => 1 + inner.size()?,
            Self::String | Self::Bytes | Self::VariableArray(_) | Self::Json => return None,
        })
    }

    /// The numbers in one element. Empty for types without numbers, such as bytes.
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

    /// The numbers in one element of more than one byte: a change of byte order reverses their
    /// bytes.
    pub fn swap_runs(&self) -> Vec<Run> {
        self.runs().into_iter().filter(|run| run.width > 1).collect()
    }

    /// The numbers that are stored big-endian where the `bytes` codec names no byte order.
    ///
    /// v2's structs whose fields have different byte orders list them. Legacy structs are
    /// little-endian. `None` for other types with numbers of more than one byte: their byte order
    /// is unknown.
    pub fn own_big_endian_runs(&self) -> Option<Vec<Run>> {
        match self {
            Self::Struct(structure) => Some(structure.mixed_byte_order().unwrap_or_default().to_vec()),
            _ if self.swap_runs().is_empty() => Some(Vec::new()),
            _ => None,
        }
    }

    /// The numbers in one element that do not use the upper bits of their byte.
    pub fn narrow_runs(&self) -> Vec<Run> {
        self.runs().into_iter().filter(Run::is_narrow).collect()
    }
}
