//! How much memory the decoder of JPEG 2000 takes for the blocks of a tile: a small file may cut an
//! image into very small blocks.

use crate::error::{Error, Result, within};
use crate::size::Size;

/// What the decoder holds for each block and its precinct, and for each layer of it (bytes).
const BLOCK: u64 = 256;
const LAYER: u64 = 32;
/// What it holds for each component of each tile (bytes).
const COMPONENT: u64 = 1024;
/// What an image may take for each sample (bytes), and what it may take in any case.
const SAMPLE: u64 = 64;
const MIN_BYTES: u64 = 64 << 20;

/// Checks the number of tiles of an image.
pub fn check_tiles(count: u64, size: &Size) -> Result<()> {
    check(count.saturating_mul(size.components).saturating_mul(COMPONENT), size)
}

/// Checks the blocks that a segment COD or COC describes. `style` is the segment from its
/// decomposition levels on, and `has_precincts` whether it ends with the sizes of precincts.
pub fn check_blocks(style: &[u8], has_precincts: bool, layers: u64, size: &Size) -> Result<()> {
    let [_, width, height, _, _, precincts @ ..] = style else {
        return Err(Error::format("the JPEG 2000 image has a coding style that is too short"));
    };
    let exponent = |byte: u8| u32::from(byte & 15).saturating_add(2);
    let (mut columns, mut rows) = (exponent(*width), exponent(*height));
    for (at, precinct) in precincts.iter().enumerate().filter(|_| has_precincts) {
        // A precinct of all but the first resolution has a quarter of it in each sub-band.
        let halved = u32::from(at > 0);
        columns = columns.min(u32::from(precinct & 15).saturating_sub(halved));
        rows = rows.min(u32::from(precinct >> 4).saturating_sub(halved));
    }
    let samples = size.pixels().saturating_mul(size.components);
    let blocks = samples >> columns.saturating_add(rows).min(63);
    check(blocks.saturating_mul(BLOCK.saturating_add(layers.saturating_mul(LAYER))), size)
}

fn check(bytes: u64, size: &Size) -> Result<()> {
    let samples = size.pixels().saturating_mul(size.components);
    let most = samples.saturating_mul(SAMPLE).saturating_add(MIN_BYTES);
    within(bytes, most, "what the decoder needs for the blocks of the JPEG 2000 image").map(drop)
}
