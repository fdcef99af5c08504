//! WHICH BYTES ARE NEEDED. Pure machines that ask and are answered: no async, no clock, no store.
//!
//! [`selection`] understands what was asked, [`projection`] finds the chunks, [`part`] cuts the output into boxes that are
//! worked on as one (in the order of [`nearest`], where that is asked for), [`plan`] asks for the bytes of a part, and [`assemble`] (in a worker) turns them into the part's elements.
//! Writing goes the other way: [`write_plan`] finds the chunks and what each takes, [`chunk_update`] changes one.
//! [`binding`] is what both sides know of an array; [`instruction`] is how the one tells the other what to do.

pub mod assemble;
pub mod binding;
pub mod chunk_update;
pub mod dimension_order;
pub mod instruction;
pub mod nearest;
pub mod part;
mod part_buffer;
pub mod plan;
pub mod projection;
pub mod rows;
pub mod selection;
pub mod write_plan;
