//! Manifests: for each chunk of an array, where its bytes are.
//!
//! A chunk is in the manifest itself (inline), in a file of the repository (native), or a range of
//! any other file (virtual). Locations of virtual chunks may be compressed with a dictionary.

use std::cell::RefCell;
use std::cmp::Ordering;
use std::rc::Rc;

use zarr_wasm::error::{Error, Result};
use zarr_wasm::limits;
use zarr_wasm::sorted::{self, Map};
use zarr_wasm_kernel::zstd::Decompressor;

use crate::budget::Budget;
use crate::envelope::FileKind;
use crate::extents::is_within;
use crate::file::{File, Span};
use crate::flatbuffer::{List, Table, damaged, number, small};
use crate::object_id::ObjectId;

/// Fields of the root table.
const ARRAYS: usize = 1;
const DICTIONARY: usize = 2;
const ALGORITHM: usize = 3;
/// The algorithm of compressed locations, and its number where there is none.
const ZSTD_DICTIONARY: u64 = 1;
/// The most bytes of a location, of a compressed one, and of an ETag. Servers take no longer ones.
const LOCATION_BYTES: u64 = 4096;
const EXPANDED_BYTES: usize = 1024;
const TAG_BYTES: u64 = 1024;
/// How many locations are known at once, by their offsets in the file.
const KNOWN_LOCATIONS: usize = 256;

/// Where the bytes of a chunk are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChunkRef {
    /// The bytes themselves, in the manifest.
    Inline(Span),
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
        /// The address of the file. Many chunks may be in one file.
        location: Rc<str>,
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
    /// The arrays by their ids.
    arrays: RefCell<Vec<Listed>>,
    /// What may be checked of the references of all arrays.
    budget: RefCell<Budget>,
    locations: RefCell<Map<usize, Rc<str>>>,
}

/// An array of a manifest.
#[derive(Debug)]
struct Listed {
    id: [u8; 8],
    /// Its index in the file.
    index: usize,
    /// Whether its references are known to be in order.
    is_checked: bool,
}

impl Manifest {
    /// Parses the file, with its envelope, and sorts its list of arrays. It keeps the content
    /// decompressed; references are read when they are asked for.
    ///
    /// # Errors
    /// `Format` for a damaged file, `Unsupported` for one of a newer version.
    pub fn parse(file: &[u8]) -> Result<Self> {
        let file = File::open(FileKind::Manifest, file)?;
        let (found, mut arrays) = (file.root()?.tables(ARRAYS)?, Vec::new());
        for index in 0..found.len {
            let id = found.table(index)?.id(0)?.ok_or_else(|| damaged("an array without its id"))?;
            arrays.push(Listed { id, index, is_checked: false });
        }
        sorted::sort_by_key(&mut arrays, |array| array.id);
        let (arrays, budget) = (RefCell::new(arrays), RefCell::new(file.budget()));
        Ok(Self { file, arrays, budget, locations: RefCell::default() })
    }

    /// The approximate memory in bytes.
    pub fn size(&self) -> usize {
        self.file.len()
    }

    /// The reference to a chunk of an array. The first call for an array checks all of its
    /// references: they are sorted, and within the `extents` that the snapshot gives, or a damaged
    /// one could be missed. Later calls take log n steps for n references.
    ///
    /// # Errors
    /// `Format` for a damaged file.
    pub fn find(&self, array: [u8; 8], extents: &[[u32; 2]], chunk: &[u32]) -> Result<Option<ChunkRef>> {
        let references = self.references(array, extents)?;
        let (mut low, mut high) = (0, references.len);
        while low < high {
            let middle = low.midpoint(high);
            let reference = references.table(middle)?;
            let index = index_of(reference)?;
            match index.iter().map(|part| small(part)).cmp(chunk.iter().copied()) {
                Ordering::Less => low = middle.saturating_add(1),
                Ordering::Greater => high = middle,
                Ordering::Equal => return self.chunk_ref(reference).map(Some),
            }
        }
        Ok(None)
    }

    /// The indexes of all chunks of an array that have a reference, in their order. Each is a list
    /// of its own.
    ///
    /// # Errors
    /// `Format` for a damaged file.
    pub fn chunks(&self, array: [u8; 8], extents: &[[u32; 2]]) -> Result<impl Iterator<Item = Vec<u32>>> {
        let references = self.references(array, extents)?;
        Ok((0..references.len).map(move |at| {
            // All of them were read before.
            let index = references.table(at).and_then(index_of).unwrap_or_default();
            index.iter().map(|part| small(part)).collect()
        }))
    }

    /// The references of an array, which are checked once.
    fn references(&self, array: [u8; 8], extents: &[[u32; 2]]) -> Result<List<'_>> {
        let mut arrays = self.arrays.borrow_mut();
        // Of several of one id the first counts.
        let at = arrays.partition_point(|listed| listed.id < array);
        let listed = arrays.get_mut(at).filter(|listed| listed.id == array);
        let listed = listed.ok_or_else(|| damaged("a manifest without its array"))?;
        let found = self.file.root()?.tables(ARRAYS)?.table(listed.index)?;
        let references = found.list(1, 4)?.ok_or_else(|| damaged("an array without references"))?;
        if !listed.is_checked {
            check(references, extents, &mut self.budget.borrow_mut())?;
            listed.is_checked = true;
        }
        Ok(references)
    }

    fn chunk_ref(&self, reference: Table<'_>) -> Result<ChunkRef> {
        let (offset, len) = (reference.number(2, 8)?, reference.number(3, 8)?);
        if offset.checked_add(len).is_none() {
            return Err(damaged("the range of a chunk"));
        }
        if let Some(id) = reference.id(4)? {
            return Ok(ChunkRef::Native { id: ObjectId(id), offset, len });
        }
        if let Some(location) = self.location(reference)? {
            return Ok(ChunkRef::Virtual { location, offset, len, checksum: checksum(reference)? });
        }
        let inline = reference.list(1, 1)?.ok_or_else(|| damaged("a reference to nothing"))?;
        Ok(ChunkRef::Inline(self.file.span(inline.range(1))))
    }

    /// The location of a virtual chunk. Chunks whose locations are at one offset share the text.
    fn location(&self, reference: Table<'_>) -> Result<Option<Rc<str>>> {
        let compressed = reference.list(8, 1)?;
        let Some(stored) = (match compressed {
            Some(compressed) => Some(compressed),
            None => reference.list(5, 1)?,
        }) else {
            return Ok(None);
        };
        let (mut known, offset) = (self.locations.borrow_mut(), stored.range(1).start);
        if let Some(location) = known.get(&offset) {
            return Ok(Some(location.clone()));
        }
        let location: Rc<str> = match compressed {
            Some(compressed) => expand(self.file.root()?, compressed.elements)?.into(),
            None => {
                limits::within(stored.len as u64, LOCATION_BYTES, "the location of a virtual chunk")?;
                std::str::from_utf8(stored.elements).map_err(|_| damaged("a text"))?.into()
            }
        };
        if known.len() == KNOWN_LOCATIONS {
            known.clear();
        }
        known.insert(offset, location.clone());
        Ok(Some(location))
    }
}

/// The index of a reference. That of an array without dimensions is empty.
fn index_of(reference: Table<'_>) -> Result<&[[u8; 4]]> {
    let list = reference.list(0, 4)?.ok_or_else(|| damaged("a chunk without its index"))?;
    Ok(list.elements.as_chunks::<4>().0)
}

/// Checks that references are sorted, without two of one chunk, and within their extents.
fn check(references: List<'_>, extents: &[[u32; 2]], budget: &mut Budget) -> Result<()> {
    let (mut last, mut index) = (Vec::new(), Vec::new());
    for at in 0..references.len {
        let parts = index_of(references.table(at)?)?;
        if parts.len() != extents.len() {
            return Err(damaged("the index of a chunk"));
        }
        budget.take(0)?;
        index.clear();
        for part in parts {
            index.push(small(part));
        }
        if !is_within(&index, extents) || (at > 0 && last >= index) {
            return Err(damaged("the index of a chunk"));
        }
        std::mem::swap(&mut last, &mut index);
    }
    Ok(())
}

fn checksum(reference: Table<'_>) -> Result<Option<Checksum>> {
    Ok(match (reference.text(6)?, reference.u32(7)?) {
        (Some(tag), _) => {
            limits::within(tag.len() as u64, TAG_BYTES, "the ETag of a virtual chunk")?;
            Some(Checksum::Tag(tag.to_owned()))
        }
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
    let mut text = vec![0; EXPANDED_BYTES];
    let len = Decompressor::new()
        .and_then(|mut context| context.decompress_with_dictionary(compressed, dictionary, &mut text));
    text.truncate(len.map_err(|_| damaged("a compressed location"))?);
    String::from_utf8(text).map_err(|_| damaged("a compressed location"))
}
