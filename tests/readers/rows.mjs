/**
 * The tables of docs/readers.md: rows by the words of `features.mjs`, `containers.mjs` and
 * `conventions.mjs`. Options of a row:
 *
 * - `all`: every array with the feature counts, and not the plain ones alone.
 * - `always`: they count for readers too that read nothing with another of their features.
 * - `mustHave`: of the features, those that an array must have one of.
 * - `only`: of one format alone.
 * - `others`: forms that break the rules, where another value is not wrong.
 * - `together`: v2 and v3 are not told apart.
 */

const row = (label, features, options = {}) => ({ label, features: [features].flat(), ...options });
const codes = (...names) => names.map((name) => `\`${name}\``).join(", ");
const type = (name, ...more) =>
  row(
    codes(name, ...more),
    [name, ...more].map((each) => `type:${each}`),
  );

/** A codec by its names: of v2, and of v3. */
const codec = (name, ...names) =>
  row(
    `\`${name}\``,
    [name, ...names].map((each) => `codec:${each}`),
  );
const numcodecs = (name) => codec(name, `numcodecs.${name}`);
const image = (name) => codec(`imagecodecs_${name}`);

const TYPES = [
  type("bool"),
  type("int8", "int16", "int32"),
  type("int64"),
  type("uint8", "uint16", "uint32"),
  type("uint64"),
  type("float16"),
  type("float32"),
  type("float64"),
  row("big-endian numbers", "order:big"),
  type("complex64", "complex128"),
  row("`int2`, `int4`, `uint2`, `uint4`", "type:int-narrow"),
  type("bfloat16"),
  row("`float8_*`, `float6_*`, `float4_*`", "type:float-narrow"),
  row("complex numbers of narrow floats", "type:complex-narrow"),
  type("numpy.datetime64"),
  type("numpy.timedelta64"),
  type("string"),
  row("`bytes` of variable length", "type:bytes"),
  row("`fixed_length_utf32`, v2 `U`", "type:fixed_length_utf32"),
  row("`null_terminated_bytes`, v2 `S`", "type:null_terminated_bytes"),
  row("`r*`, `raw_bytes`, v2 `V`", "type:raw"),
  row("`struct`, v2 structured", "type:struct"),
  row("`structured` of zarr-python before 3.2", "form:old-struct", { all: true }),
  row("v2 arrays as elements (`vlen-array`)", "type:variable_length_array"),
  row("v2 JSON values (`json2`, `msgpack2`)", "type:json"),
  row("`zarrs.optional`", "type:zarrs.optional"),
];

const CODECS = [
  codec("gzip"),
  codec("zlib", "numcodecs.zlib"),
  codec("zstd"),
  row("`zstd` with a negative level", "codec:zstd-negative"),
  row("v2 `zstd` with the member `checksum`", ["codec:zstd-checksum", "codec:zstd"], {
    mustHave: /zstd-checksum/,
  }),
  codec("blosc"),
  row("`blosc` with snappy", "codec:blosc-snappy", { together: true }),
  row("`numcodecs.gzip`, `numcodecs.zstd`, `numcodecs.blosc`", [
    "codec:numcodecs.gzip",
    "codec:numcodecs.zstd",
    "codec:numcodecs.blosc",
  ]),
  row("several gzip members or zstd frames", "form:streams", { all: true }),
  numcodecs("lz4"),
  numcodecs("lzma"),
  numcodecs("bz2"),
  codec("crc32c"),
  row(
    "`adler32`, `crc32`, `fletcher32`, `jenkins_lookup3`",
    [
      ...["adler32", "crc32", "fletcher32", "jenkins_lookup3"].flatMap((name) => [
        `codec:${name}`,
        `codec:numcodecs.${name}`,
      ]),
      ...[
        "codec:crc32c",
        "codec:numcodecs.crc32c",
        "codec:delta",
        "codec:shuffle",
        "codec:numcodecs.shuffle",
      ],
    ],
    { mustHave: /adler32|crc32$|fletcher32/ },
  ),
  numcodecs("shuffle"),
  numcodecs("delta"),
  row("`delta` with another `astype`", "codec:stored-as", { all: true }),
  numcodecs("fixedscaleoffset"),
  numcodecs("quantize"),
  numcodecs("astype"),
  numcodecs("bitround"),
  codec("scale_offset"),
  codec("cast_value"),
  numcodecs("packbits"),
  codec("base64"),
  codec("categorize"),
  numcodecs("pcodec"),
  numcodecs("zfpy"),
  image("jpeg"),
  image("jpeg2k"),
  image("jpegxl"),
  image("png"),
  image("webp"),
  image("qoi"),
  image("lerc"),
  row("`imagecodecs_lzw`, `imagecodecs_packbits`", ["codec:imagecodecs_lzw", "codec:imagecodecs_packbits"]),
];

const GRIDS = [
  row("v2 order `F`", "order:F"),
  row("`transpose`", "transpose"),
  row("keys with `.` in v3, with `/` in v2", ["keys:default-dot", "keys:v2-slash"]),
  row("v2's keys in v3", ["keys:v2-dot", "keys:v2-slash"], { only: "v3" }),
  row("arrays without dimensions", "shape:scalar"),
  row("arrays without elements", "shape:empty"),
  row("rectilinear grids", "grid:rectilinear"),
  row("`rectangular`, `zarrs.regular_bounded` grids", ["grid:rectangular", "grid:zarrs.regular_bounded"]),
  row("shards", "shard"),
  row("shards with the index at the start", ["shard:index-start", "shard"], { mustHave: /index-start/ }),
  row("shards with another index chain", ["shard:index-codecs", "shard"], { mustHave: /index-codecs/ }),
  row("shards in shards", ["shard:nested", "shard"], { mustHave: /nested/ }),
  row("shards behind a transpose", ["shard:transposed", "shard", "transpose"], { mustHave: /transposed/ }),
  row("codecs behind shards", ["shard:then-codecs", "shard"], { mustHave: /then-codecs/ }),
  row("chunks in another order in the shard, shared or padded", "form:chunk-bytes", { all: true }),
];

const DIALECTS = [
  row("v2", "format:v2"),
  row("v3", "format:v3"),
  row("v2, consolidated metadata alone", "consolidated:v2", { all: true }),
  row("v3, consolidated metadata alone", "consolidated:v3", { all: true }),
  row("fill values that are not finite", "fill:not-finite"),
  row('fill values as bits (`"0x7fc00001"`)', "fill:bits"),
  row("64-bit fill values above 2⁵³", "fill:large"),
  row(
    "fill values of text and bytes",
    ["fill:text", "type:fixed_length_utf32", "type:null_terminated_bytes", "type:bytes"],
    { mustHave: /fill:text/ },
  ),
  row("v2 fill value `null`", "fill:null"),
  row("names with spaces, `%`, `#`, `?` and others", "name:special"),
  row("dimension names that repeat", "names:repeated"),
  row("attributes with the bare token `NaN`", "form:bare-numbers", { all: true }),
  row("rarer spellings of metadata", "form:spelling", { all: true }),
  row("parameters of encoders that no decoder needs", "form:parameters", { all: true }),
  row("forms that break the rules", "form:broken-rule", { all: true, others: true }),
  row("draft of October 2020", "format:draft-2020", { all: true, always: true }),
  row("zarr-python 2's dialect of it", "format:draft-zarr-python", { all: true, always: true }),
  row("draft of May 2022", "format:draft-2022", { all: true, always: true }),
  row("its storage transformer for shards", "transformer:sharding", { all: true, always: true }),
];

const CONTAINERS = [
  row("HTTP", "container:http", { all: true }),
  row("HTTP with ranges: shards", "container:http-ranges", { all: true }),
  row("ZIP", "container:zip", { all: true }),
  row("ZIP with deflated entries", "container:zip-deflated", { all: true }),
  row("ZIP with an entry twice", "container:zip-twice", { all: true }),
  row("kerchunk's references as JSON", "container:references-json", { all: true }),
  row("kerchunk's references as Parquet", "container:references-parquet", { all: true }),
  row("Icechunk, version 1 of the format", "container:icechunk-v1", { all: true }),
  row("Icechunk, version 2", "container:icechunk-v2", { all: true }),
  row("Icechunk, virtual chunks over HTTP", "container:icechunk-virtual", { all: true }),
];

const CONVENTIONS = [
  row("CF: packed values and missing values", "cf:packed", { all: true }),
  row("CF: dates of counts in nine calendars", "cf:time", { all: true }),
  row("OME-Zarr: coordinates of the levels", "pyramid:ome", { all: true }),
  row("GeoZarr: coordinates of the levels", "pyramid:geozarr", { all: true }),
];

const CORE = [
  "zarr-wasm",
  "zarrita",
  "zarr.js",
  "neuroglancer",
  "zarr-python",
  "tensorstore",
  "zarrs",
  "gdal",
];

export const TABLES = [
  { id: "types", title: "Data types", readers: CORE, rows: TYPES },
  { id: "codecs", title: "Codecs", readers: CORE, rows: CODECS },
  { id: "grids", title: "Chunk grids, keys and shards", readers: CORE, rows: GRIDS },
  { id: "dialects", title: "Versions and dialects", readers: CORE, rows: DIALECTS },
  {
    id: "containers",
    title: "Containers",
    readers: [...CORE.slice(0, 2), "icechunk", ...CORE.slice(2)],
    rows: CONTAINERS,
  },
  {
    id: "conventions",
    title: "Conventions",
    readers: ["zarr-wasm", "neuroglancer", "xarray", "gdal"],
    rows: CONVENTIONS,
  },
];
