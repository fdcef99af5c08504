//! What this build can run: the modules of the package, and whether there are encoders.

use crate::error::{Error, Result, Stage};
use crate::quoted::quoted;

/// The WebAssembly module that can **decode** a codec. Only the full module has encoders of
/// compressors and filters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WasmModule {
    /// The engine, which every reader loads. The other modules contain all that it has.
    Engine,
    /// The full module, loaded when an array needs it.
    Full,
    /// The module of image formats, loaded when an array needs it.
    Images,
    /// The module of GRIB messages, loaded when an array needs it.
    Grib,
    /// The full module, or that of GRIB messages: filters that stand before such messages.
    FullOrGrib,
}

impl WasmModule {
    /// The name of the build, as TypeScript spells it (`DecodeBuild`).
    pub fn name(self) -> &'static str {
        match self {
            Self::Engine => "engine",
            Self::Full | Self::FullOrGrib => "full",
            Self::Images => "images",
            Self::Grib => "grib",
        }
    }

    /// Whether this build contains that module. The host build contains all of them.
    pub fn is_in_this_build(self) -> bool {
        match self {
            Self::Engine => true,
            Self::Full => ENCODERS,
            Self::FullOrGrib => ENCODERS || cfg!(feature = "grib"),
            Self::Images => cfg!(feature = "images"),
            Self::Grib => cfg!(feature = "grib"),
        }
    }
}

/// Whether this build can encode with compressors: only the full module and the host build can.
pub const ENCODERS: bool = cfg!(feature = "full");

/// The error of a codec that only another WebAssembly module of the package has.
pub fn needs_module(module: WasmModule) -> Error {
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
    if ENCODERS { Ok(()) } else { Err(needs_module(WasmModule::Full).in_stage(Stage::Encode)) }
}
