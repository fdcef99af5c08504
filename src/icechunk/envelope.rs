//! The envelope of Icechunk's files: 39 bytes of header, then the content, compressed.

use zarr_wasm::error::{Error, Result};
use zarr_wasm::limits;
use zarr_wasm_kernel::zstd::{Decompressor, ZstdError};

const MAGIC: &[u8] = "ICE🧊CHUNK".as_bytes();
/// The writer's name, padded with spaces.
const WRITER_BYTES: usize = 24;
/// The newest version whose files are read. Version 2.1 writes 2.
const NEWEST: u8 = 2;
const UNCOMPRESSED: u8 = 0;
const ZSTD: u8 = 1;

/// A kind of file, by its number in the envelope.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    Snapshot = 1,
    Manifest = 2,
    Repo = 6,
}

/// The content of a file.
pub fn open(kind: FileKind, file: &[u8]) -> Result<Vec<u8>> {
    let rest = file.strip_prefix(MAGIC).and_then(|rest| rest.get(WRITER_BYTES..));
    let Some((&[version, found, compression], content)) = rest.and_then(<[u8]>::split_first_chunk) else {
        return Err(Error::format("not a file of Icechunk"));
    };
    if version == 0 || version > NEWEST {
        return Err(Error::unsupported("the version of an Icechunk file").actual(version.to_string()));
    }
    if found != kind as u8 {
        return Err(Error::format("another kind of Icechunk file").actual(found.to_string()));
    }
    limits::within(content.len() as u64, limits::METADATA_BYTES, "a file of Icechunk")?;
    match compression {
        UNCOMPRESSED => Ok(content.to_vec()),
        ZSTD => decompress(content),
        other => Err(Error::unsupported("the compression of an Icechunk file").actual(other.to_string())),
    }
}

fn decompress(content: &[u8]) -> Result<Vec<u8>> {
    let limit = limits::to_usize(limits::METADATA_BYTES, "a file of Icechunk")?;
    let mut decoded = Vec::new();
    let decompressed =
        Decompressor::new().and_then(|mut context| context.decompress_to_vec(content, limit, &mut decoded));
    match decompressed {
        Ok(()) => Ok(decoded),
        Err(ZstdError::Limit(_) | ZstdError::OutOfMemory) => {
            Err(Error::limit("a file of Icechunk is too large"))
        }
        Err(error) => Err(Error::format("a file of Icechunk is damaged").actual(error.to_string())),
    }
}
