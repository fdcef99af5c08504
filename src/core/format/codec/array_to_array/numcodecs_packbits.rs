//! numcodecs' `packbits`: packs bools to bits, the first one in the **highest** bit. The first byte
//! counts the padding bits of the last byte.
//! <https://numcodecs.readthedocs.io/en/stable/filter/packbits.html>
//!
//! In a chain it is an array → array codec: the packed bytes are an array of `uint8`. The
//! registered `packbits` is another codec: array → bytes, from the lowest bit.

use crate::error::{Error, Result};
use crate::format::codec::build::require_encoders;
use crate::format::codec::configuration::Configuration;
use crate::format::codec::{ArrayBytes, ArrayToArray, ChunkRepresentation, Codec, check_decoded_len};
use crate::format::data_type::{DataType, Integer};
use crate::kernel::packbits::{pack_bools, unpack_bools};
use crate::limits;

struct NumcodecsPackBits {
    count: u64,
    representation: ChunkRepresentation,
}

/// Binds the codec. Its configuration has no fields.
///
/// # Errors
/// `Format` for elements that are not bool.
pub fn bind(_: &Configuration<'_>, decoded: &ChunkRepresentation) -> Result<Codec> {
    if decoded.data_type != DataType::Bool {
        let error = Error::format("numcodecs.packbits encodes bool only");
        return Err(error.actual(decoded.data_type.name().into_owned()));
    }
    let count = decoded.element_count()?;
    let representation = ChunkRepresentation {
        shape: vec![count.div_ceil(8).saturating_add(1)],
        data_type: DataType::Integer(Integer::Uint8),
        fill_value: decoded.fill_value.clone(),
    };
    Ok(Codec::array_to_array(NumcodecsPackBits { count, representation }))
}

impl NumcodecsPackBits {
    /// The number of padding bits in the last byte.
    fn padding(&self) -> u64 {
        self.count.wrapping_neg() % 8
    }
}

impl ArrayToArray for NumcodecsPackBits {
    fn encoded(&self) -> &ChunkRepresentation {
        &self.representation
    }

    fn decode(&self, encoded: ArrayBytes) -> Result<ArrayBytes> {
        let encoded = encoded.into_fixed()?;
        check_decoded_len(&encoded, self.representation.element_count()?)?;
        let (padding, packed) = encoded.split_first().unwrap_or((&0, &[]));
        if u64::from(*padding) != self.padding() {
            return Err(Error::format("the number of padding bits does not fit the chunk")
                .expected(self.padding().to_string())
                .actual(padding.to_string()));
        }
        let mut bools = limits::zeroed(self.count, limits::CHUNK_BYTES, "chunk")?;
        unpack_bools(packed, &mut bools);
        Ok(ArrayBytes::Fixed(bools))
    }

    fn encode(&self, decoded: ArrayBytes) -> Result<ArrayBytes> {
        require_encoders()?;
        let bools = decoded.into_fixed()?;
        check_decoded_len(&bools, self.count)?;
        let len = self.representation.element_count()?;
        let mut encoded = limits::zeroed(len, limits::CHUNK_BYTES, "encoded chunk")?;
        if let Some((padding, packed)) = encoded.split_first_mut() {
            *padding = u8::try_from(self.padding()).unwrap_or(0);
            pack_bools(&bools, packed);
        }
        Ok(ArrayBytes::Fixed(encoded))
    }
}
