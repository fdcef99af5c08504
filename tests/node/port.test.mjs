/** The contract of the port, with the engine on the caller's thread and in a worker thread. */
import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { Worker } from "node:worker_threads";
import * as zarr from "zarr-wasm";
import { CONTRACT } from "../support/port_contract.mjs";

const assertions = { zarr, equal: assert.strictEqual, same: assert.deepStrictEqual, ok: assert.ok };

for (const engine of ["caller", "worker"]) {
  describe(`the engine with ${engine === "caller" ? "the caller" : "a worker"}`, () => {
    test("info() has the place of the engine", async () => {
      zarr.dispose();
      await zarr.init({ engine });
      assert.equal(zarr.info().engine, engine === "caller" ? "caller" : "node");
    });
    for (const [name, holds] of Object.entries(CONTRACT)) test(name, () => holds(assertions));
  });
}

/** The operations that the page asks of an engine in a worker meanwhile. */
async function asked(action) {
  const calls = [];
  const { postMessage } = Worker.prototype;
  Worker.prototype.postMessage = function (messages, transfer) {
    for (const { type, operation } of [messages].flat()) if (type === "call") calls.push(operation);
    return postMessage.call(this, messages, transfer);
  };
  try {
    await action();
  } finally {
    Worker.prototype.postMessage = postMessage;
  }
  return calls;
}

test("a set asks the engine once, whatever the values are", async () => {
  zarr.dispose();
  await zarr.init({ engine: "worker" });
  const array = await zarr.create(new Map(), { shape: [2, 3], dtype: "int32" });
  const values = [
    [null, 1],
    [[0], [1, 2, 3]],
    [null, [1, 2, 3, 4, 5, 6]],
    [null, [[1], [2]]],
    [[zarr.slice(1)], { data: Int32Array.of(7, 8, 9), shape: [1, 3], stride: [3, 1] }],
  ];
  for (const [selection, value] of values)
    assert.deepEqual(await asked(() => array.set(selection, value)), ["write"]);
  assert.deepEqual([...(await array.get()).data], [7, 8, 9, 2, 2, 2]);
});

after(() => zarr.dispose());
