/**
 * A read request as the engine takes it (`src/engine/js/read.rs`), and the numbers that answer a
 * request for a summary. `api/selection.ts` makes the selection from the caller's.
 */

export type Integer = number | bigint;

export type EngineSelection = { Orthogonal: EngineDimension[] } | { Points: Integer[][] };
export type EngineDimension =
  | "All"
  | { Index: Integer }
  | { Slice: { start?: Integer; stop?: Integer; step?: Integer } }
  | { List: Integer[] };

/** How the decoder converts elements. `src/core/format/conversion.rs` reads it. */
export interface ConversionRequest {
  unpacking?: number[];
  to?: string;
  shading?: number[];
  /** Three numbers per label with its own colour: lower and upper 32 bits, bytes of the colour. */
  labels?: number[];
  /** Whether each number is followed by its mask. */
  mask?: boolean;
  /** Each part answers with a summary instead of elements: the range and number of bins. */
  summary?: [low: number, high: number, bins: number];
}

/** How the parts of a reduction grow. */
export interface Growth {
  /** Dimensions in the order in which parts grow, the last one first. */
  order: readonly number[];
  /** The dimensions along which different parts have no cell in common. */
  apart: readonly number[];
  /** The bytes that a part aims at, decoded. */
  bytes: number;
  /** The bytes of parts, decoded, whose ranges of shards are asked for together. */
  together: number;
}

export interface EngineRequest {
  selection: EngineSelection;
  /** Dimensions of the result in memory order, slowest first. */
  order?: readonly number[];
  growth?: Growth;
  /** Whether the first parts are spread over the result. */
  spreads?: boolean;
  /** The caller consumes the parts one by one, so the result's size is not limited. */
  streamed?: boolean;
  /** The index at which the read should begin, in the array's dimensions. Default: the middle. */
  nearest?: number[];
  /** Requests with a higher priority are fetched and decoded first. */
  priority?: number;
  /** Bypass all caches. */
  reload?: boolean;
  conversion?: ConversionRequest;
}

/**
 * The index of each number of a summary. The bins are last. `place` in `src/kernel/summary.rs`
 * defines the same indices.
 */
export const PLACES = {
  count: 0,
  missing: 1,
  below: 2,
  above: 3,
  lowest: 4,
  highest: 5,
  sum: 6,
  bins: 7,
} as const;

/** An empty summary. */
export function newSummary(bins: number): Float64Array {
  const numbers = new Float64Array(PLACES.bins + bins);
  numbers[PLACES.lowest] = Number.POSITIVE_INFINITY;
  numbers[PLACES.highest] = Number.NEGATIVE_INFINITY;
  return numbers;
}

/**
 * Adds the summary `found` to `numbers`, `times` times. A fill value is counted once and added once
 * per element.
 */
export function addSummary(numbers: Float64Array, found: Float64Array, times: number): void {
  for (let at = 0; at < numbers.length; at += 1) {
    const [before, added] = [numbers[at] as number, found[at] as number];
    if (at === PLACES.lowest) numbers[at] = Math.min(before, added);
    else if (at === PLACES.highest) numbers[at] = Math.max(before, added);
    else numbers[at] = before + added * times;
  }
}
