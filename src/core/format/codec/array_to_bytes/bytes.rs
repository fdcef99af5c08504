//! `bytes`: the elements of a chunk, packed in C order, in either byte order.
//! <https://zarr-specs.readthedocs.io/en/latest/v3/codecs/bytes/index.html>
//!
//! Until May 2023 its name was `endian`. Under that name `endian` may be missing and is then
//! little, as in the draft. Types of variable length have other codecs.

use crate::error::{Error, Result};
use crate::format::codec::configuration::Configuration;
use crate::format::codec::{ArrayBytes, ArrayToBytes, ChunkRepresentation, Codec, Packed, check_decoded_len};
use crate::format::data_type::{DataType, Endian, run};
use crate::limits;

struct BytesCodec {
    element_size: usize,
    byte_len: u64,
    packed: Packed,
}

/// Binds the codec. Its configuration: `endian`, which may be missing where elements have one byte.
///
/// # Errors
/// `Format` unless `endian` is `"little"` or `"big"`, and for elements of variable length.
pub fn bind(configuration: &Configuration<'_>, decoded: &ChunkRepresentation) -> Result<Codec> {
    let endian = configuration.choice("endian", &Endian::NAMES)?;
    let assumed = (configuration.codec().name == "endian").then_some(Endian::Little);
    let data_type = &decoded.data_type;
    let has_packed_form = !matches!(data_type, DataType::Optional(_));
    let (Some(element_size), Some(byte_len), true) = (data_type.size(), decoded.byte_len()?, has_packed_form)
    else {
        let error = Error::format("the bytes codec encodes data types of a fixed size only");
        return Err(error.actual(data_type.name()));
    };
    let swap = match endian.or(assumed) {
        Some(Endian::Little) => Vec::new(),
        Some(Endian::Big) => data_type.swap_runs(),
        None => data_type.own_big_endian_runs().ok_or_else(|| {
            Error::format("the codec's configuration lacks a field that this data type needs")
                .in_field("endian")
        })?,
    };
    let packed = Packed { swap, narrow: data_type.narrow_runs() };
    Ok(Codec::array_to_bytes(BytesCodec { element_size, byte_len, packed }))
}

impl BytesCodec {
    /// Copies the elements after a check of their length.
    fn copy(&self, bytes: &[u8]) -> Result<Vec<u8>> {
        check_decoded_len(bytes, self.byte_len)?;
        let mut copy = Vec::new();
        limits::reserve(&mut copy, bytes.len(), "chunk")?;
        copy.extend_from_slice(bytes);
        Ok(copy)
    }
}

impl ArrayToBytes for BytesCodec {
    fn encoded_len(&self) -> Option<u64> {
        Some(self.byte_len)
    }

    fn decode(&self, encoded: &[u8]) -> Result<ArrayBytes> {
        let mut elements = self.copy(encoded)?;
        self.packed.decode_in_place(&mut elements, self.element_size);
        Ok(ArrayBytes::Fixed(elements))
    }

    fn encode(&self, decoded: &ArrayBytes) -> Result<Vec<u8>> {
        let mut bytes = self.copy(decoded.fixed()?)?;
        run::swap_all(&mut bytes, self.element_size, &self.packed.swap);
        Ok(bytes)
    }

    fn packed(&self) -> Option<Packed> {
        Some(self.packed.clone())
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::rc::Rc;

    use super::*;
    use crate::error::ErrorKind;
    use crate::format::codec::testing;
    use crate::format::data_type::{Float, Integer};
    use crate::format::metadata::CodecMetadata;

    fn bound(name: &str, configuration: Option<&str>, data_type: DataType) -> Result<Rc<dyn ArrayToBytes>> {
        let configuration = configuration.map(str::to_owned);
        let codec = CodecMetadata { configuration, ..testing::metadata(name, "") };
        testing::array_to_bytes(&codec, &testing::chunk(&[2], data_type))
    }

    const FLOAT32: DataType = DataType::Float(Float::Float32);

    #[test]
    fn decoded_elements_are_little_endian_in_either_stored_order() {
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
    fn numbers_of_several_bytes_need_a_byte_order() {
        assert!(bound("bytes", None, DataType::Bool).is_ok());
        let error = bound("bytes", Some("{}"), FLOAT32).err().unwrap();
        assert_eq!(error.kind(), ErrorKind::Format);
        assert_eq!(error.context().field.as_deref(), Some("codecs[0].configuration.endian"));
        let error = bound("bytes", Some(r#"{"endian": "middle"}"#), FLOAT32).err().unwrap();
        assert_eq!(error.context().field.as_deref(), Some("codecs[0].configuration.endian"));
        let old = bound("endian", None, FLOAT32).unwrap();
        assert_eq!(old.packed(), Some(Packed { swap: Vec::new(), narrow: Vec::new() }));
    }

    #[test]
    fn unused_bits_of_narrow_numbers_are_ignored() {
        let codec = bound("bytes", None, DataType::Integer(Integer::Int4)).unwrap();
        assert_eq!(codec.decode(&[0x78, 0xf7]).unwrap(), ArrayBytes::Fixed(vec![0xf8, 0x07]));
        let codec = bound("bytes", None, DataType::Complex(Float::Float4E2M1Fn)).unwrap();
        assert_eq!(codec.decode(&[0x78, 0xf7, 0x10, 0x1f]).unwrap(), ArrayBytes::Fixed(vec![8, 7, 0, 15]));
        assert_eq!(codec.encode(&ArrayBytes::Fixed(vec![8, 7, 0, 15])).unwrap(), [8, 7, 0, 15]);
    }

    #[test]
    fn types_of_variable_length_are_refused_by_name() {
        for data_type in [DataType::String, DataType::Optional(Box::new(DataType::Bool))] {
            let name = data_type.name().into_owned();
            let error = bound("bytes", None, data_type).err().unwrap();
            assert_eq!(error.kind(), ErrorKind::Format);
            assert!(error.to_string().contains(&name), "{error}");
        }
    }

    #[test]
    fn a_wrong_length_is_an_error_with_both_lengths() {
        let codec = bound("bytes", Some(r#"{"endian": "big"}"#), FLOAT32).unwrap();
        for len in [0, 7, 9, 16] {
            let error = codec.decode(&vec![0; len]).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Format);
            assert_eq!(error.context().expected.as_deref(), Some("8 bytes"));
            assert_eq!(error.context().actual, Some(format!("{len} bytes")));
        }
    }
}
