//! `zarrs.optional`: a mask tells which elements have a value; the values are stored separately.
//! Experimental, from zarrs. <https://codec.zarrs.dev/array_to_bytes/optional>
//!
//! The bytes are two lengths (64-bit, little-endian), the mask and the values. Mask and values have
//! a chain of codecs each; the values are an array of one dimension. In memory an element is a
//! byte, 1 or 0, and its value: see [`data_type`](crate::format::data_type).

use std::task::{Poll, ready};

use crate::error::{Error, Result};
use crate::format::codec::array_bytes::VariableBytes;
use crate::format::codec::configuration::Configuration;
use crate::format::codec::pipeline::Pipeline;
use crate::format::codec::sharding::codec_list;
use crate::format::codec::user::{BindResult, CodecCalls, OptionalUserCodecs, Unbound, without_user_codecs};
use crate::format::codec::{
    ArrayBytes, ArrayToBytes, ChunkRepresentation, Codec, PollArrayToBytes, wrong_decoded_len,
};
use crate::format::data_type::{DataType, FillValue};
use crate::format::metadata::CodecMetadata;
use crate::limits;

/// The bytes of both lengths.
const HEADER: usize = 16;

/// The numbers of both chains, by which [`CodecCalls`] tells them apart.
const MASK: usize = 0;
const VALUES: usize = 1;

struct Optional {
    /// The number of elements of a chunk.
    count: usize,
    mask: Pipeline,
    data_codecs: Vec<CodecMetadata>,
    users: OptionalUserCodecs,
    value_type: DataType,
    has_user_codecs: bool,
}

/// Binds the codec. Its configuration: `mask_codecs` and `data_codecs`.
///
/// # Errors
/// `Format` for elements that are not optional, and as [`Pipeline::bind_with`].
pub fn bind(configuration: &Configuration<'_>, decoded: &ChunkRepresentation) -> BindResult<Codec> {
    let (mask_codecs, data_codecs) =
        (codec_list(configuration, "mask_codecs")?, codec_list(configuration, "data_codecs")?);
    let users = configuration.users().clone();
    let DataType::Optional(value_type) = &decoded.data_type else {
        let error = Error::format("zarrs.optional encodes optional elements only");
        return Err(error.actual(decoded.data_type.name()).into());
    };
    let mask = ChunkRepresentation {
        shape: decoded.shape.clone(),
        data_type: DataType::Bool,
        fill_value: FillValue(vec![0]),
    };
    let count = limits::within(decoded.element_count()?, limits::CHUNK_BYTES, "elements of a chunk")?;
    let mask = Pipeline::bind_with(&mask_codecs, mask, &users)?;
    let (value_type, has_user_codecs) = ((**value_type).clone(), mask.has_user_codecs());
    let mut codec = Optional { count, mask, data_codecs, users, value_type, has_user_codecs };
    // Errors in the chain of the values come now, not at the first chunk.
    codec.has_user_codecs |= codec.values(count.max(1))?.has_user_codecs();
    Ok(Codec::array_to_bytes(codec))
}

impl Optional {
    /// The chain for `count` values.
    fn values(&self, count: usize) -> BindResult<Pipeline> {
        let values = ChunkRepresentation {
            shape: vec![count as u64],
            data_type: self.value_type.clone(),
            fill_value: FillValue::zero(&self.value_type),
        };
        Pipeline::bind_with(&self.data_codecs, values, &self.users)
    }

    /// Whether each element has a value, in C order.
    fn decode_mask(&self, encoded: &[u8], calls: &mut CodecCalls) -> Poll<Result<Vec<bool>>> {
        let mask = calls.within(MASK, |calls| self.mask.poll_decode_all(encoded, calls));
        let mask = ready!(mask)?.into_fixed()?;
        if mask.len() == self.count {
            Poll::Ready(Ok(mask.into_iter().map(|byte| byte != 0).collect()))
        } else {
            Poll::Ready(Err(wrong_mask()))
        }
    }

    /// The values, in the order of the elements that have one.
    fn decode_values(
        &self,
        encoded: &[u8],
        count: usize,
        calls: &mut CodecCalls,
    ) -> Poll<Result<ArrayBytes>> {
        if count == 0 {
            return Poll::Ready(Ok(match self.value_type.size() {
                Some(_) => ArrayBytes::Fixed(Vec::new()),
                None => ArrayBytes::Variable(VariableBytes::new()),
            }));
        }
        let values = self.values(count).map_err(Unbound::into_error)?;
        calls.within(VALUES, |calls| values.poll_decode_all(encoded, calls))
    }

    fn encode_values(
        &self,
        values: ArrayBytes,
        count: usize,
        calls: &mut CodecCalls,
    ) -> Poll<Result<Vec<u8>>> {
        if count == 0 {
            return Poll::Ready(Ok(Vec::new()));
        }
        let chain = self.values(count).map_err(Unbound::into_error)?;
        calls.within(VALUES, |calls| chain.poll_encode(values, calls))
    }
}

impl ArrayToBytes for Optional {
    fn decode(&self, encoded: &[u8]) -> Result<ArrayBytes> {
        without_user_codecs(|calls| self.poll_decode(encoded, calls))
    }

    fn encode(&self, decoded: &ArrayBytes) -> Result<Vec<u8>> {
        without_user_codecs(|calls| self.poll_encode(decoded, calls))
    }

    fn with_user_codecs(&self) -> Option<&dyn PollArrayToBytes> {
        self.has_user_codecs.then_some(self as &dyn PollArrayToBytes)
    }
}

impl PollArrayToBytes for Optional {
    fn poll_decode(&self, encoded: &[u8], calls: &mut CodecCalls) -> Poll<Result<ArrayBytes>> {
        let (mask, values) = split(encoded)?;
        let mask = ready!(self.decode_mask(mask, calls))?;
        let count = mask.iter().filter(|has_value| **has_value).count();
        let elements = match ready!(self.decode_values(values, count, calls))? {
            ArrayBytes::Fixed(values) => spread_fixed(&mask, &values, self.value_type.size().unwrap_or(0)),
            ArrayBytes::Variable(values) => spread_variable(&mask, &values),
        };
        Poll::Ready(elements)
    }

    fn poll_encode(&self, decoded: &ArrayBytes, calls: &mut CodecCalls) -> Poll<Result<Vec<u8>>> {
        let (mask, values) = match decoded {
            ArrayBytes::Fixed(elements) => {
                gather_fixed(elements, self.value_type.size().unwrap_or(0).saturating_add(1))
            }
            ArrayBytes::Variable(elements) => gather_variable(elements)?,
        };
        if mask.len() != self.count {
            return Poll::Ready(Err(Error::argument("the chunk has the wrong number of elements")));
        }
        let count = mask.iter().filter(|byte| **byte != 0).count();
        let mask = calls.within(MASK, |calls| self.mask.poll_encode(ArrayBytes::Fixed(mask), calls));
        let values = self.encode_values(values, count, calls);
        let (mask, values) = (ready!(mask)?, ready!(values)?);
        let lens = [mask.len() as u64, values.len() as u64].map(u64::to_le_bytes);
        Poll::Ready(Ok([lens.concat(), mask, values].concat()))
    }
}

/// Splits the bytes into the encoded mask and the encoded values.
fn split(encoded: &[u8]) -> Result<(&[u8], &[u8])> {
    let len_at = |at: usize| {
        let bytes = encoded.get(at..).and_then(|bytes| bytes.first_chunk());
        bytes.copied().map(u64::from_le_bytes)
    };
    let (Some(mask_len), Some(values_len)) = (len_at(0), len_at(8)) else {
        return Err(wrong_decoded_len(HEADER as u64, encoded.len() as u64));
    };
    let promised = (HEADER as u64).checked_add(mask_len).and_then(|len| len.checked_add(values_len));
    let parts = usize::try_from(mask_len).ok().zip(encoded.get(HEADER..));
    match parts.and_then(|(mask_len, parts)| parts.split_at_checked(mask_len)) {
        Some(parts) if promised == Some(encoded.len() as u64) => Ok(parts),
        _ => Err(wrong_decoded_len(promised.unwrap_or(u64::MAX), encoded.len() as u64)),
    }
}

/// Builds elements of one size: a byte, then the value or zeros.
fn spread_fixed(mask: &[bool], values: &[u8], size: usize) -> Result<ArrayBytes> {
    let element_size = size.saturating_add(1);
    let len = limits::product([mask.len() as u64, element_size as u64], "chunk")?;
    let mut elements = limits::zeroed(len, limits::CHUNK_BYTES, "chunk")?;
    let mut values = values.chunks_exact(size.max(1));
    let slots = elements.chunks_exact_mut(element_size).zip(mask);
    for (element, _) in slots.filter(|(_, has_value)| **has_value) {
        let value = values.next().ok_or_else(wrong_mask)?;
        if let Some((has_value, target)) = element.split_first_mut() {
            *has_value = 1;
            target.copy_from_slice(value);
        }
    }
    Ok(ArrayBytes::Fixed(elements))
}

/// Builds elements of variable length: a byte, then the value if there is one.
fn spread_variable(mask: &[bool], values: &VariableBytes) -> Result<ArrayBytes> {
    let mut elements = VariableBytes::new();
    let mut all = (0..values.len()).map_while(|idx| values.get(idx));
    for has_value in mask {
        if !has_value {
            elements.push(&[0])?;
            continue;
        }
        let value = all.next().ok_or_else(wrong_mask)?;
        elements.push(&[&[1], value].concat())?;
    }
    Ok(ArrayBytes::Variable(elements))
}

/// Splits elements of one size into the mask and the values.
fn gather_fixed(elements: &[u8], size: usize) -> (Vec<u8>, ArrayBytes) {
    let parts = elements.chunks_exact(size).filter_map(<[u8]>::split_first);
    let mask = parts.clone().map(|(has_value, _)| *has_value).collect();
    let values = parts.filter(|(has_value, _)| **has_value != 0).flat_map(|(_, value)| value.to_vec());
    (mask, ArrayBytes::Fixed(values.collect()))
}

/// Splits elements of variable length into the mask and the values.
fn gather_variable(elements: &VariableBytes) -> Result<(Vec<u8>, ArrayBytes)> {
    let (mut mask, mut values) = (Vec::new(), VariableBytes::new());
    for (has_value, value) in (0..elements.len()).filter_map(|idx| elements.get(idx)?.split_first()) {
        mask.push(*has_value);
        if *has_value != 0 {
            values.push(value)?;
        }
    }
    Ok((mask, ArrayBytes::Variable(values)))
}

fn wrong_mask() -> Error {
    Error::format("the mask of the chunk does not fit its values")
}

#[cfg(all(test, not(target_arch = "wasm32")))]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::rc::Rc;

    use super::*;
    use crate::error::ErrorKind;
    use crate::format::codec::testing;
    use crate::format::data_type::Integer;

    fn bound(value_type: DataType, data_codecs: &str) -> Result<Rc<dyn ArrayToBytes>> {
        let configuration =
            format!(r#"{{"mask_codecs":[{{"name":"packbits"}}],"data_codecs":{data_codecs}}}"#);
        let chunk = testing::chunk(&[5], DataType::Optional(Box::new(value_type)));
        testing::array_to_bytes(&testing::metadata("zarrs.optional", &configuration), &chunk)
    }

    const BIG: &str = r#"[{"name":"bytes","configuration":{"endian":"big"}}]"#;

    #[test]
    fn values_follow_the_mask() {
        let codec = bound(DataType::Integer(Integer::Uint16), BIG).unwrap();
        let encoded =
            [vec![1, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0b10010], vec![1, 2, 3, 4]].concat();
        let elements = ArrayBytes::Fixed(vec![0, 0, 0, 1, 2, 1, 0, 0, 0, 0, 0, 0, 1, 4, 3]);
        assert_eq!(codec.decode(&encoded).unwrap(), elements);
        assert_eq!(codec.encode(&elements).unwrap(), encoded);
        let nothing = [vec![1, 0, 0, 0, 0, 0, 0, 0], vec![0; 9]].concat();
        assert_eq!(codec.decode(&nothing).unwrap(), ArrayBytes::Fixed(vec![0; 15]));
        assert_eq!(codec.encode(&ArrayBytes::Fixed(vec![0; 15])).unwrap(), nothing);
    }

    #[test]
    fn values_of_variable_length() {
        let codec = bound(DataType::String, r#"[{"name":"vlen-utf8"}]"#).unwrap();
        let mut elements = VariableBytes::new();
        for element in [b"\x01a".as_slice(), b"\0", b"\x01", b"\0", "\u{1}ü".as_bytes()] {
            elements.push(element).unwrap();
        }
        let elements = ArrayBytes::Variable(elements);
        let encoded = codec.encode(&elements).unwrap();
        assert_eq!(codec.decode(&encoded).unwrap(), elements);
    }

    #[test]
    fn hostile_bytes_are_refused() {
        let codec = bound(DataType::Integer(Integer::Uint16), BIG).unwrap();
        let header = |mask: u64, values: u64| [mask.to_le_bytes(), values.to_le_bytes()].concat();
        for encoded in [
            Vec::new(),
            vec![0; 15],
            header(1, 4),
            header(u64::MAX, 1),
            header(u64::MAX, u64::MAX),
            [header(1, 3), vec![0b11, 1, 2, 3]].concat(),
            [header(2, 0), vec![0b1, 0]].concat(),
            [header(1, 0), vec![0b1]].concat(),
        ] {
            assert_eq!(codec.decode(&encoded).unwrap_err().kind(), ErrorKind::Format, "{encoded:?}");
        }
    }

    #[test]
    fn wrong_chains_are_reported_at_binding() {
        let error = bound(DataType::String, BIG).err().unwrap();
        assert_eq!(error.kind(), ErrorKind::Format);
        assert!(error.context().field.as_deref().unwrap().contains("data_codecs[0]"), "{error}");
    }
}
