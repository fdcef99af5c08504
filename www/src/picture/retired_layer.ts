/**
 * Removes a layer from the map. OpenLayers defers some of its work on a layer, and fails if the
 * layer is disposed by then.
 */

import type BaseLayer from "ol/layer/Base.js";
import type OpenLayersMap from "ol/Map.js";

/** Longer than OpenLayers' timers after a frame. */
const PATIENCE_MS = 100;

/** Hides a layer at once and removes it later. */
export function retireLayer(map: OpenLayersMap, layer: BaseLayer): void {
  layer.setVisible(false);
  setTimeout(() => {
    map.removeLayer(layer);
    layer.dispose();
  }, PATIENCE_MS);
}
