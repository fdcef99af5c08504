//! How much a reader may take from one file.
//!
//! Many offsets may lead to one object, so a small flatbuffer can list a large object without
//! end. The length of each list and of each object is within the file; their sum is not. So all
//! that is taken is charged, and the sum is at most a small multiple of the file. Files of real
//! writers share little, and stay far below.

use zarr_wasm::error::{Error, Result};

/// The most containers of virtual chunks of a repository.
pub const CONTAINERS: u64 = 1 << 12;

/// The most metadata items of a snapshot that are read.
pub const SNAPSHOT_METADATA: usize = 1 << 12;

/// How often a file may be taken as a whole.
const TIMES: usize = 4;
/// What small files may take besides.
const FLOOR: usize = 1 << 12;
/// The cost of an object, whatever it has: its entry in a list, its table, its memory.
const OBJECT: usize = 32;

/// What may still be taken.
#[derive(Debug)]
pub struct Budget {
    left: usize,
    len: usize,
}

impl Budget {
    /// The budget of a file of `len` bytes.
    pub fn of(len: usize) -> Self {
        Self { left: len.saturating_mul(TIMES).saturating_add(FLOOR), len }
    }

    /// Charges an object of `bytes` bytes.
    ///
    /// # Errors
    /// `Limit` if the objects are more than the file can hold.
    pub fn take(&mut self, bytes: usize) -> Result<()> {
        match self.left.checked_sub(bytes.saturating_add(OBJECT)) {
            Some(left) => {
                self.left = left;
                Ok(())
            }
            None => Err(too_much(self.len)),
        }
    }
}

#[cold]
fn too_much(len: usize) -> Error {
    Error::limit("a file of Icechunk lists the same objects again and again")
        .expected(format!("objects that fit in {len} bytes"))
        .actual(format!("more than {TIMES} times as many bytes"))
}
