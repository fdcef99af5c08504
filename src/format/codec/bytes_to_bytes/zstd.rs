//! `zstd`: RFC 8878. <https://github.com/zarr-developers/zarr-extensions/tree/main/codecs/zstd>
//!
//! Frames may lack their content size (numcodecs' older releases), carry a checksum, or stand
//! several in a row. The C library does the work, behind [`crate::kernel::zstd`].

use std::cell::RefCell;

use super::{check_ratio, require_encoders};
use crate::error::{Error, Result};
use crate::format::codec::configuration::{Configuration, Spelling};
use crate::format::codec::{
    BytesToBytes, BytesToBytesSpec, ChunkRepresentation, Output, Spec, wrong_decoded_len,
};
use crate::kernel::zstd::{Decompressor, ZstdError, frame_content_size};
use crate::limits;

/// The best ratio: a block of 128 KiB that repeats one byte, in four bytes.
pub(super) const BEST_RATIO: u64 = 1 << 15;

/// The library's own results.
type Outcome<T> = std::result::Result<T, ZstdError>;

/// The configuration: `level` and `checksum`.
#[derive(Clone, Copy, Debug)]
struct ZstdSpec {
    level: i32,
    checksum: bool,
}

/// Reads the configuration.
///
/// # Errors
/// None: a level that zstd does not have is an encoder's.
pub fn parse(configuration: &Configuration<'_>) -> Result<Spec> {
    // Both are needed by an encoder only; the defaults are numcodecs' and zarr-python's.
    let default = if configuration.spelling() == Spelling::Numcodecs { 1 } else { 0 };
    let level = configuration.for_encoder(configuration.integer("level", -131_072..=22));
    let level = i32::try_from(level.unwrap_or(default)).unwrap_or_default();
    // GDAL writes "YES" and "NO" into v2 metadata.
    let is_word = configuration.spelling() == Spelling::Numcodecs
        && configuration.json("checksum").is_some_and(|json| json.str().is_ok());
    let checksum = if is_word {
        configuration.choice("checksum", &[("YES", true), ("NO", false)])
    } else {
        configuration.boolean("checksum")
    };
    let checksum = configuration.for_encoder(checksum).unwrap_or(false);
    Ok(Spec::BytesToBytes(Box::new(ZstdSpec { level, checksum })))
}

impl BytesToBytesSpec for ZstdSpec {
    fn bind(&self, _: &ChunkRepresentation) -> Result<Box<dyn BytesToBytes>> {
        Ok(Box::new(Zstd { spec: *self, decoder: Decoder::default() }))
    }
}

struct Zstd {
    spec: ZstdSpec,
    decoder: Decoder,
}

impl BytesToBytes for Zstd {
    fn decode(&self, encoded: &[u8], output: Output<'_>) -> Result<()> {
        match output {
            Output::Exact(output) => self.decoder.decode_exact(encoded, output),
            Output::Growing { buf, limit } => self.decoder.decode_growing(encoded, buf, limit),
        }
    }

    fn encode(&self, decoded: &[u8]) -> Result<Vec<u8>> {
        let mut encoded = Vec::new();
        encode(decoded, self.spec.level, self.spec.checksum, &mut encoded)?;
        Ok(encoded)
    }
}

/// The library's context, made when it is first needed and then kept.
#[derive(Default)]
pub(super) struct Decoder(RefCell<Option<Decompressor>>);

impl Decoder {
    /// Decodes all frames of `encoded`, which must fill `output`.
    pub(super) fn decode_exact(&self, encoded: &[u8], output: &mut [u8]) -> Result<()> {
        let expected = output.len();
        match self.with(|context| context.decompress_into(encoded, output)) {
            Ok(len) if len == expected => Ok(()),
            Ok(len) => Err(wrong_decoded_len(expected as u64, len as u64)),
            // The library only says that the output is too small; the frames may say how large it
            // should have been.
            Err(error) => Err(match frame_content_size(encoded) {
                Ok(Some(len)) if len != expected as u64 => wrong_decoded_len(expected as u64, len),
                _ => failed(error),
            }),
        }
    }

    /// Decodes all frames of `encoded`: at once where they say how much they hold, else as a
    /// stream, which needs a window too.
    fn decode_growing(&self, encoded: &[u8], buf: &mut Vec<u8>, limit: usize) -> Result<()> {
        buf.clear();
        let Some(len) = frame_content_size(encoded).map_err(failed)? else {
            return self.with(|context| context.decompress_to_vec(encoded, limit, buf)).map_err(failed);
        };
        limits::within(len, limit as u64, "decoded bytes")?;
        check_ratio(encoded.len(), len, BEST_RATIO)?;
        self.decode_exact(encoded, Output::Growing { buf, limit }.reserve(len)?)
    }

    fn with<T>(&self, work: impl FnOnce(&mut Decompressor) -> Outcome<T>) -> Outcome<T> {
        let mut context = self.0.borrow_mut();
        match &mut *context {
            Some(context) => work(context),
            none => work(none.insert(Decompressor::new()?)),
        }
    }
}

/// Appends one frame with `decoded` as its content to `encoded`.
///
/// # Errors
/// `Unsupported` in the engine.
pub(super) fn encode(decoded: &[u8], level: i32, checksum: bool, encoded: &mut Vec<u8>) -> Result<()> {
    require_encoders()?;
    #[cfg(any(feature = "full", not(target_arch = "wasm32")))]
    crate::kernel::zstd::compress(decoded, level, checksum, encoded).map_err(failed)?;
    #[cfg(not(any(feature = "full", not(target_arch = "wasm32"))))]
    let _ = (decoded, level, checksum, encoded);
    Ok(())
}

fn failed(error: ZstdError) -> Error {
    match error {
        ZstdError::Limit(limit) => {
            Error::limit("decoded bytes are too many").expected(format!("at most {limit}"))
        }
        ZstdError::OutOfMemory => Error::limit("no memory for zstd"),
        ZstdError::Library(_) | ZstdError::Truncated => {
            Error::format("zstd frame is damaged").actual(error.to_string())
        }
    }
}
