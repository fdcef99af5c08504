//! `blosc`: the Blosc 1 container.
//! <https://zarr-specs.readthedocs.io/en/latest/v3/codecs/blosc/index.html>,
//! <https://github.com/Blosc/c-blosc/blob/main/README_CHUNK_FORMAT.rst>
//!
//! A frame has blocks. The encoder shuffles a block, may split it into one stream for each byte of
//! an element, and compresses the streams. `header` parses the first sixteen bytes, `decode`
//! and `encode` handle blocks, and `compressor` has the five compressors, of which `blosclz`
//! is Blosc's own. Decoding uses the header and ignores the configuration. Blosc 2, whose frames
//! have another version, is refused by name.

mod blosclz;
mod compressor;
mod decode;
mod encode;
mod header;

use std::ops::Range;

use compressor::Compressor;
use decode::FrameDecoder;
use encode::FrameEncoder;
use header::{BlockShuffle, FrameHeader};

use crate::error::Result;
use crate::format::codec::configuration::{Configuration, Spelling};
use crate::format::codec::{BytesToBytes, ChunkRepresentation, Codec, Output};
use crate::limits;

struct Blosc {
    encoder: FrameEncoder,
    decoder: FrameDecoder,
}

/// The values of `cname`: the compressor, and whether it is `lz4hc`.
const COMPRESSORS: [(&str, (Compressor, bool)); 6] = [
    ("blosclz", (Compressor::BloscLz, false)),
    ("lz4", (Compressor::Lz4, false)),
    ("lz4hc", (Compressor::Lz4, true)),
    ("snappy", (Compressor::Snappy, false)),
    ("zlib", (Compressor::Zlib, false)),
    ("zstd", (Compressor::Zstd, false)),
];

/// The values of `shuffle` in v3.
const SHUFFLES: [(&str, BlockShuffle); 3] =
    [("noshuffle", BlockShuffle::None), ("shuffle", BlockShuffle::Bytes), ("bitshuffle", BlockShuffle::Bits)];

/// Binds the codec. Decoding does not need the configuration, because the frame describes itself.
///
/// # Errors
/// None: only encoding needs valid values.
pub fn bind(configuration: &Configuration<'_>, decoded: &ChunkRepresentation) -> Result<Codec> {
    let read = if configuration.codec().name == "imagecodecs_blosc" { imagecodecs } else { zarr };
    let default = default_encoder(decoded.data_type.size().unwrap_or(1));
    let encoder = configuration.for_encoder(read(configuration, default).map(Some)).unwrap_or(default);
    Ok(Codec::bytes_to_bytes(Blosc { encoder, decoder: FrameDecoder::default() }))
}

/// The defaults of numcodecs for elements of this size.
fn default_encoder(typesize: usize) -> FrameEncoder {
    FrameEncoder {
        compressor: Compressor::Lz4,
        high_compression: false,
        level: 5,
        shuffle: automatic_shuffle(typesize),
        typesize,
        blocksize: None,
    }
}

fn automatic_shuffle(typesize: usize) -> BlockShuffle {
    if typesize == 1 { BlockShuffle::Bits } else { BlockShuffle::Bytes }
}

/// Reads the fields of v3 and of numcodecs.
fn zarr(configuration: &Configuration<'_>, default: FrameEncoder) -> Result<FrameEncoder> {
    // After an error some fields would stay unread, and v3 refuses unread fields.
    ["cname", "clevel", "shuffle", "typesize", "blocksize"]
        .iter()
        .for_each(|field| configuration.tolerate(field));
    let (compressor, high_compression) =
        configuration.choice("cname", &COMPRESSORS)?.unwrap_or((default.compressor, false));
    let level = configuration.integer("clevel", 0..=9)?.map_or(default.level, level);
    let shuffle = match configuration.spelling() {
        Spelling::Zarr => configuration.choice("shuffle", &SHUFFLES)?,
        Spelling::Numcodecs => numcodecs_shuffle(configuration)?,
    };
    // 0 means absent: early releases of zarr-python 3 wrote it, and numcodecs writes it for the
    // block size.
    let size = |field| -> Result<Option<usize>> {
        let size = configuration.integer(field, 0..=i64::from(i32::MAX))?.filter(|&size| size > 0);
        size.map(|size| limits::to_usize(size.unsigned_abs(), field)).transpose()
    };
    let typesize = size("typesize")?.unwrap_or(default.typesize);
    let shuffle = shuffle.unwrap_or(automatic_shuffle(typesize));
    let blocksize = size("blocksize")?;
    Ok(FrameEncoder { compressor, high_compression, level, shuffle, typesize, blocksize })
}

fn level(level: i64) -> u8 {
    u8::try_from(level).unwrap_or(9)
}

/// Reads the fields of imagecodecs: `level`, and `compressor` and `shuffle` as strings or numbers.
fn imagecodecs(configuration: &Configuration<'_>, default: FrameEncoder) -> Result<FrameEncoder> {
    ["level", "compressor", "shuffle"].iter().for_each(|field| configuration.tolerate(field));
    let is_number = |field| configuration.json(field).is_some_and(|json| json.i64().is_ok());
    let compressor = match is_number("compressor") {
        true => {
            let number = configuration.integer("compressor", 0..=5)?.unwrap_or(0);
            limits::to_usize(number.unsigned_abs(), "compressor")
                .map(|at| COMPRESSORS.get(at).map(|it| it.1))?
        }
        false => configuration.choice("compressor", &COMPRESSORS)?,
    };
    let shuffle = match is_number("shuffle") {
        true => numcodecs_shuffle(configuration)?,
        false => configuration.choice("shuffle", &SHUFFLES)?.or(Some(BlockShuffle::None)),
    };
    let (compressor, high_compression) = compressor.unwrap_or((Compressor::BloscLz, false));
    let level = configuration.integer("level", 0..=9)?.map_or(1, level);
    let shuffle = shuffle.unwrap_or(default.shuffle);
    Ok(FrameEncoder { compressor, high_compression, level, shuffle, ..default })
}

/// Reads the numbers of numcodecs, or the strings that GDAL writes for two of them.
fn numcodecs_shuffle(configuration: &Configuration<'_>) -> Result<Option<BlockShuffle>> {
    const GDAL: [(&str, BlockShuffle); 3] =
        [("NONE", BlockShuffle::None), ("BYTE", BlockShuffle::Bytes), ("BIT", BlockShuffle::Bits)];
    if configuration.json("shuffle").is_some_and(|json| json.str().is_ok()) {
        return configuration.choice("shuffle", &GDAL);
    }
    Ok(match configuration.integer("shuffle", -1..=2)?.unwrap_or(1) {
        0 => Some(BlockShuffle::None),
        1 => Some(BlockShuffle::Bytes),
        2 => Some(BlockShuffle::Bits),
        _ => None,
    })
}

impl BytesToBytes for Blosc {
    fn decode(&self, encoded: &[u8], mut output: Output<'_>) -> Result<()> {
        let (header, encoded) = FrameHeader::parse(encoded)?;
        if matches!(output, Output::Growing { .. }) {
            header.check_plausible(encoded.len())?;
        }
        let target = output.reserve(header.decoded_len as u64)?;
        self.decoder.decode_blocks(&header, encoded, 0..header.block_count(), target)
    }

    fn decodes_runs(&self) -> bool {
        true
    }

    fn decode_runs(&self, encoded: &[u8], runs: &[Range<usize>], output: &mut [u8]) -> Option<Result<()>> {
        Some(FrameHeader::parse(encoded).and_then(|(header, encoded)| {
            let mut output = Output::Exact(output);
            let target = output.reserve(header.decoded_len as u64)?;
            self.decoder.decode_runs(&header, encoded, runs, target)
        }))
    }

    fn encode(&self, decoded: &[u8]) -> Result<Vec<u8>> {
        self.encoder.encode(decoded)
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests {
    use std::rc::Rc;

    use super::*;
    use crate::error::{Error, ErrorKind};
    use crate::format::codec::testing;
    use crate::format::data_type::{DataType, Integer};
    use crate::format::metadata::{CodecMetadata, ZarrFormat};
    use crate::format::tolerated::Form;

    fn bound(configuration: &str, format: ZarrFormat, data_type: DataType) -> Result<Rc<dyn BytesToBytes>> {
        let codec = CodecMetadata { format, ..testing::metadata("blosc", configuration) }.at("codecs[1]");
        testing::bytes_to_bytes(&codec, &testing::chunk(&[500], data_type))
    }

    const LZ4: &str = r#"{"cname": "lz4", "clevel": 5, "shuffle": "shuffle", "typesize": 2, "blocksize": 0}"#;

    /// 500 elements of two bytes: one block with two streams, one of them all zeros.
    fn content() -> Vec<u8> {
        (0..500_u16).flat_map(|number| (number % 200).to_le_bytes()).collect()
    }

    fn decode(codec: &dyn BytesToBytes, frame: &[u8], len: usize) -> Result<Vec<u8>> {
        let mut output = vec![0; len];
        codec.decode(frame, Output::Exact(&mut output)).map(|()| output)
    }

    #[test]
    fn every_wrong_header_has_its_error() {
        let codec = bound(LZ4, ZarrFormat::V3, DataType::Integer(Integer::Uint16)).unwrap();
        let frame = codec.encode(&content()).unwrap();
        assert_eq!(decode(&*codec, &frame, 1000).unwrap(), content());
        let refuse = |name: &str, kind: ErrorKind, at: usize, bytes: &[u8]| {
            let mut frame = frame.clone();
            frame[at..at + bytes.len()].copy_from_slice(bytes);
            let error: Error = decode(&*codec, &frame, 1000).expect_err(name);
            assert_eq!(error.kind(), kind, "{name}: {error}");
            assert!(error.message().contains(name), "{name}: {error}");
        };
        let len = u32::try_from(frame.len()).unwrap();
        refuse("unknown version", ErrorKind::Format, 0, &[1]);
        refuse("Blosc 2", ErrorKind::Unsupported, 0, &[5]);
        refuse("version of its compressor", ErrorKind::Format, 1, &[9]);
        refuse("flag that Blosc 1 does not have", ErrorKind::Format, 2, &[0x29]);
        refuse("unknown compressor", ErrorKind::Unsupported, 2, &[0xa1]);
        refuse("copied blosc frame", ErrorKind::Format, 2, &[0x23]);
        refuse("elements of zero bytes", ErrorKind::Format, 3, &[0]);
        refuse("wrong number of bytes", ErrorKind::Format, 4, &1001_u32.to_le_bytes());
        refuse("wrong number of bytes", ErrorKind::Format, 4, &0_u32.to_le_bytes());
        refuse("block size", ErrorKind::Format, 8, &0_u32.to_le_bytes());
        refuse("block size", ErrorKind::Format, 8, &1001_u32.to_le_bytes());
        refuse("block table", ErrorKind::Format, 8, &1_u32.to_le_bytes());
        refuse("another length", ErrorKind::Format, 12, &15_u32.to_le_bytes());
        refuse("stream is truncated", ErrorKind::Format, 12, &(len - 1).to_le_bytes());
        refuse("another length", ErrorKind::Format, 12, &(len + 1).to_le_bytes());
        refuse("outside of its frame", ErrorKind::Format, 16, &len.saturating_add(1).to_le_bytes());
        refuse("outside of its frame", ErrorKind::Format, 16, &19_u32.to_le_bytes());
        refuse("outside of its frame", ErrorKind::Format, 16, &u32::MAX.to_le_bytes());
        refuse("stream is truncated", ErrorKind::Format, 16, &(len - 3).to_le_bytes());
        refuse("stream is truncated", ErrorKind::Format, 20, &len.to_le_bytes());
        refuse("stream is truncated", ErrorKind::Format, 20, &u32::MAX.to_le_bytes());
    }

    #[test]
    fn bytes_after_a_frame_are_ignored() {
        let codec = bound(LZ4, ZarrFormat::V3, DataType::Integer(Integer::Uint16)).unwrap();
        let mut frame = codec.encode(&content()).unwrap();
        assert_eq!(decode(&*codec, &frame, 1000).unwrap(), content());
        assert!(Form::take_noted().is_empty());
        frame.extend([0xff; 40]);
        assert_eq!(decode(&*codec, &frame, 1000).unwrap(), content());
        assert_eq!(Form::take_noted().len(), 1);
        let mut output = vec![0; 1000];
        codec.decode_runs(&frame, &[0..10, 20..30], &mut output).unwrap().unwrap();
        assert_eq!((&output[..10], Form::take_noted().len()), (&content()[..10], 1));
    }

    #[test]
    fn decoding_uses_the_header_and_ignores_the_configuration() {
        let written = bound(LZ4, ZarrFormat::V3, DataType::Integer(Integer::Uint16)).unwrap();
        let frame = written.encode(&content()).unwrap();
        let other = r#"{"id": "blosc", "cname": "zstd", "clevel": 1, "shuffle": 2}"#;
        let reader = bound(other, ZarrFormat::V2, DataType::Integer(Integer::Uint64)).unwrap();
        assert_eq!(decode(&*reader, &frame, 1000).unwrap(), content());
    }

    /// Typesize and flags in the header.
    fn written(configuration: &str, format: ZarrFormat, data_type: DataType) -> (u8, u8) {
        let frame = bound(configuration, format, data_type).unwrap().encode(&content()).unwrap();
        (frame[3], frame[2])
    }

    #[test]
    fn defaults_depend_on_the_data_type() {
        let uint32 = DataType::Integer(Integer::Uint32);
        let automatic = r#"{"id": "blosc", "cname": "zstd", "clevel": 1, "shuffle": -1}"#;
        // zstd is 4 << 5 and never split (0x10); 1 is the byte shuffle, 4 the bit shuffle.
        assert_eq!(written(automatic, ZarrFormat::V2, uint32.clone()), (4, 0x91));
        assert_eq!(written(automatic, ZarrFormat::V2, DataType::Bool), (1, 0x94));
        let early =
            r#"{"cname": "zstd", "clevel": 1, "shuffle": "bitshuffle", "typesize": 0, "blocksize": 0}"#;
        assert_eq!(written(early, ZarrFormat::V3, uint32.clone()), (4, 0x94));
        let given =
            r#"{"cname": "zstd", "clevel": 1, "shuffle": "noshuffle", "typesize": 8, "blocksize": 0}"#;
        assert_eq!(written(given, ZarrFormat::V3, uint32), (8, 0x90));
    }

    #[test]
    fn wrong_configurations_name_the_field() {
        for (configuration, field) in [
            (r#"{"cname": "lzma"}"#, "cname"),
            (r#"{"clevel": 10}"#, "clevel"),
            (r#"{"shuffle": 1}"#, "shuffle"),
            (r#"{"typesize": -1}"#, "typesize"),
            (r#"{"blocksize": "auto"}"#, "blocksize"),
            (r#"{"threads": 2}"#, "threads"),
        ] {
            let error = bound(configuration, ZarrFormat::V3, DataType::Bool).err().unwrap();
            assert_eq!(error.kind(), ErrorKind::Format, "{configuration}");
            let path = format!("codecs[1].configuration.{field}");
            assert_eq!(error.context().field.as_deref(), Some(path.as_str()), "{configuration}");
        }
    }

    #[test]
    fn only_the_wanted_blocks_are_decoded() {
        let noshuffle =
            r#"{"cname": "lz4", "clevel": 5, "shuffle": "noshuffle", "typesize": 255, "blocksize": 256}"#;
        let codec = bound(noshuffle, ZarrFormat::V3, DataType::Bool).unwrap();
        let content: Vec<u8> = (0..1000_u32).map(|idx| (idx / 50).to_le_bytes()[0]).collect();
        let mut frame = codec.encode(&content).unwrap();
        // Blocks of 255 bytes; the second block's stream is corrupt.
        let start = u32::from_le_bytes(*frame[20..].first_chunk().unwrap()) as usize;
        frame[start..start + 4].copy_from_slice(&u32::MAX.to_le_bytes());
        let runs = |runs: &[Range<usize>]| {
            let mut output = vec![0; 1000];
            codec.decode_runs(&frame, runs, &mut output).unwrap().map(|()| output)
        };
        let output = runs(&[3..3, 10..20, 100..255, 510..600]).unwrap();
        assert_eq!(output[10..20], content[10..20]);
        assert_eq!(output[510..600], content[510..600]);
        assert_eq!(output[255..510], [0; 255]);
        assert_eq!(runs(&[10..20, 254..256]).unwrap_err().kind(), ErrorKind::Format);
    }
}
