/** Forms that bend the rules: fixtures of the writers that left them behind are read, each with one warning of its own. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import * as zarr from "zarr-wasm";
import { FileSystemStore } from "zarr-wasm/node";
import { FIXTURES } from "./fixture_files.mjs";

/** By fixture: arrays that need no warning, and what that of the others says; the null of v3 has a warning elsewhere. */
const FORMS = [
  { fixture: "edited/text-fills-v2", as: /text/, without: ["f4-6"] },
  { fixture: "edited/bent-fills-v3", as: /number|integer/, without: [] },
  { fixture: "gdal-3.8/without-bytes-v3", as: /little-endian/, without: ["big", "big-fortran-gzip"] },
  { fixture: "gdal-3.10/without-bytes-v3", as: /little-endian/, without: ["big", "big-fortran-gzip"] },
  { fixture: "zarrita-0.7/create-v3", as: /little-endian/, without: [] },
];

for (const { fixture, as, without } of FORMS) {
  test(`${fixture} is read with a warning`, async () => {
    const root = await zarr.open(new FileSystemStore(join(FIXTURES, fixture, "store")), { kind: "group" });
    const silent = [];
    for await (const array of root.children()) {
      const warnings = array.warnings.filter((warning) => !/null/.test(warning));
      if (warnings.length === 0) silent.push(array.path.slice(1));
      else assert.ok(warnings.length === 1 && as.test(warnings[0]), `${array.path}: ${warnings}`);
      assert.ok((await array.get()).data.length > 0);
    }
    assert.deepEqual(silent.sort(), without);
  });
}

test("what was read without codecs is written with them", async () => {
  const source = new FileSystemStore(join(FIXTURES, "zarrita-0.7/create-v3/store"));
  const copied = await zarr.copy(await zarr.open(source, { path: "int16", kind: "array" }), new Map());
  assert.deepEqual(
    copied.codecs.map(({ name }) => name),
    ["bytes"],
  );
  assert.deepEqual(copied.warnings, []);
});

test("create warns of rectilinear grids, which zarr-python refuses, and of no others", async () => {
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
