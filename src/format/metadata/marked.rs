//! Prepares JSON for `JSON.parse`, with marks where it would lose information: bare `NaN` and
//! `Infinity`, and integers beyond 2^53 when the caller wants them exact.
//!
//! It scans the text once. The JavaScript engine parses attributes of 50 MB fast, and only marked
//! values are changed afterwards. Text that `JSON.parse` reads without loss crosses unchanged.

use super::json::{Json, string_end};
use super::write::text::string;

/// A text and the places of its marks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Marked {
    /// JSON in which each marked token is a string: [`MARK`] and then the token.
    pub text: String,
    /// JSON: an object by key or index for each object and array with marks below it, and the token
    /// itself for a mark.
    pub places: String,
}

/// The start of a marked string.
const MARK: &str = "\\u0000";

/// The largest integer up to which doubles represent every integer: `Number.MAX_SAFE_INTEGER`.
const MAX_SAFE_INTEGER: u64 = (1 << 53) - 1;

/// An array or object that the scan is in.
struct Frame {
    /// The key of the current value. `None` in arrays, and before the key.
    key: Option<String>,
    index: usize,
    is_object: bool,
    /// The number of its entries in `places`. `None` where it has none yet.
    opened: Option<usize>,
}

struct Walk<'a> {
    text: &'a str,
    exact_integers: bool,
    non_finite: bool,
    frames: Vec<Frame>,
    copied: usize,
    marked: Marked,
}

/// Marks the tokens of a value that `JSON.parse` would lose.
pub fn mark(json: Json<'_>, exact_integers: bool) -> Marked {
    let marked = Marked { text: String::with_capacity(json.text().len()), places: String::new() };
    let non_finite = json.may_have_tokens();
    let mut walk =
        Walk { text: json.text(), exact_integers, non_finite, frames: Vec::new(), copied: 0, marked };
    walk.run();
    walk.marked.text.push_str(walk.text.get(walk.copied..).unwrap_or_default());
    if walk.marked.places.is_empty() {
        walk.marked.places.push_str("{}");
    }
    walk.marked
}

impl Walk<'_> {
    fn run(&mut self) {
        let bytes = self.text.as_bytes();
        let mut at = 0;
        while let Some(byte) = bytes.get(at) {
            let start = at;
            at += 1;
            match byte {
                b'{' | b'[' => {
                    self.frames.push(Frame { key: None, index: 0, is_object: *byte == b'{', opened: None })
                }
                b'}' | b']' => self.leave(),
                b',' => {
                    if let Some(frame) = self.frames.last_mut() {
                        frame.index += 1;
                        frame.key = None;
                    }
                }
                b'"' => {
                    at = string_end(bytes, start) + 1;
                    self.string(start, at);
                }
                b'-' | b'0'..=b'9' => {
                    let len = bytes[start..].iter().take_while(|byte| is_numeric(**byte)).count();
                    at = start + len.max(1);
                    self.number(start, at);
                }
                _ => {}
            }
        }
    }

    fn leave(&mut self) {
        if self.frames.pop().is_some_and(|frame| frame.opened.is_some()) {
            self.marked.places.push('}');
        }
    }

    /// Handles a string: a key, a string value, or the string that a bare token was read as.
    fn string(&mut self, start: usize, end: usize) {
        let text = self.text.get(start..end).unwrap_or_default();
        match self.frames.last_mut() {
            Some(frame) if frame.is_object && frame.key.is_none() => frame.key = Some(text.to_owned()),
            _ if self.non_finite => {
                if let Some(token) = Json::token_of(text) {
                    self.mark(token, start, end);
                }
            }
            _ => {}
        }
    }

    fn number(&mut self, start: usize, end: usize) {
        // Shorter text is not such a large integer.
        if !self.exact_integers || end - start < 16 {
            return;
        }
        let text = self.text.get(start..end).unwrap_or_default();
        let is_large = match (text.parse::<i64>(), text.parse::<u64>()) {
            (Ok(value), _) => value.unsigned_abs() > MAX_SAFE_INTEGER,
            (Err(_), unsigned) => unsigned.is_ok(),
        };
        if is_large {
            self.mark(text, start, end);
        }
    }

    fn mark(&mut self, token: &str, start: usize, end: usize) {
        self.marked.text.push_str(self.text.get(self.copied..start).unwrap_or_default());
        self.marked.text.push_str(&format!("\"{MARK}{token}\""));
        self.copied = end;
        let Some(deepest) = self.frames.len().checked_sub(1) else {
            self.marked.places = string(token);
            return;
        };
        // Adds the objects that are missing in `places`, each as an entry of the one above.
        for depth in 0..=deepest {
            if self.frames[depth].opened.is_none() {
                if depth > 0 {
                    self.entry(depth - 1);
                }
                self.marked.places.push('{');
                self.frames[depth].opened = Some(0);
            }
        }
        self.entry(deepest);
        self.marked.places.push_str(&string(token));
    }

    /// Writes the key of the current value.
    fn entry(&mut self, depth: usize) {
        let Some(frame) = self.frames.get_mut(depth) else { return };
        let entries = frame.opened.unwrap_or(0);
        frame.opened = Some(entries + 1);
        let key = frame.key.clone().unwrap_or_else(|| format!("\"{}\"", frame.index));
        if entries > 0 {
            self.marked.places.push(',');
        }
        self.marked.places.push_str(&key);
        self.marked.places.push(':');
    }
}

fn is_numeric(byte: u8) -> bool {
    matches!(byte, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E')
}

#[cfg(all(test, not(target_arch = "wasm32")))]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::format::metadata::json::Document;

    fn marked(text: &str, exact_integers: bool) -> (String, String) {
        let Marked { text, places } = mark(Document::parse(text.as_bytes()).unwrap().root(), exact_integers);
        for json in [&text, &places] {
            serde_json::from_str::<serde_json::Value>(json).unwrap();
        }
        (text, places)
    }

    #[test]
    fn tokens_are_marked_and_strings_are_not() {
        let (text, places) =
            marked(r#"[NaN, "NaN", {"a\"": -Infinity, "b": 1}, [[]], Infinity, "\u004eaN"]"#, false);
        let expected = concat!(
            r#"["\u0000NaN", "NaN", {"a\"": "\u0000-Infinity", "b": 1}, [[]], "\u0000Infinity", "#,
            r#""\u0000NaN"]"#
        );
        // The escaped spelling, which no writer uses, is taken for the token.
        assert_eq!(text, expected);
        assert_eq!(places, r#"{"0":"NaN","2":{"a\"":"-Infinity"},"4":"Infinity","5":"NaN"}"#);
        assert_eq!(marked("NaN", false), (r#""\u0000NaN""#.into(), r#""NaN""#.into()));
    }

    #[test]
    fn large_integers_are_marked_on_request() {
        let text = r#"{"a":[9007199254740991,{"b":9007199254740993}],"c":[-9223372036854775808,18446744073709551615,
            36893488147419103232,0.30000000000000004,1e300],"d":{"e":{}}}"#;
        assert_eq!(marked(text, false), (text.to_owned(), "{}".to_owned()));
        let (rewritten, places) = marked(text, true);
        let expected = r#"{"a":{"1":{"b":"9007199254740993"}},"c":{"0":"-9223372036854775808","1":"18446744073709551615"}}"#;
        assert_eq!(places, expected);
        assert!(rewritten.contains(r#"{"b":"\u00009007199254740993"}"#));
        assert!(rewritten.ends_with(r#"0.30000000000000004,1e300],"d":{"e":{}}}"#));
    }

    #[test]
    fn keys_are_copied_once() {
        let key = "k".repeat(1000);
        let text = format!("{{\"{key}\":[{}]}}", vec!["NaN"; 1000].join(","));
        assert!(marked(&text, false).1.len() < 20_000);
    }
}
