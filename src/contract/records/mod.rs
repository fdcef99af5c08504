//! The records of the engine's operations, and of errors. Shapes are in elements, lengths in bytes.
//! Paths and keys begin with a slash.

mod builds_and_errors;
mod changes;
mod elements;
mod nodes;
mod reductions;
mod stores;

pub use builds_and_errors::*;
pub use changes::*;
pub use elements::*;
pub use nodes::*;
pub use reductions::*;
pub use stores::*;
