//! `zfp`: compresses blocks of 4 to 256 numbers to a given rate, precision or accuracy, or without
//! loss.
//! <https://github.com/zarr-developers/zarr-extensions/tree/main/codecs/zfp>
//!
//! The stream has no header: shape, type and mode come from the metadata. numcodecs' `zfpy` is the
//! same with a header. Integers of 8 and 16 bits are stored as the upper bits of 32, as zfp's own
//! utilities do. Unsigned integers of 32 and 64 bits are stored as signed ones, which leaves half
//! of their range.

use zfp_rs::{
    ZfpAllocError, ZfpBitStream, ZfpConfig, ZfpDimensionality, ZfpField, ZfpFieldMetadata, ZfpFieldMut,
    ZfpHeaderMask, ZfpScalar, ZfpScalarType, ZfpStreamAlignment,
};

use crate::error::{Error, Result};
use crate::format::codec::build::require_encoders;
use crate::format::codec::configuration::{Configuration, wrong_value};
use crate::format::codec::{
    ArrayBytes, ArrayToBytes, ChunkRepresentation, Codec, check_decoded_len, not_of_this_type,
};
use crate::format::json::Json;
use crate::format::tolerated::Form;
use crate::kernel::number::NumberType;
use crate::limits;

/// The bytes of a word, which the decoder reads at once.
const WORD: usize = 8;

/// How much of each number the encoder keeps.
#[derive(Clone, Copy, Debug)]
pub(super) enum Mode {
    Reversible,
    Expert { min_bits: u32, max_bits: u32, max_prec: u32, min_exp: i32 },
    Accuracy(f64),
    Rate(f64),
    Precision(u32),
}

/// Binds `zfp`. Its configuration: `mode` and its parameters.
///
/// # Errors
/// `Format` for an unknown mode, for a missing or wrong parameter of the mode, and for arrays of
/// more than four dimensions, `Unsupported` for data types other than numbers of 8 to 64 bits.
pub fn bind(configuration: &Configuration<'_>, decoded: &ChunkRepresentation) -> Result<Codec> {
    let modes =
        [("reversible", 0), ("expert", 1), ("fixed_accuracy", 2), ("fixed_rate", 3), ("fixed_precision", 4)];
    let mode = match configuration.required("mode", configuration.choice("mode", &modes)?)? {
        1 => Mode::Expert {
            min_bits: unsigned(configuration, "minbits")?,
            max_bits: unsigned(configuration, "maxbits")?,
            max_prec: unsigned(configuration, "maxprec")?,
            min_exp: exponent(configuration)?,
        },
        2 => Mode::Accuracy(number(configuration, "tolerance")?),
        3 => Mode::Rate(number(configuration, "rate")?),
        4 => Mode::Precision(unsigned(configuration, "precision")?),
        _ => Mode::Reversible,
    };
    zfp(mode, false, decoded)
}

fn unsigned(configuration: &Configuration<'_>, field: &str) -> Result<u32> {
    let value = configuration.integer(field, 0..=i64::from(u32::MAX))?;
    configuration.required(field, value.and_then(|value| u32::try_from(value).ok()))
}

fn exponent(configuration: &Configuration<'_>) -> Result<i32> {
    let value = configuration.integer("minexp", i64::from(i32::MIN)..=i64::from(i32::MAX))?;
    configuration.required("minexp", value.and_then(|value| i32::try_from(value).ok()))
}

fn number(configuration: &Configuration<'_>, field: &str) -> Result<f64> {
    configuration.required(field, configuration.read(field, finite)?)
}

/// Reads a finite number.
pub(super) fn finite(json: Json<'_>) -> Result<f64> {
    let value: Option<f64> = json.f64().ok();
    value.filter(|value| value.is_finite()).ok_or_else(|| json.unexpected("a number"))
}

/// zfp's type for these numbers. `None` for numbers that it cannot store.
fn scalar_of(number: NumberType) -> Option<ZfpScalarType> {
    match number {
        NumberType::Bool | NumberType::F16 => None,
        NumberType::F32 => Some(ZfpScalarType::F32),
        NumberType::F64 => Some(ZfpScalarType::F64),
        NumberType::I64 | NumberType::U64 => Some(ZfpScalarType::I64),
        _ => Some(ZfpScalarType::I32),
    }
}

/// A codec of zfp's streams.
///
/// # Errors
/// As [`bind`]. With a header, only encoding needs a mode that fits.
pub(super) fn zfp(mode: Mode, has_header: bool, decoded: &ChunkRepresentation) -> Result<Codec> {
    // zfpy stores numbers without a change, and so supports only zfp's four types.
    let is_own = |number: &NumberType| {
        matches!(number, NumberType::I32 | NumberType::I64 | NumberType::F32 | NumberType::F64)
    };
    let number = decoded.data_type.number_type().filter(|number| !has_header || is_own(number));
    let (number, scalar) = number
        .and_then(|number| Some((number, scalar_of(number)?)))
        .ok_or_else(|| not_of_this_type("zfp", &decoded.data_type))?;
    let dimensionality = match decoded.shape.len() {
        0 | 1 => ZfpDimensionality::D1,
        2 => ZfpDimensionality::D2,
        3 => ZfpDimensionality::D3,
        4 => ZfpDimensionality::D4,
        rank => {
            let error = Error::format("zfp encodes arrays of one to four dimensions");
            return Err(error.actual(rank.to_string()));
        }
    };
    // zfp counts dimensions from the fastest one.
    let mut dims = [1, 0, 0, 0];
    for (dim, &size) in dims.iter_mut().zip(decoded.shape.iter().rev()) {
        *dim = limits::to_usize(size, "chunk")?;
    }
    let config = mode.config(scalar, dimensionality);
    let config = if has_header { config } else { Ok(config?) };
    let byte_len = decoded.byte_len()?.unwrap_or(0);
    Ok(Codec::array_to_bytes(Zfp { number, scalar, dims, config, byte_len, has_header }))
}

impl Mode {
    fn config(self, scalar: ZfpScalarType, dimensionality: ZfpDimensionality) -> Result<ZfpConfig> {
        Ok(match self {
            Self::Reversible => ZfpConfig::reversible(),
            Self::Accuracy(tolerance) => ZfpConfig::fixed_accuracy(tolerance),
            Self::Precision(precision) => ZfpConfig::fixed_precision(precision),
            Self::Rate(rate) => {
                ZfpConfig::fixed_rate(rate, scalar, dimensionality, ZfpStreamAlignment::Unaligned)
                    .map_err(|error| wrong_value("rate", "a rate that zfp supports", error))?
            }
            Self::Expert { min_bits, max_bits, max_prec, min_exp } => {
                ZfpConfig::expert(min_bits, max_bits, max_prec, min_exp)
                    .map_err(|error| wrong_value("maxbits", "parameters that zfp supports", error))?
            }
        })
    }
}

struct Zfp {
    number: NumberType,
    scalar: ZfpScalarType,
    dims: [usize; 4],
    config: Result<ZfpConfig>,
    byte_len: u64,
    has_header: bool,
}

impl ArrayToBytes for Zfp {
    fn decode(&self, encoded: &[u8]) -> Result<ArrayBytes> {
        let decoded = match self.number {
            NumberType::I32 => self.decompress(encoded, i32::to_le_bytes),
            NumberType::I64 => self.decompress(encoded, i64::to_le_bytes),
            NumberType::F32 => self.decompress(encoded, f32::to_le_bytes),
            NumberType::F64 => self.decompress(encoded, f64::to_le_bytes),
            NumberType::U32 => self.decompress(encoded, |number: i32| number.max(0).to_le_bytes()),
            NumberType::U64 => self.decompress(encoded, |number: i64| number.max(0).to_le_bytes()),
            _ => self.decompress(encoded, |number| self.narrowed(number)),
        };
        decoded.map(ArrayBytes::Fixed)
    }

    fn encode(&self, decoded: &ArrayBytes) -> Result<Vec<u8>> {
        require_encoders()?;
        let bytes = decoded.fixed()?;
        check_decoded_len(bytes, self.byte_len)?;
        match self.number {
            NumberType::I32 => self.compress(bytes, |number| Some(i32::from_le_bytes(number))),
            NumberType::I64 => self.compress(bytes, |number| Some(i64::from_le_bytes(number))),
            NumberType::F32 => self.compress(bytes, |number| Some(f32::from_le_bytes(number))),
            NumberType::F64 => self.compress(bytes, |number| Some(f64::from_le_bytes(number))),
            NumberType::U32 => self.compress(bytes, |number| i32::try_from(u32::from_le_bytes(number)).ok()),
            NumberType::U64 => self.compress(bytes, |number| i64::try_from(u64::from_le_bytes(number)).ok()),
            _ if self.number.size() == 1 => {
                self.compress(bytes, |number: [u8; 1]| Some(self.widened(&number)))
            }
            _ => self.compress(bytes, |number: [u8; 2]| Some(self.widened(&number))),
        }
    }
}

/// Numbers of 8 or 16 bits are the upper bits of 31.
#[allow(
    clippy::arithmetic_side_effects,
    clippy::cast_possible_truncation,
    reason = "numbers of 8 or 16 bits, in 32"
)]
impl Zfp {
    fn narrow_bits(&self) -> u32 {
        self.number.layout().bits()
    }

    fn narrowed(&self, number: i32) -> [u8; 4] {
        let half = 1_i32 << (self.narrow_bits() - 1);
        let narrow = (number >> (31 - self.narrow_bits())).clamp(-half, half - 1);
        if self.number.is_signed() { narrow } else { narrow + half }.to_le_bytes()
    }

    fn widened(&self, bytes: &[u8]) -> i32 {
        let (unused, pattern) = (u32::BITS - self.narrow_bits(), self.number.layout().load(bytes) as u32);
        // The sign of an unsigned number is that of its distance from the middle of its range.
        let middle = if self.number.is_signed() { 0 } else { 1 << 31 };
        (pattern << unused ^ middle).cast_signed() >> 1
    }
}

impl Zfp {
    fn decompress<T: ZfpScalar + Default, const N: usize>(
        &self,
        encoded: &[u8],
        bytes_of: impl Fn(T) -> [u8; N],
    ) -> Result<Vec<u8>> {
        let (size, len) = (self.number.size(), limits::within(self.byte_len, limits::CHUNK_BYTES, "chunk")?);
        let count = len.checked_div(size).unwrap_or(0);
        let mut numbers: Vec<T> = Vec::new();
        limits::reserve(&mut numbers, count, "chunk")?;
        numbers.resize(count, T::default());
        if count > 0 {
            self.decompress_into(encoded, &mut numbers)?;
        }
        let mut bytes = Vec::new();
        limits::reserve(&mut bytes, len, "chunk")?;
        numbers.into_iter().for_each(|number| bytes.extend(bytes_of(number).iter().take(size)));
        Ok(bytes)
    }

    fn decompress_into<T: ZfpScalar>(&self, encoded: &[u8], numbers: &mut [T]) -> Result<()> {
        let len = encoded.len();
        // A stream fills up its last word, of eight bytes or fewer: zfp may be built with narrower
        // words. So the numbers must not end before the last word.
        let word = 1_usize << len.trailing_zeros().min(WORD.trailing_zeros());
        let shorter = encoded.get(..len.saturating_sub(word)).filter(|_| word < WORD);
        let too_long =
            || Error::format("the zfp stream has bytes after its last number").actual(format!("{len} bytes"));
        if shorter.is_some_and(|shorter| self.read_numbers(shorter, numbers).is_ok()) {
            return Err(too_long());
        }
        let end = self.read_numbers(encoded, numbers)?;
        if end == len.next_multiple_of(WORD) { Ok(()) } else { Err(too_long()) }
    }

    /// Reads the numbers, and returns the end of the last word that was read, of those that
    /// [`stream_of`] makes.
    fn read_numbers<T: ZfpScalar>(&self, encoded: &[u8], numbers: &mut [T]) -> Result<usize> {
        let mut stream = stream_of(encoded)?;
        let (config, dims) =
            if self.has_header { self.read_header(&mut stream)? } else { (self.config.clone()?, self.dims) };
        let mut field = ZfpFieldMut::new(numbers, dims).map_err(|error| damaged(&error))?;
        let end = stream.decompress(&config, &mut field).map_err(|error| damaged(&error))?;
        if end > stream.capacity() {
            return Err(Error::format("the zfp stream is truncated")
                .expected(format!("{end} bytes"))
                .actual(format!("{} bytes", encoded.len())));
        }
        Ok(end)
    }

    /// Reads the header, which must describe the chunk, the chunk in order C, or its elements as
    /// one dimension. The header tells how the stream is compressed.
    fn read_header(&self, stream: &mut ZfpBitStream) -> Result<(ZfpConfig, [usize; 4])> {
        let header = stream.read_header(ZfpHeaderMask::FULL).map_err(|error| damaged(&error))?;
        let count = self.dims.iter().filter(|size| **size > 0).product();
        let flat = ZfpFieldMetadata { dims: [count, 0, 0, 0], ..self.metadata() };
        let dims = match header.metadata {
            Some(metadata) if metadata == self.metadata() => self.dims,
            Some(metadata) if Some(metadata) == self.in_order_c() => metadata.dims,
            Some(metadata) if metadata == flat => {
                Form::ZfpyFlat.note();
                flat.dims
            }
            other => {
                return Err(Error::format("the zfp header describes another chunk")
                    .expected(format!("{:?}", self.metadata()))
                    .actual(format!("{other:?}")));
            }
        };
        let config = header.config.ok_or_else(|| Error::format("the zfp header has no mode"))?;
        Ok((config, dims))
    }

    /// The header of a chunk of order F whose elements lie in order C as well, because at most one
    /// dimension is longer than 1. numcodecs writes it in order C. It encodes no other chunk of
    /// order F.
    fn in_order_c(&self) -> Option<ZfpFieldMetadata> {
        let mut metadata = self.metadata();
        let rank = self.dims.iter().filter(|size| **size > 0).count();
        metadata.dims.get_mut(..rank)?.reverse();
        (self.dims.iter().filter(|size| **size > 1).count() <= 1).then_some(metadata)
    }

    fn metadata(&self) -> ZfpFieldMetadata {
        ZfpFieldMetadata { scalar_type: self.scalar, dims: self.dims }
    }

    fn compress<T: ZfpScalar, const N: usize>(
        &self,
        bytes: &[u8],
        number: impl Fn([u8; N]) -> Option<T>,
    ) -> Result<Vec<u8>> {
        let mut numbers = Vec::new();
        let bytes = bytes.as_chunks().0;
        limits::reserve(&mut numbers, bytes.len(), "chunk")?;
        for bytes in bytes {
            let beyond = || Error::argument("a number is too large for zfp");
            numbers.push(number(*bytes).ok_or_else(beyond)?);
        }
        if numbers.is_empty() {
            return Ok(Vec::new());
        }
        let refused = |error: &dyn std::fmt::Display| {
            Error::argument("zfp cannot compress the chunk").actual(error.to_string())
        };
        let field = ZfpField::new(&numbers, self.dims).map_err(|error| refused(&error))?;
        let config = self.config.as_ref().map_err(Error::clone)?;
        let most = config.maximum_size(self.scalar, self.dims);
        let most = most.ok_or_else(|| Error::limit("the chunk is too large for zfp"))?;
        let mut stream = ZfpBitStream::new(most).map_err(|error| Error::limit(error.to_string()))?;
        if self.has_header {
            let written = stream.write_header(config, &self.metadata(), ZfpHeaderMask::FULL);
            written.map_err(|error| refused(&error))?;
        }
        stream.compress(config, &field).map_err(|error| refused(&error))?;
        stream.into_bytes().map_err(|error| Error::limit(error.to_string()))
    }
}

/// The stream, whose last byte ends a word. The decoder reads words and takes zeros for the bytes
/// that the last one lacks, so that it could not tell a stream that was cut. It can tell that it
/// read a word after the last, so missing bytes are put in front, and skipped.
fn stream_of(encoded: &[u8]) -> Result<ZfpBitStream> {
    let no_memory = |error: ZfpAllocError| Error::limit(error.to_string());
    let padding = encoded.len().wrapping_neg() % WORD;
    if padding == 0 {
        return ZfpBitStream::from_bytes(encoded).map_err(no_memory);
    }
    let mut words = Vec::new();
    limits::reserve(&mut words, encoded.len().saturating_add(padding), "zfp stream")?;
    words.resize(padding, 0);
    words.extend_from_slice(encoded);
    let mut stream = ZfpBitStream::from_bytes(&words).map_err(no_memory)?;
    stream.seek_read((padding as u64).saturating_mul(8));
    Ok(stream)
}

fn damaged(error: &dyn std::fmt::Display) -> Error {
    Error::format("the zfp stream is corrupt").actual(error.to_string())
}

#[cfg(all(test, not(target_arch = "wasm32")))]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::rc::Rc;

    use super::*;
    use crate::error::ErrorKind;
    use crate::format::codec::testing;
    use crate::format::data_type::{DataType, Float, Integer};

    fn zfpy(shape: &[u64], data_type: DataType) -> Rc<dyn ArrayToBytes> {
        match zfp(Mode::Reversible, true, &testing::chunk(shape, data_type)).unwrap() {
            Codec::ArrayToBytes(codec) => codec,
            other => panic!("{other:?}"),
        }
    }

    /// The dimensions of a header may be reversed only where that moves no element.
    #[test]
    fn headers_of_other_chunks_are_refused() {
        let (float, integer) = (DataType::Float(Float::Float32), DataType::Integer(Integer::Int32));
        let encode = |shape: &[u64], count: u8| {
            let bytes = (0..4 * count).collect();
            zfpy(shape, float.clone()).encode(&ArrayBytes::Fixed(bytes)).unwrap()
        };
        for (written, read, is_read) in [
            (&[1, 6][..], &[6, 1][..], true),
            (&[1, 2, 1, 1], &[1, 1, 2, 1], true),
            (&[6], &[6], true),
            (&[2, 3], &[3, 2], false),
            (&[1, 6], &[6], false),
            (&[1, 6, 1], &[6, 1, 1], false),
            (&[1, 6], &[5, 1], false),
        ] {
            let count = u8::try_from(written.iter().product::<u64>()).unwrap();
            let encoded = encode(written, count);
            match zfpy(read, float.clone()).decode(&encoded) {
                Ok(ArrayBytes::Fixed(bytes)) => {
                    assert!(is_read && bytes == (0..4 * count).collect::<Vec<_>>(), "{written:?} {read:?}");
                }
                Ok(_) => panic!("{written:?} {read:?}"),
                Err(error) => assert!(!is_read && error.kind() == ErrorKind::Format, "{error:?} {read:?}"),
            }
            assert!(zfpy(read, integer.clone()).decode(&encoded).is_err(), "{written:?} {read:?}");
        }
    }
}
