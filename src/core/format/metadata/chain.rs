//! Codec chains of metadata that does not name the array-to-bytes codec: those of v2 and of the
//! drafts. [`ChainBuilder`] reads them in the terms of v3, and [`Unnamed`] is the inverse.
//!
//! Order `F` becomes a `transpose` at the start.

use super::{CodecMetadata, ZarrFormat};
use crate::error::{Error, Result};
use crate::format::codec::kind::{CodecKind, index_of_bytes};
use crate::format::codec::registry::kind_of;
use crate::format::data_type::Endian;
use crate::format::json::{Json, Object};

/// A chain that is built in encoding order.
pub(super) struct ChainBuilder {
    codecs: Vec<CodecMetadata>,
    kinds: Vec<CodecKind>,
    /// The byte order of the elements at this point. `None` where their type determines it.
    endian: Option<Endian>,
    /// The field of the document that has the data type.
    type_field: &'static str,
}

impl ChainBuilder {
    /// An empty chain for elements of this byte order. `type_field` is the field of the document
    /// that has it.
    pub fn new(endian: Option<Endian>, type_field: &'static str) -> Self {
        Self { codecs: Vec::new(), kinds: Vec::new(), endian, type_field }
    }

    /// Adds the `transpose` for order `F`: codecs then see a chunk with its dimensions reversed.
    /// `field` is the field of the document that has the order.
    pub fn reverse_dimensions(&mut self, rank: usize, field: &str) {
        self.push(CodecMetadata::reversal(rank).at(field), CodecKind::ArrayToArray);
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
        self.codecs.push(codec);
        self.kinds.push(kind);
    }

    /// Appends `bytes`: the codec `endian` of the draft of 2022, which turns elements into bytes.
    ///
    /// After a `bytes` codec it swaps the bytes again, as the draft says: bytes are taken for
    /// elements in the default order. After a compressor, it is not defined.
    pub fn push_bytes(&mut self, bytes: CodecMetadata) -> Result<()> {
        if self.kinds.iter().all(|kind| *kind == CodecKind::ArrayToArray) {
            self.endian = bytes.endian();
            self.push(bytes, CodecKind::ArrayToBytes);
            return Ok(());
        }
        let Some(last) = self.codecs.last_mut().filter(|codec| codec.is_bytes()) else {
            let error =
                Error::unsupported("the endian codec takes elements, but it follows a codec of bytes");
            return Err(error.in_codec("endian").in_field(bytes.field));
        };
        let is_big = (self.endian == Some(Endian::Big)) != (bytes.endian() == Some(Endian::Big));
        self.endian = Some(if is_big { Endian::Big } else { Endian::Little });
        *last = CodecMetadata::bytes(self.endian).at(bytes.field);
        Ok(())
    }

    /// The complete chain.
    pub fn finish(mut self) -> Vec<CodecMetadata> {
        if let Some(index) = index_of_bytes(&self.kinds) {
            self.codecs.insert(index, CodecMetadata::bytes(self.endian).at(self.type_field));
        }
        self.codecs
    }
}

/// The byte order of the elements that a filter stores. Filters that change the type (`delta`,
/// `fixedscaleoffset`, `quantize`, `astype`) name the stored type with its byte order.
fn stored_endian(filter: &Object<'_>) -> Option<Endian> {
    let stored = filter.get("astype").or_else(|| filter.get("encode_dtype"))?;
    Endian::of_typestr(&stored.str().ok()?)
}

/// A chain as metadata has it that names neither `transpose` nor `bytes`.
pub(super) struct Unnamed<'a> {
    /// Whether the first dimension is the fastest: order `F`.
    pub fortran: bool,
    /// `None` for a struct whose fields have different byte orders.
    pub endian: Option<Endian>,
    /// The other codecs, and whether each is after `bytes`.
    pub others: Vec<(&'a CodecMetadata, bool)>,
}

impl<'a> Unnamed<'a> {
    /// Takes `transpose` and `bytes` out of a chain in the terms of v3.
    pub fn of(codecs: &'a [CodecMetadata]) -> Self {
        let bytes = codecs.iter().position(CodecMetadata::is_bytes);
        let is_reversal = |codec: &CodecMetadata| codec.format == ZarrFormat::V3 && codec.name == "transpose";
        let fortran = codecs.first().is_some_and(is_reversal);
        let others = codecs.iter().enumerate().skip(usize::from(fortran));
        Self {
            fortran,
            endian: bytes.map_or(Some(Endian::Little), |at| codecs.get(at)?.endian()),
            others: others
                .filter(|(_, codec)| !codec.is_bytes())
                .map(|(idx, codec)| (codec, bytes.is_some_and(|at| at < idx)))
                .collect(),
        }
    }
}
