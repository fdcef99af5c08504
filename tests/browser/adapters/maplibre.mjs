/**
 * `zarr-wasm/maplibre` in a MapLibre map. The fields are xarray's and rioxarray's, and the colours
 * matplotlib's.
 */
import { addProtocol, Map as MapLibre, removeProtocol, setWorkerUrl } from "maplibre-gl";
import proj4 from "proj4";
import * as zarr from "zarr-wasm";
import { PyramidProtocol } from "zarr-wasm/maplibre";
import { equal, ok, rejects, test } from "../harness.mjs";
import {
  abortsWhen,
  brokenStore,
  emptyElement,
  endlessStore,
  expected,
  fieldColours,
  openArray,
  showsColours,
  until,
  webMapPlace,
} from "./page.mjs";

setWorkerUrl("/maplibre/maplibre-gl-worker.mjs");
proj4.defs("EPSG:32633", "+proj=utm +zone=33 +datum=WGS84 +units=m +no_defs");

const WINDOW = [220, 310];

/** Returns a map of the world that is 512 pixels wide, with one layer. */
function mapOf(protocol, source, view = { center: [0, 0], zoom: 0 }) {
  addProtocol(protocol.scheme, protocol.load);
  const style = {
    version: 8,
    sources: { field: source },
    layers: [
      {
        id: "field",
        type: "raster",
        source: "field",
        paint: { "raster-resampling": "nearest", "raster-fade-duration": 0 },
      },
    ],
  };
  return new MapLibre({
    container: emptyElement(512, 512),
    style,
    attributionControl: false,
    renderWorldCopies: false,
    ...view,
  });
}

const close = (map, { scheme }) => {
  map.remove();
  removeProtocol(scheme);
};

for (const name of ["north-first", "south-first", "from-0-to-360"]) {
  test(`MapLibre: a map shows the field of ${name}, without what is missing`, async () => {
    const { viridis } = await expected("colormaps");
    const facts = await expected(name);
    const field = await zarr.pyramid(await openArray(name, "tas"));
    const protocol = new PyramidProtocol("field", field, { window: WINDOW, colors: "viridis", proj4 });
    const map = mapOf(protocol, protocol.source({ time: 0 }));
    await showsColours(fieldColours(facts, viridis, WINDOW, 0, webMapPlace(512)));
    map.getSource("field").setTiles(protocol.source({ time: 2 }).tiles);
    await showsColours(fieldColours(facts, viridis, WINDOW, 2, webMapPlace(512)));
    close(map, protocol);
  });
}

test("MapLibre: a projected field is at its place", async () => {
  const { x, y, values, block } = await expected("projected");
  const { viridis } = await expected("colormaps");
  const field = await zarr.pyramid(await openArray("projected", "height"));
  const protocol = new PyramidProtocol("utm", field, { window: [0, 47], colors: "viridis", proj4 });
  const toLonLat = proj4("EPSG:32633", "EPSG:4326");
  const map = mapOf(protocol, protocol.source(), { center: toLonLat.forward([x[64], y[48]]), zoom: 11 });
  const places = values.flatMap((line, row) =>
    line.map((value, column) => {
      const middle = map.project(toLonLat.forward([x[(column + 0.5) * block], y[(row + 0.5) * block]]));
      const color = viridis[Math.round((value / 47) * 255)];
      return { name: `row ${row}, column ${column}`, place: [middle.x, middle.y], color };
    }),
  );
  const inside = places.filter(({ place }) => place.every((at) => at > 4 && at < 508));
  ok(inside.length > 20, `${inside.length} of ${places.length} blocks are in the picture`);
  await showsColours(inside);
  close(map, protocol);
});

test("MapLibre: the store's error is the map's event", async () => {
  const tas = await zarr.open(brokenStore("north-first", "the disk is gone"), { path: "tas", kind: "array" });
  // The coordinates cannot be read either. The error names the first failure.
  const protocol = new PyramidProtocol("broken", await zarr.pyramid(tas), { window: WINDOW, proj4 });
  const map = mapOf(protocol, protocol.source());
  const { error } = await until(() => new Promise((resolve) => map.once("error", resolve)), "an error");
  ok(
    [error, error.cause].some((said) => /the disk is gone/.test(String(said))),
    String(error),
  );
  close(map, protocol);
});

test("MapLibre: an aborted tile rejects with the signal's reason", async () => {
  const field = await zarr.pyramid(await openArray("north-first", "tas"));
  const protocol = new PyramidProtocol("field", field, { window: WINDOW, proj4 });
  const controller = new AbortController();
  const tile = protocol.load({ url: "field://1/0/0" }, controller);
  controller.abort();
  equal((await rejects(tile)).name, "AbortError", "the error");
  await rejects(
    protocol.load({ url: "field://world" }, new AbortController()),
    ({ code }) => code === "Argument",
  );
});

test("MapLibre: tiles of a source that is removed are aborted, and are no errors", async () => {
  // The image is placed by its own transform, 64 m wide where the equator meets Greenwich.
  const { store, signals } = endlessStore("three-channels");
  const image = await zarr.pyramid(await zarr.open(store, { kind: "group" }));
  const protocol = new PyramidProtocol("endless", image, { proj4, from: "EPSG:3857" });
  const map = mapOf(protocol, protocol.source(), { center: [0.0002, 0.0002], zoom: 16 });
  const errors = [];
  map.on("error", ({ error }) => errors.push(error));
  const leave = () => {
    map.removeLayer("field");
    map.removeSource("field");
  };
  await abortsWhen(leave, signals);
  equal(errors.map(String), [], "errors");
  close(map, protocol);
});

test("MapLibre: a tile reads the level of its resolution", async () => {
  const files = new zarr.FetchStore(new URL("/whole/arctic.zarr", location.href));
  const keys = [];
  const store = {
    get(key, options) {
      keys.push(key);
      return files.get(key, options);
    },
    getRange(key, range, options) {
      keys.push(key);
      return files.getRange(key, range, options);
    },
  };
  proj4.defs("EPSG:3413", "+proj=stere +lat_0=90 +lat_ts=70 +lon_0=-45 +datum=WGS84 +units=m +no_defs");
  const arctic = await zarr.pyramid(await zarr.open(store, { kind: "group" }), { variable: "elevation" });
  const { load } = new PyramidProtocol("arctic", arctic, { window: [-5000, 5000], proj4 });
  const levelsOf = async (url) => {
    keys.length = 0;
    const { data } = await load({ url }, new AbortController());
    equal([data.width, data.height], [256, 256], "a tile's size");
    const chunks = keys.filter((key) => /\/elevation\/c\//.test(key));
    return [...new Set(chunks.map((key) => key.split("/")[1]))];
  };
  // Elements are 7.5, 15 and 30 km wide; pixels at the tiles' middles 156 and 7.3 km.
  equal(await levelsOf("arctic://0/0/0"), ["2"], "the level of zoom 0");
  equal(await levelsOf("arctic://2/1/0"), ["0"], "the level of zoom 2");
});
