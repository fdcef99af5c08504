//! How records cross between Rust and TypeScript: as bytes, field after field. Numbers are
//! little-endian. Texts and lists begin with their length, an optional value with a byte that says
//! whether there is one, and a value of an enum with its index.
//!
//! `src/engine/ts/model/records.ts` is the other end.

#[cfg(not(target_arch = "wasm32"))]
use crate::shape::{Shape, Types};

/// A type whose values cross.
pub trait Record: Sized {
    /// Appends the value.
    fn write(&self, to: &mut Writer);

    /// Takes the value. `None` if the bytes are those of something else.
    fn read(from: &mut Reader<'_>) -> Option<Self>;

    /// How TypeScript sees the type.
    #[cfg(not(target_arch = "wasm32"))]
    fn shape(types: &mut Types) -> Shape;

    /// The bytes of the value.
    fn to_bytes(&self) -> Vec<u8> {
        let mut writer = Writer::default();
        self.write(&mut writer);
        writer.0
    }

    /// The value of these bytes. `None` if they are those of something else.
    fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let mut reader = Reader(bytes);
        let value = Self::read(&mut reader)?;
        reader.0.is_empty().then_some(value)
    }
}

/// Appends values to bytes.
#[derive(Debug, Default)]
pub struct Writer(Vec<u8>);

impl Writer {
    /// Appends one byte.
    #[inline(never)]
    pub fn byte(&mut self, byte: u8) {
        self.0.push(byte);
    }

    /// Appends a 32-bit number.
    #[inline(never)]
    pub fn word(&mut self, word: u32) {
        self.0.extend_from_slice(&word.to_le_bytes());
    }

    /// Appends a 64-bit number.
    #[inline(never)]
    pub fn double_word(&mut self, word: u64) {
        self.0.extend_from_slice(&word.to_le_bytes());
    }

    /// Appends a length. Lengths have 32 bits, as memory in wasm has.
    #[allow(clippy::cast_possible_truncation)]
    pub fn len(&mut self, len: usize) {
        self.word(len as u32);
    }

    /// Appends bytes after their length.
    #[inline(never)]
    pub fn bytes(&mut self, bytes: &[u8]) {
        self.len(bytes.len());
        self.0.extend_from_slice(bytes);
    }

    /// Appends numbers as one block, after its length in bytes.
    fn block<const N: usize>(&mut self, numbers: impl ExactSizeIterator<Item = [u8; N]>) {
        self.len(numbers.len().saturating_mul(N));
        numbers.for_each(|bytes| self.0.extend_from_slice(&bytes));
    }
}

/// Takes values from bytes.
#[derive(Debug)]
pub struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    /// Takes one byte.
    #[inline(never)]
    pub fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*first)
    }

    /// Takes a 32-bit number.
    #[inline(never)]
    pub fn word(&mut self) -> Option<u32> {
        let (word, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(u32::from_le_bytes(*word))
    }

    /// Takes a 64-bit number.
    #[inline(never)]
    pub fn double_word(&mut self) -> Option<u64> {
        let (word, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(u64::from_le_bytes(*word))
    }

    /// Takes bytes after their length.
    #[inline(never)]
    pub fn bytes(&mut self) -> Option<&'a [u8]> {
        let len = self.word()? as usize;
        let (bytes, rest) = self.0.split_at_checked(len)?;
        self.0 = rest;
        Some(bytes)
    }

    /// Takes the numbers of a block.
    fn block<const N: usize>(&mut self) -> Option<&'a [[u8; N]]> {
        let (numbers, rest) = self.bytes()?.as_chunks();
        rest.is_empty().then_some(numbers)
    }
}

/// Bytes that are copied: a `Uint8Array`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bytes(pub Vec<u8>);

/// Floats that are copied as one block: a `Float64Array`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Floats(pub Vec<f64>);

/// 32-bit numbers that are copied as one block: a `Uint32Array`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Words(pub Vec<u32>);

/// An integer from 0 to 2^53 − 1: a number in TypeScript.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Natural(pub u64);

/// The number in `zarr_format`: 2 or 3.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FormatVersion(pub u8);

/// The index of a value that JavaScript owns, among those that cross beside the record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Held(pub u32);

/// A buffer that JavaScript owns: a `Uint8Array`. It is not copied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HeldBytes(pub u32);

macro_rules! primitives {
    ($($ty:ty: $to:ident($write:expr), $read:expr, $shape:expr;)*) => {$(
        impl Record for $ty {
            fn write(&self, to: &mut Writer) {
                let write: fn(&$ty, &mut Writer) = $write;
                write(self, to);
            }
            fn read(from: &mut Reader<'_>) -> Option<Self> {
                let read: fn(&mut Reader<'_>) -> Option<$ty> = $read;
                read(from)
            }
            #[cfg(not(target_arch = "wasm32"))]
            fn shape(_: &mut Types) -> Shape {
                Shape::primitive($shape.0, $shape.1)
            }
        }
    )*};
}

primitives! {
    (): nothing(|(), _| ()), |_| Some(()), ("undefined", "nothing");
    bool: byte(|it, to| to.byte(u8::from(*it))), |from| Some(from.byte()? == 1), ("boolean", "flag");
    u8: byte(|it, to| to.byte(*it)), |from| from.byte(), ("number", "byte");
    FormatVersion: byte(|it, to| to.byte(it.0)), |from| Some(FormatVersion(from.byte()?)), ("2 | 3", "formatVersion");
    u32: word(|it, to| to.word(*it)), |from| from.word(), ("number", "word");
    u64: double_word(|it, to| to.double_word(*it)), |from| from.double_word(), ("bigint", "bigWord");
    i64: double_word(|it, to| to.double_word(it.cast_unsigned())),
        |from| Some(from.double_word()?.cast_signed()), ("number | bigint", "integer");
    f64: double_word(|it, to| to.double_word(it.to_bits())),
        |from| Some(f64::from_bits(from.double_word()?)), ("number", "float");
    Natural: double_word(|it, to| to.double_word(it.0)), |from| Some(Natural(from.double_word()?)), ("number", "natural");
    String: bytes(|it, to| to.bytes(it.as_bytes())),
        |from| Some(std::str::from_utf8(from.bytes()?).ok()?.to_owned()), ("string", "text");
    Bytes: bytes(|it, to| to.bytes(&it.0)), |from| Some(Bytes(from.bytes()?.to_vec())),
        ("Uint8Array", "bytes");
    Floats: bytes(|it, to| to.block(it.0.iter().map(|float| float.to_le_bytes()))),
        |from| Some(Floats(from.block()?.iter().map(|bytes| f64::from_le_bytes(*bytes)).collect())),
        ("Float64Array", "floats");
    Words: bytes(|it, to| to.block(it.0.iter().map(|word| word.to_le_bytes()))),
        |from| Some(Words(from.block()?.iter().map(|bytes| u32::from_le_bytes(*bytes)).collect())),
        ("Uint32Array", "words");
    Held: word(|it, to| to.word(it.0)), |from| Some(Held(from.word()?)), ("unknown", "held");
    HeldBytes: word(|it, to| to.word(it.0)), |from| Some(HeldBytes(from.word()?)),
        ("Uint8Array", "held");
}

impl<T: Record> Record for Option<T> {
    fn write(&self, to: &mut Writer) {
        to.byte(u8::from(self.is_some()));
        if let Some(value) = self {
            value.write(to);
        }
    }

    fn read(from: &mut Reader<'_>) -> Option<Self> {
        if from.byte()? == 0 { Some(None) } else { T::read(from).map(Some) }
    }

    #[cfg(not(target_arch = "wasm32"))]
    fn shape(types: &mut Types) -> Shape {
        T::shape(types).optional()
    }
}

impl<T: Record> Record for Vec<T> {
    fn write(&self, to: &mut Writer) {
        to.len(self.len());
        for value in self {
            value.write(to);
        }
    }

    fn read(from: &mut Reader<'_>) -> Option<Self> {
        let len = from.word()?;
        let mut list = Self::new();
        for _ in 0..len {
            list.push(T::read(from)?);
        }
        Some(list)
    }

    #[cfg(not(target_arch = "wasm32"))]
    fn shape(types: &mut Types) -> Shape {
        T::shape(types).list()
    }
}

impl<T: Record> Record for Box<T> {
    fn write(&self, to: &mut Writer) {
        T::write(self, to);
    }

    fn read(from: &mut Reader<'_>) -> Option<Self> {
        T::read(from).map(Self::new)
    }

    #[cfg(not(target_arch = "wasm32"))]
    fn shape(types: &mut Types) -> Shape {
        T::shape(types)
    }
}

macro_rules! tuples {
    ($($($ty:ident $at:tt),+;)*) => {$(
        impl<$($ty: Record),+> Record for ($($ty,)+) {
            fn write(&self, to: &mut Writer) {
                $(self.$at.write(to);)+
            }

            fn read(from: &mut Reader<'_>) -> Option<Self> {
                Some(($($ty::read(from)?,)+))
            }

            #[cfg(not(target_arch = "wasm32"))]
            fn shape(types: &mut Types) -> Shape {
                Shape::tuple(&[$($ty::shape(types)),+])
            }
        }
    )*};
}

tuples! {
    A 0, B 1;
    A 0, B 1, C 2;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::records::{DimensionSelection, SliceSelection};

    /// `src/engine/ts/model/records.test.ts` has the same bytes.
    #[test]
    fn a_record_has_the_bytes_that_typescript_expects() {
        let slice = DimensionSelection::Slice(SliceSelection { start: Some(1), stop: None, step: Some(-2) });
        let mut bytes = vec![2, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 254];
        bytes.extend([255; 7]);
        assert_eq!(slice.to_bytes(), bytes);
        assert_eq!(DimensionSelection::from_bytes(&bytes), Some(slice));
        assert_eq!(DimensionSelection::All.to_bytes(), [0]);
        assert_eq!("é".to_owned().to_bytes(), [2, 0, 0, 0, 0xc3, 0xa9]);
    }

    #[test]
    fn blocks_of_numbers_are_as_they_lie_in_memory() {
        let mut bytes = vec![16, 0, 0, 0];
        bytes.extend([1.5_f64, -0.0].iter().flat_map(|float| float.to_le_bytes()));
        assert_eq!(Floats(vec![1.5, -0.0]).to_bytes(), bytes);
        assert_eq!(Floats::from_bytes(&bytes), Some(Floats(vec![1.5, 0.0])));
        assert_eq!(Words::from_bytes(&bytes), Some(Words(vec![0, 0x3ff8_0000, 0, 0x8000_0000])));
        assert_eq!(Floats::from_bytes(&[1, 0, 0, 0, 9]), None, "a byte is no float");
    }

    #[test]
    fn bytes_of_something_else_are_refused() {
        let list = DimensionSelection::List(vec![1, 2]).to_bytes();
        for len in 0..list.len() {
            assert_eq!(DimensionSelection::from_bytes(&list[..len]), None, "{len} bytes");
        }
        assert_eq!(DimensionSelection::from_bytes(&[&list[..], &[0]].concat()), None);
        assert_eq!(DimensionSelection::from_bytes(&[4]), None, "there is no fifth variant");
        assert_eq!(Vec::<u32>::from_bytes(&[255; 4]), None, "a length is no promise of memory");
    }
}
