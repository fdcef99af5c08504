//! Plans which bytes a read or write needs. State machines without I/O: no async, no clock, no
//! store. A driver takes requests from them and supplies answers.
//!
//! A read goes through these files in this order:
//!
//! - [`selection`] resolves what the caller asks for.
//! - [`projection`] finds the chunks along each dimension.
//! - [`part`] cuts the output into boxes of about equal size; [`nearest`] orders them by distance
//!   from a point, where the caller gives one, [`spread`] so that the first are a fair sample, and
//!   [`shard_order`] shard by shard.
//! - [`plan`] names the byte ranges that one part needs.
//! - [`assemble`], in a worker, decodes the chunks and fills the part.
//!
//! A write goes the other way: [`write_plan`] finds the chunks and the elements for each,
//! [`chunk_update`] changes one stored chunk.
//!
//! [`binding`] has the metadata and the codecs that both sides share. [`instruction`] is the
//! message from the planner to the decoder. [`rows`] reads parts of
//! uncompressed chunks. [`within`] cuts a selection to a box.
#![cfg_attr(not(test), warn(clippy::arithmetic_side_effects, clippy::indexing_slicing, clippy::string_slice))]

pub mod assemble;
pub mod binding;
pub mod chunk_update;
pub mod instruction;
pub mod level;
pub mod nearest;
pub mod part;
mod part_buffer;
pub mod plan;
pub mod projection;
pub mod rows;
pub mod selection;
pub mod shard_order;
pub mod spread;
pub mod within;
pub mod write_plan;
