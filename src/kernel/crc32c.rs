//! CRC-32C (Castagnoli), the checksum of shard indexes and of the `crc32c` codec.
//!
//! It processes eight bytes per step with eight tables. The tables are computed at the first use:
//! as constants they would add 8 KB to the download, which do not compress. WebAssembly has no
//! instruction for this checksum.

use std::sync::LazyLock;

/// The reversed Castagnoli polynomial.
const POLYNOMIAL: u32 = 0x82f6_3b78;

/// `TABLES[k][b]`: the remainder of byte `b` followed by `k` zero bytes.
static TABLES: LazyLock<[[u32; 256]; 8]> = LazyLock::new(tables);

/// Computes the checksum of `bytes`.
#[inline(never)]
pub fn crc32c(bytes: &[u8]) -> u32 {
    let tables = &*TABLES;
    let (words, rest) = bytes.as_chunks::<8>();
    let crc = words.iter().fold(u32::MAX, |crc, word| {
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

fn tables() -> [[u32; 256]; 8] {
    let mut tables = [[0; 256]; 8];
    for (byte, entry) in (0u32..).zip(&mut tables[0]) {
        *entry = (0..8).fold(byte, |crc, _| (crc >> 1) ^ if crc & 1 == 1 { POLYNOMIAL } else { 0 });
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
                assert_eq!(crc32c(bytes), naive::crc32c(bytes), "{len} bytes from {start}");
            }
        }
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod properties {
    proptest::proptest! {
        #[test]
        fn agrees_with_another_crate(bytes in proptest::collection::vec(0u8.., 0..1000)) {
            assert_eq!(super::crc32c(&bytes), crc32c::crc32c(&bytes));
        }
    }
}
