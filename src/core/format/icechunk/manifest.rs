//! Manifests: for each chunk of an array, where its bytes are.
//!
//! A chunk is in the manifest itself (inline), in a file of the repository (native), or a range of
//! any other file (virtual). Locations of virtual chunks may be compressed with a dictionary.

use std::cell::RefCell;

use super::flatbuffer::{Checked, Damaged, List, Table};
use super::object_id::ObjectId;
use super::snapshot::is_within;
use super::{File, FileKind};
use crate::error::{Error, Result};
use crate::kernel::zstd::Decompressor;

/// Fields of the root table.
const ARRAYS: usize = 1;
const DICTIONARY: usize = 2;
const ALGORITHM: usize = 3;
/// The algorithm of compressed locations, and its number where there is none.
const ZSTD_DICTIONARY: u8 = 1;
/// The most bytes of a location.
const LOCATION_BYTES: usize = 1024;

/// Where the bytes of a chunk are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChunkRef {
    /// The bytes themselves.
    Inline(Vec<u8>),
    /// A range of a file of the repository.
    Native {
        /// The file.
        id: ObjectId,
        /// The offset of the first byte.
        offset: u64,
        /// The number of bytes.
        len: u64,
    },
    /// A range of another file.
    Virtual {
        /// The address of the file.
        location: String,
        /// The offset of the first byte.
        offset: u64,
        /// The number of bytes.
        len: u64,
        /// What the file was when the reference was made.
        checksum: Option<Checksum>,
    },
}

/// By what a change of a file is noticed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Checksum {
    /// Its ETag.
    Tag(String),
    /// It was not changed after this time, in seconds since 1970.
    Modified(u32),
}

/// A parsed manifest.
#[derive(Debug)]
pub struct Manifest {
    file: File,
    /// The arrays whose references are known to be in order.
    checked: RefCell<Vec<[u8; 8]>>,
}

impl Manifest {
    /// Parses the file.
    ///
    /// # Errors
    /// `Format` for a damaged file, `Unsupported` for one of a newer version.
    pub fn parse(file: &[u8]) -> Result<Self> {
        let file = File::open(FileKind::Manifest, file)?;
        file.read(|root| root.list(ARRAYS, 4)?.map(drop).ok_or(Damaged("the list of arrays")))?;
        Ok(Self { file, checked: RefCell::default() })
    }

    /// The approximate memory in bytes.
    pub fn size(&self) -> usize {
        self.file.flatbuffer.len()
    }

    /// The reference to a chunk of an array. The first call for an array checks all of its
    /// references: they are sorted, and within the `extents` that the snapshot gives, or a damaged
    /// one could be missed.
    ///
    /// # Errors
    /// `Format` for a damaged file.
    pub fn find(&self, array: [u8; 8], extents: &[[u32; 2]], chunk: &[u32]) -> Result<Option<ChunkRef>> {
        let references = self.references(array, extents)?;
        self.file
            .read(|root| {
                let at =
                    references.partition_point(|reference| Ok(index_of(reference)?.cmp_to(chunk).is_lt()))?;
                if at == references.len() {
                    return Ok(None);
                }
                let reference = references.table(at)?;
                if index_of(reference)?.cmp_to(chunk).is_ne() {
                    return Ok(None);
                }
                Ok(Some((root, reference)))
            })?
            .map(|(root, reference)| self.chunk_ref(root, reference))
            .transpose()
    }

    /// The indexes of all chunks of an array that have a reference.
    ///
    /// # Errors
    /// `Format` for a damaged file.
    pub fn chunks<'a>(
        &'a self,
        array: [u8; 8],
        extents: &[[u32; 2]],
    ) -> Result<impl Iterator<Item = Vec<u32>> + use<'a>> {
        let references = self.references(array, extents)?;
        // All of them were read before.
        Ok(references
            .iter()
            .filter_map(|reference| Some(index_of(reference.ok()?).ok()?.numbers().collect())))
    }

    /// The references of an array, which are checked once.
    fn references(&self, array: [u8; 8], extents: &[[u32; 2]]) -> Result<List<'_>> {
        let is_checked = self.checked.borrow().contains(&array);
        let references = self.file.read(|root| {
            let arrays = root.tables(ARRAYS)?;
            let found = arrays
                .iter()
                .find(|each| each.and_then(|each| each.fixed(0)).is_ok_and(|id| id == Some(&array)));
            let references = found.ok_or(Damaged("the list of arrays"))??.list(1, 4)?;
            let references = references.ok_or(Damaged("a list of references"))?;
            if !is_checked {
                check(references, extents)?;
            }
            Ok(references)
        })?;
        if !is_checked {
            self.checked.borrow_mut().push(array);
        }
        Ok(references)
    }

    fn chunk_ref(&self, root: Table<'_>, reference: Table<'_>) -> Result<ChunkRef> {
        let damaged = |Damaged(what): Damaged| {
            Error::format("an Icechunk manifest is damaged").actual(format!("{what} is wrong"))
        };
        let (offset, len) = range(reference).map_err(damaged)?;
        if let Some(id) = reference.fixed(4).map_err(damaged)? {
            return Ok(ChunkRef::Native { id: ObjectId(*id), offset, len });
        }
        let location = match reference.bytes(8).map_err(damaged)? {
            Some(compressed) => Some(expand(root, compressed)?),
            None => reference.text(5).map_err(damaged)?.map(str::to_owned),
        };
        if let Some(location) = location {
            let checksum = checksum(reference).map_err(damaged)?;
            return Ok(ChunkRef::Virtual { location, offset, len, checksum });
        }
        let inline = reference.bytes(1).map_err(damaged)?.ok_or(Damaged("a reference")).map_err(damaged)?;
        Ok(ChunkRef::Inline(inline.to_vec()))
    }
}

/// The index of a chunk, as little-endian numbers of 32 bits.
#[derive(Clone, Copy)]
struct Index<'a>(&'a [[u8; 4]]);

impl<'a> Index<'a> {
    fn numbers(self) -> impl Iterator<Item = u32> + 'a {
        self.0.iter().map(|number| u32::from_le_bytes(*number))
    }

    fn cmp_to(self, chunk: &[u32]) -> std::cmp::Ordering {
        self.numbers().cmp(chunk.iter().copied())
    }
}

/// The index of a reference. An array without dimensions has one that is empty.
fn index_of(reference: Table<'_>) -> Checked<Index<'_>> {
    Ok(Index(reference.list(0, 4)?.ok_or(Damaged("the index of a chunk"))?.fixed()))
}

/// Checks that references are sorted, without two of one chunk, and within their extents.
fn check(references: List<'_>, extents: &[[u32; 2]]) -> Checked<()> {
    let mut last: Vec<u32> = Vec::new();
    let mut chunk = Vec::with_capacity(extents.len());
    for (place, reference) in references.iter().enumerate() {
        chunk.clear();
        chunk.extend(index_of(reference?)?.numbers());
        if !is_within(&chunk, extents) || (place > 0 && last >= chunk) {
            return Err(Damaged("the index of a chunk"));
        }
        std::mem::swap(&mut last, &mut chunk);
    }
    Ok(())
}

/// Offset and length.
fn range(reference: Table<'_>) -> Checked<(u64, u64)> {
    let (offset, len) = (reference.u64(2)?, reference.u64(3)?);
    offset.checked_add(len).map(|_| (offset, len)).ok_or(Damaged("the range of a chunk"))
}

fn checksum(reference: Table<'_>) -> Checked<Option<Checksum>> {
    if let Some(tag) = reference.text(6)? {
        return Ok(Some(Checksum::Tag(tag.to_owned())));
    }
    Ok(Some(reference.u32(7)?).filter(|seconds| *seconds > 0).map(Checksum::Modified))
}

/// The text of a compressed location.
fn expand(root: Table<'_>, compressed: &[u8]) -> Result<String> {
    let wrong = || Error::format("the location of a chunk in an Icechunk manifest is damaged");
    let algorithm = root.fixed(ALGORITHM).map_err(|_| wrong())?.map_or(ZSTD_DICTIONARY, |[byte]| *byte);
    if algorithm != ZSTD_DICTIONARY {
        return Err(Error::unsupported("the compression of locations in an Icechunk manifest")
            .actual(algorithm.to_string()));
    }
    let dictionary = root.bytes(DICTIONARY).map_err(|_| wrong())?.unwrap_or_default();
    let mut decoded = [0; LOCATION_BYTES];
    let len = Decompressor::new()
        .and_then(|mut context| context.decompress_with_dictionary(compressed, dictionary, &mut decoded))
        .map_err(|error| wrong().actual(error.to_string()))?;
    let text = decoded.get(..len).map(<[u8]>::to_vec).map(String::from_utf8);
    text.and_then(std::result::Result::ok).ok_or_else(wrong)
}
