//! Scans JSON text (RFC 8259) byte by byte: finds the byte ranges of members, and tells whether a
//! text is valid.
//!
//! It serves documents of tens of megabytes of which little is read. It builds no values. The
//! result for an invalid text is `None`; [`fault`] then tells the offset.

use std::ops::Range;

mod value;

use value::{ValueScan, expect, space, string, value};

/// A member of an object: the byte range of its key (without quotes, escapes not decoded) and its
/// value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// The nesting of the object that has the member: 0 for the outermost one.
    pub depth: usize,
    /// The byte range of the key.
    pub key: Range<usize>,
    /// The byte range of the value.
    pub value: Range<usize>,
    /// Whether the members of the value follow in the list.
    pub is_split: bool,
    /// For a value that is an object at the end of the path: the byte range of the value of the
    /// watched member. `None` when it is not known.
    pub watched: Option<Range<usize>>,
}

/// What a scan of a document finds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Scan {
    /// The maximal nesting of arrays and objects.
    pub depth: usize,
    /// Whether an `N` or an `I` occurs outside of strings: in Python's `NaN` and `Infinity`, but
    /// not in JSON.
    pub has_capitals: bool,
}

/// Scans a text, which need not be valid.
#[inline(never)]
pub fn scan(text: &[u8]) -> Scan {
    let (mut found, mut depth, mut at) = (Scan::default(), 0_usize, 0);
    while let Some(byte) = text.get(at) {
        match byte {
            b'"' => at = string_end(text, at),
            b'{' | b'[' => {
                depth += 1;
                found.depth = found.depth.max(depth);
            }
            b'}' | b']' => depth = depth.saturating_sub(1),
            b'N' | b'I' => found.has_capitals = true,
            _ => {}
        }
        at += 1;
    }
    found
}

/// The byte ranges of the elements of a list, or of the keys (with quotes) and values of an object,
/// in turn. The text must be valid JSON.
#[inline(never)]
pub fn parts(text: &[u8]) -> Vec<Range<usize>> {
    let (mut parts, mut at) = (Vec::new(), 1);
    loop {
        while matches!(text.get(at), Some(b' ' | b'\n' | b'\r' | b'\t' | b',' | b':')) {
            at += 1;
        }
        if matches!(text.get(at), None | Some(b']' | b'}')) {
            return parts;
        }
        let end = part_end(text, at);
        parts.push(at..end);
        at = end;
    }
}

fn part_end(text: &[u8], start: usize) -> usize {
    let (mut depth, mut at) = (0_usize, start);
    while let Some(byte) = text.get(at) {
        match byte {
            b'"' => at = string_end(text, at),
            b'{' | b'[' => depth += 1,
            b'}' | b']' if depth > 0 => depth -= 1,
            b' ' | b'\n' | b'\r' | b'\t' | b',' | b':' | b'}' | b']' if depth == 0 => return at,
            _ => {}
        }
        at += 1;
        if depth == 0 && matches!(byte, b'"' | b'}' | b']') {
            break;
        }
    }
    at.min(text.len())
}

/// The position of the quote that ends the string begun at `start`, or the end of the text.
pub fn string_end(text: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while let Some(byte) = text.get(at) {
        match byte {
            b'"' => return at,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    text.len()
}

/// The members of the object that the text is, and of the objects that the keys of `path` lead to,
/// in order. `None` when the text is not valid JSON, is not an object, or has a key with escapes on
/// the path.
pub fn split(text: &[u8], path: &[&str]) -> Option<Vec<Member>> {
    let mut splitter = Splitter::new(false, None);
    while !splitter.advance(text, path, usize::MAX)? {}
    Some(splitter.into_members())
}

/// Splits an object like [`split`], a few bytes at a time.
pub struct Splitter {
    /// Whether Python's `NaN` and `Infinity` are valid values.
    allows_tokens: bool,
    /// The name of the member to find in the objects at the end of the path.
    watched: Option<&'static str>,
    /// Only members with these names are kept. `None` keeps all members.
    kept: Option<&'static [&'static str]>,
    /// Whether a reader with doubles reads all values so far exactly.
    is_exact: bool,
    members: Vec<Member>,
    /// The indices of the members whose objects are being split, the innermost last.
    open: Vec<usize>,
    at: usize,
    state: State,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Start,
    /// A key comes next.
    Key,
    /// The value of the last member is being scanned.
    Value(ValueScan),
    Done,
}

impl Splitter {
    /// Makes a splitter that has read nothing.
    pub fn new(allows_tokens: bool, watched: Option<&'static str>) -> Self {
        let (members, open) = (Vec::new(), Vec::new());
        Self { allows_tokens, watched, kept: None, is_exact: true, members, open, at: 0, state: State::Start }
    }

    /// Keeps only members with these names, because a list of millions of short members would take
    /// more memory than their text. A name with escapes is kept too, since it is not decoded here.
    #[must_use]
    pub fn keeping(self, names: &'static [&'static str]) -> Self {
        Self { kept: Some(names), ..self }
    }

    /// Scans about `bytes` more bytes, at least one. Returns whether the scan has reached the end.
    /// Each call must pass the same text and path.
    #[inline(never)]
    pub fn advance(&mut self, text: &[u8], path: &[&str], bytes: usize) -> Option<bool> {
        let stop = self.at.saturating_add(bytes);
        while self.state != State::Done {
            match self.state {
                State::Start => {
                    self.at = expect(text, space(text, 0), b'{').ok()?;
                    self.enter(text)?;
                }
                State::Value(value) => self.value(text, value, stop)?,
                State::Key | State::Done => self.member(text, path)?,
            }
            if self.at >= stop {
                break;
            }
        }
        Some(self.state == State::Done)
    }

    /// Whether the whole text was read.
    pub fn is_done(&self) -> bool {
        self.state == State::Done
    }

    /// Whether a parser that stores numbers as doubles would read every value exactly, apart from
    /// those that were split or watched. False if a value has a long integer, or a token that only
    /// Python writes, such as `NaN`.
    pub fn is_exact(&self) -> bool {
        self.is_exact
    }

    /// The members that were found so far.
    pub fn members(&self) -> &[Member] {
        &self.members
    }

    /// The members that were found.
    pub fn into_members(self) -> Vec<Member> {
        self.members
    }

    /// Continues after the brace that begins an object.
    fn enter(&mut self, text: &[u8]) -> Option<()> {
        self.at = space(text, self.at);
        self.state = State::Key;
        if text.get(self.at) == Some(&b'}') { self.leave(text) } else { Some(()) }
    }

    fn member(&mut self, text: &[u8], path: &[&str]) -> Option<()> {
        let depth = self.open.len();
        let key_end = string(text, self.at).ok()?;
        let key = self.at + 1..key_end - 1;
        let is_on_path = on_path(&text[key.clone()], path.get(depth..).unwrap_or_default())?;
        let start = space(text, expect(text, space(text, key_end), b':').ok()?);
        let is_split = is_on_path && text.get(start) == Some(&b'{');
        let mut member = Member { depth, key, value: start..start, is_split, watched: None };
        if is_split {
            self.open.push(self.members.len());
            self.members.push(member);
            self.at = start + 1;
            return self.enter(text);
        }
        if let Some(name) = self.watched
            && depth == path.len()
            && text.get(start) == Some(&b'{')
        {
            self.at = watch(text, start, name, self.allows_tokens, &mut member.watched)?;
            member.value.end = self.at;
            self.members.push(member);
            return self.proceed(text);
        }
        self.members.push(member);
        self.at = start;
        self.state = State::Value(ValueScan::new(start));
        Some(())
    }

    /// Continues within the value of the last member.
    fn value(&mut self, text: &[u8], mut value: ValueScan, stop: usize) -> Option<()> {
        let is_done = value.advance(text, self.allows_tokens, stop).ok()?;
        self.at = value.at;
        if !is_done {
            self.state = State::Value(value);
            return Some(());
        }
        self.state = State::Key;
        let mut member = self.members.pop()?;
        member.value.end = value.at;
        self.is_exact &= value.is_exact;
        if self.keeps(text, &member) {
            self.members.push(member);
        }
        self.proceed(text)
    }

    fn keeps(&self, text: &[u8], member: &Member) -> bool {
        let key = &text[member.key.clone()];
        let is_named = |names: &[&str]| names.iter().any(|name| name.as_bytes() == key);
        self.kept.is_none_or(|names| key.contains(&b'\\') || is_named(names))
    }

    /// Continues after a value: to the next key, or out of the object.
    fn proceed(&mut self, text: &[u8]) -> Option<()> {
        self.at = space(text, self.at);
        match text.get(self.at)? {
            b',' => self.at = space(text, self.at + 1),
            b'}' => self.leave(text)?,
            _ => return None,
        }
        Some(())
    }

    /// Continues at the brace that ends an object.
    fn leave(&mut self, text: &[u8]) -> Option<()> {
        self.at += 1;
        match self.open.pop() {
            Some(member) => {
                self.members[member].value.end = self.at;
                self.proceed(text)
            }
            None => {
                self.state = State::Done;
                (space(text, self.at) == text.len()).then_some(())
            }
        }
    }
}

/// Finds the end of the object that begins at `start`, and the value of its last member with this
/// name. The value is not found when a key has escapes.
fn watch(
    text: &[u8],
    start: usize,
    name: &str,
    allows_tokens: bool,
    found: &mut Option<Range<usize>>,
) -> Option<usize> {
    let (mut at, mut is_certain) = (space(text, start + 1), true);
    if text.get(at) == Some(&b'}') {
        return Some(at + 1);
    }
    loop {
        let key_end = string(text, at).ok()?;
        let key = &text[at + 1..key_end - 1];
        let begin = space(text, expect(text, space(text, key_end), b':').ok()?);
        let end = value(text, begin, allows_tokens).ok()?;
        is_certain &= !key.contains(&b'\\');
        if key == name.as_bytes() {
            *found = Some(begin..end);
        }
        at = space(text, end);
        match text.get(at)? {
            b',' => at = space(text, at + 1),
            b'}' => break,
            _ => return None,
        }
    }
    if !is_certain {
        *found = None;
    }
    Some(at + 1)
}

/// Whether the text is valid JSON and not nested too deep.
#[inline(never)]
pub fn is_plain(text: &[u8]) -> bool {
    value(text, space(text, 0), false).is_ok_and(|end| space(text, end) == text.len())
}

/// The offset of the byte that is not JSON: at the end where the text ends too early. `None` for
/// JSON. The caller has checked the nesting, up to 128.
pub fn fault(text: &[u8]) -> Option<usize> {
    match ValueScan::of_any_depth(space(text, 0)).finish(text, false) {
        Ok(end) => Some(space(text, end)).filter(|end| *end < text.len()),
        Err(at) => Some(at),
    }
}

/// The value of the last member with this name, in the object that the text is. The outer `None`
/// has the meaning that it has for [`split`].
#[inline(never)]
pub fn last_member(text: &[u8], name: &str) -> Option<Option<Range<usize>>> {
    let members = split(text, &[])?;
    let is_escaped = |member: &Member| text[member.key.clone()].contains(&b'\\');
    if members.iter().any(is_escaped) {
        return None;
    }
    let last = members.into_iter().rfind(|member| &text[member.key.clone()] == name.as_bytes());
    Some(last.map(|member| member.value))
}

/// Whether a key is the first of the path; `None` when it has escapes.
fn on_path(key: &[u8], path: &[&str]) -> Option<bool> {
    let Some(first) = path.first() else { return Some(false) };
    if key.contains(&b'\\') { None } else { Some(key == first.as_bytes()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys<'a>(text: &'a str, path: &[&str]) -> Option<Vec<(usize, &'a str, &'a str)>> {
        let members = split(text.as_bytes(), path)?;
        let read = |member: Member| (member.depth, &text[member.key], &text[member.value]);
        Some(members.into_iter().map(read).collect())
    }

    #[test]
    fn byte_ranges_of_members() {
        let text = r#" {"x": [1,{"b":2}], "a":{"b":{"k": "v\"" ,"l":{}},"c":null} } "#;
        let inner = r#"{"b":{"k": "v\"" ,"l":{}},"c":null}"#;
        let members = keys(text, &["a", "b"]).unwrap();
        assert_eq!(
            members,
            [
                (0, "x", r#"[1,{"b":2}]"#),
                (0, "a", inner),
                (1, "b", r#"{"k": "v\"" ,"l":{}}"#),
                (2, "k", r#""v\"""#),
                (2, "l", "{}"),
                (1, "c", "null"),
            ]
        );
        assert_eq!(keys("{}", &[]).unwrap(), []);
    }

    #[test]
    fn parts_are_elements_or_keys_and_values() {
        let texts = |text: &'static str| {
            parts(text.as_bytes()).into_iter().map(move |part| &text[part]).collect::<Vec<_>>()
        };
        assert_eq!(
            texts(r#"[1, [2,[3]] ,"a]\",b", {"c":[]},null ]"#),
            ["1", "[2,[3]]", r#""a]\",b""#, r#"{"c":[]}"#, "null"]
        );
        assert_eq!(
            texts(r#"{ "a,:" : {"b":-1.5e3} , "c":"","d":[ ]}"#),
            [r#""a,:""#, r#"{"b":-1.5e3}"#, r#""c""#, r#""""#, r#""d""#, "[ ]"]
        );
        for empty in ["[]", "{ }", "[ \n]"] {
            assert_eq!(texts(empty), [""; 0]);
        }
        // The scan of an invalid text ends too.
        for text in ["[", "[1", "{\"a", "[\"a\\", "[{]]}", "[,:", "", "]"] {
            texts(text);
        }
    }

    #[test]
    fn invalid_texts_are_none() {
        let wrong = [
            "",
            "[]",
            "{",
            "{}x",
            "{\"a\"}",
            "{\"a\":}",
            "{\"a\":1,}",
            "{\"a\":01}",
            "{\"a\":1.}",
            "{\"a\":-}",
            "{\"a\":1e}",
            "{\"a\":tru}",
            "{\"a\":[1,]}",
            "{\"a\":[}",
            "{\"a\":{]}",
            "{\"a\":\"\\x\"}",
            "{\"a\":\"\u{1}\"}",
            "{\"a\":\"\\u12g4\"}",
            "{\"a\":NaN}",
            "{\"a\":[1 2]}",
            "{a:1}",
            "{\"a\":{\"b\"}}",
        ];
        for text in wrong {
            assert_eq!(keys(text, &["a"]), None, "{text}");
        }
        let deep = |levels: usize| format!("{{\"a\":{}{}}}", "[".repeat(levels), "]".repeat(levels));
        assert!(keys(&deep(60), &[]).is_some() && keys(&deep(61), &[]).is_none());
    }

    #[test]
    fn the_last_of_repeated_members_counts() {
        let text = br#"{"k":1,"o":{"k":2},"k":[3]}"#;
        assert_eq!(text[last_member(text, "k").unwrap().unwrap()], *b"[3]");
        assert_eq!(last_member(text, "z"), Some(None));
        assert_eq!(last_member(br#"{"\u006b":1}"#, "k"), None);
    }

    #[test]
    fn a_scan_finds_nesting_and_capitals_outside_of_strings() {
        assert_eq!(scan(br#"{"N\"I":[{}]}"#), Scan { depth: 3, has_capitals: false });
        assert_eq!(scan(b"[NaN"), Scan { depth: 1, has_capitals: true });
    }
}
