//! `scale_offset`: `(x - offset) * scale` in the arithmetic of the array's data type.
//! <https://github.com/zarr-developers/zarr-extensions/tree/main/codecs/scale_offset>
//!
//! Integers neither wrap nor round: a result out of range and a division with a remainder are
//! errors. Floats round after each step. Floats of 8 bits and fewer are not supported.
//! This is not numcodecs' `fixedscaleoffset`.

use crate::error::{Error, Result};
use crate::format::codec::configuration::Configuration;
use crate::format::codec::{ArrayBytes, ArrayToArray, ChunkRepresentation, Codec, check_decoded_len};
use crate::format::data_type::{DataType, FillValue, Float, Integer};
use crate::format::metadata::json::Document;

struct ScaleOffset {
    arithmetic: Arithmetic,
    size: usize,
    byte_len: u64,
    representation: ChunkRepresentation,
}

/// Binds the codec. Its configuration: `offset` and `scale`, scalars of the array's data type.
///
/// # Errors
/// `Format` for scalars of another type and for a fill value that cannot be encoded, `Unsupported`
/// for other data types than integers and floats of 16 to 64 bits.
pub fn bind(configuration: &Configuration<'_>, decoded: &ChunkRepresentation) -> Result<Codec> {
    let arithmetic = Arithmetic::read(configuration, &decoded.data_type)?;
    let size = decoded.data_type.size().unwrap_or(1);
    let mut fill_value = decoded.fill_value.clone();
    arithmetic
        .encode(&mut fill_value.0, size)
        .map_err(|failure| Error::format(format!("the fill value {}", failure.message())))?;
    let byte_len = decoded.byte_len()?.unwrap_or(0);
    let representation = ChunkRepresentation { fill_value, ..decoded.clone() };
    Ok(Codec::array_to_array(ScaleOffset { arithmetic, size, byte_len, representation }))
}

/// Offset and scale in the data type of the elements.
#[derive(Clone, Copy, Debug)]
enum Arithmetic {
    Integer { integer: Integer, offset: i128, scale: i128 },
    Float { float: Float, offset: f64, scale: f64 },
}

/// Why a number cannot be encoded or decoded.
#[derive(Clone, Copy, Debug)]
enum ScaleFailure {
    OutOfRange,
    Remainder,
}

impl ScaleFailure {
    fn message(self) -> &'static str {
        match self {
            Self::OutOfRange => "leaves the range of its data type when it is scaled",
            Self::Remainder => "is not a multiple of the scale",
        }
    }
}

impl Arithmetic {
    fn read(configuration: &Configuration<'_>, data_type: &DataType) -> Result<Self> {
        let scalar = |field, default: &str| match configuration
            .read(field, |json| FillValue::parse_v3(data_type, json))?
        {
            Some(scalar) => Ok(scalar.0),
            None => {
                FillValue::parse_v3(data_type, Document::parse(default.as_bytes())?.root()).map(|it| it.0)
            }
        };
        let (offset, scale) = (scalar("offset", "0")?, scalar("scale", "1")?);
        match *data_type {
            DataType::Integer(integer) => {
                let (offset, scale) = (load_integer(integer, &offset), load_integer(integer, &scale));
                Ok(Self::Integer { integer, offset, scale })
            }
            DataType::Float(float @ (Float::Float16 | Float::Bfloat16 | Float::Float32 | Float::Float64)) => {
                let (offset, scale) = (load_float(float, &offset), load_float(float, &scale));
                Ok(Self::Float { float, offset, scale })
            }
            _ => Err(Error::unsupported(format!(
                "scale_offset does not support the data type {}",
                data_type.name()
            ))),
        }
    }
}

#[allow(clippy::arithmetic_side_effects, reason = "integers of at most 64 bits: sums and products fit 128")]
impl Arithmetic {
    fn encode(self, elements: &mut [u8], size: usize) -> std::result::Result<(), ScaleFailure> {
        for element in elements.chunks_exact_mut(size) {
            match self {
                Self::Integer { integer, offset, scale } => {
                    let difference = within(integer, load_integer(integer, element) - offset)?;
                    store(element, &within(integer, difference * scale)?.to_le_bytes());
                }
                Self::Float { float, offset, scale } => {
                    let difference = rounded(float, load_float(float, element) - offset);
                    store_float(float, element, difference * scale);
                }
            }
        }
        Ok(())
    }

    fn decode(self, elements: &mut [u8], size: usize) -> std::result::Result<(), ScaleFailure> {
        for element in elements.chunks_exact_mut(size) {
            match self {
                Self::Integer { integer, offset, scale } => {
                    let stored = load_integer(integer, element);
                    if stored.checked_rem(scale) != Some(0) {
                        return Err(ScaleFailure::Remainder);
                    }
                    let quotient = within(integer, stored / scale)?;
                    store(element, &within(integer, quotient + offset)?.to_le_bytes());
                }
                Self::Float { float, offset, scale } => {
                    let quotient = rounded(float, load_float(float, element) / scale);
                    store_float(float, element, quotient + offset);
                }
            }
        }
        Ok(())
    }
}

/// The value, if it is in the range of the data type.
#[allow(clippy::arithmetic_side_effects, reason = "an integer type has 2 to 64 bits")]
fn within(integer: Integer, value: i128) -> std::result::Result<i128, ScaleFailure> {
    let room = if integer.is_signed() { integer.bits() - 1 } else { integer.bits() };
    let (least, end) = (if integer.is_signed() { -(1_i128 << room) } else { 0 }, 1_i128 << room);
    if (least..end).contains(&value) { Ok(value) } else { Err(ScaleFailure::OutOfRange) }
}

fn load_integer(integer: Integer, element: &[u8]) -> i128 {
    let negative = integer.is_signed() && element.last().is_some_and(|&byte| byte >= 0x80);
    let mut wide = [if negative { 0xff } else { 0 }; 16];
    wide.iter_mut().zip(element).for_each(|(wide, byte)| *wide = *byte);
    i128::from_le_bytes(wide)
}

fn load_float(float: Float, element: &[u8]) -> f64 {
    let mut wide = [0; 8];
    wide.iter_mut().zip(element).for_each(|(wide, byte)| *wide = *byte);
    let [a, b, c, d, ..] = wide;
    match float {
        Float::Float16 => half::f16::from_le_bytes([a, b]).to_f64(),
        Float::Bfloat16 => half::bf16::from_le_bytes([a, b]).to_f64(),
        Float::Float32 => f32::from_le_bytes([a, b, c, d]).into(),
        _ => f64::from_le_bytes(wide),
    }
}

/// Rounds to the nearest number of the data type. A double has more than twice the digits of the
/// other types, so that rounding a sum, product or quotient twice gives the same result as rounding
/// it once.
#[allow(clippy::cast_possible_truncation)] // rounding is meant
fn rounded(float: Float, value: f64) -> f64 {
    match float {
        Float::Float16 => half::f16::from_f32(value as f32).to_f64(),
        Float::Bfloat16 => half::bf16::from_f32(value as f32).to_f64(),
        Float::Float32 => f64::from(value as f32),
        _ => value,
    }
}

#[allow(clippy::cast_possible_truncation)] // rounding is meant
fn store_float(float: Float, element: &mut [u8], value: f64) {
    match float {
        Float::Float16 => store(element, &half::f16::from_f32(value as f32).to_le_bytes()),
        Float::Bfloat16 => store(element, &half::bf16::from_f32(value as f32).to_le_bytes()),
        Float::Float32 => store(element, &(value as f32).to_le_bytes()),
        _ => store(element, &value.to_le_bytes()),
    }
}

fn store(element: &mut [u8], bytes: &[u8]) {
    element.iter_mut().zip(bytes).for_each(|(byte, stored)| *byte = *stored);
}

impl ScaleOffset {
    fn checked(&self, elements: ArrayBytes) -> Result<Vec<u8>> {
        let bytes = elements.into_fixed()?;
        check_decoded_len(&bytes, self.byte_len)?;
        Ok(bytes)
    }
}

impl ArrayToArray for ScaleOffset {
    fn encoded(&self) -> &ChunkRepresentation {
        &self.representation
    }

    fn decode(&self, encoded: ArrayBytes) -> Result<ArrayBytes> {
        let mut bytes = self.checked(encoded)?;
        let decoded = self.arithmetic.decode(&mut bytes, self.size);
        decoded.map_err(|failure| Error::format(format!("a stored number {}", failure.message())))?;
        Ok(ArrayBytes::Fixed(bytes))
    }

    fn encode(&self, decoded: ArrayBytes) -> Result<ArrayBytes> {
        let mut bytes = self.checked(decoded)?;
        let encoded = self.arithmetic.encode(&mut bytes, self.size);
        encoded.map_err(|failure| Error::argument(format!("a number {}", failure.message())))?;
        Ok(ArrayBytes::Fixed(bytes))
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::rc::Rc;

    use super::*;
    use crate::error::ErrorKind;
    use crate::format::codec::registry;
    use crate::format::metadata::{CodecMetadata, ZarrFormat};

    const INT8: DataType = DataType::Integer(Integer::Int8);
    const UINT8: DataType = DataType::Integer(Integer::Uint8);

    fn bind(data_type: DataType, offset: &str, scale: &str, fill: Vec<u8>) -> Result<Rc<dyn ArrayToArray>> {
        let codec = CodecMetadata {
            name: "scale_offset".into(),
            configuration: Some(format!("{{\"offset\":{offset},\"scale\":{scale}}}")),
            format: ZarrFormat::V3,
            field: "codecs[0]".into(),
        };
        let fill_value = FillValue(fill);
        match registry::bind(&codec, &ChunkRepresentation { shape: vec![1], data_type, fill_value })? {
            Codec::ArrayToArray(codec) => Ok(codec),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn integers_are_exact_or_errors() {
        let one =
            |codec: &dyn ArrayToArray, byte: u8| codec.encode(ArrayBytes::Fixed(vec![byte]))?.into_fixed();
        let back =
            |codec: &dyn ArrayToArray, byte: u8| codec.decode(ArrayBytes::Fixed(vec![byte]))?.into_fixed();
        let codec = bind(UINT8, "10", "3", vec![10]).unwrap();
        assert_eq!(codec.encoded().fill_value.0, [0]);
        assert_eq!([one(&*codec, 20).unwrap(), one(&*codec, 95).unwrap()], [[30], [255]]);
        assert_eq!([back(&*codec, 30).unwrap(), back(&*codec, 255).unwrap()], [[20], [95]]);
        // Below zero on the way, above the end, not divisible.
        for byte in [9, 96] {
            assert_eq!(one(&*codec, byte).unwrap_err().kind(), ErrorKind::Argument, "{byte}");
        }
        assert_eq!(back(&*codec, 31).unwrap_err().kind(), ErrorKind::Format);
        let codec = bind(INT8, "0", "-1", vec![0]).unwrap();
        assert_eq!(one(&*codec, 128).unwrap_err().kind(), ErrorKind::Argument);
        assert_eq!(one(&*codec, 127).unwrap(), [129]);
        assert!(back(&*bind(INT8, "0", "0", vec![0]).unwrap(), 0).is_err());
        assert_eq!(bind(UINT8, "1", "1", vec![0]).err().unwrap().kind(), ErrorKind::Format);
    }

    #[test]
    fn scalars_are_of_the_arrays_type() {
        for (offset, scale, field) in
            [("300", "1", "offset"), ("1.5", "1", "offset"), ("0", "\"x\"", "scale")]
        {
            let error = bind(UINT8, offset, scale, vec![0]).err().unwrap();
            assert_eq!(error.kind(), ErrorKind::Format);
            assert!(error.context().field.as_deref().unwrap().ends_with(field), "{error}");
        }
        assert_eq!(
            bind(DataType::Bool, "true", "true", vec![0]).err().unwrap().kind(),
            ErrorKind::Unsupported
        );
    }
}
