/**
 * Resolves a slice for a dimension, as Python's `slice.indices` does. It is part of zarrita's
 * internal exports, and is used for reads through a replaced `getChunk`.
 */
import { InvalidSelectionError } from "../model/errors.ts";
import type { Indices, Slice } from "../model/types.ts";

/**
 * Returns the `[start, stop, step]` of a slice, clipped to a dimension of this length. Throws an
 * `InvalidSelectionError` for step 0.
 */
export function sliceIndices({ start, stop, step }: Slice, length: number): Indices {
  if (step === 0) throw new InvalidSelectionError("slice step cannot be zero");
  const by = step ?? 1;
  const [lowest, highest] = by < 0 ? [-1, length - 1] : [0, length];
  const clip = (bound: number) => (bound < 0 ? Math.max(bound + length, lowest) : Math.min(bound, highest));
  const [first, last] = by < 0 ? [highest, lowest] : [lowest, highest];
  return [start === null ? first : clip(start), stop === null ? last : clip(stop), by];
}
