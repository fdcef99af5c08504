/** Pyramids of other libraries, compared with their coordinates; levels and tiles of views. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import * as zarr from "zarr-wasm";
import * as zarrita from "zarrita";
import { metadata } from "./made_stores.mjs";

const STORES = join(import.meta.dirname, "../fixtures/conventions/stores");
const encode = (document) => new TextEncoder().encode(JSON.stringify(document));
const storeOf = (documents) =>
  new Map(Object.entries(documents).map(([key, document]) => [`/${key}`, encode(document)]));

function close(actual, expected, what) {
  assert.equal(actual.length, expected.length, what);
  for (const [axis, value] of expected.entries()) {
    assert.ok(
      Math.abs(actual[axis] - value) <= 1e-9 * Math.max(1, Math.abs(value)),
      `${what}: ${actual} for ${expected}`,
    );
  }
}

for (const file of readdirSync(STORES)) {
  test(`${file}: every level has its writer's coordinates`, async () => {
    const {
      documents,
      levels,
      convention,
      crs,
      units,
      mistakes = [],
    } = JSON.parse(readFileSync(join(STORES, file), "utf8"));
    const root = await zarr.open(storeOf(documents), { kind: "group" });
    const pyramid = await zarr.pyramid(root);
    assert.equal(pyramid.convention, convention);
    assert.deepEqual(pyramid.findings, []);
    assert.deepEqual(pyramid.crs, crs);
    assert.deepEqual(
      pyramid.levels.map(({ path }) => path),
      levels.map(({ path }) => path),
    );
    assert.deepEqual(
      pyramid.axes.map(({ unit }) => unit ?? null),
      units,
    );
    for (const [idx, { shape, first, last }] of levels.entries()) {
      assert.deepEqual(pyramid.levels[idx].shape, shape);
      const end = shape.map((extent) => extent - 1);
      close(
        pyramid.toWorld(
          shape.map(() => 0),
          idx,
        ),
        first,
        "first",
      );
      close(pyramid.toWorld(end, idx), last, "last");
      close(pyramid.toIndex(last, idx), end, "back");
    }
    // `coords` returns the same coordinates for each dimension of each level.
    for (const { array } of pyramid.levels) {
      const idx = pyramid.levels.findIndex((level) => level.array === array);
      for (const [axis, length] of array.shape.entries()) {
        const { values, source } = await zarr.coords(array, axis);
        assert.equal(source, "affine");
        close(
          [values[0], values[length - 1]],
          [levels[idx].first[axis], levels[idx].last[axis]],
          `axis ${axis}`,
        );
      }
    }
    const problems = (await zarr.validate(root)).filter(({ severity }) => severity === "error");
    const texts = problems.map(({ rule, path }) => `${rule} ${path}`);
    assert.deepEqual(texts, mistakes);
  });
}

/** Levels with sides of 4096, 2048, … elements over a world of 4096 units. */
function powersOfTwo(count, attributes = {}) {
  const layout = Array.from({ length: count }, (_, level) => ({
    asset: String(level),
    ...(level === 0 ? {} : { derived_from: String(level - 1), transform: { scale: [2, 2] } }),
  }));
  const store = new Map();
  const group = {
    multiscales: { layout },
    "spatial:dimensions": ["y", "x"],
    "spatial:transform": [1, 0, 0, 0, -1, 4096],
    ...attributes,
  };
  store.set("/zarr.json", encode({ zarr_format: 3, node_type: "group", attributes: group }));
  for (let level = 0; level < count; level++) {
    const side = 4096 >> level;
    const array = metadata({
      shape: [3, side, side],
      chunks: [1, 256, 256],
      dtype: "uint16",
      names: ["time", "y", "x"],
    });
    store.set(`/${level}/zarr.json`, encode(array));
  }
  return store;
}

const made = async (count) => zarr.pyramid(await zarr.open(powersOfTwo(count), { kind: "group" }));

test("the level for a view, with its selection and its cost", async () => {
  const pyramid = await made(5);
  assert.deepEqual(pyramid.extent(0), [0, 0, 4096, 4096]);
  const picked = pyramid.pick({ unitsPerPixel: 4, extent: [0, 3072, 1000, 4096], at: { t: 2 } });
  assert.equal(picked.index, 2);
  assert.deepEqual(picked.selection, [
    2,
    { start: 0, stop: 256, step: null },
    { start: 0, stop: 250, step: null },
  ]);
  assert.equal(picked.resultBytes, 2 * 256 * 250);
  assert.equal(picked.chunkBytes, 2 * 256 * 256);
  assert.equal(pyramid.pick({ unitsPerPixel: 4, devicePixelRatio: 2, current: -1 }).index, 1);
  assert.equal(pyramid.pick({ unitsPerPixel: 1000, current: -1 }).index, 4);
  assert.equal(pyramid.pick({ unitsPerPixel: 0.001, current: -1 }).index, 0);
  assert.throws(() => pyramid.pick({ unitsPerPixel: 0 }), { code: "Argument" });
});

test("a level is kept for small changes of the resolution", async () => {
  const pyramid = await made(5);
  const zoom = (unitsPerPixel) => pyramid.pick({ unitsPerPixel }).index;
  assert.deepEqual([4, 3.9, 3.5, 3.2, 3.5, 3.9, 4, 4.5, 4.9].map(zoom), [2, 2, 2, 1, 1, 1, 1, 1, 2]);
});

test("tiles are chunks, nearest first, clipped to the array", async () => {
  const pyramid = await made(3);
  const tiles = pyramid.tiles({ level: 0, extent: [600, 3000, 1100, 3500], at: { time: 1 } });
  const named = tiles.map(({ row, column }) => `${row},${column}`);
  assert.deepEqual([...named].sort(), ["2,2", "2,3", "2,4", "3,2", "3,3", "3,4", "4,2", "4,3", "4,4"].sort());
  assert.equal(named[0], "3,3");
  assert.ok(tiles.every(({ distance }, idx) => idx === 0 || distance >= tiles[idx - 1].distance));
  assert.deepEqual(tiles[0].selection, [
    1,
    { start: 768, stop: 1024, step: null },
    { start: 768, stop: 1024, step: null },
  ]);
  assert.deepEqual(tiles[0].extent, [768, 3072, 1024, 3328]);
  assert.equal(tiles[0].bytes, 2 * 256 * 256);
  assert.equal(pyramid.tiles({ level: 2, extent: [-9000, -9000, -8000, -8000] }).length, 0);
  assert.equal(pyramid.tiles({ level: 2, extent: [0, 0, 1, 1], margin: 1 }).length, 4);
  assert.equal(pyramid.tiles({ unitsPerPixel: 4, extent: [0, 0, 4096, 4096] }).length, 16);
  assert.throws(() => pyramid.tiles({}), { code: "Argument" });
});

test("array.get accepts the selection of a view", async () => {
  const pyramid = await made(5);
  const { level, selection } = pyramid.pick({ unitsPerPixel: 16, extent: [0, 4000, 100, 4096] });
  const { data, shape } = await level.array.get(selection);
  assert.deepEqual([level.path, shape, data.length], ["/4", [6, 7], 42]);
});

test("zarrita's groups are supported, and a single array is a pyramid of one level", async () => {
  const root = await zarrita.open(powersOfTwo(2), { kind: "group" });
  assert.equal((await zarr.pyramid(root)).levels.length, 2);
  const level = await zarrita.open(zarrita.root(powersOfTwo(2)).resolve("1"), { kind: "array" });
  const alone = await zarr.pyramid(level);
  assert.deepEqual([alone.convention, alone.levels.length, alone.isPlaced], ["array", 1, false]);
});

test("a group without levels, and levels that do not exist", async () => {
  const store = new Map([["/zarr.json", encode({ zarr_format: 3, node_type: "group", attributes: {} })]]);
  await assert.rejects(zarr.pyramid(await zarr.open(store)), { code: "NotFound" });
  const gone = powersOfTwo(3);
  gone.delete("/1/zarr.json");
  gone.set("/2/zarr.json", new TextEncoder().encode("{"));
  const pyramid = await zarr.pyramid(await zarr.open(gone));
  assert.equal(pyramid.levels.length, 1);
  assert.deepEqual(
    pyramid.findings.map(({ rule, path }) => [rule, path]),
    [
      ["pyramid/missing-level", "/multiscales/layout/1"],
      ["pyramid/unreadable", "/multiscales/layout/2"],
    ],
  );
});

test("if no level can be used, the error has the reason for each", async () => {
  const refused = powersOfTwo(3);
  for (const [level, data_type] of ["int1024", { name: "r12" }].entries()) {
    const document = JSON.parse(new TextDecoder().decode(refused.get(`/${level}/zarr.json`)));
    refused.set(`/${level}/zarr.json`, encode({ ...document, data_type }));
  }
  const root = await zarr.open(refused, { kind: "group" });
  // The usable levels are used.
  const { levels, findings } = await zarr.pyramid(root);
  assert.deepEqual(
    [levels.length, findings.map(({ rule }) => rule)],
    [1, ["pyramid/unreadable", "pyramid/unreadable"]],
  );
  refused.delete("/2/zarr.json");
  // The nodes of a group are opened once, until its refresh.
  assert.equal((await zarr.pyramid(root)).levels.length, 1);
  await root.refresh();
  await assert.rejects(zarr.pyramid(root), (error) => {
    assert.match(error.message, /"\/0" cannot be opened: .*int1024/);
    assert.match(error.message, /"\/1" cannot be opened: .*r12/);
    assert.match(error.message, /nothing at "\/2"/);
    assert.equal(error.path, "/");
    assert.match(error.cause.message, /int1024/);
    return true;
  });
});

test("an error of all levels has their error code", async () => {
  const store = powersOfTwo(2);
  for (const level of [0, 1]) {
    const document = JSON.parse(new TextDecoder().decode(store.get(`/${level}/zarr.json`)));
    store.set(`/${level}/zarr.json`, encode({ ...document, data_type: "int1024" }));
  }
  await assert.rejects(zarr.pyramid(await zarr.open(store)), { code: "Unsupported", message: /"\/1"/ });
});

test("levels that are groups: consolidated metadata lists their arrays", async () => {
  const { documents } = JSON.parse(readFileSync(join(STORES, "zarr-cm-geozarr.json"), "utf8"));
  const store = storeOf(documents);
  const pyramid = await zarr.pyramid(await zarr.open(store, { kind: "group" }));
  assert.deepEqual([pyramid.variable, pyramid.variables], ["b04", ["b04"]]);
  await assert.rejects(zarr.pyramid(await zarr.open(store), { variable: "b99" }), { code: "NotFound" });
  // Without it the store is listed. If it cannot list, the caller must name the variable.
  const { consolidated_metadata: _, ...plain } = documents["zarr.json"];
  const listed = storeOf({ ...documents, "zarr.json": plain });
  assert.equal((await zarr.pyramid(await zarr.open(listed))).variable, "b04");
  const unlisted = { get: async (key) => listed.get(key) };
  await assert.rejects(zarr.pyramid(await zarr.open(unlisted)), { code: "Argument" });
  assert.equal((await zarr.pyramid(await zarr.open(unlisted), { variable: "b04" })).levels.length, 3);
});

/** A group of OME with levels of these shapes, each half as fine as the one before. */
function halved(...shapes) {
  const axes = ["y", "x"].map((name) => ({ name, type: "space" }));
  const datasets = shapes.map((_, at) => ({
    path: `./${at}`,
    coordinateTransformations: [{ type: "scale", scale: [2 ** at, 2 ** at] }],
  }));
  const attributes = { ome: { version: "0.5", multiscales: [{ axes, datasets }] } };
  const documents = { "zarr.json": { zarr_format: 3, node_type: "group", attributes } };
  for (const [at, shape] of shapes.entries())
    documents[`${at}/zarr.json`] = metadata({ shape, chunks: shape, dtype: "uint8" });
  return documents;
}

test("validate tells where scales and shapes of the arrays contradict each other", async () => {
  const found = async (documents) => {
    const findings = await zarr.validate(await zarr.open(storeOf(documents), { kind: "group" }));
    return findings.filter(({ rule }) => rule.startsWith("pyramid/"));
  };
  assert.deepEqual(await found(halved([9, 16], [5, 8], [2, 4])), []);
  const [scales, ...others] = await found(halved([9, 16], [5, 16]));
  assert.deepEqual(others, []);
  assert.deepEqual(
    [scales.rule, scales.path, scales.severity, scales.convention],
    ["pyramid/scales", "/ome/multiscales/0/datasets/1", "warning", "ome"],
  );
  assert.match(scales.message, /along x.*has 16 and not 8/);
  // Levels that are not there are no contradiction; `pyramid` reports them.
  const { "zarr.json": group } = halved([4, 4], [2, 2]);
  assert.deepEqual(await found({ "zarr.json": group }), []);
  // A node of zarrita, too.
  const store = storeOf(halved([8, 8], [8, 8]));
  const foreign = await zarrita.open(store, { kind: "group" });
  assert.equal((await zarr.validate(foreign)).filter(({ rule }) => rule === "pyramid/scales").length, 2);
});

test("a level without a usable path is a finding, and its refusal an error that names the attribute", async () => {
  const documents = halved([8, 8], [4, 4]);
  const [image] = documents["zarr.json"].attributes.ome.multiscales;
  image.datasets[0].path = "../../0";
  const open = () => zarr.open(storeOf(documents), { kind: "group" });
  const { levels, findings } = await zarr.pyramid(await open());
  assert.deepEqual([levels.length, levels[0].path], [1, "/1"]);
  assert.deepEqual(
    findings.map(({ rule }) => rule),
    ["pyramid/path"],
  );
  image.datasets[1].path = { name: "1" };
  await assert.rejects(zarr.pyramid(await open()), (error) => {
    assert.equal(error.code, "Format");
    assert.match(error.message, /datasets\/1\/path/);
    return true;
  });
});

test("channels as people write them are drawn with their colours", async () => {
  const documents = halved([2, 2]);
  const { ome } = documents["zarr.json"].attributes;
  ome.multiscales[0].omero = {
    channels: [{ label: 488, color: [0, 255, 0], window: { start: 0, end: 9, min: null, max: null } }],
  };
  const group = await zarr.open(storeOf(documents), { kind: "group" });
  const { channels } = await zarr.pyramid(group);
  assert.deepEqual(channels, [
    { label: "488", color: "00FF00", window: { start: 0, end: 9, min: 0, max: 9 } },
  ]);
  const findings = await zarr.validate(group);
  assert.ok(findings.some(({ rule, path }) => rule === "ome/omero-place" && path.endsWith("/omero")));
});
