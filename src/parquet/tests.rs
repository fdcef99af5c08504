//! Pages and footers by hand. Whole files of other libraries: `tests/rust/reference_tables.rs`.

use zarr_wasm::error::ErrorKind;

use super::*;

/// The indices that packed bytes and runs hold.
fn hybrid(bytes: &[u8], width: u32, count: usize) -> Result<Vec<u32>> {
    let mut found = Vec::new();
    hybrid::read(bytes, width, count, |number| {
        found.push(number);
        Ok(())
    })?;
    Ok(found)
}

#[test]
fn runs_and_packed_integers() {
    // The example of the specification: 0 to 7 in three bits.
    let packed = [0b0000_0011, 0b1000_1000, 0b1100_0110, 0b1111_1010];
    assert_eq!(hybrid(&packed, 3, 8).unwrap(), [0, 1, 2, 3, 4, 5, 6, 7]);
    assert_eq!(hybrid(&packed, 3, 3).unwrap(), [0, 1, 2]);
    // Five times 300 in nine bits, then packed ones.
    assert_eq!(
        hybrid(&[10, 0x2c, 1, 3, 0xff, 0xff, 0xff], 9, 7).unwrap(),
        [300, 300, 300, 300, 300, 511, 511]
    );
    assert_eq!(hybrid(&[200, 1], 0, 100).unwrap(), [0; 100]);
    assert_eq!(hybrid(&[3, 0xff, 0xff, 0xff, 0xff], 32, 1).unwrap(), [u32::MAX]);
    for short in [&[][..], &[3], &[3, 1, 2], &[0, 0], &[1], &[10], &[0x80]] {
        assert_eq!(hybrid(short, 9, 7).unwrap_err().kind(), ErrorKind::Format, "{short:?}");
    }
    assert_eq!(hybrid(&[2, 0], 33, 1).unwrap_err().kind(), ErrorKind::Format);
}

#[test]
fn thrift_structs_are_trees() {
    use thrift::Thrift;
    // 1: −1, 2: true, 5: "ab", 6: [1, 2], 7: {1: 300}, 40: false, 41: a double.
    let bytes = [
        0x15, 1, 0x11, 0x38, 2, b'a', b'b', 0x19, 0x25, 2, 4, 0x1c, 0x16, 0xd8, 4, 0, 0x02, 80, 0x17, 0, 0,
        0, 0, 0, 0, 0, 0, 0, 9,
    ];
    let mut rest = &bytes[..];
    let read = Thrift::read(&mut rest).unwrap();
    assert_eq!(rest, [9]);
    assert_eq!((read.count(1), read.bytes(5), read.list(6).len()), (None, Some(&b"ab"[..]), 2));
    assert_eq!(read.get(7).unwrap().count(1), Some(300));
    assert!(matches!((read.get(2), read.get(40)), (Some(Thrift::Flag(true)), Some(Thrift::Flag(false)))));
    for end in 0..bytes.len() - 1 {
        assert!(Thrift::read(&mut &bytes[..end]).is_err(), "{end}");
    }
    let deep = [0x1c; 40];
    assert!(Thrift::read(&mut &deep[..]).is_err());
    let long = [0x19, 0xf8, 0xff, 0xff, 0xff, 0xff, 0x7f];
    assert!(Thrift::read(&mut &long[..]).is_err());
}

#[test]
fn what_is_no_parquet_file_is_said() {
    for bytes in [&b""[..], b"PAR1", b"PAR1PAR1", b"PAR1\x09\0\0\0PAR1", b"<html>", b"PAR1\0\0\0\0PAR1"] {
        assert_eq!(ParquetFile::parse(bytes).unwrap_err().kind(), ErrorKind::Format);
    }
    let encrypted = ParquetFile::parse(b"PAR1\0\0\0\0PARE").unwrap_err();
    assert_eq!(encrypted.kind(), ErrorKind::Unsupported);
    let large = [b"PAR1", &[0; 1 << 21][..], &[0, 0, 0x20, 0], b"PAR1"].concat();
    assert_eq!(ParquetFile::parse(&large).unwrap_err().kind(), ErrorKind::Limit);
}
