//! Fill values of bytes: base64 (RFC 4648, with padding), and lists of numbers.

use super::FillValue;
use crate::error::Result;
use crate::format::json::Json;

/// The digits, from 0 to 63.
const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Decodes a JSON string.
pub(super) fn decode(json: Json<'_>) -> Result<Vec<u8>> {
    decoded(&json.str()?).ok_or_else(|| json.unexpected("a base64 string"))
}

/// Encodes bytes as a JSON string.
pub(super) fn encode(bytes: &[u8]) -> String {
    format!("\"{}\"", encoded(bytes))
}

/// The bytes of a text. Fill values are short: the library's decoder, which is faster, would be in
/// every program.
#[allow(clippy::arithmetic_side_effects, reason = "fewer than 14 bits are held")]
fn decoded(text: &str) -> Option<Vec<u8>> {
    let (mut bytes, mut bits, mut held) = (Vec::new(), 0_u32, 0);
    for digit in text.trim_end_matches('=').bytes() {
        bits = bits << 6 | u32::try_from(DIGITS.iter().position(|known| *known == digit)?).ok()?;
        held += 6;
        if held >= 8 {
            held -= 8;
            bytes.extend((bits >> held).to_le_bytes().first());
        }
    }
    // Bytes have one text: the padding and the bits that are left are as RFC 4648 says.
    (encoded(&bytes) == text).then_some(bytes)
}

#[allow(clippy::indexing_slicing, reason = "a chunk has 1 to 3 bytes, and six bits are below 64")]
fn encoded(bytes: &[u8]) -> String {
    let mut text = String::new();
    for three in bytes.chunks(3) {
        let mut bits = [0; 4];
        bits[1..=three.len()].copy_from_slice(three);
        let bits = u32::from_be_bytes(bits);
        for (index, shift) in [18, 12, 6, 0].into_iter().enumerate() {
            let digit = DIGITS[(bits >> shift & 63) as usize];
            text.push(if index <= three.len() { char::from(digit) } else { '=' });
        }
    }
    text
}

/// Parses base64, or a list of bytes, which was the form before base64 was registered.
pub(super) fn parse_fill(json: Json<'_>) -> Result<FillValue> {
    match json.kind_name() {
        "a string" => decode(json).map(FillValue),
        _ => byte_list(json).map(FillValue),
    }
}

/// Parses a list of integers from 0 to 255.
fn byte_list(json: Json<'_>) -> Result<Vec<u8>> {
    json.list(|json| {
        let byte = json.u64().ok().and_then(|value| u8::try_from(value).ok());
        byte.ok_or_else(|| json.unexpected("an integer from 0 to 255"))
    })
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use ::base64::Engine as _;
    use ::base64::engine::general_purpose::STANDARD;

    use super::*;

    proptest::proptest! {
        #[test]
        fn bytes_are_written_and_read_as_by_the_library(
            bytes in proptest::collection::vec(0_u8.., 0..20),
        ) {
            let text = STANDARD.encode(&bytes);
            assert_eq!(encoded(&bytes), text);
            assert_eq!(decoded(&text), Some(bytes));
        }

        #[test]
        fn texts_are_refused_as_by_the_library(text in "[A-D+/=éw]{0,9}") {
            assert_eq!(decoded(&text), STANDARD.decode(&text).ok());
        }
    }
}
