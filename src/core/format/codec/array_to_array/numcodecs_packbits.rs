//! numcodecs' `packbits`: packs bools to bits, the first one in the **highest** bit. The first byte
//! counts the padding bits of the last byte.
//! <https://numcodecs.readthedocs.io/en/stable/filter/packbits.html>
//!
//! In a chain it is an array → array codec: the packed bytes are an array of `uint8`. The
//! registered `packbits` is another codec: array → bytes, from the lowest bit.

use super::filter::filter;
use crate::error::{Error, Result};
use crate::format::codec::configuration::Configuration;
use crate::format::codec::{ChunkRepresentation, Codec};
use crate::format::data_type::{DataType, Integer};
use crate::kernel::packbits::{pack_bools, unpack_bools};
use crate::limits;

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
    // The number of padding bits in the last byte.
    let unused = u8::try_from(count.wrapping_neg() % 8).unwrap_or(0);
    let len = representation.element_count()?;
    let decode = move |encoded: Vec<u8>| {
        let (padding, packed) = encoded.split_first().unwrap_or((&0, &[]));
        if *padding != unused {
            return Err(Error::format("the number of padding bits does not fit the chunk")
                .expected(unused.to_string())
                .actual(padding.to_string()));
        }
        let mut bools = limits::zeroed(count, limits::CHUNK_BYTES, "chunk")?;
        unpack_bools(packed, &mut bools);
        Ok(bools)
    };
    let encode = move |bools: Vec<u8>| {
        let mut encoded = limits::zeroed(len, limits::CHUNK_BYTES, "encoded chunk")?;
        if let Some((padding, packed)) = encoded.split_first_mut() {
            *padding = unused;
            pack_bools(&bools, packed);
        }
        Ok(encoded)
    };
    filter(decoded, representation, decode, encode)
}
