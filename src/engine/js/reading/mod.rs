//! What the engine's own build lacks and reading sometimes needs: archives, references, Icechunk
//! repositories, and lists.

mod archive;
mod icechunk;
mod lists;
mod reference;
mod repository;
