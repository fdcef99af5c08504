/**
 * Planes and channels of pyramids whose levels are coarser along every axis: each consumer reads
 * the plane of a level that holds the middle of the wanted plane of the finest level. Names in `at`
 * are those of axes or their roles; others are errors.
 *
 * Each plane of each level has one value, so that a picture tells which plane it is of.
 */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import TileState from "ol/TileState.js";
import proj4 from "proj4";
import * as zarr from "zarr-wasm";
import { imageTiles, mapTiles } from "zarr-wasm/deckgl";
import { PyramidProtocol } from "zarr-wasm/maplibre";
import { PyramidSource } from "zarr-wasm/openlayers";
import { pixelSources } from "zarr-wasm/viv";
import { madeStore } from "./made_stores.mjs";

const encode = (document) => new TextEncoder().encode(JSON.stringify(document));

/** The planes of levels with 8, 4 and 2 planes at each plane of the finest: halves and quarters. */
const PLANES = [
  [0, 1, 2, 3, 4, 5, 6, 7],
  [0, 0, 1, 1, 2, 2, 3, 3],
  [0, 0, 0, 0, 1, 1, 1, 1],
];

/** The value of a plane of a level; 0 is none. */
const planeValue = (level, z) => 10 * (level + 1) + z;

/** Three levels of z, y and x, each with half of the elements along each axis. */
async function volume(attributes, names = ["z", "y", "x"]) {
  const store = new Map();
  store.set("/zarr.json", encode({ zarr_format: 3, node_type: "group", attributes }));
  for (const level of [0, 1, 2]) {
    const [depth, side] = [8 >> level, 64 >> level];
    const description = { shape: [depth, side, side], chunks: [1, side, side], dtype: "uint8", names };
    madeStore(description, ([z]) => planeValue(level, z), { path: String(level), store });
  }
  return zarr.pyramid(await zarr.open(store, { kind: "group" }));
}

const omeAttributes = (axes, scaleOf) => ({
  ome: {
    version: "0.5",
    multiscales: [
      {
        axes,
        datasets: [0, 1, 2].map((level) => ({
          path: String(level),
          coordinateTransformations: [{ type: "scale", scale: scaleOf(level) }],
        })),
      },
    ],
  },
});

const image = () =>
  volume(
    omeAttributes(
      ["z", "y", "x"].map((name) => ({ name, type: "space", unit: "micrometer" })),
      (level) => [2 ** level, 2 ** level, 2 ** level],
    ),
  );

/** Longitudes and latitudes around 0, 0, in steps of so many degrees. */
const onGlobe = (step = 1) =>
  volume(
    {
      multiscales: {
        layout: [0, 1, 2].map((level) => ({
          asset: String(level),
          ...(level > 0 && { derived_from: String(level - 1), transform: { scale: [2, 2] } }),
        })),
      },
      "spatial:dimensions": ["lat", "lon"],
      "spatial:transform": [step, 0, -32 * step, 0, -step, 32 * step],
      "proj:code": "EPSG:4326",
    },
    ["z", "lat", "lon"],
  );

before(() => {
  // The parts of a browser that pictures need.
  globalThis.ImageData ??= class ImageData {
    constructor(data, width, height) {
      [this.data, this.width, this.height] = [data, width, height];
    }
  };
  globalThis.createImageBitmap ??= async (picture) => picture;
});

const GRAY = { colors: "gray", window: [0, 255], decode: false };

for (const [level, planes] of PLANES.entries()) {
  test(`level ${level}: pick, tiles and the indices of a level`, async () => {
    const pyramid = await image();
    for (const [z, own] of planes.entries()) {
      const picked = pyramid.pick({ unitsPerPixel: 2 ** level, at: { z }, current: -1 });
      assert.deepEqual([picked.index, picked.selection[0]], [level, own], `pick ${z}`);
      const { data } = await picked.level.array.get(picked.selection);
      assert.deepEqual([...new Set(data)], [planeValue(level, own)], `elements of ${z}`);
      const [tile] = pyramid.tiles({ level, at: { z } });
      assert.equal(tile.selection[0], own, `tiles ${z}`);
      assert.deepEqual(zarr.levelIndices(pyramid, level, { z }), [own, null, null]);
      assert.deepEqual(zarr.levelIndices(pyramid, level, [z, 5, 5]), [own, null, null]);
      assert.deepEqual(zarr.levelIndices(pyramid, level, { z: z - 8 }), [own, null, null], "from the end");
    }
    assert.deepEqual(zarr.levelIndices(pyramid, level, { z: null }), [null, null, null]);
    assert.deepEqual(zarr.levelIndices(pyramid, level), [0, null, null]);
  });

  test(`level ${level}: Viv's tiles`, async () => {
    const source = pixelSources(await image())[level];
    for (const [z, own] of planes.entries()) {
      const { data } = await source.getTile({ x: 0, y: 0, selection: { z } });
      assert.deepEqual([...new Set(data)], [planeValue(level, own)], String(z));
    }
    const raster = await source.getRaster({ selection: { z: 7 } });
    assert.equal(raster.data[0], planeValue(level, planes[7]));
  });

  test(`level ${level}: deck.gl's tiles of an image and of a map, MapLibre's tiles`, async () => {
    const pyramid = await image();
    // The pixels of the world in a tile of 512 and of 256 pixels have 0.7 and 1.4 degrees.
    const [globe, coarse] = [await onGlobe(0.7 / 2 ** level), await onGlobe(1.4 / 2 ** level)];
    for (const [z, own] of planes.entries()) {
      const tiles = imageTiles(pyramid, { at: { z }, ...GRAY });
      // A tile of 256 pixels for so many elements of the finest level.
      const side = 256 * 2 ** level;
      const picture = await tiles.getTileData({ bbox: { left: 0, top: 0, right: side, bottom: side } });
      assert.equal(picture.image.data[0], planeValue(level, own), `imageTiles ${z}`);
      const map = mapTiles(globe, { at: { z }, ...GRAY, proj4 });
      const index = { x: 0, y: 0, z: 0 };
      const bbox = { west: -180, south: -85, east: 180, north: 85 };
      const drawn = await map.getTileData({ index, bbox });
      assert.deepEqual(levelsIn(drawn.image.data), [planeValue(level, own)], `mapTiles ${z}`);
      const protocol = new PyramidProtocol("cells", coarse, { ...GRAY, proj4 });
      const url = protocol.source({ z }).tiles[0].replace("{z}/{x}/{y}", "0/0/0");
      const { data } = await protocol.load({ url }, { signal: new AbortController().signal });
      assert.deepEqual(levelsIn(data.data), [planeValue(level, own)], `MapLibre ${z}`);
    }
  });

  test(`level ${level}: OpenLayers' tiles and values`, async () => {
    const source = new PyramidSource({ pyramid: await image(), margin: 0 });
    for (const [z, own] of planes.entries()) {
      source.setAt({ z });
      const data = await loaded(source, 2 - level);
      assert.equal(data[0], planeValue(level, own), `tile ${z}`);
      const { index, values } = source.reading(8, -8, 2 ** level);
      assert.deepEqual([index[0], values[0].value], [own, planeValue(level, own)], `values ${z}`);
    }
  });
}

/** The values of opaque grey pixels. */
function levelsIn(rgba) {
  const found = new Set();
  for (let at = 0; at < rgba.length; at += 4) if (rgba[at + 3] === 255) found.add(rgba[at]);
  return [...found];
}

async function loaded(source, zoom) {
  const tile = source.getTile(zoom, 0, 0, 1, undefined);
  const settled = new Promise((resolve) => {
    tile.addEventListener("change", () => {
      if (tile.getState() === TileState.LOADED || tile.getState() === TileState.ERROR) resolve();
    });
  });
  tile.load();
  await settled;
  return tile.getData();
}

test("histogram: the plane of the coarsest level", async () => {
  const pyramid = await image();
  for (const [z, own] of PLANES[2].entries()) {
    const { min, max, count } = await zarr.histogram(pyramid, { at: { z } });
    assert.deepEqual([min, max, count], [planeValue(2, own), planeValue(2, own), 256], String(z));
  }
  const { count } = await zarr.histogram(pyramid, { at: { z: null } });
  assert.equal(count, 512);
});

/** What a call with `at` does with it. */
async function callers() {
  const [pyramid, globe] = [await image(), await onGlobe()];
  const places = { crs: "EPSG:4326", extent: [-10, -10, 10, 10], size: [4, 4] };
  const away = { ...places, extent: [100, 50, 110, 60] };
  const { array } = globe.levels[0];
  const [source] = pixelSources(pyramid);
  const protocol = new PyramidProtocol("cells", globe, { ...GRAY, proj4 });
  const drawn = new PyramidSource({ pyramid });
  return {
    pick: (at) => pyramid.pick({ unitsPerPixel: 1, at }),
    tiles: (at) => pyramid.tiles({ level: 2, at }),
    levelIndices: (at) => zarr.levelIndices(pyramid, 1, at),
    histogram: (at) => zarr.histogram(pyramid, { at }),
    warp: (at) => zarr.warp(array, { ...places, at }),
    "warp of another part of the globe": (at) => zarr.warp(array, { ...away, at }),
    imageTiles: (at) => imageTiles(pyramid, { at }),
    mapTiles: (at) => mapTiles(globe, { at, ...GRAY, proj4 }),
    PyramidProtocol: (at) => new PyramidProtocol("cells", globe, { at }),
    "source of a protocol": (at) => protocol.source(at),
    "PyramidSource, option": (at) => new PyramidSource({ pyramid, at }),
    setAt: (at) => drawn.setAt(at),
    preload: (at) => drawn.preload(at),
    getTile: (selection) => source.getTile({ x: 0, y: 0, selection }),
    getRaster: (selection) => source.getRaster({ selection }),
  };
}

const NAMES = [
  "pick",
  "tiles",
  "levelIndices",
  "histogram",
  "warp",
  "warp of another part of the globe",
].concat(
  ["imageTiles", "mapTiles", "PyramidProtocol", "source of a protocol", "PyramidSource, option", "setAt"],
  ["preload", "getTile", "getRaster"],
);

for (const name of NAMES) {
  test(`unknown names and indices are errors that name the known ones: ${name}`, async () => {
    const call = (await callers())[name];
    const called = async (at) => call(at);
    await assert.rejects(called({ bnad: 2 }), (error) => {
      assert.ok(error instanceof zarr.InvalidSelectionError, String(error));
      assert.equal(error.code, "Argument");
      assert.match(error.message, /"bnad".*"z"/);
      return true;
    });
    for (const z of [8, -9, 1.5, Number.NaN, "1"]) {
      await assert.rejects(called({ z }), { code: "Argument", message: /"z"/ }, String(z));
    }
    for (const at of [{ Z: 7 }, { z: 0 }, {}]) await called(at);
  });
}

test("two names of one axis with different indices are an error", async () => {
  const pyramid = await image();
  assert.throws(() => pyramid.pick({ unitsPerPixel: 1, at: { z: 1, Z: 2 } }), {
    code: "Argument",
    message: /two indices/,
  });
  assert.throws(() => pyramid.pick({ unitsPerPixel: 1, at: [1, 2] }), { code: "Argument" });
});

test("a picture needs one index of each axis", async () => {
  const [pyramid, globe] = [await image(), await onGlobe()];
  assert.throws(() => imageTiles(pyramid, { at: { z: null } }), { code: "Argument", message: /"z"/ });
  assert.throws(() => new PyramidSource({ pyramid, at: { z: null } }), { code: "Argument" });
  const map = { crs: "EPSG:4326", extent: [-10, -10, 10, 10], size: [4, 4], at: { z: null } };
  await assert.rejects(zarr.warp(globe.levels[0].array, map), { code: "Argument", message: /"z"/ });
  await assert.rejects(zarr.warp(globe.levels[0].array, { ...map, at: {}, method: "cubic" }), {
    code: "Argument",
  });
});

test("histogram: at is of a pyramid, and not beside a selection", async () => {
  const pyramid = await image();
  const { array } = pyramid.levels[0];
  await assert.rejects(zarr.histogram(array, { at: { z: 1 } }), { code: "Argument" });
  await assert.rejects(zarr.histogram(pyramid, { at: { z: 1 }, selection: [0] }), { code: "Argument" });
});

/** An image of two times, three channels and one plane, whose element is its time and channel. */
async function channels(names, types, dimensionNames) {
  const axes = names.map((name, axis) => ({ name, ...(types[axis] && { type: types[axis] }) }));
  const store = new Map();
  const attributes = omeAttributes(axes, () => names.map(() => 1));
  attributes.ome.multiscales[0].datasets.length = 1;
  store.set("/zarr.json", encode({ zarr_format: 3, node_type: "group", attributes }));
  const description = {
    shape: [2, 3, 1, 8, 8],
    chunks: [1, 1, 1, 8, 8],
    dtype: "uint8",
    names: dimensionNames,
  };
  madeStore(description, ([t, c]) => 10 * t + c + 1, { path: "0", store });
  return zarr.pyramid(await zarr.open(store, { kind: "group" }));
}

const TYPES = ["time", "channel", "space", "space", "space"];
const CHANNELS = [
  { names: ["t", "c", "z", "y", "x"], types: TYPES, keys: ["c", "C", "channel", "Channel"] },
  { names: ["T", "C", "Z", "Y", "X"], types: TYPES, keys: ["c", "C", "channel"] },
  { names: ["T", "C", "Z", "Y", "X"], types: [], keys: ["c", "C", "channel"] },
  { names: ["t", "fluor", "z", "y", "x"], types: TYPES, keys: ["fluor", "Fluor", "c", "C", "channel"] },
  { names: ["time", "channel", "z", "y", "x"], types: TYPES, keys: ["channel", "c", "C"] },
];

for (const { names, types, keys } of CHANNELS) {
  test(`channels by name and by role: ${names}${types.length > 0 ? "" : ", without types"}`, async () => {
    const pyramid = await channels(names, types);
    const [source] = pixelSources(pyramid);
    const first = async (selection) => (await source.getTile({ x: 0, y: 0, selection })).data[0];
    for (const key of keys) {
      const at = { t: 1, [key]: 2 };
      assert.equal(await first(at), 13, key);
      assert.deepEqual(pyramid.pick({ unitsPerPixel: 1, at }).selection.slice(0, 3), [1, 2, 0], key);
      assert.equal((await zarr.histogram(pyramid, { at })).min, 13, key);
      const drawn = await imageTiles(pyramid, { at, ...GRAY }).getTileData({
        bbox: { left: 0, top: 0, right: 256, bottom: 256 },
      });
      assert.equal(drawn.image.data[0], 13, key);
      const layer = new PyramidSource({ pyramid, at, margin: 0 });
      assert.deepEqual([layer.channels, (await loaded(layer, 0))[0]], [[2], 13], key);
      layer.setAt({ [keys[0]]: 1 });
      assert.deepEqual([layer.channels, (await loaded(layer, 0))[0]], [[1], 12], key);
    }
    // Viv's own loaders take lists in the order of their labels.
    assert.equal(await first([0, 1, 0, 0, 0]), 2);
    assert.equal((await source.getRaster({ selection: [1, 2, 0, 0, 0] })).data[0], 13);
    await assert.rejects(first([0, 1]), { code: "Argument" });
    await assert.rejects(first({ chanel: 1 }), { code: "Argument", message: /chanel/ });
    await assert.rejects(first({ [keys[0]]: 3 }), { code: "Argument" });
    assert.equal(await first({}), 1);
  });
}

test("channels of a picture take precedence over at, whatever names either uses", async () => {
  const pyramid = await channels(["time", "channel", "z", "y", "x"], TYPES);
  const drawn = (options) =>
    imageTiles(pyramid, { decode: false, ...options }).getTileData({
      bbox: { left: 0, top: 0, right: 256, bottom: 256 },
    });
  const of = (channel) => ({ channel, color: "#ffffff", window: [0, 255] });
  const { image: picture } = await drawn({ at: { channel: 0, time: 1 }, channels: [of(2)] });
  assert.equal(picture.data[0], 13);
  for (const channel of [3, -4, 0.5])
    await assert.rejects(async () => drawn({ channels: [of(channel)] }), { code: "Argument" });
  assert.throws(() => new PyramidSource({ pyramid, channels: [0, 3] }), { code: "Argument" });
  const protocol = new PyramidProtocol("cells", pyramid, { at: { time: 1 }, ...GRAY });
  // The address has another name for the same axis.
  assert.match(protocol.source({ t: 0 }).tiles[0], /\?t=0$/);
});

test("the channels that are drawn if nobody has chosen", async () => {
  const shown = (channels, count) =>
    zarr.shownChannels({ axes: [{ name: "c", role: "c" }], levels: [{ shape: [count] }], channels });
  const are = (...states) => states.map((active) => ({ active }));
  assert.deepEqual(shown(are(false, true, true), 3), [1, 2]);
  assert.deepEqual(shown(are(false, false), 2), [0], "one at least");
  assert.deepEqual(shown(are(undefined, false), 6), [0, 2, 3], "without a word the first four");
  assert.deepEqual(shown([], 2), [0, 1]);
  assert.deepEqual(shown(are(true, true, true), 2), [0, 1], "no more than there are");
  assert.equal(
    shown(
      Array.from({ length: 5000 }, () => ({ active: true })),
      5000,
    ).length,
    64,
  );
  assert.deepEqual(shown([], 1e12), [0, 1, 2, 3]);
  assert.deepEqual(zarr.shownChannels(await image()), [0]);
});

test("the look of a channel: of the metadata, else a colour of its own", () => {
  const image = (channels, count) => ({
    axes: [{ name: "c", role: "c" }],
    levels: [{ shape: [count] }],
    channels,
  });
  const window = { start: 5, end: 9, min: 0, max: 10 };
  const described = image([{ color: "FF8000", window }, { window: { ...window, end: 5 } }], 3);
  assert.deepEqual(zarr.channelLook(described, 0), { color: "#ff8000", window: [5, 9] });
  const looks = [1, 2].map((channel) => zarr.channelLook(described, channel));
  assert.notEqual(looks[0].color, looks[1].color);
  assert.deepEqual(
    looks.map((look) => look.window),
    [undefined, undefined],
  );
  assert.equal(zarr.channelLook(image([], 1), 0).color, "#ffffff", "one channel alone is grey");
});

test("a picture reads at most 64 channels that metadata call active", async () => {
  const count = 5000;
  const axes = ["c", "y", "x"].map((name) => ({ name, type: name === "c" ? "channel" : "space" }));
  const datasets = [{ path: "0", coordinateTransformations: [{ type: "scale", scale: [1, 1, 1] }] }];
  const window = { start: 0, end: 255, min: 0, max: 255 };
  const omero = {
    channels: Array.from({ length: count }, () => ({ color: "ffffff", window, active: true })),
  };
  const attributes = { ome: { version: "0.5", multiscales: [{ axes, datasets }], omero } };
  const held = new Map([["/zarr.json", encode({ zarr_format: 3, node_type: "group", attributes })]]);
  const description = { shape: [count, 8, 8], chunks: [1, 8, 8], dtype: "uint8", names: ["c", "y", "x"] };
  madeStore(description, () => 1, { path: "0", store: held, has: () => false });
  const asked = new Set();
  const get = (key) => {
    if (key.includes("/c/")) asked.add(key);
    return held.get(key);
  };
  const pyramid = await zarr.pyramid(await zarr.open({ get }, { kind: "group" }));
  await imageTiles(pyramid).getTileData({ bbox: { left: 0, top: 0, right: 8, bottom: 8 } });
  assert.equal(asked.size, 64);
});

test("an image without an axis of channels has one", async () => {
  const pyramid = await image();
  const white = { color: "#ffffff", window: [0, 255] };
  assert.doesNotThrow(() => imageTiles(pyramid, { channels: [{ channel: 0, ...white }] }));
  assert.throws(() => imageTiles(pyramid, { channels: [{ channel: 1, ...white }] }), { code: "Argument" });
  assert.throws(() => new PyramidSource({ pyramid, channels: [0, 1] }), { code: "Argument" });
});

test("pictures of maps refuse what pictures of elements refuse", async () => {
  const [pyramid, globe] = [await image(), await onGlobe()];
  const index = { x: 0, y: 0, z: 0 };
  const bbox = { west: -180, south: -85, east: 180, north: 85 };
  const box = { left: 0, top: 0, right: 256, bottom: 256 };
  for (const make of [imageTiles, mapTiles])
    assert.throws(() => make(globe, { ...GRAY, gamma: "bright" }), { code: "Argument", field: "gamma" });
  for (const wrong of [{ gamma: 0 }, { window: [0, Number.NaN] }, { colors: "grey" }]) {
    const shown = { ...GRAY, ...wrong };
    const ofElements = imageTiles(pyramid, shown).getTileData({ bbox: box });
    await assert.rejects(ofElements, { code: "Argument" }, JSON.stringify(wrong));
    const ofMap = mapTiles(globe, { ...shown, proj4 }).getTileData({ index, bbox });
    await assert.rejects(ofMap, { code: "Argument" }, JSON.stringify(wrong));
  }
  for (const tileSize of [0, -256, 1.5, Number.NaN])
    assert.throws(() => pixelSources(pyramid, { tileSize }), { code: "Argument" }, String(tileSize));
  const { array } = pyramid.levels[0];
  for (const read of [array.get([0], { gamma: 2 }), zarr.get(array, null, { gamma: 2 })])
    await assert.rejects(read, { code: "Argument" }, "gamma without shades or colours");
});

test("the fill value of v2 is black, unless xarray wrote the array", async () => {
  const drawn = async (attributes) => {
    const store = new Map();
    const array = await zarr.create(store, {
      zarrFormat: 2,
      shape: [4, 4],
      chunkShape: [4, 4],
      dtype: "uint8",
      fillValue: 0,
      attributes,
    });
    await array.set([0], 200);
    const tiles = imageTiles(await zarr.pyramid(array), { window: [0, 255] });
    const { image: picture } = await tiles.getTileData({ bbox: { left: 0, top: 0, right: 4, bottom: 4 } });
    return [...picture.data.subarray(12, 20)];
  };
  assert.deepEqual(await drawn({}), [200, 200, 200, 255, 0, 0, 0, 255]);
  assert.deepEqual(await drawn({ _ARRAY_DIMENSIONS: ["y", "x"] }), [200, 200, 200, 255, 0, 0, 0, 0]);
});

test("views and points that have no place are refused", async () => {
  const pyramid = await image();
  const view = { unitsPerPixel: 1, level: 0 };
  for (const wrong of [
    { extent: [0, 0] },
    { extent: [0, 0, 10, Number.NaN] },
    { center: [1] },
    { margin: 0.5 },
    { margin: -1 },
  ])
    assert.throws(() => pyramid.tiles({ ...view, ...wrong }), { code: "Argument" }, JSON.stringify(wrong));
  assert.throws(() => pyramid.pick({ unitsPerPixel: 1, extent: [0, 0] }), { code: "Argument" });
  // A point of the plane alone would be one of another axis.
  assert.throws(() => pyramid.toWorld([5, 5]), { code: "Argument", message: /z, y, x/ });
  assert.throws(() => pyramid.toIndex([5, 5, 5, 5]), { code: "Argument" });
  for (const wrong of [{ channels: 1 }, { cacheBytes: Number.NaN }, { margin: "wide" }, { range: 5 }])
    assert.throws(
      () => new PyramidSource({ pyramid, ...wrong }),
      { code: "Argument" },
      JSON.stringify(wrong),
    );
  // A view that is refused is not remembered as the one that is shown.
  pyramid.pick({ unitsPerPixel: 4, current: -1 });
  assert.throws(() => pyramid.pick({ unitsPerPixel: 1, at: { z: 99 }, current: -1 }), { code: "Argument" });
  assert.equal(pyramid.pick({ unitsPerPixel: 4 / 1.1 }).index, 2);
});

/** A picture of 2 rows and 3 columns whose pixels are bytes: all of an element differ. */
async function photo(colors) {
  const shape = [2, 3, colors];
  const array = await zarr.create(new Map(), { shape, chunkShape: shape, dtype: "uint8" });
  const data = Uint8Array.from({ length: 6 * colors }, (_, at) => 10 * at);
  await zarr.set(array, null, { data, shape, stride: [3 * colors, colors, 1] });
  return { pyramid: await zarr.pyramid(array), data };
}

for (const colors of [3, 4]) {
  test(`pixels of ${colors} bytes: two rows, three columns, and their colours`, async () => {
    const { pyramid, data } = await photo(colors);
    assert.deepEqual(pyramid.plane, { x: 1, y: 0 });
    assert.deepEqual(zarr.shownChannels(pyramid), [0, 1, 2]);
    const [tile] = pyramid.tiles({ level: 0, at: { channel: 1 } });
    assert.equal(tile.selection[2], 1);
    const layer = imageTiles(pyramid);
    assert.deepEqual(layer.extent, [0, 0, 3, 2]);
    const bbox = { left: 0, top: 0, right: 256, bottom: 256 };
    const { image } = await layer.getTileData({ bbox });
    assert.deepEqual([image.width, image.height], [3, 2]);
    const lights = Array.from({ length: 6 }, (_, at) => [
      ...data.subarray(colors * at, colors * at + 3),
      255,
    ]);
    assert.deepEqual([...image.data], lights.flat());
    const [source] = pixelSources(pyramid);
    assert.deepEqual(source.shape, [colors, 2, 3]);
    const green = await source.getRaster({ selection: { c: 1 } });
    assert.deepEqual(
      [...green.data],
      lights.map(([, second]) => second),
    );
  });
}
