/**
 * What zarrita's internal exports and reads through a replaced `getChunk` share: slices of a
 * dimension, as Python's `slice.indices` resolves them; and arrays of the same class as another
 * one: a typed array, a list, or one of zarrita's classes.
 */
import { InvalidSelectionError, ZarrError } from "../../engine/ts/model/errors.ts";
import type { Indices, Slice } from "../../engine/ts/model/types.ts";

/** An instance of the class of elements. Only classes of strings of fixed length have `chars`. */
export interface Elements {
  constructor: unknown;
  chars?: number;
  BYTES_PER_ELEMENT?: number;
}

/** Makes an array of the class of `data` with another length, in shared memory if asked. */
export function emptyLike(data: Elements, length: number, isShared = false): unknown {
  if (Array.isArray(data)) return new Array(length);
  if (typeof data.constructor !== "function")
    throw new ZarrError("Argument", "the array's elements are not in a list or a typed array");
  const Holding = data.constructor as new (...args: unknown[]) => unknown;
  const width = data.chars === undefined ? [] : [data.chars];
  if (!isShared) return new Holding(...width, length);
  const memory = new SharedArrayBuffer(length * (data.BYTES_PER_ELEMENT as number));
  return new Holding(...width, memory, 0, length);
}

/**
 * Returns the `[start, stop, step]` of a slice, clipped to a dimension, as Python's `slice.indices`
 * does. It is for `@zarrita/ndarray`.
 *
 * @param length The number of elements of the dimension.
 * @throws an `InvalidSelectionError` for step 0.
 */
export function sliceIndices({ start, stop, step }: Slice, length: number): Indices {
  if (step === 0) throw new InvalidSelectionError("slice step cannot be zero");
  const by = step ?? 1;
  const [lowest, highest] = by < 0 ? [-1, length - 1] : [0, length];
  const clip = (bound: number) => (bound < 0 ? Math.max(bound + length, lowest) : Math.min(bound, highest));
  const [first, last] = by < 0 ? [highest, lowest] : [lowest, highest];
  return [start === null ? first : clip(start), stop === null ? last : clip(stop), by];
}
