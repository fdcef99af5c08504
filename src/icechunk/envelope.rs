//! The envelope of Icechunk's files: 39 bytes of header, then the content, compressed.

use super::FileKind;
use crate::error::{Error, Result};
use crate::kernel::zstd::{Decompressor, ZstdError};
use crate::limits;

const MAGIC: &[u8] = "ICE🧊CHUNK".as_bytes();
/// The writer's name, padded with spaces.
const WRITER_BYTES: usize = 24;
/// The newest version whose files are read. Version 2.1 writes 2.
const NEWEST: u8 = 2;
const UNCOMPRESSED: u8 = 0;
const ZSTD: u8 = 1;

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
