/** Plans, streams and prefetching. */
import assert from "node:assert/strict";
import { test } from "node:test";
import * as zarr from "zarr-wasm";
import { pause, steady, until } from "../support/waiting.mjs";
import { madeStore } from "./made_stores.mjs";

const valueAt = ([i, j]) => 1000 * i + j;
const description = {
  shape: [2000, 1500],
  chunks: [250, 250],
  dtype: "float64",
  gzip: true,
  names: ["y", "x"],
};
const files = madeStore(description, valueAt);

/** A store that counts requests and aborts. */
class Watched {
  asked = [];
  underWay = 0;
  most = 0;
  delay = 0;

  async get(key, { signal } = {}) {
    this.asked.push(key);
    this.underWay += 1;
    this.most = Math.max(this.most, this.underWay);
    try {
      await new Promise((resolve, reject) => {
        const timer = setTimeout(resolve, this.delay);
        const leave = () => {
          clearTimeout(timer);
          reject(signal.reason);
        };
        signal?.addEventListener("abort", leave, { once: true });
      });
      return files.get(key);
    } finally {
      this.underWay -= 1;
    }
  }

  get chunks() {
    return this.asked.filter((key) => key.startsWith("/c/")).length;
  }
}

const opened = async () => {
  const store = new Watched();
  const array = await zarr.open(store, { kind: "array" });
  return { store, array };
};

const distinct = (values) => new Set(values).size;

/** All objects of a plan. */
async function objectsOf(plan) {
  const objects = [];
  for await (const object of plan.objects()) objects.push(object);
  return objects;
}

test("a plan has chunks, keys, requests and bytes, and fetches nothing", async () => {
  const { store, array } = await opened();
  const before = store.asked.length;
  const plan = await array.plan([zarr.slice(100, 600), null]);
  assert.deepEqual(plan.shape, [500, 1500]);
  assert.equal(plan.chunkCount, 18);
  assert.equal(plan.objectCount, 18);
  assert.deepEqual(plan.requests, { least: 18, most: 18 });
  assert.equal(plan.resultBytes, 500 * 1500 * 8);
  assert.equal(plan.decodedBytes, 18 * 250 * 250 * 8);
  assert.equal(plan.encodedBasis, "decoded");
  assert.equal(plan.encodedBytes, plan.decodedBytes);
  assert.ok(plan.memoryBytes >= plan.resultBytes);
  const objects = await objectsOf(plan);
  assert.equal(objects.length, 18);
  assert.deepEqual(objects[0], { chunk: [0, 0], key: "/c/0/0" });
  assert.deepEqual(objects.at(-1), { chunk: [2, 5], key: "/c/2/5" });
  assert.equal(store.asked.length, before);
  await array.get([zarr.slice(100, 600), null]);
  const asked = new Set(store.asked.slice(before));
  assert.deepEqual([...asked].sort(), objects.map(({ key }) => key).sort());
  const after = await array.plan([zarr.slice(100, 600), null]);
  const real = objects.reduce((sum, { key }) => sum + files.get(key).length, 0);
  assert.equal(after.encodedBasis, "observed");
  assert.equal(after.encodedBytes, real);
});

test("plans of points, lists, integers and empty selections", async () => {
  const { array } = await opened();
  const counts = async (selection) => {
    const plan = await array.plan(selection);
    return [plan.shape, plan.chunkCount, (await objectsOf(plan)).map(({ key }) => key)];
  };
  assert.deepEqual(await counts([3, 1499]), [[], 1, ["/c/0/5"]]);
  assert.deepEqual(await counts(zarr.points([0, 1999, 1], [0, 1499, 2])), [[3], 2, ["/c/0/0", "/c/7/5"]]);
  assert.deepEqual(await counts({ y: [1999, 0], x: zarr.slice(0, 1) }), [[2, 1], 2, ["/c/7/0", "/c/0/0"]]);
  assert.deepEqual(await counts([zarr.slice(5, 5), null]), [[0, 1500], 0, []]);
  await assert.rejects(array.plan([2000]), { _tag: "InvalidSelectionError" });
});

test("a plan with too many chunks for a list", async () => {
  const huge = {
    zarr_format: 3,
    node_type: "array",
    shape: [2 ** 52, 1000],
    data_type: "uint16",
    chunk_grid: { name: "regular", configuration: { chunk_shape: [1024, 1000] } },
    chunk_key_encoding: { name: "default" },
    codecs: [{ name: "bytes", configuration: { endian: "little" } }],
    fill_value: 0,
    attributes: {},
  };
  const store = new Map([["/zarr.json", new TextEncoder().encode(JSON.stringify(huge))]]);
  const array = await zarr.open(store, { kind: "array" });
  const plan = await array.plan();
  assert.equal(plan.objectCount, 2 ** 42);
  assert.equal(plan.encodedBasis, "exact");
  assert.equal(plan.encodedBytes, 2 ** 52 * 2000);
  const first = [];
  for await (const { key } of plan.objects()) {
    first.push(key);
    if (first.length === 3000) break;
  }
  assert.equal(first[2999], "/c/2999/0");
  let parts = 0;
  for await (const part of array.stream(null, { centre: [2 ** 51, 500] })) {
    assert.ok(part.data.every((value) => value === 0));
    if (parts === 0) assert.ok(part.start[0] <= 2 ** 51 && part.start[0] + part.shape[0] > 2 ** 51);
    parts += 1;
    if (parts === 5) break;
  }
});

test("a plan of a sharded array counts indexes", async () => {
  const store = new Map();
  const array = await zarr.create(store, {
    shape: [64, 64],
    chunkShape: [8, 8],
    shardShape: [32, 32],
    dtype: "uint8",
    codecs: [],
  });
  const plan = await array.plan([zarr.slice(0, 40), zarr.slice(0, 8)]);
  assert.equal(plan.objectCount, 2);
  assert.equal(plan.chunkCount, 5);
  assert.deepEqual(plan.requests, { least: 4, most: 7 });
  assert.deepEqual(
    (await objectsOf(plan)).map(({ chunk }) => chunk),
    [
      [0, 0],
      [1, 0],
    ],
  );
  assert.equal(plan.encodedBasis, "exact");
  assert.equal(plan.encodedBytes, 5 * 64 + 2 * (16 * 16 + 4));
});

/** Joins the parts. Checks that they do not overlap. */
async function gathered(stream, shape) {
  const whole = new Float64Array(shape[0] * shape[1]).fill(Number.NaN);
  const starts = [];
  for await (const { start, shape: extent, data, stride } of stream) {
    starts.push(start);
    for (let i = 0; i < extent[0]; i += 1) {
      for (let j = 0; j < extent[1]; j += 1) {
        const place = (start[0] + i) * shape[1] + start[1] + j;
        assert.ok(Number.isNaN(whole[place]));
        whole[place] = data[i * stride[0] + j * stride[1]];
      }
    }
  }
  return { whole, starts };
}

test("the parts of a stream together are the result", async () => {
  const { array } = await opened();
  const progress = [];
  const stream = array.stream(null, { onProgress: (report) => progress.push(report) });
  const { whole, starts } = await gathered(stream, [2000, 1500]);
  assert.ok(starts.length > 10);
  assert.deepEqual(whole, (await array.get()).data);
  const last = progress.at(-1);
  assert.deepEqual([last.chunks, last.totalChunks], [48, 48]);
  assert.deepEqual([last.parts, last.totalParts], [starts.length, starts.length]);
  const stored = [...files].reduce(
    (sum, [key, bytes]) => sum + (key.startsWith("/c/") ? bytes.length : 0),
    0,
  );
  assert.equal(last.bytes, stored);
  for (let at = 1; at < progress.length; at += 1) {
    for (const name of ["chunks", "bytes", "parts"]) assert.ok(progress[at][name] >= progress[at - 1][name]);
  }
});

test("the nearest parts come first, or the first rows", async () => {
  const { array, store } = await opened();
  const distance = ({ start, shape }, centre) =>
    Math.hypot(
      ...start.map((from, axis) => Math.max(0, from - centre[axis], centre[axis] - from - shape[axis])),
    );
  const centre = [1900, 1400];
  for await (const part of array.stream(null, { centre })) {
    assert.equal(distance(part, centre), 0);
    break;
  }
  const asked = store.asked.length;
  for await (const part of array.stream(null, { order: "c" })) {
    assert.deepEqual(part.start, [0, 0]);
    break;
  }
  assert.equal(store.asked[asked], "/c/0/0");
  await assert.rejects(array.stream([null, 3], { centre: [1, 2] }).next(), { code: "Argument" });
});

test("parts of selections with integers, as packed bytes, and of strings", async () => {
  const { array } = await opened();
  const shapes = [];
  for await (const part of array.stream([7, zarr.slice(10, 20)], { as: "bytes" })) {
    assert.ok(part.data instanceof Uint8Array);
    shapes.push([part.shape, part.start, part.offset, part.data.length]);
  }
  assert.deepEqual(shapes, [[[10], [0], [0, 0], 80]]);
  const store = new Map();
  const words = await zarr.create(store, { shape: [6], chunkShape: [2], dtype: "string", fillValue: "-" });
  await words.set([zarr.slice(0, 4)], ["a", "b", "c", "d"]);
  const read = [];
  for await (const part of words.stream()) read.push(...part.data);
  assert.deepEqual(read, ["a", "b", "c", "d", "-", "-"]);
});

test("elements are converted as by get", async () => {
  const { array } = await opened();
  const window = [0, 2_000_000];
  for (const options of [{ as: "int16" }, { as: "uint8", window }, { as: "rgba", window }, { as: "bytes" }]) {
    const selection = [zarr.slice(240, 260), zarr.slice(0, 30)];
    const whole = await array.get(selection, options);
    let count = 0;
    for await (const { data, shape, start } of array.stream(selection, options)) {
      assert.equal(data.constructor, whole.data.constructor);
      assert.deepEqual(shape.length, whole.shape.length);
      if (shape[0] === 20) assert.deepEqual(data, whole.data);
      assert.equal(start.length, 2);
      count += data.length;
    }
    assert.equal(count, whole.data.length);
  }
});

test("parts are sent only as fast as they are taken", async () => {
  const small = { shape: [160, 1024], chunks: [1, 1024], dtype: "float64" };
  const rows = new Map();
  const described = madeStore({ ...small, shape: [1, 1024] }, () => 1);
  const row = described.get("/c/0/0");
  // 160 chunks of 1 MiB, which are made when they are requested.
  const metadata = JSON.parse(new TextDecoder().decode(described.get("/zarr.json")));
  metadata.shape = [160, 128 * 1024];
  metadata.chunk_grid.configuration.chunk_shape = [1, 128 * 1024];
  rows.set("/zarr.json", new TextEncoder().encode(JSON.stringify(metadata)));
  const chunk = new Uint8Array(128 * row.length);
  let asked = 0;
  const store = {
    async get(key) {
      if (!key.startsWith("/c/")) return rows.get(key);
      asked += 1;
      return chunk.slice();
    },
  };
  const array = await zarr.open(store, { kind: "array" });
  const stream = array.stream(null, { order: "c" });
  const { value } = await stream.next();
  assert.deepEqual(value.start, [0, 0]);
  await steady(() => asked);
  const held = asked;
  await pause(300);
  assert.equal(asked, held);
  assert.ok(held >= 3 && held <= 34, `${held} chunks of 1 MiB`);
  let parts = 1;
  for await (const part of stream) parts += part.shape[0];
  assert.equal(parts, 160);
  assert.equal(asked, 160);
});

test("return ends the requests, also during a wait for a part", async () => {
  const { array, store } = await opened();
  store.delay = 10_000;
  const stream = array.stream(null);
  const next = stream.next();
  await until(() => store.underWay > 0);
  assert.deepEqual(await stream.return(), { value: undefined, done: true });
  assert.deepEqual(await next, { value: undefined, done: true });
  await until(() => store.underWay === 0);
  assert.deepEqual(await stream.next(), { value: undefined, done: true });
});

test("a signal ends a stream with its reason; a failure with its error", async () => {
  const { array, store } = await opened();
  const controller = new AbortController();
  const read = async (options) => {
    for await (const part of array.stream(null, options)) {
      assert.ok(part.data.length > 0);
      store.delay = 10_000;
      controller.abort(new Error("enough"));
    }
  };
  await assert.rejects(read({ signal: controller.signal }), { message: "enough" });
  store.delay = 0;
  const thrown = new Error("broken disk");
  store.get = async () => {
    throw thrown;
  };
  await assert.rejects(read({}), (error) => error === thrown);
});

test("prefetch sends the requests of a read, and reports progress", async () => {
  const { array, store } = await opened();
  const before = store.asked.length;
  const reports = [];
  const done = await array.prefetch([zarr.slice(0, 250), null], {
    onProgress: (report) => reports.push(report),
  });
  assert.deepEqual(
    store.asked.slice(before).sort(),
    [0, 1, 2, 3, 4, 5].map((at) => `/c/0/${at}`),
  );
  assert.equal(done.chunks, 6);
  assert.equal(
    done.bytes,
    [0, 1, 2, 3, 4, 5].reduce((sum, at) => sum + files.get(`/c/0/${at}`).length, 0),
  );
  assert.deepEqual(reports.at(-1), done);
  store.delay = 10_000;
  const ended = array.prefetch(null, { signal: AbortSignal.timeout(30) });
  await assert.rejects(ended, { name: "TimeoutError" });
  assert.equal(distinct(store.asked) > 6, true);
});
