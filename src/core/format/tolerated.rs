//! The one list of the forms that bend the rules and are read nevertheless, each with a warning.
//!
//! An entry says what the form is, which writers left it behind, and what is read. The warnings are
//! made of it, and so is the table in `docs/codecs.md` (`tests/rust/support_table.rs`).
//! Deliberately without what servers do: that is `store::http`'s.

use std::cell::Cell;
use std::fmt::Display;

/// One line of the list.
#[derive(Debug)]
pub struct Entry {
    /// What the warning and the table call it.
    pub name: &'static str,
    /// What the store has.
    pub form: &'static str,
    /// Who wrote it.
    pub writer: &'static str,
    /// What is read.
    pub read: &'static str,
}

/// Makes the forms and the list of them from the same lines, so that no form can miss its entry.
macro_rules! forms {
    ($($form:ident { name: $name:literal, form: $text:literal, writer: $writer:literal, read: $read:literal $(,)? })*) => {
        /// A form that is read with a warning.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Form {
            $(#[doc = $text] $form,)*
        }

        impl Form {
            /// All of them, as the table has them.
            pub const ALL: &[Self] = &[$(Self::$form,)*];

            /// Its line of the list.
            pub fn entry(self) -> Entry {
                match self {
                    $(Self::$form => Entry { name: $name, form: $text, writer: $writer, read: $read },)*
                }
            }
        }
    };
}

forms! {
    V2FillNan {
        name: "v2-fill-nan",
        form: "`fill_value: \"NaN\"` of a v2 array of integers",
        writer: "xarray, from an attribute that is a float",
        read: "zero",
    }
    FillText {
        name: "fill-text",
        form: "a `fill_value` of numbers that is the number as text, such as `\"255\"`",
        writer: "n5-zarr from 2020 to 2024, in v2, and what is built on it: Fiji, MoBIE, early bioformats2raw",
        read: "the number",
    }
    FillFraction {
        name: "fill-fraction",
        form: "a `fill_value` of integers with a fraction of zero or an exponent, such as `0.0`",
        writer: "pandas and netCDF tools",
        read: "the integer",
    }
    V2FillNearest {
        name: "v2-fill-nearest",
        form: "a `fill_value` of a v2 array that its type of integers does not have, such as -1 of `uint8` or 255 of `int8`",
        writer: "an unknown writer; GDAL reads it",
        read: "the nearest number of the type",
    }
    V2FillList {
        name: "v2-fill-list",
        form: "a `fill_value` of a v2 array of numbers in a list of one, such as `[-32767]`",
        writer: "an unknown writer; GDAL and zarrita read it",
        read: "the number",
    }
    FillBoolNumber {
        name: "fill-bool-number",
        form: "a `fill_value` of booleans that is 0 or 1",
        writer: "tools that pass NumPy's booleans through numbers",
        read: "the boolean",
    }
    FillNumberBool {
        name: "fill-number-bool",
        form: "a `fill_value` of numbers that is `true` or `false`",
        writer: "an unknown writer; zarr-python, GDAL and zarrita read it",
        read: "1 or 0",
    }
    V2MemberMissing {
        name: "v2-member-missing",
        form: "a `.zarray` without `fill_value`, `order`, `filters` or `compressor`",
        writer: "an unknown writer; zarr-python 3, GDAL or zarrita read it",
        read: "`null`, `C`, no filters and no compressor",
    }
    V2TypeWithoutOrder {
        name: "v2-type-without-order",
        form: "NumPy's name of a number as v2's `dtype`, such as `\"int16\"`",
        writer: "an unknown writer; zarr-python 2 reads it",
        read: "little-endian numbers",
    }
    V3WithoutCodecs {
        name: "v3-without-codecs",
        form: "a v3 array without `codecs`",
        writer: "GDAL 3.8 to 3.10",
        read: "little-endian `bytes`",
    }
    V3WithoutBytes {
        name: "v3-without-bytes",
        form: "`codecs` in which none makes bytes of elements, such as `[]` or `[\"gzip\"]`",
        writer: "GDAL 3.8 to 3.10, and zarrita's `create`",
        read: "little-endian `bytes` in their place",
    }
    V3BytesWithoutEndian {
        name: "v3-bytes-without-endian",
        form: "the codec `bytes` without `endian`, of elements that have a byte order",
        writer: "an unknown writer; GDAL and zarrita read it",
        read: "little-endian elements",
    }
    V3ShardingDefaults {
        name: "v3-sharding-defaults",
        form: "the codec `sharding_indexed` without `codecs` or `index_codecs`",
        writer: "an unknown writer; zarr-python 3 reads it",
        read: "little-endian `bytes`, of the index with `crc32c` behind",
    }
    V3DimensionNames {
        name: "v3-dimension-names",
        form: "`dimension_names` that are not one name for each dimension",
        writer: "an unknown writer; GDAL and zarrita read the array",
        read: "dimensions without names",
    }
    V3FillNull {
        name: "v3-fill-null",
        form: "`fill_value: null` of a v3 array",
        writer: "GDAL since 3.8, and zarrita's `create`",
        read: "zero",
    }
    V3Fanout {
        name: "v3-fanout",
        form: "the chunk key encoding `fanout`, a proposal whose texts disagree",
        writer: "an unknown writer",
        read: "the keys of its latest text",
    }
    DraftFillNull {
        name: "draft-fill-null",
        form: "`fill_value: null` of an array of the draft of May 2022",
        writer: "the draft's own example",
        read: "zero",
    }
    DraftFallback {
        name: "draft-fallback",
        form: "a data type of an unknown extension that names a fallback",
        writer: "an unknown writer",
        read: "the fallback",
    }
    DraftFallbackFill {
        name: "draft-fallback-fill",
        form: "a fill value that the fallback of a data type does not have",
        writer: "an unknown writer",
        read: "zero",
    }
    DimensionAttribute {
        name: "dimension-attribute",
        form: "an attribute `_ARRAY_DIMENSIONS` that is not one name for each dimension",
        writer: "an unknown writer",
        read: "dimensions without names",
    }
    ConsolidatedPath {
        name: "consolidated-path",
        form: "consolidated metadata with keys that are no paths of nodes",
        writer: "an unknown writer",
        read: "the other nodes",
    }
    BloscTrailing {
        name: "blosc-trailing",
        form: "a Blosc frame with further bytes behind it",
        writer: "z5py before 2021",
        read: "the frame alone",
    }
    ZfpyFlat {
        name: "zfpy-flat",
        form: "a `zfpy` stream whose header has all dimensions of the chunk as one",
        writer: "numcodecs before 0.10 (March 2022)",
        read: "the chunk's shape, in the order of its elements",
    }
    ZipRootless {
        name: "zip-rootless",
        form: "an archive that its comment calls an OME-Zarr, without `zarr.json` at its root",
        writer: "an unknown writer",
        read: "what the archive holds",
    }
}

thread_local! {
    /// A bit for each form that was found since the last query.
    static NOTED: Cell<u64> = const { Cell::new(0) };
}

const _: () = assert!(Form::ALL.len() <= u64::BITS as usize, "a form has no bit");

/// Notes of decoders. A decoder returns elements or an error and has no other way to report what it
/// tolerated. Decoding is synchronous, so the caller reads the notes after the call, on the same
/// thread, and knows which chunk they belong to.
impl Form {
    /// Notes that this form was met in a chunk.
    pub fn note(self) {
        NOTED.set(NOTED.get() | 1 << self as u32);
    }

    /// The warnings of what was noted since the last call.
    pub fn take_noted() -> Vec<String> {
        let noted = NOTED.take();
        let mut warnings = Vec::new();
        for form in Self::ALL {
            if noted >> *form as u32 & 1 == 1 {
                warnings.push(form.warning("a chunk"));
            }
        }
        warnings
    }
}

impl Form {
    /// The warning, where `found` says which field or value it is about.
    pub fn warning(self, found: impl Display) -> String {
        self.warning_of(&found)
    }

    fn warning_of(self, found: &dyn Display) -> String {
        let Entry { name, form, writer, read } = self.entry();
        format!("{found}: {form} (written by {writer}) is read as {read} [{name}]")
    }
}

/// What another maintained reader gives elements for and is refused here: what it is, who reads it,
/// and why it is not read. The list in `docs/codecs.md` is made of it; `codec::unsupported` has
/// the codecs.
pub static STILL_REFUSED: &[(&str, &str, &str)] = &[
    (
        "chunks of another length, with a wrong checksum or cut off",
        "zarrita; zarr-python 3 for Blosc frames that are cut off",
        "length and checksum are all that tells damage: what they read is zeros or other numbers",
    ),
    (
        "another `zarr_format` or `node_type` than the text has, or none",
        "zarrita",
        "the version decides which rules hold, and what zarrita takes such a node for is a group as a rule",
    ),
    (
        "fields of v3 and storage transformers that must be understood and are not known",
        "GDAL, zarrita",
        "they may change what every element is",
    ),
    (
        "an unknown `endian`, `order` or separator",
        "zarrita; zarr-python 2 and GDAL for separators",
        "what they read is a guess, or fill value alone",
    ),
    (
        "chains with codecs in a wrong place, twice, or as an object; `[\"transpose\"]` alone",
        "GDAL, zarrita",
        "they leave codecs out or apply them in another order, and not the same ones",
    ),
    (
        "members of a configuration that v3 does not have",
        "zarrita",
        "the text has them understood; v2's are left alone",
    ),
    (
        "fill values that the data type does not have, such as 1.5 or 300 of small integers",
        "zarr-python, GDAL, zarrita",
        "each makes another number of them, which absent chunks are then read as",
    ),
    (
        "fill values of integers in hexadecimal",
        "zarrita",
        "no writer of them is known, and v3 has that form for the bits of floats",
    ),
    (
        "fill values of booleans as text",
        "zarr-python, zarrita",
        "they take every text for true, `\"false\"` too",
    ),
    (
        "v3 arrays without `fill_value`",
        "GDAL, zarrita",
        "v3 has no undefined fill value as v2 has, no writer of it is known, and zarr-python and tensorstore refuse it",
    ),
    (
        "attributes that are no JSON object",
        "zarr-python 2, tensorstore, GDAL, zarrita",
        "they may say how to scale the elements, and a copy would lose them",
    ),
    ("lengths of chunks as text", "GDAL, zarrita", "no writer of it is known, and `\"3x\"` is 3 to GDAL too"),
    (
        "documents and shards that are nested more than a few dozen levels deep",
        "zarr-python 3, tensorstore",
        "the depth is bounded, so that no document takes the stack",
    ),
];

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;

    #[test]
    fn no_two_forms_share_a_name() {
        let mut names: Vec<&str> = Form::ALL.iter().map(|form| form.entry().name).collect();
        names.sort_unstable();
        assert!(names.windows(2).all(|pair| pair[0] != pair[1]), "{names:?}");
    }

    #[test]
    fn what_is_noted_is_taken_once() {
        Form::ZfpyFlat.note();
        Form::BloscTrailing.note();
        Form::ZfpyFlat.note();
        let noted = Form::take_noted();
        assert_eq!(noted.len(), 2, "{noted:?}");
        assert!(noted[0].contains("Blosc") && noted[1].contains("zfpy"), "{noted:?}");
        assert!(Form::take_noted().is_empty());
    }

    #[test]
    fn a_warning_says_where_what_and_who() {
        assert_eq!(
            Form::V3FillNull.warning("fill_value"),
            "fill_value: `fill_value: null` of a v3 array (written by GDAL since 3.8, and zarrita's `create`) is read as zero [v3-fill-null]"
        );
    }
}
