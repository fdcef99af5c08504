/**
 * `createPyramid`: levels compared with NumPy and xarray (tests/fixtures/make/downsampled.py), the
 * metadata of each convention, targets and sources. Other libraries read such pyramids in
 * tests/conformance/check_written.py. Its statistics are in pyramid_statistics.test.mjs.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import * as zarr from "zarr-wasm";

const CASES = JSON.parse(
  readFileSync(join(import.meta.dirname, "../fixtures/conventions/downsampled.json"), "utf8"),
);
const NAMES = ["t", "z", "y", "x"];
const bytesOf = ({ bytes }) => new Uint8Array(Buffer.from(bytes, "base64"));
const total = (shape) => shape.reduce((product, extent) => product * extent, 1);

/** An array of small chunks that do not fit the blocks. */
async function arrayOf({ dtype, source }) {
  const chunkShape = source.shape.map((extent) => Math.min(5, extent));
  const array = await zarr.create(new Map(), { shape: source.shape, dtype, chunkShape });
  await array.set(null, bytesOf(source), { as: "bytes" });
  return array;
}

for (const each of CASES) {
  test(`${each.name}: the levels that NumPy and xarray compute`, async () => {
    const { source, factors, method, missing, levels } = each;
    const axes = NAMES.slice(-source.shape.length);
    const image = await zarr.createPyramid(new Map(), await arrayOf(each), {
      axes,
      factors: Object.fromEntries(axes.map((name, axis) => [name, factors[axis]])),
      method,
      missing,
      levels: 3,
      array: { chunkShape: source.shape.map(() => 3) },
    });
    const expected = [source, ...levels].filter(
      ({ shape }, at, all) => at === 0 || total(shape) < total(all[at - 1].shape),
    );
    assert.deepEqual(
      image.levels.map(({ shape }) => shape),
      expected.map(({ shape }) => shape),
    );
    for (const [at, level] of expected.entries()) {
      const { data } = await image.levels[at].array.get(null, { as: "bytes" });
      assert.deepEqual(Buffer.from(data), Buffer.from(bytesOf(level)), `level ${at}`);
    }
  });
}

const data = Uint16Array.from({ length: 2 * 3 * 20 * 30 }, (_, at) => (at * 7919) % 65521);
const volume = { data, shape: [2, 3, 20, 30] };
const axes = [
  "c",
  { name: "z", unit: "micrometer" },
  { name: "y", unit: "micrometer" },
  { name: "x", unit: "micrometer" },
];
const placed = { axes, scale: { z: 2, y: 0.5, x: 0.25 }, translation: { x: 10 }, levels: 3 };

for (const version of ["0.4", "0.5"]) {
  test(`OME-Zarr ${version}: axes, units, places and channels`, async () => {
    const store = new Map();
    const channels = [{ label: "DAPI", color: "0000FF" }, { label: "GFP" }];
    const image = await zarr.createPyramid(store, volume, { ...placed, version, channels, name: "cells" });
    const group = await zarr.open(store, { kind: "group" });
    assert.equal(group.zarrFormat, version === "0.4" ? 2 : 3);
    assert.deepEqual(await zarr.validate(group), []);
    const ome = version === "0.4" ? group.attrs : group.attrs.ome;
    const [{ name, datasets, axes: written, type }] = ome.multiscales;
    assert.equal(version === "0.4" ? ome.multiscales[0].version : ome.version, version);
    assert.deepEqual([name, type], ["cells", "mean"]);
    assert.deepEqual(written, [
      { name: "c", type: "channel" },
      ...["z", "y", "x"].map((axis) => ({ name: axis, type: "space", unit: "micrometer" })),
    ]);
    assert.deepEqual(datasets[2], {
      path: "2",
      coordinateTransformations: [
        { type: "scale", scale: [1, 2, 2, 1] },
        { type: "translation", translation: [0, 0, 0.75, 10.375] },
      ],
    });
    // The window of a channel is the range of its coarsest level.
    const coarsest = await image.levels[2].array.get([1, null, null, null]);
    const window = { start: Math.min(...coarsest.data), end: Math.max(...coarsest.data), min: 0, max: 65535 };
    assert.deepEqual(ome.omero.channels[1], { active: true, color: "FF00FF", label: "GFP", window });
    assert.equal(ome.omero.channels[0].color, "0000FF");
    assert.deepEqual(
      image.levels.map(({ shape }) => shape),
      [volume.shape, [2, 3, 10, 15], [2, 3, 5, 8]],
    );
    const { array } = image.levels[1];
    assert.deepEqual(array.dimensionNames, ["c", "z", "y", "x"].slice(0, array.dimensionNames ? 4 : 0));
    assert.deepEqual(array.chunks, [1, 1, 10, 15]);
    if (version === "0.4") assert.match(array.rawMetadata[".zarray"], /"dimension_separator": "\/"/);
  });
}

test("multiscales: levels that derive from each other, with spatial and proj", async () => {
  const store = new Map();
  const source = await zarr.create(store, {
    path: "source",
    shape: [30, 40],
    dtype: "float32",
    dimensionNames: ["y", "x"],
    attributes: { units: "m" },
  });
  await source.set(null, 7);
  const image = await zarr.createPyramid(zarr.root(store).resolve("heights"), source, {
    convention: "multiscales",
    crs: "EPSG:32633",
    scale: { y: -10, x: 10 },
    translation: { y: 4999995, x: 500005 },
    levels: 3,
  });
  const group = await zarr.open(zarr.root(store).resolve("heights"), { kind: "group" });
  assert.deepEqual(await zarr.validate(group), []);
  const found = await zarr.conventions(group);
  assert.deepEqual(
    found.map(({ known }) => known),
    ["multiscales", "spatial", "proj"],
  );
  const { layout, resampling_method } = group.attrs.multiscales;
  assert.equal(resampling_method, "average");
  assert.deepEqual(layout[1], {
    asset: "1",
    derived_from: "0",
    transform: { scale: [2, 2], translation: [0.5, 0.5] },
    "spatial:shape": [15, 20],
    "spatial:transform": [20, 0, 500000, 0, -20, 5000000],
  });
  assert.equal(image.crs.code, "EPSG:32633");
  assert.deepEqual(image.extent(0), [500000, 4999700, 500400, 5000000]);
  assert.deepEqual(image.levels[2].array.attrs, { units: "m" });
  // The convention recommends consolidated metadata.
  const text = new TextDecoder().decode(store.get("/heights/zarr.json"));
  assert.deepEqual(Object.keys(JSON.parse(text).consolidated_metadata.metadata), ["0", "1", "2"]);
});

test("without numbers of levels, the coarsest plane has at most 256 rows and columns", async () => {
  const source = { shape: [1000, 513], dtype: "uint8", read: (_, shape) => new Uint8Array(total(shape)) };
  const image = await zarr.createPyramid(new Map(), source);
  assert.deepEqual(
    image.levels.map(({ shape }) => shape),
    [
      [1000, 513],
      [500, 257],
      [250, 129],
    ],
  );
});

test("a list of factors gives each level its own", async () => {
  const factors = [{ y: 2, x: 2 }, { z: 3 }];
  const image = await zarr.createPyramid(new Map(), volume, { axes, factors });
  assert.deepEqual(
    image.levels.map(({ shape }) => shape),
    [volume.shape, [2, 3, 10, 15], [2, 1, 10, 15]],
  );
  assert.deepEqual(image.levels[2].translation, [0, 1, 0.5, 0.5]);
});

test("a reader is asked for boxes of limited size, and progress counts all elements", async () => {
  const shape = [9000, 4500];
  const boxes = [];
  const read = async (start, box) => {
    boxes.push(box);
    return new Uint16Array(total(box)).fill(1 + (start[0] > 0));
  };
  const steps = [];
  const image = await zarr.createPyramid(
    new Map(),
    { shape, dtype: "uint16", read },
    { levels: 3, onProgress: (step) => steps.push(step) },
  );
  assert.ok(boxes.length > 3 && Math.max(...boxes.map(total)) * 2 <= 16 << 20, `${boxes.length} boxes`);
  assert.equal(
    boxes.reduce((sum, box) => sum + total(box), 0),
    total(shape),
  );
  const all = [shape, [4500, 2250], [2250, 1125]].reduce((sum, level) => sum + total(level), 0);
  assert.deepEqual(steps.at(-1), { level: 2, levels: 3, elements: all, totalElements: all });
  assert.ok(steps.every(({ elements }, at) => at === 0 || elements > steps[at - 1].elements));
  const corner = await image.levels[2].array.get([2249, 1124]);
  assert.deepEqual([...corner.data], [2]);
});

test("large shards are filled slab by slab", async () => {
  const shape = [64, 700, 700];
  const value = (z) => (z * 3) % 251;
  const read = ([z], box) =>
    Uint8Array.from({ length: total(box) }, (_, at) => value(z + Math.floor(at / (box[1] * box[2]))));
  const image = await zarr.createPyramid(
    new Map(),
    { shape, dtype: "uint8", read },
    {
      axes: ["z", "y", "x"],
      factors: { z: 2, y: 2, x: 2 },
      levels: 2,
      array: { chunkShape: [16, 350, 350], shardShape: [32, 350, 350], codecs: ["gzip"] },
    },
  );
  const { array } = image.levels[1];
  assert.deepEqual(array.shards, [32, 350, 350]);
  assert.equal(array.codecs.at(-1).name, "sharding_indexed");
  const { data: column } = await array.get([null, 349, 0]);
  const expected = Array.from({ length: 32 }, (_, at) => {
    const mean = (value(2 * at) + value(2 * at + 1)) / 2;
    return Number.isInteger(mean) ? mean : 2 * Math.round(mean / 2);
  });
  assert.deepEqual([...column], expected);
});

test("an array in the group is the finest level, and is not written again", async () => {
  const writes = [];
  class Recorded extends Map {
    set(key, value) {
      writes.push(key);
      return super.set(key, value);
    }
  }
  const store = new Recorded();
  await zarr.create(store, { path: "image", attributes: { kept: 1 } });
  const raw = await zarr.create(store, {
    path: "image/raw/1",
    shape: [20, 30],
    dtype: "uint8",
    dimensionNames: ["y", "x"],
  });
  await raw.set(null, 3);
  writes.length = 0;
  const image = await zarr.createPyramid(zarr.root(store).resolve("image"), raw, {
    levels: 2,
    overwrite: true,
  });
  assert.deepEqual(
    image.levels.map(({ path }) => path),
    ["/image/raw/1", "/image/1"],
  );
  assert.deepEqual(
    writes.filter((key) => key.includes("raw")),
    [],
  );
  const group = await zarr.open(zarr.root(store).resolve("image"), { kind: "group" });
  assert.equal(group.attrs.kept, 1);
  await assert.rejects(zarr.createPyramid(zarr.root(store).resolve("image/raw/1"), raw), {
    code: "Argument",
  });
  await assert.rejects(zarr.createPyramid(zarr.root(store).resolve("image"), raw, { version: "0.4" }), {
    code: "Argument",
    message: /another Zarr format/,
  });
});

for (const version of ["0.4", "0.5"]) {
  test(`labels of OME-Zarr ${version}: modes, and the list of the parent`, async () => {
    const store = new Map();
    await zarr.createPyramid(store, { data: new Uint8Array(64), shape: [8, 8] }, { version, levels: 1 });
    const labels = { data: Int32Array.from({ length: 64 }, (_, at) => (at % 3 ? 70000 : 5)), shape: [8, 8] };
    const zarrFormat = version === "0.4" ? 2 : 3;
    await zarr.create(store, { path: "labels", zarrFormat });
    for (const name of ["nuclei", "cells", "cells"]) {
      const image = await zarr.createPyramid(store, labels, {
        path: `labels/${name}`,
        version,
        levels: 2,
        label: { colors: [{ "label-value": 5, rgba: [255, 0, 0, 255] }] },
        overwrite: true,
      });
      assert.deepEqual(new Set((await image.levels[1].array.get()).data), new Set([70000, 5]));
    }
    const root = await zarr.open(store, { kind: "group" });
    const { labels: paths } = await zarr.pyramid(root);
    assert.deepEqual(paths, ["/labels/nuclei", "/labels/cells"]);
    const group = await zarr.open(zarr.root(store).resolve("labels/cells"), { kind: "group" });
    assert.deepEqual(await zarr.validate(group), []);
    const label = (version === "0.4" ? group.attrs : group.attrs.ome)["image-label"];
    assert.deepEqual(label.source, { image: "../../" });
    assert.deepEqual(label.colors, [{ "label-value": 5, rgba: [255, 0, 0, 255] }]);
  });
}

test("an .ozx archive with a pyramid is read back", async () => {
  const writer = new zarr.ZipWriter({ omeVersion: "0.5" });
  const written = await zarr.createPyramid(writer, volume, placed);
  const archive = zarr.ZipFileStore.fromBlob(await writer.toBlob());
  const image = await zarr.pyramid(await zarr.open(archive, { kind: "group" }));
  assert.equal(image.version, "0.5");
  for (const [at, { array }] of image.levels.entries()) {
    assert.deepEqual((await array.get()).data, (await written.levels[at].array.get()).data);
  }
});

const small = { data: new Uint8Array(64), shape: [8, 8] };

for (const [what, source, options] of [
  ["axes that are not known", volume, {}],
  ["too many axes", small, { axes: ["z", "y", "x"] }],
  ["equal axes", small, { axes: ["x", "x"] }],
  ["axes in an order that OME forbids", volume, { axes: ["x", "c", "z", "y"] }],
  ["one axis of space", small, { axes: ["c", "x"] }],
  ["an unknown axis", small, { scale: { z: 1 } }],
  ["a scale of zero", small, { scale: { x: 0 } }],
  ["a factor that is no integer", small, { factors: { x: 1.5 }, levels: 2 }],
  ["a method that does not exist", small, { method: "median" }],
  ["a version that does not exist", small, { version: "0.6" }],
  ["channels that do not fit", volume, { axes, channels: [{ label: "one" }] }],
  ["more shape than elements", { data: new Uint8Array(63), shape: [8, 8] }, {}],
  ["missing values that the type cannot hold", small, { missing: [300] }],
  ["no source", null, {}],
  ["a place of z, which spatial does not have", volume, { axes, scale: { z: 1 }, convention: "multiscales" }],
]) {
  test(`${what}: an Argument error, and nothing is written`, async () => {
    const store = new Map();
    await assert.rejects(zarr.createPyramid(store, source, options), { code: "Argument" });
    assert.equal(store.size, 0);
  });
}

test("the mean of booleans is not defined", async () => {
  const source = { data: [true, false, true, true], shape: [2, 2], dtype: "bool" };
  await assert.rejects(zarr.createPyramid(new Map(), source, { method: "mean", levels: 2 }), {
    code: "Unsupported",
  });
  const image = await zarr.createPyramid(new Map(), source, { levels: 2 });
  assert.deepEqual([...(await image.levels[1].array.get()).data], [1]);
});

test("an existing pyramid is only replaced with overwrite", async () => {
  const store = new Map();
  await zarr.createPyramid(store, small, { levels: 3 });
  await assert.rejects(zarr.createPyramid(store, small, { levels: 2 }), {
    code: "Argument",
    path: undefined,
  });
  const image = await zarr.createPyramid(store, small, { levels: 2, overwrite: true });
  assert.equal(image.levels.length, 2);
  assert.equal(await zarr.exists(zarr.root(store).resolve("2")), null);
});

test("an abort rejects, and leaves no group that claims to be a pyramid", async () => {
  const store = new Map();
  const controller = new AbortController();
  const reason = new Error("enough");
  const source = {
    shape: [3000, 3000],
    dtype: "uint16",
    read: (_, shape) => new Uint16Array(total(shape)).fill(1),
  };
  const onProgress = ({ level }) => level === 1 && controller.abort(reason);
  const { signal } = controller;
  await assert.rejects(
    zarr.createPyramid(store, source, { signal, onProgress }),
    (error) => error === reason,
  );
  const group = await zarr.open(store, { kind: "group" });
  assert.deepEqual(group.attrs, {});
});

test("missing values follow from CF's attributes", async () => {
  const array = await zarr.create(new Map(), {
    shape: [2, 4],
    dtype: "int16",
    dimensionNames: ["y", "x"],
    attributes: { _FillValue: -999 },
  });
  await array.set(null, [-999, 4, -999, -999, 6, 8, -999, -999]);
  const image = await zarr.createPyramid(new Map(), array, { levels: 2, convention: "multiscales" });
  assert.deepEqual([...(await image.levels[1].array.get()).data], [6, -999]);
  assert.deepEqual(image.levels[1].array.attrs, { _FillValue: -999 });
});

test("multiscales: the fill value of v2 is missing, and levels are decoded like the source", async () => {
  const values = [-999, 4, -999, -999, 6, 8, -999, -999];
  for (const zarrFormat of [2, 3]) {
    const array = await zarr.create(new Map(), {
      shape: [2, 4],
      dtype: "int16",
      zarrFormat: 2,
      fillValue: -999,
      dimensionNames: ["lat", "lon"],
      attributes: { scale_factor: 0.5 },
    });
    await array.set(null, values);
    const options = { levels: 2, convention: "multiscales", zarrFormat };
    const image = await zarr.createPyramid(new Map(), array, options);
    for (const [level, expected] of [
      [0, [Number.NaN, 2, Number.NaN, Number.NaN, 3, 4, Number.NaN, Number.NaN]],
      [1, [3, Number.NaN]],
    ]) {
      const { data } = await image.levels[level].array.get(null, { decode: "cf" });
      assert.deepEqual([...data], expected, `v${zarrFormat}, level ${level}`);
    }
  }
});

test("integers that CF declares unsigned are averaged as such", async () => {
  const array = await zarr.create(new Map(), {
    shape: [1, 4],
    dtype: "int8",
    dimensionNames: ["y", "x"],
    attributes: { _Unsigned: "true", _FillValue: -1 },
  });
  // 120, 140; 10, and 255, which is missing.
  await array.set(null, [120, -116, 10, -1]);
  const image = await zarr.createPyramid(new Map(), array, { levels: 2, convention: "multiscales" });
  const { data } = await image.levels[1].array.get(null, { decode: "cf" });
  assert.deepEqual([...data], [130, 10]);
});
