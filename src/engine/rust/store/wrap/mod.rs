//! Wrappers: stores that have the interface of the store that they wrap, and add one thing. What
//! they do not implement, the wrapped store does: [`Store::inner`](super::Store::inner).
//!
//! [`Gathering`] is the innermost wrapper. [`KnownDocuments`] wraps it when a hierarchy has
//! consolidated metadata. [`Alias`] and [`transform`] wrap the store of a single array, as its
//! metadata demands. [`OverlayStore`] combines two stores of the user. [`Counting`] and
//! [`Recording`] are for tests.

mod alias;
#[cfg(not(target_arch = "wasm32"))]
mod counting;
mod gathering;
mod known_documents;
mod overlay;
#[cfg(not(target_arch = "wasm32"))]
mod recording;
pub mod transform;

pub use alias::Alias;
#[cfg(not(target_arch = "wasm32"))]
pub use counting::{Counters, Counting};
pub use gathering::Gathering;
pub use known_documents::KnownDocuments;
pub use overlay::OverlayStore;
#[cfg(not(target_arch = "wasm32"))]
pub use recording::Recording;
