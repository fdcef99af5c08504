//! The three types in which numbers are reduced: every number fits one of them exactly.

use crate::cast::cast;
use crate::number::NumberType;

/// Appends packed little-endian elements of a type in Rust.
macro_rules! extend {
    ($values:expr, $bytes:expr, $source:ty) => {{
        let elements = $bytes.as_chunks::<{ size_of::<$source>() }>().0;
        $values.extend(elements.iter().map(|bytes| Self::from(<$source>::from_le_bytes(*bytes))))
    }};
}

/// A number of the widest type of its kind.
pub trait Value: Copy + Default + PartialEq + PartialOrd {
    /// Zero.
    const ZERO: Self;

    /// The type.
    const TYPE: NumberType;

    /// Appends packed little-endian elements of a type whose numbers this type has all.
    fn extend(values: &mut Vec<Self>, bytes: &[u8], source: NumberType);

    /// The number as a double, rounded to the nearest.
    fn to_float(self) -> f64;

    /// An integer, exactly; a float is cut.
    fn to_integer(self) -> i128;

    /// Whether it stands for a missing number.
    fn is_missing(self) -> bool;

    /// The bits.
    fn to_bits(self) -> u64;

    /// The number of these bits.
    fn from_bits(bits: u64) -> Self;
}

/// An integer type: none of its numbers is missing.
macro_rules! integer_value {
    ($integer:ty, $number:expr, [$($name:ident $source:ty),*], $to_bits:expr, $from_bits:expr) => {
        impl Value for $integer {
            const ZERO: Self = 0;
            const TYPE: NumberType = $number;

            fn extend(values: &mut Vec<Self>, bytes: &[u8], source: NumberType) {
                match source {
                    $(NumberType::$name => extend!(values, bytes, $source),)*
                    // No other type than booleans is left.
                    _ => values.extend(bytes.iter().map(|byte| Self::from(*byte != 0))),
                }
            }

            #[allow(clippy::cast_precision_loss, reason = "the nearest double")]
            fn to_float(self) -> f64 {
                self as f64
            }

            fn to_integer(self) -> i128 {
                i128::from(self)
            }

            fn is_missing(self) -> bool {
                false
            }

            fn to_bits(self) -> u64 {
                $to_bits(self)
            }

            fn from_bits(bits: u64) -> Self {
                $from_bits(bits)
            }
        }
    };
}

integer_value!(
    i64,
    NumberType::I64,
    [I8 i8, I16 i16, I32 i32, I64 i64],
    Self::cast_unsigned,
    u64::cast_signed
);
integer_value!(u64, NumberType::U64, [U8 u8, U16 u16, U32 u32, U64 u64], Self::from, Self::from);

impl Value for f64 {
    const ZERO: Self = 0.0;
    const TYPE: NumberType = NumberType::F64;

    fn extend(values: &mut Vec<Self>, bytes: &[u8], source: NumberType) {
        match source {
            NumberType::F64 => extend!(values, bytes, f64),
            NumberType::F32 => extend!(values, bytes, f32),
            _ => {
                let mut wide = vec![0; bytes.len() / source.size() * size_of::<f64>()];
                cast(bytes, source, &mut wide, NumberType::F64);
                extend!(values, wide, f64);
            }
        }
    }

    fn to_float(self) -> f64 {
        self
    }

    #[allow(clippy::cast_possible_truncation, reason = "floats are not summed as integers")]
    fn to_integer(self) -> i128 {
        self as i128
    }

    fn is_missing(self) -> bool {
        self.is_nan()
    }

    fn to_bits(self) -> u64 {
        Self::to_bits(self)
    }

    fn from_bits(bits: u64) -> Self {
        Self::from_bits(bits)
    }
}
