/**
 * Values with a layout: NumPy's broadcasting rules, and iteration. Strides are in elements; stride
 * 0 repeats one element.
 */

import { loopsOver } from "../../engine/ts/elements/loops.ts";
import { product } from "../../engine/ts/elements/typed_arrays.ts";
import { isReadable, refuse } from "../../engine/ts/model/argument.ts";
import type { TypeDescription } from "../../engine/ts/model/data_type.ts";

/** Numbers per element: two for complex ones. */
export const unitsOf = ({ kind }: TypeDescription): number => (kind === "complex" ? 2 : 1);

/** Whether a value is a list of integers, none below the lowest. */
export const areIntegers = (list: unknown, lowest: number): list is readonly number[] =>
  isReadable(list) &&
  Array.isArray(list) &&
  Array.from(list).every((entry) => Number.isSafeInteger(entry) && entry >= lowest);

/** Values and their layout. */
export interface Values {
  /** A typed array, a plain array, one of zarrita's classes, or the columns of structs. */
  data: unknown;
  shape: readonly number[];
  stride: readonly number[];
}

/** What is told of values that cannot be broadcast. The engine says the same of a selection. */
export const UNFIT = "the values cannot be broadcast to the selection";

/**
 * Broadcasts values of a field to all structs: extents of 1 and missing leading dimensions repeat.
 * Throws an `Argument` error if they do not fit.
 */
export function broadcast({ data, shape, stride }: Values, target: readonly number[]): Values {
  const missing = target.length - shape.length;
  const isExtra = (axis: number) => axis < -missing;
  const fits = shape.every((extent, axis) =>
    isExtra(axis) ? extent === 1 : extent === 1 || extent === target[axis + missing],
  );
  if (!fits) {
    refuse(UNFIT, `shape [${target}], or one that can be broadcast to it`, `shape [${shape}]`);
  }
  const spread = target.map((_, axis) => {
    const own = axis - missing;
    return own < 0 || shape[own] === 1 ? 0 : (stride[own] as number);
  });
  return { data, shape: target, stride: spread };
}

/**
 * Calls `visit` with the index of each row's first value, in C order. A row has `shape.at(-1)`
 * values, `stride.at(-1)` apart.
 */
export function eachRow(
  { shape, stride }: Pick<Values, "shape" | "stride">,
  visit: (start: number) => void,
): void {
  if (product(shape) === 0) return;
  const rows = loopsOver(shape.slice(0, -1), stride);
  for (; rows.left > 0; rows.next()) visit(rows.source);
}

/** The index of the element at a position in C order. */
export function indexAt(shape: readonly number[], position: number): number[] {
  const index = shape.map(() => 0);
  let rest = position;
  for (let axis = shape.length - 1; axis >= 0; axis -= 1) {
    const extent = shape[axis] as number;
    index[axis] = rest % extent;
    rest = Math.floor(rest / extent);
  }
  return index;
}

/** The position text of a single value. */
export const ONE = "";

/** The position of a value in a shape, as text for error messages. */
export function indexText(linear: number, shape: readonly number[]): string {
  return shape.length === 0 ? ONE : `[${indexAt(shape, linear).join(", ")}]`;
}

/** Indexable values: arrays, typed arrays, and zarrita's classes, whose `get` is faster. */
type Entries = ArrayLike<unknown> & { get?(at: number): unknown };

/** Returns a function that reads the entry at an index. */
export function entryOf(data: unknown): (at: number) => unknown {
  const entries = data as Entries;
  return typeof entries.get === "function" ? (at) => entries.get?.(at) : (at) => entries[at];
}

/** The values in C order, as a list. */
export function gather(values: Values): unknown[] {
  const { shape, stride, data } = values;
  const entry = entryOf(data);
  const gathered: unknown[] = [];
  const [count, step] = [shape.at(-1) ?? 1, stride.at(-1) ?? 0];
  eachRow(values, (start) => {
    for (let at = 0; at < count; at += 1) gathered.push(entry(start + at * step));
  });
  return gathered;
}
