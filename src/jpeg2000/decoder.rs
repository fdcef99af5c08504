//! How the decoder is set, and what its errors mean.

use hayro_jpeg2000::DecodeSettings;
use hayro_jpeg2000::error::DecodeError;

use crate::error::Error;

pub const SETTINGS: DecodeSettings =
    DecodeSettings { resolve_palette_indices: false, strict: true, target_resolution: None };

/// The error of an image that the decoder refuses.
pub fn damaged(error: DecodeError) -> Error {
    Error::format("the JPEG 2000 image is corrupt").actual(error.to_string())
}
