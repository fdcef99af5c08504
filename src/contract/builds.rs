//! The table of wasm builds. TypeScript's tables, the list of builds of the scripts and the imports
//! of their texts are generated from it (`crate::build_tables`).
//!
//! A new build takes a row here and a rule in `src/ts/port/configuration.ts`. With the engine's
//! code it also takes a feature in the manifests of core and engine, its line in
//! `src/core/builds.rs`, and the rows of its codecs in the registry; else it is a crate.

macro_rules! builds {
    ($($build:ident $name:literal for $serves:literal, exports $export:literal $(, $role:ident)*;)*) => {
        records! {
            /// A wasm build, and what it is for. The full build also has all of `reading`.
            enum Build {
                $(#[doc = $serves] $build = $name,)*
            }
        }

        /// What is known of each build.
        #[cfg(not(target_arch = "wasm32"))]
        pub const BUILDS: &[BuildRow] = &[$(BuildRow {
            build: Build::$build,
            serves: $serves,
            export: $export,
            operates: builds!(@has operates $($role)*),
            decodes: builds!(@has decodes $($role)*),
        }),*];
    };
    (@has operates operates $($rest:ident)*) => { true };
    (@has decodes decodes $($rest:ident)*) => { true };
    (@has $role:ident $other:ident $($rest:ident)*) => { builds!(@has $role $($rest)*) };
    (@has $role:ident) => { false };
}

/// What is known of a build.
#[cfg(not(target_arch = "wasm32"))]
#[derive(Debug)]
pub struct BuildRow {
    /// The build.
    pub build: Build,
    /// What it is for.
    pub serves: &'static str,
    /// A function that it exports and no smaller build.
    pub export: &'static str,
    /// Whether it performs the engine's operations. Each that does has all of those before it.
    pub operates: bool,
    /// Whether it decodes chunks.
    pub decodes: bool,
}

#[cfg(not(target_arch = "wasm32"))]
impl BuildRow {
    /// Whether it has the engine's code. If not, it is a crate and a module of its own.
    pub fn has_engine(&self) -> bool {
        self.operates || self.decodes
    }

    /// Its file, as the command `zarr-wasm <folder>` writes it.
    pub fn file(&self) -> String {
        match self.build {
            Build::Engine => "zarr_wasm.wasm".to_owned(),
            build => format!("zarr_wasm_{}.wasm", build.name()),
        }
    }

    /// The option of `init` that gives it.
    pub fn option(&self) -> String {
        match self.build {
            Build::Engine => "wasm".to_owned(),
            build => crate::shape::camel(&format!("wasm_{}", build.name())),
        }
    }
}

builds! {
    Engine "engine" for "planning, stores and the common decoders", exports "decode_call", operates, decodes;
    Reading "reading" for "archives, references, Icechunk repositories and lists", exports "icechunkStore", operates;
    Full "full" for "writing and rare codecs", exports "packFloats", operates, decodes;
    Images "images" for "codecs of images", exports "decode_call", decodes;
    Grib "grib" for "chunks that are GRIB messages", exports "decode_call", decodes;
    Conventions "conventions" for "conventions, pyramids and maps", exports "conventions_call";
    Reduction "reduction" for "reductions and statistics", exports "reduction_call";
}
