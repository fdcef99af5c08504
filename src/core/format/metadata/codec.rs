//! Codecs in metadata. A codec stays the text that its document has; this file reads what a text
//! says, and writes the texts of codecs that no document names.

use super::extension::Extension;
use super::{CodecMetadata, ZarrFormat};
use crate::error::Result;
use crate::format::data_type::Endian;
use crate::format::json::text::{ObjectText, list, string};
use crate::format::json::{Document, Json};

/// Parses a codec in v3 metadata. The caller sets its field.
///
/// # Errors
/// `Format` for anything but an extension.
pub fn parse(json: Json<'_>) -> Result<CodecMetadata> {
    let extension = Extension::parse(json)?;
    let configuration = extension.configuration.map(|json| json.text().to_owned());
    Ok(CodecMetadata { configuration, ..CodecMetadata::v3(&extension.name) })
}

/// Parses a list of codecs in a field of the document, or of the configuration of a codec of this
/// format. A chain of a draft may have objects of numcodecs.
///
/// # Errors
/// `Format` for anything else, with the index in the list.
pub(in crate::format) fn parse_list(
    json: Json<'_>,
    field: &str,
    format: ZarrFormat,
) -> Result<Vec<CodecMetadata>> {
    let is_draft = matches!(format, ZarrFormat::Draft(_));
    let mut codecs = json.list(|json| match of_numcodecs(json).filter(|_| is_draft) {
        Some(codec) => Ok(codec),
        None => parse(json).map(|codec| CodecMetadata { format, ..codec }),
    })?;
    codecs.iter_mut().enumerate().for_each(|(idx, codec)| codec.field = format!("{field}[{idx}]"));
    Ok(codecs)
}

fn of_numcodecs(json: Json<'_>) -> Option<CodecMetadata> {
    let id = json.object().ok()?.get("id")?.str().ok()?;
    Some(CodecMetadata {
        configuration: Some(json.text().to_owned()),
        format: ZarrFormat::V2,
        ..CodecMetadata::v3(&id)
    })
}

/// The codecs of a shard's index that every writer uses.
pub(in crate::format) fn of_index() -> [CodecMetadata; 2] {
    [CodecMetadata::bytes(Some(Endian::Little)), CodecMetadata::v3("crc32c")]
}

/// The text of a chain.
pub(in crate::format) fn list_text<'a>(codecs: impl IntoIterator<Item = &'a CodecMetadata>) -> String {
    list(codecs.into_iter().map(CodecMetadata::to_text))
}

impl CodecMetadata {
    /// A codec of v3 without a configuration and without a field.
    pub(in crate::format) fn v3(name: &str) -> Self {
        Self { name: name.to_owned(), configuration: None, format: ZarrFormat::V3, field: String::new() }
    }

    /// The `bytes` codec. The byte order is `None` where the data type determines it.
    pub(in crate::format) fn bytes(endian: Option<Endian>) -> Self {
        let configuration = endian.map(|it| ObjectText::new().with("endian", string(it.name())).compact());
        Self { configuration, ..Self::v3("bytes") }
    }

    /// The `transpose` codec of order `F`, which reverses the dimensions.
    pub(in crate::format) fn reversal(rank: usize) -> Self {
        Self::v3("transpose").with(&ObjectText::new().with("order", list((0..rank).rev())))
    }

    /// A codec of numcodecs with these members.
    pub(in crate::format) fn numcodecs(id: &str, mut members: ObjectText) -> Self {
        let mut object = ObjectText::new().with("id", string(id));
        members.remove("id");
        members.members_mut().for_each(|(key, value)| object.set(key, value.as_str()));
        Self { format: ZarrFormat::V2, ..Self::v3(id).with(&object) }
    }

    /// The same codec with this configuration.
    #[must_use]
    pub(in crate::format) fn with(self, configuration: &ObjectText) -> Self {
        Self { configuration: Some(configuration.compact()), ..self }
    }

    /// The same codec in this field of its document.
    #[must_use]
    pub(in crate::format) fn at(self, field: impl Into<String>) -> Self {
        Self { field: field.into(), ..self }
    }

    /// The configuration, parsed. An empty object where there is none.
    pub(in crate::format) fn document(&self) -> Result<Document<'_>> {
        Document::parse(self.configuration.as_deref().unwrap_or("{}").as_bytes())
    }

    /// The members of the configuration.
    pub(in crate::format) fn members(&self) -> Result<ObjectText> {
        ObjectText::of(self.document()?.root())
    }

    /// Whether it is v3's `bytes`.
    pub(in crate::format) fn is_bytes(&self) -> bool {
        self.format == ZarrFormat::V3 && self.name == "bytes"
    }

    /// The byte order that the configuration names. `None` where it does not.
    pub(in crate::format) fn endian(&self) -> Option<Endian> {
        let document = self.document().ok()?;
        Endian::of_name(&document.root().object().ok()?.get("endian")?.str().ok()?)
    }

    /// The text in a list of codecs: an extension, or an object of numcodecs.
    pub(in crate::format) fn to_text(&self) -> String {
        let id = if self.format == ZarrFormat::V2 { "id" } else { "name" };
        let object = ObjectText::new().with(id, string(&self.name));
        match (&self.configuration, self.format) {
            (None, _) => object.compact(),
            (Some(whole), ZarrFormat::V2) => whole.clone(),
            (Some(configuration), _) => object.with("configuration", configuration.as_str()).compact(),
        }
    }
}
