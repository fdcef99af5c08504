//! `packbits`: packs elements to a few bits each, from the lowest bit of the first byte on.
//! <https://github.com/zarr-developers/zarr-extensions/tree/main/codecs/packbits>
//!
//! numcodecs' `packbits` is another codec: it packs from the highest bit, although the
//! specification calls the two compatible.

use crate::error::{Error, Result};
use crate::format::codec::configuration::{Configuration, wrong_value};
use crate::format::codec::{ArrayBytes, ArrayToBytes, ChunkRepresentation, Codec, check_decoded_len};
use crate::format::data_type::{DataType, Run};
use crate::limits;

/// The position of the byte that counts padding bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PaddingEncoding {
    None,
    FirstByte,
    LastByte,
}

struct PackBits {
    component: Run,
    first_bit: u32,
    /// The number of stored bits of each component.
    kept: u32,
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
    let padding_encoding = configuration.choice("padding_encoding", &choices)?;
    let (first_bit, last_bit) = (bit(configuration, "first_bit")?, bit(configuration, "last_bit")?);
    if let Some(last) = last_bit.filter(|&last| last < first_bit.unwrap_or(0)) {
        return Err(wrong_value("last_bit", format!("at least first_bit, {}", first_bit.unwrap_or(0)), last));
    }
    let padding_encoding = padding_encoding.unwrap_or(PaddingEncoding::None);
    let name = decoded.data_type.name();
    let component = component(&decoded.data_type)
        .ok_or_else(|| Error::unsupported(format!("packbits does not support the data type {name}")))?;
    let (first_bit, last_bit) = (first_bit.unwrap_or(0), last_bit.unwrap_or(component.bits - 1));
    if last_bit >= component.bits || last_bit < first_bit {
        let expected = format!("bits of {name}, 0 to {}", component.bits - 1);
        return Err(wrong_value("last_bit", expected, format!("{first_bit} to {last_bit}")));
    }
    let byte_len = decoded.byte_len()?.unwrap_or(0);
    let kept = last_bit - first_bit + 1;
    let count = byte_len.checked_div(component.width as u64).unwrap_or(0);
    let bits = limits::product([count, u64::from(kept)], "chunk")?;
    let codec = PackBits { component, first_bit, kept, byte_len, bits, padding_encoding };
    Ok(Codec::array_to_bytes(codec))
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

    /// The packed bits without the count of padding bits.
    fn split<'a>(&self, encoded: &'a [u8]) -> Result<&'a [u8]> {
        check_decoded_len(encoded, self.packed_len())?;
        let parts = match self.padding_encoding {
            PaddingEncoding::None => None,
            PaddingEncoding::FirstByte => encoded.split_first(),
            PaddingEncoding::LastByte => encoded.split_last(),
        };
        match parts {
            Some((padding, _)) if *padding != self.padding() => {
                Err(Error::format("the number of padding bits does not fit the chunk")
                    .expected(self.padding().to_string())
                    .actual(padding.to_string()))
            }
            Some((_, packed)) => Ok(packed),
            None => Ok(encoded),
        }
    }

    /// Moves the stored bits to their position and restores the bits above them.
    #[allow(clippy::arithmetic_side_effects, reason = "a number has 1 to 64 bits, of which 1 to 64 are kept")]
    fn component(&self, stored: u64) -> u64 {
        let above = u64::BITS - self.kept;
        let high = stored << above;
        let extended =
            if self.component.signed { (high.cast_signed() >> above).cast_unsigned() } else { stored };
        extended << self.first_bit
    }
}

impl ArrayToBytes for PackBits {
    fn encoded_len(&self) -> Option<u64> {
        Some(self.packed_len())
    }

    #[allow(
        clippy::arithmetic_side_effects,
        clippy::indexing_slicing,
        reason = "a number has 1 to 64 bits, of which 1 to 64 are kept"
    )]
    fn decode(&self, encoded: &[u8]) -> Result<ArrayBytes> {
        let packed = self.split(encoded)?;
        let mut elements = limits::zeroed(self.byte_len, limits::CHUNK_BYTES, "chunk")?;
        let mut bytes = packed.iter();
        // At most 63 bits are pending when 64 more are added.
        let (mut waiting, mut count) = (0_u128, 0);
        for component in elements.chunks_exact_mut(self.component.width) {
            while count < self.kept {
                waiting |= u128::from(bytes.next().copied().unwrap_or(0)) << count;
                count += 8;
            }
            let stored = waiting & ((1 << self.kept) - 1);
            (waiting, count) = (waiting >> self.kept, count - self.kept);
            let value = self.component(u64::try_from(stored).unwrap_or(0)).to_le_bytes();
            component.copy_from_slice(&value[..component.len()]);
        }
        Ok(ArrayBytes::Fixed(elements))
    }

    #[allow(
        clippy::arithmetic_side_effects,
        clippy::indexing_slicing,
        reason = "a number has 1 to 64 bits, of which 1 to 64 are kept"
    )]
    fn encode(&self, decoded: &ArrayBytes) -> Result<Vec<u8>> {
        let elements = decoded.fixed()?;
        check_decoded_len(elements, self.byte_len)?;
        let mut encoded = Vec::new();
        limits::reserve(
            &mut encoded,
            limits::to_usize(self.packed_len(), "encoded chunk")?,
            "encoded chunk",
        )?;
        if self.padding_encoding == PaddingEncoding::FirstByte {
            encoded.push(self.padding());
        }
        let (mut waiting, mut count) = (0_u128, 0);
        for component in elements.chunks_exact(self.component.width) {
            let mut value = [0; 8];
            value[..component.len()].copy_from_slice(component);
            let stored = u128::from(u64::from_le_bytes(value)) >> self.first_bit & ((1 << self.kept) - 1);
            waiting |= stored << count;
            count += self.kept;
            while count >= 8 {
                encoded.push(waiting.to_le_bytes()[0]);
                (waiting, count) = (waiting >> 8, count - 8);
            }
        }
        if count > 0 {
            encoded.push(waiting.to_le_bytes()[0]);
        }
        if self.padding_encoding == PaddingEncoding::LastByte {
            encoded.push(self.padding());
        }
        Ok(encoded)
    }
}
