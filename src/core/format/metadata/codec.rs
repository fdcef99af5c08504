//! Codecs in v3 metadata.

use super::extension::Extension;
use super::json::Json;
use super::{CodecMetadata, ZarrFormat};
use crate::error::Result;

/// Parses a codec in v3 metadata or in another codec's configuration. The caller sets its field.
///
/// # Errors
/// `Format` for anything but an extension.
pub fn parse(json: Json<'_>) -> Result<CodecMetadata> {
    let extension = Extension::parse(json)?;
    Ok(CodecMetadata {
        name: extension.name.into_owned(),
        configuration: extension.configuration.map(|json| json.text().to_owned()),
        format: ZarrFormat::V3,
        field: String::new(),
    })
}
