//! Scans metadata documents of megabytes in steps, so that other work can run in between.
//! Consolidated metadata of 10^5 nodes is such a document, and so are large attributes.
//!
//! One scan finds the ranges and the kinds of the documents of other nodes, and the document's own
//! members. The caller decides how long a step is; there is no clock here.

use std::ops::Range;

use super::document_kind::DocumentKind;
use super::{ZarrFormat, attributes};
use crate::error::Result;
use crate::format::json::{BYTE_ORDER_MARK, Document, not_utf8};
use crate::kernel::json::{Member, Splitter};
use crate::limits;

/// The member of a v3 group that has the documents of other nodes.
pub(super) const OTHERS: &str = "consolidated_metadata";

/// In consolidated metadata, the path of the object that maps keys to documents.
pub(super) fn metadata_path(format: ZarrFormat) -> &'static [&'static str] {
    match format {
        ZarrFormat::V2 | ZarrFormat::Draft(_) => &["metadata"],
        ZarrFormat::V3 => &[OTHERS, "metadata"],
    }
}

/// The member of a `zarr.json` that has the user's attributes.
const ATTRIBUTES: &str = "attributes";

/// A document without the attributes, which are left where they are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WithoutAttributes<'a> {
    /// The text of the attributes: a JSON object, which may have Python's tokens.
    pub attributes: &'a str,
    /// Their byte range in the whole document.
    pub range: Range<usize>,
    /// Whether a reader with doubles is known to read them exactly. False if they may have Python's
    /// tokens or integers beyond 2^53.
    pub is_exact: bool,
    /// The text of the rest. Of v2's `.zattrs` these are the attributes that the core reads.
    pub rest: String,
}

/// A document that is being scanned.
pub struct DocumentScan {
    format: ZarrFormat,
    /// Where the documents of other nodes are. `None` for v2's attributes.
    path: Option<&'static [&'static str]>,
    /// Bytes of a byte order mark before the text.
    skipped: usize,
    text: String,
    splitter: Splitter,
    /// Whether the fast scan did not accept the text. A parser then says why.
    is_odd: bool,
}

impl DocumentScan {
    /// Starts the scan of a `zarr.json` (v3) or a `.zmetadata` (v2, drafts).
    ///
    /// # Errors
    /// `Format` for bytes that are not UTF-8, `Limit` for too many bytes.
    pub fn new(bytes: Vec<u8>, format: ZarrFormat) -> Result<Self> {
        let splitter = Splitter::new(true, (format == ZarrFormat::V3).then_some("node_type"));
        Self::with(bytes, format, Some(metadata_path(format)), splitter)
    }

    /// Starts the scan of v2's `.zattrs`.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn of_attributes(bytes: Vec<u8>) -> Result<Self> {
        let splitter = Splitter::new(true, None).keeping(&attributes::READ);
        Self::with(bytes, ZarrFormat::V2, None, splitter)
    }

    fn with(
        mut bytes: Vec<u8>,
        format: ZarrFormat,
        path: Option<&'static [&'static str]>,
        splitter: Splitter,
    ) -> Result<Self> {
        limits::within(bytes.len() as u64, limits::METADATA_BYTES, "metadata document")?;
        let skipped = if bytes.starts_with(BYTE_ORDER_MARK) { BYTE_ORDER_MARK.len() } else { 0 };
        bytes.drain(..skipped);
        let text = String::from_utf8(bytes).map_err(|error| {
            DocumentKind::of_others(format).blame(not_utf8(error.utf8_error()), error.as_bytes())
        })?;
        Ok(Self { format, path, skipped, text, splitter, is_odd: false })
    }

    /// The Zarr format of the document.
    pub fn format(&self) -> ZarrFormat {
        self.format
    }

    /// Scans about this many more bytes. Returns whether there are more.
    pub fn step(&mut self, bytes: usize) -> bool {
        if self.is_odd {
            return false;
        }
        match self.splitter.advance(self.text.as_bytes(), self.path.unwrap_or_default(), bytes) {
            Some(is_done) => !is_done,
            None => {
                self.is_odd = true;
                false
            }
        }
    }

    /// The text of a `zarr.json` without the documents of other nodes. `None` where there are none,
    /// and where a parser must be used.
    pub fn own_text(&self) -> Option<String> {
        if self.format != ZarrFormat::V3 {
            return None;
        }
        self.own_members()?.find(|member| self.text.get(member.key.clone()) == Some(OTHERS))?;
        self.text_without(&[OTHERS])
    }

    /// The text of a `zarr.json` without the documents of other nodes and without attributes, or of
    /// v2's `.zattrs`. `None` where there are no attributes, and where a parser must be used.
    #[allow(clippy::arithmetic_side_effects, reason = "offsets in the document, the skipped bytes included")]
    pub fn without_attributes(&self) -> Option<WithoutAttributes<'_>> {
        let mut members = self.own_members()?;
        let within = if self.path.is_none() {
            0..self.text.len()
        } else {
            let last = members.rfind(|member| self.text.get(member.key.clone()) == Some(ATTRIBUTES))?;
            let is_object = self.text.as_bytes().get(last.value.start) == Some(&b'{');
            is_object.then(|| last.value.clone())?
        };
        let names: &[&str] = if self.path.is_none() { &[] } else { &[OTHERS, ATTRIBUTES] };
        Some(WithoutAttributes {
            range: within.start + self.skipped..within.end + self.skipped,
            attributes: self.text.get(within)?,
            is_exact: self.splitter.is_exact(),
            rest: self.text_without(names)?,
        })
    }

    /// The members of the document itself that were kept. `None` for odd texts.
    fn own_members(&self) -> Option<impl DoubleEndedIterator<Item = &Member>> {
        let is_known = !self.is_odd && self.splitter.is_done();
        is_known.then(|| self.splitter.members().iter().filter(|member| member.depth == 0))
    }

    /// An object of the document's own members, without those of these names.
    fn text_without(&self, names: &[&str]) -> Option<String> {
        let mut own = String::from("{");
        for Member { key, value, .. } in self.own_members()? {
            let (key, value) = (self.text.get(key.clone())?, self.text.get(value.clone())?);
            if names.contains(&key) {
                continue;
            }
            if own.len() > 1 {
                own.push(',');
            }
            own.extend(["\"", key, "\":", value]);
        }
        own.push('}');
        Some(own)
    }

    /// The text, without a byte order mark.
    pub fn into_text(self) -> String {
        self.text
    }

    /// The scanned document, which can be split along the path that was scanned for.
    ///
    /// # Errors
    /// `Limit` for documents nested too deep.
    pub(super) fn finish(self) -> Result<Document<'static>> {
        if self.is_odd {
            return Document::of_odd_text(self.text);
        }
        Ok(Document::of_members(self.text, self.splitter.into_members()))
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    const TEXT: &str = r#"{"zarr_format":3,"node_type":"group","consolidated_metadata":{"kind":"inline","metadata":{
        "a":{"node_type":"array","x":[NaN,-Infinity]},"b":{"node_type":"group"}}},"attributes":{"\u0061":Infinity}}"#;

    fn scanned(text: &[u8], bytes: usize) -> (DocumentScan, usize) {
        let mut scanning = DocumentScan::new(text.to_vec(), ZarrFormat::V3).unwrap();
        let mut steps = 1;
        while scanning.step(bytes) {
            steps += 1;
        }
        (scanning, steps)
    }

    #[test]
    fn steps_of_any_length_give_the_same_result() {
        let (at_once, one) = scanned(TEXT.as_bytes(), usize::MAX);
        assert_eq!(one, 1);
        let members = at_once.splitter.members();
        for bytes in [1, 7, 50] {
            let (scanning, steps) = scanned(TEXT.as_bytes(), bytes);
            assert!(steps >= TEXT.len().min(300) / bytes.max(60), "{steps} of {bytes} bytes");
            assert_eq!(scanning.splitter.members(), members);
        }
        let watched = members.iter().filter_map(|member| TEXT.get(member.watched.clone()?));
        assert_eq!(watched.collect::<Vec<_>>(), ["\"array\"", "\"group\""]);
    }

    #[test]
    fn own_text_is_without_other_documents() {
        let own = r#"{"zarr_format":3,"node_type":"group","attributes":{"\u0061":Infinity}}"#;
        let with_mark = ["\u{feff}", TEXT].concat();
        for text in [TEXT, &with_mark] {
            let (scanning, _) = scanned(text.as_bytes(), 100);
            assert_eq!(scanning.own_text().as_deref(), Some(own));
            assert_eq!(scanning.into_text(), TEXT);
        }
    }

    fn without_attributes(text: &str, bytes: usize) -> Option<(String, String)> {
        let (scanning, _) = scanned(text.as_bytes(), bytes);
        let left = scanning.without_attributes()?;
        assert_eq!(text.get(left.range), Some(left.attributes));
        Some((left.attributes.to_owned(), left.rest))
    }

    #[test]
    fn attributes_of_v3_are_left_where_they_are() {
        let attributes = r#"{ "a": [1, {"b": -0.12345678901234567}], "NaN": "1234567890123456789" }"#;
        let text = format!(
            r#"{{"zarr_format":3,"attributes":{{"old":1}},"fill_value":NaN,"consolidated_metadata":
            {{"metadata":{{"x":{{"fill":NaN}}}}}},"attributes": {attributes} }}"#
        );
        let rest = r#"{"zarr_format":3,"fill_value":NaN}"#.to_owned();
        for bytes in [1, 10, usize::MAX] {
            for text in [text.clone(), format!("\u{feff}{text}")] {
                assert_eq!(without_attributes(&text, bytes), Some((attributes.to_owned(), rest.clone())));
            }
        }
    }

    #[test]
    fn attributes_that_json_parse_would_change_are_not_exact() {
        let is_exact = |value: &str, bytes: usize| {
            let attributes = format!(r#"{{"a": {value}}}"#);
            let (v3, _) = scanned(format!(r#"{{"attributes":{attributes}}}"#).as_bytes(), bytes);
            let v2 = scanned_zattrs(&attributes, bytes);
            let [v3, v2] = [v3, v2].map(|scan| scan.without_attributes().unwrap().is_exact);
            assert_eq!(v3, v2);
            v3
        };
        for bytes in [1, 3, usize::MAX] {
            for lossy in ["NaN", "[1, -Infinity]", "1234567890123456", "{\"a\":-123456789012345678}"] {
                assert!(!is_exact(lossy, bytes), "{lossy}");
            }
            for exact in ["[\"NaN\", \"1234567890123456\"]", "-0.12345678901234567", "1e300", "12345"] {
                assert!(is_exact(exact, bytes), "{exact}");
            }
        }
        for text in ["{}", r#"{"attributes":null}"#, r#"{"attributes":[]}"#, r#"{"attributes":{}"#] {
            assert_eq!(without_attributes(text, 9), None, "{text}");
        }
    }

    fn scanned_zattrs(text: &str, bytes: usize) -> DocumentScan {
        let mut scanning = DocumentScan::of_attributes(text.as_bytes().to_vec()).unwrap();
        while scanning.step(bytes) {}
        scanning
    }

    #[test]
    fn of_zattrs_the_attributes_that_are_read_are_copied() {
        let text =
            r#" {"a": {"metadata": 1}, "_ARRAY_DIMENSIONS": ["x"], "\u005fb": [], "metadata": {"c": 1}} "#;
        let rest = r#"{"_ARRAY_DIMENSIONS":["x"],"\u005fb":[]}"#.to_owned();
        for bytes in [1, 10, usize::MAX] {
            let scan = scanned_zattrs(text, bytes);
            let left = scan.without_attributes().unwrap();
            assert_eq!((left.attributes, left.range, left.rest), (text, 0..text.len(), rest.clone()));
        }
        for odd in ["[]", "{", "{} {}", ""] {
            assert_eq!(scanned_zattrs(odd, 2).without_attributes(), None, "{odd}");
        }
    }

    #[test]
    fn odd_texts_are_left_to_a_parser() {
        for text in ["[]", "{", "{} {}", r#"{"a":Nan}"#, r#"{"\u0061":1}"#, "{\"a\":01}"] {
            let (scanning, _) = scanned(text.as_bytes(), 2);
            assert_eq!(scanning.own_text(), None, "{text}");
            let document = scanning.finish().unwrap();
            let is_valid = document.split(&["consolidated_metadata", "metadata"]).is_ok();
            assert_eq!(is_valid, text.contains("u0061"), "{text}");
        }
        assert!(DocumentScan::new(b"{\"\xff\":1}".to_vec(), ZarrFormat::V3).is_err());
    }
}
