//! A codec's configuration, read field by field. Every error names the field, the expected and the
//! actual value.
//!
//! A v3 field that the codec did not read is an error, because the specification says that readers
//! must understand every field. v2 readers always ignored unknown fields: there the error is kept
//! and only an encoder raises it. The same holds for a wrong value that only an encoder needs.
//!
//! There is no derive macro: a codec reads a handful of fields.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::fmt::Display;
use std::ops::RangeInclusive;

use super::user::OptionalUserCodecs;
use crate::error::{Error, Result};
use crate::format::json::Json;
use crate::format::metadata::{CodecMetadata, ZarrFormat};

/// Which names and conventions a configuration follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spelling {
    /// The Zarr v3 specification and its registered extensions.
    Zarr,
    /// numcodecs: all v2 metadata, and the `numcodecs.*` names that zarr-python writes to v3
    /// metadata.
    Numcodecs,
}

/// The fields of one codec's configuration.
#[derive(Debug)]
pub struct Configuration<'a> {
    codec: &'a CodecMetadata,
    spelling: Spelling,
    fields: Vec<ConfigurationField<'a>>,
    users: OptionalUserCodecs,
    encode_error: RefCell<Option<Error>>,
}

#[derive(Debug)]
struct ConfigurationField<'a> {
    name: Cow<'a, str>,
    value: Json<'a>,
    understood: Cell<bool>,
}

impl<'a> Configuration<'a> {
    /// Splits a codec's configuration into its fields.
    ///
    /// # Errors
    /// `Format` when it is not a JSON object.
    pub fn new(codec: &'a CodecMetadata, configuration: Json<'a>) -> Result<Self> {
        let spelling = match codec.format {
            ZarrFormat::V3 if !codec.name.starts_with("numcodecs.") => Spelling::Zarr,
            _ => Spelling::Numcodecs,
        };
        let mut fields = Vec::new();
        for (name, value) in configuration.object()? {
            fields.push(ConfigurationField { name, value, understood: Cell::new(false) });
        }
        Ok(Self { codec, spelling, fields, users: None, encode_error: RefCell::default() })
    }

    /// Adds the user codecs of the array, for codecs that contain a chain of codecs.
    #[must_use]
    pub fn with_users(self, users: &OptionalUserCodecs) -> Self {
        Self { users: users.clone(), ..self }
    }

    /// The user codecs of the array, for codecs that contain a chain of codecs.
    pub fn users(&self) -> &OptionalUserCodecs {
        &self.users
    }

    /// The codec's metadata.
    pub fn codec(&self) -> &CodecMetadata {
        self.codec
    }

    /// Which names and conventions the configuration follows.
    pub fn spelling(&self) -> Spelling {
        self.spelling
    }

    /// Reads a string; `None` when the field is absent.
    ///
    /// # Errors
    /// `Format` when the value is not a string.
    pub fn text(&self, field: &str) -> Result<Option<Cow<'a, str>>> {
        self.read(field, Json::str)
    }

    /// Reads a boolean; `None` when the field is absent.
    ///
    /// # Errors
    /// `Format` when the value is not a boolean.
    pub fn boolean(&self, field: &str) -> Result<Option<bool>> {
        self.read(field, Json::bool)
    }

    /// Reads an integer within `range`; `None` when the field is absent.
    ///
    /// # Errors
    /// `Format` when the value is not an integer or not in the range.
    pub fn integer(&self, field: &str, range: RangeInclusive<i64>) -> Result<Option<i64>> {
        self.read(field, |json| match json.i64() {
            Ok(value) if range.contains(&value) => Ok(value),
            _ => Err(json.unexpected(&format!("an integer from {} to {}", range.start(), range.end()))),
        })
    }

    /// Reads a list of sizes or positions; `None` when the field is absent.
    ///
    /// # Errors
    /// `Format` when the value is not a list of non-negative integers.
    pub fn sizes(&self, field: &str) -> Result<Option<Vec<u64>>> {
        self.read(field, Json::u64_list)
    }

    /// Reads one of the strings of `choices` and returns its value; `None` when the field is
    /// absent.
    ///
    /// # Errors
    /// `Format` that lists the choices.
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

    /// Reads a field with the function `read`; `None` when the field is absent.
    ///
    /// # Errors
    /// The error of `read`, with the name of the field.
    pub fn read<T>(&self, field: &str, read: impl FnOnce(Json<'a>) -> Result<T>) -> Result<Option<T>> {
        self.json(field).map(read).transpose().map_err(|error| error.within_field(field))
    }

    /// Returns the JSON value of a field; `None` when the field is absent. The field then counts as
    /// understood.
    pub fn json(&self, name: &str) -> Option<Json<'a>> {
        let field = self.fields.iter().find(|field| field.name == name)?;
        field.understood.set(true);
        // numcodecs writes null for an absent value; v3 does not.
        let absent = self.spelling == Spelling::Numcodecs && field.value.is_null();
        (!absent).then_some(field.value)
    }

    /// Reads a value that only an encoder needs. Decoding continues when it is wrong: the error is
    /// kept.
    pub fn for_encoder<T>(&self, read: Result<Option<T>>) -> Option<T> {
        read.unwrap_or_else(|error| {
            self.encode_error.borrow_mut().get_or_insert(error);
            None
        })
    }

    /// The kept error: why this configuration can decode but not encode.
    pub fn into_encode_error(self) -> Option<Error> {
        self.encode_error.into_inner()
    }

    /// Counts a field as understood, whatever it holds. For fields that do not change decoding.
    pub fn tolerate(&self, field: &str) {
        self.json(field);
    }

    /// Requires a value.
    ///
    /// # Errors
    /// `Format` when the value is absent.
    pub fn required<T>(&self, field: &str, value: Option<T>) -> Result<T> {
        value.ok_or_else(|| Error::format("the codec's configuration lacks a field").in_field(field))
    }

    /// Checks that every field was understood, after the codec has read its fields.
    ///
    /// # Errors
    /// `Format` for the first unknown field. In v2 the error is kept for the encoder.
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
            // numcodecs repeats the codec's name in `get_config`, and some writers store it.
            self.tolerate("id");
        }
        // imagecodecs stores every argument of its functions; the list changes with each release.
        if self.codec.name.starts_with("imagecodecs_") && self.codec.format == ZarrFormat::V2 {
            return Ok(());
        }
        // In v2 null means absent, also for a field that is not known.
        let is_v2 = self.codec.format == ZarrFormat::V2;
        let is_open =
            |field: &&ConfigurationField<'_>| !(field.understood.get() || is_v2 && field.value.is_null());
        match self.fields.iter().find(is_open) {
            Some(field) => Err(Error::format("the codec's configuration has an unknown field")
                .in_field(field.name.as_ref())
                .actual(field.value.describe())),
            None => Ok(()),
        }
    }
}

/// The error of a field whose value does not fit, for checks that the functions above cannot make.
pub fn wrong_value(field: &str, expected: impl Into<String>, actual: impl Display) -> Error {
    Error::format("a field of the codec's configuration has a wrong value")
        .in_field(field)
        .expected(expected)
        .actual(actual.to_string())
}

#[cfg(all(test, not(target_arch = "wasm32")))]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;
    use crate::format::json::Document;

    fn codec(name: &str, format: ZarrFormat) -> CodecMetadata {
        CodecMetadata { name: name.into(), configuration: None, format, field: "codecs[0]".into() }
    }

    #[test]
    fn errors_name_the_field_and_the_expected_value() {
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
    fn unknown_fields_are_errors_in_v3_and_ignored_in_v2() {
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
            let encode_error =
                configuration.into_encode_error().and_then(|error| error.context().field.clone());
            assert_eq!(encode_error.is_some(), format == ZarrFormat::V2, "{name}: {encode_error:?}");
        }
    }

    #[test]
    fn a_wrong_value_for_the_encoder_does_not_stop_decoding() {
        let codec = codec("gzip", ZarrFormat::V3);
        let document = Document::parse(br#"{"level": 12, "other": 3}"#).unwrap();
        let configuration = Configuration::new(&codec, document.root()).unwrap();
        assert_eq!(configuration.for_encoder(configuration.integer("other", 0..=9)), Some(3));
        assert_eq!(configuration.for_encoder(configuration.integer("level", 0..=9)), None);
        configuration.finish().unwrap();
        let encode_error = configuration.into_encode_error().unwrap();
        assert_eq!(encode_error.context().field.as_deref(), Some("level"));
    }

    #[test]
    fn null_means_absent_in_numcodecs_only() {
        let document = Document::parse(br#"{"typesize": null}"#).unwrap();
        let old = codec("blosc", ZarrFormat::V2);
        let old = Configuration::new(&old, document.root()).unwrap();
        assert_eq!(old.integer("typesize", 0..=255).unwrap(), None);
        let new = codec("blosc", ZarrFormat::V3);
        assert!(Configuration::new(&new, document.root()).unwrap().integer("typesize", 0..=255).is_err());
    }

    #[test]
    fn integers_are_exact_and_reals_are_refused() {
        let codec = codec("x", ZarrFormat::V3);
        let document = Document::parse(br#"{"big": 9007199254740993, "real": 1.5, "huge": 1e30}"#).unwrap();
        let configuration = Configuration::new(&codec, document.root()).unwrap();
        assert_eq!(configuration.integer("big", 0..=i64::MAX).unwrap(), Some(9_007_199_254_740_993));
        assert!(configuration.integer("real", 0..=9).is_err());
        assert!(configuration.integer("huge", 0..=9).is_err());
    }
}
