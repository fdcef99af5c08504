//! Where the codestream of a JPEG 2000 file is, and what its size marker says.

use crate::bytes::{u16_at, u32_at};
use crate::error::{Error, Result, too_short, unsupported};

/// The start of a JP2 file: its signature box.
const JP2: &[u8] = b"\x00\x00\x00\x0cjP\x20\x20";
/// The start of a codestream: the markers SOC and SIZ.
const CODESTREAM: &[u8] = &[0xff, 0x4f, 0xff, 0x51];
/// The offset of the size marker's content: behind those markers and its length.
const CONTENT: usize = 6;

/// What the size marker of the codestream says about all components.
pub struct Size {
    /// Pixels in a row.
    pub width: u64,
    /// Rows.
    pub height: u64,
    /// Samples of a pixel.
    pub components: u64,
    /// Bits of a sample, its sign included.
    pub bits: u32,
    /// Whether samples may be negative.
    pub is_signed: bool,
    /// The corners of the image, of the first tile, and the extent of a tile, each as x and y.
    pub(crate) end: [u32; 2],
    pub(crate) start: [u32; 2],
    pub(crate) tile: [u32; 2],
    pub(crate) first_tile: [u32; 2],
}

impl Size {
    /// Reads the marker at the start of a codestream.
    pub(crate) fn parse(codestream: &[u8]) -> Result<Self> {
        let marker = codestream.get(CONTENT..).ok_or_else(too_short)?;
        let pair = |at: usize| -> Result<[u32; 2]> {
            Ok([u32_at(marker, at)?, u32_at(marker, at.saturating_add(4))?])
        };
        let (end, start, tile, first_tile) = (pair(2)?, pair(10)?, pair(18)?, pair(26)?);
        let count = u16_at(marker, 34)?;
        let listed = marker.get(36..).unwrap_or_default().as_chunks::<3>().0.get(..usize::from(count));
        let [first, others @ ..] = listed.ok_or_else(too_short)? else { return Err(too_short()) };
        let [depth, 1, 1] = *first else {
            return Err(unsupported("components of different depths or sizes"));
        };
        if others.iter().any(|component| component != first) {
            return Err(unsupported("components of different depths or sizes"));
        }
        let extent = |axis: usize| {
            let (end, start) = (end.get(axis).copied(), start.get(axis).copied());
            u64::from(end.unwrap_or(0).saturating_sub(start.unwrap_or(0)))
        };
        Ok(Self {
            width: extent(0),
            height: extent(1),
            components: u64::from(count),
            bits: u32::from(depth & 0x7f).saturating_add(1),
            is_signed: depth & 0x80 != 0,
            end,
            start,
            tile,
            first_tile,
        })
    }

    /// The number of pixels.
    pub fn pixels(&self) -> u64 {
        self.width.saturating_mul(self.height)
    }
}

/// The codestream of a file, or the bytes themselves if they are one.
pub fn codestream(encoded: &[u8]) -> Result<&[u8]> {
    let codestream = if encoded.starts_with(JP2) { in_boxes(encoded)? } else { encoded };
    if codestream.starts_with(CODESTREAM) {
        return Ok(codestream);
    }
    Err(Error::format("the JPEG 2000 image has no codestream").expected("the markers SOC and SIZ"))
}

/// The content of the only box of a file that is a codestream. Other boxes may hold any bytes, also
/// markers.
fn in_boxes(file: &[u8]) -> Result<&[u8]> {
    let (mut rest, mut found) = (file, None);
    while !rest.is_empty() {
        let (kind, content, after) = split_box(rest)?;
        if kind == *b"jp2c" && found.replace(content).is_some() {
            return Err(unsupported("several codestreams"));
        }
        rest = after;
    }
    found.ok_or_else(too_short)
}

/// The kind and the content of the first box, and the boxes after it.
fn split_box(bytes: &[u8]) -> Result<([u8; 4], &[u8], &[u8])> {
    let kind = bytes.get(4..).and_then(|bytes| bytes.first_chunk()).ok_or_else(too_short)?;
    let (header, len) = match u32_at(bytes, 0)? {
        // The box extends to the end of the file.
        0 => (8, bytes.len()),
        // The length has 64 bits, which come behind the kind.
        1 => {
            let len = u64::from(u32_at(bytes, 8)?) << 32 | u64::from(u32_at(bytes, 12)?);
            (16, usize::try_from(len).map_err(|_| too_short())?)
        }
        len => (8, len as usize),
    };
    let (this, after) = bytes.split_at_checked(len).ok_or_else(too_short)?;
    Ok((*kind, this.get(header..).ok_or_else(too_short)?, after))
}
