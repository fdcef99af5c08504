//! Splits an object, and one object deep within it, into members in one pass. Consolidated metadata
//! may have tens of megabytes, and a pass for each level would be most of the work. The kernel
//! finds the ranges. Text that the kernel does not accept is split level by level, which finds the
//! errors.
//!
//! Other metadata is read with [`Json`], whose errors name fields.

use std::borrow::Cow;
use std::iter::Peekable;

use crate::error::Result;
use crate::format::json::{Document, Json, unescaped};
use crate::kernel::json::Member;

/// A value that [`Document::split`] has split.
#[derive(Debug)]
pub(super) enum Split<'a> {
    /// A value that is not on the path.
    Whole(Json<'a>),
    /// An object on the path or at its end: its members in order, including repeated keys.
    Members(Vec<(Cow<'a, str>, Split<'a>)>),
    /// `null` on the path.
    Null,
}

impl<'a> Split<'a> {
    /// The value of a key. The last one where the key is repeated.
    pub(super) fn get(&self, key: &str) -> Option<&Split<'a>> {
        match self {
            Self::Members(members) => members.iter().rfind(|(name, _)| name == key).map(|(_, value)| value),
            Self::Whole(_) | Self::Null => None,
        }
    }
}

/// Splits an object and the object at `path` in it, level by level.
fn split_levels<'a>(json: Json<'a>, path: &[&str]) -> Result<Split<'a>> {
    if json.is_null() {
        return Ok(Split::Null);
    }
    let mut members = Vec::new();
    for (key, value) in json.members()? {
        let split = match path {
            [first, path @ ..] if *first == key => split_levels(value, path)?,
            _ => Split::Whole(value),
        };
        members.push((key, split));
    }
    Ok(Split::Members(members))
}

impl Document<'_> {
    /// Splits an object, and the object at `path` in it, in one pass. The document must have been
    /// scanned for this path. The value at `path` may be `null`.
    ///
    /// # Errors
    /// `Format` for text that is not JSON, and for a value on the path that is not an object.
    pub(super) fn split(&self, path: &[&str]) -> Result<Split<'_>> {
        if let Some(split) = self.split_fast(path) {
            return Ok(split);
        }
        self.split_strictly(path)
    }

    /// As [`split`](Self::split), with the ranges of the scan. `None` where the scan did not accept
    /// the text.
    fn split_fast(&self, path: &[&str]) -> Option<Split<'_>> {
        let mut members = self.members()?.iter().peekable();
        self.gather(self.whole_text(), path, 0, &mut members)
    }

    /// The members of one object, and of the objects in it that the scan has split.
    fn gather<'a>(
        &self,
        text: &'a str,
        path: &[&str],
        depth: usize,
        rest: &mut Peekable<std::slice::Iter<'_, Member>>,
    ) -> Option<Split<'a>> {
        let mut members = Vec::new();
        while let Some(Member { key, value, is_split, .. }) = rest.next_if(|next| next.depth == depth) {
            let quoted = text.get(key.start.checked_sub(1)?..=key.end)?;
            let key = text.get(key.clone())?;
            let key = match key.contains('\\') {
                true => unescaped(quoted).ok()?,
                false => Cow::Borrowed(key),
            };
            let json = Json::from_checked(text.get(value.clone())?, self.has_non_finite());
            let is_on_path = path.first().is_some_and(|first| *first == key);
            let value = match (is_on_path, *is_split) {
                (true, true) => self.gather(text, path.get(1..)?, depth.checked_add(1)?, rest)?,
                (true, false) if json.is_null() => Split::Null,
                // Not an object: the strict way makes the error.
                (true, false) => return None,
                (false, _) => Split::Whole(json),
            };
            members.push((key, value));
        }
        Some(Split::Members(members))
    }

    fn split_strictly(&self, path: &[&str]) -> Result<Split<'_>> {
        self.check()?;
        split_levels(self.root(), path)
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;
    use proptest::prelude::*;

    /// As [`DocumentScan`](super::super::large::DocumentScan) makes it.
    fn scan(bytes: &[u8], path: &[&str]) -> Result<Document<'static>> {
        let text = std::str::from_utf8(bytes).unwrap().to_owned();
        match crate::kernel::json::split(bytes, path) {
            Some(members) => Ok(Document::of_members(text, members)),
            None => Document::of_odd_text(text),
        }
    }

    fn split<'a>(document: &'a Document<'_>) -> Result<Split<'a>> {
        document.split(&["a", "b"])
    }

    #[test]
    fn only_objects_on_the_path_are_split() {
        let document = scan(br#" {"x":{"b":1}, "a":{"b":{"k":[1], "l":{}}, "c":{}}} "#, &["a", "b"]).unwrap();
        let root = split(&document).unwrap();
        assert!(matches!(root.get("x"), Some(Split::Whole(json)) if json.text() == r#"{"b":1}"#));
        let inner = root.get("a").unwrap();
        assert!(matches!(inner.get("c"), Some(Split::Whole(_))));
        let Some(Split::Members(members)) = inner.get("b") else { panic!("not taken apart") };
        let texts = members.iter().map(|(key, value)| match value {
            Split::Whole(json) => (key.as_ref(), json.text()),
            _ => panic!("taken apart too far"),
        });
        assert_eq!(texts.collect::<Vec<_>>(), [("k", "[1]"), ("l", "{}")]);
    }

    #[test]
    fn both_ways_give_the_same_members() {
        let texts = [
            r#"{"a":{"b":{"\u006b":1,"é\n":[true,-1.5e3,"\ud83d\ude00"]},"b":{"l":2}},"a":{"b":null}}"#,
            r#"{"\u0061":{"b":{"k":1}}}"#,
            r#"{ "a" : { "x" : 1 } , "y" : "a" }"#,
            r#"{"a":null}"#,
        ];
        for text in texts {
            let document = scan(text.as_bytes(), &["a", "b"]).unwrap();
            let strictly = format!("{:?}", document.split_strictly(&["a", "b"]).unwrap());
            assert_eq!(format!("{:?}", split(&document).unwrap()), strictly, "{text}");
        }
    }

    proptest! {
        #[test]
        fn both_ways_refuse_the_same_texts(
            pieces in prop::collection::vec(prop::sample::select(PIECES.to_vec()), 0..14),
        ) {
            let text = format!("{{\"a\":{}}}", pieces.concat());
            let document = scan(text.as_bytes(), &["a", "b"]).unwrap();
            let fast = document.split_fast(&["a", "b"]).map(|split| format!("{split:?}"));
            let strictly = document.split_strictly(&["a", "b"]).ok().map(|split| format!("{split:?}"));
            // The fast way may reject what the strict way accepts, but not the other way round.
            prop_assert!(fast.is_none() || fast == strictly, "{text}: {fast:?}, {strictly:?}");
            let is_plain = !text.contains('\\');
            prop_assert!(!is_plain || fast == strictly, "{text}: {fast:?}, {strictly:?}");
        }
    }

    const PIECES: [&str; 18] = [
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        "\"a\"",
        "\"b\"",
        "\"c\\n\"",
        "1",
        "-0.5e-7",
        "01",
        "null",
        "true",
        " ",
        "\"\\u00e9\"",
        "{\"b\":",
        "\"x\":1",
    ];

    #[test]
    fn null_ends_the_path() {
        let document = scan(br#"{"a":{"b":1},"a":null}"#, &["a", "b"]).unwrap();
        assert_eq!(split(&document).map(drop).unwrap_err().kind(), ErrorKind::Format);
        let document = scan(br#"{"a":{"b":null},"a":null}"#, &["a", "b"]).unwrap();
        assert!(matches!(split(&document).unwrap().get("a"), Some(Split::Null)));
    }

    #[test]
    fn the_whole_text_is_checked() {
        for text in ["{\"z\":{]}}", "{} x", "[]", "{\"a\":7}", "{\"z\":01}", ""] {
            let document = scan(text.as_bytes(), &["a", "b"]).unwrap();
            assert_eq!(split(&document).map(drop).unwrap_err().kind(), ErrorKind::Format, "{text}");
        }
    }
}
