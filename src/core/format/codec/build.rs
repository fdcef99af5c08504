//! What this build can run: whether it has a codec, and whether it has encoders.

use crate::builds::Build;
use crate::error::{Error, Result, Stage};
use crate::quoted::quoted;

/// Whether this build can encode with compressors: only the full module and a native build can.
pub const ENCODERS: bool = cfg!(feature = "full");

/// The error of a codec that only another WebAssembly module of the package has.
pub fn needs_module(module: Build) -> Error {
    let name = quoted(module.name());
    Error::unsupported(format!("only the package's {name} module has this codec, and another module ran"))
}

/// The error of encoding with a codec of images or of GRIB messages.
pub fn codec_is_read_only() -> Error {
    Error::unsupported(
        "codecs of images and of GRIB messages can decode but not encode; choose another codec to write",
    )
    .in_stage(Stage::Encode)
}

/// Checks that this build can encode.
///
/// # Errors
/// `Unsupported` in a build without encoders.
pub fn require_encoders() -> Result<()> {
    if ENCODERS { Ok(()) } else { Err(needs_module(Build::Full).in_stage(Stage::Encode)) }
}
