//! The wasm builds of the package. An error names the build that can do what this one cannot.
//!
//! Rust code does not load builds; TypeScript does.

/// A wasm build. Each of them contains all that the engine has, and the full one all that the build
/// `reading` has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Build {
    /// The engine, which every reader loads.
    Engine,
    /// Archives, references, Icechunk and lists, loaded when a call needs them.
    Reading,
    /// Encoders and rare decoders, loaded when a call or an array needs them.
    Full,
    /// Decoders of images, loaded when an array needs them.
    Images,
    /// The decoder of GRIB messages, loaded when an array needs it.
    Grib,
    /// The full build, or that of GRIB messages: filters that stand before such messages.
    FullOrGrib,
}

impl Build {
    /// The builds, each with a name of its own.
    const ALL: [Self; 5] = [Self::Engine, Self::Reading, Self::Full, Self::Images, Self::Grib];

    /// The name, as TypeScript spells it (`Build`).
    pub fn name(self) -> &'static str {
        match self {
            Self::Engine => "engine",
            Self::Reading => "reading",
            Self::Full | Self::FullOrGrib => "full",
            Self::Images => "images",
            Self::Grib => "grib",
        }
    }

    /// The build of this [`name`](Self::name).
    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|build| build.name() == name)
    }

    /// Whether this build contains that one. The host build contains all of them.
    pub fn is_in_this_build(self) -> bool {
        match self {
            Self::Engine => true,
            Self::Reading => cfg!(feature = "reading"),
            Self::Full => cfg!(feature = "full"),
            Self::FullOrGrib => cfg!(any(feature = "full", feature = "grib")),
            Self::Images => cfg!(feature = "images"),
            Self::Grib => cfg!(feature = "grib"),
        }
    }
}
