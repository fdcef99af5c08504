/**
 * The statistics of `createPyramid`: values compared with NumPy
 * (tests/fixtures/make/pyramid_statistics.py), metadata, progress and errors.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import * as zarr from "zarr-wasm";

const CASES = JSON.parse(
  readFileSync(join(import.meta.dirname, "../fixtures/conventions/pyramid_statistics.json"), "utf8"),
);
const NAMES = ["t", "z", "y", "x"];
const total = (shape) => shape.reduce((product, extent) => product * extent, 1);

const STATISTICS = ["min", "max", "std", "count"];
const openStatistic = async (store, name) =>
  zarr.pyramid(await zarr.open(store, { path: `statistics/${name}`, kind: "group" }));

/** Whether a statistic is NumPy's: null is NaN, texts are integers. Deviations may be rounded. */
function isStatistic(found, wanted, most) {
  if (wanted === null) return Number.isNaN(found);
  return typeof wanted === "string" ? String(found) === wanted : Math.abs(found - wanted) <= 1e-10 * most;
}

for (const { name, dtype, shape, bytes, attributes, extremes, factors, options, levels } of CASES) {
  test(`statistics of ${name}: those of NumPy`, async () => {
    const axes = NAMES.slice(-shape.length);
    const chunkShape = shape.map((extent) => Math.min(5, extent));
    const array = await zarr.create(new Map(), {
      shape,
      dtype,
      chunkShape,
      attributes,
      dimensionNames: axes,
    });
    await array.set(null, new Uint8Array(Buffer.from(bytes, "base64")), { as: "bytes" });
    const store = new Map();
    await zarr.createPyramid(store, array, {
      ...options,
      axes,
      factors: factors.map((level) => Object.fromEntries(axes.map((axis, at) => [axis, level[at]]))),
      method: "nearest",
      statistics: STATISTICS,
      array: { chunkShape: shape.map(() => 3) },
    });
    for (const statistic of STATISTICS) {
      const found = await openStatistic(store, statistic);
      assert.equal(found.levels.length, levels.length);
      for (const [at, { array }] of found.levels.entries()) {
        assert.deepEqual(array.shape, levels[at].shape);
        assert.equal(array.dtype, statistic === "min" || statistic === "max" ? extremes : "float64");
        const { data } = await array.get();
        const wanted = levels[at][statistic];
        const most = Math.max(...wanted.map(Number).map(Math.abs), 1e-300);
        for (const [place, value] of wanted.entries())
          assert.ok(
            isStatistic(data[place], value, statistic === "std" ? most : 0),
            `${statistic} ${at} ${place}: ${data[place]} is not ${value}`,
          );
      }
    }
  });
}

const data = Uint16Array.from({ length: 2 * 3 * 20 * 30 }, (_, at) => (at * 7919) % 65521);
const volume = { data, shape: [2, 3, 20, 30] };

for (const version of ["0.4", "0.5"]) {
  test(`statistics of OME-Zarr ${version} are images below the group`, async () => {
    const store = new Map();
    const channels = [{ label: "DAPI", window: { start: 0, end: 9, min: 0, max: 9 } }, { label: "GFP" }];
    const image = await zarr.createPyramid(store, volume, {
      axes: ["c", "z", "y", "x"],
      scale: { z: 2, y: 0.5, x: 0.25 },
      levels: 3,
      version,
      channels,
      name: "cells",
      statistics: ["max", "count", "max"],
    });
    assert.equal(image.levels.length, 3);
    assert.deepEqual(
      [...store.keys()].filter((key) => /statistics\/(min|std)/.test(key)),
      [],
    );
    const group = await zarr.open(store, { path: "statistics/max", kind: "group" });
    assert.deepEqual(await zarr.validate(group), []);
    const ome = version === "0.4" ? group.attrs : group.attrs.ome;
    const [{ name, type, datasets }] = ome.multiscales;
    assert.deepEqual([name, type], ["cells max", "max"]);
    const all = await zarr.open(store, { kind: "group" });
    const [{ datasets: wanted }] = (version === "0.4" ? all.attrs : all.attrs.ome).multiscales;
    assert.deepEqual(datasets, wanted.slice(1));
    const found = await openStatistic(store, "max");
    assert.deepEqual(
      found.levels.map(({ shape }) => shape),
      [
        [2, 3, 10, 15],
        [2, 3, 5, 8],
      ],
    );
    const coarsest = await found.levels[1].array.get([0, null, null, null]);
    const window = { start: Math.min(...coarsest.data), end: Math.max(...coarsest.data), min: 0, max: 65535 };
    assert.deepEqual(ome.omero.channels[0].window, window);
    const count = (await openStatistic(store, "count")).levels[1].array;
    assert.deepEqual(new Set((await count.get()).data), new Set([16, 8]));
    assert.deepEqual(count.chunks, [1, 1, 5, 8]);
  });
}

for (const zarrFormat of [2, 3]) {
  test(`statistics of multiscales in v${zarrFormat} are decoded, and have the source's units`, async () => {
    const source = await zarr.create(new Map(), {
      shape: [4, 6],
      dtype: "int16",
      zarrFormat: 2,
      fillValue: 0,
      dimensionNames: ["lat", "lon"],
      attributes: { units: "m", scale_factor: 0.5, valid_max: 5 },
    });
    await source.set(null, [0, 2, 0, 0, 7, 9, 4, 0, 0, 0, 3, 1, ...new Array(12).fill(8)]);
    const store = new Map();
    await zarr.createPyramid(store, source, {
      convention: "multiscales",
      zarrFormat,
      variable: "depth",
      levels: 2,
      scale: { lat: -1, lon: 1 },
      statistics: STATISTICS,
    });
    for (const [name, wanted] of Object.entries({
      min: [1, Number.NaN, 0.5, 4, 4, 4],
      max: [2, Number.NaN, 4.5, 4, 4, 4],
      std: [0.5, Number.NaN, Math.sqrt(2.5), 0, 0, 0],
      count: [2, 0, 4, 4, 4, 4],
    })) {
      const group = await zarr.open(store, { path: `statistics/${name}`, kind: "group" });
      assert.equal(group.attrs.multiscales.resampling_method, name);
      const [level] = group.attrs.multiscales.layout;
      assert.deepEqual([level.asset, level.derived_from, level.transform.scale], ["1", undefined, [1, 1]]);
      assert.deepEqual(level["spatial:transform"], [2, 0, -0.5, 0, -2, 0.5]);
      const { array } = (await zarr.pyramid(group)).levels[0];
      assert.equal(array.path, `/statistics/${name}/1/depth`);
      assert.deepEqual(array.attrs.units, name === "count" ? undefined : "m");
      for (const decode of ["cf", undefined])
        assert.deepEqual([...(await array.get(null, { decode })).data], wanted, name);
    }
  });
}

test("statistics are counted in the progress, fill large shards slab by slab, and are replaced", async () => {
  const shape = [2050, 1030];
  const source = await zarr.create(new Map(), { shape, dtype: "uint32", dimensionNames: ["y", "x"] });
  await source.set(
    null,
    Uint32Array.from({ length: total(shape) }, (_, at) => at),
  );
  const steps = [];
  const store = new Map();
  const options = {
    levels: 2,
    array: { chunkShape: [103, 103], shardShape: [1030, 618] },
    onProgress: (step) => steps.push(step),
  };
  await zarr.createPyramid(store, source, { ...options, statistics: ["min", "max"] });
  const all = total(shape) + 3 * total([1025, 515]);
  assert.deepEqual(steps.at(-1), { level: 1, levels: 2, elements: all, totalElements: all });
  for (const [name, offset] of [
    ["min", 0],
    ["max", 1030 + 1],
  ]) {
    const { array } = (await openStatistic(store, name)).levels[0];
    assert.deepEqual(array.shards, [1030, 618]);
    const { data } = await array.get();
    const wrong = data.findIndex((value, at) => {
      const [row, column] = [Math.floor(at / 515), at % 515];
      return value !== 2 * row * 1030 + 2 * column + offset;
    });
    assert.equal(wrong, -1, name);
  }
  const [finest] = (await zarr.pyramid(await zarr.open(store, { kind: "group" }))).levels;
  await zarr.createPyramid(store, finest.array, { levels: 2, overwrite: true, statistics: ["count"] });
  assert.equal(await zarr.exists(zarr.root(store).resolve("statistics/max")), null);
  const { array } = (await openStatistic(store, "count")).levels[0];
  assert.deepEqual(new Set((await array.get()).data), new Set([4]));
});

const small = { data: new Uint8Array(64), shape: [8, 8] };

for (const [what, options] of [
  ["a statistic that does not exist", { levels: 2, statistics: ["median"] }],
  ["statistics that are no list", { levels: 2, statistics: "max" }],
  ["statistics of one level", { levels: 1, statistics: ["max"] }],
  ["statistics of labels", { levels: 2, label: true, statistics: ["max"] }],
]) {
  test(`${what}: an Argument error, and nothing is written`, async () => {
    const store = new Map();
    await assert.rejects(zarr.createPyramid(store, small, options), { code: "Argument" });
    assert.equal(store.size, 0);
  });
}

test("statistics are of numbers, and do not replace their source", async () => {
  const texts = { data: ["a", "b", "c", "d"], shape: [2, 2], dtype: "string" };
  const store = new Map();
  await assert.rejects(zarr.createPyramid(store, texts, { levels: 2, statistics: ["min"] }), {
    code: "Unsupported",
  });
  assert.equal(store.size, 0);
  const path = "statistics/raw";
  const inside = await zarr.create(store, {
    path,
    shape: [4, 4],
    dtype: "uint8",
    dimensionNames: ["y", "x"],
  });
  await assert.rejects(
    zarr.createPyramid(store, inside, { levels: 2, overwrite: true, statistics: ["min"] }),
    { code: "Argument", message: /would replace the source/ },
  );
  assert.equal(await zarr.exists(zarr.root(store).resolve(path)), "array");
});
