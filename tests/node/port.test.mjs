/** The contract of the port, with the engine on the caller's thread and in a worker thread. */
import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import * as zarr from "zarr-wasm";
import { CONTRACT } from "../port/contract.mjs";

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

after(() => zarr.dispose());
