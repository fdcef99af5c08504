//! Says where a text is not JSON, and unescapes strings. The grammar is the kernel's.

use std::borrow::Cow;

use crate::error::Error;
use crate::kernel::json;

/// Why a text is not JSON or not a string, and the offset behind the byte that shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    what: &'static str,
    at: usize,
}

#[allow(clippy::arithmetic_side_effects, reason = "offsets in a document, which has at most METADATA_BYTES")]
impl Fault {
    /// The same fault in a text in which the first text starts after `bytes` bytes.
    pub fn behind(self, bytes: usize) -> Self {
        Self { at: self.at + bytes, ..self }
    }

    /// The error, with the line and the column in the text.
    pub fn in_text(self, text: &str) -> Error {
        let before = text.as_bytes().get(..self.at).unwrap_or(text.as_bytes());
        let line = 1 + before.iter().filter(|byte| **byte == b'\n').count();
        let column = before.iter().rev().take_while(|byte| **byte != b'\n').count();
        Error::format(format!("invalid JSON: {} at line {line} column {column}", self.what))
    }
}

type Checked<T = ()> = Result<T, Fault>;

/// Checks that a text is JSON. The caller has checked the nesting.
pub fn check(text: &str) -> Checked {
    match json::fault(text.as_bytes()) {
        None => Ok(()),
        Some(at) if at < text.len() => Err(Fault { what: "unexpected character", at: at.saturating_add(1) }),
        Some(at) => Err(Fault { what: "unexpected end", at }),
    }
}

/// Unescapes the text of a JSON string.
pub fn string(text: &str) -> Checked<Cow<'_, str>> {
    let inner = text.get(1..text.len().saturating_sub(1)).unwrap_or_default();
    let Some((before, mut rest)) = inner.split_once('\\') else { return Ok(Cow::Borrowed(inner)) };
    let mut plain = String::with_capacity(inner.len());
    plain.push_str(before);
    loop {
        let Some((char, after)) = unescaped(rest) else {
            // The text is checked, and so are its escapes.
            let at = text.len().saturating_sub(rest.len());
            return Err(Fault { what: "lone surrogate in a string", at });
        };
        plain.push(char);
        let Some((before, next)) = after.split_once('\\') else {
            plain.push_str(after);
            return Ok(Cow::Owned(plain));
        };
        plain.push_str(before);
        rest = next;
    }
}

/// The character of the escape whose backslash is before this text, and what follows. `None` for a
/// lone surrogate.
fn unescaped(text: &str) -> Option<(char, &str)> {
    let (letter, rest) = text.split_at_checked(1)?;
    Some(match letter {
        "b" => ('\u{8}', rest),
        "f" => ('\u{c}', rest),
        "n" => ('\n', rest),
        "r" => ('\r', rest),
        "t" => ('\t', rest),
        "u" => return code_point(rest),
        itself => (itself.chars().next()?, rest),
    })
}

#[allow(clippy::arithmetic_side_effects, reason = "surrogates of 16 bits")]
fn code_point(text: &str) -> Option<(char, &str)> {
    let (first, rest) = unit(text)?;
    if !(0xd800..0xdc00).contains(&first) {
        return Some((char::from_u32(first)?, rest));
    }
    let (second, rest) = unit(rest.strip_prefix("\\u")?)?;
    let low = second.checked_sub(0xdc00).filter(|low| *low < 0x400)?;
    Some((char::from_u32(0x1_0000 + ((first - 0xd800) << 10) + low)?, rest))
}

fn unit(text: &str) -> Option<(u32, &str)> {
    let (digits, rest) = text.split_at_checked(4)?;
    Some((u32::from_str_radix(digits, 16).ok()?, rest))
}

#[cfg(all(test, not(target_arch = "wasm32")))]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde::de::IgnoredAny;

    fn fault(text: &str) -> Option<String> {
        check(text).err().map(|fault| fault.in_text(text).message().to_owned())
    }

    #[test]
    fn errors_name_line_and_column() {
        for (text, expected) in [
            ("", "unexpected end at line 1 column 0"),
            ("{\"a\":\n  01}", "unexpected character at line 2 column 4"),
            ("[1,]", "unexpected character at line 1 column 4"),
            ("\"\\q\"", "unexpected character at line 1 column 3"),
            ("{} {}", "unexpected character at line 1 column 4"),
            ("[\"a", "unexpected end at line 1 column 3"),
        ] {
            assert_eq!(fault(text), Some(format!("invalid JSON: {expected}")), "{text}");
        }
        let deep = "[".repeat(64) + &"]".repeat(64);
        assert_eq!(fault(&deep), None);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn the_texts_are_those_that_serde_json_takes(
            text in "[\\[\\]{}:,\"\\\\ \n\u{1}é0-9.eE+\\-nulltruefasbx]{0,12}",
        ) {
            prop_assert_eq!(check(&text).is_ok(), serde_json::from_str::<IgnoredAny>(&text).is_ok());
        }

        #[test]
        fn nearly_valid_texts_are_those_that_serde_json_takes(
            pieces in prop::collection::vec(prop::sample::select(PIECES.to_vec()), 0..10),
        ) {
            let text = pieces.concat();
            prop_assert_eq!(check(&text).is_ok(), serde_json::from_str::<IgnoredAny>(&text).is_ok());
        }

        #[test]
        fn strings_are_those_of_serde_json(
            pieces in prop::collection::vec(prop::sample::select(CHARACTERS.to_vec()), 0..8),
        ) {
            let text = format!("\"{}\"", pieces.concat());
            prop_assume!(check(&text).is_ok());
            prop_assert_eq!(string(&text).map(Cow::into_owned).ok(), serde_json::from_str::<String>(&text).ok());
        }
    }

    const PIECES: [&str; 24] = [
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        "\"a\"",
        "\"é\\n\"",
        "\"",
        "1",
        "-0.5e-7",
        "-",
        "01",
        "1.",
        "2e+",
        "null",
        "nul",
        "true",
        " ",
        "\n",
        "\"\\u00e9\"",
        "\"\\ux\"",
        "\"\\q\"",
        "\"\u{2}\"",
    ];
    const CHARACTERS: [&str; 12] =
        ["a", "é", "\\n", "\\\"", "\\\\", "\\/", "\\u0041", "\\ud83d", "\\ude00", "\\u12", "\\b", "𝄞"];
}
