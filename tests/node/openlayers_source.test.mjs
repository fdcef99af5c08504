/**
 * `PyramidSource` without a browser: the contents of tiles, aborts of reads that left the view, and
 * changes of steps and colours without requests. The map is a fake with a view and frames. The
 * values follow a formula.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import TileState from "ol/TileState.js";
import * as zarr from "zarr-wasm";
import { channelStyle, PyramidSource, paletteStyle } from "zarr-wasm/openlayers";
import { until } from "../support/waiting.mjs";
import { madeStore } from "./made_stores.mjs";

const SIDE = 1024;
const elementAt = (c, y, x) => c * 10_000 + (y % 64) * 100 + (x % 64);

/**
 * Two channels of 1024 × 1024 in chunks of 512. The store counts requests and can delay chunks.
 */
async function opened({ count = 2, attributes = {} } = {}) {
  const description = {
    shape: [count, SIDE, SIDE],
    chunks: [1, 512, 512],
    dtype: "uint16",
    names: ["c", "y", "x"],
    attributes,
  };
  const held = madeStore(description, ([c, y, x]) => elementAt(c, y, x));
  const gate = { open: Promise.resolve(), keys: [], aborted: 0 };
  const store = {
    async get(key, options) {
      if (key.includes("c/")) {
        gate.keys.push(key);
        options?.signal?.addEventListener("abort", () => {
          gate.aborted += 1;
        });
        await gate.open;
      }
      return held.get(key);
    },
  };
  return { pyramid: await zarr.pyramid(await zarr.open(store)), gate };
}

/** A view with 1 unit per pixel, from a corner. */
function standIn() {
  const listeners = new Set();
  const map = {
    extent: [-0.5, -1023.5, 1023.5, 0.5],
    on: (_name, listener) => listeners.add(listener),
    un: (_name, listener) => listeners.delete(listener),
    getSize: () => [1024, 1024],
    getView: () => ({ isDef: () => true, getResolution: () => 1, calculateExtent: () => map.extent }),
    frame: () => {
      for (const listener of listeners) listener();
    },
  };
  return map;
}

const projection = undefined;

function tileOf(source, column, row) {
  const tile = source.getTile(0, column, row, 1, projection);
  const settled = new Promise((resolve) => {
    tile.addEventListener("change", () => {
      if (tile.getState() === TileState.LOADED || tile.getState() === TileState.ERROR) resolve(tile);
    });
  });
  return { tile, settled };
}

async function loaded(source, column, row) {
  const { tile, settled } = tileOf(source, column, row);
  tile.load();
  await settled;
  return tile.getData();
}

test("tiles hold channels side by side, and values can be read at a place", async () => {
  const { pyramid } = await opened();
  const source = new PyramidSource({ pyramid, channels: [0, 1], margin: 0 });
  assert.deepEqual(source.extent, [-0.5, -1023.5, 1023.5, 0.5]);
  assert.deepEqual(source.bands, {
    count: 2,
    isByte: false,
    hasMask: false,
    isPicture: false,
    origin: 0,
    unit: 1,
  });
  assert.equal(source.reading(600, -10, 1).values[0].value, undefined);
  const data = await loaded(source, 1, 0);
  assert.equal(data.length, 512 * 512 * 2);
  const at = (3 * 512 + 5) * 2;
  assert.deepEqual([data[at], data[at + 1]], [elementAt(0, 3, 517), elementAt(1, 3, 517)]);
  const { index, level, values } = source.reading(600, -10, 1);
  assert.deepEqual([index, level], [[-1, 10, 600], 0]);
  assert.deepEqual(values, [
    { channel: 0, value: elementAt(0, 10, 600) },
    { channel: 1, value: elementAt(1, 10, 600) },
  ]);
  assert.equal(source.reading(-1, -10, 1), null);
  const read = await source.read(10, -600, 1);
  assert.deepEqual(
    read.values.map(({ value }) => value),
    [elementAt(0, 600, 10), elementAt(1, 600, 10)],
  );
});

test("the read of a tile that left the view ends, and the tile can be read again", async () => {
  const { pyramid, gate } = await opened();
  let release = () => {};
  gate.open = new Promise((resolve) => {
    release = resolve;
  });
  const source = new PyramidSource({ pyramid, channels: [0], margin: 0 });
  const heard = [];
  source.onProgress = (progress) => heard.push(progress);
  const map = standIn();
  source.follow(map);
  const [stays, leaves] = [tileOf(source, 0, 0), tileOf(source, 1, 1)];
  stays.tile.load();
  leaves.tile.load();
  await until(() => gate.keys.length >= 2);
  map.extent = [0, -300, 300, 0];
  map.frame();
  assert.equal(leaves.tile.getState(), TileState.IDLE);
  assert.equal(stays.tile.getState(), TileState.LOADING);
  assert.deepEqual(heard.at(-1), { wanted: 1, done: 0 });
  await until(() => gate.aborted > 0);
  assert.equal(gate.aborted, 1);
  release();
  await stays.settled;
  assert.deepEqual(heard.at(-1), { wanted: 1, done: 1 });
  const told = heard.length;
  map.frame();
  assert.equal(heard.length, told, "a frame without news tells nothing");
  assert.equal(leaves.tile.getState(), TileState.IDLE);
  leaves.tile.load();
  await leaves.settled;
  assert.equal(leaves.tile.getData()[0], elementAt(0, 512, 512));
});

test("tiles are made again without a request; preload reads another step", async () => {
  const { pyramid, gate } = await opened();
  const source = new PyramidSource({ pyramid, channelAxis: null, at: { c: 0 }, margin: 0 });
  const map = standIn();
  source.follow(map);
  const first = await loaded(source, 0, 0);
  const requests = gate.keys.length;
  source.setLog(true);
  const logs = await loaded(source, 0, 0);
  assert.equal(gate.keys.length, requests);
  assert.ok(Math.abs(logs[5] - Math.log10(first[5])) < 1e-6);
  await source.preload({ c: 1 });
  const preloaded = gate.keys.length;
  assert.ok(preloaded > requests);
  source.setLog(false);
  const key = source.getKey();
  source.setAt({ c: 1 });
  assert.equal((await loaded(source, 1, 1))[0], elementAt(1, 512, 512));
  assert.equal(gate.keys.length, preloaded);
  assert.notEqual(source.getKey(), key);
  source.setAt({ c: 0 });
  assert.equal(source.getKey(), key, "OpenLayers finds the textures of a step that was drawn before");
});

test("more channels than bands become pictures, which are mixed again without requests", async () => {
  const { pyramid, gate } = await opened({ count: 5 });
  const source = new PyramidSource({ pyramid, channels: [0, 1, 2, 3, 4], margin: 0 });
  assert.equal(source.bands.isPicture, true);
  const mix = (window) => [{ channel: 2, color: [200, 100, 0], window, gamma: 1 }];
  source.setMix(mix([20_000, 20_010]));
  const pixel = async () => [...(await loaded(source, 0, 0)).slice(5 * 4, 5 * 4 + 4)];
  // The value is 20 005: half of the window.
  assert.deepEqual(await pixel(), [100, 50, 0, 255]);
  assert.deepEqual(gate.keys, ["/c/2/0/0"]);
  source.setMix(mix([20_000, 20_005]));
  assert.deepEqual(await pixel(), [200, 100, 0, 255]);
  assert.deepEqual(gate.keys, ["/c/2/0/0"]);
});

test("an array without coarse levels is limited to the number of cached tiles", async () => {
  const { pyramid } = await opened();
  // A tile of one channel is 512 × 512 × 4 bytes, 1 MiB: 64 tiles are 4096 × 4096 elements.
  const source = new PyramidSource({ pyramid, cacheBytes: 64 * 2 ** 20 });
  assert.equal(source.widestResolution([1024, 1024]), 4);
  assert.equal(source.cacheSize, 64);
});

test("styles use variables for everything that may change", () => {
  const layout = { count: 2, isByte: true, hasMask: false, isPicture: false, origin: 0, unit: 255 };
  const channel = { channel: 0, color: [255, 128, 0], window: [0, 255], gamma: 1 };
  const { variables } = channelStyle(layout, [channel, null]);
  assert.deepEqual([variables.low1, variables.high1, variables.red1, variables.green1], [0, 1, 255, 128]);
  assert.deepEqual([variables.red2, variables.green2, variables.blue2], [0, 0, 0]);
  const palette = paletteStyle(
    { ...layout, isByte: false, hasMask: true, unit: 1 },
    { colors: ["#000", "#fff"], window: [3, 3] },
  );
  assert.ok(palette.variables.high > palette.variables.low);
  const ranged = { ...layout, isByte: false, origin: 100, unit: 50 };
  const { low, high } = paletteStyle(ranged, { colors: ["#000", "#fff"], window: [110, 150] }).variables;
  assert.deepEqual([low, high], [0.2, 1]);
  assert.equal(palette.color[0], "case");
});

test("longitudes from 0 to 360 are drawn from −180", async () => {
  const shape = [2, 4];
  const attributes = {
    "spatial:dimensions": ["lat", "lon"],
    "spatial:transform": [90, 0, 0, 0, -90, 90],
    "proj:code": "EPSG:4326",
  };
  const description = { shape, chunks: shape, dtype: "uint8", names: ["lat", "lon"], attributes };
  const store = madeStore(description, ([row, column]) => 10 * row + column);
  const source = new PyramidSource({ pyramid: await zarr.pyramid(await zarr.open(store)), margin: 0 });
  assert.deepEqual(source.extent, [-180, -90, 180, 90]);
  // From 180 to 360 come the columns 2 and 3, which are those from −180 to 0.
  assert.deepEqual([...(await loaded(source, 0, 0))], [2, 3, 0, 1, 12, 13, 10, 11]);
  const { index, values } = await source.read(-44.7, 45, 90);
  assert.deepEqual([index, values[0].value], [[0, 3], 3]);
});
