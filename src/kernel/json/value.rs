//! Scans one JSON value (RFC 8259) byte by byte, in steps, and tells where it ends. It builds no
//! values. The error for an invalid text is the offset of the byte that does not fit.

/// The maximal nesting of a value. Together with the objects around it, this is below every limit.
const DEPTH: u32 = 60;

/// A result, or the offset of the byte that does not fit. If the text ends too early, that is its
/// length.
type Scanned<T> = Result<T, usize>;

/// The end of the value that begins at `start`.
pub(super) fn value(text: &[u8], start: usize, allows_tokens: bool) -> Scanned<usize> {
    ValueScan::new(start).finish(text, allows_tokens)
}

/// A value that is being scanned.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct ValueScan {
    /// One bit per open array (0) or object (1), the innermost last.
    open: u128,
    depth: u32,
    most_depth: u32,
    /// The next byte to scan. After the last step, the first byte after the value.
    pub(super) at: usize,
    /// Whether a reader with doubles reads the value exactly: it has none of Python's tokens, and
    /// no integer that may exceed 2^53.
    pub(super) is_exact: bool,
}

impl ValueScan {
    pub(super) fn new(start: usize) -> Self {
        Self { open: 0, depth: 0, most_depth: DEPTH, at: start, is_exact: true }
    }

    /// As [`new`](Self::new), for nesting that the caller has checked.
    pub(super) fn of_any_depth(start: usize) -> Self {
        Self { most_depth: u128::BITS, ..Self::new(start) }
    }

    /// Scans up to the end of the value, and returns it.
    pub(super) fn finish(mut self, text: &[u8], allows_tokens: bool) -> Scanned<usize> {
        self.advance(text, allows_tokens, usize::MAX).map(|_| self.at)
    }

    /// Scans up to the first token at or after `stop`. Returns whether the value has ended.
    pub(super) fn advance(&mut self, text: &[u8], allows_tokens: bool, stop: usize) -> Scanned<bool> {
        let Self { mut open, mut depth, most_depth, mut at, mut is_exact } = *self;
        let is_done = loop {
            at = space(text, at);
            if at >= stop {
                break false;
            }
            match byte(text, at)? {
                begin @ (b'{' | b'[') => {
                    let is_object = begin == b'{';
                    (open, depth) = (open << 1 | u128::from(is_object), depth + 1);
                    if depth > most_depth {
                        return Err(at);
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
        *self = Self { open, depth, most_depth, at, is_exact };
        Ok(is_done)
    }
}

/// Scans what follows a value: a comma, up to the next value, or the ends of arrays and objects.
/// Returns whether all of them have ended.
#[inline(always)]
fn ends(text: &[u8], open: &mut u128, depth: &mut u32, at: &mut usize) -> Scanned<bool> {
    loop {
        if *depth == 0 {
            return Ok(true);
        }
        *at = space(text, *at);
        let is_object = *open & 1 == 1;
        match byte(text, *at)? {
            b',' => {
                *at = space(text, *at + 1);
                if is_object {
                    *at = key(text, *at)?;
                }
                return Ok(false);
            }
            b'}' if is_object => {}
            b']' if !is_object => {}
            _ => return Err(*at),
        }
        (*open, *depth, *at) = (*open >> 1, *depth - 1, *at + 1);
    }
}

/// Scans a number, or one of Python's tokens. Returns its end, and whether doubles hold the
/// text exactly up to there. `is_exact` says so for the text before it.
#[inline(always)]
fn numeric(text: &[u8], at: usize, allows_tokens: bool, is_exact: bool) -> Scanned<(usize, bool)> {
    let token: &[u8] = match byte(text, at)? {
        b'-' if text.get(at + 1) == Some(&b'I') => b"-Infinity",
        b'N' => b"NaN",
        b'I' => b"Infinity",
        b'-' | b'0'..=b'9' => {
            let end = number(text, at)?;
            return Ok((end, is_exact && !is_long_integer(&text[at..end])));
        }
        _ => return Err(at),
    };
    if allows_tokens { Ok((literal(text, at, token)?, false)) } else { Err(at) }
}

/// Whether the number may be an integer beyond 2^53.
fn is_long_integer(number: &[u8]) -> bool {
    number.len() >= 16 && number.iter().all(|byte| matches!(byte, b'-' | b'0'..=b'9'))
}

/// Reads a key and its colon.
pub(super) fn key(text: &[u8], start: usize) -> Scanned<usize> {
    expect(text, space(text, string(text, start)?), b':')
}

/// The end of the white space at `at`, which may be empty.
pub(super) fn space(text: &[u8], mut at: usize) -> usize {
    while matches!(text.get(at), Some(b' ' | b'\n' | b'\r' | b'\t')) {
        at += 1;
    }
    at
}

fn byte(text: &[u8], at: usize) -> Scanned<u8> {
    text.get(at).copied().ok_or(text.len())
}

pub(super) fn expect(text: &[u8], at: usize, expected: u8) -> Scanned<usize> {
    if byte(text, at)? == expected { Ok(at + 1) } else { Err(at) }
}

fn literal(text: &[u8], at: usize, word: &[u8]) -> Scanned<usize> {
    if text.get(at..).is_some_and(|rest| rest.starts_with(word)) { Ok(at + word.len()) } else { Err(at) }
}

pub(super) fn string(text: &[u8], start: usize) -> Scanned<usize> {
    let mut at = expect(text, start, b'"')?;
    loop {
        match byte(text, at)? {
            b'"' => return Ok(at + 1),
            b'\\' => at = escape(text, at + 1)?,
            0..0x20 => return Err(at),
            _ => at += 1,
        }
    }
}

fn escape(text: &[u8], at: usize) -> Scanned<usize> {
    match byte(text, at)? {
        b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => Ok(at + 1),
        b'u' => {
            let digits = text.get(at + 1..at + 5).ok_or(text.len())?;
            if digits.iter().all(u8::is_ascii_hexdigit) { Ok(at + 5) } else { Err(at) }
        }
        _ => Err(at),
    }
}

fn number(text: &[u8], start: usize) -> Scanned<usize> {
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
    Ok(at)
}

/// Reads at least one digit.
fn digits(text: &[u8], start: usize) -> Scanned<usize> {
    let mut at = start;
    while text.get(at).is_some_and(u8::is_ascii_digit) {
        at += 1;
    }
    if at > start { Ok(at) } else { Err(at) }
}
