//! Whether a codestream has all of its tiles, and each tile all of its packets.
//!
//! The decoder accepts a tile that ends before its last packet, and refuses a tile that continues
//! after it. So a tile is complete if the decoder refuses it with one more, empty packet. Each tile
//! is asked about alone, as an image of its own, so that the others are not decoded for it.

use hayro_jpeg2000::error::{DecodeError, TileError};
use hayro_jpeg2000::{DecoderContext, Image};

use crate::bytes::{u16_at, u32_at};
use crate::decoder::{SETTINGS, damaged};
use crate::error::{Error, Result, too_short, unsupported, within};
use crate::memory::{check_blocks, check_tiles};
use crate::size::Size;

/// The second bytes of markers.
mod marker {
    pub(super) const COD: u8 = 0x52;
    pub(super) const COC: u8 = 0x53;
    pub(super) const QCD: u8 = 0x5c;
    pub(super) const QCC: u8 = 0x5d;
    pub(super) const RGN: u8 = 0x5e;
    pub(super) const POC: u8 = 0x5f;
    pub(super) const PPM: u8 = 0x60;
    pub(super) const PPT: u8 = 0x61;
    pub(super) const SOT: u8 = 0x90;
    pub(super) const SOD: u8 = 0x93;
}

/// The end of a codestream.
const END: [u8; 2] = [0xff, 0xd9];
/// The flag of COD for a marker behind the header of each packet.
const HAS_PACKET_ENDS: u8 = 4;
/// A packet without content, and the marker that may follow it.
const EMPTY_PACKET: [u8; 3] = [0, 0xff, 0x92];
/// The length of a tile-part's marker SOT.
const TILE_PART: usize = 12;
/// The most layers that the decoder takes.
const MAX_LAYERS: u64 = 32;
/// The most bytes that the headers of all tiles' own images may take.
const HEADERS: u64 = 64 << 20;

/// The parts of a codestream.
pub struct Codestream<'a> {
    size: &'a Size,
    /// The main header without its size and without what no tile depends on.
    header: Vec<u8>,
    has_packet_ends: bool,
    /// The tile-parts by the number of their tile, without their marker SOT.
    tiles: Vec<Vec<&'a [u8]>>,
}

impl<'a> Codestream<'a> {
    /// Finds the tile-parts of a codestream with this size.
    pub fn parse(codestream: &'a [u8], size: &'a Size) -> Result<Self> {
        let columns = columns(size)?;
        let count = columns.saturating_mul(rows(size)?);
        // A tile has at least one pixel.
        let count = within(count, size.pixels().min(1 << 16), "the number of tiles")?;
        check_tiles(count as u64, size)?;
        let size_len = usize::from(u16_at(codestream, 4)?).saturating_add(4);
        let rest = codestream.get(size_len..).ok_or_else(too_short)?;
        let mut header = Vec::new();
        let (has_packet_ends, mut rest) = segments(rest, marker::SOT, |segment| {
            header.extend_from_slice(segment);
            check_style(segment, size)
        })?;
        within((header.len() as u64).saturating_mul(count as u64), HEADERS, "the headers of tiles")?;
        let mut tiles: Vec<Vec<&[u8]>> = vec![Vec::new(); count];
        while rest.starts_with(&[0xff, marker::SOT]) {
            let (number, len) = (usize::from(u16_at(rest, 4)?), u32_at(rest, 6)?);
            let (part, after) = rest.split_at_checked(len as usize).ok_or_else(too_short)?;
            let content = part.get(TILE_PART..).ok_or_else(too_short)?;
            let no_tile = || Error::format("the JPEG 2000 image has a tile too many");
            tiles.get_mut(number).ok_or_else(no_tile)?.push(content);
            rest = after;
        }
        if !rest.starts_with(&END) {
            return Err(too_short());
        }
        Ok(Self { size, header, has_packet_ends, tiles })
    }

    /// Checks that each tile is there, with all of its packets.
    pub fn check_complete(&self) -> Result<()> {
        let mut image = Vec::new();
        for (number, parts) in self.tiles.iter().enumerate() {
            let of_all = || format!("tile {number} of {}", self.tiles.len());
            if parts.is_empty() {
                return Err(Error::format("the JPEG 2000 image lacks a tile").expected(of_all()));
            }
            self.with_one_packet_more(number, parts, &mut image)?;
            match decode(&image) {
                Err(DecodeError::Tile(TileError::Invalid)) => {}
                Ok(()) => {
                    let error = Error::format("the JPEG 2000 image lacks packets");
                    return Err(error.actual(of_all()));
                }
                Err(error) => return Err(damaged(error)),
            }
        }
        Ok(())
    }

    /// Writes the image that has only this tile, and an empty packet at its end.
    fn with_one_packet_more(&self, number: usize, parts: &[&[u8]], image: &mut Vec<u8>) -> Result<()> {
        image.clear();
        self.write_size(number, image)?;
        image.extend_from_slice(&self.header);
        let mut has_packet_ends = self.has_packet_ends;
        for (at, part) in parts.iter().enumerate() {
            has_packet_ends |= segments(part, marker::SOD, |segment| check_style(segment, self.size))?.0;
            let is_last = at.saturating_add(1) == parts.len();
            let more = match (is_last, has_packet_ends) {
                (false, _) => 0,
                (true, false) => 1,
                (true, true) => EMPTY_PACKET.len(),
            };
            let len = part.len().saturating_add(TILE_PART).saturating_add(more);
            let len = u32::try_from(len).map_err(|_| too_short())?;
            image.extend_from_slice(&[0xff, marker::SOT, 0, 10, 0, 0]);
            image.extend_from_slice(&len.to_be_bytes());
            image.extend_from_slice(&[u8::try_from(at).unwrap_or(u8::MAX), 0]);
            image.extend_from_slice(part);
            image.extend(EMPTY_PACKET.iter().take(more));
        }
        image.extend_from_slice(&END);
        Ok(())
    }

    /// Writes the start of a codestream whose image is this tile.
    #[allow(
        clippy::arithmetic_side_effects,
        clippy::indexing_slicing,
        reason = "there are two axes, and a tile's number is below that of all tiles, whose corners are in the image of 32 bits"
    )]
    fn write_size(&self, number: usize, image: &mut Vec<u8>) -> Result<()> {
        let Size { end, start, tile, first_tile, components, bits, is_signed, .. } = self.size;
        let columns = columns(self.size)?;
        let position = [number as u64 % columns, number as u64 / columns];
        let mut corners = [[0_u32; 2]; 4];
        let [ends, starts, extents, firsts] = &mut corners;
        for axis in 0..2 {
            let first = u64::from(first_tile[axis]) + position[axis] * u64::from(tile[axis]);
            let last = (first + u64::from(tile[axis])).min(u64::from(end[axis]));
            starts[axis] = narrowed(first.max(u64::from(start[axis])))?;
            (ends[axis], firsts[axis], extents[axis]) = (narrowed(last)?, narrowed(first)?, tile[axis]);
        }
        let count = u16::try_from(*components).unwrap_or(u16::MAX);
        image.extend_from_slice(&[0xff, 0x4f, 0xff, 0x51]);
        image.extend_from_slice(&count.wrapping_mul(3).wrapping_add(38).to_be_bytes());
        image.extend_from_slice(&[0, 0]);
        for corner in corners.as_flattened() {
            image.extend_from_slice(&corner.to_be_bytes());
        }
        image.extend_from_slice(&count.to_be_bytes());
        let depth = u8::try_from(bits - 1).unwrap_or(0) | u8::from(*is_signed) << 7;
        for _ in 0..count {
            image.extend_from_slice(&[depth, 1, 1]);
        }
        Ok(())
    }
}

fn narrowed(corner: u64) -> Result<u32> {
    u32::try_from(corner).map_err(|_| Error::format("a tile of the JPEG 2000 image is beyond its end"))
}

/// The number of tiles in a row.
fn columns(size: &Size) -> Result<u64> {
    tiles_along(size.end[0], size.first_tile[0], size.tile[0])
}

/// The number of rows of tiles.
fn rows(size: &Size) -> Result<u64> {
    tiles_along(size.end[1], size.first_tile[1], size.tile[1])
}

fn tiles_along(end: u32, first: u32, extent: u32) -> Result<u64> {
    let whole = end.saturating_sub(first);
    if whole == 0 || extent == 0 {
        return Err(Error::format("the JPEG 2000 image has no tiles"));
    }
    Ok(u64::from(whole.div_ceil(extent)))
}

/// Gives `keep` each segment up to the marker `until` that decoding a tile depends on. Returns
/// whether packets have end markers, and the bytes from `until` on.
fn segments<'a>(
    bytes: &'a [u8],
    until: u8,
    mut keep: impl FnMut(&'a [u8]) -> Result<()>,
) -> Result<(bool, &'a [u8])> {
    let (mut rest, mut has_packet_ends) = (bytes, false);
    loop {
        let [0xff, kind, ..] = *rest else { return Err(too_short()) };
        if kind == until {
            return Ok((has_packet_ends, rest));
        }
        // Markers without a segment.
        let len = match kind {
            0x30..=0x3f => 2,
            _ => usize::from(u16_at(rest, 2)?).saturating_add(2),
        };
        let (segment, after) = rest.split_at_checked(len).ok_or_else(too_short)?;
        match kind {
            marker::COD => {
                has_packet_ends |= segment.get(4).is_some_and(|style| style & HAS_PACKET_ENDS != 0)
            }
            marker::PPM | marker::PPT => return Err(unsupported("packet headers apart from packets")),
            _ => {}
        }
        if matches!(kind, marker::COD | marker::COC | marker::QCD | marker::QCC | marker::RGN | marker::POC) {
            keep(segment)?;
        }
        rest = after;
    }
}

/// Checks the memory that the blocks of a segment COD or COC take.
fn check_style(segment: &[u8], size: &Size) -> Result<()> {
    match *segment {
        [_, marker::COD, _, _, flags, _, high, low, _, ref style @ ..] => {
            check_blocks(style, flags & 1 != 0, u64::from(u16::from_be_bytes([high, low])), size)
        }
        [_, marker::COC, _, _, ref component @ ..] => {
            // The component's number has one byte, or two if there are more than 256.
            let [flags, style @ ..] =
                component.get(usize::from(size.components > 256).saturating_add(1)..).unwrap_or_default()
            else {
                return Err(too_short());
            };
            check_blocks(style, flags & 1 != 0, MAX_LAYERS, size)
        }
        _ => Ok(()),
    }
}

/// Decodes an image for the error alone.
fn decode(image: &[u8]) -> std::result::Result<(), DecodeError> {
    let image = Image::new(image, &SETTINGS)?;
    image.decode(&mut DecoderContext::default()).map(drop)
}
