//! The table of wasm builds. From it, `crate::build_tables` generates the tables in TypeScript, the
//! list that the build scripts read, and the modules that import the wasm texts.
//!
//! To add a build, add a row here and a rule in `src/engine/ts/port/configuration.ts`. If the build
//! contains the engine's code, also add a feature to the manifests of core and engine, a line to
//! `src/core/builds.rs`, and its codecs to the registry. Otherwise, make it a crate of its own.

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
    /// A function that this build exports and smaller builds do not.
    pub export: &'static str,
    /// Whether it performs the engine's operations. Such a build includes all such builds above it.
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
    Reading "reading" for "archives, references, Icechunk repositories, lists and stored sizes", exports "icechunkStore", operates;
    Full "full" for "writing and rare codecs", exports "packFloats", operates, decodes;
    Images "images" for "codecs of images", exports "decode_call", decodes;
    Grib "grib" for "chunks that are GRIB messages", exports "decode_call", decodes;
    Conventions "conventions" for "conventions, pyramids and maps", exports "conventions_call";
    Reduction "reduction" for "reductions and statistics", exports "reduction_call";
}
