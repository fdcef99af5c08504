//! Tests of downsampling: each method against a naive version, and against numbers by hand and by
//! NumPy.
#![allow(clippy::cast_possible_truncation, clippy::cast_precision_loss, clippy::cast_sign_loss)]

#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use super::*;
use crate::naive;

/// Boxes and factors: edges, factors beyond the box, extents of 0 and 1, no dimension at all.
const BOXES: [(&[usize], &[usize]); 11] = [
    (&[], &[]),
    (&[7], &[2]),
    (&[7], &[9]),
    (&[1], &[2]),
    (&[6, 4], &[2, 2]),
    (&[5, 7], &[2, 3]),
    (&[5, 7], &[1, 1]),
    (&[3, 5, 7], &[1, 2, 2]),
    (&[2, 4, 3, 5], &[2, 3, 1, 4]),
    (&[0, 3], &[2, 2]),
    (&[3, 0], &[2, 2]),
];

fn result(blocks: &Blocks<'_>, size: usize) -> Vec<u8> {
    vec![0xaa; blocks.downsampled().product::<usize>() * size]
}

fn bytes<const N: usize>(numbers: impl IntoIterator<Item = [u8; N]>) -> Vec<u8> {
    numbers.into_iter().flatten().collect()
}

/// Few different numbers, so that there are ties; among them NaN for floats.
fn few(from: NumberType, count: usize) -> Vec<u8> {
    let choices: Vec<Vec<u8>> = (0..5_u8)
        .map(|at| match from {
            NumberType::F16 => [f16::NAN, f16::ONE, f16::NEG_ONE, f16::ZERO, f16::INFINITY][usize::from(at)]
                .to_le_bytes()
                .to_vec(),
            NumberType::F32 => [f32::NAN, 1.5, -2.0, -0.0, 0.0][usize::from(at)].to_le_bytes().to_vec(),
            NumberType::F64 => [f64::NAN, 1.5, -2.0, 0.0, 1e308][usize::from(at)].to_le_bytes().to_vec(),
            other => {
                [0, 1, 0xff, 0x7f, 0x80].map(|byte: u8| vec![byte; other.size()])[usize::from(at)].clone()
            }
        })
        .collect();
    let picked = naive::bytes(count, 7);
    picked.iter().flat_map(|byte| choices[usize::from(byte % 5)].clone()).collect()
}

fn check_all(src: &[u8], from: NumberType, blocks: &Blocks<'_>) {
    let size = from.size();
    let mut found = result(blocks, size);
    nearest(src, size, blocks, &mut found);
    assert_eq!(found, naive::downsample_nearest(src, size, blocks), "nearest {from:?} {blocks:?}");
    let mut found = result(blocks, size);
    mode(src, from, blocks, &mut found);
    assert_eq!(found, naive::downsample_mode(src, from, blocks), "mode {from:?} {blocks:?}");
    let mut found = result(blocks, size);
    mean(src, from, blocks, &mut found);
    assert_eq!(found, naive::downsample_mean(src, from, blocks), "mean {from:?} {blocks:?}");
}

#[test]
fn all_methods_types_and_shapes_are_those_of_the_naive_version() {
    for from in NumberType::ALL {
        for (shape, factors) in BOXES {
            let count: usize = shape.iter().product();
            let src = few(from, count);
            let first = src.get(..from.size()).map_or(0, naive::bits);
            for missing in [&[][..], &[first], &[0, first]] {
                check_all(&src, from, &Blocks { shape, factors, missing });
            }
            let random = naive::bytes(count * from.size(), 3);
            check_all(&random, from, &Blocks { shape, factors, missing: &[] });
        }
    }
}

#[test]
fn means_are_rounded_half_to_even() {
    // numpy.rint([0.5, 1.5, -0.5, -1.5, 2.5, 126.5])
    let pairs = [0, 1, 1, 2, -1, 0, -2, -1, 2, 3, 126, 127];
    let src = bytes(pairs.map(i8::to_le_bytes));
    let blocks = Blocks { shape: &[12], factors: &[2], missing: &[] };
    let mut found = result(&blocks, 1);
    mean(&src, NumberType::I8, &blocks, &mut found);
    assert_eq!(found, bytes([0_i8, 2, 0, -2, 2, 126].map(i8::to_le_bytes)));
}

#[test]
fn integers_of_64_bits_are_exact() {
    let blocks = Blocks { shape: &[4], factors: &[2], missing: &[] };
    let unsigned = [u64::MAX, u64::MAX - 2, (1 << 53) + 1, (1 << 53) + 3];
    let mut found = result(&blocks, 8);
    mean(&bytes(unsigned.map(u64::to_le_bytes)), NumberType::U64, &blocks, &mut found);
    assert_eq!(found, bytes([u64::MAX - 1, (1 << 53) + 2].map(u64::to_le_bytes)));
    let signed = [i64::MIN, i64::MIN + 4, i64::MIN, i64::MAX];
    mean(&bytes(signed.map(i64::to_le_bytes)), NumberType::I64, &blocks, &mut found);
    assert_eq!(found, bytes([i64::MIN + 2, 0].map(i64::to_le_bytes)));
}

#[test]
fn missing_numbers_are_not_in_the_mean() {
    let blocks = Blocks { shape: &[6], factors: &[2], missing: &[255] };
    let mut found = result(&blocks, 1);
    mean(&[255, 4, 255, 255, 1, 2], NumberType::U8, &blocks, &mut found);
    assert_eq!(found, [4, 255, 2]);
    let blocks = Blocks { shape: &[5], factors: &[2], missing: &[] };
    let mut found = result(&blocks, 4);
    let src = [f32::NAN, 4.0, f32::NAN, f32::NAN, 1.0];
    mean(&bytes(src.map(f32::to_le_bytes)), NumberType::F32, &blocks, &mut found);
    let found: Vec<f32> = found.as_chunks().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect();
    assert!(found[0] == 4.0 && found[1].is_nan() && found[2] == 1.0);
}

#[test]
fn large_doubles_do_not_overflow_and_infinities_stay() {
    let blocks = Blocks { shape: &[2, 4], factors: &[2, 2], missing: &[] };
    let src = [1.5e308, 1.5e308, f64::INFINITY, 1.0, 1e308, 1e308, 0.0, -1.0];
    let mut found = result(&blocks, 8);
    mean(&bytes(src.map(f64::to_le_bytes)), NumberType::F64, &blocks, &mut found);
    assert_eq!(found, bytes([1.25e308, f64::INFINITY].map(f64::to_le_bytes)));
}

#[test]
fn of_equally_frequent_numbers_the_lowest_is_the_mode() {
    let blocks = Blocks { shape: &[2, 6], factors: &[2, 2], missing: &[] };
    let src = [3, 3, 9, 5, -1, 1, 7, 7, 5, 9, 1, -1];
    let mut found = result(&blocks, 2);
    mode(&bytes(src.map(i16::to_le_bytes)), NumberType::I16, &blocks, &mut found);
    assert_eq!(found, bytes([3_i16, 5, -1].map(i16::to_le_bytes)));
}
