//! Finds XML and HTML elements in listings: a scanner for tags, and text with character references
//! replaced.
//!
//! This is not a parser of either language: it finds elements by name at any depth and never fails.
//! Namespace prefixes are ignored.

use std::borrow::Cow;

/// The text between each `<name …>` and the next `</name>`, in order. Character references stay.
#[allow(
    clippy::arithmetic_side_effects,
    reason = "the closing tag and `rest` are parts of the text from `from` on"
)]
pub(super) fn contents<'a>(text: &'a str, name: &'a str) -> impl Iterator<Item = &'a str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        loop {
            let tag = next_tag(&mut rest)?;
            if tag.closes || local(tag.name) != name {
                continue;
            }
            if tag.attributes.ends_with('/') {
                return Some("");
            }
            let from = rest;
            while let Some(end) = next_tag(&mut rest) {
                if end.closes && local(end.name) == name {
                    return from.get(..from.len() - rest.len() - end.len);
                }
            }
            return None;
        }
    })
}

/// The text of the first element of a name, with character references replaced.
pub(super) fn text_of<'a>(text: &'a str, name: &'a str) -> Option<Cow<'a, str>> {
    contents(text, name).next().map(|content| unescape(content.trim()))
}

/// A tag. `len` is its length in bytes with the angle brackets.
pub(super) struct Tag<'a> {
    pub closes: bool,
    pub name: &'a str,
    pub attributes: &'a str,
    pub len: usize,
}

/// Moves `rest` behind the next tag. Comments, declarations and CDATA sections are skipped.
#[allow(clippy::arithmetic_side_effects, reason = "offsets in the text")]
pub(super) fn next_tag<'a>(rest: &mut &'a str) -> Option<Tag<'a>> {
    loop {
        let text = rest.get(rest.find('<')?..)?;
        if let Some(comment) = text.strip_prefix("<!--") {
            *rest = comment.get(comment.find("-->")? + 3..)?;
            continue;
        }
        let end = tag_end(text)?;
        let inside = text.get(1..end)?;
        *rest = text.get(end + 1..)?;
        if inside.starts_with(['!', '?']) {
            continue;
        }
        let closes = inside.starts_with('/');
        let inside = inside.trim_start_matches('/');
        let name_end =
            inside.find(|char: char| char.is_ascii_whitespace() || char == '/').unwrap_or(inside.len());
        let (name, attributes) = inside.split_at(name_end);
        return Some(Tag { closes, name, attributes: attributes.trim(), len: end + 1 });
    }
}

/// Position of the `>` that ends a tag. A `>` in a quoted value does not count.
fn tag_end(text: &str) -> Option<usize> {
    let mut quote = None;
    for (at, char) in text.char_indices() {
        match (quote, char) {
            (None, '>') => return Some(at),
            (None, '"' | '\'') => quote = Some(char),
            (Some(open), _) if open == char => quote = None,
            _ => {}
        }
    }
    None
}

/// The value of an attribute, with character references replaced.
pub(super) fn attribute<'a>(attributes: &'a str, name: &str) -> Option<Cow<'a, str>> {
    let mut rest = attributes;
    loop {
        let (before, after) = rest.split_once('=')?;
        let after = after.trim_start();
        let (value, following) = match after.chars().next()? {
            quote @ ('"' | '\'') => after.get(1..)?.split_once(quote)?,
            _ => after.split_once(|char: char| char.is_ascii_whitespace()).unwrap_or((after, "")),
        };
        let found = before.split_ascii_whitespace().next_back().unwrap_or_default();
        if found.eq_ignore_ascii_case(name) {
            return Some(unescape(value));
        }
        rest = following;
    }
}

fn local(name: &str) -> &str {
    name.rsplit_once(':').map_or(name, |(_, local)| local)
}

/// Maximum length of a character reference in bytes, without `&` and `;`. `&` may be frequent, so
/// the search for `;` must not go far.
const LONGEST: usize = 8;

/// Replaces the character references that occur in listings. Others stay.
#[allow(clippy::arithmetic_side_effects, reason = "LONGEST is small, and `end` is an offset in the text")]
pub(super) fn unescape(text: &str) -> Cow<'_, str> {
    if !text.contains('&') {
        return Cow::Borrowed(text);
    }
    let (mut out, mut rest) = (String::with_capacity(text.len()), text);
    while let Some((before, after)) = rest.split_once('&') {
        out.push_str(before);
        let end = after.bytes().take(LONGEST + 1).position(|byte| byte == b';');
        let reference = end.and_then(|end| Some((after.get(..end)?, after.get(end + 1..)?)));
        match reference.and_then(|(name, following)| Some((character(name)?, following))) {
            Some((char, following)) => {
                out.push(char);
                rest = following;
            }
            None => {
                out.push('&');
                rest = after;
            }
        }
    }
    out.push_str(rest);
    Cow::Owned(out)
}

fn character(name: &str) -> Option<char> {
    match name {
        "amp" => Some('&'),
        "lt" => Some('<'),
        "gt" => Some('>'),
        "quot" => Some('"'),
        "apos" => Some('\''),
        "nbsp" => Some('\u{a0}'),
        _ => {
            let number = name.strip_prefix('#')?;
            let code = match number.strip_prefix(['x', 'X']) {
                Some(hex) => u32::from_str_radix(hex, 16).ok()?,
                None => number.parse().ok()?,
            };
            char::from_u32(code)
        }
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;

    #[test]
    fn elements_are_found_at_any_depth() {
        let xml = "<?xml version='1.0'?><!-- <Key>no</Key> --><L xmlns='u:v'><x:Key a='>'> a&amp;b </x:Key><Key/><K><Key>c</Key></K>";
        assert_eq!(contents(xml, "Key").collect::<Vec<_>>(), [" a&amp;b ", "", "c"]);
        assert_eq!(text_of(xml, "Key").as_deref(), Some("a&b"));
        assert_eq!(text_of("<Key>never closed", "Key"), None);
        assert_eq!(contents("<", "Key").count(), 0);
    }

    #[test]
    fn attributes_may_be_quoted_in_every_style() {
        assert_eq!(attribute(r#"class="x" href="a&#x2f;b""#, "href").as_deref(), Some("a/b"));
        assert_eq!(attribute("HREF='a b' x", "href").as_deref(), Some("a b"));
        assert_eq!(attribute("id=1 href=a/ class=x", "href").as_deref(), Some("a/"));
        assert_eq!(attribute("data-href='no'", "href"), None);
        assert_eq!(attribute("href=", "href"), None);
    }

    #[test]
    fn unknown_character_references_stay() {
        assert_eq!(unescape("a&b;&lt;&#65;&#x110000;& &unknownname;"), "a&b;<A&#x110000;& &unknownname;");
    }
}
