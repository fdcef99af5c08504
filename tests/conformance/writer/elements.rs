//! Elements of every data type, the same for every run.

use zarr_wasm::format::data_type::{DataType, Float};

/// splitmix64: the numbers of a seed.
pub struct Numbers(pub u64);

impl Numbers {
    pub fn next(&mut self, below: u64) -> u64 {
        self.bits() % below.max(1)
    }

    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn bytes(&mut self, len: usize) -> Vec<u8> {
        (0..len).map(|_| self.bits().to_le_bytes()[0]).collect()
    }
}

/// One element, packed little-endian. A third are small values, so that compressors have something to do.
pub fn element(data_type: &DataType, numbers: &mut Numbers) -> Vec<u8> {
    match data_type {
        DataType::Bool => vec![numbers.bytes(1)[0] & 1],
        DataType::Integer(integer) if integer.bits() < 8 => {
            narrow(integer.bits(), integer.is_signed(), numbers)
        }
        DataType::Float(float) if float.bits() < 8 => vec![numbers.bytes(1)[0] & ((1 << float.bits()) - 1)],
        DataType::Float(float) | DataType::Complex(float) if float.size() < 8 || numbers.next(2) == 0 => {
            let parts = data_type.size().unwrap_or(0) / float.size();
            (0..parts).flat_map(|_| simple(*float, numbers)).collect()
        }
        DataType::NullTerminatedBytes(len) => {
            padded(*len, numbers, |numbers| vec![97 + numbers.bytes(1)[0] % 26])
        }
        DataType::Utf32(len) => padded(*len * 4, numbers, |numbers| {
            let code = [0x61, 0xe9, 0x4e2d, 0x1f600][usize::from(numbers.bytes(1)[0] % 4)];
            u32::to_le_bytes(code).to_vec()
        }),
        DataType::Struct(structure) => {
            let fields = structure.fields().iter();
            fields
                .flat_map(|field| {
                    let count = field.shape.iter().product::<u64>();
                    (0..count).flat_map(|_| element(&field.data_type, numbers)).collect::<Vec<u8>>()
                })
                .collect()
        }
        DataType::Optional(inner) => match numbers.next(3) {
            0 => vec![0; 1 + inner.size().unwrap_or(0)],
            _ => [vec![1], element(inner, numbers)].concat(),
        },
        DataType::String => {
            let words = ["", "a", "zarr", "größe", "数组", "🦀"];
            words[usize::from(numbers.bytes(1)[0]) % words.len()]
                .repeat(1 + usize::from(numbers.bytes(1)[0] % 3))
                .into_bytes()
        }
        DataType::Bytes => {
            let len = usize::from(numbers.bytes(1)[0] % 9);
            numbers.bytes(len)
        }
        _ => {
            let mut bytes = numbers.bytes(data_type.size().unwrap_or(0));
            if numbers.next(3) == 0 {
                bytes.iter_mut().skip(1).for_each(|byte| *byte = 0);
            }
            bytes
        }
    }
}

/// Types of few bits take a byte each; the upper bits are the sign.
fn narrow(bits: u32, signed: bool, numbers: &mut Numbers) -> Vec<u8> {
    let value = numbers.bytes(1)[0] & ((1 << bits) - 1);
    let negative = signed && value >> (bits - 1) == 1;
    vec![if negative { value | (0xff << bits) } else { value }]
}

/// Bits that are no NaN: libraries may change those on their way.
fn simple(float: Float, numbers: &mut Numbers) -> Vec<u8> {
    let mut bytes = numbers.bytes(float.size());
    while float.to_f64(little(&bytes)).is_nan() {
        bytes = numbers.bytes(float.size());
    }
    bytes
}

fn little(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |bits, byte| bits << 8 | u64::from(*byte))
}

/// Some characters, and zeros after them.
fn padded(len: usize, numbers: &mut Numbers, character: impl Fn(&mut Numbers) -> Vec<u8>) -> Vec<u8> {
    let mut bytes = Vec::new();
    let count = numbers.next(len as u64 + 1);
    while bytes.len() < usize::try_from(count).unwrap_or(0) && bytes.len() < len {
        bytes.extend(character(numbers));
    }
    bytes.resize(len, 0);
    bytes
}
