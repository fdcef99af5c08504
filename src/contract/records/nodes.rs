//! Nodes: how they are opened, and how they are described.

use super::errors::ErrorRecord;
use crate::builds::Build;
use crate::encoding::{Bytes, FormatVersion, HeldBytes};

records! {
    /// What a node is.
    enum NodeKind {
        /// An array.
        Array = "array",
        /// A group.
        Group = "group",
        /// A group without a document. Only its members tell of it.
        ImplicitGroup = "implicit-group",
    }

    /// The version of Zarr's specification that metadata follow: `"v2"`, `"v3"`, or one of the
    /// drafts of v3, `"v3-draft-2020-10"` and `"v3-draft-2022-05"`.
    enum Dialect {
        /// Version 2.
        V2 = "v2",
        /// Version 3.
        V3 = "v3",
        /// The draft of October 2020.
        Draft2020 = "v3-draft-2020-10",
        /// The draft of May 2022.
        Draft2022 = "v3-draft-2022-05",
    }

    /// What to do about an unknown data type that names a fallback.
    enum DataTypeFallback {
        /// Use the fallback and warn.
        Warn = "warn",
        /// Use the fallback.
        Allow = "allow",
        /// Fail.
        Refuse = "refuse",
    }

    /// A node of a store.
    struct NodeLocation {
        /// The store.
        store: u32,
        /// Absolute path.
        path: String,
    }

    /// An array that the engine knows.
    struct ArrayId {
        /// Its id.
        array: u32,
    }

    /// What to open.
    struct OpenArguments {
        /// The store.
        store: u32,
        /// Absolute path of the node.
        path: String,
        /// The kind that the node must have. Default: either.
        kind: Option<NodeKind>,
        /// 2 or 3. Default: either.
        format: Option<FormatVersion>,
        /// What to do about an unknown data type with a fallback.
        data_type_fallback: DataTypeFallback,
        /// Request `zarr.json` first, and v2's documents only if it does not exist.
        v3_first: bool,
        /// Whether to read v2's attributes (`.zattrs`).
        attrs: bool,
        /// 1: bypass all caches. 2: ask the server whether they are right. 0: use them.
        reload: u8,
    }

    /// A document that is too large to cross as text.
    struct LargeDocument {
        /// The suffix of its key.
        suffix: String,
        /// The document as UTF-8.
        bytes: HeldBytes,
        /// The attributes in it: the byte offsets of their start, of the start and the end of each
        /// token that `JSON.parse` loses, and of their end. Absent if the summary has them.
        attributes: Option<Vec<u32>>,
        /// These tokens, by key or index (`model/json.ts`).
        marks: Option<String>,
    }

    /// JSON text for `JSON.parse`.
    struct JsonText {
        /// The text. Marks replace the tokens that `JSON.parse` loses: `NaN`, infinities, integers
        /// that a number would round.
        text: String,
        /// The tokens of the marks, by key or index (`model/json.ts`). Absent if there are none.
        marks: Option<String>,
    }

    /// A storage transformer of the user, and the array that it serves.
    struct TransformerInfo {
        /// Its URI.
        extension: String,
        /// Its type.
        r#type: JsonText,
        /// Its configuration.
        configuration: Option<JsonText>,
        /// What the keys of the array's chunks begin with.
        prefix: String,
        /// Number of stored objects along each dimension.
        grid_shape: Vec<f64>,
        /// The character between the numbers of a key.
        separator: String,
    }

    /// An open node.
    struct NodeSummary {
        /// What it is.
        kind: NodeKind,
        /// Absolute path.
        path: String,
        /// 2 or 3.
        format: FormatVersion,
        /// The version of the specification.
        dialect: Dialect,
        /// The raw metadata documents, in the form that the engine takes.
        document: String,
        /// The `zarr.json` or `.zattrs` of which `document` lacks the text or the attributes.
        large: Option<LargeDocument>,
        /// The attributes as a JSON object, unless they are in `large`.
        attributes: JsonText,
        /// What is tolerated in the metadata.
        warnings: Vec<String>,
        /// The array, if it is one.
        array: Option<ArraySummary>,
    }

    /// The kind of a codec, which decides its position in a chain: `"array_to_array"` changes
    /// elements, `"array_to_bytes"` packs them, `"bytes_to_bytes"` compresses bytes.
    enum CodecKind {
        /// Array → array.
        ArrayToArray = "array_to_array",
        /// Array → bytes.
        ArrayToBytes = "array_to_bytes",
        /// Bytes → bytes.
        BytesToBytes = "bytes_to_bytes",
    }

    /// A codec, as in the metadata.
    struct CodecSummary {
        /// Its name.
        name: String,
        /// Its configuration.
        configuration: Option<JsonText>,
    }

    /// A storage transformer, as in a draft's metadata.
    struct StorageTransformerSummary {
        /// Its URI.
        extension: String,
        /// Its type.
        r#type: JsonText,
        /// Its configuration.
        configuration: Option<JsonText>,
    }

    /// A known data type instead of an unknown one.
    struct FallbackSummary {
        /// The URI of the unknown type's extension.
        extension: String,
        /// The unknown type.
        data_type: JsonText,
        /// The name of the type in use.
        used: String,
    }

    /// A float of one byte.
    struct FloatTable {
        /// The name of its type.
        name: String,
        /// The number of each bit pattern, as float32.
        numbers: Bytes,
    }

    /// The metadata of an array.
    struct ArraySummary {
        /// Its shape.
        shape: Vec<u64>,
        /// Shape of a chunk; of an inner chunk if the array is sharded.
        chunks: Vec<u64>,
        /// Shape of a shard. Absent if the array is not sharded.
        shards: Option<Vec<u64>>,
        /// For a rectilinear grid, length and number of each run of equal chunks, by dimension.
        grid: Option<Vec<Vec<(u64, f64)>>>,
        /// zarrita's name of the data type.
        dtype: String,
        /// JSON of a `TypeDescription`.
        data_type: String,
        /// The packed fill value. Absent for v2's null.
        fill_value: Option<Bytes>,
        /// Its text and what stands for it, if it is JSON that `JSON.parse` may lose.
        fill_json: Option<(String, JsonText)>,
        /// The floats in its data type for which JavaScript has no typed array.
        float_tables: Vec<FloatTable>,
        /// Names of the dimensions, where they have one.
        dimension_names: Option<Vec<Option<String>>>,
        /// The dimensions in the memory order of chunks, slowest first.
        order: Vec<u32>,
        /// The codecs in encoding order.
        codecs: Vec<CodecSummary>,
        /// The storage transformers of a draft.
        storage_transformers: Vec<StorageTransformerSummary>,
        /// The smallest build that decodes its chunks.
        build: Build,
        /// The fallback of its data type, if that is in use.
        fallback: Option<FallbackSummary>,
    }

    /// A node that cannot be opened.
    struct UnreadableSummary {
        /// Absolute path.
        path: String,
        /// What it is, if that is known.
        kind: Option<NodeKind>,
        /// The shape of an array.
        shape: Option<Vec<u64>>,
        /// The name of its data type.
        dtype: Option<String>,
        /// The attributes as a JSON object.
        attributes: Option<JsonText>,
        /// Why it cannot be opened.
        error: ErrorRecord,
    }

    /// A child of a group.
    struct ChildSummary {
        /// A node that can be opened.
        node: Option<NodeSummary>,
        /// A node that cannot.
        unreadable: Option<UnreadableSummary>,
    }

    /// Where consolidated metadata are.
    struct ConsolidatedSource {
        /// The store.
        store: u32,
        /// The id of the store with them.
        loaded: u32,
        /// 2 or 3.
        format: FormatVersion,
        /// The key of v2's document.
        key: String,
    }

    /// Consolidated metadata that the engine has loaded. They cross in a few large values, because
    /// 100 000 small objects would block the page.
    struct Consolidated {
        /// All paths, concatenated.
        paths: String,
        /// The end of each path in `paths`, in UTF-16 units: 32-bit words.
        ends: Bytes,
        /// One byte for each path: 1 for an array, 0 for a group.
        arrays: Bytes,
        /// The paths of nodes that cannot be opened, and why.
        errors: Vec<(String, ErrorRecord)>,
        /// What is tolerated in the document.
        warnings: Vec<String>,
    }

    /// An array by its documents, with user codecs.
    struct UserArray {
        /// The metadata documents, in the form that the engine takes.
        document: String,
        /// What is known of the user codecs: JSON of `src/api/codecs.ts`. Empty if there are none.
        codecs: String,
    }

    /// An array that the engine is to bind.
    struct ArrayToBind {
        /// Its id.
        array: u32,
        /// Its store.
        store: u32,
        /// Absolute path.
        path: String,
        /// The metadata documents, in the form that the engine takes.
        document: String,
        /// The user codecs: JSON of `src/api/codecs.ts`. Empty if there are none.
        codecs: String,
    }

    /// An array that the engine has bound.
    struct BoundArray {
        /// JSON of a `TypeDescription`.
        data_type: String,
        /// The floats in its data type for which JavaScript has no typed array.
        float_tables: Vec<FloatTable>,
        /// The smallest build that decodes its chunks.
        build: Build,
    }

    /// Some names.
    struct Names {
        /// The names.
        names: Vec<String>,
    }

    /// A codec on its own.
    struct CodecText {
        /// JSON (`src/core/format/codec/standalone.rs`).
        text: String,
    }
}

#[allow(clippy::derivable_impls, reason = "the macro of records gives no defaults")]
impl Default for DataTypeFallback {
    fn default() -> Self {
        Self::Warn
    }
}
