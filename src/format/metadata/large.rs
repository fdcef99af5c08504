//! Scans metadata documents of megabytes in steps, so that other work can run in between.
//! Consolidated metadata of 10^5 nodes is such a document.
//!
//! One scan finds the places and the kinds of the documents of other nodes, and the document's own
//! members. The caller decides how long a step is; there is no clock here.

use super::ZarrFormat;
use super::consolidated::metadata_path;
use super::json::{BYTE_ORDER_MARK, Document, not_utf8};
use crate::error::Result;
use crate::kernel::json::{Member, Splitter};
use crate::limits;

/// The member of a v3 group that has the documents of other nodes.
pub(super) const OTHERS: &str = "consolidated_metadata";

/// A document that is being scanned.
pub struct DocumentScan {
    format: ZarrFormat,
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
    pub fn new(mut bytes: Vec<u8>, format: ZarrFormat) -> Result<Self> {
        limits::within(bytes.len() as u64, limits::METADATA_BYTES, "metadata document")?;
        if bytes.starts_with(BYTE_ORDER_MARK) {
            bytes.drain(..BYTE_ORDER_MARK.len());
        }
        let text = String::from_utf8(bytes).map_err(|error| not_utf8(error.utf8_error()))?;
        let splitter = Splitter::new(true, (format == ZarrFormat::V3).then_some("node_type"));
        Ok(Self { format, text, splitter, is_odd: false })
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
        match self.splitter.advance(self.text.as_bytes(), metadata_path(self.format), bytes) {
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
        if self.is_odd || !self.splitter.is_done() || self.format != ZarrFormat::V3 {
            return None;
        }
        let members = self.splitter.members().iter().filter(|member| member.depth == 0);
        members.clone().find(|member| self.text.get(member.key.clone()) == Some(OTHERS))?;
        let mut own = String::from("{");
        for Member { key, value, .. } in members {
            let (key, value) = (self.text.get(key.clone())?, self.text.get(value.clone())?);
            if key == OTHERS {
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
        let marked = ["\u{feff}", TEXT].concat();
        for text in [TEXT, &marked] {
            let (scanning, _) = scanned(text.as_bytes(), 100);
            assert_eq!(scanning.own_text().as_deref(), Some(own));
            assert_eq!(scanning.into_text(), TEXT);
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
