//! Tables of references in Parquet: row groups and dictionaries at one offset, and pages of many
//! rows.

use zarr_wasm_engine::internals::store::reference::record::Record;

use crate::icechunk::blames_data;
use crate::measure::{check, check_with_floor};

/// Writes Thrift's compact protocol.
#[derive(Default)]
struct Thrift {
    bytes: Vec<u8>,
    last: Vec<i16>,
}

const INTEGER: u8 = 6;
const BYTES: u8 = 8;
const LIST: u8 = 9;
const STRUCT: u8 = 12;

impl Thrift {
    fn varint(&mut self, mut number: u64) {
        while number > 127 {
            self.bytes.push(u8::try_from(number & 127).unwrap() | 128);
            number >>= 7;
        }
        self.bytes.push(u8::try_from(number).unwrap());
    }

    fn begin(&mut self) {
        self.last.push(0);
    }

    fn end(&mut self) {
        self.last.pop();
        self.bytes.push(0);
    }

    /// The head of a field, whose number is above that of the one before.
    fn field(&mut self, number: i16, kind: u8) {
        let last = self.last.last_mut().unwrap();
        let delta = u8::try_from(number - *last).unwrap();
        *last = number;
        self.bytes.push(delta << 4 | kind);
    }

    fn integer(&mut self, number: i16, value: i64) {
        self.field(number, INTEGER);
        self.varint((value << 1).cast_unsigned());
    }

    fn text(&mut self, number: i16, text: &[u8]) {
        self.field(number, BYTES);
        self.varint(text.len() as u64);
        self.bytes.extend(text);
    }

    fn list(&mut self, number: i16, kind: u8, len: usize) {
        self.field(number, LIST);
        self.bytes.push(0xf0 | kind);
        self.varint(len as u64);
    }

    fn part(&mut self, number: i16) {
        self.field(number, STRUCT);
        self.begin();
    }
}

/// A page's header: its kind, its lengths before and after compression, and its number of values.
fn header(kind: i64, raw: usize, stored: usize, values: usize) -> Vec<u8> {
    let mut header = Thrift::default();
    header.begin();
    header.integer(1, kind);
    header.integer(2, i64::try_from(raw).unwrap());
    header.integer(3, i64::try_from(stored).unwrap());
    header.part(if kind == 2 { 7 } else { 5 });
    header.integer(1, i64::try_from(values).unwrap());
    header.integer(2, if kind == 2 || values == 0 { 0 } else { 8 });
    header.integer(3, 3);
    header.end();
    header.end();
    header.bytes
}

fn page(kind: i64, values: usize, bytes: &[u8]) -> Vec<u8> {
    [header(kind, bytes.len(), bytes.len(), values), bytes.to_vec()].concat()
}

/// A dictionary of texts of a length.
fn dictionary(count: usize, text: &[u8]) -> Vec<u8> {
    let one = [u32::try_from(text.len()).unwrap().to_le_bytes().as_slice(), text].concat();
    page(2, count, &one.repeat(count))
}

/// A page of data: the first text of the dictionary for all rows.
fn rows(values: usize) -> Vec<u8> {
    let mut run = Thrift::default();
    run.bytes.push(8);
    run.varint((values as u64) << 1);
    run.bytes.push(0);
    page(0, values, &run.bytes)
}

/// A table of the column `path`, whose row groups have these offsets and numbers of values.
fn table(pages: &[u8], groups: &[(usize, usize, usize)], rows: usize) -> Vec<u8> {
    let mut footer = Thrift::default();
    footer.begin();
    footer.integer(1, 1);
    footer.list(2, STRUCT, 2);
    footer.begin();
    footer.text(4, b"root");
    footer.integer(5, 1);
    footer.end();
    footer.begin();
    footer.integer(1, 6);
    footer.integer(3, 0);
    footer.text(4, b"path");
    footer.end();
    footer.integer(3, i64::try_from(rows).unwrap());
    footer.list(4, STRUCT, groups.len());
    for (offset, len, values) in groups {
        footer.begin();
        footer.list(1, STRUCT, 1);
        footer.begin();
        footer.part(3);
        footer.integer(1, 6);
        footer.integer(4, 0);
        footer.integer(5, i64::try_from(*values).unwrap());
        footer.integer(7, i64::try_from(*len).unwrap());
        footer.integer(9, i64::try_from(4 + offset).unwrap());
        footer.end();
        footer.end();
        footer.end();
    }
    footer.end();
    let len = u32::try_from(footer.bytes.len()).unwrap().to_le_bytes();
    [b"PAR1", pages, &footer.bytes, &len, b"PAR1"].concat()
}

fn read(file: &[u8]) {
    drop(blames_data(Record::parse(file)));
}

#[test]
fn a_table_that_is_well_formed_is_read() {
    let pages = [dictionary(2, b"s3://b/x"), rows(1000)].concat();
    let record = Record::parse(&table(&pages, &[(0, pages.len(), 1000)], 1000)).unwrap();
    for row in [0, 999] {
        let found = record.row(row).unwrap();
        assert_eq!(format!("{found:?}"), r#"File("s3://b/x")"#);
    }
}

/// A column has one dictionary: a second one would add its strings to those of the first.
#[test]
fn a_second_dictionary_is_an_error() {
    let pages = [dictionary(2, b"a"), dictionary(2, b"b"), rows(8)].concat();
    let error = Record::parse(&table(&pages, &[(0, pages.len(), 8)], 8)).unwrap_err();
    assert_eq!(error.kind(), zarr_wasm::ErrorKind::Format, "{error:?}");
}

#[test]
fn row_groups_at_one_offset() {
    for (what, count, rows_of_each) in [("few rows", 1, 8), ("many rows", 1, 1 << 18)] {
        let make = |len: usize| {
            let pages = [dictionary(count, &vec![b'a'; len / 2]), rows(rows_of_each)].concat();
            let groups = vec![(0, pages.len(), rows_of_each); (len / 64).min(10_000)];
            table(&pages, &groups, (groups.len() * rows_of_each).min(1 << 20))
        };
        check_with_floor(&format!("row groups at one offset, {what}"), 48 << 20, make, |file| read(file));
    }
}

#[test]
fn many_dictionaries_of_a_column() {
    for text in [&b""[..], &[b'a'; 100]] {
        let make = |len: usize| {
            let one = dictionary(len / 64 / (4 + text.len()), text);
            let pages = [one.repeat(len / one.len()), rows(8)].concat();
            table(&pages, &[(0, pages.len(), 8)], 8)
        };
        check("many dictionaries", make, |file| read(file));
    }
}

#[test]
fn pages_without_rows() {
    let make = |len: usize| {
        let one = page(0, 0, b"\x08");
        let pages = [one.repeat(len / one.len()), rows(8)].concat();
        table(&pages, &[(0, pages.len(), 8)], 8)
    };
    check("pages without rows", make, |file| read(file));
}

/// All rows of the largest table, in few bytes: the number of rows has a limit of its own.
#[test]
fn many_rows() {
    let make = |len: usize| {
        let pages = [dictionary(1, &vec![b'a'; len / 2]), rows(1 << 20)].concat();
        table(&pages, &[(0, pages.len(), 1 << 20)], 1 << 20)
    };
    check_with_floor("many rows", 48 << 20, make, |file| read(file));
}

#[test]
fn footers_and_headers_of_many_parts() {
    // A list of flags takes a byte each, and much more as a tree.
    let make = |len: usize| {
        let mut footer = Thrift::default();
        footer.begin();
        footer.list(2, 1, len);
        footer.bytes.extend(vec![1; len]);
        footer.end();
        let len = u32::try_from(footer.bytes.len()).unwrap().to_le_bytes();
        [b"PAR1", footer.bytes.as_slice(), &len, b"PAR1"].concat()
    };
    check_with_floor("a footer of many parts", 32 << 20, make, |file| read(file));
    let make = |len: usize| {
        let mut header = Thrift::default();
        header.begin();
        header.list(2, 1, len);
        header.bytes.extend(vec![1; len]);
        header.end();
        table(&header.bytes, &[(0, header.bytes.len(), 8)], 8)
    };
    check_with_floor("a header of many parts", 8 << 20, make, |file| read(file));
}
