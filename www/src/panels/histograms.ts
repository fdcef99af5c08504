/**
 * Reads the histogram of the visible plane from the coarsest level. Users set limits with it.
 */

import * as zarr from "zarr-wasm";
import { middleOf, planeSelection } from "../scene/level_selection.js";
import type { Scene } from "../scene/scene.js";

const BINS = 128;

export interface HistogramChoice {
  signal: AbortSignal;
  /** The index along the channel axis. */
  channel?: number;
}

/** `indices` are those of the axes by name. */
export async function coarseHistogram(
  { pyramid, axes, plane, decode }: Scene,
  indices: Record<string, number>,
  { signal, channel }: HistogramChoice,
): Promise<zarr.Histogram> {
  const level = pyramid.levels.at(-1);
  if (!level) throw new zarr.ZarrError("Argument", "the pyramid has no level");
  const at = axes.map(({ name, role }) => (role === "c" ? channel : undefined) ?? indices[name] ?? 0);
  const choice = { plane, at };
  const selection = planeSelection(pyramid, level, choice, middleOf(level, choice));
  return zarr.histogram(level.array, { selection, bins: BINS, signal, ...(decode && { decode }) });
}
