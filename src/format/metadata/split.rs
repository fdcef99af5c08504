//! An object and one deep within it taken apart in one pass: for consolidated metadata of tens of megabytes, where a pass
//! for each level and one to check the text would be most of the work. The kernel finds the places; what it does not like is
//! taken apart level by level, or found to be wrong.
//!
//! Deliberately not the way to read metadata: [`Json`] is, whose errors name fields.

use std::borrow::Cow;
use std::iter::Peekable;

use super::json::{Document, Json, unescaped};
use crate::error::Result;
use crate::kernel::json::Member;

/// What [`Document::split`] makes of a value.
#[derive(Debug)]
pub(super) enum Split<'a> {
    /// It does not lead further.
    Whole(Json<'a>),
    /// An object on the path, or at its end: its members in order, repeated keys too.
    Members(Vec<(Cow<'a, str>, Split<'a>)>),
    /// `null` on the path.
    Null,
}

impl<'a> Split<'a> {
    /// The value of a key: the last, if it is repeated.
    pub(super) fn get(&self, key: &str) -> Option<&Split<'a>> {
        match self {
            Self::Members(members) => members.iter().rfind(|(name, _)| name == key).map(|(_, value)| value),
            Self::Whole(_) | Self::Null => None,
        }
    }
}

/// An object whose member at `path` is taken apart too.
fn taken_apart<'a>(json: Json<'a>, path: &[&str]) -> Result<Split<'a>> {
    if json.is_null() {
        return Ok(Split::Null);
    }
    let members = json.members()?.into_iter().map(|(key, value)| {
        let split = match path {
            [first, path @ ..] if *first == key => taken_apart(value, path)?,
            _ => Split::Whole(value),
        };
        Ok((key, split))
    });
    Ok(Split::Members(members.collect::<Result<_>>()?))
}

impl Document<'_> {
    /// Takes an object apart, the object at `path` within it too, in one pass: for documents of tens of megabytes, which were scanned for
    /// this very path. The value at `path` may be `null`.
    ///
    /// # Errors
    /// `Format` for what is not JSON, and where there is something else than an object.
    pub(super) fn split(&self, path: &[&str]) -> Result<Split<'_>> {
        if let Some(split) = self.split_fast(path) {
            return Ok(split);
        }
        self.split_strictly(path)
    }

    /// As [`split`](Self::split), for what is as writers write it; `None` for all else.
    fn split_fast(&self, path: &[&str]) -> Option<Split<'_>> {
        let mut members = self.members()?.iter().peekable();
        self.gather(self.whole_text(), path, 0, &mut members)
    }

    /// The members of one object, with those of the objects in it that were taken apart.
    fn gather<'a>(
        &self,
        text: &'a str,
        path: &[&str],
        depth: usize,
        rest: &mut Peekable<std::slice::Iter<'_, Member>>,
    ) -> Option<Split<'a>> {
        let mut members = Vec::new();
        while let Some(Member { key, value, is_split, .. }) = rest.next_if(|next| next.depth == depth) {
            let quoted = text.get(key.start - 1..key.end + 1)?;
            let key = text.get(key.clone())?;
            let key = match key.contains('\\') {
                true => unescaped(quoted).ok()?,
                false => Cow::Borrowed(key),
            };
            let json = Json::from_checked(text.get(value.clone())?, self.has_non_finite());
            let is_on_path = path.first().is_some_and(|first| *first == key);
            let value = match (is_on_path, *is_split) {
                (true, true) => self.gather(text, &path[1..], depth + 1, rest)?,
                (true, false) if json.is_null() => Split::Null,
                // Something else than an object: an error, which is made elsewhere.
                (true, false) => return None,
                (false, _) => Split::Whole(json),
            };
            members.push((key, value));
        }
        Some(Split::Members(members))
    }

    fn split_strictly(&self, path: &[&str]) -> Result<Split<'_>> {
        self.check()?;
        taken_apart(self.root(), path)
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;
    use proptest::prelude::*;

    /// As [`Scanning`](super::super::large::Scanning) makes it.
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
    fn objects_on_the_path_are_taken_apart_and_others_not() {
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
    fn both_ways_find_the_same() {
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
        fn both_ways_refuse_the_same(
            pieces in prop::collection::vec(prop::sample::select(PIECES.to_vec()), 0..14),
        ) {
            let text = format!("{{\"a\":{}}}", pieces.concat());
            let document = scan(text.as_bytes(), &["a", "b"]).unwrap();
            let fast = document.split_fast(&["a", "b"]).map(|split| format!("{split:?}"));
            let strictly = document.split_strictly(&["a", "b"]).ok().map(|split| format!("{split:?}"));
            // The fast way may give up where the strict one does not, never the other way round.
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
