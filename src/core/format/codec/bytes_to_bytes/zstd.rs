//! `zstd`: RFC 8878. <https://github.com/zarr-developers/zarr-extensions/tree/main/codecs/zstd>
//!
//! A frame may lack its content size (older releases of numcodecs) and may have a checksum. Several
//! frames may follow each other. The C library decodes them, through [`crate::kernel::zstd`].

use std::cell::RefCell;

use super::{check_ratio, require_encoders};
use crate::error::{Error, Result};
use crate::format::codec::configuration::{Configuration, Spelling};
use crate::format::codec::{BytesToBytes, ChunkRepresentation, Codec, Output, wrong_decoded_len};
#[cfg(target_arch = "wasm32")]
pub use crate::kernel::zstd::decompress_with_prefix;
use crate::kernel::zstd::{Decompressor, ZstdError, frame_content_size};
use crate::limits;

/// The maximal ratio of decoded to encoded bytes: a block of 128 KiB of one byte takes four bytes.
pub(super) const BEST_RATIO: u64 = 1 << 15;

/// A result of the C library.
type LibraryResult<T> = std::result::Result<T, ZstdError>;

struct Zstd {
    level: i32,
    checksum: bool,
    decoder: LazyDecompressor,
}

/// Binds the codec. Its configuration: `level` and `checksum`.
///
/// # Errors
/// None: only encoding needs a valid level.
pub fn bind(configuration: &Configuration<'_>, _: &ChunkRepresentation) -> Result<Codec> {
    // Only encoding needs both; the defaults are those of numcodecs and zarr-python.
    let default = if configuration.spelling() == Spelling::Numcodecs { 1 } else { 0 };
    let level = configuration.for_encoder(configuration.integer("level", -131_072..=22));
    let level = i32::try_from(level.unwrap_or(default)).unwrap_or_default();
    // GDAL writes "YES" and "NO" to v2 metadata.
    let is_word = configuration.spelling() == Spelling::Numcodecs
        && configuration.json("checksum").is_some_and(|json| json.str().is_ok());
    let checksum = if is_word {
        configuration.choice("checksum", &[("YES", true), ("NO", false)])
    } else {
        configuration.boolean("checksum")
    };
    let checksum = configuration.for_encoder(checksum).unwrap_or(false);
    Ok(Codec::bytes_to_bytes(Zstd { level, checksum, decoder: LazyDecompressor::default() }))
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
        encode(decoded, self.level, self.checksum, &mut encoded)?;
        Ok(encoded)
    }
}

/// The C library's decoding context, made at the first use and reused afterwards.
#[derive(Default)]
pub(super) struct LazyDecompressor(RefCell<Option<Decompressor>>);

impl LazyDecompressor {
    /// Decodes all frames of `encoded`, which must fill `output`.
    pub(super) fn decode_exact(&self, encoded: &[u8], output: &mut [u8]) -> Result<()> {
        let expected = output.len();
        match self.with(|context| context.decompress_into(encoded, output)) {
            Ok(len) if len == expected => Ok(()),
            Ok(len) => Err(wrong_decoded_len(expected as u64, len as u64)),
            // The library only says that the output is too small. The frames may tell the length
            // that it should have.
            Err(error) => Err(match frame_content_size(encoded) {
                Ok(Some(len)) if len != expected as u64 => wrong_decoded_len(expected as u64, len),
                _ => failed(error),
            }),
        }
    }

    /// Decodes all frames of `encoded`. Frames without a content size are decoded as a stream,
    /// which takes more memory.
    fn decode_growing(&self, encoded: &[u8], buf: &mut Vec<u8>, limit: usize) -> Result<()> {
        buf.clear();
        let Some(len) = frame_content_size(encoded).map_err(failed)? else {
            return self.with(|context| context.decompress_to_vec(encoded, limit, buf)).map_err(failed);
        };
        limits::within(len, limit as u64, "decoded bytes")?;
        check_ratio(encoded.len(), len, BEST_RATIO)?;
        self.decode_exact(encoded, Output::Growing { buf, limit }.reserve(len)?)
    }

    fn with<T>(&self, work: impl FnOnce(&mut Decompressor) -> LibraryResult<T>) -> LibraryResult<T> {
        let mut context = self.0.borrow_mut();
        match &mut *context {
            Some(context) => work(context),
            none => work(none.insert(Decompressor::new()?)),
        }
    }
}

/// Decodes all frames of `encoded` to this many bytes.
///
/// # Errors
/// `Format` for corrupt frames, and for those of another length; `Limit` where memory is short.
pub fn decode(encoded: &[u8], len: u64) -> Result<Vec<u8>> {
    check_ratio(encoded.len(), len, BEST_RATIO)?;
    let mut decoded = limits::zeroed(len, len, "decoded bytes")?;
    LazyDecompressor::default().decode_exact(encoded, &mut decoded)?;
    Ok(decoded)
}

/// Encodes `decoded` to one frame and appends it to `encoded`.
///
/// # Errors
/// `Unsupported` in a build without encoders.
pub(super) fn encode(decoded: &[u8], level: i32, checksum: bool, encoded: &mut Vec<u8>) -> Result<()> {
    require_encoders()?;
    #[cfg(feature = "full")]
    crate::kernel::zstd::compress(decoded, level, checksum, encoded).map_err(failed)?;
    #[cfg(not(feature = "full"))]
    let _ = (decoded, level, checksum, encoded);
    Ok(())
}

fn failed(error: ZstdError) -> Error {
    match error {
        ZstdError::Limit(limit) => {
            Error::limit("the zstd frames decode to too many bytes").expected(format!("at most {limit}"))
        }
        ZstdError::OutOfMemory => Error::limit("memory is not sufficient for the zstd decoder"),
        ZstdError::Library(_) | ZstdError::Truncated => {
            Error::format("the zstd frame is corrupt").actual(error.to_string())
        }
    }
}
