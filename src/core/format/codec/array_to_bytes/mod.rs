//! Array → bytes codecs, one file each.
//! <https://zarr-specs.readthedocs.io/en/latest/v3/codecs/index.html>
//!
//! The table in [`super::registry`] lists them. [`super::sharding`] is one too, in its own folder.

pub mod bytes;
#[cfg(feature = "grib")]
pub mod grib;
#[cfg(feature = "images")]
pub mod image;
pub mod json2;
#[cfg(feature = "full")]
pub mod msgpack2;
pub mod n5_default;
pub mod optional;
pub mod packbits;
#[cfg(feature = "full")]
pub mod pcodec;
pub mod vlen;
#[cfg(feature = "full")]
pub mod zfp;
#[cfg(feature = "full")]
pub mod zfpy;
