//! Array → bytes codecs, one file each.
//! <https://zarr-specs.readthedocs.io/en/latest/v3/codecs/index.html>
//!
//! The table in [`super::registry`] lists them. [`super::sharding`] is one too, in its own folder.

pub mod bytes;
#[cfg(any(feature = "images", not(target_arch = "wasm32")))]
pub mod image;
pub mod json2;
#[cfg(any(feature = "full", not(target_arch = "wasm32")))]
pub mod msgpack2;
#[cfg(any(feature = "full", not(target_arch = "wasm32")))]
pub mod n5_default;
pub mod optional;
#[cfg(any(feature = "full", not(target_arch = "wasm32")))]
pub mod packbits;
#[cfg(any(feature = "full", not(target_arch = "wasm32")))]
pub mod pcodec;
pub mod vlen;
#[cfg(any(feature = "full", not(target_arch = "wasm32")))]
pub mod zfp;
#[cfg(any(feature = "full", not(target_arch = "wasm32")))]
pub mod zfpy;
