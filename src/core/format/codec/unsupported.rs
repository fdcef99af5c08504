//! Codecs that are known by name and cannot be decoded, with the reason. The errors of
//! [`registry::lookup`](super::registry::lookup) and the list in `docs/codecs.md` are made from
//! this table.
//!
//! The [`registry`](super::registry) lists the codecs that can be decoded.

/// Names in v2 or v3 metadata, and the reason why they are not decoded.
pub static UNSUPPORTED: &[(&[&str], &str)] = &[
    (&["pickle"], "decoding it runs code that the data contains"),
    (&["fill_hdf_strings"], "its chunks refer by number to Python objects in the metadata (kerchunk)"),
    (
        &["FITSAscii", "FITSVarBintable"],
        "its chunks are FITS tables (kerchunk), and their columns are in the header of another file",
    ),
    (&["json", "msgpack"], "it loses the shape of a chunk; numcodecs has replaced it by json2 and msgpack2"),
    (&["record_member"], "its chunks hold records of another type than the array's (kerchunk)"),
    (&["zarrs.gdeflate"], "no decoder of GDeflate exists in pure Rust"),
    (&["zarrs.vlen"], "it is experimental in zarrs; zarrs.vlen_v2 and the vlen codecs can be decoded"),
    (
        &["n5", "n5_wrapper", "n5_varlen", "n5_label_multiset"],
        "it belongs to N5 stores; n5_default can be decoded",
    ),
    (&["label_multiset", "nanovdb", "arrow-ipc"], "it is a proposal that may change"),
    (
        &[
            "imagecodecs_apng",
            "imagecodecs_avif",
            "imagecodecs_bmp",
            "imagecodecs_ccittfax3",
            "imagecodecs_ccittfax4",
            "imagecodecs_ccittrle",
            "imagecodecs_dds",
            "imagecodecs_dicomrle",
            "imagecodecs_eer",
            "imagecodecs_gif",
            "imagecodecs_heif",
            "imagecodecs_htj2k",
            "imagecodecs_jetraw",
            "imagecodecs_jpegls",
            "imagecodecs_jpegxr",
            "imagecodecs_jpegxs",
            "imagecodecs_ljpeg",
            "imagecodecs_pixarlog",
            "imagecodecs_rgbe",
            "imagecodecs_tiff",
            "imagecodecs_ultrahdr",
        ],
        "the package has no decoder of this format",
    ),
    (
        &[
            "imagecodecs_aec",
            "imagecodecs_bfloat16",
            "imagecodecs_bitorder",
            "imagecodecs_bitshuffle",
            "imagecodecs_blosc2",
            "imagecodecs_brotli",
            "imagecodecs_byteshuffle",
            "imagecodecs_checksum",
            "imagecodecs_cms",
            "imagecodecs_float24",
            "imagecodecs_lz4",
            "imagecodecs_lz4f",
            "imagecodecs_lz4h5",
            "imagecodecs_lzf",
            "imagecodecs_lzfse",
            "imagecodecs_lzham",
            "imagecodecs_lzo",
            "imagecodecs_meshopt",
            "imagecodecs_packints",
            "imagecodecs_pcodec",
            "imagecodecs_pglz",
            "imagecodecs_quantize",
            "imagecodecs_rcomp",
            "imagecodecs_snappy",
            "imagecodecs_sperr",
            "imagecodecs_sz3",
            "imagecodecs_szip",
            "imagecodecs_xor",
            "imagecodecs_zfp",
        ],
        "imagecodecs' variant of it has no decoder here",
    ),
];

/// Why the codec of this name is not decoded; `None` for names that this table does not have.
pub fn reason(name: &str) -> Option<&'static str> {
    UNSUPPORTED.iter().find(|(names, _)| names.contains(&name)).map(|(_, reason)| *reason)
}
