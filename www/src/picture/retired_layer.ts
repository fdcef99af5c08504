/**
 * Removes a layer from the map. OpenLayers defers some of its work on a layer, and fails if the
 * layer is disposed by then.
 */

import type BaseLayer from "ol/layer/Base.js";
import type OpenLayersMap from "ol/Map.js";

/** Longer than the timers with which OpenLayers goes on after a frame. */
const PATIENCE_MS = 100;

/** Not seen from now on, and removed once nothing is done with it any more. */
export function retireLayer(map: OpenLayersMap, layer: BaseLayer): void {
  layer.setVisible(false);
  setTimeout(() => {
    map.removeLayer(layer);
    layer.dispose();
  }, PATIENCE_MS);
}
