/** Which values become the darkest and the brightest colour, found from the values on show. Values only. */

import { Histogram } from "zarr-wasm";
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
/** Of these the limits are found: their width is how exact they are. */
const FINE = 4096;
const LEFT_OUT = 0.005;

/** What the values of these tiles look like, from an even sample; null when none of them is a number. */
export function distribution(tiles: readonly Tile[]): Distribution | null {
  const values = sample(tiles);
  const all = Histogram.of([values], { bins: FINE });
  if (all.count === 0) return null;
  const { low, high } = { low: all.quantile(LEFT_OUT), high: all.quantile(1 - LEFT_OUT) };
  // A mask or a sparse label image is nearly all one value: what is left out there is all there is to see.
  const automatic = high - low > (all.max - all.min) / FINE ? { low, high } : { low: all.min, high: all.max };
  return {
    extent: widened(all.min, all.max),
    automatic: widened(automatic.low, automatic.high),
    histogram: [...Histogram.of([values], { bins: BINS }).counts],
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

/** A range that is never empty: one value alone is drawn as the low end. */
function widened(low: number, high: number): Range {
  return { low, high: high > low ? high : low + Math.max(1, Math.abs(low) * 1e-6) };
}
