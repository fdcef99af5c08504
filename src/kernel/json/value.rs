//! Scans one JSON value (RFC 8259) byte by byte, in steps, and tells where it ends. It builds no
//! values, and has no errors: the result for an invalid text is `None`.

/// The maximal nesting of a value. Together with the objects around it, this is below every limit.
const DEPTH: u32 = 60;

/// The end of the value that begins at `start`.
pub(super) fn value(text: &[u8], start: usize, allows_tokens: bool) -> Option<usize> {
    let mut value = ValueScan::new(start);
    value.advance(text, allows_tokens, usize::MAX)?.then_some(value.at)
}

/// A value that is being scanned.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct ValueScan {
    /// One bit per open array (0) or object (1), the innermost last.
    open: u128,
    depth: u32,
    /// The next byte to scan. After the last step, the first byte after the value.
    pub(super) at: usize,
    /// Whether `JSON.parse` reads the value exactly: it has none of Python's tokens, and no integer
    /// that may exceed 2^53.
    pub(super) is_exact: bool,
}

impl ValueScan {
    pub(super) fn new(start: usize) -> Self {
        Self { open: 0, depth: 0, at: start, is_exact: true }
    }

    /// Scans up to the first token at or after `stop`. Returns whether the value has ended.
    pub(super) fn advance(&mut self, text: &[u8], allows_tokens: bool, stop: usize) -> Option<bool> {
        let Self { mut open, mut depth, mut at, mut is_exact } = *self;
        let is_done = loop {
            at = space(text, at);
            if at >= stop {
                break false;
            }
            match text.get(at)? {
                begin @ (b'{' | b'[') => {
                    let is_object = *begin == b'{';
                    (open, depth) = (open << 1 | u128::from(is_object), depth + 1);
                    if depth > DEPTH {
                        return None;
                    }
                    at = space(text, at + 1);
                    let end = if is_object { b'}' } else { b']' };
                    if text.get(at) != Some(&end) {
                        if is_object {
                            at = key(text, at)?;
                        }
                        continue;
                    }
                }
                b'"' => at = string(text, at)?,
                b't' => at = literal(text, at, b"true")?,
                b'f' => at = literal(text, at, b"false")?,
                b'n' => at = literal(text, at, b"null")?,
                _ => (at, is_exact) = numeric(text, at, allows_tokens, is_exact)?,
            }
            if ends(text, &mut open, &mut depth, &mut at)? {
                break true;
            }
        };
        *self = Self { open, depth, at, is_exact };
        Some(is_done)
    }
}

/// Scans what follows a value: a comma, up to the next value, or the ends of arrays and objects.
/// Returns whether all of them have ended.
#[inline(always)]
fn ends(text: &[u8], open: &mut u128, depth: &mut u32, at: &mut usize) -> Option<bool> {
    loop {
        if *depth == 0 {
            return Some(true);
        }
        *at = space(text, *at);
        let is_object = *open & 1 == 1;
        match text.get(*at)? {
            b',' => {
                *at = space(text, *at + 1);
                if is_object {
                    *at = key(text, *at)?;
                }
                return Some(false);
            }
            b'}' if is_object => {}
            b']' if !is_object => {}
            _ => return None,
        }
        (*open, *depth, *at) = (*open >> 1, *depth - 1, *at + 1);
    }
}

/// Scans a number, or one of Python's tokens. Returns its end, and whether `JSON.parse` reads the
/// text exactly up to there. `is_exact` says so for the text before it.
#[inline(always)]
fn numeric(text: &[u8], at: usize, allows_tokens: bool, is_exact: bool) -> Option<(usize, bool)> {
    let token: &[u8] = match text.get(at)? {
        b'-' if text.get(at + 1) == Some(&b'I') => b"-Infinity",
        b'N' => b"NaN",
        b'I' => b"Infinity",
        b'-' | b'0'..=b'9' => {
            let end = number(text, at)?;
            return Some((end, is_exact && !is_long_integer(&text[at..end])));
        }
        _ => return None,
    };
    if allows_tokens { Some((literal(text, at, token)?, false)) } else { None }
}

/// Whether the number may be an integer beyond 2^53.
fn is_long_integer(number: &[u8]) -> bool {
    number.len() >= 16 && number.iter().all(|byte| matches!(byte, b'-' | b'0'..=b'9'))
}

/// Reads a key and its colon.
pub(super) fn key(text: &[u8], start: usize) -> Option<usize> {
    expect(text, space(text, string(text, start)?), b':')
}

/// The end of the white space at `at`, which may be empty.
pub fn space(text: &[u8], mut at: usize) -> usize {
    while matches!(text.get(at), Some(b' ' | b'\n' | b'\r' | b'\t')) {
        at += 1;
    }
    at
}

pub(super) fn expect(text: &[u8], at: usize, byte: u8) -> Option<usize> {
    (text.get(at) == Some(&byte)).then_some(at + 1)
}

fn literal(text: &[u8], at: usize, word: &[u8]) -> Option<usize> {
    text.get(at..)?.starts_with(word).then_some(at + word.len())
}

pub(super) fn string(text: &[u8], start: usize) -> Option<usize> {
    let mut at = expect(text, start, b'"')?;
    loop {
        match text.get(at)? {
            b'"' => return Some(at + 1),
            b'\\' => at = escape(text, at + 1)?,
            0..0x20 => return None,
            _ => at += 1,
        }
    }
}

fn escape(text: &[u8], at: usize) -> Option<usize> {
    match text.get(at)? {
        b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => Some(at + 1),
        b'u' => {
            let digits = text.get(at + 1..at + 5)?;
            digits.iter().all(u8::is_ascii_hexdigit).then_some(at + 5)
        }
        _ => None,
    }
}

fn number(text: &[u8], start: usize) -> Option<usize> {
    let mut at = start + usize::from(text.get(start) == Some(&b'-'));
    at = if text.get(at) == Some(&b'0') { at + 1 } else { digits(text, at)? };
    if text.get(at) == Some(&b'.') {
        at = digits(text, at + 1)?;
    }
    if matches!(text.get(at), Some(b'e' | b'E')) {
        at += 1;
        at += usize::from(matches!(text.get(at), Some(b'+' | b'-')));
        at = digits(text, at)?;
    }
    Some(at)
}

/// Reads at least one digit.
fn digits(text: &[u8], start: usize) -> Option<usize> {
    let mut at = start;
    while text.get(at).is_some_and(u8::is_ascii_digit) {
        at += 1;
    }
    (at > start).then_some(at)
}
