/**
 * `zarr-wasm/leaflet` in Leaflet maps: images of ome-zarr-py and ngff-zarr under `CRS.Simple`, and
 * xarray's fields on the web's map. Colours are NumPy's and matplotlib's.
 */
import * as L from "leaflet";
import proj4 from "proj4";
import * as zarr from "zarr-wasm";
import { pyramidLayer } from "zarr-wasm/leaflet";
import { equal, ok, test } from "../harness.mjs";
import {
  abortsWhen,
  blockColours,
  brokenStore,
  emptyElement,
  endlessStore,
  expected,
  fieldColours,
  openArray,
  openPyramid,
  showsColours,
  until,
  webMapPlace,
} from "./page.mjs";

/** The part of Leaflet's style sheet that tiles need. */
const STYLE = `.leaflet-pane,.leaflet-tile,.leaflet-layer,.leaflet-tile-container{position:absolute;left:0;top:0}
.leaflet-container{overflow:hidden;position:relative}.leaflet-zoom-animated{transform-origin:0 0}
.leaflet-control-container{display:none}`;

function mapOf(layer, options) {
  const element = emptyElement(512, 512);
  const sheet = document.createElement("style");
  sheet.textContent = STYLE;
  element.before(sheet);
  const quiet = { zoomAnimation: false, fadeAnimation: false, inertia: false };
  return L.map(element, { ...quiet, ...options }).addLayer(layer);
}

for (const zoom of [2, 0, -1]) {
  test(`Leaflet: CRS.Simple shows the colours of three channels at zoom ${zoom}`, async () => {
    const layer = pyramidLayer(L, await openPyramid("three-channels"), {
      layer: { minZoom: -8, noWrap: true },
    });
    const map = mapOf(layer, { crs: L.CRS.Simple, center: [-48, 64], zoom, minZoom: -8 });
    const toPage = (x, y) => [256 + (x - 64) * 2 ** zoom, 256 + (y - 48) * 2 ** zoom];
    await showsColours(blockColours(await expected("three-channels"), toPage));
    map.remove();
  });
}

test("Leaflet: each zoom draws the level of its resolution", async () => {
  const { greys } = await expected("levels");
  const layer = pyramidLayer(L, await openPyramid("levels"), { layer: { minZoom: -8 } });
  const map = mapOf(layer, { crs: L.CRS.Simple, center: [-512, 512], zoom: 0, minZoom: -8 });
  for (const [level, grey] of greys.entries()) {
    map.setView([-512, 512], -level, { animate: false });
    await showsColours([{ name: `level ${level}`, place: [250, 250], color: [grey, grey, grey] }]);
  }
  map.remove();
});

for (const name of ["north-first", "south-first", "from-0-to-360"]) {
  test(`Leaflet: a map shows the field of ${name}, without what is missing`, async () => {
    const window = [220, 310];
    const { viridis } = await expected("colormaps");
    const field = await zarr.pyramid(await openArray(name, "tas"));
    const layer = pyramidLayer(L, field, { window, colors: "viridis", at: { time: 1 }, proj4 });
    const map = mapOf(layer, { center: [0, 0], zoom: 1 });
    await showsColours(fieldColours(await expected(name), viridis, window, 1, webMapPlace(512)));
    map.remove();
  });
}

test("Leaflet: the store's error is the event tileerror", async () => {
  const group = await zarr.open(brokenStore("three-channels", "the disk is gone"), { kind: "group" });
  const layer = pyramidLayer(L, await zarr.pyramid(group));
  const errors = [];
  layer.on("tileerror", ({ error }) => errors.push(error));
  const map = mapOf(layer, { crs: L.CRS.Simple, center: [-48, 64], zoom: 2 });
  const error = await until(() => errors[0], "an error of a tile");
  ok(
    [error, error.cause].some((said) => /the disk is gone/.test(String(said))),
    String(error),
  );
  map.remove();
});

test("Leaflet: tiles that leave the map are aborted, and are no errors", async () => {
  const { store, signals } = endlessStore("three-channels");
  const layer = pyramidLayer(L, await zarr.pyramid(await zarr.open(store, { kind: "group" })));
  const errors = [];
  layer.on("tileerror", ({ error }) => errors.push(error));
  const map = mapOf(layer, { crs: L.CRS.Simple, center: [-48, 64], zoom: 2 });
  await abortsWhen(() => layer.remove(), signals);
  equal(errors.length, 0, "errors");
  map.remove();
});
