/**
 * The entries of `registry`: each decodes what other libraries encoded, and decodes what it encoded
 * itself. zarrita uses them as codecs of its own.
 */
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import * as zarr from "zarr-wasm";
import * as zarrita from "zarrita";
import { VIEWS } from "../support/number_views.mjs";
import { registered } from "./flipped_codec.mjs";

const VECTORS = join(import.meta.dirname, "../fixtures/codec-vectors");

/** Codecs that decode only. */
const READ_ONLY =
  /^(imagecodecs_(delta|floatpred|jpeg.*|lerc|lzw|packbits|png|qoi|spng|webp)|grib|gribberish|jpeg|jpegxl|lzw)$/;
/** Vectors whose codec sees elements of another data type than the array's. */
const SEEN_AS_OTHERS = /-seen-as-/;

const CLASSES = {
  ...VIEWS,
  // There is no Float16Array in every Node: the bits then.
  float16: globalThis.Float16Array ?? Uint16Array,
};

const product = (shape) => shape.reduce((count, length) => count * length, 1);
const strides = (shape) => shape.map((_, axis) => product(shape.slice(axis + 1)));
const bytesIn = ({ buffer, byteOffset, byteLength }) => Buffer.from(buffer, byteOffset, byteLength);

/** The bytes of one side of a vector. */
function side(folder, vector, name) {
  const inline = vector[`${name}_base64`];
  const place = name === "input" ? "inputs" : folder;
  const bytes =
    inline === undefined ? readFileSync(join(VECTORS, place, vector[name])) : Buffer.from(inline, "base64");
  return name === "input" ? Buffer.concat(Array(vector.repeat ?? 1).fill(bytes)) : bytes;
}

/** Parses JSON with integers beyond 2^53 as bigints. */
const exactJson = (text) =>
  JSON.parse(text.replace(/([:[]\s*)(\d{17,})(?=\s*[,}\]])/g, '$1"integer $2"'), (_, value) =>
    /^integer \d+$/.test(value) ? BigInt(value.slice("integer ".length)) : value,
  );

function vectorsOf(folder) {
  const path = join(VECTORS, folder, "vectors.json");
  const vectors = existsSync(path) ? exactJson(readFileSync(path, "utf8")) : [];
  return vectors.filter(({ name = "" }) => !SEEN_AS_OTHERS.test(name));
}

/** The registry's name of a vector's codec, and its configuration. */
function namedOf({ codec, zarr_format: format }) {
  if (format === 3) return [codec.name, codec.configuration];
  const { id, ...configuration } = codec;
  return [zarr.registry.has(`numcodecs.${id}`) ? `numcodecs.${id}` : id, configuration];
}

const OF_OBJECTS = /^(json2|msgpack2|vlen-array)$/;

/** zarrita's name of a data type: strings of fixed length count in code points of four bytes. */
const nameOf = (type) =>
  type.name === "fixed_length_utf32" ? `v2:U${type.configuration.length_bytes / 4}` : type;

function metaOf(folder, { data_type: type, shape, fill_value: fill }) {
  return {
    dataType: OF_OBJECTS.test(folder) ? "v2:object" : nameOf(type),
    shape,
    fillValue: fill ?? null,
    codecs: [],
  };
}

async function codecOf(folder, vector) {
  const [name, configuration] = namedOf(vector);
  const entry = await zarr.registry.get(name)();
  return entry.fromConfig(configuration, metaOf(folder, vector));
}

/** A chunk of packed elements. */
function chunkOf(bytes, { dataType, shape }) {
  const Class = CLASSES[dataType] ?? Uint8Array;
  const buffer = new Uint8Array(bytes).buffer;
  const wrap = () => (dataType === "bool" ? new zarr.BoolArray(buffer) : new Class(buffer));
  const chars = /^v2:U(\d+)$/.exec(dataType)?.[1];
  const data = chars === undefined ? wrap() : new zarr.UnicodeStringArray(Number(chars), buffer);
  return { data, shape, stride: strides(shape) };
}

const elementsIn = (decoded) => decoded.data ?? decoded;

/** The value of a JSON text of Python's, in which NaN and infinities are tokens. */
const valueIn = (text) =>
  JSON.parse(
    text.replace(/^(NaN|-?Infinity)$|(?<=[[,:] *)(NaN|-?Infinity)(?= *[,\]}])/g, '"#$1$2"'),
    (_, value) => (/^#(NaN|-?Infinity)$/.test(value) ? Number(value.slice(1)) : value),
  );

/** Compares decoded elements with those of a vector. */
function checkDecoded(vector, folder, decoded) {
  const elements = elementsIn(decoded);
  if (decoded.shape) assert.deepEqual(decoded.shape, vector.shape);
  if (vector.input_elements_base64) {
    const expected = vector.input_elements_base64.map((text) => Buffer.from(text, "base64"));
    const isJson = /^(json2|msgpack2)$/.test(folder);
    const shown = (value) => (typeof value === "string" ? value : Buffer.from(value).toString("latin1"));
    const actual = elements.map((value) => (isJson ? value : shown(value)));
    const wanted = expected.map((bytes) => {
      if (isJson) return valueIn(bytes.toString());
      return typeof elements[0] === "string" ? bytes.toString() : bytes.toString("latin1");
    });
    assert.deepEqual(actual, wanted);
    return;
  }
  const expected = side(folder, vector, "input");
  if (vector.tolerance === undefined) return assert.ok(bytesIn(elements).equals(expected), "other elements");
  const wanted = new CLASSES[vector.data_type](new Uint8Array(expected).buffer);
  const far = Array.from(wanted, (value, at) => Math.abs(Number(value) - Number(elements[at])));
  assert.ok(Math.max(...far) <= vector.tolerance, `${Math.max(...far)} from the input`);
}

describe("what other libraries encoded", () => {
  for (const folder of readdirSync(VECTORS)) {
    for (const vector of vectorsOf(folder)) {
      const title = `${folder} ${vector.name ?? vector.encoded} ${JSON.stringify(vector.data_type)}`;
      test(title, async () => {
        const codec = await codecOf(folder, vector);
        const encoded = side(folder, vector, "encoded");
        if (codec.kind !== "array_to_array") {
          checkDecoded(vector, folder, await codec.decode(new Uint8Array(encoded)));
          return;
        }
        const meta = metaOf(folder, vector);
        const decoded = await codec.decode(chunkOf(encoded, codec.getEncodedMeta(meta)));
        checkDecoded(vector, folder, decoded);
      });
    }
  }
});

describe("what the entries encode, they decode", () => {
  for (const folder of readdirSync(VECTORS)) {
    const [vector] = vectorsOf(folder).filter(({ input_elements_base64: list }) => list === undefined);
    if (!vector) continue;
    test(folder, async () => {
      const codec = await codecOf(folder, vector);
      const input = side(folder, vector, "input");
      const chunk =
        codec.kind === "bytes_to_bytes" ? new Uint8Array(input) : chunkOf(input, metaOf(folder, vector));
      if (READ_ONLY.test(folder)) {
        return assert.rejects(codec.encode(chunk), { code: "Unsupported" });
      }
      const decoded = await codec.decode(await codec.encode(chunk));
      assert.ok(bytesIn(elementsIn(decoded)).equals(bytesIn(elementsIn(chunk))), "other elements");
    });
  }
});

/** The rows of the table of codecs: names in v3, ids in v2, and the kind. */
function tableOfCodecs() {
  const text = readFileSync(join(import.meta.dirname, "../../src/core/format/codec/registry.rs"), "utf8");
  const rows = text.matchAll(/^ {4}("[\w.-]+"),\s+(\[[^\]]*\]),\s+(\[[^\]]*\]),\s+(\w+),/gm);
  return Array.from(rows, ([, name, aliases, ids, kind]) => ({
    names: [JSON.parse(name), ...JSON.parse(aliases)],
    ids: JSON.parse(ids),
    kind: kind.replace(/(?<=[a-z])To(?=[A-Z])/, "_to_").toLowerCase(),
  }));
}

test("the registry lists every codec of this package, and all names of zarrita's", async () => {
  const table = tableOfCodecs();
  assert.ok(table.length > 50, `${table.length} rows`);
  const expected = new Map();
  for (const { names, ids, kind } of table) {
    for (const id of ids) expected.set(id, kind);
    for (const name of names) expected.set(name, kind);
  }
  // Two codecs have the name; v3's is the one without the prefix.
  expected.set("packbits", "array_to_bytes");
  for (const [name, kind] of expected) {
    const entry = await zarr.registry.get(name)?.();
    assert.equal(entry?.kind, kind, name);
  }
  for (const name of zarrita.registry.keys()) assert.ok(zarr.registry.has(name), name);
  const others = [...zarr.registry.keys()].filter((name) => !expected.has(name));
  for (const name of others) assert.ok(expected.has(name.replace("numcodecs.", "")), name);
});

describe("zarrita with the entries of this package", () => {
  const LITTLE = { name: "bytes", configuration: { endian: "little" } };
  const chains = {
    "a transposition, big-endian, blosc": [
      { name: "transpose", configuration: { order: [1, 0] } },
      { name: "bytes", configuration: { endian: "big" } },
      {
        name: "blosc",
        configuration: { cname: "zstd", clevel: 3, shuffle: "shuffle", typesize: 4, blocksize: 0 },
      },
    ],
    "F order and zfp": [
      { name: "transpose", configuration: { order: "F" } },
      { name: "zfp", configuration: { mode: "reversible" } },
    ],
    "a filter to another type": [
      {
        name: "numcodecs.fixedscaleoffset",
        configuration: { offset: 0, scale: 1, dtype: "<i4", astype: "<i2" },
      },
      LITTLE,
      { name: "numcodecs.bz2", configuration: { level: 1 } },
    ],
    "a checksum and gzip": [LITTLE, { name: "crc32c" }, { name: "gzip", configuration: { level: 2 } }],
  };
  for (const [title, codecs] of Object.entries(chains)) {
    test(title, async () => {
      const before = new Map(zarrita.registry);
      for (const [name, loader] of zarr.registry) zarrita.registry.set(name, loader);
      try {
        const store = new Map();
        const place = zarrita.root(store).resolve("a");
        const options = { shape: [3, 4], chunkShape: [2, 3], dtype: "int32", codecs, fillValue: 0 };
        const array = await zarrita.create(place, options);
        const data = Int32Array.from({ length: 12 }, (_, at) => 3 * at);
        await zarrita.set(array, null, { data, shape: [3, 4], stride: [4, 1] });
        const mine = await zarr.open(zarr.root(store).resolve("a"), { kind: "array" });
        assert.deepEqual((await mine.get()).data, data);
        const got = await zarrita.get(await zarrita.open(place, { kind: "array" }));
        const at = (row, column) => got.data[row * got.stride[0] + column * got.stride[1]];
        assert.deepEqual(
          Array.from(data, (_, index) => at(Math.floor(index / 4), index % 4)),
          [...data],
        );
      } finally {
        zarrita.registry.clear();
        for (const [name, loader] of before) zarrita.registry.set(name, loader);
      }
    });
  }
});

test("objects are encoded as JSON and decoded, as zarrita does", async () => {
  const data = [{ a: [1, null] }, "text \u0000NaN", 5, null];
  const chunk = { data, shape: [4], stride: [1] };
  const meta = { dataType: "v2:object", shape: [4] };
  const encodings = [];
  for (const library of [zarr, zarrita]) {
    const codec = (await library.registry.get("json2")()).fromConfig({ encoding: "utf-8" }, meta);
    const encoded = await codec.encode(chunk);
    encodings.push(JSON.parse(Buffer.from(encoded).toString()));
    assert.deepEqual((await codec.decode(encoded)).data, data);
  }
  assert.deepEqual(encodings[0], encodings[1]);
  const special = { data: [Number.NaN, { a: -Infinity }, "NaN"], shape: [3], stride: [1] };
  const codec = (await zarr.registry.get("json2")()).fromConfig({}, { ...meta, shape: [3] });
  const encoded = await codec.encode(special);
  assert.equal(Buffer.from(encoded).toString(), '[NaN,{"a":-Infinity},"NaN","|O",[3]]');
  assert.deepEqual((await codec.decode(encoded)).data, special.data);
});

for (const ensures of [true, false]) {
  test(`json2 writes zarrita's bytes with ensure_ascii: ${ensures}`, async () => {
    const chunk = { data: ["£ 5", "\u{1d11e} and \u{8}", "plain"], shape: [3], stride: [1] };
    const [ours, theirs] = await Promise.all(
      [zarr, zarrita].map(async ({ registry }) =>
        (await registry.get("json2")()).fromConfig({ ensure_ascii: ensures }),
      ),
    );
    const encoded = await ours.encode(chunk);
    assert.equal(Buffer.from(encoded).toString(), Buffer.from(theirs.encode(chunk)).toString());
    assert.deepEqual(await ours.decode(encoded), chunk);
    assert.deepEqual(theirs.decode(encoded), chunk);
  });
}

test("json2 takes the shape from the JSON list, and refuses NaN with allow_nan: false", async () => {
  const { fromConfig } = await zarr.registry.get("json2")();
  const codec = fromConfig({ allow_nan: false });
  const decoded = await codec.decode(Buffer.from('[["a","b"],["c","d"],"|O",[2, 2]]'));
  assert.deepEqual(decoded, { data: ["a", "b", "c", "d"], shape: [2, 2], stride: [2, 1] });
  for (const broken of ['["a"]', '["a","|O"]', '["a","|O",[9]]', '["a","|O",[99999999999999999999]]'])
    await assert.rejects(codec.decode(Buffer.from(broken)), zarr.ZarrError, broken);
  for (const value of [Number.NaN, { deep: [Number.POSITIVE_INFINITY] }])
    await assert.rejects(codec.encode({ data: [value], shape: [1], stride: [1] }), { code: "Argument" });
  await codec.encode({ data: ["NaN"], shape: [1], stride: [1] });
});

test("the chunk after reshape and categorize is described for the next codec", async () => {
  const after = async (name, configuration, meta) =>
    (await zarr.registry.get(name)()).fromConfig(configuration, meta).getEncodedMeta(meta);
  const cube = { dataType: "int32", shape: [2, 3, 4, 5], fillValue: 7, codecs: [] };
  const shapeOf = async (shape) => (await after("reshape", { shape }, cube)).shape;
  assert.deepEqual(await shapeOf([[0, 1], -1]), [6, 20]);
  assert.deepEqual(await shapeOf([-1, [2, 3]]), [6, 20]);
  assert.deepEqual(await shapeOf([[0], 12, [3], []]), [2, 12, 5, 1]);
  const labels = ["a", "b", "a"];
  const texts = { dataType: "string", shape: [4], fillValue: "a", codecs: [] };
  assert.deepEqual(await after("categorize", { labels, dtype: "|O", astype: "<i8" }, texts), {
    ...texts,
    dataType: "int64",
    fillValue: 3n,
  });
  const unlabelled = await after("categorize", { labels }, { ...texts, fillValue: "" });
  assert.deepEqual([unlabelled.dataType, unlabelled.fillValue], ["uint8", 0]);
});

test("strides of a chunk are kept, and shapes come from the chunk where no metadata tell them", async () => {
  const delta = (await zarr.registry.get("delta")()).fromConfig({}, { dataType: "int32" });
  const chunk = { data: Int32Array.of(1, 3, 6, 10, 15, 21), shape: [2, 3], stride: [1, 2] };
  const encoded = await delta.encode(chunk);
  assert.deepEqual(encoded, { ...chunk, data: Int32Array.of(1, 2, 3, 4, 5, 6) });
  assert.deepEqual(await delta.decode(encoded), chunk);
});

test("an entry under another name is a codec of the user", async () => {
  const store = new Map();
  const own = zarr.registry.get("numcodecs.delta");
  const little = { name: "bytes", configuration: { endian: "little" } };
  await registered({ "test.delta": own }, async () => {
    const array = await zarr.create(store, {
      shape: [4],
      chunkShape: [4],
      dtype: "int16",
      codecs: [{ name: "test.delta", configuration: { dtype: "<i2" } }, little],
    });
    await array.set(null, Int16Array.of(5, 7, 10, 14));
    assert.deepEqual([...new Int16Array(store.get("/c/0").slice().buffer)], [5, 2, 3, 4]);
    assert.deepEqual((await array.get()).data, Int16Array.of(5, 7, 10, 14));
    assert.deepEqual(
      zarr.info().codecs.map(({ name }) => name),
      ["test.delta"],
    );
  });
});

test("errors of the entries are typed", async () => {
  const gzip = (await zarr.registry.get("gzip")()).fromConfig({ level: 1 });
  await assert.rejects(gzip.decode(Uint8Array.of(1, 2, 3)), { name: "CodecPipelineError", codec: "gzip" });
  await assert.rejects(gzip.encode(null), { code: "Argument", codec: "gzip" });
  const bytes = (await zarr.registry.get("bytes")()).fromConfig({}, { dataType: "int16", shape: [2] });
  await assert.rejects(bytes.encode({ data: Int16Array.of(1), shape: [1], stride: [1] }), {
    code: "Argument",
  });
  await assert.rejects(bytes.encode({ data: Float32Array.of(1, 2), shape: [2], stride: [1] }), {
    code: "Argument",
    expected: "Int16Array",
  });
  const huge = (await zarr.registry.get("bytes")()).fromConfig({}, { dataType: "int16", shape: [2 ** 40] });
  await assert.rejects(huge.decode(new Uint8Array(4)), { code: "Limit" });
});
