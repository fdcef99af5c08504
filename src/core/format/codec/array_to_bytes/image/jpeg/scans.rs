//! Whether a JPEG has all of its scans, and each scan all of its blocks: decoders take zeros for
//! what is missing.

use super::super::{damaged, unsupported};
use crate::error::{Error, Result};
use crate::kernel::huffman_scan::{
    Band, EndRun, HuffmanTable, ScanBits, ScanError, walk_band, walk_block, walk_mean,
};
use crate::limits;

/// The coefficients of a block.
const COEFFICIENTS: usize = 64;
/// The most scans, which is the decoder's own limit. A scan of a few bytes may go through all
/// blocks.
const MAX_SCANS: u64 = 100;
/// A coefficient of which no scan has a bit yet.
const NOT_SENT: u8 = u8::MAX;

/// The blocks of a component, and what the scans so far have of them.
struct Component {
    id: u8,
    /// The blocks of a unit of interleaved scans, across and down.
    sampling: [u64; 2],
    /// The blocks of a scan of this component alone.
    blocks: [u64; 2],
    /// The blocks in a row of interleaved scans, which fill up the last unit.
    row_len: u64,
    /// The coefficients of each block that are not zero; empty in sequential images.
    present: Vec<u64>,
    /// The lowest bit that was sent, of each coefficient.
    lowest: [u8; COEFFICIENTS],
}

/// The image between two markers.
struct Scans<'a> {
    stream: &'a [u8],
    /// The width and the height of the image.
    size: [u16; 2],
    is_progressive: bool,
    components: Vec<Component>,
    /// The units of interleaved scans, across and down.
    units: [u64; 2],
    means: [Option<HuffmanTable>; 4],
    bands: [Option<HuffmanTable>; 4],
    restart: u64,
    /// The scans so far.
    count: u64,
}

/// A component of a scan, by its index in the frame, and the indices of its tables.
type Member = (usize, usize, usize);

/// What the header of a scan says.
struct Scan {
    members: Vec<Member>,
    band: Band,
    /// The lowest bit of the coefficients that the scan has.
    lowest: u8,
}

/// Checks that no block is missing up to the end of the image. Its frame has one to four
/// components, and its width and height fit the chunk.
///
/// # Errors
/// `Format` for an image that was cut, and for corrupt codes.
pub(super) fn check_complete(stream: &[u8], size: [u16; 2]) -> Result<()> {
    let mut scans = Scans {
        stream,
        size,
        is_progressive: false,
        components: Vec::new(),
        units: [0; 2],
        means: [const { None }; 4],
        bands: [const { None }; 4],
        restart: 0,
        count: 0,
    };
    let mut at = 2;
    while let Some(next) = scans.read_segment(at)? {
        at = next;
    }
    let is_sent = |component: &Component| component.lowest == [0; COEFFICIENTS];
    match scans.components.iter().position(|component| !is_sent(component)) {
        None if !scans.components.is_empty() => Ok(()),
        missing => {
            let component = missing.unwrap_or(0).saturating_add(1);
            Err(truncated().actual(format!("a part of the scans of component {component}")))
        }
    }
}

fn truncated() -> Error {
    Error::format("the JPEG image is truncated")
}

impl Scans<'_> {
    /// Reads the segment at an offset, and the scan after it. Returns that of the next segment;
    /// `None` at the end of the image.
    fn read_segment(&mut self, at: usize) -> Result<Option<usize>> {
        let rest = self.stream.get(at..).unwrap_or_default();
        let [0xff, marker, len @ ..] = rest else { return Err(truncated()) };
        match marker {
            0xd9 => return Ok(None),
            // Fill bytes, and markers without a segment.
            0xff => return Ok(Some(at.saturating_add(1))),
            0x01 | 0xd0..=0xd8 => return Ok(Some(at.saturating_add(2))),
            _ => {}
        }
        let len = len.first_chunk().map(|len| usize::from(u16::from_be_bytes(*len)));
        let end = len.filter(|len| *len >= 2).map(|len| len.saturating_add(2)).ok_or_else(truncated)?;
        let segment = rest.get(4..end).ok_or_else(truncated)?;
        let next = at.saturating_add(end);
        match marker {
            0xc0..=0xc2 => self.read_frame(segment, *marker == 0xc2)?,
            0xc4 => self.read_tables(segment)?,
            0xdd => {
                let interval = segment.first_chunk().ok_or_else(truncated)?;
                self.restart = u64::from(u16::from_be_bytes(*interval));
            }
            0xda => {
                self.count = self.count.saturating_add(1);
                limits::within(self.count, MAX_SCANS, "the number of scans of the JPEG image")?;
                return self.walk(&self.read_scan(segment)?, next).map(Some);
            }
            _ => {}
        }
        Ok(Some(next))
    }

    #[allow(
        clippy::arithmetic_side_effects,
        clippy::indexing_slicing,
        reason = "an image has two axes of at most 65535 pixels, and samplings are 1 to 4"
    )]
    fn read_frame(&mut self, segment: &[u8], is_progressive: bool) -> Result<()> {
        let [_, y0, y1, x0, x1, _, listed @ ..] = segment else { return Err(truncated()) };
        let size = [u16::from_be_bytes([*x0, *x1]), u16::from_be_bytes([*y0, *y1])];
        if size != self.size || !self.components.is_empty() {
            return Err(damaged("JPEG", "it has two frames"));
        }
        let size = size.map(u64::from);
        let listed = listed.as_chunks::<3>().0;
        let samplings = listed.iter().map(|[_, both, _]| [u64::from(both >> 4), u64::from(both & 15)]);
        let samplings: Vec<[u64; 2]> = samplings.collect();
        if samplings.as_flattened().iter().any(|factor| !(1..=4).contains(factor)) {
            return Err(damaged("JPEG", "a sampling factor is not 1 to 4"));
        }
        let most = |axis: usize| samplings.iter().filter_map(|factors| factors.get(axis)).max().copied();
        let most = [most(0).unwrap_or(1), most(1).unwrap_or(1)];
        let [units_across, units_down] = along(|axis| size[axis].div_ceil(8 * most[axis]));
        self.units = [units_across, units_down];
        self.is_progressive = is_progressive;
        for ([id, ..], sampling) in listed.iter().zip(samplings) {
            let blocks = along(|axis| (size[axis] * sampling[axis]).div_ceil(most[axis]).div_ceil(8));
            let row_len = units_across * sampling[0];
            let count = if is_progressive { row_len * units_down * sampling[1] } else { 0 };
            let mut present = Vec::new();
            let count = limits::within(count, limits::CHUNK_BYTES, "image")?;
            limits::reserve(&mut present, count, "image")?;
            present.resize(count, 0);
            let lowest = [NOT_SENT; COEFFICIENTS];
            self.components.push(Component { id: *id, sampling, blocks, row_len, present, lowest });
        }
        Ok(())
    }

    fn read_tables(&mut self, segment: &[u8]) -> Result<()> {
        let mut rest = segment;
        while let Some((kind, after)) = rest.split_first() {
            let (counts, symbols) = after.split_first_chunk::<16>().ok_or_else(truncated)?;
            let count = counts.iter().fold(0, |sum: usize, count| sum.saturating_add(usize::from(*count)));
            let (symbols, after) = symbols.split_at_checked(count).ok_or_else(truncated)?;
            let tables = if kind >> 4 == 0 { &mut self.means } else { &mut self.bands };
            let slot = tables.get_mut(usize::from(kind & 15));
            let slot = slot.ok_or_else(|| damaged("JPEG", "it has more than four tables"))?;
            let table = HuffmanTable::new(counts, symbols);
            *slot = Some(table.ok_or_else(|| damaged("JPEG", "it has a table with too many codes"))?);
            rest = after;
        }
        Ok(())
    }

    fn read_scan(&self, segment: &[u8]) -> Result<Scan> {
        let (count, rest) = segment.split_first().ok_or_else(truncated)?;
        let (listed, rest) =
            rest.split_at_checked(usize::from(*count).saturating_mul(2)).ok_or_else(truncated)?;
        let [first, last, bits, ..] = rest else { return Err(truncated()) };
        let mut members = Vec::new();
        for [id, tables] in listed.as_chunks::<2>().0 {
            let index = self.components.iter().position(|component| component.id == *id);
            let index = index.ok_or_else(|| damaged("JPEG", "a scan has an unknown component"))?;
            members.push((index, usize::from(tables >> 4), usize::from(tables & 15)));
        }
        let (first, last) = if self.is_progressive { (*first, *last) } else { (0, 63) };
        if last > 63 || first > last || (self.is_progressive && first > 0 && members.len() > 1) {
            return Err(damaged("JPEG", "a scan has coefficients that do not exist"));
        }
        if self.is_progressive && first == 0 && last > 0 {
            return Err(unsupported("JPEG", "a scan of means and other coefficients"));
        }
        let band = Band {
            first: u32::from(first),
            last: u32::from(last),
            refines: self.is_progressive && bits >> 4 != 0,
        };
        Ok(Scan { members, band, lowest: if self.is_progressive { bits & 15 } else { 0 } })
    }

    /// Walks through the blocks of a scan. Returns the offset of the marker behind it.
    fn walk(&mut self, scan: &Scan, at: usize) -> Result<usize> {
        let mut bits = ScanBits::new(self.stream, at);
        let [across, down] = match scan.members.as_slice() {
            [(index, ..)] => self.components.get(*index).map_or([0; 2], |component| component.blocks),
            _ => self.units,
        };
        let count = across.saturating_mul(down);
        let mut end_run = 0;
        for unit in 0..count {
            let missing =
                || truncated().expected(format!("{count} blocks in a scan")).actual(unit.to_string());
            if unit > 0 && unit.checked_rem(self.restart) == Some(0) {
                let Some((_, 0xd0..=0xd7)) = bits.next_marker() else { return Err(missing()) };
                bits.skip_marker();
                end_run = 0;
            }
            let position = [unit.checked_rem(across).unwrap_or(0), unit.checked_div(across).unwrap_or(0)];
            self.walk_unit(scan, &mut bits, position, &mut end_run).map_err(|error| match error {
                ScanError::Missing => missing(),
                ScanError::NoCode => damaged("JPEG", "a scan has bits that are no code"),
            })?;
        }
        for (index, ..) in &scan.members {
            let component = self.components.get_mut(*index);
            let lowest = component.map(|component| component.lowest.as_mut_slice()).unwrap_or_default();
            let sent = lowest.get_mut(scan.band.first as usize..=scan.band.last as usize);
            sent.unwrap_or_default().fill(scan.lowest);
        }
        // Restart markers may stand behind the last block, too.
        while let Some((offset, marker)) = bits.next_marker() {
            if !matches!(marker, 0xd0..=0xd7) {
                return Ok(offset);
            }
            bits.skip_marker();
        }
        Err(truncated())
    }

    /// Walks through the blocks of a unit: one block, or those of several components.
    #[allow(clippy::arithmetic_side_effects, reason = "positions of blocks are in the grids of `read_frame`")]
    fn walk_unit(
        &mut self,
        scan: &Scan,
        bits: &mut ScanBits<'_>,
        [x, y]: [u64; 2],
        end_run: &mut EndRun,
    ) -> std::result::Result<(), ScanError> {
        let is_alone = scan.members.len() == 1;
        for (index, mean, band) in &scan.members {
            let (mean, band) = (table(&self.means, *mean), table(&self.bands, *band));
            let component = self.components.get_mut(*index).ok_or(ScanError::NoCode)?;
            let [across, down] = if is_alone { [1, 1] } else { component.sampling };
            for block in 0..across * down {
                let (column, row) = (x * across + block % across, y * down + block / across);
                if !self.is_progressive {
                    let tables = mean.zip(band).ok_or(ScanError::NoCode)?;
                    walk_block(bits, tables.0, tables.1)?;
                } else if scan.band.first == 0 {
                    let mean = if scan.band.refines { None } else { Some(mean.ok_or(ScanError::NoCode)?) };
                    walk_mean(bits, mean)?;
                } else {
                    let at = usize::try_from(row * component.row_len + column).unwrap_or(usize::MAX);
                    let present = component.present.get_mut(at).ok_or(ScanError::NoCode)?;
                    walk_band(bits, band.ok_or(ScanError::NoCode)?, scan.band, end_run, present)?;
                }
            }
        }
        Ok(())
    }
}

fn table(tables: &[Option<HuffmanTable>; 4], at: usize) -> Option<&HuffmanTable> {
    tables.get(at)?.as_ref()
}

/// A number for each of the two axes.
fn along(number: impl Fn(usize) -> u64) -> [u64; 2] {
    [number(0), number(1)]
}
