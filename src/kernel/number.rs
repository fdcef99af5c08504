//! The types of numbers, and how the bits of a number are laid out. It computes nothing.

/// The layout of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Number {
    /// Two's complement, sign-extended to whole bytes.
    Integer {
        /// 1 to 64.
        bits: u32,
        /// Whether it has negative numbers.
        signed: bool,
    },
    /// Sign, exponent, fraction.
    Float {
        /// The bits of the exponent.
        exponent_bits: u32,
        /// The bits of the fraction.
        fraction_bits: u32,
    },
}

impl Number {
    /// The significant bits.
    pub const fn bits(self) -> u32 {
        match self {
            Self::Integer { bits, .. } => bits,
            Self::Float { exponent_bits, fraction_bits } => 1 + exponent_bits + fraction_bits,
        }
    }

    /// The bytes of one number.
    pub const fn size(self) -> usize {
        self.bits().div_ceil(8) as usize
    }

    /// Whether it is an integer type.
    pub const fn is_integer(self) -> bool {
        matches!(self, Self::Integer { .. })
    }

    /// The bits of the number at the beginning of `bytes`.
    pub fn load(self, bytes: &[u8]) -> u64 {
        let mut wide = [0; 8];
        wide.iter_mut().zip(bytes.iter().take(self.size())).for_each(|(wide, byte)| *wide = *byte);
        u64::from_le_bytes(wide)
    }
}

/// The table of types: name, layout.
macro_rules! number_types {
    ($($(#[$doc:meta])* $number:ident $name:literal $kind:ident { $($member:ident: $value:literal),* };)*) => {
        /// The types of numbers that most kernels take.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum NumberType {
            $($(#[$doc])* $number),*
        }

        impl NumberType {
            /// All types, in the order of their numbers in requests.
            pub const ALL: [Self; [$($name),*].len()] = [$(Self::$number),*];

            /// The name in Zarr v3.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$number => $name),*
                }
            }

            /// The layout. A bool has one bit.
            pub const fn layout(self) -> Number {
                match self {
                    $(Self::$number => Number::$kind { $($member: $value),* }),*
                }
            }
        }
    };
}

number_types! {
    /// One byte, 0 or 1.
    Bool "bool" Integer { bits: 1, signed: false };
    /// 8-bit signed integer.
    I8 "int8" Integer { bits: 8, signed: true };
    /// 16-bit signed integer.
    I16 "int16" Integer { bits: 16, signed: true };
    /// 32-bit signed integer.
    I32 "int32" Integer { bits: 32, signed: true };
    /// 64-bit signed integer.
    I64 "int64" Integer { bits: 64, signed: true };
    /// 8-bit unsigned integer.
    U8 "uint8" Integer { bits: 8, signed: false };
    /// 16-bit unsigned integer.
    U16 "uint16" Integer { bits: 16, signed: false };
    /// 32-bit unsigned integer.
    U32 "uint32" Integer { bits: 32, signed: false };
    /// 64-bit unsigned integer.
    U64 "uint64" Integer { bits: 64, signed: false };
    /// IEEE 754 half precision.
    F16 "float16" Float { exponent_bits: 5, fraction_bits: 10 };
    /// IEEE 754 single precision.
    F32 "float32" Float { exponent_bits: 8, fraction_bits: 23 };
    /// IEEE 754 double precision.
    F64 "float64" Float { exponent_bits: 11, fraction_bits: 52 };
}

impl NumberType {
    /// The type of this layout. `None` for narrow integers and for `bfloat16`.
    pub fn of_layout(layout: Number) -> Option<Self> {
        Self::ALL.into_iter().find(|number| number.layout() == layout && *number != Self::Bool)
    }

    /// The bytes of one number.
    pub const fn size(self) -> usize {
        self.layout().size()
    }

    /// Whether it is a float type.
    pub const fn is_float(self) -> bool {
        !self.layout().is_integer()
    }

    /// Whether it is an integer type; bool is not.
    pub fn is_integer(self) -> bool {
        !self.is_float() && self != Self::Bool
    }

    /// Whether the type has negative numbers.
    pub const fn is_signed(self) -> bool {
        !matches!(self.layout(), Number::Integer { signed: false, .. })
    }
}

/// `2^exponent`, for exponents from -1074 to 1023. `exp2` would bring a table of 4 kB.
pub const fn power_of_two(exponent: i32) -> f64 {
    let bits = if exponent < -1022 { 1 << (exponent + 1074) } else { ((exponent + 1023) as u64) << 52 };
    f64::from_bits(bits)
}
