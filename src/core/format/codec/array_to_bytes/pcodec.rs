//! `pcodec`: numbers compressed by Pcodec, in its standalone file format.
//! <https://numcodecs.readthedocs.io/en/stable/compress/pcodec.html>
//!
//! It encodes and compresses numbers, so that a chain needs no `bytes` codec. Numbers of 8 bits are
//! not supported, as in numcodecs.

use half::f16;
use pco::data_types::Number;
use pco::errors::PcoError;
use pco::standalone::{DecompressorItem, FileDecompressor, simple_compress};
use pco::{ChunkConfig, DeltaSpec, ModeSpec, PagingSpec};

use crate::error::{Error, Result};
use crate::format::codec::build::require_encoders;
use crate::format::codec::configuration::{Configuration, wrong_value};
use crate::format::codec::{
    ArrayBytes, ArrayToBytes, ChunkRepresentation, Codec, check_decoded_len, not_of_this_type,
};
use crate::format::data_type::DataType;
use crate::kernel::number::NumberType;
use crate::limits;

/// The configuration's fields. Only encoding needs them.
const FIELDS: [&str; 6] =
    ["level", "mode_spec", "delta_spec", "delta_encoding_order", "paging_spec", "equal_pages_up_to"];

/// Decodes a file; the number is the length of the decoded bytes.
type Decode = Box<dyn Fn(&[u8], u64) -> Result<Vec<u8>>>;
type Encode = Box<dyn Fn(&[u8], &ChunkConfig) -> Result<Vec<u8>>>;

struct Pcodec {
    byte_len: u64,
    config: ChunkConfig,
    decode: Decode,
    encode: Encode,
}

/// Binds the codec. Only encoding needs its configuration.
///
/// # Errors
/// `Unsupported` for data types other than numbers of 16 to 64 bits.
pub fn bind(configuration: &Configuration<'_>, decoded: &ChunkRepresentation) -> Result<Codec> {
    let config = configuration.for_encoder(chunk_config(configuration).map(Some)).unwrap_or_default();
    let (decode, encode) = functions(&decoded.data_type)?;
    let byte_len = decoded.byte_len()?.unwrap_or(0);
    Ok(Codec::array_to_bytes(Pcodec { byte_len, config, decode, encode }))
}

fn chunk_config(configuration: &Configuration<'_>) -> Result<ChunkConfig> {
    // After an error some fields would stay unread, and v3 refuses unread fields.
    FIELDS.iter().for_each(|field| configuration.tolerate(field));
    let level = configuration.integer("level", 0..=12)?.unwrap_or(8);
    let mode = configuration.choice("mode_spec", &[("auto", true), ("classic", false)])?;
    configuration.choice("paging_spec", &[("equal_pages_up_to", ())])?;
    let page = configuration.integer("equal_pages_up_to", 1..=i64::from(u32::MAX))?;
    let mut config = ChunkConfig::default()
        .with_compression_level(limits::to_usize(level.unsigned_abs(), "level")?)
        .with_mode_spec(if mode == Some(false) { ModeSpec::Classic } else { ModeSpec::Auto })
        .with_delta_spec(delta(configuration)?);
    if let Some(page) = page {
        config = config
            .with_paging_spec(PagingSpec::EqualPagesUpTo(limits::to_usize(page.unsigned_abs(), "page")?));
    }
    Ok(config)
}

/// Reads the delta encoding. In older metadata an order alone means consecutive deltas, and
/// numcodecs has renamed `none`.
fn delta(configuration: &Configuration<'_>) -> Result<DeltaSpec> {
    let choices = [("auto", 0), ("none", 1), ("no_op", 1), ("try_consecutive", 2), ("try_lookback", 3)];
    let kind = configuration.choice("delta_spec", &choices)?.unwrap_or(0);
    let order = configuration.integer("delta_encoding_order", 0..=7)?;
    let order = order.map(|order| limits::to_usize(order.unsigned_abs(), "order")).transpose()?;
    Ok(match (kind, order) {
        (0, None) => DeltaSpec::Auto,
        (0 | 2, Some(order)) => DeltaSpec::TryConsecutive(order),
        (1, None) => DeltaSpec::NoOp,
        (3, None) => DeltaSpec::TryLookback,
        (2, None) => {
            return Err(wrong_value("delta_encoding_order", "an order, because of try_consecutive", "none"));
        }
        (_, order) => {
            return Err(wrong_value(
                "delta_encoding_order",
                "none, without try_consecutive",
                order.unwrap_or(0),
            ));
        }
    })
}

fn functions(data_type: &DataType) -> Result<(Decode, Encode)> {
    Ok(match data_type.number_type() {
        Some(NumberType::I16) => (decode_as(i16::to_le_bytes), encode_as(i16::from_le_bytes)),
        Some(NumberType::I32) => (decode_as(i32::to_le_bytes), encode_as(i32::from_le_bytes)),
        Some(NumberType::I64) => (decode_as(i64::to_le_bytes), encode_as(i64::from_le_bytes)),
        Some(NumberType::U16) => (decode_as(u16::to_le_bytes), encode_as(u16::from_le_bytes)),
        Some(NumberType::U32) => (decode_as(u32::to_le_bytes), encode_as(u32::from_le_bytes)),
        Some(NumberType::U64) => (decode_as(u64::to_le_bytes), encode_as(u64::from_le_bytes)),
        Some(NumberType::F16) => (decode_as(f16::to_le_bytes), encode_as(f16::from_le_bytes)),
        Some(NumberType::F32) => (decode_as(f32::to_le_bytes), encode_as(f32::from_le_bytes)),
        Some(NumberType::F64) => (decode_as(f64::to_le_bytes), encode_as(f64::from_le_bytes)),
        _ => return Err(not_of_this_type("pcodec", data_type)),
    })
}

impl ArrayToBytes for Pcodec {
    fn decode(&self, encoded: &[u8]) -> Result<ArrayBytes> {
        (self.decode)(encoded, self.byte_len).map(ArrayBytes::Fixed)
    }

    fn encode(&self, decoded: &ArrayBytes) -> Result<Vec<u8>> {
        require_encoders()?;
        let bytes = decoded.fixed()?;
        check_decoded_len(bytes, self.byte_len)?;
        (self.encode)(bytes, &self.config)
    }
}

#[allow(clippy::arithmetic_side_effects, reason = "a number has N bytes, never none")]
fn decode_as<T: Number + Default, const N: usize>(to_bytes: fn(T) -> [u8; N]) -> Decode {
    Box::new(move |encoded, byte_len| {
        let len = limits::within(byte_len, limits::CHUNK_BYTES, "chunk")?;
        let numbers = decompress::<T>(encoded, len / N)?;
        let mut bytes = Vec::new();
        limits::reserve(&mut bytes, len, "chunk")?;
        numbers.into_iter().for_each(|number| bytes.extend_from_slice(&to_bytes(number)));
        Ok(bytes)
    })
}

/// All numbers of a file, which must have exactly `count`.
fn decompress<T: Number + Default>(encoded: &[u8], count: usize) -> Result<Vec<T>> {
    let mut numbers = Vec::new();
    limits::reserve(&mut numbers, count, "chunk")?;
    numbers.resize(count, T::default());
    let mut missing = numbers.as_mut_slice();
    let (file, mut rest) = FileDecompressor::new(encoded).map_err(|error| damaged(&error))?;
    loop {
        match file.chunk_decompressor::<T, _>(rest).map_err(|error| damaged(&error))? {
            DecompressorItem::Chunk(mut chunk) => {
                let (now, later) =
                    missing.split_at_mut_checked(chunk.n()).ok_or_else(|| wrong_count(count))?;
                let progress = chunk.read(now).map_err(|error| damaged(&error))?;
                if !progress.finished || progress.n_processed != now.len() {
                    return Err(wrong_count(count));
                }
                (missing, rest) = (later, chunk.into_src());
            }
            DecompressorItem::EndOfData(after) if missing.is_empty() && after.is_empty() => {
                return Ok(numbers);
            }
            DecompressorItem::EndOfData(_) => return Err(wrong_count(count)),
        }
    }
}

fn encode_as<T: Number, const N: usize>(from_bytes: fn([u8; N]) -> T) -> Encode {
    Box::new(move |bytes, config| {
        let mut numbers = Vec::new();
        let bytes = bytes.as_chunks().0;
        limits::reserve(&mut numbers, bytes.len(), "chunk")?;
        numbers.extend(bytes.iter().map(|number| from_bytes(*number)));
        simple_compress(&numbers, config)
            .map_err(|error| Error::argument("pcodec cannot compress the chunk").actual(error.message))
    })
}

fn damaged(error: &PcoError) -> Error {
    Error::format("the pcodec file is corrupt").actual(error.message.as_str())
}

fn wrong_count(expected: usize) -> Error {
    Error::format("the pcodec file has another number of values than the chunk")
        .expected(expected.to_string())
}
