/** What happens when the engine traps on the caller's thread: everything pending ends, and everything goes on. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { importSource } from "./bundled.mjs";
import { madeStore } from "./made_stores.mjs";

/** The engine with a `poll` that traps when `globalThis.trapNextPoll` says so. */
const zarr = await importSource("entry/index.ts", {
  source: "inline",
  glue: `
    export function poll(task) {
      if (globalThis.trapNextPoll?.()) throw new WebAssembly.RuntimeError("unreachable");
      real.poll(task);
    }`,
});

function trapOnce() {
  globalThis.trapNextPoll = () => {
    globalThis.trapNextPoll = undefined;
    return true;
  };
}

const description = { shape: [4], chunks: [2], dtype: "uint8", attributes: { nan: "x" } };
const isInternal = (error) => error instanceof zarr.ZarrError && /internal error/.test(error.message);

test("a trap rejects every pending call, and the same objects work again", async () => {
  const store = madeStore(description, ([i]) => i);
  const array = await zarr.open(store, { kind: "array" });
  assert.deepEqual([...(await array.get()).data], [0, 1, 2, 3]);

  let answer;
  const silent = { get: () => new Promise((resolve) => (answer = resolve)) };
  const waiting = zarr.open(silent);
  const reading = array.get();
  while (!answer) await new Promise((resolve) => setTimeout(resolve, 1));

  trapOnce();
  const trapped = zarr.open(store);
  const outcomes = await Promise.allSettled([waiting, trapped]);
  for (const { status, reason } of outcomes) {
    assert.equal(status, "rejected");
    assert.ok(isInternal(reason), String(reason));
  }
  await reading.catch((error) => assert.ok(isInternal(error)));
  assert.equal(zarr.info().panics, 1);

  // An answer for the instance that is gone reaches nobody, and harms nobody.
  answer(undefined);
  assert.deepEqual([...(await array.get()).data], [0, 1, 2, 3]);
  assert.equal((await zarr.open(store)).kind, "array");
});

test("signals of calls that a trap ended do nothing later", async () => {
  const store = madeStore(description, ([i]) => i);
  const array = await zarr.open(store, { kind: "array" });
  const controller = new AbortController();
  trapOnce();
  await assert.rejects(array.get(null, { signal: controller.signal }), isInternal);
  controller.abort();
  assert.deepEqual([...(await array.get()).data], [0, 1, 2, 3]);
});
