//! Prepares JSON for a plain reader, whose numbers are doubles, with marks where it would lose
//! information: bare `NaN` and `Infinity`, and integers beyond 2^53 when the caller wants them
//! exact.
//!
//! It scans the text once. A host parses attributes of 50 MB fast by itself, and only marked
//! values are changed afterwards. Text that it reads without loss crosses unchanged.

use std::ops::Range;

use zarr_wasm_contract::JsonText;

use crate::error::Result;
use crate::format::json::text::string;
use crate::format::json::{Document, string_end};

/// A text for a plain reader of JSON, and the tokens that it marks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lossless {
    /// JSON in which each marked token is a string: NUL and then the token.
    pub text: String,
    /// As [`Marks::json`].
    pub marks: String,
}

/// The tokens that a plain reader would lose, and where they are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Marks {
    /// The byte ranges of the tokens, in the order of the text.
    pub tokens: Vec<Range<usize>>,
    /// JSON: an object by key or index for each object and array with marks below it, and the token
    /// itself for a mark.
    pub json: String,
}

impl Default for Marks {
    fn default() -> Self {
        Self { tokens: Vec::new(), json: "{}".to_owned() }
    }
}

/// The start of a marked string.
const MARK: &str = "\\u0000";

/// Python's tokens.
const TOKENS: [&str; 3] = ["NaN", "Infinity", "-Infinity"];

/// The largest integer up to which doubles represent every integer.
const MAX_SAFE_INTEGER: u64 = (1 << 53) - 1;

/// Integers of fewer digits are below [`MAX_SAFE_INTEGER`].
const MIN_DIGITS: usize = 16;

/// The most digits of an integer that is marked, as in Python. The time in which some hosts read
/// an integer grows faster than its digits: 10^7 of them take 17 s.
const MAX_DIGITS: usize = 4300;

/// An array or object that the scan is in.
struct Frame {
    /// The range of the key of the current value. `None` in arrays, and before the key.
    key: Option<Range<usize>>,
    index: usize,
    is_object: bool,
    /// The number of its entries in `json`. `None` where it has none yet.
    opened: Option<usize>,
}

/// Finds the tokens of a text that a plain reader would lose, in steps.
pub struct Marking<'a> {
    text: &'a str,
    exact_integers: bool,
    frames: Vec<Frame>,
    at: usize,
    tokens: Vec<Range<usize>>,
    json: String,
}

/// Whether a text may have tokens that a plain reader would lose, or a byte order mark. Most have
/// none, and need not be parsed.
pub fn is_suspect(text: &str) -> bool {
    let (bytes, mut digits) = (text.as_bytes(), 0_usize);
    for (at, byte) in bytes.iter().enumerate() {
        digits = if byte.is_ascii_digit() { digits.saturating_add(1) } else { 0 };
        let rest = || bytes.get(at..).unwrap_or_default();
        let is_token = match byte {
            b'N' => rest().starts_with(b"NaN"),
            b'I' => rest().starts_with(b"Infinity"),
            0xef => rest().starts_with("\u{feff}".as_bytes()),
            _ => false,
        };
        if is_token || digits >= MIN_DIGITS {
            return true;
        }
    }
    false
}

/// A text of metadata for a plain reader.
///
/// # Errors
/// As [`mark`].
pub fn json_text(text: &str) -> Result<JsonText> {
    if !is_suspect(text) {
        return Ok(JsonText { text: text.to_owned(), marks: None });
    }
    let Lossless { text, marks } = mark(text, true)?;
    Ok(JsonText { text, marks: Some(marks) })
}

/// As [`json_text`], for a text that may be absent.
///
/// # Errors
/// As [`mark`].
pub fn json_text_of(text: Option<&String>) -> Result<Option<JsonText>> {
    text.map(|text| json_text(text)).transpose()
}

/// Marks the tokens of a text that a plain reader would lose.
///
/// # Errors
/// As [`Document::parse`].
pub fn mark(text: &str, exact_integers: bool) -> Result<Lossless> {
    Document::parse(text.as_bytes())?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut marking = Marking::new(text, exact_integers);
    while marking.step(usize::MAX) {}
    let Marks { tokens, json } = marking.finish();
    let (mut lossless, mut copied) = (String::with_capacity(text.len()), 0);
    for token in tokens {
        let (before, end) = (text.get(copied..token.start).unwrap_or_default(), token.end);
        lossless.extend([before, "\"", MARK, text.get(token).unwrap_or_default(), "\""]);
        copied = end;
    }
    lossless.push_str(text.get(copied..).unwrap_or_default());
    Ok(Lossless { text: lossless, marks: json })
}

impl<'a> Marking<'a> {
    /// Starts at the beginning of a text that is checked to be JSON, apart from Python's tokens.
    pub fn new(text: &'a str, exact_integers: bool) -> Self {
        let (frames, tokens, json) = (Vec::new(), Vec::new(), String::new());
        Self { text, exact_integers, frames, at: 0, tokens, json }
    }

    /// Scans about this many more bytes. Returns whether there are more.
    pub fn step(&mut self, bytes: usize) -> bool {
        let stop = self.at.saturating_add(bytes).min(self.text.len());
        while let Some(byte) = self.text.as_bytes().get(self.at).filter(|_| self.at < stop) {
            self.token(*byte);
        }
        self.at < self.text.len()
    }

    /// What was found.
    pub fn finish(self) -> Marks {
        let json = if self.json.is_empty() { "{}".to_owned() } else { self.json };
        Marks { tokens: self.tokens, json }
    }

    #[allow(
        clippy::arithmetic_side_effects,
        reason = "an offset in the text or its end, and a count of commas"
    )]
    fn token(&mut self, byte: u8) {
        let (bytes, start) = (self.text.as_bytes(), self.at);
        self.at += 1;
        match byte {
            b'{' | b'[' => {
                self.frames.push(Frame { key: None, index: 0, is_object: byte == b'{', opened: None });
            }
            b'}' | b']' => self.leave(),
            b',' => {
                if let Some(frame) = self.frames.last_mut() {
                    frame.index += 1;
                    frame.key = None;
                }
            }
            b'"' => {
                self.at = string_end(bytes, start) + 1;
                if let Some(frame) = self.frames.last_mut()
                    && frame.is_object
                    && frame.key.is_none()
                {
                    frame.key = Some(start..self.at);
                }
            }
            b'N' | b'I' | b'-' | b'0'..=b'9' => self.number(start),
            _ => {}
        }
    }

    fn leave(&mut self) {
        if self.frames.pop().is_some_and(|frame| frame.opened.is_some()) {
            self.json.push('}');
        }
    }

    /// Handles a number or one of Python's tokens.
    #[allow(clippy::arithmetic_side_effects, reason = "an offset in the text or its end")]
    fn number(&mut self, start: usize) {
        let rest = self.text.get(start..).unwrap_or_default();
        if let Some(token) = TOKENS.iter().find(|token| rest.starts_with(**token)) {
            self.at = start + token.len();
            self.mark(start);
            return;
        }
        let len = rest.bytes().take_while(|byte| is_numeric(*byte)).count();
        self.at = start + len.max(1);
        if self.exact_integers && is_large_integer(rest.get(..len).unwrap_or_default()) {
            self.mark(start);
        }
    }

    /// Marks the token from `start` to here.
    fn mark(&mut self, start: usize) {
        let token = self.text.get(start..self.at).unwrap_or_default();
        self.tokens.push(start..self.at);
        let Some(deepest) = self.frames.len().checked_sub(1) else {
            self.json = string(token);
            return;
        };
        // Adds the objects that are missing in `json`, each as an entry of the one above.
        for depth in 0..=deepest {
            if self.frames.get(depth).is_some_and(|frame| frame.opened.is_none()) {
                if let Some(above) = depth.checked_sub(1) {
                    self.entry(above);
                }
                self.json.push('{');
            }
            if let Some(frame) = self.frames.get_mut(depth) {
                frame.opened.get_or_insert(0);
            }
        }
        self.entry(deepest);
        self.json.push_str(&string(token));
    }

    /// Writes the key of the current value.
    fn entry(&mut self, depth: usize) {
        let Some(frame) = self.frames.get_mut(depth) else { return };
        let entries = frame.opened.unwrap_or(0);
        frame.opened = Some(entries.saturating_add(1));
        if entries > 0 {
            self.json.push(',');
        }
        match frame.key.clone() {
            Some(key) => self.json.push_str(self.text.get(key).unwrap_or_default()),
            None => self.json.push_str(&format!("\"{}\"", frame.index)),
        }
        self.json.push(':');
    }
}

/// Whether doubles may round this number: an integer of 16 to [`MAX_DIGITS`] digits.
fn is_large_integer(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    // Shorter text is not such a large integer.
    (MIN_DIGITS..=MAX_DIGITS).contains(&digits.len())
        && digits.bytes().all(|byte| byte.is_ascii_digit())
        // An integer that 64 bits cannot hold is larger than all that they can.
        && digits.parse::<u64>().map_or(true, |value| value > MAX_SAFE_INTEGER)
}

fn is_numeric(byte: u8) -> bool {
    matches!(byte, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E')
}

#[cfg(all(test, not(target_arch = "wasm32")))]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn lossless(text: &str, exact_integers: bool) -> (String, String) {
        let Lossless { text, marks } = mark(text, exact_integers).unwrap();
        for json in [&text, &marks] {
            serde_json::from_str::<serde_json::Value>(json).unwrap();
        }
        (text, marks)
    }

    #[test]
    fn tokens_are_marked_and_strings_are_not() {
        let (text, marks) =
            lossless(r#"[NaN, "NaN", {"a\"": -Infinity, "b": 1}, [[]], Infinity, "\u004eaN"]"#, false);
        let expected = concat!(
            r#"["\u0000NaN", "NaN", {"a\"": "\u0000-Infinity", "b": 1}, [[]], "\u0000Infinity", "#,
            r#""\u004eaN"]"#
        );
        assert_eq!(text, expected);
        assert_eq!(marks, r#"{"0":"NaN","2":{"a\"":"-Infinity"},"4":"Infinity"}"#);
        assert_eq!(lossless("NaN", false), (r#""\u0000NaN""#.into(), r#""NaN""#.into()));
    }

    #[test]
    fn large_integers_are_marked_on_request() {
        let text = r#"{"a":[9007199254740991,{"b":9007199254740993}],"c":[-9223372036854775808,18446744073709551615,
            36893488147419103232,0.30000000000000004,1e300],"d":{"e":{}}}"#;
        assert_eq!(lossless(text, false), (text.to_owned(), "{}".to_owned()));
        let (rewritten, marks) = lossless(text, true);
        let expected = concat!(
            r#"{"a":{"1":{"b":"9007199254740993"}},"#,
            r#""c":{"0":"-9223372036854775808","1":"18446744073709551615","2":"36893488147419103232"}}"#
        );
        assert_eq!(marks, expected);
        assert!(rewritten.contains(r#"{"b":"\u00009007199254740993"}"#));
        assert!(rewritten.ends_with(r#"0.30000000000000004,1e300],"d":{"e":{}}}"#));
    }

    #[test]
    fn only_integers_of_many_digits_are_marked() {
        let nines = "9".repeat(MAX_DIGITS);
        for token in ["9007199254740992", "-36893488147419103232", &nines] {
            assert_eq!(mark(token, true).unwrap().marks, format!("{token:?}"), "{token}");
            assert_eq!(mark(token, false).unwrap().marks, "{}");
        }
        let longer = format!("{nines}9");
        for token in ["9007199254740991", "-9007199254740991", "1e99", "36893488147419103232.0", &longer] {
            let Lossless { text, marks } = mark(token, true).unwrap();
            assert_eq!((text.as_str(), marks.as_str()), (token, "{}"));
        }
    }

    #[test]
    fn steps_of_any_length_find_the_same_tokens() {
        let text = r#"{"a":[1, NaN,{"NaN":-Infinity}], "b": -9007199254740993 ,"c":"NaN"}"#;
        let of_steps = |bytes| {
            let mut marking = Marking::new(text, true);
            while marking.step(bytes) {}
            marking.finish()
        };
        let at_once = of_steps(usize::MAX);
        let tokens: Vec<&str> = at_once.tokens.iter().map(|token| &text[token.clone()]).collect();
        assert_eq!(tokens, ["NaN", "-Infinity", "-9007199254740993"]);
        for bytes in [1, 2, 30] {
            assert_eq!(of_steps(bytes), at_once);
        }
    }

    #[test]
    fn texts_with_tokens_and_long_integers_are_suspect() {
        for text in ["[NaN]", r#"{"a":-Infinity}"#, "\u{feff}{}", "1234567890123456", r#""NaN""#] {
            assert!(is_suspect(text), "{text}");
        }
        for text in
            ["", r#"{"Name":"Info é"}"#, "123456789012345", "[12345678,12345678]", "1234567890.1234567"]
        {
            assert!(!is_suspect(text), "{text}");
        }
    }

    #[test]
    fn keys_are_copied_once() {
        let key = "k".repeat(1000);
        let text = format!("{{\"{key}\":[{}]}}", vec!["NaN"; 1000].join(","));
        assert!(lossless(&text, false).1.len() < 20_000);
    }
}
