//! JSON: reads and writes it with exact numbers, and reads Python's bare `NaN`. RFC 8259.
//!
//! A [`Document`] is checked once. A [`Json`] is a view of the text of one value in it, and is
//! parsed one level at a time. Numbers never become doubles unless their field is one, and values
//! that are not read are never built. [`text`] writes. `message_pack` reads MessagePack as JSON
//! text. There is no value tree (but see [`lossless`](super::metadata::lossless) for attributes).

use std::borrow::Cow;
use std::ops::Range;

use self::decimal::Binary;
use crate::error::{Error, Result};
pub use crate::kernel::json::string_end;
use crate::kernel::json::{self, Member};
use crate::{limits, sorted};

mod check;
pub mod decimal;
#[cfg(feature = "reading")]
pub mod message_pack;
pub mod text;

/// The tokens that Python's `json` writes without quotes, and the string that each is read as. The
/// escape, which no writer uses for these letters, lets [`Json::original_text`] distinguish the
/// token from the string of the same name.
const NON_FINITE: [(&str, &str, f64); 3] = [
    ("NaN", r#""\u004eaN""#, f64::NAN),
    ("Infinity", r#""\u0049nfinity""#, f64::INFINITY),
    ("-Infinity", r#""\u002dInfinity""#, f64::NEG_INFINITY),
];

/// A checked JSON document.
#[derive(Clone, Debug)]
pub struct Document<'a> {
    text: Cow<'a, str>,
    /// Whether there are bare `NaN` or `Infinity` tokens.
    non_finite: bool,
    /// The ranges of members, where the text was scanned for a path.
    members: Option<Vec<Member>>,
}

impl<'a> Document<'a> {
    /// Checks that the bytes are JSON. A byte order mark and the bare tokens `NaN` and `Infinity`
    /// are allowed; the tokens are read as strings.
    ///
    /// # Errors
    /// `Format` for bytes that are not UTF-8 or not JSON, `Limit` for documents that are too long
    /// or nested too deep.
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
    /// `Format` where it is not; the message says why.
    pub(super) fn check(&self) -> Result<()> {
        check::check(&self.text).map_err(|fault| fault.in_text(&self.text))
    }

    /// A text, with the ranges of members that a scan has found.
    pub(super) fn of_members(text: String, members: Vec<Member>) -> Self {
        Self { text: Cow::Owned(text), non_finite: false, members: Some(members) }
    }

    /// The range of the watched member of the object that starts at `start`. The object is at the
    /// end of the path that was scanned for.
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

    /// A text that the fast scan did not accept. `metadata::split` reads it strictly, and says why.
    ///
    /// # Errors
    /// `Limit` for documents nested too deep.
    pub(super) fn of_odd_text(text: String) -> Result<Self> {
        let non_finite = scan(text.as_bytes())?;
        let text = if non_finite { quote_non_finite(&text) } else { text };
        Ok(Self { text: Cow::Owned(text), non_finite, members: None })
    }

    /// The ranges of the members along the path that was scanned for. `None` for an odd text.
    pub(super) fn members(&self) -> Option<&[Member]> {
        self.members.as_deref()
    }

    /// The value of the whole document.
    pub fn root(&self) -> Json<'_> {
        Json::from_checked(&self.text, self.non_finite)
    }

    /// Whether the document has bare `NaN` or `Infinity` tokens.
    pub fn has_non_finite(&self) -> bool {
        self.non_finite
    }

    /// The range of a part of this document's text in [`into_text`](Self::into_text).
    #[allow(clippy::arithmetic_side_effects, reason = "a part of the text is inside of the text")]
    pub(super) fn span(&self, part: &str) -> Range<usize> {
        let start = part.as_ptr().addr() - self.text.as_ptr().addr();
        start..start + part.len()
    }

    /// The text, with the white space around it.
    pub(super) fn whole_text(&self) -> &str {
        &self.text
    }

    /// The text that all views are parts of.
    pub fn into_text(self) -> String {
        self.text.into_owned()
    }
}

/// Parses a text with `read`.
///
/// # Errors
/// As [`Document::parse`], and those of `read`.
pub fn read<T>(text: &str, read: impl FnOnce(Json<'_>) -> Result<T>) -> Result<T> {
    read(Document::parse(text.as_bytes())?.root())
}

/// The byte order mark that some writers put before a text.
pub const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

fn text_of(bytes: &[u8]) -> Result<&str> {
    limits::within(bytes.len() as u64, limits::METADATA_BYTES, "metadata document")?;
    std::str::from_utf8(bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes)).map_err(not_utf8)
}

pub(super) fn not_utf8(error: std::str::Utf8Error) -> Error {
    Error::format("the document is not UTF-8").actual(error.to_string())
}

/// Scans the text once, without recursion. Checks the nesting, and tells whether there are bare
/// `NaN` or `Infinity` tokens: outside strings, no other token has capital letters.
fn scan(text: &[u8]) -> Result<bool> {
    let found = json::scan(text);
    limits::within(found.depth as u64, limits::JSON_DEPTH as u64, "nesting of a JSON document")?;
    Ok(found.has_capitals)
}

/// The string that the text of a string, with its quotes, means.
pub(super) fn unescaped(text: &str) -> Result<Cow<'_, str>> {
    check::string(text).map_err(|fault| fault.in_text(text))
}

#[allow(clippy::arithmetic_side_effects, reason = "offsets in the text, or its end")]
fn quote_non_finite(text: &str) -> String {
    let (mut quoted, mut copied, mut idx) = (String::with_capacity(text.len().saturating_add(64)), 0, 0);
    while let Some(byte) = text.as_bytes().get(idx) {
        if *byte == b'"' {
            idx = string_end(text.as_bytes(), idx) + 1;
            continue;
        }
        let rest = text.get(idx..).unwrap_or_default();
        match NON_FINITE.iter().find(|(token, ..)| rest.starts_with(token)) {
            Some((token, replacement, _)) => {
                quoted.push_str(text.get(copied..idx).unwrap_or_default());
                quoted.push_str(replacement);
                idx += token.len();
                copied = idx;
            }
            None => idx += 1,
        }
    }
    quoted.push_str(text.get(copied..).unwrap_or_default());
    quoted
}

/// Undoes [`quote_non_finite`].
#[allow(clippy::arithmetic_side_effects, reason = "offsets in the text, or its end")]
fn unquote_non_finite(text: &str) -> Cow<'_, str> {
    let (mut restored, mut copied, mut idx) = (String::new(), 0, 0);
    while let Some(byte) = text.as_bytes().get(idx) {
        if *byte != b'"' {
            idx += 1;
            continue;
        }
        let end = string_end(text.as_bytes(), idx) + 1;
        let string = text.get(idx..end).unwrap_or_default();
        if let Some((token, ..)) = NON_FINITE.iter().find(|(_, quoted, _)| *quoted == string) {
            restored.push_str(text.get(copied..idx).unwrap_or_default());
            restored.push_str(token);
            copied = end;
        }
        idx = end;
    }
    if copied == 0 {
        return Cow::Borrowed(text);
    }
    restored.push_str(text.get(copied..).unwrap_or_default());
    Cow::Owned(restored)
}

/// One value of a [`Document`], as text.
#[derive(Clone, Copy, Debug)]
pub struct Json<'a> {
    text: &'a str,
    non_finite: bool,
}

impl<'a> Json<'a> {
    /// A value whose text is part of a checked document.
    pub(super) fn from_checked(text: &'a str, non_finite: bool) -> Self {
        Self { text: text.trim_matches([' ', '\t', '\r', '\n']), non_finite }
    }

    /// Strict JSON text. Bare `NaN` and `Infinity` tokens are strings in it.
    pub fn text(self) -> &'a str {
        self.text
    }

    /// The text as written, with bare `NaN` and `Infinity` tokens.
    pub fn original_text(self) -> Cow<'a, str> {
        if self.non_finite { unquote_non_finite(self.text) } else { Cow::Borrowed(self.text) }
    }

    /// The number of a bare `NaN` or `Infinity` token. `None` for everything else, including the
    /// strings of the same names.
    pub fn non_finite_token(self) -> Option<f64> {
        let mut known = NON_FINITE.iter().filter(|_| self.non_finite);
        known.find_map(|(_, quoted, number)| (self.text == *quoted).then_some(*number))
    }

    /// The kind of the value, for messages.
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

    /// The kind of the value, with its text where that is short, for messages.
    pub fn describe(self) -> String {
        let kind = self.kind_name();
        match self.text.as_bytes().first() {
            Some(b'{' | b'[' | b'n') => kind.to_owned(),
            _ if self.text.len() <= 64 => format!("{kind}: {}", self.text),
            _ => format!("{kind} of {} bytes", self.text.len()),
        }
    }

    /// The `Format` error for a value that is not the expected one.
    pub fn unexpected(self, expected: &str) -> Error {
        Error::format("the metadata has an invalid value").expected(expected).actual(self.describe())
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

    /// The nearest 64-bit float to a number.
    ///
    /// # Errors
    /// `Format` for anything else.
    pub fn f64(self) -> Result<f64> {
        decimal::parse(self.number_text()?, Binary::DOUBLE).ok_or_else(|| self.unexpected("a number"))
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

    /// Parses an array to its elements.
    ///
    /// # Errors
    /// `Format` for anything else.
    pub fn array(self) -> Result<Vec<Json<'a>>> {
        self.must_begin_with(b'[', "an array")?;
        let mut elements = Vec::new();
        for part in json::parts(self.text.as_bytes()) {
            elements.push(self.part(part));
        }
        Ok(elements)
    }

    /// Parses each element of an array with `read`. Errors name the element.
    ///
    /// # Errors
    /// `Format` for anything but an array, and those of `read`.
    pub fn list<T>(self, read: impl Fn(Json<'a>) -> Result<T>) -> Result<Vec<T>> {
        let elements = self.array()?;
        let mut list = Vec::with_capacity(elements.len());
        for (idx, json) in elements.into_iter().enumerate() {
            match read(json) {
                Ok(value) => list.push(value),
                Err(error) => return Err(error.in_element(idx)),
            }
        }
        Ok(list)
    }

    /// An array of non-negative integers.
    ///
    /// # Errors
    /// `Format` for anything else.
    pub fn u64_list(self) -> Result<Vec<u64>> {
        self.list(Json::u64)
    }

    /// Parses an object to its members.
    ///
    /// # Errors
    /// `Format` for anything else.
    pub fn object(self) -> Result<Object<'a>> {
        let mut members = self.members()?;
        keep_last(&mut members);
        Ok(Object { members })
    }

    /// Parses an object to its members in document order, including repeated keys.
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

    /// The value in a range of the text.
    fn part(self, range: Range<usize>) -> Json<'a> {
        Json { text: self.text.get(range).unwrap_or_default(), non_finite: self.non_finite }
    }

    fn must_begin_with(self, byte: u8, expected: &str) -> Result<()> {
        if self.text.as_bytes().first() == Some(&byte) { Ok(()) } else { Err(self.unexpected(expected)) }
    }
}

/// The members of an object, in document order. Of a repeated key the last value counts.
#[derive(Clone, Debug, Default)]
pub struct Object<'a> {
    members: Vec<(Cow<'a, str>, Json<'a>)>,
}

impl<'a> Object<'a> {
    /// The value of a key.
    pub fn get(&self, key: &str) -> Option<Json<'a>> {
        self.members.iter().find(|(name, _)| name == key).map(|(_, value)| *value)
    }

    /// Parses a key's value with `read`. `None` where the key is missing. Errors name the field.
    ///
    /// # Errors
    /// Those of `read`.
    pub fn read<T>(&self, key: &str, read: impl FnOnce(Json<'a>) -> Result<T>) -> Result<Option<T>> {
        let Some(json) = self.get(key) else { return Ok(None) };
        match read(json) {
            Ok(value) => Ok(Some(value)),
            Err(error) => Err(error.within_field(key)),
        }
    }

    /// As [`read`](Self::read). `null` means that the key is missing: some writers write Python's
    /// `None`.
    ///
    /// # Errors
    /// Those of `read`.
    pub fn read_unless_null<T>(
        &self,
        key: &str,
        read: impl FnOnce(Json<'a>) -> Result<T>,
    ) -> Result<Option<T>> {
        match self.get(key) {
            Some(json) if !json.is_null() => self.read(key, read),
            _ => Ok(None),
        }
    }

    /// Parses a mandatory key's value with `read`. Errors name the field.
    ///
    /// # Errors
    /// `Format` when the key is missing, and those of `read`.
    pub fn require<T>(&self, key: &str, read: impl FnOnce(Json<'a>) -> Result<T>) -> Result<T> {
        self.read(key, read)?.ok_or_else(|| missing(key))
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

/// The error for a mandatory field that is not there.
#[cold]
fn missing(key: &str) -> Error {
    Error::format("the metadata does not have a mandatory field").in_field(key)
}

/// Removes repeated keys. The first keeps its position and gets the value of the last.
#[allow(
    clippy::arithmetic_side_effects,
    clippy::indexing_slicing,
    reason = "`order` has the indices of members"
)]
fn keep_last(members: &mut Vec<(Cow<'_, str>, Json<'_>)>) {
    let mut order: Vec<usize> = (0..members.len()).collect();
    sorted::sort_by(&mut order, |a, b| members[*a].0.cmp(&members[*b].0));
    let mut dropped = vec![false; members.len()];
    let mut first = 0;
    for pair in order.windows(2) {
        let [before, at] = [pair[0], pair[1]];
        if members[before].0 != members[at].0 {
            continue;
        }
        if !dropped[before] {
            first = before;
        }
        members[first].1 = members[at].1;
        dropped[at] = true;
    }
    let mut idx = 0;
    members.retain(|_| {
        idx += 1;
        !dropped[idx - 1]
    });
}

#[cfg(all(test, not(target_arch = "wasm32")))]
#[allow(clippy::unwrap_used)]
mod tests;
