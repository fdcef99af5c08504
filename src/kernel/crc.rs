//! CRC-32 (the checksum of gzip, ZIP and the `crc32` codec) and CRC-32C (Castagnoli, that of shard
//! indexes and the `crc32c` codec).
//!
//! Both process eight bytes per step with eight tables. The tables are computed at the first use:
//! as constants they would add 8 KB each to the download, which do not compress. WebAssembly has no
//! instruction for these checksums.

use std::sync::LazyLock;

/// For a polynomial, `[k][b]` is the remainder of byte `b` followed by `k` zero bytes.
type Tables = [[u32; 256]; 8];

/// The polynomial of CRC-32, reversed.
const CRC32: u32 = 0xedb8_8320;

static OF_CRC32: LazyLock<Tables> = LazyLock::new(|| tables(CRC32));
static OF_CRC32C: LazyLock<Tables> = LazyLock::new(|| tables(0x82f6_3b78));

/// Computes the CRC-32 of `bytes`. `before` is that of the bytes before them, 0 for none.
pub fn crc32(before: u32, bytes: &[u8]) -> u32 {
    checksum(&OF_CRC32, before, bytes)
}

/// Computes the CRC-32C of `bytes`.
pub fn crc32c(bytes: &[u8]) -> u32 {
    checksum(&OF_CRC32C, 0, bytes)
}

/// The CRC-32 of some bytes and of `len` more behind them, from the sums of both. Takes 64 × 64
/// steps at most, however many bytes there are.
///
/// A sum is a polynomial modulo that of CRC-32: what `len` zero bytes do to it is a multiplication
/// by x to the power of 8 `len`, and the sum of the bytes behind is added. The inversions at the
/// start and the end of both sums cancel out.
///
/// ```text
/// power = x^8, factor = 1
/// for each bit of len, from the lowest: if it is set, factor *= power; power *= power
/// first * factor + second
/// ```
#[inline(never)]
pub fn crc32_combine(first: u32, second: u32, len: u64) -> u32 {
    // x^8, and 1: the highest bit is the lowest power.
    let (mut power, mut factor, mut rest) = (1 << 23, 1 << 31, len);
    while rest > 0 {
        if rest & 1 == 1 {
            factor = product(factor, power);
        }
        power = product(power, power);
        rest >>= 1;
    }
    product(first, factor) ^ second
}

/// The product of two polynomials modulo that of CRC-32.
fn product(one: u32, other: u32) -> u32 {
    let (mut product, mut shifted) = (0, other);
    for power in (0..32).rev() {
        if one >> power & 1 == 1 {
            product ^= shifted;
        }
        // Times x.
        shifted = (shifted >> 1) ^ if shifted & 1 == 1 { CRC32 } else { 0 };
    }
    product
}

#[inline(never)]
fn checksum(tables: &Tables, before: u32, bytes: &[u8]) -> u32 {
    let (words, rest) = bytes.as_chunks::<8>();
    let crc = words.iter().fold(!before, |crc, word| {
        let bytes = (u64::from_le_bytes(*word) ^ u64::from(crc)).to_le_bytes();
        let look_up = |idx: usize| tables[7 - idx][usize::from(bytes[idx])];
        (look_up(0) ^ look_up(1) ^ look_up(2) ^ look_up(3))
            ^ (look_up(4) ^ look_up(5) ^ look_up(6) ^ look_up(7))
    });
    let crc = rest.iter().fold(crc, |crc, &byte| {
        let [low, ..] = (crc ^ u32::from(byte)).to_le_bytes();
        tables[0][usize::from(low)] ^ (crc >> 8)
    });
    !crc
}

#[inline(never)]
fn tables(polynomial: u32) -> Tables {
    let mut tables = [[0; 256]; 8];
    for (byte, entry) in (0u32..).zip(&mut tables[0]) {
        *entry = (0..8).fold(byte, |crc, _| (crc >> 1) ^ if crc & 1 == 1 { polynomial } else { 0 });
    }
    for table in 1..8 {
        for byte in 0..256 {
            let before: u32 = tables[table - 1][byte];
            tables[table][byte] = tables[0][(before & 0xff) as usize] ^ (before >> 8);
        }
    }
    tables
}

#[cfg(test)]
mod tests {
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    use super::super::naive;
    use super::*;

    #[test]
    fn the_examples_of_rfc_3720() {
        let ascending: Vec<u8> = (0..32).collect();
        let descending: Vec<u8> = (0..32).rev().collect();
        assert_eq!(crc32c(&[0; 32]), 0x8a91_36aa);
        assert_eq!(crc32c(&[0xff; 32]), 0x62a8_ab43);
        assert_eq!(crc32c(&ascending), 0x46dd_794e);
        assert_eq!(crc32c(&descending), 0x113f_db5c);
        assert_eq!(crc32c(b"123456789"), 0xe306_9283);
        assert_eq!(crc32c(b""), 0);
    }

    #[test]
    fn every_length_and_alignment() {
        for len in naive::COUNTS {
            let bytes = naive::bytes(len + 8, 2);
            for start in 0..8 {
                let bytes = &bytes[start..][..len];
                assert_eq!(crc32c(bytes), naive::crc(bytes, 0x82f6_3b78), "{len} bytes from {start}");
                assert_eq!(crc32(0, bytes), naive::crc(bytes, 0xedb8_8320), "{len} bytes from {start}");
            }
        }
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod properties {
    proptest::proptest! {
        #[test]
        fn both_agree_with_other_crates(bytes in proptest::collection::vec(0u8.., 0..1000), split in 0_usize..1000) {
            assert_eq!(super::crc32c(&bytes), crc32c::crc32c(&bytes));
            let (first, second) = bytes.split_at(split.min(bytes.len()));
            let whole = zlib_rs::crc32::crc32(0, &bytes);
            assert_eq!(super::crc32(super::crc32(0, first), second), whole);
            let (one, other) = (super::crc32(0, first), super::crc32(0, second));
            assert_eq!(super::crc32_combine(one, other, second.len() as u64), whole);
        }

        #[test]
        fn sums_of_long_parts_combine_as_in_zlib(first: u32, second: u32, len: u64) {
            // zlib takes lengths of 61 bits.
            let len = len >> 3;
            let expected = zlib_rs::crc32::crc32_combine(first, second, len);
            assert_eq!(super::crc32_combine(first, second, len), expected);
        }
    }
}
