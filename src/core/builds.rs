//! Which builds of the package contain a codec, and what the running build contains. When work
//! needs another build, the error names that build.
//!
//! The contract defines the builds. The host loads them.

pub use zarr_wasm_contract::Build;

/// Some builds: those that have a codec, or all codecs of a chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Builds(u8);

impl Builds {
    /// What the engine has, all of them have.
    pub const ALL: Self = Self(u8::MAX);

    /// The builds whose code is in this one. A native build has the code of all.
    const HERE: Self = Self::of(Build::Engine)
        .or(Self::if_here(Build::Reading, cfg!(feature = "reading")))
        .or(Self::if_here(Build::Full, cfg!(feature = "full")))
        .or(Self::if_here(Build::Images, cfg!(feature = "images")))
        .or(Self::if_here(Build::Grib, cfg!(feature = "grib")));

    /// One build.
    pub const fn of(build: Build) -> Self {
        Self(1u8.wrapping_shl(build as u32))
    }

    const fn if_here(build: Build, is_here: bool) -> Self {
        if is_here { Self::of(build) } else { Self(0) }
    }

    /// These, and those.
    #[must_use]
    pub const fn or(self, those: Self) -> Self {
        Self(self.0 | those.0)
    }

    /// Those of these that are among those, if any is.
    pub fn and(self, those: Self) -> Option<Self> {
        let both = self.0 & those.0;
        (both != 0).then_some(Self(both))
    }

    /// Whether this code has what one of them has.
    pub fn are_here(self) -> bool {
        self.and(Self::HERE).is_some()
    }

    /// The first of them, which is the smallest one.
    pub fn first(self) -> Build {
        Build::ALL.get(self.0.trailing_zeros() as usize).copied().unwrap_or(Build::Engine)
    }

    /// All of them.
    pub fn each(self) -> impl Iterator<Item = Build> {
        Build::ALL.iter().copied().filter(move |build| self.and(Self::of(*build)).is_some())
    }
}
