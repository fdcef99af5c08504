/** What the viewer's panel "Insight" knows of the chunks in view, against the stores' bytes. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import * as zarr from "zarr-wasm";
import { ROOT } from "../../scripts/run_command.mjs";
import { madeStore, shardedStore } from "./made_stores.mjs";

const folder = mkdtempSync(join(tmpdir(), "zarr-wasm-insight-"));
after(() => rmSync(folder, { recursive: true, force: true }));

/** The viewer imports the package by its name, which is the built package here. */
const builtPackage = {
  name: "built-package",
  setup(build) {
    build.onResolve({ filter: /^zarr-wasm$/ }, () => ({
      path: pathToFileURL(join(ROOT, "dist/index.js")).href,
      external: true,
    }));
  },
};

async function part(name) {
  const outfile = join(folder, `${name}.mjs`);
  await build({
    entryPoints: [join(ROOT, "www/src/tools/insight", `${name}.ts`)],
    bundle: true,
    format: "esm",
    outfile,
    logLevel: "error",
    plugins: [builtPackage],
  });
  return import(pathToFileURL(outfile).href);
}

const { cellsInView } = await part("chunk_cells");
const { StoredFacts } = await part("stored_facts");
const { measuredCells } = await part("cell_colors");
const { plotsOf, plotText } = await part("plots");

/** The plane of the last two dimensions, at index 1 of the first. */
function sceneOf(array) {
  const axes = ["z", "y", "x"].map((role, axis) => ({ role, axis }));
  return { array, axes, plane: { x: 2, y: 1 }, channels: [], pyramid: { levels: [{ array }] }, places: [{}] };
}

/** A store that counts what it is asked for. */
function counted(files) {
  const asked = [];
  const size = async (key) => {
    asked.push(key);
    return files.get(key)?.length;
  };
  const getRange = async (key, { offset = 0, length, suffixLength }) => {
    asked.push(key);
    const bytes = files.get(key);
    return suffixLength ? bytes?.subarray(-suffixLength) : bytes?.subarray(offset, offset + length);
  };
  return { asked, store: { get: async (key) => files.get(key), getRange, size } };
}

const DESCRIPTION = { shape: [2, 10, 7], chunks: [1, 4, 4], dtype: "uint8", gzip: true };
const BOX = {
  level: 0,
  corners: [
    [1, 0, 0],
    [1, 9, 6],
  ],
};
const asking = (onFound = () => {}) => ({ signal: new AbortController().signal, onFound });

test("each chunk in view has the size of its file, or is missing, and is asked for once", async () => {
  const files = madeStore(DESCRIPTION, ([, y, x]) => y * x, { has: ([, y, x]) => y !== 1 || x !== 1 });
  const { asked, store } = counted(files);
  const scene = sceneOf(await zarr.open(store, { kind: "array" }));
  const facts = new StoredFacts();
  const few = cellsInView(scene, {
    level: 0,
    corners: [
      [1, 0, 0],
      [1, 5, 3],
    ],
  });
  assert.deepEqual(
    measuredCells(few, facts).map(({ bytes }) => bytes),
    [undefined, undefined],
  );
  let found = 0;
  await facts.ask(
    few,
    asking(() => (found += 1)),
  );
  assert.ok(found > 0);
  assert.deepEqual(asked.sort(), ["/c/1/0/0", "/c/1/1/0"]);
  const cells = cellsInView(scene, BOX);
  await facts.ask(cells, asking());
  assert.equal(asked.length, 6);
  assert.equal(new Set(asked).size, 6);
  assert.equal(cells.chunks.length, 6);
  for (const { cell, bytes } of measuredCells(cells, facts))
    assert.equal(bytes, files.get(`/c/${cell.index.join("/")}`)?.length ?? null, `${cell.index}`);
  await facts.ask(cells, asking());
  assert.equal(asked.length, 6);
});

test("the chunks of a shard have the sizes that its index tells", async () => {
  const description = { ...DESCRIPTION, shards: [1, 8, 8] };
  const files = shardedStore(description, ([, y, x]) => y * x, { has: ([, y, x]) => y !== 0 || x !== 1 });
  files.delete("/c/1/1/0");
  const plain = madeStore(DESCRIPTION, ([, y, x]) => y * x);
  const { store } = counted(files);
  const cells = cellsInView(sceneOf(await zarr.open(store, { kind: "array" })), BOX);
  const facts = new StoredFacts();
  await facts.ask(cells, asking());
  assert.equal(cells.shards.length, 2);
  const isThere = ([, y, x]) => y < 2 && (y !== 0 || x !== 1);
  for (const { cell, bytes } of measuredCells(cells, facts)) {
    const expected = isThere(cell.index) ? plain.get(`/c/${cell.index.join("/")}`).length : null;
    assert.equal(bytes, expected, `${cell.index}`);
  }
});

test("a store that fails is an error, and what it did not tell stays unknown", async () => {
  const files = madeStore(DESCRIPTION, () => 1);
  const size = async () => {
    throw new Error("no sizes today");
  };
  const array = await zarr.open({ get: async (key) => files.get(key), size }, { kind: "array" });
  const cells = cellsInView(sceneOf(array), BOX);
  const facts = new StoredFacts();
  await assert.rejects(facts.ask(cells, asking()), /no sizes today/);
  assert.ok(measuredCells(cells, facts).every(({ bytes }) => bytes === undefined));
});

test("the plot of the caches has the limit that the package tells", () => {
  const second = { decodeMs: {}, keptBytes: 2 ** 20, keptLimit: 3 * 2 ** 20 };
  const plot = plotsOf([second]).find(({ title }) => title === "Memory of the caches");
  assert.equal(plot.top, 3 * 2 ** 20);
  assert.equal(plotText(plot, [second]), "1.0 MiB of 3.0 MiB");
});
