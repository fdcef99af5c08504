/** An aborted call rejects at once with the signal's reason, and its requests are cancelled. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout } from "node:timers/promises";
import * as zarr from "zarr-wasm";
import { serve } from "../../scripts/serve.mjs";
import { FIXTURES } from "./fixture_files.mjs";
import { madeStore } from "./made_stores.mjs";

const description = { shape: [4], chunks: [2], dtype: "uint8" };
const STORE = "zarr-python-3/root-array-v3/store";

/** A server that does not answer requests for chunks, and records when they are closed. */
let server;
let hangs = false;
let arrived;
let closed;

before(async () => {
  const intercept = (request, response) => {
    if (!hangs || !/\/c(\/|$)/.test(request.url)) return false;
    arrived.resolve();
    response.on("close", () => closed.resolve());
    return true;
  };
  server = await serve({ "/": FIXTURES }, { data: ["/"], intercept });
});
after(() => server.close());

const deferred = () => {
  const box = {};
  box.promise = new Promise((resolve) => {
    box.resolve = resolve;
  });
  return box;
};

test("an abort before the call: the store gets no request", async () => {
  const store = { get: () => assert.fail("asked") };
  const reason = new Error("not any more");
  await assert.rejects(zarr.open(store, { signal: AbortSignal.abort(reason) }), (error) => error === reason);
});

test("an abort while the store does not answer", async () => {
  const inner = madeStore(description, ([i]) => i);
  const asked = deferred();
  const store = {
    get(key) {
      if (!key.startsWith("/c/")) return inner.get(key);
      asked.resolve();
      return new Promise(() => {});
    },
  };
  const array = await zarr.open(store, { kind: "array" });
  const controller = new AbortController();
  const reading = array.get(null, { signal: controller.signal });
  await asked.promise;
  controller.abort();
  await assert.rejects(reading, { name: "AbortError" });
});

test("an abort from within a call of the store", async () => {
  const inner = madeStore(description, ([i]) => i);
  const controller = new AbortController();
  const store = {
    get(key) {
      if (key.startsWith("/c/")) controller.abort("from within");
      return inner.get(key);
    },
  };
  const array = await zarr.open(store, { kind: "array" });
  await assert.rejects(array.get(null, { signal: controller.signal }), (reason) => reason === "from within");
  assert.deepEqual([...(await (await zarr.open(inner)).get()).data], [0, 1, 2, 3]);
});

test("an abort closes the requests", async () => {
  const array = await zarr.open(`${server.url}/${STORE}`, { kind: "array" });
  [hangs, arrived, closed] = [true, deferred(), deferred()];
  const controller = new AbortController();
  const reading = array.get(null, { signal: controller.signal });
  await arrived.promise;
  controller.abort();
  await assert.rejects(reading, { name: "AbortError" });
  await closed.promise;
  hangs = false;
  assert.ok((await array.get()).data.length > 0);
});

test("one caller's abort does not affect other callers", async () => {
  const store = madeStore(
    { shape: [300, 300], chunks: [100, 100], dtype: "float64", gzip: true },
    ([i, j]) => i + j,
  );
  const array = await zarr.open({ get: async (key) => store.get(key) }, { kind: "array" });
  const controller = new AbortController();
  const aborted = array.get(null, { signal: controller.signal });
  const other = array.get();
  controller.abort();
  await assert.rejects(aborted, { name: "AbortError" });
  const { data } = await other;
  assert.equal(data[299 * 300 + 299], 598);
});

test("the signal in zarrita's deprecated option", async () => {
  const array = await zarr.open(
    madeStore(description, ([i]) => i),
    { kind: "array" },
  );
  const signal = AbortSignal.abort("old place");
  await assert.rejects(zarr.get(array, null, { opts: { signal } }), (reason) => reason === "old place");
});

test("the caller's memory is not written after an abort", async (t) => {
  const store = madeStore(
    { shape: [2048, 2048], chunks: [256, 2048], dtype: "uint16", gzip: true },
    ([i, j]) => ((i * 31 + j) % 65535) + 1,
  );
  t.after(() => zarr.init({ workers: undefined }));
  for (const workers of [0, 2]) {
    await zarr.init({ workers });
    const array = await zarr.open(store, { kind: "array" });
    const out = new Uint16Array(2048 * 2048);
    const controller = new AbortController();
    const onProgress = ({ parts }) => parts > 0 && controller.abort();
    const reading = array.get(null, { out, onProgress, signal: controller.signal });
    await assert.rejects(reading, { name: "AbortError" });
    assert.ok(out.includes(0), "it was given up before its end");
    out.fill(0);
    await setTimeout(400);
    assert.ok(!out.some((value) => value !== 0), `${workers} workers`);
  }
});

test("a user's store gets the read's signal with every range of a shard, merged or not", async () => {
  const files = new Map();
  const options = { shape: [1024, 1024], chunkShape: [128, 128], shardShape: [1024, 1024], dtype: "uint16" };
  const made = await zarr.create(files, { ...options, codecs: [] });
  await made.set(null, new Uint16Array(1024 * 1024).fill(7));
  const signals = [];
  const part = (key, range) => {
    const bytes = files.get(key);
    if (!bytes) return undefined;
    if ("suffixLength" in range) return bytes.slice(-range.suffixLength);
    return bytes.slice(range.offset, range.offset + range.length);
  };
  const store = {
    get: async (key) => files.get(key),
    getRange: async (key, range, asked) => {
      signals.push(asked?.signal);
      return part(key, range);
    },
  };
  const array = await zarr.open(store, { kind: "array" });
  const { signal } = new AbortController();
  const { data } = await array.get([zarr.slice(0, 256), zarr.slice(0, 700)], { signal });
  assert.ok(data.every((value) => value === 7));
  assert.ok(signals.length >= 2);
  assert.ok(signals.every((asked) => asked === signal));
});
