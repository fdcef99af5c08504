/**
 * A read request as the engine takes it (`src/engine/rust/js/read.rs`), and the numbers that answer
 * a request for a summary. `api/selection.ts` makes the selection from the caller's.
 */

import type {
  ConversionRequest,
  DimensionSelection,
  Growth,
  ReadRequest,
  Selection,
} from "../../../contract/contract.ts";

export type Integer = number | bigint;
export type EngineSelection = Selection;
export type EngineDimension = DimensionSelection;
export type EngineRequest = ReadRequest;
export type { ConversionRequest, Growth };

/**
 * The index of each number of a summary. The bins are last. `index` in `src/kernel/summary.rs`
 * defines the same indices.
 */
export const SUMMARY_INDEX = {
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
  const numbers = new Float64Array(SUMMARY_INDEX.bins + bins);
  numbers[SUMMARY_INDEX.lowest] = Number.POSITIVE_INFINITY;
  numbers[SUMMARY_INDEX.highest] = Number.NEGATIVE_INFINITY;
  return numbers;
}

/**
 * Adds the summary `found` to `numbers`, `times` times. A fill value is counted once and added once
 * per element.
 */
export function addSummary(numbers: Float64Array, found: Float64Array, times: number): void {
  for (let at = 0; at < numbers.length; at += 1) {
    const [before, added] = [numbers[at] as number, found[at] as number];
    if (at === SUMMARY_INDEX.lowest) numbers[at] = Math.min(before, added);
    else if (at === SUMMARY_INDEX.highest) numbers[at] = Math.max(before, added);
    else numbers[at] = before + added * times;
  }
}
