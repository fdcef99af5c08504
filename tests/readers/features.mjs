/**
 * What an array of `tests/fixtures` has, as a list of words such as `type:int16`, `codec:blosc` or
 * `grid:rectilinear`: from its metadata, and from the name of its case where the metadata do not
 * tell. It reads documents and no elements. `rows.mjs` makes rows of these words.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** The words of an array without anything special: they do not stand in the way of another feature. */
export const PLAIN = new Set([
  ...["format:v2", "format:v3", "codec:blosc", "codec:gzip", "codec:zlib", "codec:zstd"],
  ...["type:int8", "type:int16", "type:int32", "type:int64", "type:uint8", "type:uint16"],
  ...["type:uint32", "type:uint64", "type:float32", "type:float64"],
]);

/** Cases whose metadata or chunks are written in a rare form, which the specification allows. */
const FORMS = [
  [/^edited\/(spellings-|orders-v3|attributes-v3)/, "form:spelling"],
  [/^edited\/encoder-parameters-/, "form:parameters"],
  [/^edited\/(consolidated-v3|implicit-groups-v3)|written-compactly\//, "form:spelling"],
  [/^edited\/streams-v3/, "form:streams"],
  [/^edited\/(shards-v3|edge-chunks-v3)|\/sharding-orders-v3/, "form:chunk-bytes"],
  // Documents of both versions with other shapes, bytes that begin with the zero that ends them, and
  // v2's fill value of bytes: no text says what these are.
  [/both-formats\/|\/(missing-S3|s3-missing)$|variable-v2\/bytes-missing$/, "form:unspecified"],
  [/^zarr-python-3\/dtypes-struct-legacy-v3/, "form:old-struct"],
];

/** JSON as writers leave it: with a byte order mark, or with the numbers that JSON does not have. */
export function lenientJson(file) {
  const text = readFileSync(file, "utf8").replace(/^\uFEFF/, "");
  return JSON.parse(text.replace(/(?<=[:,[]\s*)(NaN|-?Infinity)(?=\s*[,}\]])/g, '"$1"'));
}

const documentsOf = (path) => [
  ["v2", join(path, ".zarray")],
  ["v3", join(path, "zarr.json")],
];

/** Attributes with the bare tokens that Python writes for numbers that JSON does not have. */
function hasBareNumbers(path) {
  const files = [".zattrs", "zarr.json"].map((name) => join(path, name)).filter(existsSync);
  return files.some((file) => /[:,[]\s*(NaN|-?Infinity)\s*[,}\]]/.test(readFileSync(file, "utf8")));
}

/** The draft that a hierarchy follows. */
function draftOf(name) {
  if (name.startsWith("zarr-python-2-draft")) return "draft-zarr-python";
  return name.startsWith("draft-2020") ? "draft-2020" : "draft-2022";
}

/** The document of an array, and the format that it has. */
function metadataOf({ name, store }, { path, zarr_format: format }) {
  if (/draft/.test(name)) return { format: draftOf(name), metadata: draftMetadata(store, path) };
  const found = documentsOf(join(store, path)).find(
    ([kind, file]) => kind === `v${format}` && existsSync(file),
  );
  if (!found) throw new Error(`${name} ${path} has no document`);
  return { format: found[0], metadata: lenientJson(found[1]) };
}

/** A draft's array document: below `meta/root/` in 2020, below `meta/` in 2022. */
function draftMetadata(store, path) {
  const entry = lenientJson(join(store, "zarr.json"));
  const suffix = entry.metadata_encoding?.metadata_key_suffix ?? entry.metadata_key_suffix ?? ".json";
  const names = [`meta/root/${path}.array${suffix}`, `meta/${path}.array${suffix}`];
  const root = [`meta/root.array${suffix}`, `meta/array${suffix}`];
  const file = [...names, ...root].map((each) => join(store, each)).find(existsSync);
  if (!file) throw new Error(`${store} ${path} has no document`);
  return lenientJson(file);
}

const nameOf = (extension) => (typeof extension === "string" ? extension : (extension.name ?? extension.id));

/** Codecs of a chain and, for shards, of the chain inside. `bytes` and vlen codecs go with their types. */
function codecFeatures(codecs, depth = 0) {
  return codecs.flatMap((codec, at) => {
    const name = nameOf(codec);
    if (name === "sharding_indexed") return shardFeatures(codecs, at, depth);
    if (name === "transpose") return ["transpose"];
    if (name === "blosc")
      return [codec.configuration?.cname === "snappy" ? "codec:blosc-snappy" : "codec:blosc"];
    if (["bytes", "endian", "vlen-utf8", "vlen-bytes", "zarrs.optional"].includes(name)) return [];
    if (name === "zstd" && codec.configuration?.level < 0) return ["codec:zstd-negative"];
    return [`codec:${name}`, ...(storesOther(codec.configuration ?? {}) ? ["codec:stored-as"] : [])];
  });
}

/** An index other than the default one: little-endian bytes, and a checksum behind. */
function isUsualIndex(codecs) {
  const names = (codecs ?? ["bytes", "crc32c"]).map(nameOf);
  return names.join() === "bytes,crc32c" && codecs?.[0]?.configuration?.endian !== "big";
}

function shardFeatures(codecs, at, depth) {
  const { configuration = {} } = codecs[at];
  return [
    depth > 0 ? "shard:nested" : "shard",
    ...(configuration.index_location === "start" ? ["shard:index-start"] : []),
    ...(isUsualIndex(configuration.index_codecs) ? [] : ["shard:index-codecs"]),
    ...(codecs.slice(0, at).some((codec) => nameOf(codec) === "transpose") ? ["shard:transposed"] : []),
    ...(codecs.length > at + 1 ? ["shard:then-codecs"] : []),
    ...codecFeatures(configuration.codecs ?? [], depth + 1),
  ];
}

/** `delta` and others that store another type than the array's. */
const storesOther = ({ astype, dtype }) => astype !== undefined && dtype !== undefined && astype !== dtype;

/** v2's filters and compressor. The filters of objects go with their types. */
function v2Codecs({ filters, compressor }) {
  const all = [...(filters ?? []), ...(compressor ? [compressor] : [])];
  return all
    .filter(({ id }) => !/^(vlen-|json2|msgpack2)/.test(id))
    .flatMap(({ id, ...codec }) => [
      `codec:${id === "blosc" && codec.cname === "snappy" ? "blosc-snappy" : id}`,
      ...(storesOther(codec) && id === "delta" ? ["codec:stored-as"] : []),
    ]);
}

/** GDAL writes words where numcodecs has a number and a boolean. */
const hasTextParameters = (compressor) =>
  [compressor?.shuffle, compressor?.checksum].some((value) => typeof value === "string");

function v2Features(metadata) {
  return [
    ...v2Codecs(metadata),
    ...(metadata.order === "F" && metadata.shape.length !== 1 ? ["order:F"] : []),
    ...(metadata.dimension_separator === "/" ? ["keys:v2-slash"] : []),
    ...(JSON.stringify(metadata.dtype).includes('">') ? ["order:big"] : []),
    ...(hasTextParameters(metadata.compressor) ? ["form:parameters"] : []),
    ...(typeof metadata.compressor?.checksum === "boolean" ? ["codec:zstd-checksum"] : []),
  ];
}

/** Codecs that are their names alone, as v3.1 allows and zarrs writes them. */
const hasBareNames = (codecs) =>
  codecs.some(
    (codec) =>
      typeof codec === "string" ||
      hasBareNames(codec.configuration?.codecs ?? []) ||
      hasBareNames(codec.configuration?.index_codecs ?? []),
  );

const isBigEndian = (codecs) =>
  /"endian":"big"/.test(JSON.stringify(codecs.filter((codec) => nameOf(codec) !== "sharding_indexed")));

function v3Features({ codecs = [], chunk_grid: grid, chunk_key_encoding: keys }) {
  const [gridName, keysName] = [nameOf(grid), nameOf(keys)];
  const separator = keys.configuration?.separator ?? (keysName === "v2" ? "." : "/");
  return [
    ...codecFeatures(codecs),
    ...(gridName === "regular" ? [] : [`grid:${gridName}`]),
    ...(keysName === "default" && separator === "/"
      ? []
      : [`keys:${keysName}${separator === "/" ? "-slash" : "-dot"}`]),
    ...(isBigEndian(codecs) ? ["order:big"] : []),
    ...(hasBareNames(codecs) ? ["form:spelling"] : []),
  ];
}

/** Of drafts the table has a row each, and one for the storage transformer of shards. */
const draftFeatures = (metadata) => (metadata.storage_transformers?.length ? ["transformer:sharding"] : []);

const NARROW = /^(bfloat16|float8_|float6_|float4_|u?int[24]$)/;

/** The rows of data types: kinds of narrow floats together, and raw bits of any length. */
function typeFeature(type) {
  const name = type.name ?? type;
  if (/^r\d+$/.test(name)) return "type:raw";
  if (/^complex_/.test(name)) return "type:complex-narrow";
  if (/^u?int[24]$/.test(name)) return "type:int-narrow";
  return NARROW.test(name) && name !== "bfloat16" ? "type:float-narrow" : `type:${name}`;
}

const isLarge = (value) => Number.isInteger(value) && Math.abs(value) > Number.MAX_SAFE_INTEGER;

function fillFeatures({ fill_value: fill }, format, type) {
  if (fill === null) return [format === "v2" ? "fill:null" : "form:broken-rule"];
  if (/^0[xb]/.test(fill)) return ["fill:bits"];
  if (/^u?int64$/.test(type) && isLarge(fill)) return ["fill:large"];
  if (/utf32|terminated|^bytes$/.test(type.name ?? type) && typeof fill === "string" && /[^A=]/.test(fill))
    return ["fill:text"];
  return /^(NaN|-?Infinity)$/.test(fill) ||
    (Array.isArray(fill) && fill.some((part) => typeof part === "string"))
    ? ["fill:not-finite"]
    : [];
}

function shapeFeatures({ shape, path, dimension_names: names }) {
  const named = (names ?? []).filter((name) => name !== null);
  return [
    ...(new Set(named).size < named.length ? ["names:repeated"] : []),
    ...(shape.length === 0 ? ["shape:scalar"] : []),
    ...(shape.includes(0) ? ["shape:empty"] : []),
    ...(/^[\w./-]*$/.test(path) ? [] : ["name:special"]),
  ];
}

const byFormat = (format, metadata) => {
  if (format === "v2") return v2Features(metadata);
  return format === "v3" ? v3Features(metadata) : draftFeatures(metadata);
};

/** The words of one array of a case (`goodCases` of `tests/node/fixture_files.mjs`), sorted. */
export function featuresOf(made, node) {
  const { format, metadata } = metadataOf(made, node);
  const words = [
    `format:${format}`,
    typeFeature(node.data_type),
    ...byFormat(format, metadata),
    ...fillFeatures(metadata, format, node.data_type),
    ...shapeFeatures(node),
    ...FORMS.filter(([pattern]) => pattern.test(`${made.name}/${node.path}`)).map(([, word]) => word),
    ...(hasBareNumbers(join(made.store, node.path)) ? ["form:bare-numbers"] : []),
    ...(node.warnings?.length || /\/zfpy-flat$/.test(made.name) ? ["form:broken-rule"] : []),
  ];
  return [...new Set(words)].sort();
}
