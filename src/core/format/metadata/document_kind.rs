//! What kind of document a text is: recognised by members or first bytes that only this kind has.
//!
//! The reader of one kind refuses all others. It asks here what it was given instead, so that its
//! error names that.

use super::ZarrFormat;
use crate::error::{Error, ErrorKind, Result};
use crate::format::json::{Document, Json, Object};

/// A kind of document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DocumentKind {
    /// `zarr.json` of v3, with or without consolidated metadata.
    ZarrJson,
    /// `zarr.json` at the root of a historic draft's hierarchy.
    DraftEntryPoint,
    /// `.zarray`.
    Zarray,
    /// `.zgroup`.
    Zgroup,
    /// `.zattrs`. Any object may be attributes, so it is never distinguished from others.
    Zattrs,
    /// `.zmetadata`: the consolidated metadata of v2.
    Zmetadata,
    /// kerchunk's JSON. Version 0 has only keys of a store.
    KerchunkJson,
    /// The `.zmetadata` of kerchunk's Parquet.
    KerchunkParquet,
    /// A reference of an Icechunk repository of version 1.
    IcechunkRef,
    /// A binary file of an Icechunk repository.
    IcechunkFile,
    /// An item, a catalogue or a collection of STAC, or a list of these.
    Stac,
    /// Attributes of OME-Zarr without a node around them.
    Ome,
    /// A web page.
    WebPage,
    /// XML: a listing of a bucket, or an error of its server.
    Xml,
    /// An archive.
    Zip,
    /// Tables; kerchunk's references are such files.
    Parquet,
    /// HDF5, and NetCDF 4.
    Hdf5,
}

use DocumentKind::{
    DraftEntryPoint, Hdf5, IcechunkFile, IcechunkRef, KerchunkJson, KerchunkParquet, Ome, Parquet, Stac,
    WebPage, Xml, ZarrJson, Zarray, Zattrs, Zgroup, Zip, Zmetadata,
};

/// The first bytes of each kind that is not JSON. Letters of text may have either case.
const FIRST_BYTES: [(&[u8], DocumentKind); 7] = [
    (b"<!doctype html", WebPage),
    (b"<html", WebPage),
    (b"<", Xml),
    (b"ICE\xf0\x9f\xa7\x8aCHUNK", IcechunkFile),
    (b"PK\x03\x04", Zip),
    (b"PAR1", Parquet),
    (b"\x89HDF\r\n\x1a\n", Hdf5),
];

/// The members that a kind has, in the order of the search: what has those of several kinds is the
/// first of them.
const MEMBERS: [(DocumentKind, &[(&str, Value)]); 14] = [
    (KerchunkParquet, &[("metadata", Value::Object), ("record_size", Value::Any)]),
    (Zmetadata, &[("metadata", Value::Object), ("zarr_consolidated_format", Value::Any)]),
    (ZarrJson, &[("zarr_format", Value::Json("3")), ("node_type", Value::Any)]),
    (DraftEntryPoint, &[("zarr_format", Value::Any), ("metadata_encoding", Value::Any)]),
    (Zarray, &[("zarr_format", Value::Json("2")), ("shape", Value::Any)]),
    (Zgroup, &[("zarr_format", Value::Json("2"))]),
    (KerchunkJson, &[("refs", Value::Object)]),
    (KerchunkJson, &[(".zgroup", Value::Any)]),
    (Stac, &[("stac_version", Value::Any)]),
    (Stac, &[("type", Value::Json("\"FeatureCollection\"")), ("features", Value::Any)]),
    (Stac, &[("collections", Value::Any), ("links", Value::Any)]),
    (IcechunkRef, &[("snapshot", Value::Text)]),
    (Ome, &[("multiscales", Value::Any)]),
    (Ome, &[("ome", Value::Object)]),
];

/// What the value of a member must be.
#[derive(Clone, Copy)]
enum Value {
    Any,
    Object,
    Text,
    /// This JSON.
    Json(&'static str),
}

impl Value {
    fn is(self, json: Json<'_>) -> bool {
        match self {
            Self::Any => true,
            Self::Object => json.text().starts_with('{'),
            Self::Text => json.text().starts_with('"'),
            Self::Json(text) => json.text() == text,
        }
    }
}

impl DocumentKind {
    /// The kind that has the documents of other nodes.
    pub fn of_others(format: ZarrFormat) -> Self {
        if format == ZarrFormat::V3 { ZarrJson } else { Zmetadata }
    }

    /// The kind of a document, if it is recognised.
    pub fn of(document: &[u8]) -> Option<Self> {
        let begins = |(first, kind): &(&[u8], Self)| {
            let start = if first.starts_with(b"<") { document.trim_ascii_start() } else { document };
            let is_same = start.get(..first.len())?.eq_ignore_ascii_case(first);
            is_same.then_some(*kind)
        };
        let of_bytes = FIRST_BYTES.iter().find_map(begins);
        of_bytes.or_else(|| Self::of_members(&Document::parse(document).ok()?.root().object().ok()?))
    }

    fn of_members(object: &Object<'_>) -> Option<Self> {
        let has = |(name, value): &(&str, Value)| object.get(name).is_some_and(|json| value.is(json));
        let (kind, _) = MEMBERS.iter().find(|(_, members)| members.iter().all(has))?;
        // The name of its only member is common: other documents have it among other members.
        (*kind != IcechunkRef || object.iter().len() == 1).then_some(*kind)
    }

    /// What it is, and how it is opened.
    fn name(self) -> &'static str {
        match self {
            ZarrJson => "a zarr.json of Zarr v3",
            DraftEntryPoint => "the zarr.json of a historic draft of Zarr v3",
            Zarray => "a .zarray of Zarr v2",
            Zgroup => "a .zgroup of Zarr v2",
            Zattrs => "attributes of Zarr v2",
            Zmetadata => "consolidated metadata of Zarr v2: open the store, or use withConsolidatedMetadata",
            KerchunkJson => "references of kerchunk: use ReferenceStore",
            KerchunkParquet => "the metadata of kerchunk Parquet references: use ReferenceStore",
            IcechunkRef | IcechunkFile => "of an Icechunk repository",
            Stac => "a STAC document about data: assetsOf lists the addresses to open",
            Ome => "attributes of OME-Zarr without their node",
            WebPage => "a web page",
            Xml => "XML: a listing of a bucket, or an error of its server",
            Zip => "a ZIP archive: use ZipFileStore",
            Parquet => "a Parquet file",
            Hdf5 => "an HDF5 or NetCDF file",
        }
    }

    /// Checks that a document is not of another known kind.
    ///
    /// # Errors
    /// For another kind: `Unsupported` for a file of another container of Zarr data, else `Format`.
    pub fn expect(self, document: &[u8]) -> Result<()> {
        self.other(document).map_or(Ok(()), Err)
    }

    /// The error of reading a document of this kind. Where the document is of another known kind,
    /// the error says that.
    pub fn blame(self, error: Error, document: &[u8]) -> Error {
        let is_format = error.kind() == ErrorKind::Format;
        let other = if is_format { self.other(document) } else { None };
        other.map_or_else(|| error.clone(), |other| other.with_context(error.context().clone()))
    }

    fn other(self, document: &[u8]) -> Option<Error> {
        let other = Self::of(document).filter(|other| *other != self)?;
        let message = format!("the document is {}", other.name());
        Some(match other {
            KerchunkParquet | IcechunkRef | IcechunkFile => Error::unsupported(message),
            _ => Error::format(message),
        })
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
#[allow(clippy::unwrap_used)]
mod tests;
