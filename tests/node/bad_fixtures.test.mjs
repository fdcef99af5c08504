/** Every store that must be refused: at which call, with which code, and with which message. */
import assert from "node:assert/strict";
import { test } from "node:test";
import * as zarr from "zarr-wasm";
import { FileSystemStore } from "zarr-wasm/fs";
import { badCases } from "./fixture_files.mjs";

for (const { name, store: folder, expected } of badCases()) {
  test(name, async () => {
    const opening = zarr.open(new FileSystemStore(folder), { path: expected.path });
    if (expected.when === "read") await opening;
    const failing = expected.when === "open" ? opening : opening.then((array) => array.get());
    await assert.rejects(failing, (error) => {
      assert.ok(error instanceof zarr.ZarrError, `not one of ours: ${error?.stack}`);
      assert.ok(expected.code.split("|").includes(error.code), `code ${error.code}: ${error.message}`);
      for (const word of expected.mentions)
        assert.ok(error.message.includes(word), `"${word}" in: ${error.message}`);
      return true;
    });
  });
}
