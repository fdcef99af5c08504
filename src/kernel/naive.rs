//! Simple versions of the kernels, for comparison in tests. No build contains them.
//!
//! Also the deterministic data of the tests, native and in WebAssembly.

use super::downsample::Blocks;
use super::number::NumberType;
use super::packbits::KeptBits;
use super::predictor::Rows;
use super::scatter::{AxisSteps, CopyAxis, Strided};

/// Lengths around every step and remainder of a kernel: words, vectors, tiles, patterns.
#[cfg(not(miri))]
pub(super) const COUNTS: [usize; 22] =
    [0, 1, 2, 3, 7, 8, 9, 15, 16, 17, 24, 31, 32, 33, 64, 100, 127, 128, 129, 136, 256, 300];

/// Fewer of them for Miri, which is hundreds of times slower.
#[cfg(miri)]
pub(super) const COUNTS: [usize; 4] = [0, 7, 17, 136];

/// These lengths, and longer ones that a kernel treats in another way. Miri has the first of those.
pub(super) fn counts(longer: &[usize]) -> impl Iterator<Item = usize> {
    let most = if cfg!(miri) { 1 } else { longer.len() };
    COUNTS.into_iter().chain(longer.iter().copied().take(most))
}

/// The cases of a test: all of them, and under Miri only each `nth`.
pub(super) fn cases<T>(all: impl IntoIterator<Item = T>, nth: usize) -> impl Iterator<Item = T> {
    all.into_iter().step_by(if cfg!(miri) { nth } else { 1 })
}

/// Element sizes, with and without a specialised path.
#[cfg(not(miri))]
pub(super) const SIZES: [usize; 14] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 12, 15, 16, 17, 33];

#[cfg(miri)]
pub(super) const SIZES: [usize; 4] = [1, 3, 4, 8];

/// Pseudorandom bytes (xorshift), the same on every machine.
pub(super) fn bytes(len: usize, seed: u32) -> Vec<u8> {
    let mut state = seed.wrapping_mul(0x9e37_79b9) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        (state >> 24) as u8
    };
    (0..len).map(|_| next()).collect()
}

/// The bytes of a hexadecimal text.
pub(super) fn hex(text: &str) -> Vec<u8> {
    (0..text.len() / 2).map(|idx| u8::from_str_radix(&text[2 * idx..][..2], 16).unwrap()).collect()
}

pub(super) fn shuffle(src: &[u8], typesize: usize) -> Vec<u8> {
    let typesize = typesize.max(1);
    let count = src.len() / typesize;
    let mut dst = src.to_vec();
    for idx in 0..count * typesize {
        dst[idx % typesize * count + idx / typesize] = src[idx];
    }
    dst
}

pub(super) fn bitshuffle(src: &[u8], typesize: usize) -> Vec<u8> {
    let count = src.len().checked_div(typesize).unwrap_or(1);
    let mut dst = src.to_vec();
    if !count.is_multiple_of(8) {
        return dst;
    }
    dst[..count * typesize].fill(0);
    for element in 0..count {
        for bit in 0..8 * typesize {
            let value = src[element * typesize + bit / 8] >> (bit % 8) & 1;
            dst[bit * (count / 8) + element / 8] |= value << (element % 8);
        }
    }
    dst
}

pub(super) fn swap(src: &[u8], width: usize) -> Vec<u8> {
    let whole = src.len() / width.max(1) * width.max(1);
    let swapped = |idx: usize| idx / width * width + width - 1 - idx % width;
    (0..src.len()).map(|idx| src[if width > 0 && idx < whole { swapped(idx) } else { idx }]).collect()
}

/// `None` when a byte would be outside of its slice.
pub(super) fn orthogonal(
    src: &[u8],
    dst: &[u8],
    size: usize,
    offsets: (usize, usize),
    axes: &[CopyAxis<'_>],
) -> Option<Vec<u8>> {
    let at = |walk: &AxisSteps<'_>, idx: usize| match *walk {
        AxisSteps::Stride(stride) => idx as i64 * stride as i64,
        AxisSteps::List { indices, stride } => i64::from(indices[idx]) * stride as i64,
    };
    let mut out = dst.to_vec();
    let total: usize = axes.iter().map(|axis| axis.count).product();
    for number in 0..total {
        let (mut rest, mut from, mut to) = (number, offsets.0 as i64, offsets.1 as i64);
        for axis in axes.iter().rev() {
            from += at(&axis.src, rest % axis.count);
            to += at(&axis.dst, rest % axis.count);
            rest /= axis.count;
        }
        for byte in 0..size as i64 {
            let value = *src.get(usize::try_from(from + byte).ok()?)?;
            *out.get_mut(usize::try_from(to + byte).ok()?)? = value;
        }
    }
    Some(out)
}

pub(super) fn scatter(src: &[u8], dst: &[u8], plan: &Strided<'_>) -> Option<Vec<u8>> {
    let axes: Vec<CopyAxis<'_>> =
        plan.dims.iter().map(|dim| CopyAxis::strided(dim.count, dim.src_stride, dim.dst_stride)).collect();
    orthogonal(src, dst, plan.element_size, (plan.src_offset, plan.dst_offset), &axes)
}

pub(super) fn fill(len: usize, element: &[u8]) -> Vec<u8> {
    (0..len).map(|idx| element[idx % element.len()]).collect()
}

/// `None` when the block is malformed or decodes to more than `room` bytes.
pub(super) fn lz4(src: &[u8], room: usize) -> Option<Vec<u8>> {
    let (mut bytes, mut out) = (src.iter().copied(), Vec::new());
    loop {
        let token = usize::from(bytes.next()?);
        for _ in 0..lz4_length(token >> 4, &mut bytes)? {
            out.push(bytes.next()?);
        }
        if out.len() > room {
            return None;
        }
        let Some(low) = bytes.next() else { return Some(out) };
        let offset = usize::from(low) + 256 * usize::from(bytes.next()?);
        let len = lz4_length(token & 15, &mut bytes)? + 4;
        if offset == 0 || offset > out.len() || out.len() + len > room {
            return None;
        }
        for _ in 0..len {
            out.push(out[out.len() - offset]);
        }
    }
}

fn lz4_length(nibble: usize, bytes: &mut impl Iterator<Item = u8>) -> Option<usize> {
    let mut len = nibble;
    let mut more = if nibble == 15 { 255 } else { 0 };
    while more == 255 {
        more = usize::from(bytes.next()?);
        len += more;
    }
    Some(len)
}

/// A CRC of 32 bits with a reversed polynomial.
pub(super) fn crc(src: &[u8], polynomial: u32) -> u32 {
    let bits = src.iter().flat_map(|&byte| (0..8).map(move |bit| u32::from(byte >> bit & 1)));
    !bits.fold(u32::MAX, |crc, bit| if (crc ^ bit) & 1 == 1 { (crc >> 1) ^ polynomial } else { crc >> 1 })
}

/// Each `size`-byte little-endian integer minus the one before it, wrapping. Bytes after the last
/// whole integer stay.
pub(super) fn differences(src: &[u8], size: usize) -> Vec<u8> {
    let number =
        |idx: usize| src[idx * size..][..size].iter().rev().fold(0u64, |n, &byte| n << 8 | u64::from(byte));
    let mut out = src.to_vec();
    for idx in 1..src.len() / size {
        let difference = number(idx).wrapping_sub(number(idx - 1)).to_le_bytes();
        out[idx * size..][..size].copy_from_slice(&difference[..size]);
    }
    out
}

/// The bits of a little-endian number.
pub(super) fn bits(number: &[u8]) -> u64 {
    number.iter().rev().fold(0, |bits, byte| bits << 8 | u64::from(*byte))
}

fn bit_of(bytes: &[u8], at: usize) -> u8 {
    bytes[at / 8] >> (at % 8) & 1
}

/// Bit by bit, the lowest first.
pub(super) fn packed(src: &[u8], bits: KeptBits) -> Vec<u8> {
    let kept = bits.first as usize..(bits.first + bits.kept) as usize;
    let all: Vec<u8> =
        src.chunks(bits.width).flat_map(|number| kept.clone().map(|at| bit_of(number, at))).collect();
    all.chunks(8).map(|eight| eight.iter().rev().fold(0, |byte, bit| byte << 1 | bit)).collect()
}

/// Bit by bit, the lowest first.
pub(super) fn unpacked(src: &[u8], bits: KeptBits, count: usize) -> Vec<u8> {
    let (first, kept) = (bits.first as usize, bits.kept as usize);
    let mut out = vec![0; count * bits.width];
    for (number, element) in out.chunks_mut(bits.width).enumerate() {
        for at in first..8 * bits.width {
            let is_above = at >= first + kept;
            let stored = if is_above { kept - 1 } else { at - first };
            let bit = if is_above && !bits.signed { 0 } else { bit_of(src, number * kept + stored) };
            element[at / 8] |= bit << (at % 8);
        }
    }
    out
}

/// One number, by division in 128 bits.
pub(super) fn rounded_bits(number: &[u8], number_type: NumberType, kept: u32) -> Vec<u8> {
    let (pattern, sign) = (u128::from(bits(number)), 1_u128 << (8 * number.len() - 1));
    let (magnitude, significant, most) = match number_type {
        NumberType::F16 => (pattern % sign, 10, 0x7c00),
        NumberType::F32 => (pattern % sign, 23, 0x7f80_0000),
        NumberType::F64 => (pattern % sign, 52, 0x7ff0_0000_0000_0000),
        NumberType::I8 | NumberType::I16 | NumberType::I32 | NumberType::I64 if pattern < sign => {
            (pattern, 128 - pattern.leading_zeros(), sign - 1)
        }
        _ => (pattern, 128 - pattern.leading_zeros(), 2 * sign - 1),
    };
    if magnitude > most {
        return number.to_vec();
    }
    let step = 1_u128 << significant.saturating_sub(kept);
    let (whole, rest) = (magnitude / step, magnitude % step);
    let up = whole + u128::from(2 * rest > step || (2 * rest == step && whole % 2 == 1));
    let rounded = if up * step <= most { up * step } else { whole * step };
    (pattern - magnitude + rounded).to_le_bytes()[..number.len()].to_vec()
}

/// One integer; `None` where a step leaves the range or has a remainder.
pub(super) fn scaled(number: &[u8], signed: bool, by: [&[u8]; 2], encodes: bool) -> Option<Vec<u8>> {
    let of_type = if signed { NumberType::I64 } else { NumberType::U64 };
    let [number, offset, scale] = [number, by[0], by[1]].map(|bytes| integer(bytes, of_type));
    let end = 1_i128 << (8 * by[0].len() - usize::from(signed));
    let fitting =
        |value: i128| Some(value).filter(|value| *value < end && *value >= if signed { -end } else { 0 });
    let result = if encodes {
        fitting(number - offset)?.checked_mul(scale)?
    } else {
        fitting(Some(scale).filter(|scale| *scale != 0 && number % scale == 0).map(|scale| number / scale)?)?
            + offset
    };
    Some(fitting(result)?.to_le_bytes()[..by[0].len()].to_vec())
}

/// Each integer minus the one that is `step` before it in its row.
pub(super) fn row_differences(src: &[u8], rows: Rows) -> Vec<u8> {
    let rows_of = src.chunks(rows.len * rows.size);
    let differences = |row: &[u8]| {
        let number = |at: usize| bits(&row[at * rows.size..][..rows.size]);
        let of = |at: usize| {
            if at < rows.step { number(at) } else { number(at).wrapping_sub(number(at - rows.step)) }
        };
        (0..rows.len).flat_map(|at| of(at).to_le_bytes()[..rows.size].to_vec()).collect::<Vec<u8>>()
    };
    rows_of.flat_map(differences).collect()
}

/// Each row's bytes by their position, the highest first, each minus the one `step` before it.
pub(super) fn float_differences(src: &[u8], rows: Rows) -> Vec<u8> {
    let Rows { size, len, step } = rows;
    let grouped = src.chunks(len * size).flat_map(|row| {
        (0..size)
            .rev()
            .flat_map(|byte| (0..len).map(|at| row[at * size + byte]).collect::<Vec<u8>>())
            .collect::<Vec<u8>>()
    });
    row_differences(&grouped.collect::<Vec<u8>>(), Rows { size: 1, len: len * size, step })
}

pub(super) fn joined(offsets: &[u32], bytes: &[u8]) -> Vec<u8> {
    let element = |ends: &[u32]| {
        let content = &bytes[ends[0] as usize..ends[1] as usize];
        [&(ends[1] - ends[0]).to_le_bytes()[..], content].concat()
    };
    offsets.windows(2).flat_map(element).collect()
}

/// The last label that equals the text, from 1 on.
pub(super) fn label_number(text: &[u8], labels: &[Vec<u8>]) -> u64 {
    labels.iter().rposition(|label| label == text).map_or(0, |at| at as u64 + 1)
}

/// The elements of each block, in C order: for each element of the box, the block that it is in.
fn blocks_of<'a>(src: &'a [u8], size: usize, blocks: &Blocks<'_>) -> Vec<Vec<&'a [u8]>> {
    let counts: Vec<usize> = blocks.downsampled().collect();
    let mut found = vec![Vec::new(); counts.iter().product()];
    for (at, element) in src.chunks(size).enumerate() {
        let (mut rest, mut block, mut step) = (at, 0, 1);
        for axis in (0..counts.len()).rev() {
            block += rest % blocks.shape[axis] / blocks.factors[axis] * step;
            rest /= blocks.shape[axis];
            step *= counts[axis];
        }
        found[block].push(element);
    }
    found
}

fn number(element: &[u8], from: NumberType) -> f64 {
    let mut double = [0; 8];
    let from = if from == NumberType::Bool { NumberType::U8 } else { from };
    super::cast::cast(element, from, &mut double, NumberType::F64);
    f64::from_le_bytes(double)
}

fn integer(element: &[u8], from: NumberType) -> i128 {
    let signed = from.is_signed();
    let is_negative = signed && element.last().is_some_and(|byte| byte & 0x80 != 0);
    i128::from(bits(element)) - if is_negative { 1 << (8 * element.len()) } else { 0 }
}

fn present<'a>(block: &[&'a [u8]], from: NumberType, blocks: &Blocks<'_>) -> Vec<&'a [u8]> {
    let is_there =
        |element: &&&[u8]| !number(element, from).is_nan() && !blocks.missing.contains(&bits(element));
    block.iter().filter(is_there).copied().collect()
}

/// Walks to the centre by halving the extents of the block.
pub(super) fn downsample_nearest(src: &[u8], size: usize, blocks: &Blocks<'_>) -> Vec<u8> {
    let mut found = Vec::new();
    let counts: Vec<usize> = blocks.downsampled().collect();
    for block in 0..counts.iter().product() {
        let (mut rest, mut at, mut step) = (block, 0, size);
        for axis in (0..counts.len()).rev() {
            let start = rest % counts[axis] * blocks.factors[axis];
            let end = (start + blocks.factors[axis]).min(blocks.shape[axis]);
            at += (start + end - 1) / 2 * step;
            rest /= counts[axis];
            step *= blocks.shape[axis];
        }
        found.extend_from_slice(&src[at..at + size]);
    }
    found
}

pub(super) fn downsample_mode(src: &[u8], from: NumberType, blocks: &Blocks<'_>) -> Vec<u8> {
    // Exact for integers; floats are compared as doubles.
    let value = |element: &[u8]| {
        if from.is_float() { (number(element, from), 0) } else { (0.0, integer(element, from)) }
    };
    let chosen = |block: &Vec<&[u8]>| {
        let there = present(block, from, blocks);
        let count = |element: &[u8]| there.iter().filter(|other| value(other) == value(element)).count();
        let mut best = *there.first().unwrap_or(&block[0]);
        for element in &there {
            let is_lower = value(element) < value(best);
            if count(element) > count(best) || (count(element) == count(best) && is_lower) {
                best = element;
            }
        }
        best.to_vec()
    };
    blocks_of(src, from.size(), blocks).iter().flat_map(chosen).collect()
}

pub(super) fn downsample_mean(src: &[u8], from: NumberType, blocks: &Blocks<'_>) -> Vec<u8> {
    blocks_of(src, from.size(), blocks)
        .iter()
        .flat_map(|block| {
            let there = present(block, from, blocks);
            if there.is_empty() { block[0].to_vec() } else { mean(&there, from) }
        })
        .collect()
}

fn mean(there: &[&[u8]], from: NumberType) -> Vec<u8> {
    let count = there.len() as i128;
    if from.is_float() {
        let numbers = there.iter().map(|element| number(element, from));
        let mut mean = numbers.clone().sum::<f64>() / count as f64;
        if !mean.is_finite() {
            mean = numbers.map(|number| number / 1024.0).sum::<f64>() / count as f64 * 1024.0;
        }
        let mut found = vec![0; from.size()];
        super::cast::cast(&mean.to_le_bytes(), NumberType::F64, &mut found, from);
        return found;
    }
    let sum: i128 = there.iter().map(|element| integer(element, from)).sum();
    // The whole number that is nearest to the mean, and even where two are.
    let low = sum.div_euclid(count);
    let nearest =
        [low, low + 1].into_iter().min_by_key(|whole| ((whole * count - sum).abs(), whole % 2 != 0));
    nearest.unwrap_or(low).to_le_bytes()[..from.size()].to_vec()
}
