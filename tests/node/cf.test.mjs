/** CF decoding, compared with xarray; conversion to other types, shades and colours. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import * as zarr from "zarr-wasm";
import { VIEWS } from "../support/number_views.mjs";
import { metadata } from "./made_stores.mjs";

const CF = join(import.meta.dirname, "../fixtures/conventions/cf");
const read = (name) => JSON.parse(readFileSync(join(CF, name), "utf8"));
const bytesOf = (base64) => Uint8Array.from(Buffer.from(base64, "base64"));
const storeOf = (keys) => new Map(Object.entries(keys).map(([key, value]) => [`/${key}`, bytesOf(value)]));

const halfToNumber = (bits) => {
  const [exponent, fraction] = [(bits >> 10) & 31, bits & 1023];
  const size = exponent === 0 ? fraction * 2 ** -24 : (fraction + 1024) * 2 ** (exponent - 25);
  const special = fraction ? NaN : Infinity;
  const value = exponent === 31 ? special : size;
  return bits & 0x8000 ? -value : value;
};

function expectedValues({ type, values }) {
  const { buffer } = bytesOf(values);
  return type === "float16"
    ? Array.from(new Uint16Array(buffer), halfToNumber)
    : Array.from(new VIEWS[type](buffer));
}

const classOf = (type) => (type === "float16" ? (globalThis.Float16Array ?? Float32Array) : VIEWS[type]);

for (const wanted of read("values.json").cases) {
  test(`xarray: ${wanted.name}`, async () => {
    const array = await zarr.open(storeOf(wanted.store), { kind: "array", path: wanted.path ?? "v" });
    const { data } = await array.get(null, { decode: "cf" });
    assert.equal(data.constructor, classOf(wanted.type));
    const expected = expectedValues(wanted);
    assert.equal(data.length, expected.length);
    for (const [at, value] of expected.entries())
      assert.ok(Object.is(data[at], value), `${at}: ${data[at]}, not ${value}`);
  });
}

/** An array in memory. */
async function made(dtype, values, { attributes = {}, chunks = [4], fill = 0 } = {}) {
  const store = new Map();
  const array = await zarr.create(store, {
    shape: [values.length],
    chunkShape: chunks,
    dtype,
    attributes,
    fillValue: fill,
  });
  await array.set(null, VIEWS[dtype].from(values));
  return array;
}

test("conversion to another type: nearest value, clamped, and 0 for NaN", async () => {
  const doubles = [0.5, 1.5, 2.5, -0.5, 254.5, 255.5, 1e30, -1e30, NaN, Infinity];
  const array = await made("float64", doubles);
  const as = async (type) => [...(await array.get(null, { as: type })).data];
  assert.deepEqual(await as("uint8"), [0, 2, 2, 0, 254, 255, 255, 0, 0, 255]);
  assert.deepEqual(await as("int16"), [0, 2, 2, 0, 254, 256, 32767, -32768, 0, 32767]);
  assert.deepEqual((await as("int64")).slice(5, 9), [256n, 2n ** 63n - 1n, -(2n ** 63n), 0n]);
  assert.deepEqual(await as("float32"), doubles.map(Math.fround));
  const { data } = await array.get(zarr.slice(1, 3) && [zarr.slice(1, 3)], { as: "float32" });
  assert.ok(data instanceof Float32Array && data.length === 2);
});

test("64-bit integers become doubles, and are exact as integers", async () => {
  const array = await made("int64", [2n ** 53n + 1n, -1n, 300n]);
  assert.deepEqual([...(await array.get(null, { as: "float64" })).data], [2 ** 53, -1, 300]);
  assert.deepEqual([...(await array.get(null, { as: "uint64" })).data], [2n ** 53n + 1n, 0n, 300n]);
  assert.deepEqual([...(await array.get(null, { as: "int8" })).data], [127, -1, 127]);
});

test("absent chunks have the converted fill value", async () => {
  const store = new Map();
  const attributes = { scale_factor: 0.5, _FillValue: -1 };
  const array = await zarr.create(store, {
    shape: [10],
    chunkShape: [4],
    dtype: "int16",
    fillValue: -1,
    attributes,
  });
  await array.set([zarr.slice(4, 8)], Int16Array.of(1, 2, 3, -1));
  const decoded = await array.get(null, { decode: "cf" });
  assert.deepEqual([...decoded.data], [NaN, NaN, NaN, NaN, 0.5, 1, 1.5, NaN, NaN, NaN]);
  assert.deepEqual(
    [...(await array.get(null, { decode: "cf", as: "int8" })).data],
    [0, 0, 0, 0, 0, 1, 2, 0, 0, 0],
  );
  const out = new Float32Array(10);
  const { data } = await array.get(null, { decode: "cf", as: "float32", out });
  assert.equal(data, out);
  assert.deepEqual([...out.slice(3, 6)], [NaN, 0.5, 1]);
  const empty = await array.get([zarr.slice(2, 2)], { decode: "cf" });
  assert.deepEqual([empty.data.length, empty.shape], [0, [0]]);
});

test("zarrita's get takes the same options", async () => {
  const array = await made("int16", [1, 2, -1], { attributes: { scale_factor: 0.5, _FillValue: -1 } });
  const { data } = await zarr.get(array, null, { decode: "cf", as: "float32" });
  assert.ok(data instanceof Float32Array);
  assert.deepEqual([...data], [0.5, 1, NaN]);
  assert.equal(await zarr.get(array, [1], { decode: "cf" }), 1);
  assert.equal(await zarr.get(array, [1], { as: "int64" }), 2n);
  const queue = () => ({ add: (read) => read(), onIdle: async () => [] });
  await assert.rejects(zarr.get(array, null, { as: "int8", createQueue: queue }), { code: "Unsupported" });
});

test("many parts, in every order of dimensions and by points", async () => {
  const store = new Map();
  const attributes = { scale_factor: 0.25, add_offset: -7, missing_value: [11, 12] };
  const shape = [600, 1000, 3];
  const array = await zarr.create(store, { shape, chunkShape: [128, 300, 2], dtype: "uint16", attributes });
  const raw = Uint16Array.from({ length: 600 * 1000 * 3 }, (_, at) => (at * 7919) % 65521);
  await array.set(null, raw);
  const value = (packed) => (packed === 11 || packed === 12 ? NaN : packed * 0.25 - 7);
  const { data } = await array.get(null, { decode: "cf" });
  assert.ok(raw.every((packed, at) => Object.is(data[at], value(packed))));
  const part = await array.get([zarr.slice(599, 3, -7), [5, 999, 5], 1], { decode: "cf" });
  const [rows, columns] = part.shape;
  for (let row = 0; row < rows; row += 1)
    for (let column = 0; column < columns; column += 1) {
      const packed = raw[((599 - 7 * row) * 1000 + [5, 999, 5][column]) * 3 + 1];
      assert.ok(Object.is(part.data[row * columns + column], value(packed)));
    }
  const points = await array.get(zarr.points([0, 599], [1, 999], [2, 0]), { decode: "cf" });
  assert.deepEqual([...points.data], [value(raw[1 * 3 + 2]), value(raw[(599 * 1000 + 999) * 3])]);
});

test("streams of decoded parts, and by values", async () => {
  const root = await zarr.create(new Map());
  const options = {
    shape: [40, 50],
    chunkShape: [10, 50],
    dtype: "int16",
    dimensionNames: ["y", "x"],
    attributes: { scale_factor: 0.5 },
  };
  const array = await zarr.create(root.resolve("v"), options);
  await array.set(
    null,
    Int16Array.from({ length: 2000 }, (_, at) => at),
  );
  const y = await zarr.create(root.resolve("y"), { shape: [40], dtype: "float64", dimensionNames: ["y"] });
  await y.set(
    null,
    Float64Array.from({ length: 40 }, (_, at) => at / 10),
  );
  const rows = new Map();
  for await (const part of array.stream({ y: zarr.between(1, 2.95) }, { decode: "cf", order: "c" })) {
    assert.ok(part.data instanceof Float64Array);
    rows.set(part.start[0], part.data[0]);
  }
  assert.equal(rows.get(0), 250);
  let pixels = 0;
  for await (const { data, shape } of array.stream(null, { as: "rgba", window: [0, 2000] })) {
    assert.equal(shape.at(-1), 4);
    pixels += data.length / 4;
  }
  assert.equal(pixels, 2000);
  assert.deepEqual((await array.plan({ y: zarr.at(1) })).shape, [50]);
  assert.throws(() => array.stream(null, { as: "complex64" }), { code: "Argument" });
});

test("valid ranges are packed and inclusive, and can be ignored", async () => {
  const attributes = { valid_range: [0, 100], scale_factor: 0.5 };
  const array = await made("int16", [-1, 0, 100, 101], { attributes });
  assert.deepEqual([...(await array.get(null, { decode: "cf" })).data], [NaN, 0, 50, NaN]);
  const all = await array.get(null, { decode: { convention: "cf", valid: false } });
  assert.deepEqual([...all.data], [-0.5, 0, 50, 50.5]);
  const unsigned = await made("int8", [-1, 0, 100, -128], {
    attributes: { _Unsigned: "true", valid_min: 1, valid_max: -2 },
  });
  assert.deepEqual([...(await unsigned.get(null, { decode: "cf" })).data], [NaN, NaN, 100, 128]);
});

test("missing values are compared before unpacking, bit by bit", async () => {
  const long = await made("int64", [2n ** 63n - 1n, 2n ** 63n - 2n], {
    attributes: { _FillValue: 2n ** 63n - 1n },
  });
  assert.deepEqual([...(await long.get(null, { decode: "cf" })).data], [NaN, 2 ** 63]);
  const single = await made("float32", [1e20, 0.1], { attributes: { missing_value: 1e20, _FillValue: 0.1 } });
  assert.deepEqual([...(await single.get(null, { decode: "cf" })).data], [NaN, NaN]);
});

test("errors of invalid attributes name the attribute", async () => {
  const wrong = [
    { scale_factor: "large" },
    { add_offset: {} },
    { scale_factor: [1, 2] },
    { _FillValue: {} },
    { missing_value: [1, null] },
    { _Unsigned: 7 },
    { missing_value: Array.from({ length: 1000 }, (_, at) => at) },
  ];
  for (const attributes of wrong) {
    const array = await made("int16", [1], { attributes });
    const error = await array.get(null, { decode: "cf" }).then(assert.fail, (error) => error);
    assert.ok(error instanceof zarr.ZarrError, String(error));
    assert.ok(["Format", "Limit"].includes(error.code), error.message);
  }
  const array = await made("int16", [1]);
  const refused = [
    { as: "complex64" },
    { as: "bool" },
    { decode: "cf2" },
    { as: "int8", window: [0, 1] },
    { as: "rgba", colors: "pink" },
    { as: "rgba", window: [0, NaN] },
    { as: "uint8", gamma: -1 },
    { as: "rgba", decode: "cf" },
    { as: "__proto__" },
    { as: "float32", colors: "gray" },
  ];
  for (const options of refused) {
    await assert.rejects(array.get(null, options), { code: "Argument" }, JSON.stringify(options));
  }
  const text = await zarr.create(new Map(), { shape: [2], chunkShape: [2], dtype: "string" });
  await assert.rejects(text.get(null, { as: "float32" }), { code: "Argument" });
  const { data } = await text.get(null, { decode: "cf" });
  assert.deepEqual(data, ["", ""]);
});

test("random JSON in the attributes gives numbers or a ZarrError", async () => {
  let state = 12345;
  const next = (below) => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    return (state >>> 8) % below;
  };
  const numbers = [0, -1, 1, 1e308, -1e-308, 0.5, 2 ** 53, 255, -128, 32768];
  const texts = ["", "NaN", "1", "-1e5", "AAAAAAAA+H8=", "true", "days since 2000-01-01", "\u0000", "é"];
  const value = (depth) => {
    const kind = next(depth > 2 ? 5 : 8);
    if (kind < 2) return numbers[next(numbers.length)];
    if (kind < 4) return texts[next(texts.length)];
    if (kind === 4) return [null, true, false][next(3)];
    if (kind < 7) return Array.from({ length: next(4) }, () => value(depth + 1));
    return Object.fromEntries(
      Array.from({ length: next(3) }, () => [["__proto__", "a", "length"][next(3)], value(depth + 1)]),
    );
  };
  const keys = [
    "_FillValue",
    "missing_value",
    "valid_min",
    "valid_max",
    "valid_range",
    "_Unsigned",
    "scale_factor",
    "add_offset",
    "units",
    "calendar",
  ];
  const types = ["int8", "uint16", "int64", "uint64", "float32", "float64"];
  let decoded = 0;
  for (let round = 0; round < 400; round += 1) {
    const attributes = {};
    for (const key of keys) if (next(3) === 0) attributes[key] = value(0);
    const data_type = types[next(types.length)];
    const array = new zarr.Array(
      new Map(),
      "/",
      metadata({ shape: [3], chunks: [2], dtype: data_type, attributes }),
    );
    try {
      const { data } = await array.get(null, { decode: "cf" });
      assert.equal(data.length, 3);
      decoded += 1;
    } catch (error) {
      assert.ok(
        error instanceof zarr.ZarrError && ["Format", "Limit"].includes(error.code),
        String(error?.stack),
      );
    }
    assert.ok(Array.isArray(await zarr.validate(array)));
    const own = { shape: [3], chunks: [2], dtype: data_type, names: ["x"], attributes };
    const coordinate = new zarr.Array(new Map(), "/x", metadata(own));
    try {
      assert.equal((await (await zarr.coords(coordinate, "x")).moments()).length, 3);
    } catch (error) {
      assert.ok(error instanceof zarr.ZarrError, String(error?.stack));
    }
  }
  assert.ok(decoded > 50);
  assert.equal({}.a, undefined);
});

test("shades and colours of a window", async () => {
  const array = await made("float32", [-1, 0, 0.25, 1, 7, NaN]);
  const window = [0, 1];
  const shades = await array.get(null, { as: "uint8", window });
  assert.deepEqual([...shades.data], [0, 0, 64, 255, 255, 0]);
  assert.deepEqual(
    [...(await array.get(null, { as: "uint8", window, gamma: 0.5 })).data],
    [0, 0, 128, 255, 255, 0],
  );
  const { data, shape, stride } = await array.get(null, {
    as: "rgba",
    window,
    colors: ["#000000", "#00ff00"],
  });
  assert.ok(data instanceof Uint8ClampedArray);
  assert.deepEqual(
    [shape, stride],
    [
      [6, 4],
      [4, 1],
    ],
  );
  assert.deepEqual([...data.slice(8, 24)], [0, 64, 0, 255, 0, 255, 0, 255, 0, 255, 0, 255, 0, 0, 0, 0]);
  // matplotlib.colormaps["viridis"]([0, 128, 255], bytes=True)
  const viridis = await (await made("uint8", [0, 128, 255])).get(null, { as: "rgba", colors: "viridis" });
  const expected = [68, 1, 84, 255, 32, 144, 140, 255, 253, 231, 36, 255];
  assert.ok(
    viridis.data.every((byte, at) => Math.abs(byte - expected[at]) <= 2),
    String(viridis.data),
  );
  const red = Uint8ClampedArray.of(200, 0, 0, 255, 9, 9, 9, 0);
  const both = zarr.addLight([red, Uint8ClampedArray.of(100, 50, 0, 255, 0, 0, 0, 0)]);
  assert.deepEqual([...both], [255, 50, 0, 255, 0, 0, 0, 0]);
});
