//! The errors of Parquet files.

use zarr_wasm::error::Error;

/// The error of a file that breaks the specification.
pub fn corrupt(what: &str) -> Error {
    Error::format(format!("the Parquet file is corrupt: {what}"))
}

/// The error of a valid file in a form that is not read.
pub fn unsupported(what: &str) -> Error {
    Error::unsupported(format!("the Parquet file has {what}"))
}
