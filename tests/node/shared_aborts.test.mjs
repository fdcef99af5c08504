/**
 * Stores that honour the signal they are given: one caller's abort leaves the other callers alone,
 * in everything that callers share. And reads that are aborted late, or before their plan is made.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import * as zarr from "zarr-wasm";

const shard = { shape: [64, 64], chunkShape: [8, 8], shardShape: [64, 64], dtype: "uint16" };

async function written(options) {
  const files = new Map();
  const array = await zarr.create(files, options);
  const elements = new Uint16Array(64 * 64).map((_, at) => at);
  await array.set(null, elements);
  return { files, elements };
}

const cut = (bytes, range) =>
  "suffixLength" in range
    ? bytes.slice(-range.suffixLength)
    : bytes.slice(range.offset, range.offset + range.length);

/** How a store ends a call whose signal fires. */
const ENDINGS = {
  throws: (signal) => Promise.reject(signal.reason),
  "throws its own": () => Promise.reject(new Error("gave up")),
  "returns nothing": () => Promise.resolve(undefined),
};

/** A store that waits before it answers, and honours signals. */
class Patient {
  /** The signals of the calls under way. */
  asked = [];
  #gate = new Promise((resolve) => {
    this.open = resolve;
  });
  #waiters = [];
  constructor(files, hasRanges, ending, holds) {
    this.files = files;
    this.ending = ending;
    this.holds = holds;
    if (hasRanges) this.getRange = (key, range, options) => this.#answer(key, range, options);
  }
  get(key, options) {
    return this.#answer(key, undefined, options);
  }
  #answer(key, range, { signal } = {}) {
    const bytes = this.files.get(key);
    const answer = () => bytes && (range ? cut(bytes, range) : bytes.slice());
    if (!this.holds(key)) return Promise.resolve(answer());
    this.asked.push(signal);
    for (const wake of this.#waiters.splice(0)) wake();
    return new Promise((resolve, reject) => {
      const leave = () => this.ending(signal).then(resolve, reject);
      if (signal?.aborted) return leave();
      signal?.addEventListener("abort", leave, { once: true });
      this.#gate.then(() => resolve(answer()));
    });
  }
  /** Resolves when there have been so many calls. */
  async calls(count) {
    while (this.asked.length < count) await new Promise((resolve) => this.#waiters.push(resolve));
  }
}

/** Resolves when the engine on this thread has taken what was posted to it. */
const turns = async () => {
  for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
};

const isChunk = (key) => key.startsWith("/c/");
const reads = (array) => [
  (signal) => array.get([zarr.slice(0, 8), null], { signal }),
  (signal) => array.get([zarr.slice(8, 16), null], { signal }),
];

for (const engine of ["caller", "worker"]) {
  for (const hasRanges of [true, false]) {
    for (const [how, ending] of Object.entries(ENDINGS)) {
      for (const leaving of ["first", "second", "both"]) {
        test(`the index of a shard, engine on ${engine}, ${hasRanges ? "with" : "without"} getRange, the store ${how}: ${leaving} aborts`, async (t) => {
          zarr.dispose();
          await zarr.init({ engine });
          t.after(() => zarr.dispose());
          const { files, elements } = await written(shard);
          const store = new Patient(files, hasRanges, ending, isChunk);
          const array = await zarr.open(store, { kind: "array" });
          const callers = reads(array).map((read) => {
            const controller = new AbortController();
            return { controller, done: read(controller.signal) };
          });
          await store.calls(1);
          await turns();
          assert.equal(store.asked.length, 1, "the callers share the index");
          assert.equal(store.asked[0], callers[0].controller.signal, "the caller's own signal object");
          const aborted = callers.filter(
            (_, at) => leaving === "both" || at === ["first", "second"].indexOf(leaving),
          );
          const reason = new Error("no longer needed");
          for (const { controller } of aborted) controller.abort(reason);
          for (const { done } of aborted) await assert.rejects(done, (error) => error === reason);
          store.open();
          for (const [at, { done }] of callers.entries()) {
            if (aborted.includes(callers[at])) continue;
            const { data } = await done;
            assert.deepEqual(data, elements.slice(at * 8 * 64, (at + 1) * 8 * 64));
          }
          if (leaving === "first") assert.equal(store.asked[1], callers[1].controller.signal);
        });
      }
    }
  }
}

test("a caller that had aborted before is no part of it", async () => {
  const { files, elements } = await written(shard);
  const store = new Patient(files, true, ENDINGS.throws, isChunk);
  const array = await zarr.open(store, { kind: "array" });
  const [first, second] = reads(array);
  const reason = new Error("before");
  await assert.rejects(first(AbortSignal.abort(reason)), (error) => error === reason);
  const done = second(new AbortController().signal);
  store.open();
  assert.deepEqual((await done).data, elements.slice(8 * 64, 16 * 64));
});

test("a store's own failure reaches all callers, and is not asked for again", async () => {
  const { files } = await written(shard);
  let asked = 0;
  const getRange = async (key, range) => {
    asked += 1;
    throw new Error(`no ${key} ${JSON.stringify(range)}`);
  };
  const array = await zarr.open({ get: async (key) => files.get(key), getRange }, { kind: "array" });
  const done = reads(array).map((read) => read(new AbortController().signal));
  for (const each of await Promise.allSettled(done)) assert.match(each.reason.message, /no \/c\/0\/0/);
  assert.equal(asked, 1);
});

const hierarchy = async () => {
  const files = new Map();
  await zarr.create(files);
  await zarr.create(files, { ...shard, path: "a" });
  await zarr.consolidate(files);
  return files;
};

/** Two callers that ask for the same document at once. */
const OPENINGS = {
  metadata: (store, signal) => zarr.open(store, { path: "a", kind: "array", signal }),
  children: async (store, signal) => {
    const found = [];
    for await (const child of (await zarr.open(store, { kind: "group", signal })).children({ signal }))
      found.push(child);
    return found;
  },
};

for (const [name, open] of Object.entries(OPENINGS)) {
  for (const leaving of [0, 1]) {
    test(`${name}, opened twice: caller ${leaving + 1} aborts`, async () => {
      const files = await hierarchy();
      const store = new Patient(files, true, ENDINGS.throws, (key) => key.endsWith("zarr.json"));
      store.list = () => [...files.keys()];
      const controllers = [new AbortController(), new AbortController()];
      const done = controllers.map(({ signal }) => open(store, signal));
      await store.calls(1);
      const reason = new Error("left");
      controllers[leaving].abort(reason);
      await assert.rejects(done[leaving], (error) => error === reason);
      store.open();
      await done[1 - leaving];
    });
  }
}

for (const leaving of [0, 1]) {
  test(`an archive: caller ${leaving + 1} aborts while its directory is read`, async () => {
    const writer = new zarr.ZipWriter();
    const array = await zarr.create(writer, { shape: [4], chunkShape: [4], dtype: "uint8" });
    await array.set(null, new Uint8Array([1, 2, 3, 4]));
    const bytes = new Uint8Array(await (await writer.toBlob()).arrayBuffer());
    let open;
    const gate = new Promise((resolve) => {
      open = resolve;
    });
    let called;
    const begun = new Promise((resolve) => {
      called = resolve;
    });
    const reader = {
      getLength: async () => bytes.length,
      async read(offset, length) {
        called();
        await gate;
        return bytes.slice(offset, offset + length);
      },
    };
    const store = new zarr.ZipFileStore(reader);
    const controllers = [new AbortController(), new AbortController()];
    const done = controllers.map(({ signal }) => zarr.open(store, { kind: "array", signal }));
    await begun;
    controllers[leaving].abort();
    await assert.rejects(done[leaving], { name: "AbortError" });
    open();
    assert.deepEqual([...(await (await done[1 - leaving]).get()).data], [1, 2, 3, 4]);
  });
}

test("a read of 2×10^9 chunks plans step by step, and an abort acts at once", async (t) => {
  for (const engine of ["caller", "worker"]) {
    zarr.dispose();
    await zarr.init({ engine });
    t.after(() => zarr.dispose());
    const files = new Map();
    await zarr.create(files, { shape: [2_000_000_000], chunkShape: [1], dtype: "uint8", codecs: [] });
    let asked = 0;
    let turned = 0;
    let first;
    const begun = new Promise((resolve) => {
      first = resolve;
    });
    const store = {
      async get(key) {
        if (!isChunk(key)) return files.get(key);
        asked += 1;
        first();
        return undefined;
      },
    };
    const array = await zarr.open(store, { kind: "array" });
    const controller = new AbortController();
    const done = array.get(null, { signal: controller.signal });
    await begun;
    const before = asked;
    setImmediate(() => {
      turned = asked;
      controller.abort();
    });
    await assert.rejects(done, { name: "AbortError" });
    assert.ok(turned > 0, "the event loop turned");
    assert.ok(asked < before + 100_000, `${asked} chunks were asked for`);
  }
});

for (const dtype of ["string", "bytes"]) {
  test(`a read of ${dtype} rejects when its signal fires while the elements are converted`, async () => {
    const files = new Map();
    const count = 200_000;
    const array = await zarr.create(files, { shape: [count], chunkShape: [count], dtype });
    const value = dtype === "string" ? "é" : new Uint8Array([1, 2]);
    await array.set(null, new Array(count).fill(value));
    const controller = new AbortController();
    // The progress of the last part comes before the answer.
    const onProgress = ({ parts }) => {
      if (parts === 1) setImmediate(() => queueMicrotask(() => controller.abort()));
    };
    const done = array.get(null, { signal: controller.signal, onProgress });
    const settled = await done.then(
      () => controller.signal.aborted,
      (error) => error.name,
    );
    assert.notEqual(settled, true, "it resolved although its signal had been aborted");
  });
}
