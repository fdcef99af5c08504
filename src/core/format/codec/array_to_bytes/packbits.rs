//! `packbits`: packs elements to a few bits each, from the lowest bit of the first byte on.
//! <https://github.com/zarr-developers/zarr-extensions/tree/main/codecs/packbits>
//!
//! numcodecs' `packbits` is another codec: it packs from the highest bit, although the
//! specification calls the two compatible.

use crate::error::{Error, Result};
use crate::format::codec::configuration::{Configuration, wrong_value};
use crate::format::codec::{
    ArrayBytes, ArrayToBytes, ChunkRepresentation, Codec, check_decoded_len, not_of_this_type,
};
use crate::format::data_type::{DataType, Run};
use crate::kernel::packbits::{KeptBits, pack, unpack};
use crate::limits;

/// The position of the byte that counts padding bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PaddingEncoding {
    None,
    FirstByte,
    LastByte,
}

struct PackBits {
    /// The stored bits of each number.
    kept: KeptBits,
    byte_len: u64,
    /// The number of bits of the whole chunk.
    bits: u64,
    padding_encoding: PaddingEncoding,
}

/// Binds the codec. Its configuration: `padding_encoding`, `first_bit`, `last_bit`.
///
/// # Errors
/// `Format` for an unknown padding encoding, and for bits that do not exist or are in the wrong
/// order, `Unsupported` for data types without numbers.
#[allow(
    clippy::arithmetic_side_effects,
    reason = "a number has 1 to 64 bits, and the last bit is not before the first"
)]
pub fn bind(configuration: &Configuration<'_>, decoded: &ChunkRepresentation) -> Result<Codec> {
    let choices = [
        ("none", PaddingEncoding::None),
        ("first_byte", PaddingEncoding::FirstByte),
        ("last_byte", PaddingEncoding::LastByte),
    ];
    let padding_encoding =
        configuration.choice("padding_encoding", &choices)?.unwrap_or(PaddingEncoding::None);
    let (first_bit, last_bit) = (bit(configuration, "first_bit")?, bit(configuration, "last_bit")?);
    let name = decoded.data_type.name();
    let component =
        component(&decoded.data_type).ok_or_else(|| not_of_this_type("packbits", &decoded.data_type))?;
    let (first_bit, last_bit) = (first_bit.unwrap_or(0), last_bit.unwrap_or(component.bits - 1));
    if last_bit >= component.bits || last_bit < first_bit {
        let expected = format!("bits of {name}, 0 to {}", component.bits - 1);
        return Err(wrong_value("last_bit", expected, format!("{first_bit} to {last_bit}")));
    }
    let byte_len = decoded.byte_len()?.unwrap_or(0);
    let Run { width, signed, .. } = component;
    let kept = KeptBits { width, first: first_bit, kept: last_bit - first_bit + 1, signed };
    let count = byte_len.checked_div(width as u64).unwrap_or(0);
    let bits = limits::product([count, u64::from(kept.kept)], "chunk")?;
    Ok(Codec::array_to_bytes(PackBits { kept, byte_len, bits, padding_encoding }))
}

/// Reads a bit number. The specification allows `null` for an absent value here.
fn bit(configuration: &Configuration<'_>, field: &str) -> Result<Option<u32>> {
    if configuration.json(field).is_some_and(|json| json.is_null()) {
        return Ok(None);
    }
    let bit = configuration.integer(field, 0..=63)?;
    Ok(bit.and_then(|bit| u32::try_from(bit).ok()))
}

/// The one or two numbers of an element, which are packed separately. `None` for types without
/// numbers.
fn component(data_type: &DataType) -> Option<Run> {
    match (data_type, data_type.runs().as_slice()) {
        (DataType::Bool, _) => Some(Run { bits: 1, ..Run::of(1, 1) }),
        (DataType::Integer(_) | DataType::Float(_) | DataType::Complex(_), [run]) => {
            let signed = matches!(data_type, DataType::Integer(integer) if integer.is_signed());
            Some(Run { signed, ..*run })
        }
        _ => None,
    }
}

impl PackBits {
    /// The number of padding bits in the last byte.
    fn padding(&self) -> u8 {
        u8::try_from(self.bits.wrapping_neg() % 8).unwrap_or(0)
    }

    #[allow(clippy::arithmetic_side_effects, reason = "an eighth of 64 bits, and one")]
    fn packed_len(&self) -> u64 {
        self.bits.div_ceil(8) + u64::from(self.padding_encoding != PaddingEncoding::None)
    }

    /// The number of padding bits and the packed bits. Without a count of them it is right.
    fn split<'a>(&self, encoded: &'a [u8]) -> (u8, &'a [u8]) {
        let parts = match self.padding_encoding {
            PaddingEncoding::None => None,
            PaddingEncoding::FirstByte => encoded.split_first(),
            PaddingEncoding::LastByte => encoded.split_last(),
        };
        parts.map_or((self.padding(), encoded), |(padding, packed)| (*padding, packed))
    }
}

impl ArrayToBytes for PackBits {
    fn encoded_len(&self) -> Option<u64> {
        Some(self.packed_len())
    }

    fn decode(&self, encoded: &[u8]) -> Result<ArrayBytes> {
        check_decoded_len(encoded, self.packed_len())?;
        let (padding, packed) = self.split(encoded);
        if padding != self.padding() {
            return Err(Error::format("the number of padding bits does not fit the chunk")
                .expected(self.padding().to_string())
                .actual(padding.to_string()));
        }
        let mut elements = limits::zeroed(self.byte_len, limits::CHUNK_BYTES, "chunk")?;
        unpack(packed, self.kept, &mut elements);
        Ok(ArrayBytes::Fixed(elements))
    }

    fn encode(&self, decoded: &ArrayBytes) -> Result<Vec<u8>> {
        let elements = decoded.fixed()?;
        check_decoded_len(elements, self.byte_len)?;
        let mut encoded = limits::zeroed(self.packed_len(), limits::CHUNK_BYTES, "encoded chunk")?;
        let parts = match self.padding_encoding {
            PaddingEncoding::None => None,
            PaddingEncoding::FirstByte => encoded.split_first_mut(),
            PaddingEncoding::LastByte => encoded.split_last_mut(),
        };
        match parts {
            None => pack(elements, self.kept, &mut encoded),
            Some((padding, packed)) => {
                *padding = self.padding();
                pack(elements, self.kept, packed);
            }
        }
        Ok(encoded)
    }
}
