//! Manifests: for each chunk of an array, where its bytes are.
//!
//! A chunk is in the manifest itself (inline), in a file of the repository (native), or a range of
//! any other file (virtual). Locations of virtual chunks may be compressed with a dictionary.

use std::cell::RefCell;
use std::cmp::Ordering;

use super::flatbuffer::{List, Table, damaged, number, small};
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
const ZSTD_DICTIONARY: u64 = 1;
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
        Ok(Self { file: File::open(FileKind::Manifest, file)?, checked: RefCell::default() })
    }

    /// The approximate memory in bytes.
    pub fn size(&self) -> usize {
        self.file.0.len()
    }

    /// The reference to a chunk of an array. The first call for an array checks all of its
    /// references: they are sorted, and within the `extents` that the snapshot gives, or a damaged
    /// one could be missed.
    ///
    /// # Errors
    /// `Format` for a damaged file.
    pub fn find(&self, array: [u8; 8], extents: &[[u32; 2]], chunk: &[u32]) -> Result<Option<ChunkRef>> {
        let references = self.references(array, extents)?;
        let mut index = Vec::new();
        let (mut low, mut high) = (0, references.len);
        while low < high {
            let middle = low.midpoint(high);
            let reference = references.table(middle)?;
            read_index(reference, &mut index)?;
            match index.as_slice().cmp(chunk) {
                Ordering::Less => low = middle.saturating_add(1),
                Ordering::Greater => high = middle,
                Ordering::Equal => return self.chunk_ref(reference).map(Some),
            }
        }
        Ok(None)
    }

    /// The indexes of all chunks of an array that have a reference.
    ///
    /// # Errors
    /// `Format` for a damaged file.
    pub fn chunks(&self, array: [u8; 8], extents: &[[u32; 2]]) -> Result<impl Iterator<Item = Vec<u32>>> {
        let references = self.references(array, extents)?;
        Ok((0..references.len).map(move |at| {
            let mut index = Vec::new();
            // All of them were read before.
            let _ = references.table(at).and_then(|reference| read_index(reference, &mut index));
            index
        }))
    }

    /// The references of an array, which are checked once.
    fn references(&self, array: [u8; 8], extents: &[[u32; 2]]) -> Result<List<'_>> {
        let arrays = self.file.root()?.tables(ARRAYS)?;
        for at in 0..arrays.len {
            let found = arrays.table(at)?;
            if found.id(0)? == Some(array) {
                let references = found.list(1, 4)?.ok_or_else(|| damaged("an array without references"))?;
                let mut checked = self.checked.borrow_mut();
                if !checked.contains(&array) {
                    check(references, extents)?;
                    checked.push(array);
                }
                return Ok(references);
            }
        }
        Err(damaged("a manifest without its array"))
    }

    fn chunk_ref(&self, reference: Table<'_>) -> Result<ChunkRef> {
        let (offset, len) = (reference.number(2, 8)?, reference.number(3, 8)?);
        if offset.checked_add(len).is_none() {
            return Err(damaged("the range of a chunk"));
        }
        if let Some(id) = reference.id(4)? {
            return Ok(ChunkRef::Native { id: ObjectId(id), offset, len });
        }
        let location = match reference.bytes(8)? {
            Some(compressed) => Some(expand(self.file.root()?, compressed)?),
            None => reference.text(5)?.map(str::to_owned),
        };
        if let Some(location) = location {
            return Ok(ChunkRef::Virtual { location, offset, len, checksum: checksum(reference)? });
        }
        let inline = reference.bytes(1)?.ok_or_else(|| damaged("a reference to nothing"))?;
        Ok(ChunkRef::Inline(inline.to_vec()))
    }
}

/// The index of a reference. That of an array without dimensions is empty.
fn read_index(reference: Table<'_>, index: &mut Vec<u32>) -> Result<()> {
    let list = reference.list(0, 4)?.ok_or_else(|| damaged("a chunk without its index"))?;
    index.clear();
    for part in list.elements.as_chunks::<4>().0 {
        index.push(small(part));
    }
    Ok(())
}

/// Checks that references are sorted, without two of one chunk, and within their extents.
fn check(references: List<'_>, extents: &[[u32; 2]]) -> Result<()> {
    let (mut last, mut index) = (Vec::new(), Vec::new());
    for at in 0..references.len {
        read_index(references.table(at)?, &mut index)?;
        if !is_within(&index, extents) || (at > 0 && last >= index) {
            return Err(damaged("the index of a chunk"));
        }
        std::mem::swap(&mut last, &mut index);
    }
    Ok(())
}

fn checksum(reference: Table<'_>) -> Result<Option<Checksum>> {
    Ok(match (reference.text(6)?, reference.u32(7)?) {
        (Some(tag), _) => Some(Checksum::Tag(tag.to_owned())),
        (None, 0) => None,
        (None, seconds) => Some(Checksum::Modified(seconds)),
    })
}

/// The text of a compressed location.
fn expand(root: Table<'_>, compressed: &[u8]) -> Result<String> {
    let algorithm = root.fixed(ALGORITHM, 1)?.map_or(ZSTD_DICTIONARY, number);
    if algorithm != ZSTD_DICTIONARY {
        return Err(Error::unsupported("the compression of locations in an Icechunk manifest")
            .actual(algorithm.to_string()));
    }
    let dictionary = root.bytes(DICTIONARY)?.unwrap_or_default();
    let mut text = vec![0; LOCATION_BYTES];
    let len = Decompressor::new()
        .and_then(|mut context| context.decompress_with_dictionary(compressed, dictionary, &mut text));
    text.truncate(len.map_err(|_| damaged("a compressed location"))?);
    String::from_utf8(text).map_err(|_| damaged("a compressed location"))
}
