//! The records of the engine's operations, and of errors. Shapes are in elements, lengths in bytes.
//! Paths and keys begin with a slash.

mod changes;
mod elements;
mod errors;
mod nodes;
mod reductions;
mod stores;

pub use changes::*;
pub use elements::*;
pub use errors::*;
pub use nodes::*;
pub use reductions::*;
pub use stores::*;

pub use crate::builds::Build;
