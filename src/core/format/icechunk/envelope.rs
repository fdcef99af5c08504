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
    let wrong = || Error::format(format!("not {}", kind.name()));
    let rest = file.strip_prefix(MAGIC).and_then(|rest| rest.get(WRITER_BYTES..));
    let (&[version, found, compression], content) =
        rest.and_then(<[u8]>::split_first_chunk).ok_or_else(|| wrong().expected("the header of Icechunk"))?;
    if version == 0 || version > NEWEST {
        return Err(Error::unsupported("the version of an Icechunk file")
            .expected(format!("at most {NEWEST}"))
            .actual(version.to_string()));
    }
    if found != kind as u8 {
        return Err(wrong().expected(format!("file type {}", kind as u8)).actual(found.to_string()));
    }
    match compression {
        UNCOMPRESSED => {
            limits::within(content.len() as u64, limits::METADATA_BYTES, kind.name())?;
            Ok(content.to_vec())
        }
        ZSTD => decompress(kind, content),
        other => Err(Error::unsupported("the compression of an Icechunk file").actual(other.to_string())),
    }
}

fn decompress(kind: FileKind, content: &[u8]) -> Result<Vec<u8>> {
    let limit = limits::to_usize(limits::METADATA_BYTES, kind.name())?;
    let mut decoded = Vec::new();
    let decompressed =
        Decompressor::new().and_then(|mut context| context.decompress_to_vec(content, limit, &mut decoded));
    match decompressed {
        Ok(()) => Ok(decoded),
        Err(ZstdError::Limit(limit)) => Err(limits::exceeded(kind.name(), u64::MAX, limit as u64)),
        Err(ZstdError::OutOfMemory) => Err(Error::limit(format!("no memory for {}", kind.name()))),
        Err(error) => Err(Error::format(format!("{} is damaged", kind.name())).actual(error.to_string())),
    }
}
