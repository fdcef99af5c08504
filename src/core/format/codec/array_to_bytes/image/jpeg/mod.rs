//! `jpeg` (proposed to zarr-extensions), `imagecodecs_jpeg`: baseline and progressive JPEG of 8
//! bits.
//! <https://www.w3.org/Graphics/JPEG/itu-t81.pdf>
//!
//! It is lossy: the samples of another decoder may differ by a few. Colours follow libjpeg: three
//! components are YCbCr and decode to RGB, unless a marker or the configuration says otherwise.
//! JPEG of 12 bits, lossless and arithmetic JPEG, and YCCK are not supported.
//!
//! The decoder makes grey blocks of what is missing, so `scans` counts the blocks first.

mod scans;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use zune_core::bytestream::ZCursor;
use zune_core::colorspace::ColorSpace;
use zune_core::options::DecoderOptions;
use zune_jpeg::JpegDecoder;

use super::{Chunk, ImageFormat, buffer, codec, damaged, tolerate, unsupported};
use crate::error::{Error, Result};
use crate::format::codec::configuration::{Configuration, wrong_value};
use crate::format::codec::{ChunkRepresentation, Codec};
use crate::format::json::Json;
use crate::kernel::number::NumberType;

/// Colour spaces, by imagecodecs' names and libjpeg's numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Colors {
    Grayscale,
    Rgb,
    YCbCr,
    Cmyk,
    Ycck,
}

/// The part of the configuration that decoding depends on.
struct Jpeg {
    /// The quantisation and Huffman tables of all chunks, as a JPEG stream without an image.
    tables: Option<Vec<u8>>,
    /// The bytes before the scan of every chunk. A chunk with this header lacks its end marker too.
    header: Option<Vec<u8>>,
    stored: Option<Colors>,
    wanted: Option<Colors>,
}

/// Binds the codec. Its configuration is that of imagecodecs or of the proposal. The proposal's
/// fields are for encoding.
///
/// # Errors
/// `Format` for colour spaces that libjpeg does not have, and for tables that are not base64;
/// `Unsupported` for data types that the format does not have.
pub fn bind(configuration: &Configuration<'_>, decoded: &ChunkRepresentation) -> Result<Codec> {
    let of_the_writer = [
        "level",
        "bitspersample",
        "subsampling",
        "optimize",
        "smoothing",
        "lossless",
        "predictor",
        "squeeze",
        "quality",
        "encoded_color_space",
    ];
    tolerate(configuration, &of_the_writer);
    let format = Jpeg {
        tables: stream(configuration, "tables")?,
        header: stream(configuration, "header")?,
        stored: colors(configuration, "colorspace_jpeg")?,
        wanted: colors(configuration, "colorspace_data")?,
    };
    codec(format, decoded)
}

/// Reads a field; null means absent in both configurations.
fn optional<T>(
    configuration: &Configuration<'_>,
    field: &str,
    read: impl FnOnce(Json<'_>) -> Result<T>,
) -> Result<Option<T>> {
    let read = |json: Json<'_>| if json.is_null() { Ok(None) } else { read(json).map(Some) };
    Ok(configuration.read(field, read)?.flatten())
}

fn stream(configuration: &Configuration<'_>, field: &str) -> Result<Option<Vec<u8>>> {
    optional(configuration, field, |json| {
        STANDARD.decode(&*json.str()?).map_err(|_| json.unexpected("base64"))
    })
}

fn colors(configuration: &Configuration<'_>, field: &str) -> Result<Option<Colors>> {
    let read = |json: Json<'_>| match json.u64() {
        Ok(number) => Ok(number.to_string()),
        Err(_) => json.str().map(|name| name.to_ascii_lowercase()),
    };
    let Some(name) = optional(configuration, field, read)? else { return Ok(None) };
    Ok(match name.as_str() {
        "0" | "unknown" | "unspecified" => None,
        "1" | "gray" | "grayscale" | "minisblack" | "miniswhite" => Some(Colors::Grayscale),
        "2" | "rgb" => Some(Colors::Rgb),
        "3" | "ycbcr" => Some(Colors::YCbCr),
        "4" | "cmyk" | "separated" => Some(Colors::Cmyk),
        "5" | "ycck" => Some(Colors::Ycck),
        _ => return Err(wrong_value(field, "grayscale, rgb, ycbcr, cmyk or ycck", name)),
    })
}

impl ImageFormat for Jpeg {
    const NAME: &'static str = "JPEG";
    const SAMPLES: &'static [NumberType] = &[NumberType::U8];

    fn decode(&self, encoded: &[u8], chunk: &Chunk) -> Result<Vec<u8>> {
        let mut stream = self.whole_stream(encoded);
        let frame = FrameInfo::find(&stream)?;
        let components = u64::from(frame.components);
        let len = chunk.check(
            Self::NAME,
            &[u64::from(frame.height), u64::from(frame.width), components],
            NumberType::U8,
        )?;
        scans::check_complete(&stream, [frame.width, frame.height])?;
        let is_converted = self.is_converted(&frame)?;
        if frame.components == 3
            && let Some(transformation) = frame.adobe.and_then(|at| stream.get_mut(at))
        {
            // The decoder would take an RGB marker for CMYK. This code has already decided how to
            // convert the colours.
            *transformation = 1;
        }
        let mut decoder = JpegDecoder::new(ZCursor::new(&stream));
        decoder.decode_headers().map_err(|error| damaged(Self::NAME, format!("{error:?}")))?;
        let given = decoder.input_colorspace().unwrap_or(ColorSpace::Unknown);
        let output = if is_converted { ColorSpace::RGB } else { given };
        let options: DecoderOptions = decoder.options().set_strict_mode(true).jpeg_set_out_colorspace(output);
        decoder.set_options(options);
        if decoder.output_buffer_size() != Some(len) {
            return Err(unsupported(Self::NAME, format!("the colour space {given:?}")));
        }
        let mut samples = buffer(len)?;
        decoder.decode_into(&mut samples).map_err(|error| damaged(Self::NAME, format!("{error:?}")))?;
        Ok(samples)
    }
}

impl Jpeg {
    /// The chunk with the tables, header and end marker that its writer omitted.
    fn whole_stream(&self, encoded: &[u8]) -> Vec<u8> {
        let mut stream = match &self.header {
            Some(header) => [header, encoded, &[0xff, 0xd9]].concat(),
            None => encoded.to_vec(),
        };
        if let (Some(tables), Some(image)) = (&self.tables, stream.get(2..)) {
            let tables = tables.strip_suffix(&[0xff, 0xd9]).unwrap_or(tables);
            stream = [tables, image].concat();
        }
        stream
    }

    /// Whether to convert YCbCr to RGB.
    fn is_converted(&self, frame: &FrameInfo) -> Result<bool> {
        let stored = self.stored.unwrap_or(frame.colors);
        let usual = match stored {
            Colors::YCbCr => Colors::Rgb,
            Colors::Ycck => Colors::Cmyk,
            other => other,
        };
        match (stored, self.wanted.unwrap_or(usual)) {
            (stored, wanted) if stored == wanted => Ok(false),
            (Colors::YCbCr, Colors::Rgb) => Ok(true),
            (stored, wanted) => {
                Err(unsupported(Self::NAME, format!("a conversion of {stored:?} to {wanted:?}")))
            }
        }
    }
}

/// The header of the image, before the first scan.
struct FrameInfo {
    width: u16,
    height: u16,
    components: u8,
    colors: Colors,
    /// The position of the transformation code in the Adobe marker.
    adobe: Option<usize>,
}

impl FrameInfo {
    /// Reads the segments up to the scan.
    #[allow(
        clippy::arithmetic_side_effects,
        reason = "`at` is an offset in the stream, and a segment has at most 65 535 bytes"
    )]
    fn find(stream: &[u8]) -> Result<Self> {
        let too_short = || Error::format("the JPEG image is truncated");
        let mut at = 2;
        let (mut frame, mut adobe, mut is_jfif): (Option<&[u8]>, Option<usize>, bool) = (None, None, false);
        if stream.get(..2) != Some(&[0xff, 0xd8]) {
            return Err(damaged("JPEG", "the signature is missing"));
        }
        loop {
            let Some([0xff, marker, ..]) = stream.get(at..) else { return Err(too_short()) };
            if matches!(marker, 0xff | 0x01 | 0xd0..=0xd8) {
                // Fill bytes and markers without a segment.
                at += if *marker == 0xff { 1 } else { 2 };
                continue;
            }
            let len = stream.get(at + 2..).and_then(|rest| rest.first_chunk());
            let len = len.map(|len| usize::from(u16::from_be_bytes(*len)));
            let len = len.filter(|len| *len >= 2).ok_or_else(too_short)?;
            let segment = stream.get(at + 4..at + 2 + len).ok_or_else(too_short)?;
            match marker {
                0xda => break,
                0xc0..=0xc2 => frame = Some(segment),
                0xc3 | 0xc5..=0xc7 | 0xc9..=0xcb | 0xcd..=0xcf => {
                    return Err(unsupported("JPEG", format!("a frame of kind {}", marker - 0xc0)));
                }
                0xe0 => is_jfif |= segment.starts_with(b"JFIF"),
                0xee if segment.starts_with(b"Adobe") && segment.len() >= 12 => adobe = Some(at + 4 + 11),
                _ => {}
            }
            at += 2 + len;
        }
        Self::read(frame.ok_or_else(too_short)?, is_jfif, adobe, stream)
    }

    fn read(segment: &[u8], is_jfif: bool, adobe: Option<usize>, stream: &[u8]) -> Result<Self> {
        let [precision, y0, y1, x0, x1, components, of_each @ ..] = segment else {
            return Err(Error::format("the JPEG image is truncated"));
        };
        if *precision != 8 {
            return Err(unsupported("JPEG", format!("{precision} bits per sample")));
        }
        let ids: Vec<u8> = of_each.chunks(3).filter_map(|component| component.first().copied()).collect();
        let transformation = adobe.and_then(|at| stream.get(at)).copied();
        let colors = match (components, is_jfif, transformation) {
            (1, ..) => Colors::Grayscale,
            (3, false, Some(0)) => Colors::Rgb,
            (3, false, None) if ids == *b"RGB" => Colors::Rgb,
            (3, ..) => Colors::YCbCr,
            (4, _, Some(2)) => Colors::Ycck,
            (4, ..) => Colors::Cmyk,
            _ => return Err(unsupported("JPEG", format!("{components} components"))),
        };
        let (height, width) = (u16::from_be_bytes([*y0, *y1]), u16::from_be_bytes([*x0, *x1]));
        Ok(Self { width, height, components: *components, colors, adobe })
    }
}
