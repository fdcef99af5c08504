/**
 * The store of differences of two scenes in the viewer: the planes of levels that are coarser along
 * every axis.
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import * as zarr from "zarr-wasm";
import { ROOT } from "../../scripts/run_command.mjs";
import { madeStore } from "./made_stores.mjs";

/** Imports a file of the viewer, with the built package. */
async function viewerPart(file) {
  const folder = mkdtempSync(join(tmpdir(), "zarr-wasm-viewer-"));
  try {
    const outfile = join(folder, "part.mjs");
    const path = pathToFileURL(join(ROOT, "dist/index.js")).href;
    const setup = ({ onResolve }) => onResolve({ filter: /^zarr-wasm$/ }, () => ({ path, external: true }));
    await build({
      entryPoints: [join(ROOT, "www/src", file)],
      bundle: true,
      format: "esm",
      outfile,
      logLevel: "error",
      plugins: [{ name: "built-package", setup }],
    });
    return await import(pathToFileURL(outfile).href);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const encode = (document) => new TextEncoder().encode(JSON.stringify(document));

/** A scene of levels with 8, 4 and 2 planes. The elements of a plane of a level have one value. */
async function sceneOf(planeValue) {
  const axes = ["z", "y", "x"].map((name) => ({ name, type: "space" }));
  const datasets = [0, 1, 2].map((level) => ({
    path: String(level),
    coordinateTransformations: [{ type: "scale", scale: [2 ** level, 2 ** level, 2 ** level] }],
  }));
  const attributes = { ome: { version: "0.5", multiscales: [{ axes, datasets }] } };
  const store = new Map([["/zarr.json", encode({ zarr_format: 3, node_type: "group", attributes })]]);
  for (const level of [0, 1, 2]) {
    const [depth, side] = [8 >> level, 32 >> level];
    const names = ["z", "y", "x"];
    const description = { shape: [depth, side, side], chunks: [1, side, side], dtype: "uint8", names };
    madeStore(description, ([z]) => planeValue(level, z), { path: String(level), store });
  }
  const pyramid = await zarr.pyramid(await zarr.open(store, { kind: "group" }));
  const shape = pyramid.levels[0].shape;
  const sceneAxes = pyramid.axes.map((axis, at) => ({ ...axis, axis: at, length: shape[at], start: 0 }));
  return { pyramid, plane: pyramid.plane, axes: sceneAxes };
}

test("a plane of a coarser level is subtracted from the same plane", async () => {
  const { DifferenceStore } = await viewerPart("tools/linked/difference_store.ts");
  const first = await sceneOf((level, z) => 100 * level + 10 * z + 5);
  const second = await sceneOf((level, z) => 100 * level + 10 * z);
  const at = { z: 0, y: 0, x: 0 };
  const store = new DifferenceStore({ first, second, at, own: [] }, []);
  for (const level of [0, 1, 2]) {
    for (let z = 0; z < 8 >> level; z += 1) {
      const bytes = await store.get(`/${level}/values/c/${z}/0/0`);
      assert.equal(new Float64Array(bytes.buffer)[0], 5, `level ${level}, plane ${z}`);
    }
  }
});
