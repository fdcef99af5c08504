//! A reference document: for each key, a byte range of a file, or the value itself. kerchunk's
//! JSON, versions 0 and 1. <https://fsspec.github.io/kerchunk/spec.html>
//!
//! A document may have millions of references, so it is read into a compact table in one pass.
//! Inline values stay JSON until their key is read. Each URL is stored once.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::fmt;

use serde::de::{Error as _, MapAccess, Visitor};
use serde::{Deserialize, Deserializer as _};
use serde_json::value::RawValue;

use super::generator::{Formula, Generator};
use super::template::{self, Binding, Budget, Names};
use crate::error::{Error, Result};
use crate::format::path::StoreKey;
use crate::limits;
use crate::store::key_table::KeyTable;

/// The reference of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reference {
    /// The document contains the value.
    Inline {
        /// Offset of its JSON in `References::inline`.
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

/// The number of a URL; `None` if the document leaves the file to the reader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Url(Option<u32>);

/// A parsed document.
#[derive(Debug, Default)]
pub struct References {
    table: KeyTable<Reference>,
    urls: Vec<String>,
    /// The JSON of all inline values.
    inline: String,
    skipped: u64,
}

impl References {
    /// Parses a document.
    ///
    /// # Errors
    /// `Format` for an invalid document; `Limit` for a document with too many references.
    pub fn parse(text: &[u8]) -> Result<Self> {
        let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
        let text = std::str::from_utf8(text)
            .map_err(|error| Error::format(format!("the reference document is not valid UTF-8: {error}")))?;
        let (mut members, mut collector) = (Members::default(), Collector::default());
        walk(text, |key, value| {
            match (key, value.get().as_bytes().first()) {
                // In version 0, these names may be keys, whose values have another form.
                ("refs", Some(b'{')) => members.refs = Some(value),
                ("templates", Some(b'{')) => members.templates = Some(value),
                ("gen", Some(b'[')) if !begins_with_text(value.get()) => members.generators = Some(value),
                ("version", Some(b'0'..=b'9')) => {}
                _ => collector.take(key, value.get())?,
            }
            Ok(())
        })?;
        match members.refs {
            // Version 0: all references were collected above.
            None => Ok(collector.references.sorted()),
            Some(refs) => version_1(&members, refs.get()),
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
        self.urls.get(usize::try_from(url.0?).ok()?).map(String::as_str)
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
        let json = self
            .inline
            .get(start as usize..(start as usize).saturating_add(len as usize))
            .unwrap_or_default();
        if !json.starts_with('"') {
            return Ok(json.as_bytes().to_vec());
        }
        let text: String = serde_json::from_str(json).map_err(|error| not_read(&error))?;
        match text.strip_prefix("base64:") {
            None => Ok(text.into_bytes()),
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

    fn sorted(mut self) -> Self {
        self.table.sort();
        self
    }

    #[allow(clippy::arithmetic_side_effects, reason = "counts of references")]
    fn push(&mut self, key: &str, reference: Reference) -> Result<()> {
        if StoreKey::parse(key).is_err() {
            self.skipped += 1;
            return Ok(());
        }
        limits::within(self.table.len() as u64 + 1, limits::REFERENCES, "a document of references")?;
        self.table.push(key, reference)
    }

    fn push_inline(&mut self, key: &str, json: &str) -> Result<()> {
        let start = limits::within(self.inline.len() as u64, u64::from(u32::MAX), "inline references")?;
        self.inline.push_str(json);
        limits::within(self.inline.len() as u64, u64::from(u32::MAX), "inline references")?;
        // Both were just found to fit.
        #[allow(clippy::cast_possible_truncation)]
        let (start, len) = (start as u32, json.len() as u32);
        self.push(key, Reference::Inline { start, len })
    }
}

/// Whether a list begins with a text.
fn begins_with_text(list: &str) -> bool {
    list.strip_prefix('[').is_some_and(|items| items.trim_start().starts_with('"'))
}

fn not_read(error: &serde_json::Error) -> Error {
    Error::format(format!("the reference document is not valid: {error}"))
}

/// The top-level members of version 1, if they are present.
#[derive(Default)]
struct Members<'a> {
    refs: Option<&'a RawValue>,
    templates: Option<&'a RawValue>,
    generators: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Key<'a>(#[serde(borrow)] Cow<'a, str>);

/// `[url]` or `[url, offset, length]`.
#[derive(Deserialize)]
struct Remote<'a>(
    #[serde(borrow)] Option<Cow<'a, str>>,
    #[serde(default)] Option<u64>,
    #[serde(default)] Option<u64>,
);

/// Collects references, and numbers their URLs.
#[derive(Default)]
struct Collector {
    references: References,
    numbers: HashMap<String, u32>,
    templates: Names,
    budget: Budget,
}

impl Collector {
    fn take(&mut self, key: &str, json: &str) -> Result<()> {
        match json.as_bytes().first() {
            Some(b'[') => {
                let remote: Remote<'_> =
                    serde_json::from_str(json).map_err(|error| not_read(&error).at_key(key))?;
                self.take_remote(key, &remote)
            }
            Some(b'"' | b'{') => self.references.push_inline(key, json),
            Some(b'n') => Ok(()),
            _ => Err(Error::format("a reference must be a string, an object or a list")
                .at_key(key)
                .actual(json)),
        }
    }

    fn take_remote(&mut self, key: &str, Remote(url, offset, len): &Remote<'_>) -> Result<()> {
        let url =
            Url(url.as_ref().map(|url| self.number(url)).transpose().map_err(|error| error.at_key(key))?);
        let reference = match (*offset, *len) {
            (None, None) => Reference::File(url),
            (Some(offset), Some(len)) if offset.checked_add(len).is_some() => {
                Reference::Part { url, offset, len }
            }
            _ => {
                return Err(Error::format("a reference needs an offset and a length below 2^64").at_key(key));
            }
        };
        self.references.push(key, reference)
    }

    fn number(&mut self, url: &str) -> Result<u32> {
        if let Some(number) = self.numbers.get(url) {
            return Ok(*number);
        }
        let rendered = match template::has_expressions(url) && !self.templates.is_empty() {
            true => template::render(url, &[&self.templates], &self.budget)?,
            false => url.to_owned(),
        };
        let number = self.add_url(rendered)?;
        self.numbers.insert(url.to_owned(), number);
        Ok(number)
    }

    fn add_url(&mut self, url: String) -> Result<u32> {
        let number = self.references.urls.len() as u64;
        let number = u32::try_from(number)
            .map_err(|_| limits::exceeded("URLs of references", number, u64::from(u32::MAX)))?;
        self.references.urls.push(url);
        Ok(number)
    }

    fn generate(&mut self, generator: &Generator) -> Result<()> {
        generator.each(|names| self.generate_one(generator, names))
    }

    fn generate_one(&mut self, generator: &Generator, names: &Names) -> Result<()> {
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
        let same = self.references.urls.last().is_some_and(|last| *last == url);
        if !same {
            self.add_url(url)?;
        }
        let url = Url(self.references.urls.len().checked_sub(1).and_then(|last| u32::try_from(last).ok()));
        let reference = match (offset, len) {
            (None, None) => Reference::File(url),
            (Some(offset), Some(len)) if offset.checked_add(len).is_some() => {
                Reference::Part { url, offset, len }
            }
            _ => {
                return Err(
                    Error::format("generated references need both an offset and a length").at_key(key)
                );
            }
        };
        self.references.push(&key, reference)
    }
}

fn version_1(members: &Members<'_>, refs: &str) -> Result<References> {
    let mut collector = Collector::default();
    if let Some(templates) = members.templates {
        let templates: BTreeMap<String, String> =
            serde_json::from_str(templates.get()).map_err(|error| not_read(&error))?;
        collector.templates =
            templates.iter().map(|(name, text)| (name.as_str().into(), Binding::of_template(text))).collect();
    }
    walk(refs, |key, value| collector.take(key, value.get()))?;
    if let Some(generators) = members.generators {
        let generators: Vec<Generator> =
            serde_json::from_str(generators.get()).map_err(|error| not_read(&error))?;
        generators.iter().try_for_each(|generator| collector.generate(generator))?;
    }
    Ok(collector.references.sorted())
}

/// Calls `take` with each member of a JSON object: its name and its unparsed value.
fn walk<'de>(json: &'de str, take: impl FnMut(&str, &'de RawValue) -> Result<()>) -> Result<()> {
    let mut failed = None;
    let mut json = serde_json::Deserializer::from_str(json);
    let outcome = json.deserialize_map(Walk { take, failed: &mut failed }).and_then(|()| json.end());
    match failed {
        Some(error) => Err(error),
        None => outcome.map_err(|error| not_read(&error)),
    }
}

struct Walk<'f, F> {
    take: F,
    /// The error of `take`. A visitor can return only its own kind of errors.
    failed: &'f mut Option<Error>,
}

impl<'de, F: FnMut(&str, &'de RawValue) -> Result<()>> Visitor<'de> for Walk<'_, F> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object of references")
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> std::result::Result<(), A::Error> {
        while let Some(Key(key)) = map.next_key()? {
            if let Err(error) = (self.take)(&key, map.next_value()?) {
                *self.failed = Some(error);
                return Err(A::Error::custom("failed"));
            }
        }
        Ok(())
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests;
