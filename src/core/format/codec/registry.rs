//! The table of codecs: one line for each codec, with its module. A new codec needs its file, its
//! line here and its test vectors in `tests/fixtures/codec-vectors/<name>/`.
//!
//! The last four columns say what other libraries do with the codec in v3 metadata, from
//! measurements or from their documentation. The table in `docs/codecs.md` is made from them.

use super::configuration::Configuration;
use super::kind::CodecKind;
use super::user::{BindResult, OptionalUserCodecs, Unbound};
use super::{
    ChunkRepresentation, Codec, array_to_array, array_to_bytes, bytes_to_bytes, external, sharding,
    unsupported,
};
use crate::builds::{Build, Builds};
use crate::error::{Error, HAS_USER_CODECS, Result, Stage};
use crate::format::metadata::{CodecMetadata, ZarrFormat};

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
    /// The builds that decode it.
    pub builds: Builds,
    /// What zarr-python, zarrs, TensorStore and zarrita do with it in v3 metadata.
    /// A test that runs natively writes the table of codecs from it.
    #[cfg(not(target_arch = "wasm32"))]
    pub peers: [&'static str; 4],
    bind: Bind,
}

/// Codecs that decode about as fast as memory is copied. Workers do not make them faster.
pub const FAST: &[&str] = &["bytes", "crc32c", "numcodecs.lz4", "transpose"];

/// Binds a codec to the chunk that it sees: validates the configuration against the chunk, and
/// computes what depends on both. A bytes → bytes codec gets the chunk that the array → bytes codec
/// sees.
///
/// Most codecs have no chain and return a [`Result`], which the table converts.
type Bind = fn(&Configuration<'_>, &ChunkRepresentation) -> BindResult<Codec>;

macro_rules! entries {
    ($($name:literal, $aliases:expr, $v2_ids:expr, $kind:ident, $module:ident, $bind:expr, $peers:expr;)*) => {
        &[$(CodecEntry {
            name: $name,
            aliases: &$aliases,
            v2_ids: &$v2_ids,
            kind: CodecKind::$kind,
            builds: builds!($module),
            #[cfg(not(target_arch = "wasm32"))]
            peers: $peers,
            bind: bind!($module, $bind),
        }),*]
    };
}

/// The builds of a codec.
macro_rules! builds {
    (Engine) => {
        Builds::ALL
    };
    (FullOrGrib) => {
        Builds::of(Build::Full).or(Builds::of(Build::Grib))
    };
    ($build:ident) => {
        Builds::of(Build::$build)
    };
}

/// The function of a codec as one of [`Bind`]'s type.
macro_rules! converted {
    ($bind:expr) => {
        |configuration, decoded| bound($bind(configuration, decoded))
    };
}

fn bound(result: std::result::Result<Codec, impl Into<Unbound>>) -> BindResult<Codec> {
    result.map_err(Into::into)
}

/// The function of a codec. In a build without the codec's module it is another one that is never
/// called, so that the build does not contain the codec.
macro_rules! bind {
    (Full, $bind:expr) => {{
        #[cfg(feature = "full")]
        let bind: Bind = converted!($bind);
        #[cfg(not(feature = "full"))]
        let bind: Bind = |_, _| Err(super::build::needs_module(Build::Full).into());
        bind
    }};
    (Images, $bind:expr) => {{
        #[cfg(feature = "images")]
        let bind: Bind = converted!($bind);
        #[cfg(not(feature = "images"))]
        let bind: Bind = |_, _| Err(super::build::needs_module(Build::Images).into());
        bind
    }};
    (Grib, $bind:expr) => {{
        #[cfg(feature = "grib")]
        let bind: Bind = converted!($bind);
        #[cfg(not(feature = "grib"))]
        let bind: Bind = |_, _| Err(super::build::needs_module(Build::Grib).into());
        bind
    }};
    (FullOrGrib, $bind:expr) => {{
        #[cfg(any(feature = "full", feature = "grib"))]
        let bind: Bind = converted!($bind);
        #[cfg(not(any(feature = "full", feature = "grib")))]
        let bind: Bind = |_, _| Err(super::build::needs_module(Build::Full).into());
        bind
    }};
    (Engine, $bind:expr) => {
        converted!($bind)
    };
}

/// Every codec that this package can decode.
#[rustfmt::skip]
pub static ENTRIES: &[CodecEntry] = entries! {
    // name              aliases                    v2 ids      kind          module  function
    // zarr-python zarrs tensorstore zarrita
    "bytes",             ["endian"],                [],         ArrayToBytes, Engine, array_to_bytes::bytes::bind,    ["yes", "yes", "yes", "yes"];
    "transpose",         [],                        [],         ArrayToArray, Engine, array_to_array::transpose::bind, ["yes", "yes", "yes", "one only"];
    "sharding_indexed",  [],                        [],         ArrayToBytes, Engine, sharding::bind,                 ["yes", "yes", "yes", "in part"];
    "gzip",              ["numcodecs.gzip"],        ["gzip"],   BytesToBytes, Engine, bytes_to_bytes::gzip::bind,     ["yes", "yes", "yes", "yes"];
    "numcodecs.zlib",    ["zlib"],                  ["zlib", "imagecodecs_zlib", "imagecodecs_zlibng", "imagecodecs_zopfli", "imagecodecs_deflate"], BytesToBytes, Engine, bytes_to_bytes::zlib::bind,     ["yes", "yes", "no", "yes"];
    "zstd",              ["numcodecs.zstd"],        ["zstd", "imagecodecs_zstd"], BytesToBytes, Engine, bytes_to_bytes::zstd::bind,     ["yes", "yes", "yes", "yes"];
    "numcodecs.lz4",     [],                        ["lz4"],    BytesToBytes, Engine, bytes_to_bytes::lz4::bind,      ["yes", "no", "no", "yes"];
    "blosc",             ["numcodecs.blosc"],       ["blosc", "imagecodecs_blosc"], BytesToBytes, Engine, bytes_to_bytes::blosc::bind,    ["no snappy", "yes", "yes", "yes"];
    "crc32c",            ["numcodecs.crc32c"],      ["crc32c"], BytesToBytes, Engine, bytes_to_bytes::checksum::bind_crc32c,   ["yes", "yes", "yes", "unverified"];
    "numcodecs.delta",   [],                        ["delta"],  ArrayToArray, Engine, array_to_array::delta::bind,    ["yes", "no", "no", "no astype"];
    "numcodecs.fixedscaleoffset", [],               ["fixedscaleoffset"], ArrayToArray, Engine, array_to_array::fixedscaleoffset::bind, ["yes", "yes", "no", "no"];
    "numcodecs.quantize", [],                       ["quantize"], ArrayToArray, Engine, array_to_array::quantize::bind, ["yes", "no", "no", "no"];
    "numcodecs.astype",  [],                        ["astype"], ArrayToArray, Engine, array_to_array::astype::bind,   ["yes", "no", "no", "no"];
    "numcodecs.categorize", [],                     ["categorize"], ArrayToArray, Full,   array_to_array::categorize::bind, ["no", "no", "no", "no"];
    "bitround",          ["numcodecs.bitround"],    ["bitround"], ArrayToArray, Engine, array_to_array::bitround::bind, ["as numcodecs.bitround", "yes", "no", "decode"];
    "scale_offset",      [],                        [],         ArrayToArray, FullOrGrib, array_to_array::scale_offset::bind, ["yes", "no", "no", "mostly"];
    "cast_value",        [],                        [],         ArrayToArray, FullOrGrib, array_to_array::cast_value::bind, ["yes", "no", "no", "yes"];
    "reshape",           [],                        [],         ArrayToArray, Full,   array_to_array::reshape::bind,  ["no", "yes", "no", "no"];
    "zarrs.squeeze",     [],                        [],         ArrayToArray, Full,   array_to_array::reshape::bind_squeeze, ["no", "yes", "no", "no"];
    "numcodecs.packbits", [],                       ["packbits"], ArrayToArray, Full,   array_to_array::numcodecs_packbits::bind, ["yes", "no", "no", "no"];
    "packbits",          [],                        [],         ArrayToBytes, Full,   array_to_bytes::packbits::bind, ["no", "edge chunks wrong", "no", "no"];
    "vlen-utf8",         [],                        ["vlen-utf8"], ArrayToBytes, Engine, array_to_bytes::vlen::bind_utf8, ["yes", "yes", "no", "yes"];
    "vlen-bytes",        [],                        ["vlen-bytes"], ArrayToBytes, Engine, array_to_bytes::vlen::bind_bytes, ["yes", "yes", "no", "no"];
    "vlen-array",        [],                        ["vlen-array"], ArrayToBytes, Full,   array_to_bytes::vlen::bind_array, ["no", "yes", "no", "no"];
    "zarrs.vlen_v2",     [],                        [],         ArrayToBytes, Engine, array_to_bytes::vlen::bind_any, ["no", "yes", "no", "no"];
    "numcodecs.json2",   [],                        ["json2"],  ArrayToBytes, Full,   array_to_bytes::json2::bind,    ["no", "no", "no", "yes"];
    "numcodecs.msgpack2", [],                       ["msgpack2"], ArrayToBytes, Full, array_to_bytes::msgpack2::bind, ["no", "no", "no", "no"];
    "numcodecs.pcodec",  [],                        ["pcodec"], ArrayToBytes, Full,   array_to_bytes::pcodec::bind,   ["yes", "yes", "no", "no"];
    "numcodecs.zfpy",    [],                        ["zfpy"],   ArrayToBytes, Full,   array_to_bytes::zfpy::bind,     ["yes", "yes", "no", "no"];
    "zfp",               ["zarrs.zfp"],             [],         ArrayToBytes, Full,   array_to_bytes::zfp::bind,      ["no", "yes", "no", "no"];
    "n5_default",        [],                        [],         ArrayToBytes, Full,   array_to_bytes::n5_default::bind, ["plugin", "plugin", "as N5", "no"];
    "zarrs.optional",    ["optional"],              [],         ArrayToBytes, Full,   array_to_bytes::optional::bind, ["no", "yes", "no", "no"];
    "numcodecs.shuffle", [],                        ["shuffle"], BytesToBytes, Engine, bytes_to_bytes::shuffle::bind, ["yes", "yes", "no", "yes"];
    "numcodecs.crc32",   [],                        ["crc32"],  BytesToBytes, Full,   bytes_to_bytes::checksum::bind_crc32,    ["yes", "no", "no", "no"];
    "numcodecs.adler32", [],                        ["adler32"], BytesToBytes, Full,   bytes_to_bytes::checksum::bind_adler32, ["yes", "yes", "no", "no"];
    "numcodecs.fletcher32", [],                     ["fletcher32"], BytesToBytes, Engine, bytes_to_bytes::checksum::bind_fletcher32, ["yes", "yes", "no", "no"];
    "numcodecs.jenkins_lookup3", [],                ["jenkins_lookup3"], BytesToBytes, Full, bytes_to_bytes::checksum::bind_lookup3, ["yes", "no", "no", "no"];
    "numcodecs.bz2",     [],                        ["bz2", "imagecodecs_bz2"], BytesToBytes, Full,   bytes_to_bytes::bz2::bind,      ["yes", "yes", "no", "no"];
    "numcodecs.lzma",    [],                        ["lzma", "imagecodecs_lzma"], BytesToBytes, Full,   bytes_to_bytes::lzma::bind,     ["yes", "no", "no", "no"];
    "numcodecs.base64",  [],                        ["base64"], BytesToBytes, Full,   bytes_to_bytes::base64::bind,   ["no", "no", "no", "no"];
    "conditional",       [],                        [],         BytesToBytes, Full,   bytes_to_bytes::conditional::bind, ["no", "no", "no", "no"];
    "jpeg",              ["imagecodecs_jpeg"],      ["imagecodecs_jpeg"], ArrayToBytes, Images, array_to_bytes::image::jpeg::bind, ["plugin", "no", "no", "no"];
    "imagecodecs_jpeg2k", [],                       ["imagecodecs_jpeg2k"], ArrayToBytes, Images, array_to_bytes::image::jpeg2k::bind, ["plugin", "no", "no", "no"];
    "jpegxl",            ["imagecodecs_jpegxl"],    ["imagecodecs_jpegxl"], ArrayToBytes, Images, array_to_bytes::image::jpegxl::bind, ["plugin", "no", "no", "no"];
    "imagecodecs_webp",  [],                        ["imagecodecs_webp"], ArrayToBytes, Images, array_to_bytes::image::webp::bind, ["plugin", "no", "no", "no"];
    "imagecodecs_png",   ["imagecodecs_spng"],      ["imagecodecs_png", "imagecodecs_spng"], ArrayToBytes, Images, array_to_bytes::image::png::bind, ["plugin", "no", "no", "no"];
    "imagecodecs_qoi",   [],                        ["imagecodecs_qoi"], ArrayToBytes, Images, array_to_bytes::image::qoi::bind, ["plugin", "no", "no", "no"];
    "imagecodecs_lerc",  [],                        ["imagecodecs_lerc"], ArrayToBytes, Images, array_to_bytes::image::lerc::bind, ["plugin", "no", "no", "no"];
    "lzw",               ["imagecodecs_lzw"],       ["imagecodecs_lzw"], BytesToBytes, Images, bytes_to_bytes::lzw::bind, ["plugin", "no", "no", "no"];
    "imagecodecs_packbits", [],                     ["imagecodecs_packbits"], BytesToBytes, Images, bytes_to_bytes::imagecodecs_packbits::bind, ["plugin", "no", "no", "no"];
    "imagecodecs_delta", [],                        ["imagecodecs_delta"], ArrayToArray, Images, array_to_array::predictor::bind_delta, ["plugin", "no", "no", "no"];
    "imagecodecs_floatpred", [],                    ["imagecodecs_floatpred"], ArrayToArray, Images, array_to_array::predictor::bind_floatpred, ["plugin", "no", "no", "no"];
    "gribberish",        [],                        [],         ArrayToBytes, Grib,   array_to_bytes::grib::bind,     ["plugin", "plugin", "no", "no"];
    "grib",              [],                        ["grib"], ArrayToBytes, Grib,   array_to_bytes::grib::bind_kerchunk, ["no", "no", "no", "no"];
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

/// The builds that decode the codec of this name; `None` for an unknown name.
pub fn builds_of(name: &str, format: ZarrFormat) -> Option<Builds> {
    find(name, format).map(|entry| entry.builds)
}

/// Binds a codec for encoding, which needs every parameter.
///
/// # Errors
/// `Unsupported` for an unknown codec and for what this package does not implement, `Format` for a
/// configuration that breaks the codec's specification or does not fit the chunk. All name the
/// codec and the field.
pub fn bind(metadata: &CodecMetadata, decoded: &ChunkRepresentation) -> Result<Codec> {
    let BoundCodec { codec, encode_error } =
        bind_with(metadata, decoded, &None).map_err(Unbound::into_error)?;
    encode_error.map_or(Ok(codec), Err)
}

/// A codec that can decode, and perhaps encode.
pub struct BoundCodec {
    /// The codec.
    pub codec: Codec,
    /// Set when the codec cannot encode: the error of a parameter that only an encoder needs.
    pub encode_error: Option<Error>,
}

/// Binds a codec for decoding. It may contain a chain with user codecs.
///
/// # Errors
/// As [`bind()`], without the errors of parameters that only an encoder needs. `UnknownKind` while
/// a user codec's kind is not known.
pub fn bind_with(
    metadata: &CodecMetadata,
    decoded: &ChunkRepresentation,
    users: &OptionalUserCodecs,
) -> BindResult<BoundCodec> {
    let add_context = |error: Error| {
        // What a codec names is a field of its configuration.
        let in_configuration = metadata.format != ZarrFormat::V2 && error.context().field.is_some();
        let error = if in_configuration { error.within_field("configuration") } else { error };
        error.in_codec(metadata.name.as_str()).within_field(&metadata.field)
    };
    let bound = bind_entry(metadata, decoded, users);
    let BoundCodec { codec, encode_error } = bound.map_err(|unbound| unbound.map_error(add_context))?;
    Ok(BoundCodec { codec, encode_error: encode_error.map(add_context) })
}

fn bind_entry(
    metadata: &CodecMetadata,
    decoded: &ChunkRepresentation,
    users: &OptionalUserCodecs,
) -> BindResult<BoundCodec> {
    let entry = lookup(&metadata.name, metadata.format)?;
    if !entry.builds.are_here() {
        // The next codec of the chain sees another data type or shape, which only the codec can
        // tell.
        let is_in_full = entry.builds.and(Builds::of(Build::Full)).is_some();
        if entry.kind == CodecKind::ArrayToArray && is_in_full && !HAS_USER_CODECS {
            return Err(Error::needs_full(&metadata.name).into());
        }
        let codec = external::codec((entry.kind, entry.builds.first()), metadata, decoded, users)?;
        return Ok(BoundCodec { codec, encode_error: None });
    }
    let document = metadata.document()?;
    let configuration = Configuration::new(metadata, document.root())?.with_users(users);
    let codec = (entry.bind)(&configuration, decoded)?;
    configuration.finish()?;
    Ok(BoundCodec { codec, encode_error: configuration.into_encode_error() })
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
    use crate::format::codec::testing;
    use crate::format::data_type::DataType;

    fn codec(name: &str, configuration: &str, format: ZarrFormat) -> CodecMetadata {
        CodecMetadata { format, ..testing::metadata(name, configuration) }.at("codecs[2]")
    }

    fn bind(codec: &CodecMetadata) -> Result<Codec> {
        super::bind(codec, &testing::chunk(&[2], DataType::Bool))
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
        let error = bind(&codec("imagecodecs_jetraw", "{}", ZarrFormat::V2)).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unsupported);
        assert_eq!(error.context().stage, Some(Stage::CodecName));
        assert_eq!(error.context().codec.as_deref(), Some("imagecodecs_jetraw"));
        assert_eq!(error.context().field.as_deref(), Some("codecs[2]"));
        assert_eq!(kind_of("imagecodecs_jetraw", ZarrFormat::V2), None);
        let error = bind(&codec("pickle", "{}", ZarrFormat::V2)).unwrap_err();
        assert!(error.message().contains("runs code"), "{error}");
        assert_eq!(bind(&codec("nobody's", "{}", ZarrFormat::V3)).unwrap_err().message(), "unknown codec");
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
        assert_eq!(builds_of("numcodecs.zstd", ZarrFormat::V3), Some(Builds::ALL));
        assert_eq!(builds_of("numcodecs.zstd", ZarrFormat::V2), None);
    }

    #[test]
    fn errors_contain_the_path_of_the_field() {
        let error = bind(&codec("gzip", r#"{"level": 10}"#, ZarrFormat::V3)).unwrap_err();
        assert_eq!(error.context().field.as_deref(), Some("codecs[2].configuration.level"));
        assert_eq!(error.context().codec.as_deref(), Some("gzip"));
        let error = bind(&codec("zstd", r#"{"level": 3, "window": 9}"#, ZarrFormat::V3)).unwrap_err();
        assert_eq!(error.context().field.as_deref(), Some("codecs[2].configuration.window"));
        let error = bind(&codec("zstd", r#"{"id": "zstd", "level": "x"}"#, ZarrFormat::V2)).unwrap_err();
        assert_eq!(error.context().field.as_deref(), Some("codecs[2].level"));
    }
}
