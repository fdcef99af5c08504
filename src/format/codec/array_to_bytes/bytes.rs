//! `bytes`: the elements of a chunk, packed in C order, in either byte order.
//! <https://zarr-specs.readthedocs.io/en/latest/v3/codecs/bytes/index.html>
//!
//! Its name was `endian` until May 2023; under that name `endian` may be missing and is then little, as the draft said.
//! Not here: types without a fixed size, which have codecs of their own.

use crate::error::{Error, Result};
use crate::format::codec::configuration::Configuration;
use crate::format::codec::{
    ArrayBytes, ArrayToBytes, ArrayToBytesSpec, ChunkRepresentation, Packed, Spec, wrong_decoded_len,
};
use crate::kernel::swap::swap_bytes_in_place;
use crate::limits;

/// The order of the bytes within a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Endian {
    /// The lowest byte first: as elements are in memory here.
    Little,
    /// The highest byte first.
    Big,
}

/// The configuration: `endian`, which may be missing where it means nothing.
#[derive(Clone, Copy, Debug)]
struct BytesSpec {
    endian: Option<Endian>,
}

/// Reads the configuration.
///
/// # Errors
/// `Format` for anything but `endian: "little" | "big"`.
pub fn parse(configuration: &Configuration<'_>) -> Result<Spec> {
    let endian = configuration.choice("endian", &[("little", Endian::Little), ("big", Endian::Big)])?;
    let assumed = (configuration.codec().name == "endian").then_some(Endian::Little);
    Ok(Spec::ArrayToBytes(Box::new(BytesSpec { endian: endian.or(assumed) })))
}

impl ArrayToBytesSpec for BytesSpec {
    fn bind(&self, decoded: &ChunkRepresentation) -> Result<Box<dyn ArrayToBytes>> {
        let (Some(element_size), Some(byte_len)) = (decoded.data_type.size(), decoded.byte_len()?) else {
            return Err(Error::format("data type has no fixed size, which the bytes codec needs"));
        };
        let runs = decoded.data_type.swap_runs();
        let swap = match self.endian {
            Some(Endian::Little) => Vec::new(),
            Some(Endian::Big) => runs,
            None if runs.is_empty() => runs,
            None => {
                return Err(Error::format("configuration lacks a field, which this data type needs")
                    .in_field("configuration.endian"));
            }
        };
        Ok(Box::new(Bytes { element_size, byte_len, packed: Packed { swap } }))
    }
}

struct Bytes {
    element_size: usize,
    byte_len: u64,
    packed: Packed,
}

impl Bytes {
    /// A copy in the other byte order, or in the same one where that is little.
    fn swapped(&self, bytes: &[u8]) -> Result<Vec<u8>> {
        if bytes.len() as u64 != self.byte_len {
            return Err(wrong_decoded_len(self.byte_len, bytes.len() as u64));
        }
        let mut copy = Vec::new();
        limits::reserve(&mut copy, bytes.len(), "chunk")?;
        copy.extend_from_slice(bytes);
        swap_runs_in_place(&mut copy, self.element_size, &self.packed.swap);
        Ok(copy)
    }
}

impl ArrayToBytes for Bytes {
    fn encoded_len(&self) -> Option<u64> {
        Some(self.byte_len)
    }

    fn decode(&self, encoded: &[u8]) -> Result<ArrayBytes> {
        self.swapped(encoded).map(ArrayBytes::Fixed)
    }

    fn encode(&self, decoded: &ArrayBytes) -> Result<Vec<u8>> {
        self.swapped(decoded.fixed()?)
    }

    fn packed(&self) -> Option<Packed> {
        Some(self.packed.clone())
    }
}

/// Reverses these runs of bytes, as (offset, width), in every element of `buf`: what [`Packed::swap`] asks for.
pub fn swap_runs_in_place(buf: &mut [u8], element_size: usize, runs: &[(usize, usize)]) {
    let Some(&(_, width)) = runs.first() else { return };
    let tiled = runs.iter().enumerate().all(|(idx, &run)| run == (idx * width, width));
    if tiled && runs.len() * width == element_size {
        return swap_bytes_in_place(buf, width);
    }
    for element in buf.chunks_exact_mut(element_size.max(1)) {
        for &(offset, width) in runs {
            if let Some(run) = element.get_mut(offset..).and_then(|rest| rest.get_mut(..width)) {
                run.reverse();
            }
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;
    use crate::format::codec::registry;
    use crate::format::data_type::{DataType, FillValue, Float};
    use crate::format::metadata::{CodecMetadata, ZarrFormat};

    fn bound(name: &str, configuration: Option<&str>, data_type: DataType) -> Result<Box<dyn ArrayToBytes>> {
        let codec = CodecMetadata {
            name: name.into(),
            configuration: configuration.map(str::to_owned),
            format: ZarrFormat::V3,
            field: "codecs[0]".into(),
        };
        let fill_value = FillValue::zero(&data_type);
        match registry::parse(&codec)? {
            Spec::ArrayToBytes(spec) => {
                spec.bind(&ChunkRepresentation { shape: vec![2], data_type, fill_value })
            }
            other => panic!("{other:?}"),
        }
    }

    const FLOAT32: DataType = DataType::Float(Float::Float32);

    #[test]
    fn elements_are_little_endian_whatever_the_stored_order() {
        let little = [1_f32.to_le_bytes(), (-2.5_f32).to_le_bytes()].concat();
        let big = [1_f32.to_be_bytes(), (-2.5_f32).to_be_bytes()].concat();
        for (endian, stored) in [("little", &little), ("big", &big)] {
            let codec = bound("bytes", Some(&format!(r#"{{"endian": "{endian}"}}"#)), FLOAT32).unwrap();
            assert_eq!(codec.decode(stored).unwrap(), ArrayBytes::Fixed(little.clone()));
            assert_eq!(&codec.encode(&ArrayBytes::Fixed(little.clone())).unwrap(), stored);
            assert_eq!(codec.encoded_len(), Some(8));
        }
    }

    #[test]
    fn a_byte_order_is_needed_where_there_is_one() {
        assert!(bound("bytes", None, DataType::Bool).is_ok());
        let error = bound("bytes", Some("{}"), FLOAT32).err().unwrap();
        assert_eq!(error.kind(), ErrorKind::Format);
        assert_eq!(error.context().field.as_deref(), Some("configuration.endian"));
        let error = bound("bytes", Some(r#"{"endian": "middle"}"#), FLOAT32).err().unwrap();
        assert_eq!(error.context().field.as_deref(), Some("codecs[0].configuration.endian"));
        let old = bound("endian", None, FLOAT32).unwrap();
        assert_eq!(old.packed(), Some(Packed { swap: Vec::new() }));
    }

    #[test]
    fn another_length_is_an_error_with_both() {
        let codec = bound("bytes", Some(r#"{"endian": "big"}"#), FLOAT32).unwrap();
        for len in [0, 7, 9, 16] {
            let error = codec.decode(&vec![0; len]).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Format);
            assert_eq!(error.context().expected.as_deref(), Some("8 bytes"));
            assert_eq!(error.context().actual, Some(format!("{len} bytes")));
        }
    }

    #[test]
    fn runs_within_elements_are_swapped_alone() {
        let swapped = |element_size, runs: &[_]| {
            let mut bytes: Vec<u8> = (0..12).collect();
            swap_runs_in_place(&mut bytes, element_size, runs);
            bytes
        };
        assert_eq!(swapped(4, &[(0, 4)]), [3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8]);
        assert_eq!(swapped(4, &[(0, 2), (2, 2)]), [1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10]);
        assert_eq!(swapped(6, &[(1, 2), (3, 3)]), [0, 2, 1, 5, 4, 3, 6, 8, 7, 11, 10, 9]);
        assert_eq!(swapped(4, &[(2, 2)]), [0, 1, 3, 2, 4, 5, 7, 6, 8, 9, 11, 10]);
        assert_eq!(swapped(1, &[]), (0..12).collect::<Vec<u8>>());
    }
}
