//! A codec's configuration, read field by field: every error names the field, what was expected and what was there.
//!
//! A field that no read asked for is an error where the specification says that it must be understood (v3). Where readers always
//! ignored it (v2), and where only an encoder needs what is wrong, the error is kept for whoever encodes. Deliberately no derive: a codec's parser is a handful of reads, and stays one.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::fmt::Display;
use std::ops::RangeInclusive;

use super::user::Users;
use crate::error::{Error, Result};
use crate::format::metadata::json::Json;
use crate::format::metadata::{CodecMetadata, ZarrFormat};

/// Whose words a configuration uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spelling {
    /// The Zarr v3 specification and its registered extensions.
    Zarr,
    /// numcodecs: v2, and the `numcodecs.*` names that zarr-python writes into v3 metadata.
    Numcodecs,
}

/// The fields of one codec's configuration.
#[derive(Debug)]
pub struct Configuration<'a> {
    codec: &'a CodecMetadata,
    spelling: Spelling,
    fields: Vec<Field<'a>>,
    users: Users,
    refusal: RefCell<Option<Error>>,
}

#[derive(Debug)]
struct Field<'a> {
    name: Cow<'a, str>,
    value: Json<'a>,
    understood: Cell<bool>,
}

impl<'a> Configuration<'a> {
    /// Takes a codec's configuration apart.
    ///
    /// # Errors
    /// `Format` when it is not a JSON object.
    pub fn new(codec: &'a CodecMetadata, configuration: Json<'a>) -> Result<Self> {
        let spelling = match codec.format {
            ZarrFormat::V3 if !codec.name.starts_with("numcodecs.") => Spelling::Zarr,
            _ => Spelling::Numcodecs,
        };
        let fields = configuration
            .object()?
            .into_iter()
            .map(|(name, value)| Field { name, value, understood: Cell::new(false) })
            .collect();
        Ok(Self { codec, spelling, fields, users: None, refusal: RefCell::default() })
    }

    /// The same, of an array whose chains may hold codecs of the user's.
    #[must_use]
    pub fn with_users(self, users: &Users) -> Self {
        Self { users: users.clone(), ..self }
    }

    /// The user's codecs, for codecs that hold chains of their own.
    pub fn users(&self) -> &Users {
        &self.users
    }

    /// The codec as the metadata names it.
    pub fn codec(&self) -> &CodecMetadata {
        self.codec
    }

    /// Whose words the configuration uses.
    pub fn spelling(&self) -> Spelling {
        self.spelling
    }

    /// A string, where the field is there.
    ///
    /// # Errors
    /// `Format` when it is something else.
    pub fn text(&self, field: &str) -> Result<Option<Cow<'a, str>>> {
        self.read(field, Json::str)
    }

    /// True or false, where the field is there.
    ///
    /// # Errors
    /// `Format` when it is something else.
    pub fn boolean(&self, field: &str) -> Result<Option<bool>> {
        self.read(field, Json::bool)
    }

    /// An integer within `range`, where the field is there.
    ///
    /// # Errors
    /// `Format` when it is something else, or outside.
    pub fn integer(&self, field: &str, range: RangeInclusive<i64>) -> Result<Option<i64>> {
        self.read(field, |json| match json.i64() {
            Ok(value) if range.contains(&value) => Ok(value),
            _ => Err(json.unexpected(&format!("an integer from {} to {}", range.start(), range.end()))),
        })
    }

    /// A list of sizes or positions, where the field is there.
    ///
    /// # Errors
    /// `Format` when it is something else.
    pub fn sizes(&self, field: &str) -> Result<Option<Vec<u64>>> {
        self.read(field, Json::u64_list)
    }

    /// One of the strings of `choices`, as what it stands for, where the field is there.
    ///
    /// # Errors
    /// `Format` naming the choices.
    pub fn choice<T: Copy>(&self, field: &str, choices: &[(&str, T)]) -> Result<Option<T>> {
        self.read(field, |json| {
            let text = json.str().ok();
            let chosen = choices.iter().find(|choice| Some(choice.0) == text.as_deref());
            chosen.map(|choice| choice.1).ok_or_else(|| {
                let names: Vec<&str> = choices.iter().map(|choice| choice.0).collect();
                json.unexpected(&format!("one of {}", names.join(", ")))
            })
        })
    }

    /// What `read` makes of a field, where it is there: for values of other forms.
    ///
    /// # Errors
    /// Whatever `read` finds, naming the field.
    pub fn read<T>(&self, field: &str, read: impl FnOnce(Json<'a>) -> Result<T>) -> Result<Option<T>> {
        self.json(field).map(read).transpose().map_err(|error| error.within_field(field))
    }

    /// A field as it stands, where it is there. It counts as understood.
    pub fn json(&self, name: &str) -> Option<Json<'a>> {
        let field = self.fields.iter().find(|field| field.name == name)?;
        field.understood.set(true);
        // numcodecs writes null for "not given"; v3 has no such word.
        let absent = self.spelling == Spelling::Numcodecs && field.value.is_null();
        (!absent).then_some(field.value)
    }

    /// A value that only an encoder needs: what is wrong with it stops nobody who reads.
    pub fn for_encoder<T>(&self, read: Result<Option<T>>) -> Option<T> {
        read.unwrap_or_else(|error| {
            self.refusal.borrow_mut().get_or_insert(error);
            None
        })
    }

    /// Why nothing can be encoded with this configuration, though it can be decoded.
    pub fn into_refusal(self) -> Option<Error> {
        self.refusal.into_inner()
    }

    /// Takes a field as understood whatever it holds: for those that mean nothing to a reader.
    pub fn tolerate(&self, field: &str) {
        self.json(field);
    }

    /// A value that must be there.
    ///
    /// # Errors
    /// `Format` when it is not.
    pub fn required<T>(&self, field: &str, value: Option<T>) -> Result<T> {
        value.ok_or_else(|| Error::format("configuration lacks a field").in_field(field))
    }

    /// Checks that every field was understood, once the codec has read those it knows.
    ///
    /// # Errors
    /// `Format` naming the first that was not; in v2 that is for whoever encodes.
    pub fn finish(&self) -> Result<()> {
        let checked = self.check_understood();
        match self.codec.format {
            ZarrFormat::V2 => {
                self.for_encoder(checked.map(Some));
                Ok(())
            }
            ZarrFormat::V3 | ZarrFormat::Draft(_) => checked,
        }
    }

    fn check_understood(&self) -> Result<()> {
        if self.spelling == Spelling::Numcodecs {
            // numcodecs' own `get_config` repeats the codec's name here, and some writers pass it on.
            self.tolerate("id");
        }
        // imagecodecs writes all that its functions can be told, which differs from release to release.
        if self.codec.name.starts_with("imagecodecs_") && self.codec.format == ZarrFormat::V2 {
            return Ok(());
        }
        // null is "not given", whatever it is that was not.
        let is_v2 = self.codec.format == ZarrFormat::V2;
        let is_open = |field: &&Field<'_>| !(field.understood.get() || is_v2 && field.value.is_null());
        match self.fields.iter().find(is_open) {
            Some(field) => Err(Error::format("configuration has a field that is not understood")
                .in_field(field.name.as_ref())
                .actual(field.value.describe())),
            None => Ok(()),
        }
    }
}

/// The error of a field whose value does not fit: for checks that go beyond the reads above.
pub fn unfit(field: &str, expected: impl Into<String>, actual: impl Display) -> Error {
    Error::format("configuration field has a value that does not fit")
        .in_field(field)
        .expected(expected)
        .actual(actual.to_string())
}

#[cfg(all(test, not(target_arch = "wasm32")))]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;
    use crate::format::metadata::json::Document;

    fn codec(name: &str, format: ZarrFormat) -> CodecMetadata {
        CodecMetadata { name: name.into(), configuration: None, format, field: "codecs[0]".into() }
    }

    #[test]
    fn reads_say_what_is_wrong_with_which_field() {
        let codec = codec("gzip", ZarrFormat::V3);
        let text = br#"{"level": 12, "name": 3, "order": [1, -1], "mode": "x", "ok": [0, 7]}"#;
        let document = Document::parse(text).unwrap();
        let configuration = Configuration::new(&codec, document.root()).unwrap();
        let level = configuration.integer("level", 0..=9).unwrap_err();
        assert_eq!(level.kind(), ErrorKind::Format);
        assert_eq!(level.context().field.as_deref(), Some("level"));
        assert_eq!(level.context().expected.as_deref(), Some("an integer from 0 to 9"));
        assert_eq!(level.context().actual.as_deref(), Some("a number: 12"));
        assert_eq!(configuration.text("name").unwrap_err().context().actual.as_deref(), Some("a number: 3"));
        assert_eq!(configuration.sizes("order").unwrap_err().context().field.as_deref(), Some("order[1]"));
        let mode = configuration.choice("mode", &[("a", 1), ("b", 2)]).unwrap_err();
        assert_eq!(mode.context().expected.as_deref(), Some("one of a, b"));
        assert_eq!(mode.context().actual.as_deref(), Some("a string: \"x\""));
        assert_eq!(configuration.text("absent").unwrap(), None);
        assert_eq!(configuration.sizes("ok").unwrap(), Some(vec![0, 7]));
        let missing = configuration.required("order", None::<u8>).unwrap_err();
        assert_eq!(missing.context().field.as_deref(), Some("order"));
    }

    #[test]
    fn v3_must_understand_every_field_and_v2_need_not() {
        let document = Document::parse(br#"{"id": "zlib", "level": 1, "colour": "red"}"#).unwrap();
        for (name, format, refused) in [
            ("zlib", ZarrFormat::V2, None),
            ("numcodecs.zlib", ZarrFormat::V3, Some("colour")),
            ("gzip", ZarrFormat::V3, Some("id")),
        ] {
            let codec = codec(name, format);
            let configuration = Configuration::new(&codec, document.root()).unwrap();
            assert_eq!(configuration.integer("level", 0..=9).unwrap(), Some(1));
            let field = configuration.finish().err().and_then(|error| error.context().field.clone());
            assert_eq!(field.as_deref(), refused, "{name}");
            let refusal = configuration.into_refusal().and_then(|error| error.context().field.clone());
            assert_eq!(refusal.is_some(), format == ZarrFormat::V2, "{name}: {refusal:?}");
        }
    }

    #[test]
    fn what_only_an_encoder_needs_is_kept_for_it() {
        let codec = codec("gzip", ZarrFormat::V3);
        let document = Document::parse(br#"{"level": 12, "other": 3}"#).unwrap();
        let configuration = Configuration::new(&codec, document.root()).unwrap();
        assert_eq!(configuration.for_encoder(configuration.integer("other", 0..=9)), Some(3));
        assert_eq!(configuration.for_encoder(configuration.integer("level", 0..=9)), None);
        configuration.finish().unwrap();
        let refusal = configuration.into_refusal().unwrap();
        assert_eq!(refusal.context().field.as_deref(), Some("level"));
    }

    #[test]
    fn null_means_absent_to_numcodecs_only() {
        let document = Document::parse(br#"{"typesize": null}"#).unwrap();
        let old = codec("blosc", ZarrFormat::V2);
        let old = Configuration::new(&old, document.root()).unwrap();
        assert_eq!(old.integer("typesize", 0..=255).unwrap(), None);
        let new = codec("blosc", ZarrFormat::V3);
        assert!(Configuration::new(&new, document.root()).unwrap().integer("typesize", 0..=255).is_err());
    }

    #[test]
    fn integers_are_exact_and_nothing_else() {
        let codec = codec("x", ZarrFormat::V3);
        let document = Document::parse(br#"{"big": 9007199254740993, "real": 1.5, "huge": 1e30}"#).unwrap();
        let configuration = Configuration::new(&codec, document.root()).unwrap();
        assert_eq!(configuration.integer("big", 0..=i64::MAX).unwrap(), Some(9_007_199_254_740_993));
        assert!(configuration.integer("real", 0..=9).is_err());
        assert!(configuration.integer("huge", 0..=9).is_err());
    }
}
