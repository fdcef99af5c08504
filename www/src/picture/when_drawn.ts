/** Waiting until all tiles of a map are on the screen. */
import type OpenLayersMap from "ol/Map.js";
import { unByKey } from "ol/Observable.js";
import type { PyramidSource } from "zarr-wasm/openlayers";

/** Resolves once every tile of the view is drawn, as far as it can be. */
export function whenDrawn(map: OpenLayersMap, sources: readonly PyramidSource[]): Promise<void> {
  // OpenLayers never takes a picture for complete in which a tile has failed.
  if (sources.some(({ hasFailed }) => hasFailed)) return Promise.resolve();
  return new Promise((resolve) => {
    const end = () => {
      unByKey(keys);
      resolve();
    };
    const keys = [
      map.once("rendercomplete", end),
      ...sources.map((source) => source.on("tileloaderror", end)),
    ];
    map.render();
  });
}
