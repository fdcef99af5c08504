/**
 * `zarr-wasm/openlayers` in maps of OpenLayers: its source is a `DataTile`, with a tile grid of the
 * pyramid. Pictures are those of ome-zarr-py and ngff-zarr, and the colours NumPy's. The viewer's
 * tests show fields, labels and projections.
 */
import WebGLTileLayer from "ol/layer/WebGLTile.js";
import OpenLayersMap from "ol/Map.js";
import DataTileSource from "ol/source/DataTile.js";
import TileGrid from "ol/tilegrid/TileGrid.js";
import View from "ol/View.js";
import * as zarr from "zarr-wasm";
import { channelStyle, PyramidSource } from "zarr-wasm/openlayers";
import { equal, ok, test } from "../harness.mjs";
import {
  blockColours,
  brokenStore,
  emptyElement,
  expected,
  openPyramid,
  showsColours,
  until,
} from "./page.mjs";

/** Channels of `three_channels` in make/viewer.py. */
const CHANNELS = [
  { channel: 0, color: [64, 96, 255], window: [100, 1100], gamma: 1 },
  { channel: 1, color: [32, 224, 128], window: [0, 2000], gamma: 1 },
  { channel: 2, color: [255, 112, 32], window: [500, 4000], gamma: 1 },
];

function draw(source, channels, { center, resolution }) {
  const layer = new WebGLTileLayer({ source, style: channelStyle(source.bands, channels), transition: 0 });
  const target = emptyElement(512, 512);
  const projection = source.getProjection() ?? undefined;
  const view = new View({ projection, center, resolution, constrainResolution: false, minResolution: 1e-6 });
  const map = new OpenLayersMap({
    target,
    layers: [layer],
    view,
    controls: [],
    interactions: [],
    pixelRatio: 1,
  });
  return { map, stop: source.follow(map) };
}

for (const zoom of [2, 0, -1]) {
  test(`OpenLayers: a WebGLTile layer draws the colours of three channels at zoom ${zoom}`, async () => {
    const source = new PyramidSource({ pyramid: await openPyramid("three-channels"), channels: [0, 1, 2] });
    ok(source instanceof DataTileSource && source.getTileGrid() instanceof TileGrid, "classes of OpenLayers");
    // Elements have half a micrometre. The first one's centre is at 0.
    const { map, stop } = draw(source, CHANNELS, { center: [31.75, -23.75], resolution: 0.5 / 2 ** zoom });
    const toPage = (x, y) => [256 + (x - 64) * 2 ** zoom, 256 + (y - 48) * 2 ** zoom];
    await showsColours(blockColours(await expected("three-channels"), toPage));
    stop();
    map.dispose();
  });
}

test("OpenLayers: the tile grid picks the level of a resolution", async () => {
  const { greys } = await expected("levels");
  const source = new PyramidSource({ pyramid: await openPyramid("levels") });
  const white = [{ channel: 0, color: [255, 255, 255], window: [0, 255], gamma: 1 }];
  for (const [level, grey] of greys.entries()) {
    const { map, stop } = draw(source, white, { center: [512, -512], resolution: 2 ** level });
    await showsColours([{ name: `level ${level}`, place: [250, 250], color: [grey, grey, grey] }]);
    stop();
    map.dispose();
  }
});

test("OpenLayers: the store's error reaches onError", async () => {
  const group = await zarr.open(brokenStore("three-channels", "the disk is gone"), { kind: "group" });
  const source = new PyramidSource({ pyramid: await zarr.pyramid(group), channels: [0] });
  const errors = [];
  source.onError = (error) => errors.push(error);
  const { map, stop } = draw(source, CHANNELS.slice(0, 1), { center: [31.75, -23.75], resolution: 0.5 });
  const error = await until(() => errors[0], "an error of a tile");
  ok(
    [error, error.cause].some((said) => /the disk is gone/.test(String(said))),
    String(error),
  );
  equal(map.getLayers().getLength(), 1, "the map lives");
  stop();
  map.dispose();
});
