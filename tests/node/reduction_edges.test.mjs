/**
 * Reductions at the edges: what earlier reads have cached, lists in any order, selections and
 * groups of nothing, dimensions without names, weights of unusual grids. What xarray and NumPy
 * answer for whole stores is in `reductions.test.mjs`.
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import * as zarr from "zarr-wasm";
import { growingArray } from "../support/growing_objects.mjs";

const GZIP = [
  { name: "bytes", configuration: { endian: "little" } },
  { name: "gzip", configuration: { level: 1 } },
];

/** An array in memory with these values. */
async function arrayWith(values, options, store = new Map()) {
  const array = await zarr.create(store, options);
  await zarr.set(array, null, values);
  return array;
}

/** Calls `use` with the URL of a server of the objects. */
async function served(objects, use) {
  const server = createServer(({ url }, response) => {
    const found = objects.get(decodeURIComponent(url));
    if (found) response.writeHead(200, { "Content-Length": found.length }).end(found);
    else response.writeHead(404).end();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  try {
    await use(`http://127.0.0.1:${server.address().port}`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

test("chunks that an earlier read has decoded are reduced with those that are not", async () => {
  const objects = new Map();
  const shape = { shape: [40, 30], chunkShape: [10, 10], dataType: "int32", codecs: GZIP };
  const values = Int32Array.from({ length: 1200 }, (_, at) => at);
  await arrayWith(values, shape, objects);
  await served(objects, async (url) => {
    for (const warm of [
      [zarr.slice(0, 5), zarr.slice(0, 5)],
      [
        [35, 2, 17],
        [29, 0],
      ],
    ]) {
      const array = await zarr.open(url, { kind: "array" });
      await array.get(warm);
      const { data } = await zarr.reduce(array, null, { op: "sum" });
      assert.equal(data[0], BigInt((1200 * 1199) / 2));
      const { data: maxima } = await zarr.reduce(array, null, { op: "max", over: [1] });
      assert.deepEqual(
        [...maxima],
        Array.from({ length: 40 }, (_, row) => 30 * row + 29),
      );
    }
  });
});

test("lists in any order are reduced, also of chunks that are not encoded", async () => {
  for (const codecs of [undefined, GZIP]) {
    const folder = mkdtempSync(join(tmpdir(), "zarr-wasm-lists-"));
    try {
      const store = new zarr.FileSystemStore(folder, { writable: true });
      const options = { shape: [4, 7], chunkShape: [2, 3], dataType: "uint8", ...(codecs && { codecs }) };
      const array = await arrayWith(
        Uint8Array.from({ length: 28 }, (_, at) => at),
        options,
        store,
      );
      const { data, count } = await zarr.reduce(array, [null, [5, 1, 2, 6, 0, 5]], { op: "sum", over: 1 });
      // 5 + 1 + 2 + 6 + 0 + 5 = 19; each row has 7 more in each place.
      assert.deepEqual([...data], [19n, 61n, 103n, 145n]);
      assert.deepEqual([...count], [6, 6, 6, 6]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  }
});

describe("nothing", () => {
  const options = { shape: [3, 4], chunkShape: [2, 2], dataType: "int16", dimensionNames: ["y", "x"] };
  const made = () =>
    arrayWith(
      Int16Array.from({ length: 12 }, (_, at) => at),
      options,
    );

  test("an empty slice that ends before the array begins takes nothing", async () => {
    const array = await made();
    // Python's a[-11:-8:-1] of four elements.
    const selection = { x: zarr.slice(-11, -8, -1) };
    const { data, shape } = await zarr.reduce(array, selection, { op: "sum", over: "x" });
    assert.deepEqual([[...data], shape], [[0n, 0n, 0n], [3]]);
  });

  test("an answer without places", async () => {
    const found = await zarr.reduce(
      await made(),
      { y: zarr.slice(0, 0) },
      { op: ["mean", "max"], over: "x" },
    );
    assert.deepEqual([found.mean.data, found.mean.shape], [new Float64Array(0), [0]]);
    assert.deepEqual(found.max.data, new Int16Array(0));
    const weighted = { op: "sum", over: "x", weights: { x: [1, 1, 1, 1] } };
    const { data } = await zarr.reduce(await made(), { y: zarr.slice(0, 0) }, weighted);
    assert.deepEqual(data, new Float64Array(0));
  });

  test("labels of which none occurs, and a later answer that has some", async () => {
    const labels = { data: [7, 7, 8], shape: [3], dimensionNames: ["y"] };
    const array = await made();
    const asked = { op: "sum", groups: labels, over: [] };
    const before = await zarr.reduce(array, { y: zarr.slice(0, 0) }, { ...asked, accumulate: true });
    assert.deepEqual([before.groups, before.shape], [[], [0, 4]]);
    const { data, groups } = await zarr.reduce(array, null, { ...asked, accumulate: before });
    assert.deepEqual(groups, [7, 8]);
    assert.deepEqual([...data], [4n, 6n, 8n, 10n, 8n, 9n, 10n, 11n]);
  });
});

test("dimensions without names are given by place in objects, too", async () => {
  const options = { shape: [4, 3], chunkShape: [2, 2], dataType: "uint8" };
  const array = await arrayWith(
    Uint8Array.from({ length: 12 }, (_, at) => at),
    options,
  );
  const { data, shape } = await zarr.reduce(array, null, { op: "max", coarsen: { 0: 2, 1: 3 } });
  assert.deepEqual(
    [[...data], shape],
    [
      [5, 11],
      [2, 1],
    ],
  );
  const weighted = await zarr.reduce(array, null, { op: "sum", over: 1, weights: { 1: [0, 1, 10] } });
  assert.deepEqual([...weighted.data], [21, 54, 87, 120]);
  const steps = [];
  for await (const { result } of zarr.reduceAlong(array, null, 0, { op: "min", coarsen: { 0: 2, 1: 3 } }))
    steps.push(...result.data);
  assert.deepEqual(steps, [0, 6]);
  const short = { data: [1, 2, 3], shape: [4], dimensionNames: [0] };
  await assert.rejects(zarr.reduce(array, null, { op: "max", where: short }), {
    code: "Argument",
    expected: "4",
    actual: "3",
  });
  await assert.rejects(zarr.reduce(array, null, { op: "max", coarsen: { 2: 1 } }), {
    code: "Argument",
    expected: "0 to 1",
  });
});

test("a result does not grow along a dimension that labels group", async () => {
  const options = { shape: [4, 3], chunkShape: [2, 2], dataType: "uint8", dimensionNames: ["y", "x"] };
  const array = await arrayWith(new Uint8Array(12), options);
  const labels = { data: [0, 0, 1, 1], shape: [4], dimensionNames: ["y"] };
  for (const groups of [labels, { labels }])
    await assert.rejects(zarr.reduceAlong(array, null, "y", { op: "sum", over: [], groups }).next(), {
      code: "Argument",
      message: /does not stay/,
    });
  await assert.rejects(zarr.reduce(array, null, { op: "sum", groups: { labels, ids: [0, 1, 0] } }), {
    code: "Argument",
    expected: "each label once",
  });
});

test("quantiles of reductions that go on keep their bound", async () => {
  const values = Float64Array.from({ length: 20_000 }, (_, at) => (at * 7919) % 20_011);
  const array = await arrayWith(values, { shape: [20_000], chunkShape: [500], dataType: "float64" });
  const sorted = values.slice().sort();
  let running;
  for (let start = 0; start < 20_000; start += 50) {
    const options = { op: "median", error: 0.02, accumulate: running ?? true };
    running = await zarr.reduce(array, [zarr.slice(start, start + 50)], options);
  }
  assert.ok(running.error <= 0.02, `${running.error}`);
  const below = sorted.findIndex((value) => value >= running.data[0]) / sorted.length;
  assert.ok(Math.abs(below - 0.5) <= running.error + 1e-4, `${below}`);
});

test("quantiles beside infinite elements are elements or infinite, as NumPy's medians", async () => {
  const { POSITIVE_INFINITY: high, NEGATIVE_INFINITY: low } = Number;
  const values = [high, 1, 5, high, low, low, low, 7, 1e308, -1e308, high, low];
  const array = await arrayWith(Float64Array.from(values), {
    shape: [6, 2],
    chunkShape: [6, 2],
    dataType: "float64",
  });
  // np.median(values, axis=1)
  const { data } = await zarr.reduce(array, null, { op: "median", over: 1 });
  assert.deepEqual([...data], [high, high, low, low, 0, Number.NaN]);
  const { data: highest } = await zarr.reduce(array, null, { op: "quantile", q: 1, over: 1 });
  assert.deepEqual([...highest], [high, high, low, 7, 1e308, high]);
});

describe("weights of grids", () => {
  const put = (store, name, data, dimensionNames, attributes, shape = [data.length]) =>
    arrayWith(
      data,
      { path: name, shape, chunkShape: shape, dataType: "float64", dimensionNames, attributes },
      store,
    );

  async function grid(longitudeBounds) {
    const store = new Map();
    await put(store, "latitude", Float64Array.of(0), ["latitude"], { units: "degrees_north" });
    const attributes = { units: "degrees_east", bounds: "ends" };
    await put(store, "longitude", Float64Array.of(0, 2, 5), ["longitude"], attributes);
    await put(store, "ends", longitudeBounds, ["longitude", "end"], {}, [3, 2]);
    return put(store, "air", Float64Array.of(10, 20, 40), ["latitude", "longitude"], {}, [1, 3]);
  }

  test("a cell that crosses the meridian is as wide as its part of the circle", async () => {
    // Cells of 2, 2 and 4 degrees: (2 × 10 + 2 × 20 + 4 × 40) / 8.
    for (const [west, east] of [
      [359, 1],
      [-1, 1],
      [1, 359],
    ]) {
      const array = await grid(Float64Array.of(west, east, 1, 3, 3, 7));
      const { data } = await zarr.reduce(array, null, { op: "mean", weights: "area" });
      assert.ok(Math.abs(data[0] - 27.5) < 1e-12, `${west} ${east}: ${data[0]}`);
    }
  });

  test("longitudes that go on from the other end of the circle are neighbours", async () => {
    const store = new Map();
    await put(store, "lat", Float64Array.of(0), ["lat"], { units: "degrees_north" });
    await put(store, "lon", Float64Array.of(357, 359, 1, 5), ["lon"], { units: "degrees_east" });
    const array = await put(store, "air", Float64Array.of(1, 2, 3, 4), ["lat", "lon"], {}, [1, 4]);
    const { data } = await zarr.reduce(array, null, { op: "mean", weights: "area" });
    // Cells of 2, 2, 3 and 4 degrees: (2 + 4 + 9 + 16) / 11.
    assert.ok(Math.abs(data[0] - 31 / 11) < 1e-12, `${data[0]}`);
  });

  test("bounds of 0 are no missing ones where the fill value of a v2 array is 0", async () => {
    const store = new Map();
    const v2 = (name, data, names, attributes, shape = [data.length]) =>
      arrayWith(
        data,
        {
          path: name,
          zarrFormat: 2,
          shape,
          chunkShape: shape,
          dataType: "float64",
          fillValue: 0,
          attributes: { ...attributes, _ARRAY_DIMENSIONS: names },
        },
        store,
      );
    await v2("lat", Float64Array.of(-15, 45), ["lat"], { units: "degrees_north", bounds: "ends" });
    await v2("ends", Float64Array.of(-30, 0, 0, 90), ["lat", "end"], {}, [2, 2]);
    const array = await v2("air", Float64Array.of(1, 4), ["lat"], {});
    const { data } = await zarr.reduce(array, null, { op: "mean", weights: "area" });
    // sin 30° = 0.5 and sin 90° = 1: (0.5 × 1 + 1 × 4) / 1.5.
    assert.ok(Math.abs(data[0] - 3) < 1e-12, `${data[0]}`);
  });

  test("a weight that is not finite is named", async () => {
    const array = await grid(Float64Array.of(-1, 1, 1, 3, 3, 7));
    const weights = { longitude: [1, Number.NaN, 1] };
    await assert.rejects(zarr.reduce(array, null, { op: "mean", weights }), {
      code: "Argument",
      message: /a weight along longitude is not a finite number/,
      actual: "NaN",
    });
  });
});

test("many requests of one reduction make no warning of listeners", async (t) => {
  const warnings = [];
  const hear = (warning) => warnings.push(warning.name);
  process.on("warning", hear);
  const folder = mkdtempSync(join(tmpdir(), "zarr-wasm-listeners-"));
  t.after(() => {
    process.off("warning", hear);
    rmSync(folder, { recursive: true });
  });
  const store = new zarr.FileSystemStore(folder, { writable: true });
  const options = { shape: [64, 8], chunkShape: [1, 1], dataType: "uint8", codecs: GZIP };
  const array = await arrayWith(1, options, store);
  let sum = 0n;
  for await (const { result } of zarr.reduceAlong(array, null, 0, { op: "sum", over: 1 }))
    for (const row of result.data) sum += row;
  assert.equal(sum, 512n);
  await new Promise((resolve) => void setImmediate(resolve));
  assert.deepEqual(warnings, []);
});

test("watch sees two changes of one second behind a server whose ETags are seconds and lengths", async () => {
  let length = 5;
  const changed = new Date().toUTCString();
  const server = createServer((request, response) => {
    const headers = { ETag: '"6543-1"', "Last-Modified": changed, "Cache-Control": "max-age=3600" };
    if (!request.url.endsWith("zarr.json")) response.writeHead(404).end();
    else if (request.headers["if-none-match"]) response.writeHead(304, headers).end();
    else response.writeHead(200, headers).end(growingArray(length));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  try {
    const url = `http://127.0.0.1:${server.address().port}/a.zarr`;
    const array = await zarr.open(url, { kind: "array" });
    const changes = zarr.watch(array, { interval: 5, signal: AbortSignal.timeout(20_000) });
    for (length = 6; length < 8; length += 1) assert.deepEqual((await changes.next()).value.shape, [length]);
    await changes.return();
  } finally {
    server.closeAllConnections();
    server.close();
  }
});

test("a range of integers of 64 bits is exact", async () => {
  const first = 2n ** 53n;
  const signed = await arrayWith(
    BigInt64Array.from([-3n, -2n, -1n, 0n, 1n, 2n, 3n], (more) => first + more),
    {
      shape: [7],
      chunkShape: [3],
      dataType: "int64",
    },
  );
  const counted = (array, where) =>
    zarr.reduce(array, null, { op: "count", where }).then(({ data }) => data[0]);
  assert.equal(await counted(signed, { min: first + 1n }), 3);
  assert.equal(await counted(signed, { max: first + 1n }), 5);
  assert.equal(await counted(signed, { min: first - 1n, max: first + 3n }), 5);
  assert.equal(await counted(signed, { max: 2 ** 53 }), 4);
  assert.equal(await counted(signed, { min: 2 ** 53, max: Number.POSITIVE_INFINITY }), 4);
  assert.equal(await counted(signed, { min: -(10n ** 40n), max: 10n ** 40n }), 7);
  const last = 2n ** 64n - 1n;
  const unsigned = await arrayWith(BigUint64Array.from([0n, last - 1n, last]), {
    shape: [3],
    chunkShape: [2],
    dataType: "uint64",
  });
  assert.equal(await counted(unsigned, { min: last }), 1);
  assert.equal(await counted(unsigned, { max: last - 1n }), 2);
  assert.equal(await counted(unsigned, { min: 0.5, max: 2 ** 64 }), 2);
  const floats = await arrayWith(Float64Array.from([2 ** 53, 2 ** 53 + 2]), {
    shape: [2],
    chunkShape: [2],
    dataType: "float64",
  });
  assert.equal(await counted(floats, { min: first + 1n }), 1);
  assert.equal(await counted(floats, { max: first + 1n }), 1);
  for (const where of [{ min: 2n, max: 1 }, { min: "1" }, { max: Number.NaN }])
    await assert.rejects(counted(signed, where), { code: "Argument" });
});
