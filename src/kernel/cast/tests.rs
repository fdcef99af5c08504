//! Tests of `cast`: NumPy's results where NumPy defines them, the bounds of types elsewhere, and
//! every pair of types against a cast of one number at a time through exact integers or doubles.
#![allow(clippy::cast_possible_truncation, clippy::cast_precision_loss, clippy::cast_sign_loss)]

#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use super::NumberType::*;
use super::*;
use crate::naive;

const ALL: [NumberType; 12] = [Bool, I8, I16, I32, I64, U8, U16, U32, U64, F16, F32, F64];

fn converted(src: &[u8], from: NumberType, to: NumberType) -> Vec<u8> {
    let mut dst = vec![0xee; src.len() / from.size() * to.size()];
    cast(src, from, &mut dst, to);
    dst
}

/// One exact number: an integer or a double.
#[derive(Clone, Copy, Debug)]
enum ExactNumber {
    Integer(i128),
    Float(f64),
}

fn read(bytes: &[u8], from: NumberType) -> ExactNumber {
    let mut padded = [0; 8];
    padded[..bytes.len()].copy_from_slice(bytes);
    let word = u64::from_le_bytes(padded);
    let signed = |bits: u32| i128::from((word << (64 - bits)).cast_signed() >> (64 - bits));
    match from {
        Bool => ExactNumber::Integer(i128::from(word != 0)),
        I8 => ExactNumber::Integer(signed(8)),
        I16 => ExactNumber::Integer(signed(16)),
        I32 => ExactNumber::Integer(signed(32)),
        I64 => ExactNumber::Integer(signed(64)),
        U8 | U16 | U32 | U64 => ExactNumber::Integer(i128::from(word)),
        F16 => ExactNumber::Float(half_value(word as u16)),
        F32 => ExactNumber::Float(f64::from(f32::from_bits(word as u32))),
        F64 => ExactNumber::Float(f64::from_bits(word)),
    }
}

/// The value of a half, by the definition of IEEE 754.
fn half_value(bits: u16) -> f64 {
    let (exponent, fraction) = (i32::from(bits >> 10 & 31), f64::from(bits & 1023));
    let magnitude = match exponent {
        0 => fraction * 2f64.powi(-24),
        31 if fraction == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        _ => (1024.0 + fraction) * 2f64.powi(exponent - 25),
    };
    if bits >> 15 == 1 { -magnitude } else { magnitude }
}

/// The nearest half, ties to even.
fn half_bits(value: f64) -> u16 {
    let sign = u16::from(value.is_sign_negative()) << 15;
    let magnitude = value.abs();
    if magnitude.is_nan() || magnitude >= 65520.0 {
        return sign | if magnitude.is_nan() { 0x7e00 } else { 0x7c00 };
    }
    let (mut below, mut beyond) = (0, 0x7c00);
    while beyond - below > 1 {
        let between = u16::midpoint(below, beyond);
        if half_value(between) <= magnitude { below = between } else { beyond = between }
    }
    let above = if below == 0x7bff { 65536.0 } else { half_value(below + 1) };
    let middle = f64::midpoint(half_value(below), above);
    sign | if magnitude > middle || magnitude == middle && below % 2 == 1 { below + 1 } else { below }
}

fn integer(number: ExactNumber, lowest: i128, highest: i128) -> i128 {
    match number {
        ExactNumber::Integer(value) => value.clamp(lowest, highest),
        ExactNumber::Float(value) => (value as i128).clamp(lowest, highest),
    }
}

fn expected(number: ExactNumber, to: NumberType) -> Vec<u8> {
    let bounds = |bits: u32, signed: bool| {
        if signed { (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1) } else { (0, (1i128 << bits) - 1) }
    };
    let whole = |bits: u32, signed: bool| {
        let (lowest, highest) = bounds(bits, signed);
        integer(number, lowest, highest).to_le_bytes()[..(bits / 8) as usize].to_vec()
    };
    match (to, number) {
        (Bool, ExactNumber::Integer(value)) => vec![u8::from(value != 0)],
        (Bool, ExactNumber::Float(value)) => vec![u8::from(value != 0.0)],
        (I8 | I16 | I32 | I64, _) => whole(to.size() as u32 * 8, true),
        (U8 | U16 | U32 | U64, _) => whole(to.size() as u32 * 8, false),
        (F16, ExactNumber::Integer(value)) => half_bits(value as f64).to_le_bytes().to_vec(),
        (F16, ExactNumber::Float(value)) => half_bits(value).to_le_bytes().to_vec(),
        (F32, ExactNumber::Integer(value)) => (value as f32).to_le_bytes().to_vec(),
        (F32, ExactNumber::Float(value)) => (value as f32).to_le_bytes().to_vec(),
        (F64, ExactNumber::Integer(value)) => (value as f64).to_le_bytes().to_vec(),
        (F64, ExactNumber::Float(value)) => value.to_le_bytes().to_vec(),
    }
}

fn is_nan(bytes: &[u8], of: NumberType) -> bool {
    matches!(read(bytes, of), ExactNumber::Float(value) if value.is_nan())
}

fn agrees_with_the_oracle(src: &[u8], from: NumberType, to: NumberType) {
    let dst = converted(src, from, to);
    for (number, result) in src.chunks_exact(from.size()).zip(dst.chunks_exact(to.size())) {
        let right = expected(read(number, from), to);
        // The bits of a NaN may differ.
        assert!(
            result == right || is_nan(result, to) && is_nan(&right, to),
            "{number:?} {from:?} → {to:?}: {result:?}"
        );
    }
}

#[test]
fn every_pair_agrees_with_the_oracle() {
    for from in ALL {
        for to in ALL {
            for count in naive::counts(&[513, 511, 512, 1100]) {
                agrees_with_the_oracle(&naive::bytes(count * from.size(), 3), from, to);
            }
        }
    }
}

#[test]
fn every_half_matches_ieee_754() {
    let halves: Vec<u8> = (0..=u16::MAX).flat_map(u16::to_le_bytes).collect();
    for to in ALL {
        agrees_with_the_oracle(&halves, F16, to);
    }
}

#[test]
fn bounds_and_special_values() {
    let floats =
        [0.0, -0.0, 0.5, -0.9, 1.5, 127.9, 128.0, 255.9, 256.0, -128.9, 65504.0, 65520.0, 1e-8, 1e300];
    let special = [
        f64::NAN,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::MIN_POSITIVE,
        -1e300,
        9.3e18,
        1.85e19,
        2f64.powi(63),
    ];
    let doubles: Vec<u8> = floats.into_iter().chain(special).flat_map(f64::to_le_bytes).collect();
    let edges = [
        0,
        1,
        127,
        128,
        255,
        256,
        32767,
        32768,
        65535,
        65536,
        i64::MAX,
        i64::MIN,
        -1,
        -128,
        -129,
        1 << 53,
        (1 << 53) + 1,
    ];
    let integers: Vec<u8> = edges.into_iter().flat_map(i64::to_le_bytes).collect();
    for to in ALL {
        agrees_with_the_oracle(&doubles, F64, to);
        agrees_with_the_oracle(&integers, I64, to);
        agrees_with_the_oracle(&integers, U64, to);
    }
}

#[test]
fn halves_are_rounded_once() {
    for exponent in [-26, -25, -24, -15, -14, 0, 10, 15] {
        for fraction in [0, 1 << 41, 1 << 42, 3 << 41, 3 << 42, (1 << 52) - (1 << 41)] {
            for nudge in [-1i64, 0, 1, 1 << 20, -(1 << 20)] {
                let bits = (((1023 + exponent) << 52) + fraction + nudge).cast_unsigned();
                agrees_with_the_oracle(&bits.to_le_bytes(), F64, F16);
                agrees_with_the_oracle(&(f64::from_bits(bits) as f32).to_le_bytes(), F32, F16);
            }
        }
    }
}

#[test]
fn known_results() {
    // numpy 2: np.float16([1.5, -2, 65504]), np.float32([...]). NumPy does not define clipping.
    assert_eq!(
        converted(&[0x00, 0x3e, 0x00, 0xc0, 0xff, 0x7b], F16, I32),
        [[1, 0, 0, 0], [254, 255, 255, 255], [224, 255, 0, 0]].as_flattened()
    );
    assert_eq!(converted(&[0x00, 0x3e], F16, F32), 1.5f32.to_le_bytes());
    // numpy 2: np.array([1 + 2**-11 + 2**-50, 1 + 2**-11]).astype("<f2")
    assert_eq!(converted(&0x3ff0_0200_0000_0004u64.to_le_bytes(), F64, F16), [0x01, 0x3c]);
    assert_eq!(converted(&0x3ff0_0200_0000_0000u64.to_le_bytes(), F64, F16), [0x00, 0x3c]);
    assert_eq!(converted(&[0, 1, 2, 255], Bool, U16), [0, 0, 1, 0, 1, 0, 1, 0]);
    assert_eq!(converted(&[0, 1, 2, 255], Bool, Bool), [0, 1, 1, 1]);
    assert_eq!(converted(&(-5i16).to_le_bytes(), I16, U8), [0]);
    assert_eq!(converted(&300i16.to_le_bytes(), I16, U8), [255]);
    assert_eq!(converted(&u64::MAX.to_le_bytes(), U64, I64), i64::MAX.to_le_bytes());
    // 2^53 + 1 is not a double; to single precision it must not be rounded twice.
    assert_eq!(converted(&0x0020_0000_2000_0001i64.to_le_bytes(), I64, F32), 0x5a00_0001u32.to_le_bytes());
}

#[test]
#[should_panic(expected = "the same number of numbers")]
fn refuses_another_count() {
    cast(&[0; 8], I16, &mut [0; 8], I8);
}
