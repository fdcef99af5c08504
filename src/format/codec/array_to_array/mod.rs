//! Array → array codecs, one file each. <https://zarr-specs.readthedocs.io/en/latest/v3/codecs/index.html>
//!
//! Which of them exist is written in [`super::registry`] alone.

pub mod transpose;
