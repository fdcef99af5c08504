/** The extent of a scene on its map. */

import type { MapExtent } from "zarr-wasm/openlayers";
import type { Scene } from "../model/scene/scene.js";

/** The extent of the finest level. */
export function extentOf({ array, plane, places, warped }: Scene): MapExtent {
  const [finest] = places;
  if (warped || !finest) return warped?.extent ?? [0, 0, 1, 1];
  const edges = ({ start, step }: { start: number; step: number }, length = 1) =>
    [start - step / 2, start + (length - 0.5) * step].sort((a, b) => a - b) as [number, number];
  const [[left, right], [bottom, top]] = [
    edges(finest.x, array.shape[plane.x]),
    edges(finest.y, array.shape[plane.y]),
  ];
  return [left, bottom, right, top];
}
