//! A codec chain being built out of metadata that does not name the step from elements to bytes: v2's, and the drafts'.
//!
//! The `bytes` codec is put where the first codec of bytes stands, or at the end; order `F` is a `transpose` in front.

use super::json::{Json, Object};
use super::{CodecMetadata, ZarrFormat};
use crate::error::{Error, Result};
use crate::format::codec::registry::{CodecKind, kind_of};
use crate::format::data_type::typestr::Endian;

/// A chain being built, in encoding order.
pub(super) struct Chain {
    codecs: Vec<CodecMetadata>,
    /// Byte order of the elements at this point; `None` where their type knows it.
    endian: Option<Endian>,
    /// Whether elements have become bytes.
    is_bytes: bool,
    /// Where the document says what elements are.
    type_field: &'static str,
}

impl Chain {
    /// An empty chain for elements of this byte order, which the document gives in this field.
    pub fn new(endian: Option<Endian>, type_field: &'static str) -> Self {
        Self { codecs: Vec::new(), endian, is_bytes: false, type_field }
    }

    /// In order `F` the codecs see the elements with the first dimension fastest: a chunk with its dimensions reversed. `field` says
    /// so in the document.
    pub fn reverse_dimensions(&mut self, rank: usize, field: &str) {
        let order: Vec<String> = (0..rank).rev().map(|dimension| dimension.to_string()).collect();
        self.codecs.push(CodecMetadata {
            name: "transpose".to_owned(),
            configuration: Some(format!("{{\"order\":[{}]}}", order.join(","))),
            format: ZarrFormat::V3,
            field: field.to_owned(),
        });
    }

    /// Appends a filter or compressor by its numcodecs object. One that nobody knows is taken for what its place suggests: that it
    /// is unknown is said when the array is read.
    pub fn push_numcodecs(&mut self, json: Json<'_>, field: String, assumed: CodecKind) -> Result<()> {
        let read = || {
            let object = json.object()?;
            Ok((object.require("id", Json::str)?.into_owned(), object))
        };
        let (name, object) = read().map_err(|error: Error| error.within_field(&field))?;
        let kind = kind_of(&name, ZarrFormat::V2).unwrap_or(assumed);
        if kind == CodecKind::ArrayToArray {
            self.endian = stored_endian(&object).or(self.endian);
        }
        let configuration = Some(json.text().to_owned());
        self.push(CodecMetadata { name, configuration, format: ZarrFormat::V2, field }, kind);
        Ok(())
    }

    /// Appends a codec.
    pub fn push(&mut self, codec: CodecMetadata, kind: CodecKind) {
        match kind {
            CodecKind::ArrayToArray => {}
            CodecKind::ArrayToBytes => self.is_bytes = true,
            CodecKind::BytesToBytes => self.become_bytes(),
        }
        self.codecs.push(codec);
    }

    /// Appends the draft of 2022's `endian`: elements become bytes in this order. Bytes that follow from elements alone are taken for
    /// elements in the default order again, as the text has it; after a compressor nobody can tell.
    pub fn push_endian(&mut self, endian: Endian, field: String) -> Result<()> {
        if !self.is_bytes {
            self.endian = Some(endian);
            self.become_bytes();
        } else {
            let last = self.codecs.last_mut().filter(|codec| codec.name == "bytes");
            let Some(last) = last else {
                let error =
                    Error::unsupported("the endian codec needs elements, and follows a codec of bytes");
                return Err(error.in_codec("endian").in_field(field));
            };
            let swapped = match (self.endian, endian) {
                (Some(Endian::Big), Endian::Big) => Endian::Little,
                (Some(Endian::Big), Endian::Little) | (_, Endian::Big) => Endian::Big,
                (_, Endian::Little) => Endian::Little,
            };
            self.endian = Some(swapped);
            last.configuration = configuration(self.endian);
        }
        if let Some(bytes) = self.codecs.last_mut() {
            bytes.field = field;
        }
        Ok(())
    }

    /// The whole chain.
    pub fn finish(mut self) -> Vec<CodecMetadata> {
        self.become_bytes();
        self.codecs
    }

    fn become_bytes(&mut self) {
        if self.is_bytes {
            return;
        }
        self.is_bytes = true;
        let configuration = configuration(self.endian);
        self.codecs.push(CodecMetadata { configuration, ..little_endian(self.type_field) });
    }
}

/// Where the `bytes` codec is missing in a v3 chain; `None` where a codec makes bytes of elements, or
/// where an unknown codec may.
pub(super) fn place_of_bytes(codecs: &[CodecMetadata]) -> Option<usize> {
    let kinds = codecs.iter().map(|codec| kind_of(&codec.name, codec.format));
    let kinds = kinds.collect::<Option<Vec<_>>>()?;
    if kinds.contains(&CodecKind::ArrayToBytes) {
        return None;
    }
    let bytes = kinds.iter().position(|kind| *kind == CodecKind::BytesToBytes);
    Some(bytes.unwrap_or(kinds.len()))
}

/// The `bytes` codec that a chain without one means; `field` is where errors place it.
pub(super) fn little_endian(field: &str) -> CodecMetadata {
    CodecMetadata {
        name: "bytes".to_owned(),
        configuration: configuration(Some(Endian::Little)),
        format: ZarrFormat::V3,
        field: field.to_owned(),
    }
}

/// Of the `bytes` codec.
fn configuration(endian: Option<Endian>) -> Option<String> {
    endian.map(|endian| format!("{{\"endian\":\"{}\"}}", endian.name()))
}

/// Filters that change the type (`delta`, `fixedscaleoffset`, `quantize`, `astype`) name the stored one, byte order
/// included.
fn stored_endian(filter: &Object<'_>) -> Option<Endian> {
    let stored = filter.get("astype").or_else(|| filter.get("encode_dtype"))?;
    Endian::of_typestr(&stored.str().ok()?)
}
