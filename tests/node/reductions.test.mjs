/**
 * `reduce` and `statistics`: the answers of xarray and NumPy over stores that xarray and
 * zarr-python wrote (`tests/fixtures/reductions/make.py`), the same bits whatever decodes, and
 * errors.
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import * as zarr from "zarr-wasm";
import { unpackArchive } from "../support/fixture_archives.mjs";
import { growingArray, growingObjects } from "../support/growing_objects.mjs";

const HERE = join(import.meta.dirname, "../fixtures/reductions");
const CASES = JSON.parse(readFileSync(join(HERE, "cases.json"), "utf8"));

let folder;
before(() => {
  folder = mkdtempSync(join(tmpdir(), "zarr-wasm-reductions-"));
  unpackArchive(join(HERE, "stores.tar.gz"), join(folder, "all"));
});
after(() => rmSync(folder, { recursive: true, force: true }));

const storeOf = (name) => new zarr.FileSystemStore(join(folder, "all/stores", name));
const arrayOf = (store, path) => zarr.open(storeOf(store), { kind: "array", path });

/** The numbers of JSON: null is NaN, long integers and infinities are texts. */
const numberOf = (value) => (value === null ? Number.NaN : Number(value));

const isNear = (found, wanted) =>
  Object.is(found, wanted) ||
  found === wanted ||
  (Number.isNaN(found) && Number.isNaN(wanted)) ||
  Math.abs(found - wanted) <= 1e-9 * Math.max(1, Math.abs(wanted));

/** Options as a caller writes them: texts stand for arrays of the store. */
async function optionsOf(store, options) {
  const { groups, where } = options;
  const zone = () => arrayOf(store, "zone");
  if (groups?.labels) return { ...options, groups: { labels: await zone() } };
  if (where !== "zone > 1") return options;
  const { data, shape } = await (await zone()).get();
  const mask = {
    data: Array.from(data, (label) => label > 1),
    shape,
    dimensionNames: ["longitude", "latitude"],
  };
  return { ...options, where: mask };
}

describe("answers of xarray", () => {
  for (const { store, array: path, selection, options, answer, shape, dims } of CASES)
    test(`${store}/${path} ${JSON.stringify({ selection, ...options })}`, async () => {
      const array = await arrayOf(store, path);
      const found = await zarr.reduce(array, selection, await optionsOf(store, options));
      assert.deepEqual(found.shape, shape);
      assert.deepEqual(found.dimensionNames, dims);
      const wanted = answer.map(numberOf);
      assert.equal(found.data.length, wanted.length);
      for (const [at, value] of wanted.entries())
        assert.ok(isNear(Number(found.data[at]), value), `${at}: ${found.data[at]} is not ${value}`);
    });
});

test("several questions are answered in one pass, with counts", async () => {
  const array = await arrayOf("v3", "rain");
  const ops = ["count", "mean", "min", "max", "std", "sum"];
  const found = await zarr.reduce(array, null, { op: ops, over: "time", decode: "cf" });
  assert.deepEqual(Object.keys(found), ops);
  for (const op of ops) {
    const alone = await zarr.reduce(array, null, { op, over: ["time"], decode: "cf" });
    assert.deepEqual(found[op], alone);
    assert.deepEqual(alone.count, found.count.data);
  }
});

test("statistics are plain numbers, bigints beyond 2^53, or results", async () => {
  const rain = await zarr.statistics(await arrayOf("v3", "rain"), null, { decode: "cf" });
  assert.deepEqual(Object.keys(rain), ["count", "min", "max", "sum", "mean", "std", "var"]);
  assert.ok(Object.values(rain).every((value) => typeof value === "number"));
  const large = await zarr.statistics(await arrayOf("v3", "large"));
  assert.equal(typeof large.sum, Number.isSafeInteger(Number(large.sum)) ? "number" : "bigint");
  const over = await zarr.statistics(await arrayOf("v3", "rain"), null, { over: "time", decode: "cf" });
  assert.deepEqual(over.mean.dimensionNames, ["latitude", "longitude"]);
});

test("groups have their keys", async () => {
  const array = await arrayOf("v3", "rain");
  const keys = async (groups) =>
    (await zarr.reduce(array, { time: zarr.slice(0, 60) }, { op: "mean", groups, decode: "cf" })).groups;
  assert.deepEqual(await keys({ time: "month" }), [1, 11, 12]);
  assert.deepEqual(await keys({ time: "season" }), ["DJF", "SON"]);
  assert.deepEqual(await keys({ time: "year" }), [2003, 2004]);
  assert.deepEqual(await keys({ latitude: { bins: [-90, 0, 90, 99] } }), [
    [-90, 0],
    [0, 90],
    [90, 99],
  ]);
  const labels = await arrayOf("v3", "zone");
  assert.deepEqual(await keys(labels), [0, 1, 2, 3]);
  assert.deepEqual(await keys({ labels, ids: [3, 9] }), [3, 9]);
  const { data, count } = await zarr.reduce(array, null, { op: "sum", groups: { labels, ids: [3, 9] } });
  assert.equal(Number(data[1]), 0);
  assert.equal(count[1], 0);
});

test("the same call gives the same bits, whatever decodes", async () => {
  const ops = ["sum", "mean", "var", "min", "max"];
  const options = { op: ops, over: ["time"], weights: { latitude: "cos" } };
  const bits = async () => {
    const found = await zarr.reduce(await arrayOf("v3", "air"), null, options);
    return ops.map((op) => Buffer.from(found[op].data.buffer).toString("hex"));
  };
  const first = await bits();
  for (const workers of [0, 1, 4]) {
    await zarr.dispose();
    await zarr.init({ workers });
    assert.deepEqual(await bits(), first);
  }
  await zarr.dispose();
  await zarr.init({ workers: undefined });
});

test("partial answers come on the way, and say of how much they are made", async () => {
  const rows = 400;
  const array = await zarr.create(new Map(), {
    shape: [rows, 1 << 16],
    chunkShape: [1, 1 << 16],
    dataType: "float32",
    codecs: [
      { name: "bytes", configuration: { endian: "little" } },
      { name: "zstd", configuration: { level: 1 } },
    ],
  });
  await zarr.set(array, null, 1);
  const shares = [];
  const { data } = await zarr.reduce(array, null, {
    op: "sum",
    onPartial: ({ data: [sum] }, share) => shares.push([share, sum]),
  });
  assert.equal(data[0], rows * 65536);
  for (const [share, sum] of shares) assert.ok(share > 0 && share <= 1 && sum <= data[0]);
});

test("quantiles of many elements are within their error", async () => {
  const values = Float32Array.from({ length: 600_000 }, (_, at) => (at * 7919) % 600_011);
  const array = await zarr.create(new Map(), {
    shape: [600, 1000],
    chunkShape: [100, 250],
    dtype: "float32",
  });
  await zarr.set(array, null, values);
  const sorted = values.slice().sort();
  for (const error of [0.05, 0.01]) {
    const found = await zarr.reduce(array, null, { op: "quantile", q: [0, 0.25, 0.5, 0.99, 1], error });
    assert.deepEqual([found.shape, found.dimensionNames], [[5], ["quantile"]]);
    assert.ok(found.error > 0 && found.error <= error, `${found.error}`);
    for (const [at, q] of [0, 0.25, 0.5, 0.99, 1].entries()) {
      const below = sorted.findIndex((value) => value >= found.data[at]) / sorted.length;
      assert.ok(Math.abs(below - q) <= found.error + 1e-5, `${q}: ${below}`);
    }
  }
  const { data, error } = await zarr.reduce(array, [zarr.slice(0, 10), 5], { op: "median" });
  const few = Array.from({ length: 10 }, (_, row) => values[1000 * row + 5]).sort(
    (one, other) => one - other,
  );
  assert.deepEqual([data[0], error], [(few[4] + few[5]) / 2, 0]);
});

test("a reduction goes on from an earlier one, and reads only what is new", async () => {
  const keys = [];
  const files = new Map();
  const store = {
    get: async (key) => {
      keys.push(key);
      return files.get(key);
    },
    set: async (key, value) => void files.set(key, value),
    delete: async (key) => void files.delete(key),
  };
  const array = await zarr.create(store, { shape: [40, 3], chunkShape: [10, 3], dtype: "int32" });
  const values = Int32Array.from({ length: 120 }, (_, at) => at * at);
  await array.set(null, values);
  const options = { op: ["sum", "max", "var"], over: 0 };
  const first = await zarr.reduce(array, [zarr.slice(0, 20)], { ...options, accumulate: true });
  keys.length = 0;
  const second = await zarr.reduce(array, [zarr.slice(20, 40)], { ...options, accumulate: first });
  assert.deepEqual(keys.filter((key) => key.includes("/c/")).sort(), ["/c/2/0", "/c/3/0"]);
  const whole = await zarr.reduce(array, null, options);
  assert.deepEqual(second.sum, whole.sum);
  assert.deepEqual(second.max, whole.max);
  for (const at of [0, 1, 2]) assert.ok(isNear(second.var.data[at], whole.var.data[at]));
  await assert.rejects(zarr.reduce(array, null, { op: "sum", over: 0, accumulate: first }), /cannot go on/);
  await assert.rejects(zarr.reduce(array, null, { op: "sum", accumulate: {} }), /accumulate/);
});

test("groups that are new join those of an earlier answer", async () => {
  const array = await arrayOf("v3", "rain");
  const [length] = array.shape;
  const options = {
    op: ["sum", "count"],
    over: ["latitude", "longitude"],
    groups: { time: "month" },
    decode: "cf",
  };
  const whole = await zarr.reduce(array, null, options);
  assert.ok(whole.sum.groups.length > 2);
  // Later months first, so that earlier ones come in front.
  const half = Math.floor(length / 2);
  const later = await zarr.reduce(array, { time: zarr.slice(half, null) }, { ...options, accumulate: true });
  assert.ok(later.sum.groups.length < whole.sum.groups.length);
  const both = await zarr.reduce(array, { time: zarr.slice(0, half) }, { ...options, accumulate: later });
  assert.deepEqual(both.sum.groups, whole.sum.groups);
  assert.deepEqual(both.count.data, whole.count.data);
  for (const [at, sum] of whole.sum.data.entries()) assert.ok(isNear(both.sum.data[at], sum));
  const bins = (ends) => ({ op: "sum", groups: { latitude: { bins: ends } } });
  const first = await zarr.reduce(array, null, { ...bins([-90, 0, 90]), accumulate: true });
  await assert.rejects(zarr.reduce(array, null, { ...bins([-90, 90]), accumulate: first }), {
    code: "Argument",
  });
});

test("watch yields growth, and the array has it", async () => {
  const files = new Map();
  // Two stores, as another program's: nodes of one store know of each other's changes.
  const storeOver = () => ({
    get: async (key) => files.get(key),
    set: async (key, value) => void files.set(key, value),
    delete: async (key) => void files.delete(key),
  });
  const written = await zarr.create(storeOver(), { shape: [4], chunkShape: [4], dtype: "uint8" });
  await written.set(null, Uint8Array.of(1, 2, 3, 4));
  const array = await zarr.open(storeOver(), { kind: "array" });
  const ending = new AbortController();
  const seen = [];
  const watching = (async () => {
    for await (const change of zarr.watch(array, { interval: 10, signal: ending.signal })) {
      seen.push([change.oldShape, change.shape, change.attrs, (await array.get()).data]);
      if (seen.length === 1) await written.updateAttributes({ done: true });
      else ending.abort(new Error("seen"));
    }
  })();
  await written.append(Uint8Array.of(5, 6));
  await assert.rejects(watching, /seen/);
  assert.deepEqual(seen[0], [[4], [6], {}, Uint8Array.of(1, 2, 3, 4, 5, 6)]);
  assert.deepEqual(seen[1].slice(0, 3), [[6], [6], { done: true }]);
});

test("watch asks conditionally, and the chunk at the old edge is read anew", async () => {
  const answer = growingObjects("/growing");
  const server = createServer((request, response) => answer(request, response)).listen(0, "127.0.0.1");
  await once(server, "listening");
  const origin = `http://127.0.0.1:${server.address().port}`;
  const url = `${origin}/growing/a.zarr`;
  const put = (name, body) => fetch(`${url}/${name}`, { method: "PUT", body });
  const requests = async () => (await fetch(`${origin}/growing-requests`)).json();
  try {
    await put("zarr.json", growingArray(6));
    await put("c/0", Uint8Array.of(1, 2, 3, 4));
    await put("c/1", Uint8Array.of(5, 6, 0, 0));
    const array = await zarr.open(url, { kind: "array" });
    assert.deepEqual((await array.get()).data, Uint8Array.of(1, 2, 3, 4, 5, 6));
    const first = await zarr.reduce(array, null, { op: "sum", accumulate: true });
    await requests();
    const changes = zarr.watch(array, { interval: 20 });
    const change = changes.next();
    for (;;) {
      const all = await requests();
      assert.ok(all.every((one) => one.startsWith("a.zarr/zarr.json ")));
      if (all.some((one) => one.endsWith(" 304"))) break;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    await put("c/1", Uint8Array.of(5, 6, 7, 8));
    await put("c/2", Uint8Array.of(9, 0, 0, 0));
    await put("zarr.json", growingArray(9));
    const { shape, oldShape } = (await change).value;
    assert.deepEqual([oldShape, shape], [[6], [9]]);
    await requests();
    const fresh = zarr.slice(oldShape[0], shape[0]);
    const second = await zarr.reduce(array, [fresh], { op: "sum", accumulate: first });
    assert.deepEqual(second.data, BigUint64Array.of(45n));
    // At the end, whether the metadata are still the same.
    assert.deepEqual(await requests(), ["a.zarr/c/1 200", "a.zarr/c/2 200", "a.zarr/zarr.json 304"]);
    await changes.return();
  } finally {
    server.close();
    server.closeAllConnections();
  }
});

test("coords knows the coordinates of a result", async () => {
  const array = await arrayOf("v3", "air");
  const latitude = [...(await (await arrayOf("v3", "latitude")).get(null, { as: "float64" })).data];
  const selection = { latitude: [5, 1, 2, 0] };
  const mean = await zarr.reduce(array, selection, { op: "mean", over: ["time", "longitude"] });
  const own = await zarr.coords(mean, "latitude");
  assert.deepEqual(
    [...own.values],
    [5, 1, 2, 0].map((at) => latitude[at]),
  );
  assert.equal(await own.nearest(latitude[1]), 1);
  const coarse = await zarr.reduce(array, selection, { op: "max", coarsen: { latitude: 3 }, edges: "pad" });
  const [first, last] = (await zarr.coords(coarse, "latitude")).values;
  assert.ok(isNear(first, (latitude[5] + latitude[1] + latitude[2]) / 3) && last === latitude[0]);
  const time = await zarr.coords(array, "time");
  const series = await zarr.reduce(
    array,
    { time: [7, 3] },
    { op: ["min", "max"], over: ["latitude", "longitude"] },
  );
  const dates = await zarr.coords(series.max, 0);
  assert.deepEqual(await dates.moments(), [await time.moment(7), await time.moment(3)]);
  const groups = await zarr.reduce(array, null, { op: "mean", groups: { time: "month" } });
  await assert.rejects(zarr.coords(groups, "group"), { code: "NotFound" });
  await assert.rejects(zarr.coords(mean, "time"), { code: "Argument" });
});

/** An array of whole chunks, each of whose elements are the chunk's number. Reads take a moment. */
async function numberedChunks(count, chunk) {
  const asked = [];
  const document = {
    zarr_format: 3,
    node_type: "array",
    shape: [count * chunk],
    data_type: "uint8",
    chunk_grid: { name: "regular", configuration: { chunk_shape: [chunk] } },
    chunk_key_encoding: { name: "default" },
    fill_value: 0,
    codecs: [{ name: "bytes" }],
    dimension_names: ["x"],
  };
  const get = async (key) => {
    if (key.endsWith("zarr.json")) return new TextEncoder().encode(JSON.stringify(document));
    await new Promise((resolve) => setTimeout(resolve, 3));
    const number = Number(/c\/(\d+)$/.exec(key)?.[1]);
    asked.push(number);
    return new Uint8Array(chunk).fill(number);
  };
  return { array: await zarr.open({ get }, { kind: "array" }), asked };
}

test("early answers of a spread reduction are fair", async () => {
  const early = async (options) => {
    const { array } = await numberedChunks(200, 1 << 20);
    const seen = [];
    const onPartial = ({ data }, share) => seen.push([data[0], share]);
    const { data } = await zarr.reduce(array, null, { op: "mean", onPartial, ...options });
    assert.equal(data[0], 99.5);
    assert.ok(seen.length > 0 && seen.every(([, share]) => share > 0 && share <= 1));
    return seen.findLast(([, share]) => share < 0.6)?.[0];
  };
  const [fair, unfair] = [await early({ spread: true }), await early({})];
  assert.ok(Math.abs(fair - 99.5) < 25, `${fair}`);
  assert.ok(unfair < 65, `${unfair}`);
  const { array } = await numberedChunks(2, 4);
  await assert.rejects(zarr.reduce(array, null, { op: "argmax", spread: true }), { code: "Argument" });
});

test("a plan of a reduction tells its memory, and fetches no chunk", async () => {
  const { array, asked } = await numberedChunks(300, 1 << 16);
  const plan = await zarr.planReduction(array, null, { op: "sum", coarsen: { x: 1 << 10 } });
  assert.deepEqual(plan.shape, [300 * 64]);
  // Two counts, and a sum of 128 bits.
  assert.equal(plan.accumulatorBytes, 300 * 64 * 4 * 8);
  assert.equal(plan.read.chunkCount, 300);
  assert.ok(plan.memoryBytes > plan.accumulatorBytes && plan.memoryBytes < 200 << 20, `${plan.memoryBytes}`);
  const whole = await zarr.planReduction(array, null, { op: ["mean", "max"] });
  assert.deepEqual(whole.shape, []);
  assert.equal(whole.accumulatorBytes, (4 + 3) * 8);
  assert.deepEqual(asked, []);
});

describe("a result that grows along a dimension", () => {
  test("has the answers of the whole, in its order, and reads each chunk once", async () => {
    const { array, asked } = await numberedChunks(40, 1 << 20);
    const options = { op: ["sum", "max"], coarsen: { x: 1 << 18 } };
    const starts = [];
    const found = { sum: [], max: [] };
    for await (const { start, length, result } of zarr.reduceAlong(array, null, "x", options)) {
      assert.equal(length, 160);
      assert.equal(start, found.sum.length);
      starts.push(start);
      for (const name of ["sum", "max"]) found[name].push(...result[name].data);
    }
    assert.ok(starts.length > 2, `${starts}`);
    assert.deepEqual(
      found.max,
      Array.from({ length: 160 }, (_, at) => Math.floor(at / 4)),
    );
    assert.deepEqual(
      found.sum,
      Array.from({ length: 160 }, (_, at) => BigInt(Math.floor(at / 4) << 18)),
    );
    assert.deepEqual(
      [...asked].sort((one, other) => one - other),
      [...Array(40).keys()],
    );
  });

  test("has the bits of the whole, with coordinates", async () => {
    const array = await arrayOf("v3", "rain");
    const options = {
      op: "mean",
      over: ["latitude", "longitude"],
      weights: { latitude: "cos" },
      decode: "cf",
    };
    const whole = await zarr.reduce(array, null, options);
    const found = [];
    const places = [];
    for await (const { result } of zarr.reduceAlong(array, null, "time", options)) {
      found.push(...result.data);
      places.push(...(await zarr.coords(result, "time")).values);
    }
    assert.deepEqual(Float64Array.from(found), whole.data);
    assert.deepEqual(places, [...(await zarr.coords(array, "time")).values]);
  });

  test("ends when the caller leaves, and refuses a dimension that goes", async () => {
    const { array, asked } = await numberedChunks(400, 1 << 20);
    for await (const { result } of zarr.reduceAlong(array, null, "x", {
      op: "max",
      coarsen: { x: 1 << 20 },
    })) {
      assert.equal(result.data[0], 0);
      break;
    }
    const left = asked.length;
    await new Promise((resolve) => setTimeout(resolve, 200));
    assert.ok(asked.length < left + 70, `${left} ${asked.length}`);
    const air = await arrayOf("v3", "air");
    for (const [dimension, options] of [
      ["time", { op: "mean" }],
      ["time", { op: "mean", over: "time" }],
      ["time", { op: "mean", over: [], groups: { time: "month" } }],
      ["level", { op: "mean", over: "time" }],
    ])
      await assert.rejects(zarr.reduceAlong(air, null, dimension, options).next(), { code: "Argument" });
  });
});

test("watch outlives a server that fails for a moment, and ends where the array is gone", async () => {
  const files = new Map();
  await zarr.create(files, { shape: [4], chunkShape: [4], dtype: "uint8" });
  let failures = 2;
  const get = async (key) => {
    if (failures > 0 && isWatching) {
      failures -= 1;
      throw new zarr.ZarrError("Store", "a moment");
    }
    return files.get(key);
  };
  let isWatching = false;
  const array = await zarr.open({ get }, { kind: "array" });
  isWatching = true;
  const watching = zarr.watch(array, { interval: 5 }).next();
  while (failures > 0) await new Promise((resolve) => setTimeout(resolve, 5));
  files.clear();
  await assert.rejects(watching, (error) => error.code === "NotFound");
  const aborted = zarr.watch(array, { interval: 1e6, signal: AbortSignal.timeout(5) }).next();
  await assert.rejects(aborted, { name: "TimeoutError" });
  assert.throws(() => zarr.watch(array, { interval: 0 }), { code: "Argument" });
});

test("an abort ends a reduction", async () => {
  const array = await arrayOf("v3", "air");
  const aborted = AbortSignal.abort(new Error("enough"));
  await assert.rejects(zarr.reduce(array, null, { op: "mean", signal: aborted }), /enough/);
});

describe("errors", () => {
  const refused = (name, path, selection, options, expected) =>
    test(name, async () => {
      const array = await arrayOf("v3", path);
      await assert.rejects(zarr.reduce(array, selection, options), (error) => {
        assert.ok(error instanceof zarr.ZarrError, String(error));
        for (const [member, value] of Object.entries(expected)) assert.match(String(error[member]), value);
        for (const told of [error.expected, error.actual]) assert.match(String(told), /\S/);
        assert.ok(error.expected !== undefined && error.actual !== undefined, error.message);
        return true;
      });
    });
  const argument = /^Argument$/;
  refused("an unknown question", "air", null, { op: "middle" }, { code: argument, expected: /mean, min/ });
  refused("no question", "air", null, { op: [] }, { code: argument });
  refused(
    "an unknown dimension",
    "air",
    null,
    { op: "mean", over: "level" },
    { code: argument, expected: /latitude/ },
  );
  refused(
    "a block that is not whole",
    "air",
    null,
    { op: "mean", coarsen: { time: 7 } },
    { code: argument, message: /time/ },
  );
  refused(
    "groups and blocks",
    "air",
    null,
    { op: "mean", coarsen: { time: 5 }, groups: { latitude: { bins: [0, 1] } } },
    { code: argument },
  );
  refused(
    "a dimension in over and in coarsen",
    "air",
    null,
    { op: "mean", over: "time", coarsen: { time: 5 } },
    { code: argument },
  );
  const twice = { code: argument, message: /names a dimension twice/, actual: /time, 0|time, time|0, time/ };
  refused("a dimension twice in over", "air", null, { op: "mean", over: ["time", "time"] }, twice);
  refused("a dimension by name and place in over", "air", null, { op: "mean", over: ["time", 0] }, twice);
  refused("a dimension twice in coarsen", "air", null, { op: "mean", coarsen: { time: 5, 0: 5 } }, twice);
  const weights = { time: new Array(10).fill(1), 0: new Array(10).fill(1) };
  refused("a dimension twice in weights", "air", null, { op: "mean", weights }, twice);
  refused(
    "argmin over two dimensions",
    "air",
    null,
    { op: "argmin" },
    { code: argument, message: /one dimension/ },
  );
  refused(
    "a grouping of what is no time",
    "air",
    null,
    { op: "mean", groups: { latitude: "month" } },
    { code: argument, message: /no time axis/ },
  );
  refused(
    "bins that do not ascend",
    "air",
    null,
    { op: "mean", groups: { latitude: { bins: [1, 0] } } },
    { code: argument },
  );
  refused(
    "weights of another length",
    "air",
    null,
    { op: "mean", weights: { latitude: [1, 2] } },
    { code: argument, expected: /7 numbers/ },
  );
  refused(
    "a weight that is not finite",
    "air",
    null,
    { op: "mean", weights: { latitude: [1, 2, 3, 4, 5, 6, Number.NaN] } },
    { code: argument, message: /weight/ },
  );
  refused("a share beyond 1", "air", null, { op: "quantile", q: 2 }, { code: argument, message: /\bq\b/ });
  refused("a quantile without a share", "air", null, { op: "quantile" }, { code: argument });
  refused(
    "a weighted median",
    "air",
    null,
    { op: "median", weights: { latitude: "cos" } },
    { code: argument },
  );
  refused("an index outside", "air", { time: [500] }, { op: "mean" }, { code: argument });
  refused("points", "air", zarr.points([0], [0], [0]), { op: "mean" }, { code: argument, message: /points/ });
  refused(
    "a mask of another shape",
    "air",
    null,
    { op: "mean", where: { data: [1], shape: [1], dimensionNames: ["time"] } },
    { code: argument },
  );

  refused(
    "a mask that leaves the array",
    "air",
    null,
    { op: "mean", where: { data: [1, 1], shape: [2], dimensionNames: ["time"], offset: [1e6] } },
    { code: argument },
  );

  test("a mask over a part of an array without names: the rest is left out", async () => {
    const array = await zarr.create(new Map(), { shape: [2, 4, 5], chunkShape: [1, 3, 2], dtype: "int16" });
    await array.set(
      null,
      Int16Array.from({ length: 40 }, (_, at) => at),
    );
    // Of rows 1 and 2, columns 3 and 4: 8 and 14 in the first plane, 28 and 34 in the second.
    const mask = { data: [1, 0, 0, 1], shape: [2, 2], dimensionNames: [1, 2], offset: [1, 3] };
    const sums = await zarr.reduce(array, null, { op: ["sum", "count"], over: [1, 2], where: mask });
    assert.deepEqual([...sums.sum.data], [22n, 62n]);
    assert.deepEqual([...sums.count.data], [2, 2]);
    const cut = await zarr.reduce(array, [1, [2, 3], null], { op: "max", where: mask });
    assert.equal(cut.data[0], 34);
  });

  test("a sum of integers beyond 64 bits", async () => {
    const array = await zarr.create(new Map(), { shape: [3], chunkShape: [2], dataType: "uint64" });
    await zarr.set(array, null, {
      data: BigUint64Array.of(2n ** 63n, 2n ** 63n, 1n),
      shape: [3],
      stride: [1],
    });
    await assert.rejects(zarr.reduce(array, null, { op: "sum" }), (error) => {
      assert.equal(error.code, "Limit");
      assert.match(error.message, /float64/);
      assert.match(error.message, /18446744073709551617/);
      assert.deepEqual([error.expected, error.actual], ["uint64", "18446744073709551617"]);
      return true;
    });
    const { data } = await zarr.reduce(array, null, { op: "mean" });
    assert.equal(data[0], (2 ** 64 + 1) / 3);
    assert.deepEqual((await zarr.reduce(array, null, { op: "max" })).data, BigUint64Array.of(2n ** 63n));
  });

  test("a damaged chunk", async () => {
    const store = new Map();
    const array = await zarr.create(store, { shape: [40], chunkShape: [10], dataType: "float64" });
    await zarr.set(array, null, 1.5);
    const key = [...store.keys()].find((name) => name.endsWith("c/2"));
    store.set(key, store.get(key).slice(0, 9));
    const again = await zarr.open(store, { kind: "array" });
    await assert.rejects(zarr.reduce(again, null, { op: "sum" }), (error) => {
      assert.equal(error.code, "Format");
      assert.match(error.key, /c\/2$/);
      return true;
    });
  });
});
