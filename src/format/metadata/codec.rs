//! Codecs as v3 metadata names them.

use super::extension::Extension;
use super::json::Json;
use super::{CodecMetadata, ZarrFormat};
use crate::error::Result;

/// A codec as metadata names it, also within another codec's configuration; where it stands is the caller's to say.
///
/// # Errors
/// `Format` for what is no extension.
pub fn parse(json: Json<'_>) -> Result<CodecMetadata> {
    let extension = Extension::parse(json)?;
    Ok(CodecMetadata {
        name: extension.name.into_owned(),
        configuration: extension.configuration.map(|json| json.text().to_owned()),
        format: ZarrFormat::V3,
        field: String::new(),
    })
}
