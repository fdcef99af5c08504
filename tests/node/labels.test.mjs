/**
 * Colours of labels, compared with a simple implementation in bigints; masks and memory order,
 * compared with plain reads.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import * as zarr from "zarr-wasm";
import { VIEWS } from "../support/number_views.mjs";

async function arrayOf(dtype, shape, data, options = {}) {
  const { chunks = shape.map((extent) => Math.max(1, Math.ceil(extent / 2))), ...rest } = options;
  const array = await zarr.create(new Map(), { shape, chunks, dtype, ...rest });
  await array.set(null, data);
  return array;
}

/** The rule: SplitMix64 of the label, then hue, saturation and value from the hash. */
function colorOf(label) {
  if (label === 0n) return [0, 0, 0, 0];
  const wrap = (number) => BigInt.asUintN(64, number);
  let hash = wrap(wrap(label) + 0x9e3779b97f4a7c15n);
  hash = wrap((hash ^ (hash >> 30n)) * 0xbf58476d1ce4e5b9n);
  hash = wrap((hash ^ (hash >> 27n)) * 0x94d049bb133111ebn);
  hash ^= hash >> 31n;
  const hue = Number(hash % 1536n);
  const saturation = 160 + Number((hash >> 16n) % 96n);
  const value = 176 + Number((hash >> 32n) % 80n);
  const channel = (centre) => {
    const after = (hue - centre + 1536) % 1536;
    const full = Math.min(255, Math.max(0, 512 - Math.min(after + 1, 1536 - after)));
    return Math.floor(((255 - Math.floor(((255 - full) * saturation) / 255)) * value) / 255);
  };
  return [channel(0), channel(512), channel(1024), 255];
}

const INTEGERS = Object.entries(VIEWS).filter(([dtype]) => !dtype.startsWith("float"));

for (const [dtype, View] of INTEGERS) {
  test(`labels of ${dtype}: each has the colour of its integer, the same in every type`, async () => {
    const isBig = View === BigInt64Array || View === BigUint64Array;
    const bits = dtype === "bool" ? 1 : View.BYTES_PER_ELEMENT * 8;
    const wrap = dtype.startsWith("int") ? BigInt.asIntN : BigInt.asUintN;
    const labels = Array.from({ length: 60 }, (_, at) =>
      wrap(bits, at < 20 ? BigInt(at) : 2n ** 53n + BigInt(at) * 7919n),
    );
    const numberOf = (label) => (isBig ? label : Number(label));
    const values = labels.map((label) => (dtype === "bool" ? label === 1n : numberOf(label)));
    const array = await arrayOf(dtype, [6, 10], dtype === "bool" ? values : View.from(values));
    const { data, shape, stride } = await array.get(null, { as: "rgba", colors: "labels" });
    assert.deepEqual(
      [shape, stride],
      [
        [6, 10, 4],
        [40, 4, 1],
      ],
    );
    assert.ok(data instanceof Uint8ClampedArray);
    assert.deepEqual([...data], labels.flatMap(colorOf));
  });
}

test("the caller's colours and OME's list have precedence over the hash", async () => {
  const labels = new BigUint64Array([0n, 1n, 2n, 2n ** 53n, 2n ** 53n + 1n, 2n ** 64n - 1n]);
  const array = await arrayOf("uint64", [6], labels);
  const own = new Map([
    [1, "#ff8000"],
    [2n ** 53n + 1n, [1, 2, 3, 4]],
    // An unsigned type has no label −1. It must not be taken for 2^64 − 1.
    [-1, "#000000"],
  ]);
  const { data } = await array.get(null, { as: "rgba", colors: { labels: own } });
  const expected = [...labels].map(colorOf);
  expected[1] = [255, 128, 0, 255];
  expected[4] = [1, 2, 3, 4];
  assert.deepEqual([...data], expected.flat());
  const list = [
    { "label-value": 0, rgba: [9, 9, 9, 9] },
    { "label-value": 2, rgba: [0, 0, 128, 255] },
    { "label-value": 1 },
  ];
  const ome = await array.get(null, { as: "rgba", colors: { labels: list } });
  assert.deepEqual([...ome.data.slice(0, 12)], [9, 9, 9, 9, ...colorOf(1n), 0, 0, 128, 255]);
  const signed = await arrayOf("int16", [2], new Int16Array([-1, 5]));
  const minus = await signed.get(null, { as: "rgba", colors: { labels: new Map([[-1, "#01020304"]]) } });
  assert.deepEqual([...minus.data], [1, 2, 3, 4, ...colorOf(5n)]);
});

test("labels must be integers, and have no window", async () => {
  const floats = await arrayOf("float32", [2], new Float32Array([1, 2]));
  await assert.rejects(floats.get(null, { as: "rgba", colors: "labels" }), { code: "Argument" });
  const labels = await arrayOf("uint8", [2], new Uint8Array([1, 2]));
  const refused = [
    { window: [0, 1], colors: "labels" },
    { decode: "cf", colors: "labels" },
    { colors: { labels: new Map([[1.5, "#000000"]]) } },
    { colors: { labels: new Map([[1, "red"]]) } },
    { colors: { labels: [{ "label-value": 1, rgba: [1, 2, 300] }] } },
    { colors: { labels: "all" } },
  ];
  for (const options of refused)
    await assert.rejects(labels.get(null, { as: "rgba", ...options }), { code: "Argument" });
});

test("interleaved channels: memoryOrder sets the order", async () => {
  const [channels, rows, columns] = [3, 4, 5];
  const values = Uint16Array.from({ length: channels * rows * columns }, (_, at) => at * 7);
  const array = await arrayOf("uint16", [channels, rows, columns], values, {
    dimensionNames: ["c", "y", "x"],
  });
  const plain = await array.get([[2, 0], null, null], { as: "float32" });
  for (const memoryOrder of [
    ["y", "x", "c"],
    [1, 2, 0],
    ["x", "c"],
  ]) {
    const { data, shape, stride } = await array.get([[2, 0], null, null], { as: "float32", memoryOrder });
    assert.deepEqual(shape, [2, rows, columns]);
    assert.deepEqual(stride, [1, 2 * columns, 2]);
    for (let c = 0; c < 2; c += 1)
      for (let y = 0; y < rows; y += 1)
        for (let x = 0; x < columns; x += 1)
          assert.equal(
            data[c * stride[0] + y * stride[1] + x * stride[2]],
            plain.data[(c * rows + y) * columns + x],
          );
  }
  await assert.rejects(array.get(null, { memoryOrder: ["q"] }), { code: "Argument" });
  await assert.rejects(array.get(null, { memoryOrder: ["x", "x"] }), { code: "Argument" });
});

test("masks: missing values are 0 with the mask 0, in every type", async () => {
  const attributes = { _FillValue: -9, scale_factor: 0.5 };
  const array = await arrayOf("int16", [2, 2, 2], new Int16Array([1, -9, 3, 0, -9, 6, 7, 8]), { attributes });
  const floats = await array.get(null, { decode: "cf", as: "float32", mask: true });
  assert.deepEqual(
    [floats.shape, floats.stride],
    [
      [2, 2, 2, 2],
      [8, 4, 2, 1],
    ],
  );
  assert.deepEqual(floats.data, new Float32Array([0.5, 1, 0, 0, 1.5, 1, 0, 1, 0, 0, 3, 1, 3.5, 1, 4, 1]));
  const shades = await array.get([0], { decode: "cf", as: "uint8", window: [0, 1.5], mask: true });
  assert.deepEqual(shades.data, new Uint8Array([85, 255, 0, 0, 255, 255, 0, 255]));
  const bytes = await array.get([1], { decode: "cf", as: "uint8", mask: true, memoryOrder: [2, 1] });
  assert.deepEqual(bytes.stride, [2, 4, 1]);
  assert.deepEqual(bytes.data, new Uint8Array([0, 0, 4, 255, 3, 255, 4, 255]));
  const raw = await array.get([0, 0], { as: "int32", mask: true, out: new Int32Array(4) });
  assert.deepEqual(raw.data, new Int32Array([1, 1, -9, 1]));
  const nans = await arrayOf("float64", [3], new Float64Array([Number.NaN, 2, Number.POSITIVE_INFINITY]));
  const { data } = await nans.get(null, { as: "float64", mask: true });
  assert.deepEqual(data, new Float64Array([0, 0, 2, 1, Number.POSITIVE_INFINITY, 1]));
  await assert.rejects(nans.get(null, { mask: true }), { code: "Argument" });
  await assert.rejects(nans.get(null, { as: "rgba", window: [0, 1], mask: true }), { code: "Argument" });
  const parts = [];
  for await (const part of nans.stream(null, { as: "float32", mask: true })) parts.push(part);
  assert.deepEqual(
    parts.flatMap(({ shape }) => shape.at(-1)),
    parts.map(() => 2),
  );
});
