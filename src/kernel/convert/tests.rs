//! Tests of `convert`: known results, and every pair of types against a version for single numbers.
#![allow(clippy::cast_possible_truncation, clippy::cast_precision_loss, clippy::cast_sign_loss)]

#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use super::NumberType::*;
use super::*;
use crate::naive;

const ALL: [NumberType; 12] = [Bool, I8, I16, I32, I64, U8, U16, U32, U64, F16, F32, F64];

fn converted(src: &[u8], from: NumberType, unpacking: Option<&Unpacking>, target: &Target) -> Vec<u8> {
    let mut dst = vec![0xee; src.len() / from.size() * target.size()];
    convert(src, from, &mut dst, unpacking, target);
    dst
}

/// Casts one number by `cast`, which has its own tests.
fn one(bytes: &[u8], from: NumberType, to: NumberType) -> Vec<u8> {
    let mut out = vec![0; to.size()];
    cast(bytes, from, &mut out, to);
    out
}

fn double(bytes: &[u8], from: NumberType) -> f64 {
    f64::from_le_bytes(one(bytes, from, F64).try_into().unwrap())
}

/// An integer of any type.
fn whole(bytes: &[u8], from: NumberType) -> i128 {
    let wide = |to| u64::from_le_bytes(one(bytes, from, to).try_into().unwrap());
    if from == U64 { i128::from(wide(U64)) } else { i128::from(wide(I64).cast_signed()) }
}

fn is_missing(bytes: &[u8], from: NumberType, missing: &Missing) -> bool {
    let shift = |key: &i64| i128::from(*key) + if from == U64 { 1 << 63 } else { 0 };
    match missing {
        Missing::Integers { values, low, high } => {
            let number = whole(bytes, from);
            number < shift(low) || number > shift(high) || values.iter().any(|key| shift(key) == number)
        }
        Missing::Floats { values, low, high } => {
            let number = double(bytes, from);
            number < *low || number > *high || values.contains(&number)
        }
    }
}

/// The unpacked number as a double, which holds every single.
fn unpacked(bytes: &[u8], from: NumberType, unpacking: &Unpacking) -> f64 {
    if unpacking.missing.as_ref().is_some_and(|missing| is_missing(bytes, from, missing)) {
        return f64::NAN;
    }
    if unpacking.is_double {
        let number = double(bytes, from) * unpacking.scale.unwrap_or(1.0);
        return unpacking.offset.map_or(number, |offset| number + offset);
    }
    let number = f32::from_le_bytes(one(bytes, from, F32).try_into().unwrap());
    let number = number * unpacking.scale.map_or(1.0, |scale| scale as f32);
    f64::from(unpacking.offset.map_or(number, |offset| number + offset as f32))
}

/// The integer nearest to a double, ties to even.
fn nearest(number: f64) -> f64 {
    let floor = number.floor();
    match (number - floor).partial_cmp(&0.5) {
        Some(std::cmp::Ordering::Less) => floor,
        Some(std::cmp::Ordering::Greater) => floor + 1.0,
        Some(std::cmp::Ordering::Equal) if floor.rem_euclid(2.0) == 0.0 => floor,
        Some(std::cmp::Ordering::Equal) => floor + 1.0,
        None => number,
    }
}

fn agrees(src: &[u8], from: NumberType, unpacking: &Unpacking, to: NumberType) {
    let found = converted(src, from, Some(unpacking), &Target::Number(to));
    for (bytes, found) in src.chunks_exact(from.size()).zip(found.chunks_exact(to.size())) {
        let number = unpacked(bytes, from, unpacking);
        let number = if to.is_float() { number } else { nearest(number) };
        let expected = one(&number.to_le_bytes(), F64, to);
        let nan = to.is_float() && number.is_nan() && double(found, to).is_nan();
        assert!(
            nan || found == expected,
            "{bytes:?} {from:?} → {to:?}: {found:?}, not {expected:?} ({number})"
        );
    }
}

fn missing_of(from: NumberType, bytes: &[u8]) -> Missing {
    let sample = |at: usize| bytes.chunks_exact(from.size()).nth(at).unwrap();
    if from.is_float() {
        return Missing::Floats {
            values: vec![double(sample(1), from), 2.5],
            low: -1e6,
            high: f64::INFINITY,
        };
    }
    let key = |at: usize| {
        let wide = if from == U64 { U64 } else { I64 };
        integer_key(u64::from_le_bytes(one(sample(at), from, wide).try_into().unwrap()), from)
    };
    let (low, high) = if key(2) < key(3) { (key(2), key(3)) } else { (key(3), key(2)) };
    Missing::Integers { values: vec![key(0), key(1), 7], low, high }
}

#[test]
fn every_pair_agrees_with_the_naive_version() {
    for from in ALL {
        for count in [4, 5, 511, 512, 513, 1100] {
            let src = naive::bytes(count * from.size(), 5);
            for to in ALL {
                for (scale, offset) in
                    [(None, None), (Some(0.1), None), (None, Some(-3.25)), (Some(1e-3), Some(273.15))]
                {
                    for is_double in [true, false] {
                        let missing = (scale.is_none() || offset.is_some()).then(|| missing_of(from, &src));
                        agrees(&src, from, &Unpacking { is_double, missing, scale, offset }, to);
                    }
                }
            }
        }
    }
}

#[test]
fn a_conversion_without_unpacking_is_a_cast_that_rounds() {
    let doubles = [0.5, 1.5, 2.5, -0.5, -1.5, 254.5, 255.5, 1e9, f64::NAN, f64::NEG_INFINITY];
    let src: Vec<u8> = doubles.into_iter().flat_map(f64::to_le_bytes).collect();
    let bytes = converted(&src, F64, None, &Target::Number(U8));
    assert_eq!(bytes, [0, 2, 2, 0, 0, 254, 255, 255, 0, 0]);
    let shorts: Vec<u8> = [300_i16, -300, 5].into_iter().flat_map(i16::to_le_bytes).collect();
    assert_eq!(converted(&shorts, I16, None, &Target::Number(I8)), [127, 128, 5]);
    // 2^53 + 1 must not go through a double.
    let long = (1_i64 << 53) + 1;
    assert_eq!(converted(&long.to_le_bytes(), I64, None, &Target::Number(U64)), long.to_le_bytes());
}

#[test]
fn neighbours_that_doubles_cannot_tell_apart() {
    let longs = [i64::MAX - 1, i64::MAX];
    let src: Vec<u8> = longs.into_iter().flat_map(i64::to_le_bytes).collect();
    let missing = Missing::Integers { values: vec![i64::MAX], low: i64::MIN, high: i64::MAX };
    let unpacking = Unpacking { is_double: true, missing: Some(missing), scale: None, offset: None };
    let found = converted(&src, I64, Some(&unpacking), &Target::Number(F64));
    assert_eq!(double(&found[..8], F64), 9.223_372_036_854_776e18);
    assert!(double(&found[8..], F64).is_nan());
}

fn gray(low: f64, high: f64, gamma: f64) -> Target {
    let table = (0..=255).chain([0]).collect();
    Target::Colours(Shading { low, high, gamma, width: 1, table })
}

#[test]
fn grey_values_of_a_window() {
    let all: Vec<u8> = (0..=255).collect();
    assert_eq!(converted(&all, U8, None, &gray(0.0, 255.0, 1.0)), all);
    let reversed: Vec<u8> = (0..=255).rev().collect();
    assert_eq!(converted(&all, U8, None, &gray(255.0, 0.0, 1.0)), reversed);
    let floats = [-1.0, 0.0, 0.25, 1.0, 7.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY];
    let src: Vec<u8> = floats.into_iter().flat_map(f64::to_le_bytes).collect();
    assert_eq!(converted(&src, F64, None, &gray(0.0, 1.0, 1.0)), [0, 0, 64, 255, 255, 0, 255, 0]);
    assert_eq!(converted(&src, F64, None, &gray(0.0, 1.0, 0.5)), [0, 0, 128, 255, 255, 0, 255, 0]);
    // A window without width has only numbers below, above and at it.
    assert_eq!(converted(&src[..24], F64, None, &gray(0.0, 0.0, 1.0)), [0, 0, 255]);
}

#[test]
fn colours_of_a_table_and_of_missing_numbers() {
    let table = vec![1, 2, 3, 255, 4, 5, 6, 255, 0, 0, 0, 0];
    let target = Target::Colours(Shading { low: 0.0, high: 10.0, gamma: 1.0, width: 4, table });
    let src: Vec<u8> = [0.0_f32, 10.0, f32::NAN].into_iter().flat_map(f32::to_le_bytes).collect();
    assert_eq!(converted(&src, F32, None, &target), [1, 2, 3, 255, 4, 5, 6, 255, 0, 0, 0, 0]);
}

/// Colours of labels number by number, by the words of the rule: hue, saturation and value of a
/// hash.
fn colour_of(label: i128, own: &[(u64, [u8; 4])]) -> [u8; 4] {
    let wrapped = |number: i128| u128::try_from(number.rem_euclid(1 << 64)).unwrap();
    let label = wrapped(label);
    if let Some((_, colour)) = own.iter().rev().find(|(own, _)| u128::from(*own) == label) {
        return *colour;
    }
    if label == 0 {
        return [0, 0, 0, 0];
    }
    let modulus = 1_u128 << 64;
    let mut hash = (label + 0x9e37_79b9_7f4a_7c15) % modulus;
    for (shift, factor) in [(30, 0xbf58_476d_1ce4_e5b9_u128), (27, 0x94d0_49bb_1331_11eb), (31, 1)] {
        hash = (hash ^ (hash / (1 << shift))) * factor % modulus;
    }
    let degree = i64::try_from(hash % 1536).unwrap();
    // Each channel falls from 255 to 0 over a sixth of the circle, at its distance from its own
    // hue.
    let channel = |centre: i64| {
        let after = (degree - centre).rem_euclid(1536);
        (512 - (after + 1).min(1536 - after)).clamp(0, 255)
    };
    let saturation = i64::try_from(160 + hash / (1 << 16) % 96).unwrap();
    let value = i64::try_from(176 + hash / (1 << 32) % 80).unwrap();
    let [red, green, blue] = [0, 512, 1024].map(|centre| {
        let distance = 255 - channel(centre);
        u8::try_from((255 - distance * saturation / 255) * value / 255).unwrap()
    });
    [red, green, blue, 255]
}

#[test]
fn colours_of_labels_of_every_width() {
    let own = vec![(3, [1, 2, 3, 4]), (u64::MAX, [9, 9, 9, 255]), (0, [7, 7, 7, 7]), (3, [5, 6, 7, 8])];
    for from in [Bool, I8, I16, I32, I64, U8, U16, U32, U64] {
        for own in [vec![], own.clone()] {
            let mut src = naive::bytes(1100 * from.size(), 9);
            if from == Bool {
                src.iter_mut().for_each(|byte| *byte &= 1);
            }
            // Labels are small and alike mostly.
            src.chunks_exact_mut(from.size()).step_by(3).for_each(|label| label[1..].fill(0));
            src.chunks_exact_mut(from.size()).step_by(5).for_each(|label| label.fill(0));
            let target = Target::Labels(LabelColours::new(own.clone()));
            let found = converted(&src, from, None, &target);
            for (bytes, found) in src.chunks_exact(from.size()).zip(found.chunks_exact(4)) {
                assert_eq!(found, colour_of(whole(bytes, from), &own), "{bytes:?} {from:?}");
            }
        }
    }
}

#[test]
fn labels_that_doubles_confuse_have_colours_of_their_own() {
    let neighbours = [(1_u64 << 53), (1 << 53) + 1, u64::MAX - 1, u64::MAX];
    let src: Vec<u8> = neighbours.into_iter().flat_map(u64::to_le_bytes).collect();
    let found = converted(&src, U64, None, &Target::Labels(LabelColours::default()));
    let mut colours: Vec<&[u8]> = found.chunks_exact(4).collect();
    colours.sort_unstable();
    colours.dedup();
    assert_eq!(colours.len(), 4);
}

#[test]
fn masked_numbers_agree_with_plain_ones() {
    for from in ALL {
        for to in ALL {
            for count in [0, 4, 511, 513, 1100] {
                let src = naive::bytes(count * from.size(), 5);
                let missing = (count > 3).then(|| missing_of(from, &src));
                let unpacking = Unpacking { is_double: true, missing, scale: Some(0.5), offset: None };
                for unpacking in [None, Some(&unpacking)] {
                    let found = converted(&src, from, unpacking, &Target::Masked(to));
                    let plain = converted(&src, from, unpacking, &Target::Number(to));
                    let doubles = converted(&src, from, unpacking, &Target::Number(F64));
                    let numbers = plain.chunks_exact(to.size()).zip(doubles.chunks_exact(8));
                    for (pair, (number, double_of)) in found.chunks_exact(2 * to.size()).zip(numbers) {
                        let is_missing = double(double_of, F64).is_nan();
                        let mask = if is_missing { 0 } else { mask_of(to) };
                        let expected = if is_missing { vec![0; to.size()] } else { number.to_vec() };
                        assert_eq!(pair[..to.size()], expected, "{from:?} → {to:?}");
                        assert_eq!(pair[to.size()..], one(&[mask], U8, to), "{from:?} → {to:?}");
                    }
                }
            }
        }
    }
}

#[test]
fn shades_have_masks() {
    let table = vec![0, 255, 100, 255, 200, 255, 0, 0];
    let target = Target::Colours(Shading { low: 0.0, high: 1.0, gamma: 1.0, width: 2, table });
    let src: Vec<u8> = [0.0_f32, 0.5, 1.0, f32::NAN].into_iter().flat_map(f32::to_le_bytes).collect();
    assert_eq!(converted(&src, F32, None, &target), [0, 255, 100, 255, 200, 255, 0, 0]);
}

#[test]
#[should_panic(expected = "the same number of numbers")]
fn refuses_another_count() {
    convert(&[0; 8], I16, &mut [0; 3], None, &Target::Number(I8));
}
