//! A safe interface to the C library for Zstandard, with the few calls that codecs need.
//!
//! One context serves many frames ([`Decompressor`]). The output is either a slice of known length
//! or a vector with a limit. The vector grows in proportion to the bytes that were really decoded,
//! so that a false content size or a hostile window cannot make memory grow. Several frames in a
//! row and skippable frames form one stream, as the format says. Only the package's own wasm has a
//! prefix ([`decompress_with_prefix`]), and only texts of Icechunk have a dictionary
//! ([`Decompressor::decompress_with_dictionary`]). Legacy frames (v0.x) are not supported.
#![allow(unsafe_code)]

use core::ffi::{CStr, c_ulonglong, c_void};
use core::fmt;
use core::ptr::NonNull;

/// The largest window that a frame may ask for: 2^27 = 128 MiB, as in the `zstd` tool without
/// `--long`.
const WINDOW_LOG_MAX: i32 = 27;

/// The first size in bytes of an output of unknown length. Later sizes double.
const FIRST_GROWTH: usize = 128 * 1024;

/// Why bytes cannot be compressed or decompressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ZstdError {
    /// The message of the library.
    Library(&'static str),
    /// The output would exceed the caller's limit, in bytes.
    Limit(usize),
    /// The input ends inside a frame.
    Truncated,
    /// Memory is not sufficient.
    OutOfMemory,
}

impl fmt::Display for ZstdError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Library(name) => f.write_str(name),
            Self::Limit(limit) => write!(f, "output exceeds {limit} bytes"),
            Self::Truncated => f.write_str("input ends inside a frame"),
            Self::OutOfMemory => f.write_str("out of memory"),
        }
    }
}

/// The sum of the content sizes that all frames of `src` declare; `None` when a frame does not
/// declare it.
///
/// Compare it with the expected length before allocating memory: the writer may lie.
///
/// # Errors
/// When a frame header or a block header is malformed, or the input ends inside a frame.
pub fn frame_content_size(mut src: &[u8]) -> Result<Option<u64>, ZstdError> {
    let mut total: Option<u64> = Some(0);
    while !src.is_empty() {
        // SAFETY: `src` is a live slice, so its pointer is valid for its length.
        let declared = unsafe { zstd_sys::ZSTD_getFrameContentSize(src.as_ptr().cast(), src.len()) };
        let (_, rest) = split_frame(src)?;
        // The C header defines -1 and -2; the bindings type them as int.
        total = match declared {
            UNKNOWN => None,
            MALFORMED => return Err(ZstdError::Library("Unknown frame descriptor")),
            size => total.map(|sum| sum.saturating_add(size)),
        };
        src = rest;
    }
    Ok(total)
}

/// The first frame, and what follows it.
fn split_frame(src: &[u8]) -> Result<(&[u8], &[u8]), ZstdError> {
    // SAFETY: `src` is a live slice, so its pointer is valid for its length.
    let len = check(unsafe { zstd_sys::ZSTD_findFrameCompressedSize(src.as_ptr().cast(), src.len()) })?;
    src.split_at_checked(len).ok_or(ZstdError::Truncated)
}

const UNKNOWN: c_ulonglong = c_ulonglong::MAX;
const MALFORMED: c_ulonglong = c_ulonglong::MAX - 1;

/// A decompression context, which can be reused.
#[derive(Debug)]
pub struct Decompressor(NonNull<zstd_sys::ZSTD_DCtx>);

impl Decompressor {
    /// Makes a context (about 100 KB).
    ///
    /// # Errors
    /// When memory is not sufficient.
    pub fn new() -> Result<Self, ZstdError> {
        // SAFETY: no preconditions; null means out of memory.
        let context =
            Self(NonNull::new(unsafe { zstd_sys::ZSTD_createDCtx() }).ok_or(ZstdError::OutOfMemory)?);
        let window = zstd_sys::ZSTD_dParameter::ZSTD_d_windowLogMax;
        // SAFETY: the context is live and owned by `context`.
        check(unsafe { zstd_sys::ZSTD_DCtx_setParameter(context.0.as_ptr(), window, WINDOW_LOG_MAX) })?;
        Ok(context)
    }

    /// Decompresses all frames of `src` into `dst` and returns the decoded length.
    ///
    /// # Errors
    /// When the frames are malformed, fail their checksum, or decode to more bytes than `dst` has.
    pub fn decompress_into(&mut self, src: &[u8], dst: &mut [u8]) -> Result<usize, ZstdError> {
        // SAFETY: context, source and destination are live, the destination is exclusive, and the
        // lengths are theirs.
        check(unsafe {
            zstd_sys::ZSTD_decompressDCtx(
                self.0.as_ptr(),
                dst.as_mut_ptr().cast(),
                dst.len(),
                src.as_ptr().cast(),
                src.len(),
            )
        })
    }

    /// Decompresses all frames of `src`, which were compressed with a dictionary, into `dst`, and
    /// returns the decoded length. A dictionary without the format's magic number is plain content.
    ///
    /// # Errors
    /// When the frames or the dictionary are malformed, the frames name another dictionary, or they
    /// decode to more bytes than `dst` has.
    pub fn decompress_with_dictionary(
        &mut self,
        src: &[u8],
        dictionary: &[u8],
        dst: &mut [u8],
    ) -> Result<usize, ZstdError> {
        // SAFETY: context, source, dictionary and destination are live, the destination is
        // exclusive, and the lengths are theirs.
        check(unsafe {
            zstd_sys::ZSTD_decompress_usingDict(
                self.0.as_ptr(),
                dst.as_mut_ptr().cast(),
                dst.len(),
                src.as_ptr().cast(),
                src.len(),
                dictionary.as_ptr().cast(),
                dictionary.len(),
            )
        })
    }

    /// Appends the content of all frames of `src` to `out`, at most `limit` bytes.
    ///
    /// # Errors
    /// When the frames are malformed, fail their checksum, end early, decode to another length than
    /// they declare, or to more than `limit` bytes.
    pub fn decompress_to_vec(
        &mut self,
        src: &[u8],
        limit: usize,
        out: &mut Vec<u8>,
    ) -> Result<(), ZstdError> {
        if src.is_empty() {
            return Ok(());
        }
        self.start()?;
        let mut input = zstd_sys::ZSTD_inBuffer { src: src.as_ptr().cast(), size: src.len(), pos: 0 };
        let mut produced = 0;
        loop {
            let room = grow(out, produced, limit)?;
            let mut beyond = 0u8;
            let target: *mut c_void = if room == 0 {
                (&raw mut beyond).cast()
            } else {
                out.spare_capacity_mut().as_mut_ptr().cast()
            };
            let mut output = zstd_sys::ZSTD_outBuffer { dst: target, size: room.max(1), pos: 0 };
            // SAFETY: `input` covers `src`. `output` covers `room` spare bytes of `out`, or the one
            // byte `beyond`.
            let left = check(unsafe {
                zstd_sys::ZSTD_decompressStream(self.0.as_ptr(), &raw mut output, &raw mut input)
            })?;
            if room == 0 && output.pos > 0 {
                return Err(ZstdError::Limit(limit));
            }
            // SAFETY: the library has written the first `output.pos` spare bytes.
            unsafe { out.set_len(out.len() + output.pos) };
            produced += output.pos;
            let stuck = output.pos < output.size;
            if input.pos == input.size && (left == 0 || stuck) {
                return if left == 0 { check_streamed(src, produced) } else { Err(ZstdError::Truncated) };
            }
        }
    }

    /// Resets the context after an earlier stream, which may have failed.
    fn start(&mut self) -> Result<(), ZstdError> {
        let session = zstd_sys::ZSTD_ResetDirective::ZSTD_reset_session_only;
        // SAFETY: the context is live.
        check(unsafe { zstd_sys::ZSTD_DCtx_reset(self.0.as_ptr(), session) }).map(drop)
    }
}

impl Drop for Decompressor {
    fn drop(&mut self) {
        // SAFETY: `new` created the context, and it is freed once.
        unsafe { zstd_sys::ZSTD_freeDCtx(self.0.as_ptr()) };
    }
}

/// Checks what the library's streaming functions do not: that no compressed block is empty, and
/// that a frame has the content size that it declares, also if its last block is empty.
fn check_streamed(mut src: &[u8], produced: usize) -> Result<(), ZstdError> {
    if frame_content_size(src)?.is_some_and(|declared| declared != produced as u64) {
        return Err(ZstdError::Library("Content size differs from the declared one"));
    }
    while !src.is_empty() {
        let (frame, rest) = split_frame(src)?;
        if has_empty_compressed_block(frame) {
            return Err(ZstdError::Library("A compressed block is empty"));
        }
        src = rest;
    }
    Ok(())
}

/// The magic number of a Zstandard frame, little-endian. Skippable frames have others.
const MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];
/// The type of a block whose content is one byte, which is repeated.
const RUN_LENGTH: u32 = 1;
/// The type of a compressed block.
const COMPRESSED: u32 = 2;

/// Whether a compressed block of a frame has no content. RFC 8878, sections 3.1.1.1 and 3.1.1.2.
fn has_empty_compressed_block(frame: &[u8]) -> bool {
    let blocks = frame.strip_prefix(&MAGIC).and_then(after_header);
    let mut rest = blocks.unwrap_or_default(); // a skippable frame has none
    while let Some(([low, middle, high], content)) = rest.split_first_chunk() {
        let header = u32::from_le_bytes([*low, *middle, *high, 0]);
        let (is_last, kind, size) = (header & 1 == 1, header >> 1 & 3, header >> 3);
        if kind == COMPRESSED && size == 0 {
            return true;
        }
        if is_last {
            return false;
        }
        let stored = if kind == RUN_LENGTH { 1 } else { size as usize };
        rest = content.get(stored..).unwrap_or_default();
    }
    false
}

/// The blocks of a frame, which follow its header. RFC 8878, section 3.1.1.1.
fn after_header(header: &[u8]) -> Option<&[u8]> {
    let (descriptor, fields) = header.split_first()?;
    let is_single_segment = descriptor & 0x20 != 0;
    let window = usize::from(!is_single_segment);
    let dictionary = [0, 1, 2, 4][usize::from(descriptor & 3)];
    let content_size = [usize::from(is_single_segment), 2, 4, 8][usize::from(descriptor >> 6)];
    fields.get(window + dictionary + content_size..)
}

/// Decompresses frames of which the first was compressed with `prefix`: bytes to which it refers as
/// to earlier output.
///
/// # Errors
/// When a frame is malformed, does not declare its content size, or does not match its checksum,
/// which also happens if `prefix` is not the one that it was compressed with. When the content has
/// more than `limit` bytes, or memory is not sufficient.
pub fn decompress_with_prefix(src: &[u8], prefix: &[u8], limit: usize) -> Result<Vec<u8>, ZstdError> {
    let declared = frame_content_size(src)?.ok_or(ZstdError::Library("Content size is not declared"))?;
    let len = usize::try_from(declared).ok().filter(|len| *len <= limit).ok_or(ZstdError::Limit(limit))?;
    let mut out = Vec::new();
    out.try_reserve_exact(len).map_err(|_| ZstdError::OutOfMemory)?;
    out.resize(len, 0);
    let mut context = Decompressor::new()?;
    // SAFETY: the context is live, and `prefix` outlives it.
    check(unsafe {
        zstd_sys::ZSTD_DCtx_refPrefix(context.0.as_ptr(), prefix.as_ptr().cast(), prefix.len())
    })?;
    let written = context.decompress_into(src, &mut out)?;
    out.truncate(written);
    Ok(out)
}

/// Doubles the capacity of `out` within the limit; returns the spare capacity.
fn grow(out: &mut Vec<u8>, produced: usize, limit: usize) -> Result<usize, ZstdError> {
    let left = limit - produced;
    let spare = out.capacity() - out.len();
    if spare == 0 && left > 0 {
        let more = produced.max(FIRST_GROWTH).min(left);
        out.try_reserve_exact(more).map_err(|_| ZstdError::OutOfMemory)?;
    }
    Ok(left.min(out.capacity() - out.len()))
}

/// Appends one frame with the content `src` to `out`. The frame declares its content size.
///
/// # Errors
/// When memory is not sufficient, or the library does not know the level.
#[cfg(any(feature = "encoders", not(target_arch = "wasm32"), test))]
pub fn compress(src: &[u8], level: i32, checksum: bool, out: &mut Vec<u8>) -> Result<(), ZstdError> {
    use zstd_sys::ZSTD_cParameter::{ZSTD_c_checksumFlag, ZSTD_c_compressionLevel};

    struct CompressionContext(NonNull<zstd_sys::ZSTD_CCtx>);
    impl Drop for CompressionContext {
        fn drop(&mut self) {
            // SAFETY: the context is created below and freed once.
            unsafe { zstd_sys::ZSTD_freeCCtx(self.0.as_ptr()) };
        }
    }

    // SAFETY: no preconditions; null means out of memory.
    let context = CompressionContext(
        NonNull::new(unsafe { zstd_sys::ZSTD_createCCtx() }).ok_or(ZstdError::OutOfMemory)?,
    );
    for (parameter, value) in [(ZSTD_c_compressionLevel, level), (ZSTD_c_checksumFlag, i32::from(checksum))] {
        // SAFETY: the context is live.
        check(unsafe { zstd_sys::ZSTD_CCtx_setParameter(context.0.as_ptr(), parameter, value) })?;
    }
    // SAFETY: a pure function of the length.
    let bound = check(unsafe { zstd_sys::ZSTD_compressBound(src.len()) })?;
    out.try_reserve(bound).map_err(|_| ZstdError::OutOfMemory)?;
    let spare = out.spare_capacity_mut();
    // SAFETY: the context and `src` are live; `spare` is exclusive and has this length.
    let written = check(unsafe {
        zstd_sys::ZSTD_compress2(
            context.0.as_ptr(),
            spare.as_mut_ptr().cast(),
            spare.len(),
            src.as_ptr().cast(),
            src.len(),
        )
    })?;
    // SAFETY: the library has written the first `written` spare bytes.
    unsafe { out.set_len(out.len() + written) };
    Ok(())
}

/// Checks a result of the library: a size or an error code.
fn check(code: usize) -> Result<usize, ZstdError> {
    // SAFETY: a pure function of the number.
    if unsafe { zstd_sys::ZSTD_isError(code) } == 0 {
        return Ok(code);
    }
    // SAFETY: for every code the library returns a static, NUL-terminated string.
    let name = unsafe { CStr::from_ptr(zstd_sys::ZSTD_getErrorName(code)) };
    Err(ZstdError::Library(name.to_str().unwrap_or("unknown error")))
}

#[cfg(test)]
#[allow(clippy::cast_possible_truncation)]
mod tests {
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    use super::super::naive;
    use super::*;

    /// A frame of the `zstd` tool, without content size: `printf 'zarr zarr zarr zarr' | zstd
    /// --no-check`.
    const STREAMED: &str = "28b52ffd00585d0000287a617272200100908b16";

    /// A frame of the `zstd` tool with a prefix: `zstd --patch-from=1000..1099 1050..1099`, where
    /// both files are [`counted`].
    const PREFIXED: &str = "28b52ffd24f93d0000000100763e65803be97445";

    /// The output of `seq -s ' '`, without the last line feed.
    fn counted(numbers: core::ops::RangeInclusive<u32>) -> Vec<u8> {
        numbers.map(|number| number.to_string()).collect::<Vec<_>>().join(" ").into_bytes()
    }

    fn compressed(src: &[u8], level: i32) -> Vec<u8> {
        let mut frame = Vec::new();
        compress(src, level, true, &mut frame).unwrap();
        frame
    }

    fn skippable(content: &[u8]) -> Vec<u8> {
        [&0x184d_2a53u32.to_le_bytes(), &(content.len() as u32).to_le_bytes(), content].concat()
    }

    #[test]
    fn every_length_round_trips_with_one_context() {
        let mut context = Decompressor::new().unwrap();
        for len in naive::counts(&[5000, 200_000]) {
            let src: Vec<u8> = naive::bytes(len, 3).into_iter().map(|byte| byte & 0x83).collect();
            let frame = compressed(&src, 3);
            assert_eq!(frame_content_size(&frame), Ok(Some(len as u64)));
            let mut dst = vec![0; len];
            assert_eq!(context.decompress_into(&frame, &mut dst), Ok(len));
            assert!(dst == src, "{len} bytes into a slice");
            let mut out = b"before".to_vec();
            context.decompress_to_vec(&frame, len, &mut out).unwrap();
            assert!(out == [b"before", &src[..]].concat(), "{len} bytes to a vector");
        }
    }

    #[test]
    fn several_and_skippable_frames_are_one_stream() {
        let (first, second) = (naive::bytes(1000, 1), naive::bytes(70_000, 2));
        let parts = [skippable(b"note"), compressed(&first, 1), skippable(b""), compressed(&second, 9)];
        let (stream, expected) = (parts.concat(), [first, second].concat());
        assert_eq!(frame_content_size(&stream), Ok(Some(71_000)));
        let mut context = Decompressor::new().unwrap();
        let mut dst = vec![0; 71_000];
        assert_eq!(context.decompress_into(&stream, &mut dst), Ok(71_000));
        assert!(dst == expected);
        let mut out = Vec::new();
        context.decompress_to_vec(&stream, 71_000, &mut out).unwrap();
        assert!(out == expected);
    }

    #[test]
    fn a_frame_without_content_size_is_read_as_a_stream() {
        let frame = naive::hex(STREAMED);
        assert_eq!(frame_content_size(&frame), Ok(None));
        let mut out = Vec::new();
        Decompressor::new().unwrap().decompress_to_vec(&frame, 19, &mut out).unwrap();
        assert_eq!(out, b"zarr zarr zarr zarr");
    }

    #[test]
    fn the_limit_holds_before_memory_grows() {
        let frame = compressed(&vec![0; 1 << 20], 3);
        let mut context = Decompressor::new().unwrap();
        let mut out = Vec::new();
        assert_eq!(context.decompress_to_vec(&frame, 1000, &mut out), Err(ZstdError::Limit(1000)));
        assert!(out.capacity() <= 1000, "capacity {}", out.capacity());
        let mut small = vec![0; 1000];
        assert!(matches!(context.decompress_into(&frame, &mut small), Err(ZstdError::Library(_))));
        out.clear();
        context.decompress_to_vec(&frame, 1 << 20, &mut out).unwrap();
        assert_eq!(out.len(), 1 << 20);
    }

    #[test]
    fn a_window_of_a_gibibyte_is_refused() {
        // Magic, descriptor without content size, window descriptor 2^30, one empty last block.
        let frame = [0x28, 0xb5, 0x2f, 0xfd, 0x00, 20 << 3, 0x01, 0x00, 0x00];
        let error = Decompressor::new().unwrap().decompress_to_vec(&frame, 1 << 30, &mut Vec::new());
        assert_eq!(error, Err(ZstdError::Library("Frame requires too much memory for decoding")));
    }

    #[test]
    fn a_frame_that_declares_more_than_it_has_is_refused() {
        // One segment of a mebibyte, which an empty last block ends at once.
        let frame = [0x28, 0xb5, 0x2f, 0xfd, 0xa0, 0x00, 0x00, 0x10, 0x00, 0x01, 0x00, 0x00];
        let mut context = Decompressor::new().unwrap();
        assert!(context.decompress_into(&frame, &mut vec![0; 1 << 20]).is_err());
        let error = context.decompress_to_vec(&frame, 1 << 20, &mut Vec::new());
        assert_eq!(error, Err(ZstdError::Library("Content size differs from the declared one")));
    }

    #[test]
    fn an_empty_compressed_block_is_refused() {
        // Magic, descriptor without content size, window descriptor; then blocks.
        let header = [0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x00];
        let (raw, run, empty) =
            ([0x10, 0x00, 0x00, b'a', b'b'], [0x1a, 0x00, 0x00, b'c'], [0x05, 0x00, 0x00]);
        let mut context = Decompressor::new().unwrap();
        let mut decoded = |blocks: &[&[u8]]| {
            let frame = [&header, blocks.concat().as_slice()].concat();
            let stream = [skippable(b"xyz"), compressed(b"z", 3), frame].concat();
            let mut out = Vec::new();
            let streamed = context.decompress_to_vec(&stream, 100, &mut out);
            assert_eq!(context.decompress_into(&stream, &mut [0; 100]).is_ok(), streamed.is_ok());
            streamed.map(|()| out)
        };
        assert_eq!(decoded(&[&raw, &run, &[0x01, 0x00, 0x00]]), Ok(b"zabccc".to_vec()));
        let refused = Err(ZstdError::Library("A compressed block is empty"));
        assert_eq!(decoded(&[&raw, &run, &empty]), refused);
        assert_eq!(decoded(&[&raw, &[0x04, 0x00, 0x00], &[0x01, 0x00, 0x00]]), refused);
    }

    #[test]
    fn every_truncation_and_every_flipped_checksum_bit_is_an_error() {
        let src = naive::bytes(300, 9);
        let frame = compressed(&src, 3);
        let mut context = Decompressor::new().unwrap();
        for cut in 1..frame.len() {
            assert!(frame_content_size(&frame[..cut]).is_err(), "size, cut at {cut}");
            assert!(context.decompress_into(&frame[..cut], &mut [0; 300]).is_err(), "slice, cut at {cut}");
            let result = context.decompress_to_vec(&frame[..cut], 300, &mut Vec::new());
            assert_eq!(result, Err(ZstdError::Truncated), "vector, cut at {cut}");
        }
        for bit in 0..32 {
            let mut broken = frame.clone();
            broken[frame.len() - 4 + bit / 8] ^= 1 << (bit % 8);
            let result = context.decompress_into(&broken, &mut [0; 300]);
            assert_eq!(result, Err(ZstdError::Library("Restored data doesn't match checksum")), "bit {bit}");
        }
    }

    #[test]
    fn a_frame_with_a_prefix_needs_that_prefix() {
        let (frame, prefix) = (naive::hex(PREFIXED), counted(1000..=1099));
        assert_eq!(decompress_with_prefix(&frame, &prefix, 249), Ok(counted(1050..=1099)));
        let short = decompress_with_prefix(&frame, &prefix[..100], 249);
        assert!(matches!(short, Err(ZstdError::Library(_))), "{short:?}");
        let other = decompress_with_prefix(&frame, &counted(2000..=2099), 249);
        assert_eq!(other, Err(ZstdError::Library("Restored data doesn't match checksum")));
        for cut in 1..frame.len() {
            assert!(decompress_with_prefix(&frame[..cut], &prefix, 249).is_err(), "cut at {cut}");
        }
    }

    #[test]
    fn a_frame_with_a_prefix_has_a_bound() {
        let frame = naive::hex(PREFIXED);
        assert_eq!(decompress_with_prefix(&frame, &[], 248), Err(ZstdError::Limit(248)));
        let undeclared = decompress_with_prefix(&naive::hex(STREAMED), &[], 19);
        assert_eq!(undeclared, Err(ZstdError::Library("Content size is not declared")));
    }

    #[test]
    fn nothing_is_an_empty_stream() {
        assert_eq!(frame_content_size(&[]), Ok(Some(0)));
        let mut context = Decompressor::new().unwrap();
        assert_eq!(context.decompress_into(&[], &mut []), Ok(0));
        let mut out = Vec::new();
        context.decompress_to_vec(&[], 0, &mut out).unwrap();
        assert!(out.is_empty());
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod properties {
    use super::*;

    proptest::proptest! {
        #[test]
        fn mutated_frames_give_errors_or_bounded_output(
            src in proptest::collection::vec(0u8..4, 0..3000),
            changes in proptest::collection::vec((0usize..3000, 0u8..), 1..4),
        ) {
            let mut frame = Vec::new();
            compress(&src, 3, false, &mut frame).unwrap();
            let len = frame.len();
            for (at, value) in changes {
                frame[at % len] = value;
            }
            let mut context = Decompressor::new().unwrap();
            let (mut out, mut dst) = (Vec::new(), vec![0; 4000]);
            let streamed = context.decompress_to_vec(&frame, 4000, &mut out);
            assert!(out.len() <= 4000 && out.capacity() <= 4000);
            if let (Ok(()), Ok(written)) = (streamed, context.decompress_into(&frame, &mut dst)) {
                assert_eq!(out, dst[..written]);
            }
            let _ = frame_content_size(&frame);
        }
    }
}
