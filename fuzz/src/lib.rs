//! Code that the fuzz targets share: seeds, and reads of arrays in memory.
#![allow(clippy::unwrap_used, clippy::expect_used)]

#[path = "../../tests/rust/writing/model.rs"]
pub mod model;
#[path = "../../tests/rust/support.rs"]
pub mod support;
#[path = "../../tests/rust/codec_vectors/vector.rs"]
pub mod vector;

pub mod seeds;
pub mod sharded;

use std::collections::BTreeMap;

use zarr_wasm::error::{Error, ErrorKind};
use zarr_wasm::metadata::{NodeDocument, ZARR_JSON, ZarrFormat};
use zarr_wasm::{Array, ArrayBytes, ByteRange, Result, Selection};

/// Stored values by their key relative to the array.
pub type Chunks = BTreeMap<String, Vec<u8>>;

/// The array that a `zarr.json` describes.
pub fn array(text: &str) -> Result<Array> {
    Array::new(&NodeDocument::read(ZarrFormat::V3, &[(ZARR_JSON, text.as_bytes())])?)
}

/// Reads a selection without I/O.
pub fn read(array: &Array, selection: &Selection, chunks: &Chunks) -> Result<ArrayBytes> {
    let mut read = array.read(selection)?;
    loop {
        let requests = read.requests();
        if requests.is_empty() {
            return read.finish();
        }
        for request in requests {
            let value = chunks.get(&request.key).map(Vec::as_slice);
            let bytes = value.map(|value| part(value, &request.range)).transpose()?;
            read.supply(&request, bytes)?;
        }
    }
}

/// The bytes of a range, as a store returns them: a range that ends past the end is cut.
fn part<'a>(value: &'a [u8], range: &ByteRange) -> Result<&'a [u8]> {
    let len = value.len() as u64;
    let (start, end) = match range {
        ByteRange::Whole => (0, len),
        ByteRange::At { offset, len: count } => (*offset, offset.saturating_add(*count).min(len)),
        ByteRange::Last(count) => (len.saturating_sub(*count), len),
    };
    let range = usize::try_from(start).unwrap()..usize::try_from(end).unwrap();
    value.get(range).ok_or_else(|| Error::format("the range begins past the end"))
}

/// Panics for errors that damaged data must not cause: they blame the caller or the program.
pub fn check_blames_data(error: &Error) {
    let kinds =
        [ErrorKind::Format, ErrorKind::Limit, ErrorKind::Unsupported, ErrorKind::NotFound, ErrorKind::Store];
    assert!(kinds.contains(&error.kind()), "{error:?}");
}
