//! Storage transformers: wrappers for the store of an array, which may change keys and values (v3
//! drafts, "Storage transformers"; the final specification keeps the metadata field and defines
//! none).
//!
//! A transformer is a store over a store, so several of them form a stack. Metadata names a
//! transformer by the URI of its specification. The [`TransformerRegistry`] knows ours, which is
//! [`sharding`], and asks for those of the user.

mod known_transformers;
mod shard_keys;
pub mod sharding;
mod transformer;

pub use known_transformers::TransformerRegistry;
pub use transformer::{ArrayKeys, NamedTransformer, Transformer};
