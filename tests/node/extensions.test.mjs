/** Extensions of stores and arrays: the same code with zarrita and with this package. */
import assert from "node:assert/strict";
import { test } from "node:test";
import * as ours from "zarr-wasm";
import * as zarrita from "zarrita";
import { serve } from "../../scripts/serve.mjs";
import { FIXTURES } from "./fixture_files.mjs";
import { madeStore } from "./made_stores.mjs";

const valueAt = ([i, j]) => 100 * i + j;
const description = { shape: [7, 9], chunks: [3, 4], dtype: "int32", names: ["y", "x"] };
const files = madeStore(description, valueAt);

/** A store with ranges that counts its requests. */
class Counted {
  calls = [];

  async get(key, options) {
    this.calls.push({ key, options });
    return files.get(key);
  }

  async getRange(key, range, options) {
    this.calls.push({ key, range, options });
    const bytes = files.get(key);
    if (!bytes) return undefined;
    return "suffixLength" in range
      ? bytes.slice(-range.suffixLength)
      : bytes.slice(range.offset, range.offset + range.length);
  }
}

/** Runs a test with both packages. The results must be equal. */
function onBoth(title, run) {
  test(title, async () => {
    const theirs = await run(zarrita);
    assert.deepEqual(await run(ours), theirs);
  });
}

function placesOf(indices) {
  if (indices === null) return [0, 1, 1];
  return typeof indices === "number" ? [indices, indices + 1, 1] : indices;
}

/** The elements of a result in C order. */
function plain({ data, shape, stride }) {
  const walk = (axis, at) =>
    axis === shape.length
      ? data[at]
      : Array.from({ length: shape[axis] }, (_, index) => walk(axis + 1, at + index * stride[axis]));
  return walk(0, 0);
}

const thrown = async (run) => {
  try {
    await run();
  } catch (error) {
    return error;
  }
  return assert.fail("nothing was thrown");
};

// biome-ignore-start lint/performance/noDynamicNamespaceImportAccess: every name there is
test("all names of zarrita exist and have the same kind", () => {
  for (const [name, value] of Object.entries(zarrita)) {
    assert.equal(typeof ours[name], typeof value, name);
    if (typeof value !== "function") continue;
    for (const member of Object.keys(value)) assert.equal(typeof ours[name][member], typeof value[member]);
  }
});
// biome-ignore-end lint/performance/noDynamicNamespaceImportAccess: see above

onBoth("a store extension: overrides, own methods, and all that is not overridden", async (zarr) => {
  const withLog = zarr.defineStoreExtension((store, { log }) => ({
    get(key, options) {
      log.push(key);
      return store.get(key, options);
    },
    clear: () => log.splice(0).length,
  }));
  const inner = new Counted();
  const log = [];
  const store = withLog(inner, { log });
  assert.ok(store instanceof Counted);
  const array = await zarr.open.v3(store, { kind: "array" });
  const values = plain(await zarr.get(array, [zarr.slice(2, 5), null]));
  const seen = { keys: [...new Set(log)].sort(), own: Object.keys(store).sort(), has: "clear" in store };
  return { values, ...seen, cleared: store.clear() > 0, left: log.length, same: store.calls === inner.calls };
});

onBoth("promised extensions, and several of them", async (zarr) => {
  const named = (name) =>
    zarr.defineStoreExtension((store) => ({ names: () => [...(store.names?.() ?? []), name] }));
  const later = zarr.defineStoreExtension(async (store) => ({ names: () => [...store.names(), "later"] }));
  const now = zarr.extendStore(new Counted(), named("a"), named("b"));
  const promised = zarr.extendStore(new Counted(), named("a"), later, named("b"));
  assert.ok(promised instanceof Promise);
  const bad = zarr.defineStoreExtension(() => undefined);
  const errors = [await thrown(() => bad(new Counted())), await thrown(() => zarr.extendStore(now, bad))];
  return [now.names(), (await promised).names(), errors.map((error) => error instanceof Error)];
});

onBoth("an array extension: its getChunk is called, all else is the array's", async (zarr) => {
  const withTwice = zarr.defineArrayExtension((array, { calls }) => ({
    async getChunk(coords, ...rest) {
      calls.push([coords, rest.length]);
      const chunk = await array.getChunk(coords, ...rest);
      return { ...chunk, data: chunk.data.map((value) => 2 * value) };
    },
    calls: () => calls.length,
  }));
  const array = await zarr.open.v3(new Counted(), { kind: "array" });
  const twice = withTwice(array, { calls: [] });
  assert.ok(twice instanceof zarr.Array);
  const values = plain(await zarr.get(twice, [zarr.slice(1, 4), 3]));
  const plainOne = await zarr.get(twice, [6, 8]);
  const same = zarr.extendArray(array);
  return [values, plainOne, twice.calls(), twice.shape, twice.dtype, twice.chunks, same === array];
});

onBoth("a store's array extensions wrap what is opened, the outer ones outside", async (zarr) => {
  const order = [];
  const through = (name) =>
    zarr.defineArrayExtension((array) => ({
      getChunk(...args) {
        order.push(name);
        return array.getChunk(...args);
      },
    }));
  const carrying = (name) => zarr.defineStoreExtension(() => ({ arrayExtensions: [through(name)] }));
  const store = zarr.extendStore(new Counted(), carrying("inner"), carrying("outer"));
  const opened = await zarr.open(store, { kind: "array" });
  const value = await zarr.get(opened, [4, 4]);
  return [value, order, store.arrayExtensions.length];
});

onBoth("withByteCaching keeps what was asked, also that nothing is there", async (zarr) => {
  const inner = new Counted();
  const cache = new Map();
  const store = zarr.withByteCaching(inner, { cache });
  const read = async () => [
    await store.get("/zarr.json"),
    await store.get("/nothing"),
    await store.getRange("/c/0/0", { offset: 4, length: 8 }),
    await store.getRange("/c/0/0", { suffixLength: 8 }),
  ];
  const first = await read();
  const second = await read();
  const own = zarr.withByteCaching(new Counted(), { keyFor: (path, range) => (range ? undefined : path) });
  for (const range of [0, 0]) await own.getRange("/c/0/0", { offset: range, length: 4 });
  await own.get("/zarr.json");
  await own.get("/zarr.json");
  const plainStore = zarr.withByteCaching({ get: async () => undefined });
  return [
    first,
    second,
    inner.calls.length,
    [...cache.keys()].length,
    own.calls.length,
    "getRange" in plainStore,
  ];
});

onBoth("withRangeCoalescing: one request for neighbours of one tick", async (zarr) => {
  const inner = new Counted();
  const reports = [];
  const store = zarr.withRangeCoalescing(inner, {
    coalesceSize: 10,
    onFlush: (report) => reports.push(report),
  });
  const ranges = [
    [0, 4],
    [8, 4],
    [30, 8],
    [4, 2],
  ];
  const read = await Promise.all(
    ranges.map(([offset, length]) => store.getRange("/c/0/0", { offset, length })),
  );
  const absent = await store.getRange("/nothing", { offset: 0, length: 3 });
  const end = await store.getRange("/c/0/0", { suffixLength: 4 });
  const short = await thrown(() => store.getRange("/c/0/0", { offset: 40, length: 50 }));
  const without = await thrown(() => zarr.withRangeCoalescing({ get: async () => undefined }));
  const asked = inner.calls.map(({ range }) => range);
  return [read, absent, end, asked, reports, short instanceof Error, without._tag];
});

test("one caller's abort does not cancel a merged request of others", async () => {
  let signal;
  const store = ours.withRangeCoalescing({
    get: async () => undefined,
    getRange: (_key, range, options) => {
      signal = options.signal;
      return new Promise((resolve) => setTimeout(() => resolve(new Uint8Array(range.length)), 20));
    },
  });
  const controllers = [new AbortController(), new AbortController()];
  const [first, second] = controllers.map((controller, at) =>
    store.getRange("/a", { offset: at * 4, length: 4 }, { signal: controller.signal }),
  );
  await Promise.resolve();
  controllers[0].abort(new Error("enough"));
  await assert.rejects(first, { message: "enough" });
  assert.equal((await second).length, 4);
  assert.equal(signal.aborted, false);
  const both = controllers.map(() => new AbortController());
  const reads = both.map(({ signal: each }) =>
    store.getRange("/a", { offset: 0, length: 4 }, { signal: each }),
  );
  await Promise.resolve();
  for (const controller of both) controller.abort(new Error("all of us"));
  for (const read of reads) await assert.rejects(read, { message: "all of us" });
  assert.equal(signal.aborted, true);
});

test("with wrappers of a FetchStore the engine still reads it directly, as one store", async () => {
  const server = await serve({ "/": FIXTURES }, { data: ["/"] });
  try {
    const reports = [];
    for (const options of [undefined, { onFlush: (report) => reports.push(report) }]) {
      const url = `${server.url}/zarr-python-3/sharding-v3/store`;
      const store = ours.withByteCaching(ours.withRangeCoalescing(new ours.FetchStore(url), options));
      assert.ok(store instanceof ours.FetchStore);
      const array = await ours.open(store, { kind: "array", path: "raw-checked-end" });
      const direct = await ours.open(url, { kind: "array", path: "raw-checked-end" });
      assert.deepEqual((await array.get()).data, (await direct.get()).data);
    }
    assert.ok(reports.length > 0);
  } finally {
    server.close();
  }
});

onBoth("the names for other kinds of array", async (zarr) => {
  const array = await zarr.open.v3(new Counted(), { kind: "array" });
  const setter = {
    prepare: (data, shape, stride) => ({ data, shape, stride, isMine: true }),
    setScalar() {
      throw new Error("not for reading");
    },
    setFromChunk(target, source, projections) {
      // A dimension that one side lacks is an index in the other.
      const steps = ({ stride }, side) => {
        let axis = 0;
        return projections.map((projection) => (projection[side] === null ? 0 : stride[axis++]));
      };
      const [toStride, fromStride] = [steps(target, "to"), steps(source, "from")];
      const walk = (axis, to, from) => {
        if (axis === projections.length) {
          target.data[to] = source.data[from];
          return;
        }
        const [toStart, toStop, toStep] = placesOf(projections[axis].to);
        const [fromStart, , fromStep] = placesOf(projections[axis].from);
        for (let at = 0; toStart + at * toStep < toStop; at += 1) {
          const [toPlace, fromPlace] = [toStart + at * toStep, fromStart + at * fromStep];
          walk(axis + 1, to + toPlace * toStride[axis], from + fromPlace * fromStride[axis]);
        }
      };
      walk(0, 0, 0);
    },
  };
  const part = await zarr._zarrita_internal_get(array, [zarr.slice(1, 3), null], {}, setter);
  const scalar = await zarr._zarrita_internal_get(array, [1, 2], {}, setter);
  const store = new Map();
  const written = await zarr.create(store, { shape: [6, 5], chunkShape: [2, 3], dtype: "int32" });
  const value = setter.prepare(
    Int32Array.from({ length: 30 }, (_, at) => at),
    [6, 5],
    [5, 1],
  );
  await zarr._zarrita_internal_set(written, null, value, {}, setter);
  await zarr.set(written, [zarr.slice(0, 2), 4], -1);
  const slices = [
    [{ start: null, stop: null, step: null }, 7],
    [{ start: -3, stop: null, step: null }, 7],
    [{ start: 5, stop: -20, step: -2 }, 7],
    [{ start: 90, stop: 2, step: -1 }, 7],
    [{ start: -90, stop: 90, step: 3 }, 7],
  ].map(([slice, length]) => zarr._zarrita_internal_sliceIndices(slice, length));
  const strides = ["C", "F", [1, 0, 2]].map((order) => zarr._zarrita_internal_getStrides([2, 3, 4], order));
  const read = plain(await zarr.get(written));
  return [part.isMine, plain(part), scalar, read, slices, strides];
});

test("replacements of open.v2 and open.v3 are called", async () => {
  const { v2, v3 } = ours.open;
  const called = [];
  try {
    ours.open.v3 = async (...args) => {
      called.push("v3");
      return v3(...args);
    };
    await ours.open(new Counted(), { kind: "array" });
    await assert.rejects(ours.open(new Map()), { code: "NotFound" });
  } finally {
    Object.assign(ours.open, { v2, v3 });
  }
  assert.deepEqual(called, ["v3", "v3"]);
});
