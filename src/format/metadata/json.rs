//! JSON as metadata documents have it: exact numbers, and Python's bare `NaN`. RFC 8259.
//!
//! A [`Document`] is checked once; a [`Json`] is a view of one value in it, still text, taken apart one level at a time:
//! numbers never pass through a double unless the field is one, and what nobody asks for is never built. Deliberately not a
//! value tree (but see [`marked`](super::marked) for attributes) and not a writer.

use std::borrow::Cow;
use std::ops::Range;

use crate::error::{Error, Result};
pub(super) use crate::kernel::json::string_end;
use crate::kernel::json::{self, Member};
use crate::limits;
use crate::sorted;

mod check;

/// The tokens that Python's `json` writes bare, and the string each is read as. The escape, which no writer uses for these
/// letters, lets [`Json::original_text`] tell the token from the string of the same name.
const NON_FINITE: [(&str, &str); 3] =
    [("NaN", r#""\u004eaN""#), ("Infinity", r#""\u0049nfinity""#), ("-Infinity", r#""\u002dInfinity""#)];

/// A checked JSON document.
#[derive(Clone, Debug)]
pub struct Document<'a> {
    text: Cow<'a, str>,
    non_finite: bool,
    members: Option<Vec<Member>>,
}

impl<'a> Document<'a> {
    /// Checks that the bytes are JSON, with three allowances: a byte order mark, and bare `NaN` and `Infinity`, which read
    /// as strings.
    ///
    /// # Errors
    /// `Format` for bytes that are not UTF-8 or not JSON, `Limit` for documents too long or nested too deep.
    pub fn parse(bytes: &'a [u8]) -> Result<Self> {
        let text = text_of(bytes)?;
        if json::is_plain(text.as_bytes()) {
            return Ok(Self { text: Cow::Borrowed(text), non_finite: false, members: None });
        }
        let document = Self::of_text(text)?;
        document.check()?;
        Ok(document)
    }

    /// Checks that an [odd text](Self::of_odd_text) is JSON.
    ///
    /// # Errors
    /// `Format` where it is not, and what is wrong.
    pub(super) fn check(&self) -> Result<()> {
        check::check(&self.text).map_err(|fault| fault.in_text(&self.text))
    }

    /// A text whose members stand there.
    pub(super) fn of_members(text: String, members: Vec<Member>) -> Self {
        Self { text: Cow::Owned(text), non_finite: false, members: Some(members) }
    }

    /// Where the watched member stands of the object that begins there, at the end of the path that was scanned for.
    pub(super) fn watched(&self, start: usize) -> Option<Range<usize>> {
        let members = self.members.as_deref()?;
        let at = members.binary_search_by(|member| member.value.start.cmp(&start)).ok()?;
        members.get(at)?.watched.clone()
    }

    fn of_text(text: &'a str) -> Result<Self> {
        let non_finite = scan(text.as_bytes())?;
        let text = if non_finite { Cow::Owned(quote_non_finite(text)) } else { Cow::Borrowed(text) };
        Ok(Self { text, non_finite, members: None })
    }

    /// A text of which a walk made nothing: to be [`split`](super::split) strictly, which says why.
    ///
    /// # Errors
    /// `Limit` for documents nested too deep.
    pub(super) fn of_odd_text(text: String) -> Result<Self> {
        let non_finite = scan(text.as_bytes())?;
        let text = if non_finite { quote_non_finite(&text) } else { text };
        Ok(Self { text: Cow::Owned(text), non_finite, members: None })
    }

    /// Where the members stand along the path that it was scanned for, if it is as writers write it.
    pub(super) fn members(&self) -> Option<&[Member]> {
        self.members.as_deref()
    }

    /// The value that the document is.
    pub fn root(&self) -> Json<'_> {
        Json::from_checked(&self.text, self.non_finite)
    }

    /// Whether bare `NaN` or `Infinity` tokens stand in it.
    pub fn has_non_finite(&self) -> bool {
        self.non_finite
    }

    /// Where a part of this document's text stands in [`into_text`](Self::into_text).
    pub(super) fn span(&self, part: &str) -> Range<usize> {
        let start = part.as_ptr().addr() - self.text.as_ptr().addr();
        start..start + part.len()
    }

    /// The text, with the space around it.
    pub(super) fn whole_text(&self) -> &str {
        &self.text
    }

    /// The text that views are spans of.
    pub fn into_text(self) -> String {
        self.text.into_owned()
    }
}

/// What some writers put before a text.
pub const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

fn text_of(bytes: &[u8]) -> Result<&str> {
    limits::within(bytes.len() as u64, limits::METADATA_BYTES, "metadata document")?;
    std::str::from_utf8(bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes)).map_err(not_utf8)
}

pub(super) fn not_utf8(error: std::str::Utf8Error) -> Error {
    Error::format("the document is not UTF-8").actual(error.to_string())
}

/// Walks the text once, without recursion: bounds the nesting, and says whether there are bare `NaN` or `Infinity` tokens
/// (no other token outside a string has these letters).
fn scan(text: &[u8]) -> Result<bool> {
    let found = json::scan(text);
    limits::within(found.depth as u64, limits::JSON_DEPTH as u64, "nesting of a JSON document")?;
    Ok(found.has_capitals)
}

/// A string of a checked text, quotes and all, as it is meant.
pub(super) fn unescaped(text: &str) -> Result<Cow<'_, str>> {
    check::string(text).map_err(|fault| fault.in_text(text))
}

fn quote_non_finite(text: &str) -> String {
    let (mut quoted, mut copied, mut idx) = (String::with_capacity(text.len() + 64), 0, 0);
    while let Some(byte) = text.as_bytes().get(idx) {
        if *byte == b'"' {
            idx = string_end(text.as_bytes(), idx) + 1;
            continue;
        }
        let rest = text.get(idx..).unwrap_or_default();
        match NON_FINITE.iter().find(|(token, _)| rest.starts_with(token)) {
            Some((token, replacement)) => {
                quoted.push_str(&text[copied..idx]);
                quoted.push_str(replacement);
                idx += token.len();
                copied = idx;
            }
            None => idx += 1,
        }
    }
    quoted.push_str(&text[copied..]);
    quoted
}

/// One value of a [`Document`], as text.
#[derive(Clone, Copy, Debug)]
pub struct Json<'a> {
    text: &'a str,
    non_finite: bool,
}

impl<'a> Json<'a> {
    /// A value whose text was cut out of a checked document.
    pub(super) fn from_checked(text: &'a str, non_finite: bool) -> Self {
        Self { text: text.trim_matches([' ', '\t', '\r', '\n']), non_finite }
    }

    /// Strict JSON text; bare `NaN` and `Infinity` tokens stand in it as strings.
    pub fn text(self) -> &'a str {
        self.text
    }

    /// The text as its writer wrote it, bare `NaN` and `Infinity` tokens too.
    pub fn original_text(self) -> Cow<'a, str> {
        if !self.non_finite || !self.text.contains("\"\\u00") {
            return Cow::Borrowed(self.text);
        }
        let restore = |text: String, (token, quoted): &(&str, &str)| text.replace(quoted, token);
        Cow::Owned(NON_FINITE.iter().fold(self.text.to_owned(), restore))
    }

    /// Whether bare `NaN` or `Infinity` tokens may stand in it.
    pub(super) fn may_have_tokens(self) -> bool {
        self.non_finite
    }

    /// The bare token that a string of a document with such tokens stands for.
    pub(super) fn token_of(text: &str) -> Option<&'static str> {
        NON_FINITE.iter().find(|(_, quoted)| text == *quoted).map(|(token, _)| *token)
    }

    /// The number that a bare `NaN` or `Infinity` token means; `None` for everything else, the strings of the same names
    /// too.
    pub fn non_finite_token(self) -> Option<f64> {
        let (token, _) = NON_FINITE.iter().find(|(_, quoted)| self.non_finite && self.text == *quoted)?;
        token.parse().ok()
    }

    /// What it is, for messages.
    pub fn kind_name(self) -> &'static str {
        match self.text.as_bytes().first() {
            Some(b'{') => "an object",
            Some(b'[') => "an array",
            Some(b'"') => "a string",
            Some(b't' | b'f') => "a boolean",
            Some(b'n') => "null",
            _ => "a number",
        }
    }

    /// What it is, with its text where that is short, for messages.
    pub fn describe(self) -> String {
        let kind = self.kind_name();
        match self.text.as_bytes().first() {
            Some(b'{' | b'[' | b'n') => kind.to_owned(),
            _ if self.text.len() <= 64 => format!("{kind}: {}", self.text),
            _ => format!("{kind} of {} bytes", self.text.len()),
        }
    }

    /// The `Format` error of a value that is not what it should be.
    pub fn unexpected(self, expected: &str) -> Error {
        Error::format("the metadata has a wrong value").expected(expected).actual(self.describe())
    }

    /// Whether it is `null`.
    pub fn is_null(self) -> bool {
        self.text == "null"
    }

    /// A boolean.
    ///
    /// # Errors
    /// `Format` for anything else.
    pub fn bool(self) -> Result<bool> {
        match self.text {
            "true" => Ok(true),
            "false" => Ok(false),
            _ => Err(self.unexpected("a boolean")),
        }
    }

    /// A string, unescaped.
    ///
    /// # Errors
    /// `Format` for anything else, and for lone surrogates.
    pub fn str(self) -> Result<Cow<'a, str>> {
        self.must_begin_with(b'"', "a string")?;
        unescaped(self.text)
    }

    /// The text of a number.
    ///
    /// # Errors
    /// `Format` for anything else.
    pub fn number_text(self) -> Result<&'a str> {
        match self.text.as_bytes().first() {
            Some(b'-' | b'0'..=b'9') => Ok(self.text),
            _ => Err(self.unexpected("a number")),
        }
    }

    /// A non-negative integer of 64 bits.
    ///
    /// # Errors
    /// `Format` for anything else, numbers with a fraction or exponent too.
    pub fn u64(self) -> Result<u64> {
        self.number_text()
            .ok()
            .and_then(|text| text.parse().ok())
            .ok_or_else(|| self.unexpected("a non-negative integer"))
    }

    /// An integer of 64 bits.
    ///
    /// # Errors
    /// `Format` for anything else, numbers with a fraction or exponent too.
    pub fn i64(self) -> Result<i64> {
        self.number_text()
            .ok()
            .and_then(|text| text.parse().ok())
            .ok_or_else(|| self.unexpected("an integer of 64 bits"))
    }

    /// The elements of an array.
    ///
    /// # Errors
    /// `Format` for anything else.
    pub fn array(self) -> Result<Vec<Json<'a>>> {
        self.must_begin_with(b'[', "an array")?;
        Ok(json::parts(self.text.as_bytes()).into_iter().map(|part| self.part(part)).collect())
    }

    /// What `read` makes of each element of an array; errors name the element.
    ///
    /// # Errors
    /// `Format` for anything else, and whatever `read` finds.
    pub fn list<T>(self, read: impl Fn(Json<'a>) -> Result<T>) -> Result<Vec<T>> {
        let elements = self.array()?.into_iter().enumerate();
        elements
            .map(|(idx, json)| read(json).map_err(|error| error.within_field(&format!("[{idx}]"))))
            .collect()
    }

    /// An array of non-negative integers.
    ///
    /// # Errors
    /// `Format` for anything else.
    pub fn u64_list(self) -> Result<Vec<u64>> {
        self.list(Json::u64)
    }

    /// The members of an object.
    ///
    /// # Errors
    /// `Format` for anything else.
    pub fn object(self) -> Result<Object<'a>> {
        let mut members = self.members()?;
        keep_last(&mut members);
        Ok(Object { members })
    }

    /// The members of an object as they stand, repeated keys too.
    ///
    /// # Errors
    /// `Format` for anything else.
    pub fn members(self) -> Result<Vec<(Cow<'a, str>, Json<'a>)>> {
        self.must_begin_with(b'{', "an object")?;
        let mut members = Vec::new();
        let mut parts = json::parts(self.text.as_bytes()).into_iter();
        while let (Some(key), Some(value)) = (parts.next(), parts.next()) {
            let start = key.start;
            let key = check::string(self.part(key).text);
            members.push((key.map_err(|fault| fault.behind(start).in_text(self.text))?, self.part(value)));
        }
        Ok(members)
    }

    /// Where a part of it was found to stand.
    fn part(self, place: Range<usize>) -> Json<'a> {
        Json { text: self.text.get(place).unwrap_or_default(), non_finite: self.non_finite }
    }

    fn must_begin_with(self, byte: u8, expected: &str) -> Result<()> {
        if self.text.as_bytes().first() == Some(&byte) { Ok(()) } else { Err(self.unexpected(expected)) }
    }
}

/// The members of an object, in document order; of a repeated key the last value counts, as in `JSON.parse`.
#[derive(Clone, Debug, Default)]
pub struct Object<'a> {
    members: Vec<(Cow<'a, str>, Json<'a>)>,
}

impl<'a> Object<'a> {
    /// The value of a key.
    pub fn get(&self, key: &str) -> Option<Json<'a>> {
        self.members.iter().find(|(name, _)| name == key).map(|(_, value)| *value)
    }

    /// What `read` makes of a key's value, `None` where the key is missing; errors name the field.
    ///
    /// # Errors
    /// Whatever `read` finds.
    pub fn read<T>(&self, key: &str, read: impl FnOnce(Json<'a>) -> Result<T>) -> Result<Option<T>> {
        self.get(key).map(read).transpose().map_err(|error| error.within_field(key))
    }

    /// As [`read`](Self::read), where a `null` means what a missing key does: Python's `None`, which some writers leave in.
    ///
    /// # Errors
    /// As there.
    pub fn read_unless_null<T>(
        &self,
        key: &str,
        read: impl FnOnce(Json<'a>) -> Result<T>,
    ) -> Result<Option<T>> {
        self.read(key, |json| if json.is_null() { Ok(None) } else { read(json).map(Some) })
            .map(Option::flatten)
    }

    /// What `read` makes of a mandatory key's value; errors name the field.
    ///
    /// # Errors
    /// `Format` when it is missing, and whatever `read` finds.
    pub fn require<T>(&self, key: &str, read: impl FnOnce(Json<'a>) -> Result<T>) -> Result<T> {
        match self.read(key, read)? {
            Some(value) => Ok(value),
            None => Err(Error::format("the metadata lacks a mandatory field").in_field(key)),
        }
    }

    /// The members, in document order.
    pub fn iter(&self) -> std::slice::Iter<'_, (Cow<'a, str>, Json<'a>)> {
        self.members.iter()
    }
}

impl<'a> IntoIterator for Object<'a> {
    type Item = (Cow<'a, str>, Json<'a>);
    type IntoIter = std::vec::IntoIter<Self::Item>;

    fn into_iter(self) -> Self::IntoIter {
        self.members.into_iter()
    }
}

/// Of a repeated key, keeps the place of the first and the value of the last.
fn keep_last(members: &mut Vec<(Cow<'_, str>, Json<'_>)>) {
    let mut order: Vec<usize> = (0..members.len()).collect();
    sorted::sort_by(&mut order, |a, b| members[*a].0.cmp(&members[*b].0));
    let runs = order.chunk_by(|a, b| members[*a].0 == members[*b].0);
    let repeats: Vec<Vec<usize>> = runs.filter(|run| run.len() > 1).map(<[usize]>::to_vec).collect();
    let mut dropped: Vec<usize> = Vec::new();
    for run in &repeats {
        if let [first, others @ ..] = run.as_slice() {
            members[*first].1 = members[others[others.len() - 1]].1;
            dropped.extend(others);
        }
    }
    sorted::sort(&mut dropped);
    let (mut dropped, mut idx) = (dropped.into_iter().peekable(), 0);
    members.retain(|_| {
        let keep = dropped.next_if_eq(&idx).is_none();
        idx += 1;
        keep
    });
}

#[cfg(all(test, not(target_arch = "wasm32")))]
#[allow(clippy::unwrap_used)]
mod tests;
