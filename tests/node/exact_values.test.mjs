/**
 * Values that are easily lost on the way: the sign of zero, integers beyond 64 bits, and dates that
 * were never written. The expected texts are JSON as Python's `json` reads it.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import * as zarr from "zarr-wasm";

const textOf = (files, key) => new TextDecoder().decode(files.get(key));
const encode = (value) => new TextEncoder().encode(value);

test("a fill value of −0 keeps its sign in the metadata and in missing chunks", async () => {
  for (const zarrFormat of [2, 3]) {
    for (const dtype of ["float16", "float32", "float64"]) {
      const files = new Map();
      const array = await zarr.create(files, { zarrFormat, shape: [2], dtype, fillValue: -0 });
      assert.match(textOf(files, zarrFormat === 2 ? "/.zarray" : "/zarr.json"), /"fill_value": *-0\.0/);
      for (const value of (await array.get()).data) assert.ok(Object.is(Number(value), -0), dtype);
    }
    const files = new Map();
    const options = { zarrFormat, shape: [1], dtype: "complex64", fillValue: [-0, 1] };
    const array = await zarr.create(files, options);
    const { data } = await array.get(null, { as: "bytes" });
    assert.deepEqual([...data], [0, 0, 0, 128, 0, 0, 128, 63], "complex");
    const integers = await zarr.create(new Map(), { zarrFormat, shape: [1], dtype: "int32", fillValue: -0 });
    assert.deepEqual([...(await integers.get()).data], [0]);
  }
});

test("attributes with integers beyond 64 bits are exact", async () => {
  const large = ["18446744073709551616", "-9223372036854775809", `1${"0".repeat(40)}`];
  const attributes = `{"a":[${large}],"b":9007199254740993,"c":1e30,"d":123456789012345.25,"e":7}`;
  const document = `{"zarr_format":3,"node_type":"group","attributes":${attributes}}`;
  const group = await zarr.open(new Map([["/zarr.json", encode(document)]]), { kind: "group" });
  assert.deepEqual(group.attributes({ bigint: true }), {
    ...{ a: large.map(BigInt), b: 9007199254740993n },
    ...{ c: 1e30, d: 123456789012345.25, e: 7 },
  });
  assert.deepEqual(group.attrs.a, large.map(Number));
});

test("integers that no number can hold leave conventions and unpacking alone", async () => {
  for (const zeros of [25, 400, 4299, 5000]) {
    const attributes = `{"scale_factor":2,"_FillValue":3,"n":-1${"0".repeat(zeros)},"license":"MIT"}`;
    const files = new Map();
    await zarr.create(files, { shape: [2], dtype: "int16", fillValue: 4 });
    const document = textOf(files, "/zarr.json").replace(/"attributes": *\{\}/, `"attributes":${attributes}`);
    files.set("/zarr.json", encode(document));
    const array = await zarr.open(files, { kind: "array" });
    assert.deepEqual([...(await array.get(null, { decode: "cf", as: "float64" })).data], [8, 8]);
    const exact = await zarr.open(files, { kind: "array", exactIntegers: true });
    const number = zeros < 4300 ? BigInt(`-1${"0".repeat(zeros)}`) : Number.NEGATIVE_INFINITY;
    assert.equal(exact.attrs.n, number);
    for (const node of [array, exact]) {
      const known = (await zarr.conventions(node)).map((found) => found.known);
      assert.ok(known.includes("CF"), `${known}`);
    }
  }
});

test("missing chunks of v2 dates without a fill value are not dates", async () => {
  const document = {
    ...{ zarr_format: 2, shape: [2], chunks: [1], dtype: "<M8[D]", fill_value: null },
    ...{ compressor: null, filters: null, order: "C" },
  };
  const files = new Map([
    ["/.zarray", encode(JSON.stringify(document))],
    ["/0", new Uint8Array(new BigInt64Array([5n]).buffer)],
  ]);
  const array = await zarr.open(files, { kind: "array" });
  assert.deepEqual([...(await array.get()).data], [5n, -(2n ** 63n)]);
});

test("checksums of v2 are filters, because zarr-python 2 gives compressors arrays", async () => {
  for (const codecs of [
    { filters: [{ id: "fletcher32" }], compressor: null },
    { filters: [{ id: "crc32" }], compressor: null },
    { codecs: [{ id: "zlib", level: 1 }, { id: "adler32" }] },
  ]) {
    const files = new Map();
    const array = await zarr.create(files, { zarrFormat: 2, shape: [2, 2], dtype: "int16", ...codecs });
    await array.set(null, new Int16Array([1, 2, 3, 4]));
    const { filters, compressor } = JSON.parse(textOf(files, "/.zarray"));
    assert.equal(compressor, null);
    assert.equal(filters.at(-1).id, (codecs.filters ?? codecs.codecs).at(-1).id);
    const again = await zarr.open(files, { kind: "array" });
    assert.deepEqual([...(await again.get()).data], [1, 2, 3, 4]);
  }
  const files = new Map();
  await zarr.create(files, { zarrFormat: 2, shape: [2], dtype: "int16", codecs: [{ id: "gzip", level: 1 }] });
  assert.equal(JSON.parse(textOf(files, "/.zarray")).compressor.id, "gzip");
});

test("no date that nobody wrote in structs, and in v3 with null", async () => {
  const nat = -(2n ** 63n);
  const fields = [
    ["a", "<i4"],
    ["t", "<M8[s]"],
  ];
  const struct = await zarr.create(new Map(), { zarrFormat: 2, shape: [1], dtype: fields });
  const { data } = await struct.get();
  assert.deepEqual([[...data.t.data], [...data.a.data]], [[nat], [0]]);
  // v3 has no null. GDAL writes it, and it is read with a warning.
  const seconds = { name: "numpy.datetime64", configuration: { unit: "s", scale_factor: 1 } };
  const files = new Map();
  const chosen = await zarr.create(files, { shape: [1], dtype: seconds });
  assert.deepEqual([...(await chosen.get()).data], [0n]);
  const document = textOf(files, "/zarr.json");
  files.set("/zarr.json", encode(document.replace(/("fill_value": *)\d+/, "$1null")));
  assert.deepEqual([...(await (await zarr.open(files, { kind: "array" })).get()).data], [nat]);
});

test("raw bytes keep the name that they were given, with the fill value of its readers", async () => {
  const documentOf = async (options) => {
    const files = new Map();
    const array = await zarr.create(files, { shape: [2], ...options });
    await array.set([0], new Uint8Array([7, 8]));
    const again = await zarr.open(files, { kind: "array" });
    const { data } = await again.get();
    assert.deepEqual(
      Array.from({ length: 2 }, (_, at) => [...(data[at] ?? data.get(at))]),
      [
        [7, 8],
        [1, 0],
      ],
    );
    await again.updateAttributes({ a: 1 });
    const { data_type, fill_value } = JSON.parse(textOf(files, "/zarr.json"));
    return [data_type, fill_value, again];
  };
  const named = { name: "raw_bytes", configuration: { length_bytes: 2 } };
  const fillValue = new Uint8Array([1, 0]);
  const [type, fill, array] = await documentOf({ dtype: named, fillValue });
  assert.deepEqual([type, fill], [named, "AQA="]);
  const [short, list] = await documentOf({ dtype: "r16", fillValue });
  assert.deepEqual([short, list], ["r16", [1, 0]]);
  // A copy keeps the name, too.
  const files = new Map();
  await zarr.copy(array, files);
  assert.deepEqual(JSON.parse(textOf(files, "/zarr.json")).data_type, named);
});
