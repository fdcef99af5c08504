//! numcodecs' `delta`: differences between neighbours, and their running sums, over packed
//! little-endian numbers, in place.
//!
//! Integers wrap, as in NumPy. Floats are summed in order, and each sum is rounded. The caller
//! casts to or from the codec's `astype`. Bools stay as they are.

use half::f16;

use super::number::NumberType;

/// Replaces every number of `buf` by the sum of the numbers up to it. Bytes after the last whole
/// number stay.
#[inline(never)]
pub fn delta_decode_in_place(buf: &mut [u8], number_type: NumberType) {
    match number_type {
        NumberType::Bool => {}
        NumberType::I8 | NumberType::U8 => sum(buf, u8::from_le_bytes, u8::wrapping_add, u8::to_le_bytes),
        NumberType::I16 | NumberType::U16 => {
            sum(buf, u16::from_le_bytes, u16::wrapping_add, u16::to_le_bytes);
        }
        NumberType::I32 | NumberType::U32 => {
            sum(buf, u32::from_le_bytes, u32::wrapping_add, u32::to_le_bytes);
        }
        NumberType::I64 | NumberType::U64 => {
            sum(buf, u64::from_le_bytes, u64::wrapping_add, u64::to_le_bytes);
        }
        NumberType::F16 => sum(buf, f16::from_le_bytes, |sum, next| sum + next, f16::to_le_bytes),
        NumberType::F32 => sum(buf, f32::from_le_bytes, |sum, next| sum + next, f32::to_le_bytes),
        NumberType::F64 => sum(buf, f64::from_le_bytes, |sum, next| sum + next, f64::to_le_bytes),
    }
}

/// Replaces every number of `buf` but the first by its difference from the one before. Bytes after
/// the last whole number stay.
#[inline(never)]
pub fn delta_encode_in_place(buf: &mut [u8], number_type: NumberType) {
    match number_type {
        NumberType::Bool => {}
        NumberType::I8 | NumberType::U8 => {
            differences(buf, u8::from_le_bytes, u8::wrapping_sub, u8::to_le_bytes);
        }
        NumberType::I16 | NumberType::U16 => {
            differences(buf, u16::from_le_bytes, u16::wrapping_sub, u16::to_le_bytes);
        }
        NumberType::I32 | NumberType::U32 => {
            differences(buf, u32::from_le_bytes, u32::wrapping_sub, u32::to_le_bytes);
        }
        NumberType::I64 | NumberType::U64 => {
            differences(buf, u64::from_le_bytes, u64::wrapping_sub, u64::to_le_bytes);
        }
        NumberType::F16 => differences(buf, f16::from_le_bytes, |a, b| a - b, f16::to_le_bytes),
        NumberType::F32 => differences(buf, f32::from_le_bytes, |a, b| a - b, f32::to_le_bytes),
        NumberType::F64 => differences(buf, f64::from_le_bytes, |a, b| a - b, f64::to_le_bytes),
    }
}

#[inline(always)]
fn sum<const N: usize, T: Copy>(
    buf: &mut [u8],
    read: impl Fn([u8; N]) -> T,
    add: impl Fn(T, T) -> T,
    write: impl Fn(T) -> [u8; N],
) {
    let Some((first, rest)) = buf.as_chunks_mut::<N>().0.split_first_mut() else { return };
    let mut total = read(*first);
    for bytes in rest {
        total = add(total, read(*bytes));
        *bytes = write(total);
    }
}

#[inline(always)]
fn differences<const N: usize, T: Copy>(
    buf: &mut [u8],
    read: impl Fn([u8; N]) -> T,
    subtract: impl Fn(T, T) -> T,
    write: impl Fn(T) -> [u8; N],
) {
    let Some((first, rest)) = buf.as_chunks_mut::<N>().0.split_first_mut() else { return };
    let mut before = read(*first);
    for bytes in rest {
        let number = read(*bytes);
        *bytes = write(subtract(number, before));
        before = number;
    }
}

#[cfg(test)]
mod tests {
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    use super::super::naive;
    use super::NumberType::*;
    use super::*;

    fn decoded(src: &[u8], number_type: NumberType) -> Vec<u8> {
        let mut buf = src.to_vec();
        delta_decode_in_place(&mut buf, number_type);
        buf
    }

    fn encoded(src: &[u8], number_type: NumberType) -> Vec<u8> {
        let mut buf = src.to_vec();
        delta_encode_in_place(&mut buf, number_type);
        buf
    }

    #[test]
    fn integers_of_every_width_wrap() {
        for number_type in [I8, U8, I16, U16, I32, U32, I64, U64] {
            let size = number_type.size();
            for count in naive::COUNTS {
                let plain = naive::bytes(count * size + size - 1, 7);
                let differences = naive::differences(&plain, size);
                assert_eq!(encoded(&plain, number_type), differences, "{number_type:?}");
                assert_eq!(decoded(&differences, number_type), plain, "{number_type:?}");
            }
        }
    }

    #[test]
    fn floats_are_summed_in_order() {
        // numpy 2: np.cumsum(np.array([1e8, 1, 1, 0.5, -1e8], "<f4")) and the same in "<f8".
        let singles: Vec<u8> = [1e8, 1.0, 1.0, 0.5, -1e8].into_iter().flat_map(f32::to_le_bytes).collect();
        let doubles: Vec<u8> = [1e8, 1.0, 1.0, 0.5, -1e8].into_iter().flat_map(f64::to_le_bytes).collect();
        let expected = [1e8, 1e8, 1e8, 1e8, 0.0].map(f32::to_le_bytes);
        assert_eq!(decoded(&singles, F32), expected.as_flattened());
        let expected = [1e8, 100_000_001.0, 100_000_002.0, 100_000_002.5, 2.5].map(f64::to_le_bytes);
        assert_eq!(decoded(&doubles, F64), expected.as_flattened());
    }

    #[test]
    fn known_bytes_of_numcodecs() {
        // numcodecs 0.16.6: Delta(dtype="<i2").encode([100, 102, 99, -32768, 32767]), NumPy wraps.
        let encoded = naive::hex("64000200fdff9d7fffff");
        assert_eq!(
            decoded(&encoded, I16),
            [100i16, 102, 99, -32768, 32767].map(i16::to_le_bytes).as_flattened()
        );
    }

    #[test]
    fn halves_round_at_each_step() {
        let halves = |numbers: [f32; 4]| numbers.map(|number| f16::from_f32(number).to_le_bytes()).concat();
        assert_eq!(decoded(&halves([2048.0, 1.0, 1.0, 3.0]), F16), halves([2048.0, 2048.0, 2048.0, 2052.0]));
        assert_eq!(encoded(&halves([1.0, 2.5, 2.0, -0.5]), F16), halves([1.0, 1.5, -0.5, -2.5]));
    }

    #[test]
    fn bools_stay() {
        assert_eq!([decoded(&[1, 0, 1], Bool), encoded(&[1, 0, 1], Bool)], [[1, 0, 1], [1, 0, 1]]);
    }
}
