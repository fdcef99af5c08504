//! Keys and values of stores, Icechunk repositories and archives.

use crate::encoding::{Bytes, HeldBytes, Natural};

records! {
    /// A byte range of a stored value. Without `length` it is the whole value. With `length` alone
    /// it is the last bytes.
    struct KeyRange {
        /// The store.
        store: u32,
        /// The key.
        key: String,
        /// The first byte.
        offset: Option<Natural>,
        /// The number of bytes.
        length: Option<Natural>,
    }

    /// A key of a store.
    struct StoreEntry {
        /// The store.
        store: u32,
        /// The key.
        key: String,
    }

    /// What keys begin with.
    struct KeyPrefix {
        /// The store.
        store: u32,
        /// The prefix.
        prefix: String,
    }

    /// The direct children of a prefix.
    struct Directory {
        /// Keys.
        keys: Vec<String>,
        /// Prefixes of more keys; they end with a slash.
        prefixes: Vec<String>,
    }

    /// What can be asked of an Icechunk repository. All but an id is answered with JSON.
    enum RepositorySubject {
        /// The id of the snapshot in use.
        Snapshot = "snapshot",
        /// The branches as they are now: an object of their snapshots.
        Branches = "branches",
        /// The tags, likewise.
        Tags = "tags",
        /// The snapshot in use and those before it: a list.
        History = "history",
    }

    /// A question about an Icechunk repository.
    struct RepositoryQuestion {
        /// Its store.
        store: u32,
        /// What is asked.
        question: RepositorySubject,
    }

    /// A value to store.
    struct KeyValue {
        /// The store.
        store: u32,
        /// The key.
        key: String,
        /// The value.
        value: HeldBytes,
    }

    /// A value of a new archive.
    struct ArchiveEntry {
        /// Its key.
        key: String,
        /// Its size in bytes.
        size: Natural,
        /// Its CRC-32.
        crc: u32,
    }

    /// The values of a new archive.
    struct NewArchive {
        /// The values.
        entries: Vec<ArchiveEntry>,
        /// The archive is an OME-Zarr of this version: its comment says so.
        ome_version: Option<String>,
    }

    /// The records around the values of an archive.
    struct ArchiveLayout {
        /// The entries in the order of the archive, by index.
        order: Vec<u32>,
        /// What stands before each value.
        headers: Vec<Bytes>,
        /// What stands after the last value.
        end: Bytes,
    }
}
