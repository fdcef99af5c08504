//! `lzw` (proposed to zarr-extensions), `imagecodecs_lzw`: LZW as in TIFF.
//! <https://www.itu.int/itudoc/itu-t/com16/tiff-fx/docs/tiff6.pdf>
//!
//! The highest bit comes first, codes become wider one code early, and the stream has an end code.
//! It can decode but not encode. The bit order of TIFF writers before 1992 is not supported.

use std::io::{self, Read};

use weezl::decode::{Configuration as LzwConfiguration, Decoder};
use weezl::{BitOrder, LzwStatus};

use super::drain::drain;
use crate::error::Result;
use crate::format::codec::build::codec_is_read_only;
use crate::format::codec::configuration::Configuration;
use crate::format::codec::{BytesToBytes, ChunkRepresentation, Codec, Output};

struct Lzw;

/// Binds the codec. Its configuration has no fields.
///
/// # Errors
/// None.
pub fn bind(_: &Configuration<'_>, _: &ChunkRepresentation) -> Result<Codec> {
    Ok(Codec::bytes_to_bytes(Lzw))
}

impl BytesToBytes for Lzw {
    fn decode(&self, encoded: &[u8], mut output: Output<'_>) -> Result<()> {
        let decoder = LzwConfiguration::with_tiff_size_switch(BitOrder::Msb, 8).build();
        drain(&mut LzwReader { decoder, rest: encoded, is_done: false }, &mut output, "LZW stream")
    }

    fn encode(&self, _: &[u8]) -> Result<Vec<u8>> {
        Err(codec_is_read_only())
    }
}

struct LzwReader<'a> {
    decoder: Decoder,
    rest: &'a [u8],
    is_done: bool,
}

impl Read for LzwReader<'_> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        while !self.is_done && !buf.is_empty() {
            let progress = self.decoder.decode_bytes(self.rest, buf);
            self.rest = self.rest.get(progress.consumed_in..).unwrap_or_default();
            match progress.status {
                Ok(LzwStatus::Done) => self.finish()?,
                Ok(LzwStatus::NoProgress) if progress.consumed_out == 0 => {
                    return Err(io::ErrorKind::UnexpectedEof.into());
                }
                Ok(_) => {}
                Err(error) => return Err(io::Error::new(io::ErrorKind::InvalidData, error.to_string())),
            }
            if progress.consumed_out > 0 {
                return Ok(progress.consumed_out);
            }
        }
        Ok(0)
    }
}

impl LzwReader<'_> {
    fn finish(&mut self) -> io::Result<()> {
        self.is_done = true;
        if self.rest.is_empty() {
            return Ok(());
        }
        Err(io::Error::new(io::ErrorKind::InvalidData, "there are bytes after its end"))
    }
}
