/**
 * Reads the histogram of the visible plane from the coarsest level. Users set limits with it.
 */

import * as zarr from "zarr-wasm";
import type { Scene } from "../scene/scene.js";

/** Maximum number of elements along a side, because the coarsest level may be large. */
const MOST = 2048;
const BINS = 128;

export interface HistogramChoice {
  signal: AbortSignal;
  /** The index along the channel axis. */
  channel?: number;
}

export function coarseHistogram(
  scene: Scene,
  at: Record<string, number>,
  { signal, channel }: HistogramChoice,
): Promise<zarr.Histogram> {
  const { pyramid, axes, plane, decode } = scene;
  const level = pyramid.levels.at(-1);
  if (!level) return Promise.reject(new zarr.ZarrError("Argument", "the pyramid has no level"));
  const selection = level.shape.map((length, position) => {
    if (position === plane.x || position === plane.y) return middle(length);
    const axis = axes.find((each) => each.axis === position);
    const index = axis?.role === "c" && channel !== undefined ? channel : (at[axis?.name ?? ""] ?? 0);
    return coarseIndex(index, axis?.length ?? length, length);
  });
  return zarr.histogram(level.array, { selection, bins: BINS, signal, ...(decode && { decode }) });
}

function middle(length: number) {
  const start = Math.max(0, Math.floor((length - MOST) / 2));
  return zarr.slice(start, Math.min(length, start + MOST));
}

/** The index in a level, whose axis may be shorter than that of the finest level. */
const coarseIndex = (index: number, length: number, coarse: number): number =>
  Math.min(coarse - 1, Math.floor((index * coarse) / Math.max(1, length)));
