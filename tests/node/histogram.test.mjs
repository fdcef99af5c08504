/** Histograms, compared with counting one by one. */
import assert from "node:assert/strict";
import { test } from "node:test";
import * as zarr from "zarr-wasm";

async function made(dtype, values, shape, options = {}) {
  const array = await zarr.create(new Map(), { shape, dtype, ...options });
  if (values) await array.set(null, values);
  return array;
}

/** Counts as numpy.histogram does. */
function counted(values, low, high, bins) {
  const counts = new Array(bins).fill(0);
  for (const value of values) {
    if (value >= low && value <= high)
      counts[Math.min(bins - 1, Math.floor(((value - low) * bins) / (high - low)))] += 1;
  }
  return counts;
}

test("many parts of bytes: a bin for each value", async () => {
  const values = Uint8Array.from({ length: 3000 * 2000 }, (_, at) => 10 + ((at * 7919) % 101));
  const array = await made("uint8", values, [3000, 2000], { chunkShape: [256, 256] });
  const found = await zarr.histogram(array);
  assert.deepEqual(
    [found.count, found.missing, found.min, found.max, found.window],
    [6e6, 0, 10, 110, [10, 111]],
  );
  assert.deepEqual([...found.counts], counted(values, 10, 111, 101));
  assert.equal(found.mean, values.reduce((sum, value) => sum + value, 0) / 6e6);
  assert.equal(found.quantile(0), 10);
  assert.equal(found.quantile(1), 110);
  assert.ok(Math.abs(found.quantile(0.5) - 60) <= 1);
  const part = await zarr.histogram(array, { selection: [zarr.slice(0, 10), 5], bins: 4 });
  const column = Array.from({ length: 10 }, (_, row) => values[row * 2000 + 5]);
  assert.deepEqual([...part.counts], counted(column, Math.min(...column), Math.max(...column), 4));
});

test("doubles with NaN and a window", async () => {
  const values = Float64Array.of(NaN, 0, 0.1, 0.5, 1, 2, -3, Infinity, -Infinity);
  const array = await made("float64", values, [9]);
  const found = await zarr.histogram(array, { window: [0, 1], bins: 2 });
  assert.deepEqual([...found.counts], [2, 2]);
  assert.deepEqual([found.count, found.missing, found.below, found.above], [8, 1, 2, 2]);
  assert.deepEqual([found.min, found.max], [-3, 2]);
  const here = zarr.Histogram.of([values.subarray(0, 4), values.subarray(4)], { window: [0, 1], bins: 2 });
  assert.deepEqual(here, found);
  const whole = await zarr.histogram(array, { bins: 5 });
  assert.deepEqual(
    [whole.window, [...whole.counts], whole.below, whole.above],
    [[-3, 2], [1, 0, 0, 3, 2], 1, 1],
    "infinities lie outside of the default window",
  );
  assert.deepEqual(zarr.Histogram.of([values], { bins: 5 }), whole);
  const endless = await zarr.histogram(await made("float64", Float64Array.of(Infinity, NaN), [2]));
  assert.deepEqual([endless.count, endless.above, endless.min, endless.window], [1, 1, NaN, [0, 0]]);
  const none = await zarr.histogram(await made("float32", Float32Array.of(NaN), [1]));
  assert.deepEqual([none.count, none.missing, none.counts.length], [0, 1, 256]);
  assert.ok([none.min, none.max, none.mean, none.quantile(0.5)].every(Number.isNaN));
});

test("absent chunks count as fill value, and values are unpacked first", async () => {
  const attributes = { scale_factor: 0.5, _FillValue: -1 };
  const array = await made("int16", null, [100, 100], { chunkShape: [10, 10], fillValue: -1, attributes });
  await array.set([zarr.slice(0, 10), zarr.slice(0, 10)], 7);
  const found = await zarr.histogram(array, { decode: "cf" });
  assert.deepEqual([found.count, found.missing, found.min, found.max], [100, 9900, 3.5, 3.5]);
  const raw = await zarr.histogram(array, { window: [-1, 7], bins: 8 });
  assert.deepEqual([...raw.counts], [9900, 0, 0, 0, 0, 0, 0, 100]);
  const sparse = await made("uint16", null, [1e6, 1e6, 100], { chunkShape: [1000, 1000, 1] });
  const some = await zarr.histogram(sparse, {
    selection: [zarr.slice(0, 20000), zarr.slice(0, 20000), 0],
    window: [0, 1],
    bins: 1,
  });
  assert.deepEqual([some.count, some.min, [...some.counts]], [4e8, 0, [4e8]]);
});

test("the coarsest level of a pyramid, and invalid options", async () => {
  const root = await zarr.create(new Map(), {
    attributes: {
      multiscales: {
        layout: [{ asset: "0" }, { asset: "1", derived_from: "0", transform: { scale: [1, 2, 2] } }],
      },
    },
  });
  const dimensionNames = ["c", "y", "x"];
  await zarr.create(root.resolve("0"), { shape: [2, 8, 8], dtype: "uint8", dimensionNames });
  const coarse = await zarr.create(root.resolve("1"), { shape: [2, 4, 4], dtype: "uint8", dimensionNames });
  await coarse.set([1], 9);
  const pyramid = await zarr.pyramid(root);
  assert.deepEqual([(await zarr.histogram(pyramid)).count, (await zarr.histogram(pyramid)).max], [16, 0]);
  assert.equal((await zarr.histogram(pyramid, { at: { c: 1 } })).min, 9);
  assert.equal((await zarr.histogram(pyramid, { at: { c: null } })).count, 32);
  for (const options of [
    { bins: 0 },
    { bins: 1e6 },
    { bins: 1.5 },
    { window: [1, 0] },
    { window: [0, NaN] },
    { window: [0, Infinity] },
  ]) {
    await assert.rejects(zarr.histogram(coarse, options), { code: "Argument" }, JSON.stringify(options));
  }
  const text = await zarr.create(new Map(), { shape: [2], dtype: "string" });
  await assert.rejects(zarr.histogram(text), { code: "Argument" });
  const controller = new AbortController();
  controller.abort(new Error("enough"));
  await assert.rejects(zarr.histogram(coarse, { signal: controller.signal }), /enough/);
});
