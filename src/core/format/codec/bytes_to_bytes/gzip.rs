//! `gzip`: RFC 1952. <https://zarr-specs.readthedocs.io/en/latest/v3/codecs/gzip/index.html>
//!
//! Several members form one stream, as the RFC says. Zeros may follow the last member, as in
//! Python's decoder (tapes are padded with zeros). Checksum and length of every member are
//! verified.

use miniz_oxide::deflate::compress_to_vec;

use super::inflate::{Inflater, window};
use super::zlib::deflate_level;
use super::{check_sum, require_encoders, split, truncated};
use crate::error::{Error, Result};
use crate::format::codec::configuration::{Configuration, Spelling};
use crate::format::codec::{BytesToBytes, ChunkRepresentation, Codec, Output, wrong_decoded_len};
use crate::kernel::crc::crc32;

struct Gzip {
    level: u8,
    inflater: Inflater,
}

/// Binds the codec. Its configuration: `level`.
///
/// # Errors
/// None: only encoding needs a valid level.
pub fn bind(configuration: &Configuration<'_>, _: &ChunkRepresentation) -> Result<Codec> {
    // The specification requires the level, but decoding does not need it. The defaults are those
    // of zarr-python and numcodecs.
    let (lowest, default) = match configuration.spelling() {
        Spelling::Zarr => (0, 5),
        Spelling::Numcodecs => (-1, 1),
    };
    let level = configuration.for_encoder(configuration.integer("level", lowest..=9));
    let level = deflate_level(level.unwrap_or(default));
    Ok(Codec::bytes_to_bytes(Gzip { level, inflater: Inflater::default() }))
}

impl BytesToBytes for Gzip {
    fn decode(&self, encoded: &[u8], mut output: Output<'_>) -> Result<()> {
        let (mut rest, mut start) = (encoded, 0);
        loop {
            let stream = skip_header(rest)?;
            let inflated = self.inflater.inflate(stream, &mut output, start)?;
            let content = window(&mut output).get(start..inflated.end).unwrap_or_default();
            let trailer = stream.get(inflated.consumed..).unwrap_or_default();
            rest = check_trailer(trailer, content)?;
            start = inflated.end;
            if rest.iter().all(|&byte| byte == 0) {
                break;
            }
        }
        match window(&mut output).len() {
            len if len == start => Ok(()),
            len => Err(wrong_decoded_len(len as u64, start as u64)),
        }
    }

    fn encode(&self, decoded: &[u8]) -> Result<Vec<u8>> {
        require_encoders()?;
        // The header has no time and no operating system (255), so that equal chunks give equal
        // bytes.
        let mut encoded = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255];
        encoded.extend_from_slice(&compress_to_vec(decoded, self.level));
        encoded.extend_from_slice(&crc32(0, decoded).to_le_bytes());
        encoded.extend_from_slice(&len_mod_32(decoded).to_le_bytes());
        Ok(encoded)
    }
}

/// The bits of the header's flags (RFC 1952, section 2.3.1).
mod flag {
    pub(super) const HEADER_CRC: u8 = 0x02;
    pub(super) const EXTRA: u8 = 0x04;
    pub(super) const NAME: u8 = 0x08;
    pub(super) const COMMENT: u8 = 0x10;
    pub(super) const RESERVED: u8 = 0xe0;
}

/// Returns the bytes after the header of the member at the start of `member`.
fn skip_header(member: &[u8]) -> Result<&[u8]> {
    let too_short = || truncated("gzip header");
    let ([first, second, method, flags, ..], mut rest) = split::<10>(member).ok_or_else(too_short)?;
    if (first, second) != (0x1f, 0x8b) {
        return Err(Error::format("the gzip member lacks its signature")
            .expected("0x1f 0x8b")
            .actual(format!("{first:#04x} {second:#04x}")));
    }
    if method != 8 || flags & flag::RESERVED != 0 {
        let actual = format!("method {method}, flags {flags:#04x}");
        return Err(Error::format("the gzip header has an unknown method or flags").actual(actual));
    }
    if flags & flag::EXTRA != 0 {
        let (len, fields) = split(rest).ok_or_else(too_short)?;
        rest = fields.get(usize::from(u16::from_le_bytes(len))..).ok_or_else(too_short)?;
    }
    for text in [flag::NAME, flag::COMMENT] {
        if flags & text != 0 {
            let mut bytes = rest.iter();
            bytes.position(|&byte| byte == 0).ok_or_else(too_short)?;
            rest = bytes.as_slice();
        }
    }
    if flags & flag::HEADER_CRC != 0 {
        let header = member.strip_suffix(rest).unwrap_or_default();
        let (stored, stream) = split(rest).ok_or_else(too_short)?;
        check_sum(u32::from(u16::from_le_bytes(stored)), crc32(0, header) & 0xffff)?;
        rest = stream;
    }
    Ok(rest)
}

/// Verifies checksum and length. Returns the bytes after the member.
fn check_trailer<'a>(trailer: &'a [u8], content: &[u8]) -> Result<&'a [u8]> {
    let ([a, b, c, d, len @ ..], rest) = split::<8>(trailer).ok_or_else(|| truncated("gzip trailer"))?;
    check_sum(u32::from_le_bytes([a, b, c, d]), crc32(0, content))?;
    let (stored, actual) = (u32::from_le_bytes(len), len_mod_32(content));
    if stored != actual {
        return Err(Error::format("the gzip member has another length than its trailer says")
            .expected(format!("{stored} bytes"))
            .actual(format!("{actual} bytes")));
    }
    Ok(rest)
}

/// The length as in the trailer: the low 32 bits.
#[allow(clippy::cast_possible_truncation)] // RFC 1952, section 2.3.1: ISIZE
fn len_mod_32(content: &[u8]) -> u32 {
    content.len() as u32
}
