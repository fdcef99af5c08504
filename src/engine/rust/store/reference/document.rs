//! A reference document: for each key, a byte range of a file, or the value itself. kerchunk's
//! JSON, versions 0 and 1. <https://fsspec.github.io/kerchunk/spec.html>
//!
//! A document may have millions of references, so it is read into a compact table in one pass. The
//! table refers to the document for keys and inline values, which stay JSON until their key is
//! read. Each URL is stored once.

use std::borrow::Cow;
use std::collections::HashMap;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::generator::{Formula, Generator};
use super::json::{Text, items, members, not_read};
use super::template::{self, Binding, Budget, Names};
use super::urls::{Url, Urls};
use crate::error::{Error, Result};
use crate::format::metadata::document_kind::DocumentKind;
use crate::format::path::StoreKey;
use crate::limits;
use crate::store::key_table::KeyTable;

/// The reference of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reference {
    /// The document contains the value.
    Inline {
        /// Offset of its JSON in the document.
        start: u32,
        /// Length of its JSON in bytes.
        len: u32,
    },
    /// A whole file.
    File(Url),
    /// A byte range of a file.
    Part {
        /// The file.
        url: Url,
        /// Offset of the first byte.
        offset: u64,
        /// Number of bytes.
        len: u64,
    },
}

impl Reference {
    /// A file, or the range of it that offset and length give. `None` where one of them is missing
    /// or the range ends beyond 2^64.
    fn of(url: Url, offset: Option<u64>, len: Option<u64>) -> Option<Self> {
        match (offset, len) {
            (None, None) => Some(Self::File(url)),
            _ => {
                let (offset, len) = (offset?, len?);
                offset.checked_add(len).map(|_| Self::Part { url, offset, len })
            }
        }
    }
}

/// How many URLs are known at once, so that each is stored and rendered once. The map of a document
/// with more is emptied when it is full.
const KNOWN_URLS: usize = 1 << 20;

/// How many members a document of another kind has at most, if all are texts and objects.
const MAX_MEMBERS: usize = 4;

/// A parsed document.
#[derive(Debug, Default)]
pub struct References {
    table: KeyTable<Reference>,
    urls: Urls,
    skipped: u64,
}

impl References {
    /// Parses a document. It is kept, because it contains the keys and the inline values.
    ///
    /// # Errors
    /// `Format` for an invalid document; `Limit` for a document with too many references.
    pub fn parse(text: Vec<u8>) -> Result<Self> {
        let kind = DocumentKind::KerchunkJson;
        let document = String::from_utf8(text).map_err(|error| {
            let message = format!("the reference document is not valid UTF-8: {}", error.utf8_error());
            kind.blame(Error::format(message), error.as_bytes())
        })?;
        let mut references = collect(&document).map_err(|error| kind.blame(error, document.as_bytes()))?;
        // Texts and objects alone are references of version 0, whatever document they are from.
        if references.skipped == 0 && references.table.len() <= MAX_MEMBERS {
            kind.expect(document.as_bytes())?;
        }
        references.table.sort_in(document);
        Ok(references)
    }

    /// Parses the `.zmetadata` of kerchunk's Parquet: the documents of its nodes, and its
    /// `record_size`.
    ///
    /// # Errors
    /// `Format` for another document, which the error names; `Limit` for too many documents.
    pub fn parse_metadata(text: Vec<u8>) -> Result<(Self, u64)> {
        let kind = DocumentKind::KerchunkParquet;
        let document = String::from_utf8(text).map_err(|error| {
            let message = format!("the metadata of references is not valid UTF-8: {}", error.utf8_error());
            kind.blame(Error::format(message), error.as_bytes())
        })?;
        let read = || {
            let (mut metadata, mut record_size) = (None, None);
            members(document.strip_prefix('\u{feff}').unwrap_or(&document), &mut |key, value| {
                match &*key {
                    "metadata" => metadata = Some(value.get()),
                    "record_size" => record_size = Some(value.get()),
                    _ => {}
                }
                Ok(())
            })?;
            let size = record_size.and_then(|size| size.parse().ok());
            let lacks = || Error::format("there is no number of rows").in_field("record_size");
            let size: u64 = size.ok_or_else(lacks)?;
            let metadata =
                metadata.ok_or_else(|| Error::format("there are no documents").in_field("metadata"))?;
            let mut collector = Collector::of(&document);
            members(metadata, &mut |key, value| collector.push_inline(&key, value.get()))?;
            Ok((collector.references, size))
        };
        let (mut references, size) = read().map_err(|error| kind.blame(error, document.as_bytes()))?;
        references.table.sort_in(document);
        Ok((references, size))
    }

    /// The document under a key, if it is inline.
    ///
    /// # Errors
    /// As [`inline`](Self::inline).
    pub fn inline_text(&self, key: &StoreKey) -> Result<Option<Vec<u8>>> {
        match self.find(key) {
            Some(Reference::Inline { start, len }) => self.inline(start, len).map(Some),
            _ => Ok(None),
        }
    }

    /// The reference of a key.
    pub fn find(&self, key: &StoreKey) -> Option<Reference> {
        self.table.find(key.as_str()).copied()
    }

    /// All keys and their references.
    pub fn table(&self) -> &KeyTable<Reference> {
        &self.table
    }

    /// A URL as the document writes it.
    pub fn url(&self, url: Url) -> Option<&str> {
        self.urls.get(url)
    }

    /// Number of references that were skipped because their key is invalid.
    pub fn skipped(&self) -> u64 {
        self.skipped
    }

    /// An inline value: text as UTF-8, `base64:` decoded, an object as its JSON.
    ///
    /// # Errors
    /// `Format` for invalid base64.
    pub fn inline(&self, start: u32, len: u32) -> Result<Vec<u8>> {
        let range = start as usize..(start as usize).saturating_add(len as usize);
        let json = self.table.document().get(range).unwrap_or_default();
        if !json.starts_with('"') {
            return Ok(json.as_bytes().to_vec());
        }
        let text = Text::parse(json)?;
        match text.strip_prefix("base64:") {
            None => Ok(text.into_owned().into_bytes()),
            Some(encoded) => {
                use base64::Engine as _;
                use base64::alphabet::STANDARD;
                use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
                let tolerant =
                    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent);
                let decoded = GeneralPurpose::new(&STANDARD, tolerant).decode(encoded.trim());
                decoded.map_err(|error| {
                    Error::format(format!("an inline reference is not valid base64: {error}"))
                })
            }
        }
    }
}

/// The references of a document. Their keys are found once the table is sorted.
fn collect(document: &str) -> Result<References> {
    let (mut found, mut collector) = (Members::default(), Collector::of(document));
    members(document.strip_prefix('\u{feff}').unwrap_or(document), &mut |key, value| {
        match (&*key, value.get().as_bytes().first()) {
            // In version 0, these names may be keys, whose values have another form.
            ("refs", Some(b'{')) => found.refs = Some(value),
            ("templates", Some(b'{')) => found.templates = Some(value),
            ("gen", Some(b'[')) if !begins_with_text(value.get()) => found.generators = Some(value),
            ("version", Some(b'0'..=b'9')) => {}
            _ => collector.take(&key, value.get())?,
        }
        Ok(())
    })?;
    match found.refs {
        // Version 0: all references were collected above.
        None => Ok(collector.references),
        Some(refs) => version_1(document, &found, refs.get()),
    }
}

/// Whether a list begins with a text.
fn begins_with_text(list: &str) -> bool {
    list.strip_prefix('[').is_some_and(|items| items.trim_start().starts_with('"'))
}

/// The top-level members of version 1, if they are present.
#[derive(Default)]
struct Members<'a> {
    refs: Option<&'a RawValue>,
    templates: Option<&'a RawValue>,
    generators: Option<&'a RawValue>,
}

/// `[url]` or `[url, offset, length]`.
#[derive(Deserialize)]
struct Remote<'a>(
    #[serde(borrow)] Option<Cow<'a, str>>,
    #[serde(default)] Option<u64>,
    #[serde(default)] Option<u64>,
);

/// Collects references, and numbers their URLs.
struct Collector<'a> {
    document: &'a str,
    references: References,
    /// The URLs as they are in the document.
    known: HashMap<Cow<'a, str>, Url>,
    templates: Names,
    budget: Budget,
}

impl<'a> Collector<'a> {
    fn of(document: &'a str) -> Self {
        let table = KeyTable::in_document(document.len());
        Self {
            document,
            references: References { table, ..References::default() },
            known: HashMap::new(),
            templates: Names::new(),
            budget: Budget::of(document.len()),
        }
    }

    /// Adds a reference. Its key need not be a part of the document.
    fn push(&mut self, key: &str, reference: Reference) -> Result<()> {
        let Ok(key) = StoreKey::check(key) else {
            self.references.skipped = self.references.skipped.saturating_add(1);
            return Ok(());
        };
        let table = &mut self.references.table;
        limits::within(
            (table.len() as u64).saturating_add(1),
            limits::REFERENCES,
            "a document of references",
        )?;
        match offset(self.document, key) {
            Some(start) => table.push_row(start, key.len(), reference),
            None => table.push(key, reference),
        }
    }

    fn push_inline(&mut self, key: &str, json: &str) -> Result<()> {
        let start = offset(self.document, json).and_then(|start| u32::try_from(start).ok());
        let end = start.zip(u32::try_from(json.len()).ok());
        let too_long = || limits::exceeded("a reference document", u64::MAX, u64::from(u32::MAX));
        let (start, len) = end.ok_or_else(too_long)?;
        self.push(key, Reference::Inline { start, len })
    }

    fn take(&mut self, key: &str, json: &'a str) -> Result<()> {
        match json.as_bytes().first() {
            Some(b'[') => {
                let remote: Remote<'a> =
                    serde_json::from_str(json).map_err(|error| not_read(&error).at_key(key))?;
                self.take_remote(key, remote)
            }
            Some(b'"' | b'{') => self.push_inline(key, json),
            Some(b'n') => Ok(()),
            _ => Err(Error::format("a reference must be a string, an object or a list")
                .at_key(key)
                .actual(json)),
        }
    }

    fn take_remote(&mut self, key: &str, Remote(url, offset, len): Remote<'a>) -> Result<()> {
        let url = url.map_or(Ok(Url::OF_READER), |url| self.number(url));
        let url = url.map_err(|error| error.at_key(key))?;
        let wrong = || Error::format("a reference needs an offset and a length below 2^64").at_key(key);
        self.push(key, Reference::of(url, offset, len).ok_or_else(wrong)?)
    }

    fn number(&mut self, url: Cow<'a, str>) -> Result<Url> {
        if let Some(number) = self.known.get(&url) {
            return Ok(*number);
        }
        let number = match template::has_expressions(&url) && !self.templates.is_empty() {
            true => {
                let rendered = template::render(&url, &[&self.templates], &self.budget)?;
                self.references.urls.push(&rendered)?
            }
            false => self.references.urls.push(&url)?,
        };
        if self.known.len() == KNOWN_URLS {
            self.known.clear();
        }
        self.known.insert(url, number);
        Ok(number)
    }

    fn generate(&mut self, generator: &Generator<'_>) -> Result<()> {
        generator.each(|names| self.generate_one(generator, names))
    }

    fn generate_one(&mut self, generator: &Generator<'_>, names: &Names) -> Result<()> {
        self.budget.generated();
        let templates = std::mem::take(&mut self.templates);
        let names = [names, &templates];
        let budget = &self.budget;
        let rendered = || {
            let number = |formula: &Option<Formula>| {
                formula.as_ref().map(|formula| formula.number(&names, budget)).transpose()
            };
            let render = |text| template::render(text, &names, budget);
            let (key, url) = (render(&generator.key)?, render(&generator.url)?);
            Ok((key, url, number(&generator.offset)?, number(&generator.length)?))
        };
        let rendered = rendered();
        self.templates = templates;
        let (key, url, offset, len): (String, String, _, _) = rendered?;
        let urls = &mut self.references.urls;
        let url = if urls.get(urls.last()) == Some(&url) {
            self.budget.dropped(url.len());
            urls.last()
        } else {
            urls.push(&url)?
        };
        let wrong = || Error::format("generated references need both an offset and a length").at_key(&*key);
        self.push(&key, Reference::of(url, offset, len).ok_or_else(wrong)?)
    }
}

fn version_1(document: &str, found: &Members<'_>, refs: &str) -> Result<References> {
    let mut collector = Collector::of(document);
    if let Some(templates) = found.templates {
        members(templates.get(), &mut |name, text| {
            let text = Binding::of_template(&Text::parse(text.get())?);
            collector.templates.insert((&*name).into(), text);
            let count = collector.templates.len() as u64;
            limits::within(count, limits::TEMPLATES, "the templates of references").map(drop)
        })?;
    }
    members(refs, &mut |key, value| collector.take(&key, value.get()))?;
    if let Some(generators) = found.generators {
        items(generators.get(), &mut |_, generator| {
            let generator = serde_json::from_str(generator.get()).map_err(|error| not_read(&error))?;
            collector.generate(&generator)
        })?;
    }
    Ok(collector.references)
}

/// Where a part of the document begins in it. `None` for another text.
fn offset(document: &str, part: &str) -> Option<usize> {
    let start = (part.as_ptr() as usize).checked_sub(document.as_ptr() as usize)?;
    (start.checked_add(part.len())? <= document.len()).then_some(start)
}

#[cfg(all(test, not(target_arch = "wasm32")))]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests;
