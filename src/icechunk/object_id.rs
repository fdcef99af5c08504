//! The ids of snapshots, manifests and chunks: twelve bytes, whose text names the file.
//!
//! The text is Crockford's base32 in upper case, without padding.
//! <https://www.crockford.com/base32.html>

use std::fmt::{self, Write as _};

use zarr_wasm::error::{Error, Result};

const DIGITS: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";
/// The number of digits of twelve bytes.
const LEN: usize = 20;

/// An id of twelve bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObjectId(pub [u8; 12]);

impl ObjectId {
    /// Parses the text of an id.
    ///
    /// # Errors
    /// `Argument` for any other text.
    #[allow(
        clippy::cast_possible_truncation,
        reason = "a digit has five bits, and the rest of a byte fewer than 32"
    )]
    pub fn parse(text: &str) -> Result<Self> {
        let (mut id, mut bits, mut held, mut at) = ([0; 12], 0_u32, 0_u32, 0);
        for digit in text.bytes() {
            let value = DIGITS.iter().position(|known| *known == digit).ok_or_else(|| wrong(text))?;
            bits = bits << 5 | value as u32;
            held = held.saturating_add(5);
            if let Some(rest) = held.checked_sub(8) {
                *id.get_mut(at).ok_or_else(|| wrong(text))? = (bits >> rest) as u8;
                (held, at) = (rest, at.saturating_add(1));
                bits &= (1_u32 << rest).saturating_sub(1);
            }
        }
        // The last digit has four bits more than twelve bytes.
        if text.len() == LEN && bits == 0 { Ok(Self(id)) } else { Err(wrong(text)) }
    }
}

fn wrong(text: &str) -> Error {
    Error::argument("not the id of an Icechunk object").actual(text)
}

impl fmt::Display for ObjectId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (mut bits, mut held) = (0_u32, 0_u32);
        // Zeros follow the last byte.
        for byte in self.0.iter().chain(&[0]) {
            bits = bits << 8 | u32::from(*byte);
            held = held.saturating_add(8);
            while let Some(rest) = held.checked_sub(5) {
                let digit = DIGITS.get((bits >> rest & 31) as usize).copied().unwrap_or_default();
                f.write_char(char::from(digit))?;
                held = rest;
            }
        }
        Ok(())
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn ids_have_the_text_of_the_specification() {
        let id = ObjectId([0x0b, 0x1c, 0xc8, 0xd6, 0x78, 0x75, 0x80, 0xf0, 0xe3, 0x3a, 0x65, 0x34]);
        assert_eq!(id.to_string(), "1CECHNKREP0F1RSTCMT0");
        assert_eq!(ObjectId::parse("1CECHNKREP0F1RSTCMT0").unwrap(), id);
    }

    #[test]
    fn other_texts_are_no_ids() {
        for text in [
            "",
            "1CECHNKREP0F1RSTCMT",
            "1CECHNKREP0F1RSTCMT1",
            "../../KREP0F1RSTCMT0",
            "1cechnkrep0f1rstcmt0",
        ] {
            assert!(ObjectId::parse(text).is_err(), "{text}");
        }
    }
}
