//! kerchunk's references in Parquet: a `.zmetadata` with all documents of a hierarchy of v2 and the
//! member `record_size`, and files `<array>/refs.<number>.parq` with a row for each chunk.
//! <https://fsspec.github.io/kerchunk/spec.html#parquet-references>
//!
//! The chunks of an array are numbered in C order. Chunk `n` is row `n mod record_size` of file
//! `n div record_size`. A missing file means missing chunks.

use std::cell::RefCell;
use std::rc::Rc;

use zarr_wasm_parquet::MAX_ROWS;

use super::document::References;
use super::record::{Record, Row};
use super::records::{OptionalRecord, Records};
use crate::error::{Error, Result};
use crate::format::chunk_key::{ChunkKeyEncoding, Separator};
use crate::format::json::{Document, Json};
use crate::format::metadata::document::ZARRAY;
use crate::format::path::{NodePath, StoreKey};
use crate::limits;
use crate::sorted::Map;
use crate::store::key_table::{KeyTable, below};
use crate::store::turn::next_turn;
use crate::store::{Listing, RequestContext, Store};

/// The key of the document.
pub const ZMETADATA: &str = ".zmetadata";

/// The tables of a hierarchy.
pub struct Tables {
    /// Where the files are.
    store: Rc<dyn Store>,
    record_size: u64,
    /// The grids of arrays, by path.
    grids: RefCell<Map<String, Rc<Grid>>>,
    records: Records,
}

/// The grid of an array.
struct Grid {
    path: NodePath,
    /// Number of chunks along each dimension.
    counts: Vec<u64>,
    encoding: ChunkKeyEncoding,
}

/// A chunk: its file, and its row there.
pub struct FoundRow {
    /// The file.
    pub record: Rc<Record>,
    /// The row.
    pub row: usize,
    /// The key of the file.
    pub key: StoreKey,
}

impl Tables {
    /// The tables of a store with this `record_size`.
    ///
    /// # Errors
    /// `Format` for the size 0, `Limit` for one that is too large.
    pub fn new(store: Rc<dyn Store>, record_size: u64) -> Result<Self> {
        if record_size == 0 {
            return Err(Error::format("files of references have no rows").in_field("record_size"));
        }
        limits::within(record_size, MAX_ROWS, "record_size")?;
        Ok(Self { store, record_size, grids: RefCell::default(), records: Records::default() })
    }

    /// The row of the chunk under a key. `None` for keys that are not those of chunks, and where
    /// there is no file.
    ///
    /// # Errors
    /// Errors of the store; `Format`, `Unsupported` and `Limit` for a file that cannot be read.
    pub async fn find(
        &self,
        documents: &References,
        key: &StoreKey,
        context: &RequestContext,
    ) -> Result<Option<FoundRow>> {
        let Some((grid, number)) = self.grid_and_chunk(documents, key)? else { return Ok(None) };
        // `record_size` is above 0.
        let file = number.checked_div(self.record_size).unwrap_or_default();
        let row = limits::to_usize(number.checked_rem(self.record_size).unwrap_or_default(), "record_size")?;
        let (record, key) = self.record(&grid, file, context).await?;
        Ok(record.map(|record| FoundRow { record, row, key }))
    }

    /// The file of this number of an array, and its key.
    async fn record(
        &self,
        grid: &Grid,
        file: u64,
        context: &RequestContext,
    ) -> Result<(OptionalRecord, StoreKey)> {
        let key = StoreKey::new(&grid.path, &format!("refs.{file}.parq"));
        Ok((self.records.get(&self.store, &key, context).await?, key))
    }

    /// The array that a key belongs to, and the number of the chunk.
    fn grid_and_chunk(&self, documents: &References, key: &StoreKey) -> Result<Option<(Rc<Grid>, u64)>> {
        let text = key.as_str();
        // The chunks of an array may be in folders: the nearest array above counts.
        let mut end = text.rfind('/').unwrap_or(0);
        loop {
            let path = text.get(..end).unwrap_or_default();
            if let Some(grid) = self.grid(documents, path)? {
                let name = text.get(end..).unwrap_or_default();
                let number = grid.number(name.strip_prefix('/').unwrap_or(name));
                return Ok(number.map(|number| (grid, number)));
            }
            if end == 0 {
                return Ok(None);
            }
            end = path.rfind('/').unwrap_or(0);
        }
    }

    fn grid(&self, documents: &References, path: &str) -> Result<Option<Rc<Grid>>> {
        if let Some(grid) = self.grids.borrow().get(path) {
            return Ok(Some(grid.clone()));
        }
        let Some(path) = NodePath::from_normal(path) else { return Ok(None) };
        let key = StoreKey::new(&path, ZARRAY);
        let Some(text) = documents.inline_text(&key)? else { return Ok(None) };
        let grid = Rc::new(Grid::of(path, &text).map_err(|error| error.at_key(key.as_str()))?);
        self.grids.borrow_mut().insert(grid.path.as_str().to_owned(), grid.clone());
        Ok(Some(grid))
    }

    /// The direct children of a prefix: documents and groups, and the chunks of an array.
    ///
    /// # Errors
    /// As [`find`](Self::find); `Limit` for too many chunks.
    pub async fn list_dir(&self, documents: &References, prefix: &NodePath) -> Result<Listing> {
        let mut listing = documents.table().list_dir(prefix)?;
        let Some((grid, _)) = self.around(documents, prefix)? else { return Ok(listing) };
        let chunks = self.chunks(&grid).await?;
        let found = chunks.list_dir(prefix)?;
        listing.keys.extend(found.keys);
        let known = listing.prefixes.clone();
        listing.prefixes.extend(found.prefixes.into_iter().filter(|found| !known.contains(found)));
        Ok(listing)
    }

    /// All keys below a prefix.
    ///
    /// # Errors
    /// As [`list_dir`](Self::list_dir).
    pub async fn list_prefix(&self, documents: &References, prefix: &NodePath) -> Result<Vec<StoreKey>> {
        let mut keys = documents.table().list_prefix(prefix)?;
        let zarray = format!("/{ZARRAY}");
        let is_array = |key: &&StoreKey| key.as_str() == ZARRAY || key.as_str().ends_with(&zarray);
        let arrays: Vec<String> = keys
            .iter()
            .filter(is_array)
            .map(|key| key.as_str().trim_end_matches(ZARRAY).to_owned())
            .collect();
        let inner = self.around(documents, prefix)?.filter(|(_, is_inside)| *is_inside);
        let mut grids: Vec<Rc<Grid>> = inner.into_iter().map(|(grid, _)| grid).collect();
        for path in &arrays {
            grids.extend(self.grid(documents, path.trim_end_matches('/'))?);
        }
        for grid in grids {
            keys.extend(self.chunks(&grid).await?.list_prefix(prefix)?);
            limits::within(keys.len() as u64, limits::LISTED_KEYS, "a listing of references")?;
        }
        Ok(keys)
    }

    /// The array whose chunks may be below a prefix, and whether the prefix is inside of the array.
    fn around(&self, documents: &References, prefix: &NodePath) -> Result<Option<(Rc<Grid>, bool)>> {
        let mut path = prefix.as_str();
        loop {
            if let Some(grid) = self.grid(documents, path)? {
                return Ok(Some((grid, path != prefix.as_str())));
            }
            if path.is_empty() {
                return Ok(None);
            }
            path = path.get(..path.rfind('/').unwrap_or(0)).unwrap_or_default();
        }
    }

    /// The keys of an array's chunks that exist. All of its files are read.
    async fn chunks(&self, grid: &Grid) -> Result<KeyTable<()>> {
        let count = limits::product(grid.counts.iter().copied(), "the number of chunks")?;
        limits::within(count, limits::LISTED_KEYS, "the number of chunks of a listed array")?;
        let (mut table, prefix) = (KeyTable::default(), below(&grid.path));
        for file in 0..count.div_ceil(self.record_size) {
            next_turn().await;
            let (record, key) = self.record(grid, file, &RequestContext::default()).await?;
            let Some(record) = record else { continue };
            let start = file.saturating_mul(self.record_size);
            let end = start.saturating_add(self.record_size).min(count);
            for (row, number) in (start..end).enumerate() {
                if record.row(row).map_err(|error| error.at_key(key.as_str()))? != Row::Missing {
                    let name = grid.encoding.encode(&grid.indices(number));
                    table.push(&format!("{prefix}{name}"), ())?;
                }
            }
        }
        table.sort();
        Ok(table)
    }
}

impl Grid {
    fn of(path: NodePath, zarray: &[u8]) -> Result<Self> {
        let document = Document::parse(zarray)?;
        let members = document.root().object()?;
        let shape = members.require("shape", Json::u64_list)?;
        let chunks = members.require("chunks", Json::u64_list)?;
        let separator =
            members.read_unless_null("dimension_separator", |json| Separator::parse(&json.str()?))?;
        let count = |(extent, chunk): (&u64, &u64)| (*chunk > 0).then(|| extent.div_ceil(*chunk));
        let counts = shape.iter().zip(&chunks).map(count).collect::<Option<Vec<_>>>();
        let counts = counts.filter(|counts| counts.len() == chunks.len() && counts.len() == shape.len());
        let counts =
            counts.ok_or_else(|| Error::format("the chunks do not fit the shape").in_field("chunks"))?;
        let encoding = ChunkKeyEncoding::V2 { separator: separator.unwrap_or(Separator::Dot) };
        Ok(Self { path, counts, encoding })
    }

    /// The number of the chunk with this name, in C order.
    fn number(&self, name: &str) -> Option<u64> {
        let indices = self.encoding.decode(name, self.counts.len())?;
        indices.iter().zip(&self.counts).try_fold(0_u64, |number, (index, count)| {
            if index >= count {
                return None;
            }
            number.checked_mul(*count)?.checked_add(*index)
        })
    }

    /// The indices of a chunk by its number.
    fn indices(&self, mut number: u64) -> Vec<u64> {
        let mut indices: Vec<u64> = self
            .counts
            .iter()
            .rev()
            .map(|count| {
                let index = number.checked_rem(*count).unwrap_or_default();
                number = number.checked_div(*count).unwrap_or_default();
                index
            })
            .collect();
        indices.reverse();
        indices
    }
}
