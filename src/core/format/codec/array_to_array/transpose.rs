//! `transpose`: permutes the dimensions of a chunk.
//! <https://zarr-specs.readthedocs.io/en/latest/v3/codecs/transpose/index.html>
//!
//! Encoded dimension `i` is decoded dimension `order[i]`. Drafts of the specification allowed `"C"`
//! for the same order and `"F"` for the reverse order; both are still read. The pipeline mostly
//! avoids moving elements: it applies [`permutation`](ArrayToArray::permutation) to its strides.

use crate::error::{Error, Result};
use crate::format::codec::array_bytes::VariableBytes;
use crate::format::codec::configuration::{Configuration, wrong_value};
use crate::format::codec::{
    ArrayBytes, ArrayToArray, ChunkRepresentation, Codec, Direction, check_decoded_len,
};
use crate::format::dimension_order::{c_strides, signed_stride};
use crate::kernel::scatter::{Dim, Strided, scatter};
use crate::limits;

struct Transpose {
    decoded_shape: Vec<u64>,
    encoded: ChunkRepresentation,
    order: Vec<usize>,
}

/// Binds the codec. Its configuration: `order`.
///
/// # Errors
/// `Format` when `order` is missing or not a permutation of the chunk's dimensions.
pub fn bind(configuration: &Configuration<'_>, decoded: &ChunkRepresentation) -> Result<Codec> {
    let rank = decoded.shape.len();
    let order = order(configuration, rank)?;
    if order.len() != rank {
        let actual = format!("{} dimensions in order", order.len());
        return Err(wrong_value("order", format!("{rank} dimensions"), actual));
    }
    let shape = order.iter().filter_map(|&dimension| decoded.shape.get(dimension).copied()).collect();
    let encoded = ChunkRepresentation { shape, ..decoded.clone() };
    let decoded_shape = decoded.shape.clone();
    Ok(Codec::array_to_array(Transpose { decoded_shape, encoded, order }))
}

fn order(configuration: &Configuration<'_>, rank: usize) -> Result<Vec<usize>> {
    if configuration.json("order").is_some_and(|json| json.str().is_ok()) {
        let reversed = configuration.choice("order", &[("C", false), ("F", true)])?;
        return Ok(if reversed == Some(true) { (0..rank).rev().collect() } else { (0..rank).collect() });
    }
    permutation(&configuration.required("order", configuration.sizes("order")?)?)
}

fn permutation(order: &[u64]) -> Result<Vec<usize>> {
    let mut seen = vec![false; order.len()];
    let mut narrowed = Vec::with_capacity(order.len());
    for &dimension in order {
        let found = usize::try_from(dimension).ok().and_then(|idx| Some((idx, seen.get_mut(idx)?)));
        match found {
            Some((idx, seen)) if !*seen => {
                *seen = true;
                narrowed.push(idx);
            }
            _ => return Err(wrong_value("order", "each dimension once", format!("{order:?}"))),
        }
    }
    Ok(narrowed)
}

impl ArrayToArray for Transpose {
    fn encoded(&self) -> &ChunkRepresentation {
        &self.encoded
    }

    fn permutation(&self) -> Option<&[usize]> {
        Some(&self.order)
    }

    fn decode(&self, encoded: ArrayBytes) -> Result<ArrayBytes> {
        self.transpose(encoded, Direction::Decode)
    }

    fn encode(&self, decoded: ArrayBytes) -> Result<ArrayBytes> {
        self.transpose(decoded, Direction::Encode)
    }
}

impl Transpose {
    fn transpose(&self, elements: ArrayBytes, direction: Direction) -> Result<ArrayBytes> {
        if self.order.iter().is_sorted() {
            return Ok(elements);
        }
        Ok(match elements {
            ArrayBytes::Fixed(bytes) => {
                let size = self.encoded.data_type.size();
                let size = size.ok_or_else(|| {
                    Error::unsupported("transpose got packed elements of a data type of variable length")
                })?;
                ArrayBytes::Fixed(self.gather(&bytes, size, direction)?)
            }
            ArrayBytes::Variable(elements) => {
                ArrayBytes::Variable(self.gather_variable(&elements, direction)?)
            }
        })
    }

    fn gather(&self, from: &[u8], element_size: usize, direction: Direction) -> Result<Vec<u8>> {
        let expected = limits::product([self.encoded.element_count()?, element_size as u64], "chunk")?;
        check_decoded_len(from, expected)?;
        let mut to = limits::zeroed(expected, limits::CHUNK_BYTES, "chunk")?;
        let dims = self.dims(element_size, direction)?;
        let plan = Strided { element_size, src_offset: 0, dst_offset: 0, dims: &dims };
        scatter(from, &mut to, &plan).map_err(|_| Error::format("the chunk is shorter than its shape"))?;
        Ok(to)
    }

    /// Permutes the indices of the elements, then copies the elements in that order.
    fn gather_variable(&self, from: &VariableBytes, direction: Direction) -> Result<VariableBytes> {
        let count =
            u32::try_from(from.len()).map_err(|_| Error::limit("the chunk has more than 2^32 elements"))?;
        let mut numbers = Vec::new();
        limits::reserve(&mut numbers, from.len().saturating_mul(4), "chunk")?;
        numbers.extend((0..count).flat_map(u32::to_le_bytes));
        let numbers = self.gather(&numbers, 4, direction)?;
        let mut to = VariableBytes::new();
        limits::reserve(&mut to.offsets, from.len(), "chunk")?;
        limits::reserve(&mut to.bytes, from.bytes.len(), "chunk")?;
        for number in numbers.as_chunks::<4>().0 {
            to.push(from.get(u32::from_le_bytes(*number) as usize).unwrap_or_default())?;
        }
        Ok(to)
    }

    /// The loops of the copy, one for each encoded dimension.
    #[allow(clippy::indexing_slicing, reason = "`order` is a permutation of the dimensions")]
    fn dims(&self, element_size: usize, direction: Direction) -> Result<Vec<Dim>> {
        let decoded_strides = c_strides(&self.decoded_shape, element_size)?;
        let encoded_strides = c_strides(&self.encoded.shape, element_size)?;
        let mut dims = Vec::with_capacity(self.order.len());
        let encoded_dimensions = self.encoded.shape.iter().zip(encoded_strides);
        for (&dimension, (count, encoded)) in self.order.iter().zip(encoded_dimensions) {
            let count = limits::to_usize(*count, "chunk")?;
            let decoded = signed_stride(decoded_strides[dimension])?;
            let encoded = signed_stride(encoded)?;
            dims.push(match direction {
                Direction::Decode => Dim { count, src_stride: encoded, dst_stride: decoded },
                Direction::Encode => Dim { count, src_stride: decoded, dst_stride: encoded },
            });
        }
        Ok(dims)
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
#[allow(clippy::unwrap_used, clippy::cast_possible_truncation)]
mod tests {
    use std::rc::Rc;

    use super::*;
    use crate::error::ErrorKind;
    use crate::format::codec::testing;
    use crate::format::data_type::{DataType, Integer};

    fn bound(configuration: &str, shape: &[u64]) -> Result<Rc<dyn ArrayToArray>> {
        let chunk = testing::chunk(shape, DataType::Integer(Integer::Uint16));
        testing::array_to_array(&testing::metadata("transpose", configuration), &chunk)
    }

    #[test]
    fn order_gives_the_decoded_dimension_of_each_encoded_one() {
        let codec = bound(r#"{"order": [2, 0, 1]}"#, &[2, 3, 4]).unwrap();
        assert_eq!(codec.encoded().shape, [4, 2, 3]);
        assert_eq!(codec.permutation(), Some(&[2, 0, 1][..]));
        let decoded: Vec<u8> = (0..24_u16).flat_map(u16::to_le_bytes).collect();
        let encoded = codec.encode(ArrayBytes::Fixed(decoded.clone())).unwrap();
        // Specification: element (k, i, j) of the encoded chunk is element (i, j, k) of the decoded
        // one.
        let mut expected = Vec::new();
        for (k, i, j) in (0..4).flat_map(|k| (0..2).flat_map(move |i| (0..3).map(move |j| (k, i, j)))) {
            expected.extend_from_slice(&(i * 12 + j * 4 + k as u16).to_le_bytes());
        }
        assert_eq!(encoded, ArrayBytes::Fixed(expected));
        assert_eq!(codec.decode(encoded).unwrap(), ArrayBytes::Fixed(decoded));
    }

    #[test]
    fn elements_of_variable_length_are_transposed() {
        let codec = bound(r#"{"order": [1, 0]}"#, &[2, 3]).unwrap();
        let variable = |words: [&str; 6]| {
            let mut elements = VariableBytes::new();
            words.iter().for_each(|word| elements.push(word.as_bytes()).unwrap());
            ArrayBytes::Variable(elements)
        };
        let decoded = variable(["a", "bb", "", "dddd", "e", "ff"]);
        let encoded = variable(["a", "dddd", "bb", "e", "", "ff"]);
        assert_eq!(codec.encode(decoded.clone()).unwrap(), encoded);
        assert_eq!(codec.decode(encoded).unwrap(), decoded);
    }

    #[test]
    fn the_orders_of_drafts_are_read() {
        let order = |text: &str| bound(text, &[2, 3, 4]).unwrap().permutation().map(<[usize]>::to_vec);
        assert_eq!(order(r#"{"order": "F"}"#), Some(vec![2, 1, 0]));
        assert_eq!(order(r#"{"order": "C"}"#), Some(vec![0, 1, 2]));
    }

    #[test]
    fn chunks_without_elements_or_dimensions_are_accepted() {
        let nothing = ArrayBytes::Fixed(Vec::new());
        assert_eq!(bound(r#"{"order": [1, 0]}"#, &[0, 3]).unwrap().decode(nothing.clone()).unwrap(), nothing);
        let scalar = ArrayBytes::Fixed(vec![7, 7]);
        assert_eq!(bound(r#"{"order": []}"#, &[]).unwrap().decode(scalar.clone()).unwrap(), scalar);
    }

    #[test]
    fn an_order_that_is_no_permutation_is_refused() {
        for configuration in [
            r#"{"order": [0, 0]}"#,
            r#"{"order": [1, 2]}"#,
            r#"{"order": [0]}"#,
            r#"{"order": [0, 1, 2]}"#,
            r#"{"order": [0, -1]}"#,
            r#"{"order": "A"}"#,
            r#"{"order": null}"#,
            "{}",
        ] {
            let error = bound(configuration, &[2, 2]).err().unwrap();
            assert_eq!(error.kind(), ErrorKind::Format, "{configuration}");
            let field = error.context().field.clone().unwrap_or_default();
            assert!(field.contains("configuration.order"), "{configuration}: {field}");
        }
    }

    #[test]
    fn a_chunk_of_another_length_is_refused() {
        let codec = bound(r#"{"order": [1, 0]}"#, &[2, 3]).unwrap();
        for len in [0, 11, 13] {
            let error = codec.decode(ArrayBytes::Fixed(vec![0; len])).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Format, "{len}");
        }
    }
}
