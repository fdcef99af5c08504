//! Array → array codecs, one file each. <https://zarr-specs.readthedocs.io/en/latest/v3/codecs/index.html>
//!
//! Which of them exist is written in [`super::registry`] alone.

pub mod astype;
pub mod bitround;
pub mod cast_value;
pub mod categorize;
pub mod delta;
mod exact;
pub mod fixedscaleoffset;
pub mod numcodecs_packbits;
mod numpy;
pub mod quantize;
pub mod reshape;
#[cfg(any(feature = "full", not(target_arch = "wasm32")))]
pub mod scale_offset;
pub mod transpose;
