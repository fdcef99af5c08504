//! Writes metadata. Reading accepts what others write; writing is strict, so that all others can
//! read it.
//!
//! Core names are plain strings. Codecs are objects with every member that a reader may require.
//! Byte orders and fill values are explicit, and codecs never have `must_understand`. [`options`]
//! turns a user's choices into metadata, [`v3`] and [`v2`] turn metadata into documents, and
//! [`edit`] changes one member of an existing document and keeps the rest.

mod codec_chain;
mod codecs;
pub mod consolidated;
mod defaults;
pub mod edit;
mod fill_choice;
mod new_array;
mod option_values;
pub mod options;
mod transformers;
pub mod v2;
pub(in crate::format::metadata) mod v2_data_type;
pub mod v3;

use super::document::NodeDocument;
use super::draft::write::{self as draft, Details};
use super::{ArrayMetadata, Draft, GroupMetadata, ZarrFormat};
use crate::error::{Result, Stage};
use crate::format::codec::user::OptionalUserCodecs;

/// Writes the documents of an array. User's codecs stay as given.
///
/// # Errors
/// `Argument` for metadata that the Zarr format cannot express.
pub fn array(metadata: &ArrayMetadata, users: &OptionalUserCodecs) -> Result<NodeDocument> {
    let texts = match metadata.format {
        ZarrFormat::V3 => {
            v3::array(metadata, users).map(|text| vec![(super::document::ZARR_JSON.to_owned(), text)])
        }
        ZarrFormat::V2 => v2::array(metadata),
        ZarrFormat::Draft(draft) => return draft_array(metadata, draft, &Details::default()),
    };
    let texts = texts.map_err(|error| error.in_stage(Stage::Metadata))?;
    Ok(NodeDocument::of(metadata.format, texts))
}

/// Writes the document of a draft's array, without those of its hierarchy.
///
/// # Errors
/// As [`draft::array`](super::draft::write::array).
pub fn draft_array(metadata: &ArrayMetadata, draft: Draft, details: &Details) -> Result<NodeDocument> {
    draft::array(metadata, draft, details).map_err(|error| error.in_stage(Stage::Metadata))
}

/// Writes the documents of a group.
pub fn group(metadata: &GroupMetadata) -> NodeDocument {
    let texts = match metadata.format {
        ZarrFormat::V3 => vec![(super::document::ZARR_JSON.to_owned(), v3::group(metadata))],
        ZarrFormat::V2 => v2::group(metadata),
        ZarrFormat::Draft(_) => return draft::group(metadata, &Details::default()),
    };
    NodeDocument::of(metadata.format, texts)
}
