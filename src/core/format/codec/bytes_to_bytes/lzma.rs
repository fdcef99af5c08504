//! `lzma`: the formats of Python's `lzma` module: `.xz`, the older `.lzma`, and raw streams, whose
//! filters the configuration describes.
//! <https://numcodecs.readthedocs.io/en/stable/compress/lzma.html>,
//! <https://docs.python.org/3/library/lzma.html#filter-specs>
//!
//! Filters for machine code are supported in `.xz` only.

use std::io::Write;

use lzma_rust2::{
    CheckType, FilterType, Lzma2Options, Lzma2Reader, Lzma2Writer, LzmaOptions, LzmaReader, LzmaWriter,
    XzOptions, XzReader, XzWriter,
};

use super::drain::{damaged, drain};
use super::{require_encoders, split, truncated};
use crate::error::{Error, Result};
use crate::format::codec::configuration::{Configuration, wrong_value};
use crate::format::codec::{BytesToBytes, ChunkRepresentation, Codec, Output, wrong_decoded_len};
use crate::format::json::Json;
use crate::kernel::predictor::{Rows, undo_differences};
use crate::limits;

/// The maximal memory of a decoder in KiB: a dictionary of 128 MiB, twice that of the highest
/// preset.
const MEMORY_KIB: u32 = (128 << 10) + (1 << 10);

/// The size of the smallest dictionary.
const MIN_DICTIONARY_BYTES: u32 = 4096;

/// The bit of a preset that asks for a slower search. The format of the stream is the same.
const EXTREME: i64 = 1 << 31;

const WHAT: &str = "LZMA stream";

/// The values of Python's `FORMAT_…`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    Xz,
    Alone,
    Raw,
}

/// The compressor at the end of a chain of filters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Version {
    Lzma1,
    Lzma2,
}

struct Lzma {
    format: Format,
    check: CheckType,
    version: Version,
    options: LzmaOptions,
    /// The distances of the delta filters before the compressor.
    deltas: Vec<usize>,
}

/// Binds the codec. Its configuration: `format`, `check`, `preset`, `filters`.
///
/// # Errors
/// `Format` for unknown formats and filters and for those that cannot be combined, `Unsupported`
/// for filters for machine code.
pub fn bind(configuration: &Configuration<'_>, _: &ChunkRepresentation) -> Result<Codec> {
    let format = match configuration.integer("format", 1..=3)? {
        Some(2) => Format::Alone,
        Some(3) => Format::Raw,
        _ => Format::Xz,
    };
    let check = configuration.for_encoder(check(configuration)).unwrap_or(CheckType::Crc64);
    let filters = configuration.read("filters", |json| json.list(Filter::parse))?;
    let version = if format == Format::Alone { Version::Lzma1 } else { Version::Lzma2 };
    let options = configuration.for_encoder(configuration.read("preset", preset)).unwrap_or_default();
    let mut codec = Lzma { format, check, version, options, deltas: Vec::new() };
    match filters {
        Some(filters) => codec.set_filters(filters)?,
        None if format == Format::Raw => {
            return Err(wrong_value("filters", "a list, because the format is raw", "none"));
        }
        None => {}
    }
    Ok(Codec::bytes_to_bytes(codec))
}

fn check(configuration: &Configuration<'_>) -> Result<Option<CheckType>> {
    configuration
        .integer("check", -1..=10)?
        .map(|check| match check {
            0 => Ok(CheckType::None),
            1 => Ok(CheckType::Crc32),
            -1 | 4 => Ok(CheckType::Crc64),
            10 => Ok(CheckType::Sha256),
            _ => Err(wrong_value("check", "-1, 0, 1, 4 or 10", check)),
        })
        .transpose()
}

fn preset(json: Json<'_>) -> Result<LzmaOptions> {
    let level = json.i64().map(|preset| preset & !EXTREME);
    let level = level.ok().and_then(|level| u32::try_from(level).ok()).filter(|level| *level <= 9);
    level.map(LzmaOptions::with_preset).ok_or_else(|| json.unexpected("a preset, from 0 to 9"))
}

/// One of Python's filter specifications.
enum Filter {
    Delta(usize),
    Compressor(Version, LzmaOptions),
}

impl Filter {
    fn parse(json: Json<'_>) -> Result<Self> {
        let filter = json.object()?;
        match filter.require("id", Json::u64)? {
            3 => {
                let distance = filter.read("dist", |json| bounded(json, 1, 256))?.unwrap_or(1);
                Ok(Self::Delta(limits::to_usize(distance.into(), "distance")?))
            }
            33 => Ok(Self::Compressor(Version::Lzma2, Self::options(json)?)),
            0x4000_0000_0000_0001 => Ok(Self::Compressor(Version::Lzma1, Self::options(json)?)),
            id @ 4..=11 => {
                Err(Error::unsupported(format!("LZMA filter {id}, for machine code, is not supported"))
                    .in_field("id"))
            }
            id => Err(wrong_value("id", "3, 33 or 0x4000000000000001", id)),
        }
    }

    /// Reads the options that change the format of the stream. The preset decides the others.
    #[allow(clippy::arithmetic_side_effects, reason = "both are at most 4")]
    fn options(json: Json<'_>) -> Result<LzmaOptions> {
        let filter = json.object()?;
        let mut options = filter.read("preset", preset)?.unwrap_or_default();
        let sizes = [
            ("dict_size", &mut options.dict_size, MIN_DICTIONARY_BYTES, 3 << 29),
            ("lc", &mut options.lc, 0, 4),
            ("lp", &mut options.lp, 0, 4),
            ("pb", &mut options.pb, 0, 4),
        ];
        for (field, option, least, most) in sizes {
            *option = filter.read(field, |json| bounded(json, least, most))?.unwrap_or(*option);
        }
        if options.lc + options.lp > 4 {
            return Err(wrong_value("lp", "at most 4 together with lc", options.lc + options.lp));
        }
        Ok(options)
    }
}

fn bounded(json: Json<'_>, least: u32, most: u32) -> Result<u32> {
    let value = json.u64().ok().and_then(|value| u32::try_from(value).ok());
    let value = value.filter(|value| (least..=most).contains(value));
    value.ok_or_else(|| json.unexpected(&format!("an integer from {least} to {most}")))
}

impl Lzma {
    fn set_filters(&mut self, filters: Vec<Filter>) -> Result<()> {
        let count = filters.len();
        let last = count.saturating_sub(1);
        for (idx, filter) in filters.into_iter().enumerate() {
            match filter {
                Filter::Delta(distance) if idx < last => self.deltas.push(distance),
                Filter::Compressor(version, options) if idx == last => {
                    (self.version, self.options) = (version, options);
                }
                _ => {
                    return Err(wrong_value(
                        "filters",
                        "delta filters, then LZMA1 or LZMA2",
                        "other filters",
                    ));
                }
            }
        }
        let fits = match self.format {
            Format::Xz => self.version == Version::Lzma2 && count <= 4,
            Format::Alone => self.version == Version::Lzma1 && count == 1,
            Format::Raw => (1..=4).contains(&count),
        };
        if fits {
            Ok(())
        } else {
            Err(wrong_value("filters", "filters that the format supports", "other filters"))
        }
    }

    /// The configured options with a dictionary no larger than the data, which would only use
    /// memory.
    fn options_for(&self, len: usize) -> LzmaOptions {
        let mut options = self.options.clone();
        options.dict_size = dictionary(options.dict_size, len);
        options
    }
}

fn dictionary(configured: u32, len: usize) -> u32 {
    u32::try_from(len).unwrap_or(u32::MAX).max(MIN_DICTIONARY_BYTES).min(configured)
}

impl BytesToBytes for Lzma {
    fn decode(&self, encoded: &[u8], mut output: Output<'_>) -> Result<()> {
        match self.format {
            Format::Xz => decode_xz(encoded, &mut output),
            Format::Alone => decode_alone(encoded, &mut output),
            Format::Raw => {
                let options = self.options_for(output.most());
                match self.version {
                    Version::Lzma1 => {
                        let props = options.get_props();
                        decode_lzma1(
                            encoded,
                            &mut output,
                            Lzma1Header { props, dictionary: options.dict_size, size: None },
                        )?;
                    }
                    Version::Lzma2 => decode_lzma2(encoded, &mut output, options.dict_size)?,
                }
                let decoded = match &mut output {
                    Output::Exact(output) => output,
                    Output::Growing { buf, .. } => buf.as_mut_slice(),
                };
                let len = decoded.len().max(1);
                for step in self.deltas.iter().rev().copied() {
                    undo_differences(decoded, Rows { size: 1, len, step });
                }
                Ok(())
            }
        }
    }

    fn encode(&self, decoded: &[u8]) -> Result<Vec<u8>> {
        require_encoders()?;
        let encoded = match self.format {
            Format::Xz => self.encode_xz(decoded),
            Format::Alone => encode_lzma1(decoded, &self.options_for(decoded.len()), true),
            Format::Raw => {
                let mut filtered = Vec::new();
                limits::reserve(&mut filtered, decoded.len(), "chunk")?;
                filtered.extend_from_slice(decoded);
                self.deltas.iter().for_each(|&distance| apply_delta(&mut filtered, distance));
                self.encode_raw(&filtered)
            }
        };
        encoded.map_err(|error| damaged(&error, WHAT))
    }
}

impl Lzma {
    fn encode_xz(&self, decoded: &[u8]) -> std::io::Result<Vec<u8>> {
        let mut options = XzOptions {
            lzma_options: self.options_for(decoded.len()),
            check_type: self.check,
            ..XzOptions::default()
        };
        for &distance in self.deltas.iter().rev() {
            options.prepend_pre_filter(FilterType::Delta, u32::try_from(distance).unwrap_or(1));
        }
        let mut writer = XzWriter::new(Vec::new(), options)?;
        writer.write_all(decoded)?;
        writer.finish()
    }

    fn encode_raw(&self, filtered: &[u8]) -> std::io::Result<Vec<u8>> {
        // The configured dictionary of the decoder is at least as large as this one.
        let options = self.options_for(filtered.len());
        if self.version == Version::Lzma1 {
            return encode_lzma1(filtered, &options, false);
        }
        let mut writer =
            Lzma2Writer::new(Vec::new(), Lzma2Options { lzma_options: options, chunk_size: None });
        writer.write_all(filtered)?;
        writer.finish()
    }
}

fn encode_lzma1(decoded: &[u8], options: &LzmaOptions, has_header: bool) -> std::io::Result<Vec<u8>> {
    let mut writer = LzmaWriter::new(Vec::new(), options, has_header, true, None)?;
    writer.write_all(decoded)?;
    writer.finish()
}

/// Decodes one or several `.xz` streams; each verifies its own check.
fn decode_xz(encoded: &[u8], output: &mut Output<'_>) -> Result<()> {
    drain(&mut XzReader::new_mem_limit(encoded, true, MEMORY_KIB), output, WHAT)
}

/// The parameters of an LZMA1 stream, from its header or from the configuration.
struct Lzma1Header {
    props: u8,
    dictionary: u32,
    size: Option<u64>,
}

fn decode_alone(encoded: &[u8], output: &mut Output<'_>) -> Result<()> {
    let ([props, a, b, c, d, size @ ..], stream) = split::<13>(encoded).ok_or_else(|| truncated(WHAT))?;
    let size = Some(u64::from_le_bytes(size)).filter(|&size| size != u64::MAX);
    match output {
        Output::Exact(output) if size.is_some_and(|size| size != output.len() as u64) => {
            return Err(wrong_decoded_len(output.len() as u64, size.unwrap_or(0)));
        }
        _ => {}
    }
    let dictionary = dictionary(u32::from_le_bytes([a, b, c, d]), output.most());
    decode_lzma1(stream, output, Lzma1Header { props, dictionary, size })
}

fn decode_lzma1(stream: &[u8], output: &mut Output<'_>, header: Lzma1Header) -> Result<()> {
    let mut rest = stream;
    let size = header.size.unwrap_or(u64::MAX);
    check_dictionary(header.dictionary)?;
    let reader = LzmaReader::new_with_props(&mut rest, size, header.props, header.dictionary, None);
    let mut reader = reader.map_err(|error| damaged(&error, WHAT))?;
    reader.set_relaxed_end_condition(false);
    drain(&mut reader, output, WHAT)?;
    let (_, ahead) = reader.into_parts();
    check_end(ahead.len().saturating_add(rest.len()))
}

fn decode_lzma2(stream: &[u8], output: &mut Output<'_>, dictionary: u32) -> Result<()> {
    let mut rest = stream;
    check_dictionary(dictionary)?;
    drain(&mut Lzma2Reader::new(&mut rest, dictionary, None), output, WHAT)?;
    check_end(rest.len())
}

fn check_dictionary(size: u32) -> Result<()> {
    limits::within(u64::from(size), u64::from(MEMORY_KIB) << 10, "LZMA dictionary").map(|_| ())
}

fn check_end(left: usize) -> Result<()> {
    match left {
        0 => Ok(()),
        left => Err(Error::format("there are bytes after the LZMA stream").actual(format!("{left} bytes"))),
    }
}

/// Subtracts from every byte the one that is `distance` before it.
#[allow(
    clippy::arithmetic_side_effects,
    clippy::indexing_slicing,
    reason = "`idx` counts from `distance` to the length"
)]
fn apply_delta(bytes: &mut [u8], distance: usize) {
    for idx in (distance..bytes.len()).rev() {
        bytes[idx] = bytes[idx].wrapping_sub(bytes[idx - distance]);
    }
}
