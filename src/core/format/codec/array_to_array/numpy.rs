//! What numcodecs' array filters share: a `dtype` of the filter, and NumPy's conversions between
//! numbers.
//! <https://numcodecs.readthedocs.io/en/stable/filter/index.html>
//!
//! A filter does not use the array's data type: it reads the chunk's bytes as numbers of its
//! `dtype`, like NumPy's `view`. The number of elements may change. Byte orders are not handled
//! here: chunks in memory are little-endian, and the `bytes` codec handles the stored order.

use std::borrow::Cow;

use super::filter::filter;
use crate::error::{Error, Result};
use crate::format::codec::configuration::Configuration;
use crate::format::codec::{ChunkRepresentation, Codec, not_of_this_type};
use crate::format::data_type::{DataType, FillValue, name, typestr};
use crate::format::metadata::extension::Extension;
use crate::kernel::cast::cast;
use crate::kernel::number::NumberType;
use crate::limits;

/// The numbers that one step converts.
const BLOCK: usize = 512;

/// Reads a data type; `None` when the field is absent. It is a type string (`"<i2"`, or `"i2"`,
/// which NumPy accepts too) or NumPy's name (`"int16"`).
///
/// # Errors
/// `Format` for any other value, `Unsupported` for a data type that this build does not have.
pub(super) fn dtype(configuration: &Configuration<'_>, field: &str) -> Result<Option<DataType>> {
    configuration.read(field, |json| parse_dtype(&json.str()?))
}

fn parse_dtype(text: &str) -> Result<DataType> {
    let named = Extension { name: Cow::Borrowed(text), configuration: None };
    if let Ok(data_type) = name::parse(&named) {
        return Ok(data_type);
    }
    let typestr = match text.strip_prefix('=').unwrap_or(text) {
        ordered if ordered.starts_with(['<', '>', '|']) => Cow::Borrowed(ordered),
        native => Cow::Owned(format!("<{native}")),
    };
    typestr::parse(&typestr).map(|(data_type, _)| data_type)
}

/// The number type of a data type.
///
/// # Errors
/// `Unsupported` for data types that are not plain numbers.
pub(super) fn number_type(data_type: &DataType) -> Result<NumberType> {
    data_type.number_type().ok_or_else(|| not_of_this_type("this codec", data_type))
}

/// A filter bound to a chunk. Both sides have the same number of numbers, of two types.
#[derive(Debug)]
pub(super) struct Numbers {
    /// The number type of the decoded bytes.
    pub(super) decoded: NumberType,
    /// The number type of the encoded bytes.
    pub(super) encoded: NumberType,
    /// The chunk as the next codec sees it.
    pub(super) representation: ChunkRepresentation,
    chunk: ChunkRepresentation,
}

impl Numbers {
    /// Binds a filter. `dtype` is the type of the decoded numbers (default: the chunk's), `astype`
    /// that of the encoded ones (default: `dtype`).
    ///
    /// # Errors
    /// `Format` for a chunk whose length is not a multiple of `dtype`'s size, `Unsupported` for
    /// types that are not numbers.
    pub(super) fn bind(
        chunk: &ChunkRepresentation,
        dtype: Option<&DataType>,
        astype: Option<&DataType>,
    ) -> Result<Self> {
        let dtype = dtype.unwrap_or(&chunk.data_type);
        let astype = astype.unwrap_or(dtype);
        let (decoded, encoded) = (number_type(dtype)?, number_type(astype)?);
        let element_size = chunk.data_type.size().unwrap_or(0);
        let bytes = limits::product([chunk.element_count()?, element_size as u64], "chunk")?;
        let size = decoded.size() as u64;
        if element_size == 0 || !bytes.is_multiple_of(size) {
            return Err(Error::format("the chunk's length is not a multiple of the filter's dtype")
                .expected(format!("elements of {}", dtype.name()))
                .actual(format!("elements of {}", chunk.data_type.name())));
        }
        let count = bytes.checked_div(size).unwrap_or(0);
        let (shape, fill_value) = if element_size == decoded.size() {
            let mut fill = vec![0; encoded.size()];
            convert(&chunk.fill_value.0, decoded, &mut fill, encoded);
            (chunk.shape.clone(), FillValue(fill))
        } else {
            (vec![count], FillValue::zero(astype))
        };
        let representation = ChunkRepresentation { shape, data_type: astype.clone(), fill_value };
        Ok(Self { decoded, encoded, representation, chunk: chunk.clone() })
    }

    /// Binds a filter that has the fields `dtype` and `astype`.
    ///
    /// # Errors
    /// As [`dtype`] and [`bind`](Self::bind).
    pub(super) fn read(configuration: &Configuration<'_>, chunk: &ChunkRepresentation) -> Result<Self> {
        let (decoded, encoded) = (dtype(configuration, "dtype")?, dtype(configuration, "astype")?);
        Self::bind(chunk, decoded.as_ref(), encoded.as_ref())
    }

    /// The codec that converts chunks of these numbers by two functions.
    pub(super) fn filter(
        self,
        decode: impl Fn(Vec<u8>) -> Result<Vec<u8>> + 'static,
        encode: impl Fn(Vec<u8>) -> Result<Vec<u8>> + 'static,
    ) -> Result<Codec> {
        filter(&self.chunk, self.representation, decode, encode)
    }
}

fn count_of(numbers: &[u8], number: NumberType) -> usize {
    numbers.len().checked_div(number.size()).unwrap_or(0)
}

/// A copy of the numbers in another type: see [`convert`].
pub(super) fn converted(src: Vec<u8>, from: NumberType, to: NumberType) -> Result<Vec<u8>> {
    if from == to {
        return Ok(src);
    }
    let mut dst = zeroed(count_of(&src, from), to)?;
    convert(&src, from, &mut dst, to);
    Ok(dst)
}

/// Converts like NumPy's `astype`: integers keep their low bits, floats are truncated. C and NumPy
/// do not define the conversion of a float that the integer type cannot hold. Here narrow integers
/// keep the low bits, as on common machines, wide ones saturate, and NaN becomes 0.
#[allow(
    clippy::arithmetic_side_effects,
    clippy::indexing_slicing,
    reason = "a block has BLOCK numbers of at most 8 bytes"
)]
fn convert(src: &[u8], from: NumberType, dst: &mut [u8], to: NumberType) {
    let by_way_of = match to {
        _ if !from.is_float() => None,
        NumberType::I8 | NumberType::U8 | NumberType::I16 | NumberType::U16 => Some(NumberType::I32),
        NumberType::U32 => Some(NumberType::I64),
        _ => None,
    };
    if let Some(wide) = by_way_of {
        let mut buf = [0; BLOCK * 8];
        for (src, dst) in src.chunks(BLOCK * from.size()).zip(dst.chunks_mut(BLOCK * to.size())) {
            let buf = &mut buf[..src.len() / from.size() * wide.size()];
            cast(src, from, buf, wide);
            resize_integers(buf, wide, dst, to);
        }
    } else if from.is_integer() && to.is_integer() {
        resize_integers(src, from, dst, to);
    } else {
        cast(src, from, dst, to);
    }
}

/// Resizes two's complement integers: keeps the low bytes or extends the sign.
fn resize_integers(src: &[u8], from: NumberType, dst: &mut [u8], to: NumberType) {
    let kept = from.size().min(to.size());
    for (src, dst) in src.chunks_exact(from.size()).zip(dst.chunks_exact_mut(to.size())) {
        let (low, high) = dst.split_at_mut(kept);
        low.iter_mut().zip(src).for_each(|(to, from)| *to = *from);
        let negative = from.is_signed() && src.last().is_some_and(|&byte| byte >= 0x80);
        high.fill(if negative { 0xff } else { 0 });
    }
}

/// Applies `operation` to every number as a double and stores the result in another type.
#[allow(
    clippy::arithmetic_side_effects,
    clippy::indexing_slicing,
    reason = "a block has BLOCK numbers of at most 8 bytes"
)]
pub(super) fn map_doubles(
    src: &[u8],
    from: NumberType,
    to: NumberType,
    operation: impl Fn(f64) -> f64,
) -> Result<Vec<u8>> {
    let mut dst = zeroed(count_of(src, from), to)?;
    let mut buf = [0; BLOCK * 8];
    for (src, dst) in src.chunks(BLOCK * from.size()).zip(dst.chunks_mut(BLOCK * to.size())) {
        let buf = &mut buf[..src.len() / from.size() * 8];
        cast(src, from, buf, NumberType::F64);
        for number in buf.as_chunks_mut().0 {
            *number = operation(f64::from_le_bytes(*number)).to_le_bytes();
        }
        convert(buf, NumberType::F64, dst, to);
    }
    Ok(dst)
}

/// Rounds to the nearest number of a float type, as NumPy does after each step. A double has more
/// than twice the digits of the other types, so that rounding a sum, product or quotient twice
/// gives the same result as rounding it once.
#[allow(clippy::cast_possible_truncation)] // rounding is meant
pub(super) fn rounded(value: f64, float: NumberType) -> f64 {
    match float {
        NumberType::F16 => half::f16::from_f32(value as f32).to_f64(),
        NumberType::F32 => f64::from(value as f32),
        _ => value,
    }
}

/// Allocates zeros for `count` numbers.
pub(super) fn zeroed(count: usize, number: NumberType) -> Result<Vec<u8>> {
    let len = limits::product([count as u64, number.size() as u64], "chunk")?;
    limits::zeroed(len, limits::CHUNK_BYTES, "chunk")
}

#[cfg(all(test, not(target_arch = "wasm32")))]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;
    use crate::format::data_type::Integer;

    fn ints<const N: usize>(values: [i32; N], to: NumberType) -> Vec<u8> {
        converted(values.map(i32::to_le_bytes).as_flattened().to_vec(), NumberType::I32, to).unwrap()
    }

    #[test]
    fn numpys_spellings_of_data_types() {
        for (text, name) in [
            ("<i2", "int16"),
            (">f8", "float64"),
            ("|u1", "uint8"),
            ("=u4", "uint32"),
            ("i8", "int64"),
            ("f2", "float16"),
            ("float32", "float32"),
            ("bool", "bool"),
            ("|b1", "bool"),
        ] {
            assert_eq!(parse_dtype(text).unwrap().name(), name, "{text}");
        }
        for text in ["", "float", "<", "i3", "<g16"] {
            assert!(parse_dtype(text).is_err(), "{text}");
        }
    }

    #[test]
    fn conversions_match_numpy() {
        // numpy 2.5: np.array([-1, 300, -129, 65536], "<i4").astype(...)
        assert_eq!(ints([-1, 300, -129, 65536], NumberType::U8), [255, 44, 127, 0]);
        assert_eq!(ints([-1, 300, -129, 65536], NumberType::I8), [255, 44, 127, 0]);
        assert_eq!(ints([-1, 7], NumberType::U64), [&[255; 8][..], &[7, 0, 0, 0, 0, 0, 0, 0]].concat());
        let doubles = [-1.9, 300.7, -129.0].map(f64::to_le_bytes).concat();
        let to = |to| converted(doubles.clone(), NumberType::F64, to).unwrap();
        assert_eq!(to(NumberType::U8), [255, 44, 127]);
        assert_eq!(to(NumberType::I16), [-1i16, 300, -129].map(i16::to_le_bytes).concat());
        assert_eq!(to(NumberType::U32), [u32::MAX, 300, u32::MAX - 128].map(u32::to_le_bytes).concat());
    }

    #[test]
    fn a_chunk_is_viewed_as_other_numbers() {
        let data_type = DataType::Integer(Integer::Int32);
        let chunk =
            ChunkRepresentation { shape: vec![3, 5], fill_value: FillValue(vec![7, 0, 0, 0]), data_type };
        let bind = |dtype: &str| Numbers::bind(&chunk, Some(&parse_dtype(dtype).unwrap()), None);
        let same = bind("<u4").unwrap().representation;
        assert_eq!((same.shape, same.fill_value.0), (vec![3, 5], vec![7, 0, 0, 0]));
        assert_eq!(bind("<u2").unwrap().representation.shape, [30]);
        assert_eq!(bind("<f8").unwrap_err().kind(), ErrorKind::Format);
        let to_floats = Numbers::bind(&chunk, None, Some(&parse_dtype("<f4").unwrap())).unwrap();
        assert_eq!(to_floats.representation.fill_value.0, 7f32.to_le_bytes());
    }
}
