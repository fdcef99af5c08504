/**
 * Traps of the engine on the caller's thread: reads are repeated once, writes reject, and later
 * calls work.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { importSource } from "./bundled.mjs";
import { madeStore } from "./made_stores.mjs";

/** Both builds with a `poll` that traps if `globalThis.trapNextPoll` is set. */
const zarr = await importSource("package/entry/index.ts", {
  source: "inline",
  glue: `
    const { poll } = glue;
    glue.poll = (task) => {
      if (globalThis.trapNextPoll?.()) throw new WebAssembly.RuntimeError("unreachable");
      poll(task);
    };`,
});

/** Traps so many polls. */
function trapTimes(times) {
  let left = times;
  globalThis.trapNextPoll = () => {
    left -= 1;
    if (left === 0) globalThis.trapNextPoll = undefined;
    return true;
  };
}

const description = { shape: [4], chunks: [2], dtype: "uint8", attributes: { nan: "x" } };
const isInternal = (error) => error instanceof zarr.ZarrError && /internal error/.test(error.message);
const turn = () => new Promise((resolve) => setTimeout(resolve, 1));

test("after a trap pending reads are repeated, and the same objects work", async () => {
  const store = madeStore(description, ([i]) => i);
  const array = await zarr.open(store, { kind: "array" });
  assert.deepEqual([...(await array.get()).data], [0, 1, 2, 3]);

  const answers = [];
  const silent = { get: () => new Promise((resolve) => answers.push(resolve)) };
  const waiting = zarr.open(silent, { kind: "group" });
  while (answers.length === 0) await turn();
  const asked = answers.length;

  trapTimes(1);
  assert.equal((await zarr.open(store)).kind, "array");
  assert.equal(zarr.info().panics, 1);
  while (answers.length === asked) await turn();

  // An answer for the old instance has no effect.
  for (const answer of answers.slice(0, asked)) answer(undefined);
  assert.deepEqual([...(await array.get()).data], [0, 1, 2, 3]);
  const group = new TextEncoder().encode('{"zarr_format":3,"node_type":"group"}');
  for (const answer of answers.slice(asked)) answer(group);
  assert.equal((await waiting).kind, "group");
});

test("a read that traps twice rejects, and the next call works", async () => {
  const store = madeStore(description, ([i]) => i);
  const array = await zarr.open(store, { kind: "array" });
  const before = zarr.info().panics;
  trapTimes(2);
  const error = await array.get().catch((reason) => reason);
  assert.ok(isInternal(error), String(error));
  assert.equal(error.code, "Unsupported");
  assert.equal(zarr.info().panics, before + 2);
  assert.deepEqual([...(await array.get()).data], [0, 1, 2, 3]);
});

test("an aborted call is not repeated, and its signal has no later effect", async () => {
  const store = madeStore(description, ([i]) => i);
  const array = await zarr.open(store, { kind: "array" });
  const controller = new AbortController();
  trapTimes(1);
  const reading = array.get(null, { signal: controller.signal });
  controller.abort();
  await assert.rejects(reading, { name: "AbortError" });
  globalThis.trapNextPoll = undefined;
  assert.deepEqual([...(await array.get()).data], [0, 1, 2, 3]);
});

test("a write during a trap rejects and is not repeated", async () => {
  const store = new Map();
  const array = await zarr.create(store, { shape: [4], chunkShape: [2], dtype: "uint8", codecs: [] });
  await array.set(null, [1, 2, 3, 4]);
  trapTimes(1);
  const error = await array.set(null, [5, 6, 7, 8]).catch((reason) => reason);
  assert.ok(isInternal(error), String(error));
  assert.deepEqual([...(await array.get()).data], [1, 2, 3, 4]);
  await array.set(null, [5, 6, 7, 8]);
  assert.deepEqual([...(await array.get()).data], [5, 6, 7, 8]);
});

test("stores in others, and their arrays, are the same after a trap", async () => {
  const store = new Map();
  const root = await zarr.create(store);
  const made = await zarr.create(root.resolve("a"), { shape: [4], chunkShape: [2], dtype: "uint8" });
  await made.set(null, [1, 2, 3, 4]);
  await zarr.consolidate(root);
  const listed = await zarr.withConsolidatedMetadata(store);
  const array = await zarr.open(listed, { path: "a", kind: "array" });
  assert.deepEqual([...(await array.get()).data], [1, 2, 3, 4]);
  trapTimes(1);
  assert.deepEqual([...(await made.get()).data], [1, 2, 3, 4]);
  assert.deepEqual([...(await array.get()).data], [1, 2, 3, 4]);
  assert.equal((await zarr.open(listed, { path: "a" })).kind, "array");
  await array.append([5]);
  assert.deepEqual([...(await array.get()).data], [1, 2, 3, 4, 5]);
});
