/**
 * Right arguments of the calls of adapters that take options, by the call's name in the
 * declarations, as `right_arguments.mjs` has those of the main entry. The libraries that are not
 * needed for options are replaced by what adapters touch of them.
 */

import { toTable, toVector } from "zarr-wasm/arrow";
import { imageTiles, mapTiles } from "zarr-wasm/deckgl";
import { ZarrApi } from "zarr-wasm/h5web";
import { pyramidLayer } from "zarr-wasm/leaflet";
import { PyramidProtocol } from "zarr-wasm/maplibre";
import { PyramidSource } from "zarr-wasm/openlayers";
import { pixelSources } from "zarr-wasm/viv";
import * as zarr from "../../../dist/index.js";

/** The entries of adapters that take options. */
export const ADAPTERS = ["arrow", "deckgl", "h5web", "leaflet", "maplibre", "openlayers", "viv"];

const RESULT = { data: new Float32Array(2), shape: [2], stride: [1] };
const PICTURE = { data: new Uint8Array(64), shape: [8, 8] };
const image = () => zarr.createPyramid(new Map(), PICTURE, { axes: ["y", "x"], scale: { y: 1, x: 1 } });

class GridLayer {
  constructor(options) {
    this.options = options;
  }
  on() {}
}
const L = { GridLayer, CRS: { Simple: {} } };

const made = (Class, make) => async (objects) => ({
  args: await make(objects),
  call: (...args) => new Class(...args),
});
const called = (call, make) => async (objects) => ({ args: await make(objects), call });

export const ADAPTER_CALLS = {
  toVector: called(toVector, () => [RESULT, {}]),
  toTable: called(toTable, () => [{ a: RESULT }, {}]),
  imageTiles: called(imageTiles, async () => [await image(), {}]),
  mapTiles: called(mapTiles, async () => [await image(), {}]),
  "new ZarrApi": made(ZarrApi, ({ group }) => [group, {}]),
  pyramidLayer: called(pyramidLayer, async () => [L, await image(), {}]),
  "new PyramidProtocol": made(PyramidProtocol, async () => ["a", await image(), {}]),
  "new PyramidSource": made(PyramidSource, async () => [{ pyramid: await image() }]),
  "PyramidSource.preload": async () => {
    const source = new PyramidSource({ pyramid: await image() });
    return { args: [{}, {}], call: (...args) => source.preload(...args) };
  },
  pixelSources: called(pixelSources, async () => [await image(), {}]),
};
