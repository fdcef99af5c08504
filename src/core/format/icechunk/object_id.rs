//! The ids of snapshots, manifests and chunks: twelve bytes, whose text names the file.
//!
//! The text is Crockford's base32 in upper case, without padding. <https://www.crockford.com/base32.html>

use std::fmt;

use crate::error::{Error, Result};

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
    pub fn parse(text: &str) -> Result<Self> {
        let wrong = || {
            Error::argument("not the id of an Icechunk object")
                .expected("20 digits of Crockford's base32")
                .actual(text.to_owned())
        };
        // 20 digits of five bits are four bits more than twelve bytes.
        let digits = Some(text.as_bytes()).filter(|digits| digits.len() == LEN).ok_or_else(wrong)?;
        let mut number = 0_u128;
        for digit in digits {
            let value = DIGITS.iter().position(|known| known == digit).ok_or_else(wrong)?;
            number = number << 5 | value as u128;
        }
        if number & 15 != 0 {
            return Err(wrong());
        }
        let bytes = (number >> 4).to_be_bytes();
        bytes.last_chunk().copied().map(Self).ok_or_else(wrong)
    }
}

impl fmt::Display for ObjectId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let number = self.0.iter().fold(0_u128, |number, byte| number << 8 | u128::from(*byte)) << 4;
        (0..LEN).rev().try_for_each(|place| {
            let digit = number >> (5_usize.saturating_mul(place)) & 31;
            let digit = usize::try_from(digit).ok().and_then(|digit| DIGITS.get(digit));
            f.write_str(
                digit.map_or("", |digit| std::str::from_utf8(std::slice::from_ref(digit)).unwrap_or("")),
            )
        })
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
