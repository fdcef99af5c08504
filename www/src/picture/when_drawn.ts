/** Waits until all tiles of a map are drawn. */
import type OpenLayersMap from "ol/Map.js";
import { unByKey } from "ol/Observable.js";
import type { PyramidSource } from "zarr-wasm/openlayers";

/** Resolves when every tile of the view is drawn or has failed. */
export function whenDrawn(map: OpenLayersMap, sources: readonly PyramidSource[]): Promise<void> {
  // For OpenLayers, a picture with a failed tile is never complete.
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
