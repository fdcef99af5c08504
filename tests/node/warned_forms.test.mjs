/**
 * Metadata forms that are read with a warning: how they are written, and the warnings of `create`.
 * The fixtures test reading them.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import * as zarr from "zarr-wasm";
import { FileSystemStore } from "zarr-wasm/fs";
import { FIXTURES } from "./fixture_files.mjs";

test("an array without codecs is written with them", async () => {
  const source = new FileSystemStore(join(FIXTURES, "zarrita-0.7/create-v3/store"));
  const copied = await zarr.copy(await zarr.open(source, { path: "int16", kind: "array" }), new Map());
  assert.deepEqual(
    copied.codecs.map(({ name }) => name),
    ["bytes"],
  );
  assert.deepEqual(copied.warnings, []);
});

test("create warns only about rectilinear grids, which zarr-python refuses", async () => {
  const heard = [];
  await zarr.init({ onWarning: (message) => heard.push(message) });
  try {
    const options = { shape: [6], dtype: "int16" };
    const array = await zarr.create(new Map(), { ...options, chunkShape: [[2, 4]] });
    assert.equal(array.warnings.length, 1);
    assert.match(array.warnings[0], /zarr-python.*consolidated/);
    assert.deepEqual(heard, [...array.warnings]);
    const regular = await zarr.create(new Map(), { ...options, chunkShape: [2] });
    assert.deepEqual(regular.warnings, []);
    assert.deepEqual((await zarr.open(array.store, { kind: "array" })).warnings, []);
  } finally {
    await zarr.init({ onWarning: () => {} });
  }
});
