//! Array → array codecs.
//! <https://zarr-specs.readthedocs.io/en/latest/v3/codecs/index.html>
//!
//! The table in [`super::registry`] lists them.

pub mod astype;
pub mod bitround;
pub mod cast_value;
pub mod categorize;
pub mod delta;
mod filter;
pub mod fixedscaleoffset;
pub mod numcodecs_packbits;
mod numpy;
pub mod predictor;
pub mod quantize;
pub mod reshape;
pub mod scale_offset;
pub mod transpose;
