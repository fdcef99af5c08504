//! The table of codecs: one line for each codec, with its module. A new codec needs its file, its
//! line here and its test vectors in `tests/codec-vectors/<name>/`.
//!
//! The last four columns say what other libraries do with the codec in v3 metadata, from
//! measurements or from their documentation. The table in `docs/codecs.md` is made from them.

use super::configuration::Configuration;
use super::user::OptionalUserCodecs;
use super::{Spec, array_to_array, array_to_bytes, bytes_to_bytes, external, sharding, unsupported};
use crate::error::{Error, Result, Stage};
use crate::format::metadata::json::Document;
use crate::format::metadata::{CodecMetadata, ZarrFormat};

/// The kind of a codec, which decides its position in a chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CodecKind {
    /// Array → array.
    ArrayToArray,
    /// Array → bytes.
    ArrayToBytes,
    /// Bytes → bytes.
    BytesToBytes,
}

/// The WebAssembly module that can **decode** a codec. Only the full module has encoders of
/// compressors and filters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WasmModule {
    /// The engine, which every reader loads. The other modules contain all that it has.
    Engine,
    /// The full module, loaded when an array needs it.
    Full,
    /// The module of image formats, loaded when an array needs it.
    Images,
}

impl WasmModule {
    /// The name of the build, as TypeScript spells it (`DecodeBuild`).
    pub fn name(self) -> &'static str {
        match self {
            Self::Engine => "engine",
            Self::Full => "full",
            Self::Images => "images",
        }
    }

    /// Whether this build contains that module. The host build contains all of them.
    pub fn is_in_this_build(self) -> bool {
        match self {
            Self::Engine => true,
            Self::Full => ENCODERS,
            Self::Images => cfg!(any(feature = "images", not(target_arch = "wasm32"))),
        }
    }
}

/// Whether this build can encode with compressors: only the full module and the host build can.
pub const ENCODERS: bool = cfg!(any(feature = "full", not(target_arch = "wasm32")));

/// One codec of the table.
#[derive(Debug)]
pub struct CodecEntry {
    /// The name that v3 metadata is written with.
    pub name: &'static str,
    /// Other names that are accepted in v3 metadata.
    pub aliases: &'static [&'static str],
    /// The `id`s of v2 metadata (numcodecs).
    pub v2_ids: &'static [&'static str],
    /// The kind, which decides the position in a chain.
    pub kind: CodecKind,
    /// The WebAssembly module that decodes it.
    pub module: WasmModule,
    /// What zarr-python, zarrs, TensorStore and zarrita do with it in v3 metadata.
    #[allow(dead_code, reason = "a test writes the table of codecs from it")]
    pub peers: [&'static str; 4],
    parse: fn(&Configuration<'_>) -> Result<Spec>,
}

macro_rules! entries {
    ($($name:literal, $aliases:expr, $v2_ids:expr, $kind:ident, $module:ident, $parse:expr, $peers:expr;)*) => {
        &[$(CodecEntry {
            name: $name,
            aliases: &$aliases,
            v2_ids: &$v2_ids,
            kind: CodecKind::$kind,
            module: WasmModule::$module,
            peers: $peers,
            parse: parser!($module, $parse),
        }),*]
    };
}

/// The parser of a codec. In a build without the codec's module it is a function that is never
/// called, so that the build does not contain the codec.
macro_rules! parser {
    (Full, $parse:expr) => {{
        #[cfg(any(feature = "full", not(target_arch = "wasm32")))]
        let parse = $parse;
        #[cfg(not(any(feature = "full", not(target_arch = "wasm32"))))]
        let parse = |_: &Configuration<'_>| Err(needs_module(WasmModule::Full));
        parse
    }};
    (Images, $parse:expr) => {{
        #[cfg(any(feature = "images", not(target_arch = "wasm32")))]
        let parse = $parse;
        #[cfg(not(any(feature = "images", not(target_arch = "wasm32"))))]
        let parse = |_: &Configuration<'_>| Err(needs_module(WasmModule::Images));
        parse
    }};
    ($module:ident, $parse:expr) => {
        $parse
    };
}

/// Every codec that this package can decode.
#[rustfmt::skip]
pub static ENTRIES: &[CodecEntry] = entries! {
    // name              aliases                    v2 ids      kind          module  parser
    // zarr-python zarrs tensorstore zarrita
    "bytes",             ["endian"],                [],         ArrayToBytes, Engine, array_to_bytes::bytes::parse,    ["yes", "yes", "yes", "yes"];
    "transpose",         [],                        [],         ArrayToArray, Engine, array_to_array::transpose::parse, ["yes", "yes", "yes", "one only"];
    "sharding_indexed",  [],                        [],         ArrayToBytes, Engine, sharding::parse,                 ["yes", "yes", "yes", "in part"];
    "gzip",              ["numcodecs.gzip"],        ["gzip"],   BytesToBytes, Engine, bytes_to_bytes::gzip::parse,     ["yes", "yes", "yes", "yes"];
    "numcodecs.zlib",    ["zlib"],                  ["zlib", "imagecodecs_zlib", "imagecodecs_zlibng", "imagecodecs_zopfli", "imagecodecs_deflate"], BytesToBytes, Engine, bytes_to_bytes::zlib::parse,     ["yes", "yes", "no", "yes"];
    "zstd",              ["numcodecs.zstd"],        ["zstd", "imagecodecs_zstd"], BytesToBytes, Engine, bytes_to_bytes::zstd::parse,     ["yes", "yes", "yes", "yes"];
    "numcodecs.lz4",     [],                        ["lz4"],    BytesToBytes, Engine, bytes_to_bytes::lz4::parse,      ["yes", "no", "no", "yes"];
    "blosc",             ["numcodecs.blosc"],       ["blosc", "imagecodecs_blosc"], BytesToBytes, Engine, bytes_to_bytes::blosc::parse,    ["no snappy", "yes", "yes", "yes"];
    "crc32c",            ["numcodecs.crc32c"],      ["crc32c"], BytesToBytes, Engine, bytes_to_bytes::crc32c::parse,   ["yes", "yes", "yes", "unverified"];
    "numcodecs.delta",   [],                        ["delta"],  ArrayToArray, Engine, array_to_array::delta::parse,    ["yes", "no", "no", "no astype"];
    "numcodecs.fixedscaleoffset", [],               ["fixedscaleoffset"], ArrayToArray, Engine, array_to_array::fixedscaleoffset::parse, ["yes", "yes", "no", "no"];
    "numcodecs.quantize", [],                       ["quantize"], ArrayToArray, Engine, array_to_array::quantize::parse, ["yes", "no", "no", "no"];
    "numcodecs.astype",  [],                        ["astype"], ArrayToArray, Engine, array_to_array::astype::parse,   ["yes", "no", "no", "no"];
    "numcodecs.categorize", [],                     ["categorize"], ArrayToArray, Full,   array_to_array::categorize::parse, ["no", "no", "no", "no"];
    "bitround",          ["numcodecs.bitround"],    ["bitround"], ArrayToArray, Engine, array_to_array::bitround::parse, ["as numcodecs.bitround", "yes", "no", "decode"];
    "scale_offset",      [],                        [],         ArrayToArray, Full,   array_to_array::scale_offset::parse, ["yes", "no", "no", "mostly"];
    "cast_value",        [],                        [],         ArrayToArray, Full,   array_to_array::cast_value::parse, ["yes", "no", "no", "yes"];
    "reshape",           [],                        [],         ArrayToArray, Full,   array_to_array::reshape::parse,  ["no", "yes", "no", "no"];
    "zarrs.squeeze",     [],                        [],         ArrayToArray, Full,   array_to_array::reshape::parse_squeeze, ["no", "yes", "no", "no"];
    "numcodecs.packbits", [],                       ["packbits"], ArrayToArray, Full,   array_to_array::numcodecs_packbits::parse, ["yes", "no", "no", "no"];
    "packbits",          [],                        [],         ArrayToBytes, Full,   array_to_bytes::packbits::parse, ["no", "edge chunks wrong", "no", "no"];
    "vlen-utf8",         [],                        ["vlen-utf8"], ArrayToBytes, Engine, array_to_bytes::vlen::parse_utf8, ["yes", "yes", "no", "yes"];
    "vlen-bytes",        [],                        ["vlen-bytes"], ArrayToBytes, Engine, array_to_bytes::vlen::parse_bytes, ["yes", "yes", "no", "no"];
    "vlen-array",        [],                        ["vlen-array"], ArrayToBytes, Full,   array_to_bytes::vlen::parse_array, ["no", "yes", "no", "no"];
    "zarrs.vlen_v2",     [],                        [],         ArrayToBytes, Engine, array_to_bytes::vlen::parse_any, ["no", "yes", "no", "no"];
    "numcodecs.json2",   [],                        ["json2"],  ArrayToBytes, Full,   array_to_bytes::json2::parse,    ["no", "no", "no", "yes"];
    "numcodecs.msgpack2", [],                       ["msgpack2"], ArrayToBytes, Full, array_to_bytes::msgpack2::parse, ["no", "no", "no", "no"];
    "numcodecs.pcodec",  [],                        ["pcodec"], ArrayToBytes, Full,   array_to_bytes::pcodec::parse,   ["yes", "yes", "no", "no"];
    "numcodecs.zfpy",    [],                        ["zfpy"],   ArrayToBytes, Full,   array_to_bytes::zfpy::parse,     ["yes", "yes", "no", "no"];
    "zfp",               ["zarrs.zfp"],             [],         ArrayToBytes, Full,   array_to_bytes::zfp::parse,      ["no", "yes", "no", "no"];
    "n5_default",        [],                        [],         ArrayToBytes, Full,   array_to_bytes::n5_default::parse, ["plugin", "plugin", "as N5", "no"];
    "zarrs.optional",    ["optional"],              [],         ArrayToBytes, Full,   array_to_bytes::optional::parse, ["no", "yes", "no", "no"];
    "numcodecs.shuffle", [],                        ["shuffle"], BytesToBytes, Engine, bytes_to_bytes::shuffle::parse, ["yes", "yes", "no", "yes"];
    "numcodecs.crc32",   [],                        ["crc32"],  BytesToBytes, Full,   bytes_to_bytes::crc32::parse,    ["yes", "no", "no", "no"];
    "numcodecs.adler32", [],                        ["adler32"], BytesToBytes, Full,   bytes_to_bytes::adler32::parse, ["yes", "yes", "no", "no"];
    "numcodecs.fletcher32", [],                     ["fletcher32"], BytesToBytes, Engine, bytes_to_bytes::fletcher32::parse, ["yes", "yes", "no", "no"];
    "numcodecs.jenkins_lookup3", [],                ["jenkins_lookup3"], BytesToBytes, Full, bytes_to_bytes::jenkins_lookup3::parse, ["yes", "no", "no", "no"];
    "numcodecs.bz2",     [],                        ["bz2", "imagecodecs_bz2"], BytesToBytes, Full,   bytes_to_bytes::bz2::parse,      ["yes", "yes", "no", "no"];
    "numcodecs.lzma",    [],                        ["lzma", "imagecodecs_lzma"], BytesToBytes, Full,   bytes_to_bytes::lzma::parse,     ["yes", "no", "no", "no"];
    "numcodecs.base64",  [],                        ["base64"], BytesToBytes, Full,   bytes_to_bytes::base64::parse,   ["no", "no", "no", "no"];
    "conditional",       [],                        [],         BytesToBytes, Full,   bytes_to_bytes::conditional::parse, ["no", "no", "no", "no"];
    "jpeg",              ["imagecodecs_jpeg"],      ["imagecodecs_jpeg"], ArrayToBytes, Images, array_to_bytes::image::jpeg::parse, ["plugin", "no", "no", "no"];
    "imagecodecs_jpeg2k", [],                       ["imagecodecs_jpeg2k"], ArrayToBytes, Images, array_to_bytes::image::jpeg2k::parse, ["plugin", "no", "no", "no"];
    "jpegxl",            ["imagecodecs_jpegxl"],    ["imagecodecs_jpegxl"], ArrayToBytes, Images, array_to_bytes::image::jpegxl::parse, ["plugin", "no", "no", "no"];
    "imagecodecs_webp",  [],                        ["imagecodecs_webp"], ArrayToBytes, Images, array_to_bytes::image::webp::parse, ["plugin", "no", "no", "no"];
    "imagecodecs_png",   ["imagecodecs_spng"],      ["imagecodecs_png", "imagecodecs_spng"], ArrayToBytes, Images, array_to_bytes::image::png::parse, ["plugin", "no", "no", "no"];
    "imagecodecs_qoi",   [],                        ["imagecodecs_qoi"], ArrayToBytes, Images, array_to_bytes::image::qoi::parse, ["plugin", "no", "no", "no"];
    "imagecodecs_lerc",  [],                        ["imagecodecs_lerc"], ArrayToBytes, Images, array_to_bytes::image::lerc::parse, ["plugin", "no", "no", "no"];
    "lzw",               ["imagecodecs_lzw"],       ["imagecodecs_lzw"], BytesToBytes, Images, bytes_to_bytes::lzw::parse, ["plugin", "no", "no", "no"];
    "imagecodecs_packbits", [],                     ["imagecodecs_packbits"], BytesToBytes, Images, bytes_to_bytes::imagecodecs_packbits::parse, ["plugin", "no", "no", "no"];
    "imagecodecs_delta", [],                        ["imagecodecs_delta"], ArrayToArray, Images, array_to_array::imagecodecs_delta::parse, ["plugin", "no", "no", "no"];
    "imagecodecs_floatpred", [],                    ["imagecodecs_floatpred"], ArrayToArray, Images, array_to_array::imagecodecs_floatpred::parse, ["plugin", "no", "no", "no"];
};

/// Finds the codec of this name.
///
/// # Errors
/// `Unsupported` at [`Stage::CodecName`] for an unknown name.
pub fn lookup(name: &str, format: ZarrFormat) -> Result<&'static CodecEntry> {
    find(name, format).ok_or_else(|| {
        let error = match unsupported::reason(name) {
            Some(reason) => Error::unsupported(format!("this codec is not supported: {reason}")),
            None => Error::unsupported("unknown codec"),
        };
        error.in_codec(name).in_stage(Stage::CodecName)
    })
}

/// The kind of the codec of this name; `None` for an unknown name.
pub fn kind_of(name: &str, format: ZarrFormat) -> Option<CodecKind> {
    find(name, format).map(|entry| entry.kind)
}

/// The WebAssembly module that decodes the codec of this name; `None` for an unknown name.
pub fn module_of(name: &str, format: ZarrFormat) -> Option<WasmModule> {
    find(name, format).map(|entry| entry.module)
}

/// Parses a codec's metadata for encoding, which needs every parameter.
///
/// # Errors
/// `Unsupported` for an unknown codec, `Format` for a configuration that breaks the codec's
/// specification. Both name the codec and the field.
#[cfg(feature = "internals")]
pub fn parse(codec: &CodecMetadata) -> Result<Spec> {
    let ParsedCodec { spec, encode_error } = parse_with(codec, &None)?;
    encode_error.map_or(Ok(spec), Err)
}

/// A parsed codec that can decode, and perhaps encode.
pub struct ParsedCodec {
    /// The parsed codec.
    pub spec: Spec,
    /// Set when the codec cannot encode: the error of a parameter that only an encoder needs.
    pub encode_error: Option<Error>,
}

impl From<Spec> for ParsedCodec {
    fn from(spec: Spec) -> Self {
        Self { spec, encode_error: None }
    }
}

/// Parses a codec's metadata for decoding. The codec may contain a chain with user codecs.
///
/// # Errors
/// As [`parse`], without the errors of parameters that only an encoder needs.
pub fn parse_with(codec: &CodecMetadata, users: &OptionalUserCodecs) -> Result<ParsedCodec> {
    let add_context = |error: Error| error.in_codec(codec.name.as_str()).within_field(&codec.field);
    let ParsedCodec { spec, encode_error } = parse_entry(codec, users).map_err(add_context)?;
    Ok(ParsedCodec { spec, encode_error: encode_error.map(add_context) })
}

fn parse_entry(codec: &CodecMetadata, users: &OptionalUserCodecs) -> Result<ParsedCodec> {
    let entry = lookup(&codec.name, codec.format)?;
    if !entry.module.is_in_this_build() {
        // The next codec of the chain sees another data type or shape, which only the codec can
        // tell.
        if entry.kind == CodecKind::ArrayToArray && entry.module == WasmModule::Full {
            Error::check_full(&codec.name)?;
        }
        return Ok(external::spec(entry.kind, entry.module, codec, users).into());
    }
    let read = || {
        let text = codec.configuration.as_deref().unwrap_or("{}");
        let document = Document::parse(text.as_bytes())?;
        let configuration = Configuration::new(codec, document.root())?.with_users(users);
        let spec = (entry.parse)(&configuration)?;
        configuration.finish()?;
        Ok((spec, configuration.into_encode_error()))
    };
    let add_context = |error: Error| match codec.format {
        ZarrFormat::V2 => error,
        ZarrFormat::V3 | ZarrFormat::Draft(_) => error.within_field("configuration"),
    };
    let (spec, encode_error) = read().map_err(add_context)?;
    Ok(ParsedCodec { spec, encode_error: encode_error.map(add_context) })
}

/// The error of a codec that only another WebAssembly module of the package has.
pub fn needs_module(module: WasmModule) -> Error {
    let name = module.name();
    Error::unsupported(format!("only the package's {name:?} module has this codec, and another module ran"))
}

/// The error of encoding with an image codec.
#[cfg(any(feature = "images", not(target_arch = "wasm32")))]
pub fn image_codecs_are_read_only() -> Error {
    Error::unsupported("image codecs can decode but not encode; choose another codec to write")
        .in_stage(Stage::Encode)
}

/// Checks that this build can encode.
///
/// # Errors
/// `Unsupported` in a build without encoders.
pub fn require_encoders() -> Result<()> {
    if ENCODERS { Ok(()) } else { Err(needs_module(WasmModule::Full).in_stage(Stage::Encode)) }
}

fn find(name: &str, format: ZarrFormat) -> Option<&'static CodecEntry> {
    ENTRIES.iter().find(|entry| match format {
        ZarrFormat::V3 | ZarrFormat::Draft(_) => entry.name == name || entry.aliases.contains(&name),
        ZarrFormat::V2 => entry.v2_ids.contains(&name),
    })
}

#[cfg(all(test, not(target_arch = "wasm32")))]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;

    fn codec(name: &str, configuration: &str, format: ZarrFormat) -> CodecMetadata {
        CodecMetadata {
            name: name.into(),
            configuration: Some(configuration.into()),
            format,
            field: "codecs[2]".into(),
        }
    }

    #[test]
    fn no_name_occurs_twice_in_the_table() {
        for names in [
            ENTRIES.iter().flat_map(|entry| entry.aliases.iter().chain([&entry.name])).collect::<Vec<_>>(),
            ENTRIES.iter().flat_map(|entry| entry.v2_ids).collect(),
        ] {
            let mut unique = names.clone();
            unique.sort_unstable();
            unique.dedup();
            assert_eq!(unique.len(), names.len());
        }
    }

    #[test]
    fn errors_name_the_unknown_codec() {
        let error = parse(&codec("imagecodecs_jetraw", "{}", ZarrFormat::V2)).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unsupported);
        assert_eq!(error.context().stage, Some(Stage::CodecName));
        assert_eq!(error.context().codec.as_deref(), Some("imagecodecs_jetraw"));
        assert_eq!(error.context().field.as_deref(), Some("codecs[2]"));
        assert_eq!(kind_of("imagecodecs_jetraw", ZarrFormat::V2), None);
        let error = parse(&codec("grib", "{}", ZarrFormat::V2)).unwrap_err();
        assert!(error.message().contains("GRIB messages"), "{error}");
        assert_eq!(parse(&codec("nobody's", "{}", ZarrFormat::V3)).unwrap_err().message(), "unknown codec");
    }

    #[test]
    fn unsupported_codecs_are_not_in_the_table() {
        for name in unsupported::UNSUPPORTED.iter().flat_map(|(names, _)| *names) {
            assert!(find(name, ZarrFormat::V2).is_none() && find(name, ZarrFormat::V3).is_none(), "{name}");
        }
    }

    #[test]
    fn v2_and_v3_names_are_separate() {
        assert_eq!(kind_of("zlib", ZarrFormat::V2), Some(CodecKind::BytesToBytes));
        assert_eq!(kind_of("bytes", ZarrFormat::V2), None);
        assert_eq!(kind_of("endian", ZarrFormat::V3), Some(CodecKind::ArrayToBytes));
        assert_eq!(module_of("numcodecs.zstd", ZarrFormat::V3), Some(WasmModule::Engine));
        assert_eq!(module_of("numcodecs.zstd", ZarrFormat::V2), None);
    }

    #[test]
    fn errors_contain_the_path_of_the_field() {
        let error = parse(&codec("gzip", r#"{"level": 10}"#, ZarrFormat::V3)).unwrap_err();
        assert_eq!(error.context().field.as_deref(), Some("codecs[2].configuration.level"));
        assert_eq!(error.context().codec.as_deref(), Some("gzip"));
        let error = parse(&codec("zstd", r#"{"level": 3, "window": 9}"#, ZarrFormat::V3)).unwrap_err();
        assert_eq!(error.context().field.as_deref(), Some("codecs[2].configuration.window"));
        let error = parse(&codec("zstd", r#"{"id": "zstd", "level": "x"}"#, ZarrFormat::V2)).unwrap_err();
        assert_eq!(error.context().field.as_deref(), Some("codecs[2].level"));
    }
}
