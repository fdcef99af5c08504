/** Which values become the darkest and the brightest colour, found from the values on show. Values only. */

import { NO_VALUE, type Tile } from "./tile.js";

export interface Range {
  low: number;
  high: number;
}

export interface Distribution {
  /** Smallest and largest sampled value. */
  extent: Range;
  /** Limits that leave out the outermost half percent on either side. */
  automatic: Range;
  /** How many sampled values fall into each of equal steps of the extent. */
  histogram: number[];
}

const SAMPLES = 60_000;
const BINS = 96;
const LEFT_OUT = 0.005;

/** What the values of these tiles look like, from an even sample; null when none of them is a number. */
export function distribution(tiles: readonly Tile[]): Distribution | null {
  const values = sample(tiles).sort();
  const first = values[0];
  const last = values.at(-1);
  if (first === undefined || last === undefined) return null;
  const at = (share: number) => values[Math.round(share * (values.length - 1))] ?? first;
  const trimmed = { low: at(LEFT_OUT), high: at(1 - LEFT_OUT) };
  // A mask or a sparse label image is nearly all one value: what is left out there is all there is to see.
  const automatic = trimmed.low < trimmed.high ? trimmed : { low: first, high: last };
  return {
    extent: widened(first, last),
    automatic: widened(automatic.low, automatic.high),
    histogram: bins(values),
  };
}

function sample(tiles: readonly Tile[]): Float32Array {
  const total = tiles.reduce((sum, tile) => sum + tile.floats.length, 0);
  // An odd step does not fall into the rhythm of the rows.
  const step = Math.max(1, Math.floor(total / SAMPLES)) | 1;
  const values = new Float32Array(Math.ceil(total / step) + tiles.length);
  let count = 0;
  for (const { floats } of tiles) {
    for (let index = 0; index < floats.length; index += step) {
      const value = floats[index];
      if (value !== undefined && value !== Math.fround(NO_VALUE)) values[count++] = value;
    }
  }
  return values.subarray(0, count);
}

function bins(sorted: Float32Array): number[] {
  const counts = new globalThis.Array<number>(BINS).fill(0);
  const first = sorted[0] ?? 0;
  const span = (sorted.at(-1) ?? 0) - first || 1;
  for (const value of sorted) {
    const bin = Math.min(BINS - 1, Math.floor(((value - first) / span) * BINS));
    counts[bin] = (counts[bin] ?? 0) + 1;
  }
  return counts;
}

/** A range that is never empty: one value alone is drawn as the low end. */
function widened(low: number, high: number): Range {
  return { low, high: high > low ? high : low + Math.max(1, Math.abs(low) * 1e-6) };
}
