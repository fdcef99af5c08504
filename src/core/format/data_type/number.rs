//! The table of integers and floats: name, bits, sign, exponent, bias, special values. Types of
//! fewer than eight bits have one byte each in memory.
//!
//! The layouts of narrow floats: <https://github.com/jax-ml/ml_dtypes#specifications>.
//! `float8_e4m3fn` is not registered, but TensorStore writes it.

use super::DataType;
use crate::kernel::number::{Number, NumberType};

/// The bits of a float: the sign (not in E8M0), then the exponent, then the fraction.
#[derive(Clone, Copy, Debug)]
pub(super) struct Layout {
    pub(super) exponent_bits: u32,
    pub(super) fraction_bits: u32,
    pub(super) bias: i32,
    pub(super) specials: Specials,
}

/// Which bit patterns are not numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Specials {
    /// As in IEEE 754: the highest exponent means infinity or NaN.
    Ieee,
    /// All ones but the sign are NaN. There is no infinity.
    OnesAreNan,
    /// The pattern of negative zero is NaN. There is no infinity.
    NegativeZeroIsNan,
    /// Every bit pattern is a number.
    None,
    /// There is no sign, no fraction and no zero. All ones are NaN.
    Scale,
}

macro_rules! integers {
    ($($integer:ident $name:literal $bits:literal $signed:literal;)*) => {
        /// An integer type.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[allow(missing_docs, reason = "the names say it")]
        pub enum Integer {
            $($integer),*
        }

        impl Integer {
            /// All integer types.
            pub const ALL: [Self; [$($name),*].len()] = [$(Self::$integer),*];

            /// The name in v3 metadata.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$integer => $name),*
                }
            }

            /// The number of significant bits. Narrow signed integers repeat their sign in the
            /// upper bits of the byte.
            pub fn bits(self) -> u32 {
                match self {
                    $(Self::$integer => $bits),*
                }
            }

            /// Whether the type has negative numbers.
            pub fn is_signed(self) -> bool {
                match self {
                    $(Self::$integer => $signed),*
                }
            }
        }
    };
}

macro_rules! floats {
    ($($float:ident $name:literal $exponent_bits:literal $fraction_bits:literal $bias:literal $specials:ident;)*) => {
        /// A floating-point type.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[allow(missing_docs, reason = "the names say it")]
        pub enum Float {
            $($float),*
        }

        impl Float {
            /// All floating-point types.
            pub const ALL: [Self; [$($name),*].len()] = [$(Self::$float),*];

            /// The name in v3 metadata.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$float => $name),*
                }
            }

            pub(super) fn layout(self) -> Layout {
                let (exponent_bits, fraction_bits, bias, specials) = match self {
                    $(Self::$float => ($exponent_bits, $fraction_bits, $bias, Specials::$specials)),*
                };
                Layout { exponent_bits, fraction_bits, bias, specials }
            }
        }
    };
}

integers! {
    // type name bits signed
    Int8 "int8" 8 true;
    Int16 "int16" 16 true;
    Int32 "int32" 32 true;
    Int64 "int64" 64 true;
    Uint8 "uint8" 8 false;
    Uint16 "uint16" 16 false;
    Uint32 "uint32" 32 false;
    Uint64 "uint64" 64 false;
    Int2 "int2" 2 true;
    Int4 "int4" 4 true;
    Uint2 "uint2" 2 false;
    Uint4 "uint4" 4 false;
}

floats! {
    // type name exponent fraction bias specials
    Float16 "float16" 5 10 15 Ieee;
    Float32 "float32" 8 23 127 Ieee;
    Float64 "float64" 11 52 1023 Ieee;
    Bfloat16 "bfloat16" 8 7 127 Ieee;
    Float8E3M4 "float8_e3m4" 3 4 3 Ieee;
    Float8E4M3 "float8_e4m3" 4 3 7 Ieee;
    Float8E4M3B11Fnuz "float8_e4m3b11fnuz" 4 3 11 NegativeZeroIsNan;
    Float8E4M3Fn "float8_e4m3fn" 4 3 7 OnesAreNan;
    Float8E4M3Fnuz "float8_e4m3fnuz" 4 3 8 NegativeZeroIsNan;
    Float8E5M2 "float8_e5m2" 5 2 15 Ieee;
    Float8E5M2Fnuz "float8_e5m2fnuz" 5 2 16 NegativeZeroIsNan;
    Float8E8M0Fnu "float8_e8m0fnu" 8 0 127 Scale;
    Float6E2M3Fn "float6_e2m3fn" 2 3 1 None;
    Float6E3M2Fn "float6_e3m2fn" 3 2 3 None;
    Float4E2M1Fn "float4_e2m1fn" 2 1 1 None;
}

impl Integer {
    /// The integer type with this name in v3 metadata.
    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|integer| integer.name() == name)
    }

    /// The size of one element in bytes.
    pub fn size(self) -> usize {
        self.bits().div_ceil(8) as usize
    }

    /// Whether NumPy has the type.
    pub fn is_in_numpy(self) -> bool {
        self.bits() >= 8
    }
}

impl Float {
    /// The floating-point type with this name in v3 metadata.
    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|float| float.name() == name)
    }

    /// The size of one element in bytes.
    pub fn size(self) -> usize {
        self.bits().div_ceil(8) as usize
    }

    /// The number of significant bits. Narrow types do not use the upper bits of their byte.
    #[allow(clippy::arithmetic_side_effects, reason = "a type has at most 64 bits")]
    pub fn bits(self) -> u32 {
        let Layout { exponent_bits, fraction_bits, specials, .. } = self.layout();
        exponent_bits + fraction_bits + u32::from(specials != Specials::Scale)
    }

    /// Whether NumPy has the type: IEEE 754's types of 16 to 64 bits.
    pub fn is_in_numpy(self) -> bool {
        matches!(self, Self::Float16 | Self::Float32 | Self::Float64)
    }
}

impl DataType {
    /// How the kernels see the bits of a number. `None` for other elements, and for floats of eight
    /// bits and fewer, whose special values are not those of IEEE 754.
    pub fn layout(&self) -> Option<Number> {
        match self {
            Self::Integer(integer) => {
                Some(Number::Integer { bits: integer.bits(), signed: integer.is_signed() })
            }
            Self::Float(float) if float.bits() >= 16 => {
                let Layout { exponent_bits, fraction_bits, .. } = float.layout();
                Some(Number::Float { exponent_bits, fraction_bits })
            }
            _ => None,
        }
    }

    /// The kernels' type of these numbers. `None` where there is none.
    pub fn number_type(&self) -> Option<NumberType> {
        match self {
            Self::Bool => Some(NumberType::Bool),
            _ => NumberType::of_layout(self.layout()?),
        }
    }
}
