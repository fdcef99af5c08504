//! `reshape`: gives the elements, which stay in C order, another shape.
//! <https://github.com/zarr-developers/zarr-extensions/tree/main/codecs/reshape>
//!
//! This file also has `zarrs.squeeze`, which removes the dimensions of length 1. Neither changes
//! bytes.

use crate::error::{Error, Result};
use crate::format::codec::configuration::{Configuration, wrong_value};
use crate::format::codec::{ArrayBytes, ArrayToArray, ChunkRepresentation, Codec};
use crate::format::json::Json;
use crate::limits;

struct Reshape {
    representation: ChunkRepresentation,
}

/// The length of an encoded dimension.
#[derive(Debug, PartialEq, Eq)]
enum Length {
    /// This number of elements.
    Size(u64),
    /// The product of these decoded dimensions.
    Product(Vec<usize>),
    /// `-1`: what the other dimensions leave.
    Rest,
}

/// Binds `reshape`. Its configuration: `shape`.
///
/// # Errors
/// `Format` when `shape` is missing, has an invalid entry, lists dimensions out of order, or does
/// not fit the chunk.
pub fn bind(configuration: &Configuration<'_>, decoded: &ChunkRepresentation) -> Result<Codec> {
    let lengths = lengths(configuration)?;
    let shape = resolve(&lengths, decoded).map_err(|error| error.in_field("shape"))?;
    Ok(reshape(shape, decoded))
}

/// Binds `zarrs.squeeze`. Its configuration has no fields.
///
/// # Errors
/// None.
pub fn bind_squeeze(_: &Configuration<'_>, decoded: &ChunkRepresentation) -> Result<Codec> {
    Ok(reshape(decoded.shape.iter().copied().filter(|&size| size != 1).collect(), decoded))
}

fn reshape(shape: Vec<u64>, decoded: &ChunkRepresentation) -> Codec {
    Codec::array_to_array(Reshape { representation: ChunkRepresentation { shape, ..decoded.clone() } })
}

/// Reads the lengths of the encoded dimensions.
fn lengths(configuration: &Configuration<'_>) -> Result<Vec<Length>> {
    let shape = configuration.read("shape", |json| json.list(Length::parse))?;
    let shape = configuration.required("shape", shape)?;
    if shape.len() > limits::DIMENSIONS {
        return Err(limits::exceeded("rank", shape.len() as u64, limits::DIMENSIONS as u64).in_field("shape"));
    }
    if shape.iter().filter(|length| **length == Length::Rest).count() > 1 {
        return Err(wrong_value("shape", "-1 at most once", "-1 more than once"));
    }
    let named = shape.iter().flat_map(|length| match length {
        Length::Product(dimensions) => dimensions.as_slice(),
        _ => &[],
    });
    if !named.is_sorted_by(|before, after| before < after) {
        return Err(wrong_value("shape", "dimensions in ascending order", "dimensions in another order"));
    }
    Ok(shape)
}

impl Length {
    fn parse(json: Json<'_>) -> Result<Self> {
        let unexpected = || json.unexpected("a size, -1 or a list of dimensions");
        if json.kind_name() == "an array" {
            let dimension = |json: Json<'_>| usize::try_from(json.u64()?).map_err(|_| unexpected());
            return json.list(dimension).map(Self::Product);
        }
        match json.i64().map_err(|_| unexpected())? {
            -1 => Ok(Self::Rest),
            size if size > 0 => Ok(Self::Size(size.unsigned_abs())),
            _ => Err(unexpected()),
        }
    }
}

/// The encoded shape.
fn resolve(lengths: &[Length], decoded: &ChunkRepresentation) -> Result<Vec<u64>> {
    let known = lengths.iter().map(|length| match length {
        Length::Size(size) => Ok(*size),
        Length::Product(dimensions) => size_of(dimensions, &decoded.shape),
        Length::Rest => Ok(1),
    });
    let mut shape = known.collect::<Result<Vec<u64>>>()?;
    let (count, others) = (decoded.element_count()?, product(&shape)?);
    for (size, length) in shape.iter_mut().zip(lengths) {
        if *length == Length::Rest {
            *size = count.checked_div(others).unwrap_or(0);
        }
    }
    if product(&shape)? != count {
        return Err(Error::format("the encoded shape has another number of elements than the chunk")
            .expected(count.to_string())
            .actual(format!("{shape:?}")));
    }
    check_dimensions(lengths, &shape, &decoded.shape)?;
    Ok(shape)
}

/// Checks the position of each listed dimension: the specification requires as many elements before
/// and after it as in the decoded shape.
fn check_dimensions(lengths: &[Length], encoded: &[u64], decoded: &[u64]) -> Result<()> {
    for (dimension, length) in lengths.iter().enumerate() {
        let Length::Product(dimensions) = length else { continue };
        let (Some(&first), Some(&last)) = (dimensions.first(), dimensions.last()) else { continue };
        let before = (encoded.get(..dimension), decoded.get(..first));
        let after = (
            encoded.get(dimension..).and_then(|rest| rest.get(1..)),
            decoded.get(last..).and_then(|rest| rest.get(1..)),
        );
        for (encoded, decoded) in [before, after] {
            if product(encoded.unwrap_or_default())? != product(decoded.unwrap_or_default())? {
                return Err(Error::format(
                    "the encoded shape moves decoded dimensions, which reshape cannot",
                )
                .actual(format!("{dimensions:?}")));
            }
        }
    }
    Ok(())
}

fn size_of(dimensions: &[usize], decoded: &[u64]) -> Result<u64> {
    let sizes = dimensions.iter().map(|&dimension| {
        decoded.get(dimension).copied().ok_or_else(|| {
            Error::format("the encoded shape uses a dimension that the chunk lacks")
                .actual(dimension.to_string())
        })
    });
    product(&sizes.collect::<Result<Vec<u64>>>()?)
}

fn product(sizes: &[u64]) -> Result<u64> {
    limits::product(sizes.iter().copied(), "chunk")
}

impl ArrayToArray for Reshape {
    fn encoded(&self) -> &ChunkRepresentation {
        &self.representation
    }

    fn decode(&self, encoded: ArrayBytes) -> Result<ArrayBytes> {
        Ok(encoded)
    }

    fn encode(&self, decoded: ArrayBytes) -> Result<ArrayBytes> {
        Ok(decoded)
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;
    use crate::format::codec::testing;
    use crate::format::data_type::{DataType, Integer};

    fn reshaped(shape: &str, chunk: &[u64]) -> Result<Vec<u64>> {
        let codec = testing::metadata("reshape", &format!("{{\"shape\":{shape}}}"));
        let chunk = testing::chunk(chunk, DataType::Integer(Integer::Uint8));
        Ok(testing::array_to_array(&codec, &chunk)?.encoded().shape.clone())
    }

    #[test]
    fn sizes_dimensions_and_the_rest() {
        for (shape, expected) in [
            ("[[0, 1], [2], 3]", vec![5000, 64, 3]),
            ("[-1]", vec![960_000]),
            ("[[0], -1, [3]]", vec![100, 3200, 3]),
            ("[[0, 1, 2, 3]]", vec![960_000]),
            ("[100, 50, 64, 3, []]", vec![100, 50, 64, 3, 1]),
            ("[10, -1]", vec![10, 96_000]),
        ] {
            assert_eq!(reshaped(shape, &[100, 50, 64, 3]).unwrap(), expected, "{shape}");
        }
        assert_eq!(reshaped("[]", &[1, 1]).unwrap(), [0; 0]);
        assert_eq!(reshaped("[-1, 4]", &[0, 4]).unwrap(), [0, 4]);
    }

    #[test]
    fn shapes_that_do_not_fit_are_refused() {
        for shape in [
            "[[1], [0], -1]",
            "[[1, 0], -1]",
            "[[0], [0], -1]",
            "[-1, -1]",
            "[0]",
            "[-2]",
            "[7, -1]",
            "[100, 50]",
            "[[4], -1]",
            "[2, [0], -1]",
            "[[1], -1]",
            "7",
            "[\"x\"]",
            "[1.5]",
            "[18446744073709551615, -1]",
            "[9223372036854775807, 9223372036854775807]",
        ] {
            let kind = reshaped(shape, &[100, 50, 64, 3]).unwrap_err().kind();
            assert!([ErrorKind::Format, ErrorKind::Limit].contains(&kind), "{shape}");
        }
    }
}
