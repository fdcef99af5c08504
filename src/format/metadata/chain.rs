//! Builds codec chains from metadata that does not name the array-to-bytes codec: those of v2 and
//! of the drafts.
//!
//! The `bytes` codec is inserted before the first bytes-to-bytes codec, or at the end. Order `F`
//! becomes a `transpose` at the start.

use super::json::{Json, Object};
use super::write::text::list;
use super::{CodecMetadata, ZarrFormat};
use crate::error::{Error, Result};
use crate::format::codec::registry::{CodecKind, kind_of};
use crate::format::data_type::Endian;

/// A chain that is built in encoding order.
pub(super) struct ChainBuilder {
    codecs: Vec<CodecMetadata>,
    /// The byte order of the elements at this point. `None` where their type determines it.
    endian: Option<Endian>,
    /// Whether a codec has turned elements into bytes.
    is_bytes: bool,
    /// The field of the document that has the data type.
    type_field: &'static str,
}

impl ChainBuilder {
    /// An empty chain for elements of this byte order. `type_field` is the field of the document
    /// that has it.
    pub fn new(endian: Option<Endian>, type_field: &'static str) -> Self {
        Self { codecs: Vec::new(), endian, is_bytes: false, type_field }
    }

    /// Adds the `transpose` for order `F`: codecs then see a chunk with its dimensions reversed.
    /// `field` is the field of the document that has the order.
    pub fn reverse_dimensions(&mut self, rank: usize, field: &str) {
        self.codecs.push(reversal(rank, field));
    }

    /// Appends a filter or compressor, given as a numcodecs object. An unknown one is assumed to be
    /// of the kind `assumed`; reading the array reports it.
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

    /// Appends the codec `endian` of the draft of 2022, which turns elements into bytes in this
    /// order.
    ///
    /// After a `bytes` codec it swaps the bytes again, as the draft says: bytes are taken for
    /// elements in the default order. After a compressor, it is not defined.
    pub fn push_endian(&mut self, endian: Endian, field: String) -> Result<()> {
        if !self.is_bytes {
            self.endian = Some(endian);
            self.become_bytes();
        } else {
            let last = self.codecs.last_mut().filter(|codec| codec.name == "bytes");
            let Some(last) = last else {
                let error =
                    Error::unsupported("the endian codec takes elements, but it follows a codec of bytes");
                return Err(error.in_codec("endian").in_field(field));
            };
            let swapped = match (self.endian, endian) {
                (Some(Endian::Big), Endian::Big) => Endian::Little,
                (Some(Endian::Big), Endian::Little) | (_, Endian::Big) => Endian::Big,
                (_, Endian::Little) => Endian::Little,
            };
            self.endian = Some(swapped);
            last.configuration = endian_configuration(self.endian);
        }
        if let Some(bytes) = self.codecs.last_mut() {
            bytes.field = field;
        }
        Ok(())
    }

    /// The complete chain.
    pub fn finish(mut self) -> Vec<CodecMetadata> {
        self.become_bytes();
        self.codecs
    }

    fn become_bytes(&mut self) {
        if self.is_bytes {
            return;
        }
        self.is_bytes = true;
        let configuration = endian_configuration(self.endian);
        self.codecs.push(CodecMetadata { configuration, ..little_endian(self.type_field) });
    }
}

/// The index at which a v3 chain lacks the `bytes` codec. `None` where a codec turns elements into
/// bytes, or an unknown codec may.
pub(super) fn place_of_bytes(codecs: &[CodecMetadata]) -> Option<usize> {
    let kinds = codecs.iter().map(|codec| kind_of(&codec.name, codec.format));
    let kinds = kinds.collect::<Option<Vec<_>>>()?;
    if kinds.contains(&CodecKind::ArrayToBytes) {
        return None;
    }
    let bytes = kinds.iter().position(|kind| *kind == CodecKind::BytesToBytes);
    Some(bytes.unwrap_or(kinds.len()))
}

/// The `bytes` codec of a chain without one. `field` is for errors.
pub(super) fn little_endian(field: &str) -> CodecMetadata {
    CodecMetadata {
        name: "bytes".to_owned(),
        configuration: endian_configuration(Some(Endian::Little)),
        format: ZarrFormat::V3,
        field: field.to_owned(),
    }
}

/// The `transpose` codec for order `F`. `field` is for errors.
pub(super) fn reversal(rank: usize, field: &str) -> CodecMetadata {
    CodecMetadata {
        name: "transpose".to_owned(),
        configuration: Some(format!("{{\"order\":{}}}", list((0..rank).rev()))),
        format: ZarrFormat::V3,
        field: field.to_owned(),
    }
}

/// The configuration of the `bytes` codec.
pub(super) fn endian_configuration(endian: Option<Endian>) -> Option<String> {
    endian.map(|endian| format!("{{\"endian\":\"{}\"}}", endian.name()))
}

/// The byte order of the elements that a filter stores. Filters that change the type (`delta`,
/// `fixedscaleoffset`, `quantize`, `astype`) name the stored type with its byte order.
fn stored_endian(filter: &Object<'_>) -> Option<Endian> {
    let stored = filter.get("astype").or_else(|| filter.get("encode_dtype"))?;
    Endian::of_typestr(&stored.str().ok()?)
}
