/**
 * Groups of several images: files that bioformats2raw converted, plates, wells, several
 * `multiscales` in one group. The stores are ome-zarr-py's (`viewer_plates.py`); each image has one
 * value.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import test from "node:test";
import * as zarr from "zarr-wasm";
import { FileSystemStore } from "zarr-wasm/fs";
import { unpackFixtures } from "../support/fixture_archives.mjs";

const warnings = [];
await zarr.init({ onWarning: (message) => warnings.push(message) });

const STORES = join(unpackFixtures(), "viewer-plates");

/** The store of a fixture, with the keys that it was asked for. */
function counted(name) {
  const store = new FileSystemStore(join(STORES, name));
  const keys = [];
  return {
    keys,
    get: (key, options) => {
      keys.push(key);
      return store.get(key, options);
    },
  };
}

const group = async (name) => zarr.open(counted(name), { kind: "group" });

async function elementOf({ levels }) {
  const { data } = await levels[0].array.get();
  assert.ok(data.every((value) => value === data[0]));
  return data[0];
}

const listed = ({ series }) => series.map(({ index, path, name, shape }) => [index, path, name, shape]);

test("the series of bioformats2raw are those of OME/, in its order", async () => {
  const root = await group("converted");
  warnings.length = 0;
  const first = await zarr.pyramid(root);
  assert.match(warnings.join(), /the group has 3 images, and this is the first/);
  assert.deepEqual(listed(first), [
    [0, "/0", "left", [1, 2, 1, 16, 20]],
    [1, "/1", "right", [1, 2, 1, 8, 12]],
    [2, "/label", "label image", [1, 2, 1, 4, 8]],
  ]);
  assert.deepEqual([first.image, first.images, first.name], [0, 1, "left"]);
  warnings.length = 0;
  for (const [image, index] of [
    [2, 2],
    ["label", 2],
    ["/1", 1],
    [0, 0],
  ]) {
    const pyramid = await zarr.pyramid(root, { image });
    assert.deepEqual([pyramid.image, await elementOf(pyramid)], [index, 50 + index], String(image));
    assert.deepEqual(listed(pyramid), listed(first));
  }
  assert.deepEqual(warnings, []);
  for (const image of [3, -1, "2", "/"]) {
    await assert.rejects(zarr.pyramid(root, { image }), { code: "Argument" }, String(image));
  }
  await assert.rejects(zarr.pyramid(root, { image: {} }), { code: "Argument" });
});

test("series without a list are numbered groups", async () => {
  const pyramid = await zarr.pyramid(await group("numbered"), { image: 2 });
  assert.deepEqual(
    pyramid.series.map(({ path }) => path),
    ["/0", "/1", "/2"],
  );
  assert.equal(await elementOf(pyramid), 62);
});

test("several images of one group are chosen by index", async () => {
  const root = await group("twins");
  warnings.length = 0;
  const first = await zarr.pyramid(root);
  assert.equal(warnings.length, 1);
  assert.deepEqual([first.images, first.series.map(({ path }) => path)], [2, ["/", "/"]]);
  const second = await zarr.pyramid(root, { image: 1 });
  assert.deepEqual([second.name, await elementOf(second)], ["denoised", 71]);
});

test("a plate has the fields of its wells, and a well has its own", async () => {
  const plate = await group("plate");
  const pyramid = await zarr.pyramid(plate, { image: "B/3/1" });
  assert.equal(pyramid.series.length, 10);
  assert.deepEqual([pyramid.image, await elementOf(pyramid)], [9, 51]);
  assert.equal(await elementOf(await zarr.pyramid(plate, { image: 2 })), 20);
  const well = await zarr.pyramid(await zarr.open(plate, { path: "A/2", kind: "group" }), { image: 1 });
  assert.deepEqual(
    well.series.map(({ path }) => path),
    ["/A/2/0", "/A/2/1"],
  );
  assert.equal(await elementOf(well), 21);
});

test("the coordinates of an array look for no other images", async () => {
  const store = counted("converted");
  const array = await zarr.open(store, { path: "1/s0", kind: "array" });
  warnings.length = 0;
  await zarr.coords(array, "x");
  const asked = store.keys.filter((key) => key.startsWith("/0") || key.startsWith("/OME"));
  assert.deepEqual([asked, warnings], [[], []]);
});

test("one image asks for no others", async () => {
  const store = counted("converted");
  const one = await zarr.pyramid(await zarr.open(store, { path: "1", kind: "group" }), { labels: false });
  assert.deepEqual(listed(one), [[0, "/1", "right", [1, 2, 1, 8, 12]]]);
  assert.ok(
    store.keys.every((key) => key.startsWith("/1/")),
    store.keys.join(),
  );
});
