/** The JavaScript values of each family of data types, compared with values written by hand. */
import assert from "node:assert/strict";
import { test } from "node:test";
import * as zarr from "zarr-wasm";
import { FileSystemStore } from "zarr-wasm/fs";
import { goodCases, unstrided } from "./fixture_files.mjs";
import { metadata } from "./made_stores.mjs";

const json = (value) => new TextEncoder().encode(JSON.stringify(value));
const bytesOf = (view) => new Uint8Array(view.buffer, view.byteOffset, view.byteLength);

/** An array of one dimension with one chunk of these bytes. */
function opened(dtype, fill, chunk, count, { endless = false } = {}) {
  const document = metadata({ shape: [count], chunks: [count], dtype, fill });
  if (endless) document.codecs = [{ name: "bytes" }];
  const store = new Map([
    ["/zarr.json", json(document)],
    ["/c/0", bytesOf(chunk)],
  ]);
  return zarr.open(store, { kind: "array" });
}

test("complex numbers are pairs, one element each", async () => {
  const pairs = Float32Array.of(1, -2, 0.5, Number.POSITIVE_INFINITY);
  const array = await opened("complex64", [3, "NaN"], pairs, 2);
  assert.deepEqual(await array.get(), { data: pairs, shape: [2], stride: [1], complex: true });
  assert.deepEqual(array.fillValue, [3, Number.NaN]);
  assert.deepEqual(await zarr.get(array, [1]), [0.5, Number.POSITIVE_INFINITY]);
  assert.deepEqual((await array.get([1], { as: "bytes" })).data, bytesOf(pairs.subarray(2)));
  const wide = await opened("complex128", [0, 0], Float64Array.of(1e300, 2), 1);
  assert.deepEqual((await wide.get()).data, Float64Array.of(1e300, 2));
  const out = new Float32Array(4);
  assert.equal((await array.get(null, { out })).data, out);
  assert.deepEqual(out, pairs);
});

test("floats without a typed array are widened", async () => {
  const short = await opened("bfloat16", "NaN", Uint16Array.of(0x3f80, 0xc040, 0x7f80), 3);
  const values = Float32Array.of(1, -3, Number.POSITIVE_INFINITY);
  assert.deepEqual((await short.get()).data, values);
  assert.deepEqual((await zarr.get(short)).data, values);
  assert.ok(Number.isNaN(short.fillValue));
  assert.deepEqual(
    (await short.get(null, { as: "bytes" })).data,
    Uint8Array.of(0x80, 0x3f, 0x40, 0xc0, 0x80, 0x7f),
  );
  const out = new Float32Array(3);
  assert.equal((await short.get(null, { out })).data, out);
  assert.deepEqual(out, values);
  // 2^-9, 1, 448 and NaN: the table of the "OCP 8-bit Floating Point Specification".
  const tiny = await opened("float8_e4m3fn", 1, Uint8Array.of(0x01, 0x38, 0xfe, 0x7f), 4, { endless: true });
  assert.deepEqual((await tiny.get()).data, Float32Array.of(2 ** -9, 1, -448, Number.NaN));
  assert.equal(tiny.fillValue, 1);
  const pair = await opened("complex_float8_e4m3fn", [0, 0], Uint8Array.of(0x38, 0xb8), 1, { endless: true });
  const { data, complex } = await pair.get();
  assert.deepEqual([...data, complex], [1, -1, true]);
});

test("4-bit integers become 8-bit integers", async () => {
  const array = await opened("int4", -1, Int8Array.of(-8, 7), 2, { endless: true });
  assert.deepEqual((await array.get()).data, Int8Array.of(-8, 7));
  assert.equal(array.fillValue, -1);
});

const time = (unit, factor = 1, name = "numpy.datetime64") => ({
  name,
  configuration: { unit, scale_factor: factor },
});

test("datetimes are counts that can be dates", async () => {
  const cases = [
    ["D", 1, 19_723n, "2024-01-01T00:00:00.000Z"],
    ["ns", 1, -1n, "1969-12-31T23:59:59.999Z"],
    ["s", 25, 4n, "1970-01-01T00:01:40.000Z"],
    ["M", 1, -1n, "1969-12-01T00:00:00.000Z"],
    ["Y", 1, -1900n, "0070-01-01T00:00:00.000Z"],
    ["us", 10, 150n, "1970-01-01T00:00:00.001Z"],
  ];
  for (const [unit, factor, count, date] of cases) {
    const array = await opened(time(unit, factor), "NaT", BigInt64Array.of(count, -(2n ** 63n)), 2);
    const result = await array.get();
    assert.deepEqual(result.data, BigInt64Array.of(count, -(2n ** 63n)));
    assert.deepEqual([result.unit, result.scale], [unit, factor]);
    assert.equal(result.toDate(0).toISOString(), date);
    assert.ok(Number.isNaN(result.toDate(1).getTime()), "NaT");
    assert.equal(array.fillValue, -(2n ** 63n));
  }
  const span = await opened(time("h", 1, "numpy.timedelta64"), 0, BigInt64Array.of(5n), 1);
  assert.deepEqual(await span.get(), {
    data: BigInt64Array.of(5n),
    shape: [1],
    stride: [1],
    unit: "h",
    scale: 1,
  });
});

const sized = (name, length) => ({ name, configuration: { length_bytes: length } });

test("texts and bytes of fixed length", async () => {
  const codes = Uint32Array.of(0x7d30, 0x1f600, 0, 0x61, 0, 0);
  const text = await opened(sized("fixed_length_utf32", 12), "ab", codes, 2);
  assert.deepEqual((await text.get()).data, ["細😀", "a"]);
  assert.equal(text.fillValue, "ab");
  const wrapped = (await zarr.get(text)).data;
  assert.ok(wrapped instanceof zarr.UnicodeStringArray);
  assert.deepEqual([...wrapped], ["細😀", "a"]);
  assert.deepEqual([wrapped[0], wrapped[1]], ["細😀", "a"]);
  assert.equal(await zarr.get(text, [1]), "a");
  assert.deepEqual((await text.get([1], { as: "bytes" })).data, bytesOf(codes.subarray(3)));

  const padded = Uint8Array.of(97, 0, 98, 0, 0, 0);
  const words = await opened(sized("null_terminated_bytes", 3), "", padded, 2, { endless: true });
  assert.deepEqual((await words.get()).data, [Uint8Array.of(97, 0, 98), Uint8Array.of()]);
  assert.ok((await zarr.get(words)).data instanceof zarr.ByteStringArray);
  const raw = await opened("r24", [1, 2, 3], padded, 2, { endless: true });
  assert.deepEqual((await raw.get()).data, [Uint8Array.of(97, 0, 98), Uint8Array.of(0, 0, 0)]);
  assert.deepEqual(raw.fillValue, Uint8Array.of(1, 2, 3));
  await assert.rejects(raw.get(null, { out: new Uint8Array(6) }), { code: "Argument" });
});

test("wrapper classes support indices", () => {
  const bools = new zarr.BoolArray([true, false]);
  assert.deepEqual([bools[0], bools[1], bools[2], bools.length], [true, false, undefined, 2]);
  bools[1] = true;
  assert.equal(bools.get(1), true);
  const bytes = new zarr.ByteStringArray(3, ["ab", "c"]);
  assert.equal(bytes[1], "c");
  assert.equal(bytes.nothing, undefined);
  assert.equal(String(Object.keys(bools)), "");
});

const fields = [
  { name: "id", data_type: "uint8" },
  { name: "at", data_type: time("s") },
  { name: "__proto__", data_type: "float32" },
];

test("structs become columns", async () => {
  const packed = new DataView(new ArrayBuffer(26));
  for (const [at, id] of [3, 4].entries()) {
    packed.setUint8(at * 13, id);
    packed.setBigInt64(at * 13 + 1, BigInt(id * 10), true);
    packed.setFloat32(at * 13 + 9, id / 2, true);
  }
  const type = { name: "struct", configuration: { fields } };
  const array = await opened(type, { id: 9, at: 0, ["__proto__"]: 0 }, packed, 2);
  const { data, shape } = await array.get();
  assert.deepEqual(shape, [2]);
  assert.deepEqual(Object.keys(data), ["id", "at", "__proto__"]);
  assert.deepEqual(data.id, { data: Uint8Array.of(3, 4), shape: [2], stride: [1] });
  assert.deepEqual(data.at.data, BigInt64Array.of(30n, 40n));
  assert.equal(data.at.toDate(1).getTime(), 40_000);
  assert.deepEqual(Object.values(data)[2].data, Float32Array.of(1.5, 2));
  assert.deepEqual((await array.get(null, { as: "bytes" })).data, bytesOf(packed));
  const scalar = await zarr.get(array, [0]);
  assert.deepEqual(Object.entries(scalar), [
    ["id", 3],
    ["at", 30n],
    ["__proto__", 1.5],
  ]);
});

/** The encoding of vlen-utf8: the number of elements, then each with its length. */
function vlen(texts) {
  const parts = texts.map((text) => Buffer.from(text));
  const word = (value) => Buffer.from(Uint32Array.of(value).buffer);
  return new Uint8Array(
    Buffer.concat([word(texts.length), ...parts.flatMap((part) => [word(part.length), part])]),
  );
}

/** Strings of 5 × 4 in transposed chunks of 2 × 3. The chunk [1, 0] is absent. */
function texts() {
  const document = metadata({ shape: [5, 4], chunks: [2, 3], dtype: "string", fill: "–" });
  document.codecs = [{ name: "transpose", configuration: { order: [1, 0] } }, { name: "vlen-utf8" }];
  const store = new Map([["/zarr.json", json(document)]]);
  for (const [i, j] of [
    [0, 0],
    [0, 1],
    [1, 1],
    [2, 0],
    [2, 1],
  ]) {
    const chunk = [];
    for (let y = 0; y < 3; y += 1) for (let x = 0; x < 2; x += 1) chunk.push(textAt(i * 2 + x, j * 3 + y));
    store.set(`/c/${i}/${j}`, vlen(chunk));
  }
  return store;
}
function textAt(i, j) {
  if (i >= 2 && i < 4 && j < 3) return "–";
  return i > 4 || j > 3 ? "beyond" : `${i}${"é".repeat(j)}`;
}
const rows = (...from) => from.flatMap((i) => [0, 1, 2, 3].map((j) => textAt(i, j)));

test("strings of any length are placed across parts, absent chunks and memory orders", async () => {
  const array = await zarr.open(texts(), { kind: "array" });
  assert.equal(array.dtype, "string");
  assert.equal(array.fillValue, "–");
  assert.deepEqual((await array.get()).data, rows(0, 1, 2, 3, 4));
  const native = await zarr.get(array);
  assert.deepEqual(native.stride, [1, 5]);
  assert.deepEqual(unstrided(native), rows(0, 1, 2, 3, 4));
  assert.deepEqual((await array.get([[4, 0], null])).data, rows(4, 0));
  assert.deepEqual((await array.get(zarr.points([4, 2], [3, 1]))).data, [textAt(4, 3), "–"]);
  assert.equal(await zarr.get(array, [0, 2]), "0éé");
  const edge = await array.getChunk([2, 1]);
  assert.deepEqual(edge.shape, [2, 3]);
  assert.deepEqual(unstrided(edge), ["4ééé", "beyond", "beyond", "beyond", "beyond", "beyond"]);
  await assert.rejects(array.get(null, { as: "bytes" }), { code: "Argument" });
  assert.deepEqual((await array.get([zarr.slice(0, 0)])).data, []);
});

test("an array made from a metadata object reads strings of any length", async () => {
  const store = texts();
  const array = new zarr.Array(store, "/", JSON.parse(new TextDecoder().decode(store.get("/zarr.json"))));
  assert.deepEqual((await array.get([0])).data, rows(0));
});

test("missing values of optional types are null", async () => {
  const { store: folder, expected } = goodCases().find(({ name }) => name === "zarrs/dtypes-optional-v3");
  const valuesOf = (path) => Buffer.from(expected.find((node) => node.path === path).values, "base64");
  const read = (path) => zarr.open(new FileSystemStore(folder), { path }).then((array) => array.get());
  const places = Array.from({ length: 35 }, (_, at) => at);
  const packed = valuesOf("int32-null");
  const numbers = places.map((at) => (packed[at * 5] ? packed.readInt32LE(at * 5 + 1) : null));
  assert.deepEqual((await read("int32-null")).data, numbers);
  assert.ok(numbers.includes(null));
  // The value of an optional type within an optional type is in a list.
  const nested = valuesOf("nested");
  const innerOf = (at) => [nested[at * 3 + 1] ? nested[at * 3 + 2] : null];
  assert.deepEqual(
    (await read("nested")).data,
    places.map((at) => (nested[at * 3] ? innerOf(at) : null)),
  );
});
