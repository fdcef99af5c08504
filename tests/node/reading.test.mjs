/** Reads with workers, users' stores, classes of results, and progress. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import * as zarr from "zarr-wasm";
import { pause, until } from "../support/waiting.mjs";
import { elements } from "./fixture_files.mjs";
import { madeStore } from "./made_stores.mjs";

const BIG = { shape: [640, 512], chunks: [64, 128], dtype: "float64", gzip: true };
const bigValue = ([i, j]) => i * 1000 + j;
const bigStore = madeStore(BIG, bigValue);

/** Checks every element in a fast loop. */
function checkBig(data, [rows, columns]) {
  let place = 0;
  for (const i of rows) {
    for (const j of columns) {
      if (data[place] !== bigValue([i, j])) assert.fail(`element ${place} is ${data[place]}`);
      place += 1;
    }
  }
  assert.equal(data.length, place);
}

const upTo = (end, start = 0) => Array.from({ length: end - start }, (_, at) => start + at);

test("before a worker has started, a small read is decoded on this thread, and a worker starts", async () => {
  const array = await zarr.open(bigStore, { kind: "array" });
  // 256 KiB, more than is always decoded here.
  const { data } = await array.get([zarr.slice(0, 128), zarr.slice(0, 256)]);
  checkBig(data, [upTo(128), upTo(256)]);
  const { parts } = zarr.info();
  assert.deepEqual(parts, { workers: 0, caller: 1 });
  await until(() => zarr.info().workers > 0);
  await array.get([zarr.slice(128, 256), zarr.slice(0, 256)]);
  assert.equal(zarr.info().parts.workers, 1);
});

test("workers decode a large read, this thread a small one", async () => {
  const array = await zarr.open(bigStore, { kind: "array" });
  const before = zarr.info().parts;
  await array.get([0, zarr.slice(0, 4)]);
  assert.equal(zarr.info().parts.workers, before.workers);
  const { data, shape } = await array.get();
  assert.deepEqual(shape, [640, 512]);
  checkBig(data, [upTo(640), upTo(512)]);
  const after = zarr.info();
  assert.ok(after.parts.workers > before.workers, JSON.stringify(after));
  assert.equal(after.decoder, "node");
  assert.ok(after.workers >= 1);
});

test("parts across chunks are placed", async () => {
  const array = await zarr.open(bigStore, { kind: "array" });
  const { data } = await array.get([zarr.slice(10, 630), zarr.slice(100, 400)]);
  checkBig(data, [upTo(630, 10), upTo(400, 100)]);
});

test("many concurrent reads", async () => {
  const array = await zarr.open(bigStore, { kind: "array" });
  const reads = upTo(20).map((i) => array.get([zarr.slice(i * 30, i * 30 + 60)], { priority: i % 3 }));
  for (const [i, { data }] of (await Promise.all(reads)).entries()) {
    checkBig(data, [upTo(Math.min(640, i * 30 + 60), i * 30), upTo(512)]);
  }
});

test("reading does not change or detach the user's buffers", async () => {
  const raw = madeStore({ ...BIG, gzip: false }, bigValue);
  const array = await zarr.open(raw, { kind: "array" });
  for (let round = 0; round < 2; round += 1) checkBig((await array.get()).data, [upTo(640), upTo(512)]);
  for (const bytes of raw.values()) assert.notEqual(bytes.buffer.byteLength, 0, "transferred away");
});

test("progress ends with everything", async () => {
  const array = await zarr.open(bigStore, { kind: "array" });
  const heard = [];
  await array.get(null, { onProgress: (progress) => heard.push(progress) });
  const last = heard.at(-1);
  assert.equal(last.chunks, 40);
  assert.equal(last.parts, last.totalParts);
  const stored = [...bigStore].filter(([key]) => key.startsWith("/c/")).map(([, { length }]) => length);
  assert.equal(
    last.bytes,
    stored.reduce((sum, length) => sum + length, 0),
  );
});

/** Stores whose answers differ from those of a `Map`. */
const STORES = {
  "a promise": (store) => ({ get: async (key) => store.get(key) }),
  "an ArrayBuffer": (store) => ({ get: (key) => store.get(key)?.slice().buffer }),
  "a view into a larger buffer": (store) => ({
    get(key) {
      const bytes = store.get(key);
      if (!bytes) return undefined;
      const larger = new Uint8Array(bytes.length + 7).fill(255);
      larger.set(bytes, 3);
      return larger.subarray(3, 3 + bytes.length);
    },
  }),
  "a Buffer": (store) => ({ get: (key) => store.get(key) && Buffer.from(store.get(key)) }),
  null: (store) => ({ get: (key) => store.get(key) ?? null }),
};

for (const [what, wrap] of Object.entries(STORES)) {
  test(`a store may return ${what}`, async () => {
    const description = { shape: [4, 6], chunks: [2, 3], dtype: "uint16", gzip: true, fill: 9 };
    const store = madeStore(description, ([i, j]) => i * 6 + j, { has: ([i]) => i === 0 });
    const array = await zarr.open(wrap(store), { kind: "array" });
    assert.deepEqual([...(await array.get()).data], [...upTo(12), ...new Array(12).fill(9)]);
  });
}

test("a store's methods get the right `this`, a leading slash and the caller's signal", async () => {
  const inner = madeStore({ shape: [2], chunks: [2], dtype: "uint8" }, ([i]) => i, { path: "deep/er" });
  const calls = [];
  const store = {
    get(key, options) {
      assert.equal(this, store);
      calls.push([key, options.signal]);
      return inner.get(key);
    },
  };
  const { signal } = new AbortController();
  const array = await zarr.open(zarr.root(store).resolve("deep/er"), { kind: "array", signal });
  await zarr.get(array, null, { signal });
  assert.ok(calls.every(([, given]) => given === signal));
  assert.deepEqual(new Set(calls.map(([key]) => key)).has("/deep/er/c/0"), true);
  assert.equal(calls.filter(([key]) => key === "/deep/er/c/0").length, 1);
});

test("each data type has its class", async () => {
  const one = async (dtype, value, fill = 0) =>
    zarr.open(
      madeStore({ shape: [2], chunks: [2], dtype, fill }, () => value),
      { kind: "array" },
    );
  const bool = await one("bool", 1, false);
  assert.deepEqual((await bool.get()).data, Uint8Array.of(1, 1));
  const wrapped = (await zarr.get(bool)).data;
  assert.ok(wrapped instanceof zarr.BoolArray);
  assert.deepEqual([...wrapped], [true, true]);
  assert.equal(await zarr.get(bool, [0]), true);
  const long = await one("int64", -(2n ** 62n));
  assert.deepEqual((await long.get()).data, BigInt64Array.of(-(2n ** 62n), -(2n ** 62n)));
  assert.equal(await zarr.get(long, [1]), -(2n ** 62n));
  const half = await one("float16", 0x3555);
  const { data } = await half.get();
  assert.equal(data.constructor.name, "Float16Array" in globalThis ? "Float16Array" : "Float32Array");
  assert.equal(data[0], elements("float16", Buffer.from([0x55, 0x35]).toString("base64"))[0]);
});

test("fill values are exact", async () => {
  const text = JSON.stringify({
    zarr_format: 3,
    node_type: "array",
    shape: [1],
    data_type: "uint64",
    chunk_grid: { name: "regular", configuration: { chunk_shape: [1] } },
    chunk_key_encoding: { name: "default" },
    codecs: [{ name: "bytes", configuration: { endian: "little" } }],
    fill_value: 0,
  }).replace('"fill_value":0', '"fill_value":18446744073709551615');
  const store = new Map([["/zarr.json", new TextEncoder().encode(text)]]);
  const array = await zarr.open(store, { kind: "array" });
  assert.equal(array.fillValue, 2n ** 64n - 1n);
  assert.equal((await array.get()).data[0], 2n ** 64n - 1n);
});

test("shapes beyond 2^53 are exact as bigints", async () => {
  const store = madeStore({ shape: [1], chunks: [1], dtype: "uint8" }, () => 5);
  const text = new TextDecoder().decode(store.get("/zarr.json"));
  store.set(
    "/zarr.json",
    new TextEncoder().encode(text.replace('"shape":[1]', '"shape":[9223372036854775807]')),
  );
  const array = await zarr.open(store, { kind: "array" });
  assert.deepEqual(array.shape64, [2n ** 63n - 1n]);
  assert.deepEqual([...(await array.get([0])).data], [5]);
  assert.deepEqual((await array.get([{ start: 2n ** 62n, stop: 2n ** 62n + 2n }])).shape, [2]);
  await assert.rejects(array.get(), { code: "Limit" });
});

test("shared memory on request", async () => {
  const array = await zarr.open(bigStore, { kind: "array" });
  const { data } = await zarr.get(array, [zarr.slice(0, 64)], { useSharedArrayBuffer: true });
  assert.ok(data.buffer instanceof SharedArrayBuffer);
  checkBig(data, [upTo(64), upTo(512)]);
});

test("a store without other references lives as long as its read", async () => {
  const inner = madeStore({ shape: [3], chunks: [3], dtype: "uint8" }, ([i]) => i + 1);
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc");
  const slow = () => ({
    async get(key) {
      await pause(5);
      collect();
      return inner.get(key);
    },
  });
  const { data } = await zarr.open(slow(), { kind: "array" }).then((array) => array.get());
  assert.deepEqual([...data], [1, 2, 3]);
});
