/**
 * The part of an array that is in view: the drawn level, and the elements of its plane that the
 * window shows.
 */

import type { PyramidSource } from "zarr-wasm/openlayers";

/** The elements in view. */
export interface ViewBox {
  /** The level that is drawn. */
  level: number;
  /**
   * The indices in the level's array of the elements at the left upper and at the right lower
   * corner, by axis. They are -1 for the axis of channels, and for the plane of a warped map.
   */
  corners: readonly [first: readonly number[], last: readonly number[]];
}

/** Moves a corner into its element, as a share of the element's side. */
const INWARDS = 1e-3;

/** Null if the window shows nothing of the array. */
export function viewBoxOf(
  source: PyramidSource,
  [left = 0, bottom = 0, right = 0, top = 0]: readonly number[],
  resolution: number,
): ViewBox | null {
  const [west, south, east, north] = source.extent;
  const step = Math.min(...source.elementSize(source.levelFor(resolution))) * INWARDS;
  const across = [Math.max(left, west) + step, Math.min(right, east) - step] as const;
  const down = [Math.min(top, north) - step, Math.max(bottom, south) + step] as const;
  if (across[0] > across[1] || down[0] < down[1]) return null;
  const first = source.reading(across[0], down[0], resolution);
  const last = source.reading(across[1], down[1], resolution);
  return first && last && { level: first.level, corners: [first.index, last.index] };
}
