//! Says why and where a text is not JSON (RFC 8259), and unescapes strings.
//!
//! The messages are those of serde_json, which the tests compare, because the full build parses a
//! few documents with serde_json. The engine does without it: its wasm is 396 042 bytes gzip with
//! this file, and 416 067 bytes (5.1 % more) with `serde_json::from_str` in its place. Both were
//! measured with `scripts/wasm.mjs` in the release profile.
//!
//! This parser may be slow: the kernel accepts valid JSON, and only other text comes here.

use std::borrow::Cow;

use crate::error::Error;
use crate::kernel::json::space;

/// Why a text is not JSON, and the number of bytes that were read until then.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    what: &'static str,
    at: usize,
}

#[allow(clippy::arithmetic_side_effects, reason = "places in a document, which has at most METADATA_BYTES")]
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
    let mut reader = Reader { text: text.as_bytes(), at: 0 };
    reader.value()?;
    match reader.token() {
        None => Ok(()),
        Some(_) => reader.refuse("trailing characters"),
    }
}

/// Unescapes the text of a JSON string.
#[allow(clippy::arithmetic_side_effects, reason = "the reader has taken a byte of the text")]
pub fn string(text: &str) -> Checked<Cow<'_, str>> {
    let inner = text.get(1..text.len().saturating_sub(1)).unwrap_or_default();
    if !inner.contains('\\') {
        return Ok(Cow::Borrowed(inner));
    }
    let mut reader = Reader { text: text.as_bytes(), at: 1 };
    let (mut plain, mut copied) = (String::with_capacity(inner.len()), 1);
    while let Some(byte) = reader.peek() {
        reader.at += 1;
        if byte != b'\\' && reader.at < text.len() {
            continue;
        }
        plain.push_str(text.get(copied..reader.at - 1).unwrap_or_default());
        if byte == b'\\' {
            plain.push(reader.escaped()?);
        }
        copied = reader.at;
    }
    Ok(Cow::Owned(plain))
}

struct Reader<'a> {
    text: &'a [u8],
    at: usize,
}

#[allow(
    clippy::arithmetic_side_effects,
    reason = "`at` is a place in the text or its end; surrogates are above 0xd800 and 0xdc00"
)]
impl Reader<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    /// Skips white space and returns the next byte.
    fn token(&mut self) -> Option<u8> {
        self.at = space(self.text, self.at);
        self.peek()
    }

    fn next(&mut self) -> Option<u8> {
        let byte = self.peek();
        self.at += usize::from(byte.is_some());
        byte
    }

    /// A fault at the bytes that were read.
    fn fail<T>(&self, what: &'static str) -> Checked<T> {
        Err(Fault { what, at: self.at })
    }

    /// A fault at the next byte.
    fn refuse<T>(&self, what: &'static str) -> Checked<T> {
        Err(Fault { what, at: self.text.len().min(self.at + 1) })
    }

    fn value(&mut self) -> Checked {
        match self.token() {
            None => self.refuse("EOF while parsing a value"),
            Some(b'n') => self.word(b"null"),
            Some(b't') => self.word(b"true"),
            Some(b'f') => self.word(b"false"),
            Some(b'-' | b'0'..=b'9') => self.number(),
            Some(b'"') => self.text(),
            Some(b'[') => self.list(),
            Some(b'{') => self.object(),
            Some(_) => self.refuse("expected value"),
        }
    }

    fn word(&mut self, word: &[u8]) -> Checked {
        for expected in word {
            match self.next() {
                None => return self.fail("EOF while parsing a value"),
                Some(byte) if byte != *expected => return self.fail("expected ident"),
                Some(_) => {}
            }
        }
        Ok(())
    }

    fn list(&mut self) -> Checked {
        const EOF: &str = "EOF while parsing a list";
        self.at += 1;
        match self.token() {
            None => return self.refuse(EOF),
            Some(b']') => return self.close(),
            Some(_) => {}
        }
        loop {
            self.value()?;
            match self.token() {
                None => return self.refuse(EOF),
                Some(b']') => return self.close(),
                Some(b',') => self.at += 1,
                Some(_) => return self.refuse("expected `,` or `]`"),
            }
        }
    }

    fn object(&mut self) -> Checked {
        const EOF: &str = "EOF while parsing an object";
        self.at += 1;
        if self.token() == Some(b'}') {
            return self.close();
        }
        loop {
            match self.token() {
                None => return self.refuse(EOF),
                Some(b'"') => self.text()?,
                Some(_) => return self.refuse("key must be a string"),
            }
            match self.token() {
                None => return self.refuse(EOF),
                Some(b':') => self.at += 1,
                Some(_) => return self.refuse("expected `:`"),
            }
            self.value()?;
            match self.token() {
                None => return self.refuse(EOF),
                Some(b'}') => return self.close(),
                Some(b',') => self.at += 1,
                Some(_) => return self.refuse("expected `,` or `}`"),
            }
        }
    }

    fn close(&mut self) -> Checked {
        self.at += 1;
        Ok(())
    }

    fn number(&mut self) -> Checked {
        const INVALID: &str = "invalid number";
        if self.peek() == Some(b'-') {
            self.at += 1;
        }
        match self.next() {
            Some(b'0') if self.peek().is_some_and(|byte| byte.is_ascii_digit()) => {
                return self.refuse(INVALID);
            }
            Some(b'0'..=b'9') => self.digits(),
            _ => return self.fail(INVALID),
        }
        if self.peek() == Some(b'.') {
            self.at += 1;
            let start = self.at;
            self.digits();
            if self.at == start {
                return self.refuse(INVALID);
            }
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.at += 1;
            if matches!(self.peek(), Some(b'+' | b'-')) {
                self.at += 1;
            }
            if !self.next().is_some_and(|byte| byte.is_ascii_digit()) {
                return self.fail(INVALID);
            }
            self.digits();
        }
        Ok(())
    }

    fn digits(&mut self) {
        while self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            self.at += 1;
        }
    }

    fn text(&mut self) -> Checked {
        self.at += 1;
        loop {
            match self.peek() {
                None => return self.fail(UNFINISHED),
                Some(0..0x20) => {
                    return self.fail("control character (\\u0000-\\u001F) found while parsing a string");
                }
                Some(byte) => {
                    self.at += 1;
                    match byte {
                        b'"' => return Ok(()),
                        b'\\' => drop(self.escape()?),
                        _ => {}
                    }
                }
            }
        }
    }

    /// Parses an escape after the backslash: a code point, or half of a surrogate pair.
    fn escape(&mut self) -> Checked<u32> {
        let Some(byte) = self.next() else { return self.fail(UNFINISHED) };
        Ok(match byte {
            b'"' | b'\\' | b'/' => byte.into(),
            b'b' => 8,
            b'f' => 12,
            b'n' => 10,
            b'r' => 13,
            b't' => 9,
            b'u' => return self.digits_of_hex(),
            _ => return self.fail("invalid escape"),
        })
    }

    fn digits_of_hex(&mut self) -> Checked<u32> {
        let Some(digits) = self.text.get(self.at..self.at + 4) else {
            self.at = self.text.len();
            return self.fail(UNFINISHED);
        };
        self.at += 4;
        let value =
            digits.iter().try_fold(0, |value, digit| Some(value << 4 | char::from(*digit).to_digit(16)?));
        value.map_or_else(|| self.fail("invalid escape"), Ok)
    }

    /// Parses the one or two escapes of a character. The text is checked.
    fn escaped(&mut self) -> Checked<char> {
        const LONE: &str = "lone leading surrogate in hex escape";
        let first = self.escape()?;
        if !(0xd800..0xdc00).contains(&first) {
            return char::from_u32(first).map_or_else(|| self.fail(LONE), Ok);
        }
        for expected in *b"\\u" {
            if self.next() != Some(expected) {
                return self.fail("unexpected end of hex escape");
            }
        }
        let second = self.digits_of_hex()?;
        if !(0xdc00..0xe000).contains(&second) {
            return self.fail(LONE);
        }
        let point = 0x1_0000 + ((first - 0xd800) << 10) + (second - 0xdc00);
        char::from_u32(point).map_or_else(|| self.fail(LONE), Ok)
    }
}

const UNFINISHED: &str = "EOF while parsing a string";

#[cfg(all(test, not(target_arch = "wasm32")))]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde::de::IgnoredAny;

    fn theirs(error: &serde_json::Error) -> String {
        format!("invalid JSON: {error}")
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn messages_are_those_of_serde_json(text in "[\\[\\]{}:,\"\\\\ \n\u{1}é0-9.eE+\\-nulltruefasbx]{0,12}") {
            let expected = serde_json::from_str::<IgnoredAny>(&text).map_err(|error| theirs(&error)).err();
            let found = check(&text).err().map(|fault| fault.in_text(&text).message().to_owned());
            prop_assert_eq!(found, expected);
        }

        #[test]
        fn messages_about_nearly_valid_json_are_those_of_serde_json(
            pieces in prop::collection::vec(prop::sample::select(PIECES.to_vec()), 0..10),
        ) {
            let text = pieces.concat();
            let expected = serde_json::from_str::<IgnoredAny>(&text).map_err(|error| theirs(&error)).err();
            let found = check(&text).err().map(|fault| fault.in_text(&text).message().to_owned());
            prop_assert_eq!(found, expected);
        }

        #[test]
        fn strings_are_those_of_serde_json(
            pieces in prop::collection::vec(prop::sample::select(CHARACTERS.to_vec()), 0..8),
        ) {
            let text = format!("\"{}\"", pieces.concat());
            prop_assume!(check(&text).is_ok());
            let expected = serde_json::from_str::<String>(&text).map_err(|error| theirs(&error));
            let found = string(&text).map(Cow::into_owned).map_err(|fault| fault.in_text(&text).message().to_owned());
            prop_assert_eq!(found, expected);
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
