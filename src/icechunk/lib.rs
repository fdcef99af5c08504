//! The files of [Icechunk](https://icechunk.io) repositories: what the bytes of `repo`, of
//! snapshots and of manifests mean. <https://icechunk.io/en/latest/reference/spec/>
//!
//! | file | type | what it has |
//! |---|---|---|
//! | `repo` | [`Repo`] | branches, tags, history and configuration |
//! | a snapshot | [`Snapshot`] | all nodes at one time, and where the manifests of each array are |
//! | a manifest | [`Manifest`] | where the bytes of each chunk are |
//! | `config.yaml` of version 1 | [`Containers`] | where virtual chunks are |
//!
//! ```no_run
//! use zarr_wasm_icechunk::{ChunkRef, Manifest, RefKind, Repo, Snapshot};
//!
//! # fn fetch(_: &str) -> Vec<u8> { Vec::new() }
//! # fn main() -> zarr_wasm::Result<()> {
//! let repo = Repo::parse(&fetch("repo"))?;
//! let newest = repo.find(RefKind::Branch, "main")?.expect("a branch");
//! let snapshot = Snapshot::parse(&fetch(&format!("snapshots/{newest}")))?;
//! let node = snapshot.node("/temperature")?.expect("a node");
//! let array = snapshot.array(&node)?.expect("an array");
//! if let Some(of_chunk) = array.manifest_of(&[0, 3]) {
//!     let manifest = Manifest::parse(&fetch(&format!("manifests/{}", of_chunk.id)))?;
//!     let found = manifest.find(array.id, &of_chunk.extents, &[0, 3])?;
//!     if let Some(ChunkRef::Native { id, offset, len }) = found {
//!         println!("{len} bytes from {offset} on of chunks/{id}");
//!     }
//! }
//! # Ok(())
//! # }
//! ```
//!
//! A file is an envelope around a flatbuffer. Of each table only what a reader needs is read, by
//! the number of its field. All that a file says is checked: a damaged file gives a `Format` error,
//! or the values that it still has, because the format has no checksums. What is taken from a file
//! is at most a small multiple of its length. Files of version 2 may be beside those of version 1,
//! so each goes by what it has.
//!
//! It does no I/O: who reads the files is the caller's matter (here the engine's
//! `store/icechunk`). It writes nothing, and reads neither transaction logs nor old copies of
//! `repo`.
//!
//! It uses the errors, the budgets, the maps and the JSON of the core (`zarr-wasm`). With errors of
//! its own each of the engine's forty calls would have to convert them, and a second reader of JSON
//! would cost bytes.

#![forbid(unsafe_code)]
#![cfg_attr(not(test), warn(clippy::arithmetic_side_effects, clippy::indexing_slicing, clippy::string_slice))]

mod budget;
mod config_yaml;
mod container;
mod envelope;
mod extents;
mod file;
mod flatbuffer;
mod flexbuffer;
mod manifest;
mod object_id;
mod regions;
mod repo;
mod snapshot;

pub use container::{Containers, VirtualFile};
pub use extents::ManifestRef;
pub use file::Span;
pub use manifest::{Checksum, ChunkRef, Manifest};
pub use object_id::ObjectId;
pub use repo::{RefKind, Repo, SnapshotInfo, metadata_json};
pub use snapshot::{ArrayNode, Node, Snapshot};
