/**
 * Arrays that lie over the array that is reduced: labels, weights and masks. They have some of its
 * dimensions, by name, and cover the whole array; the selection cuts them.
 */
import type { AnyArray } from "../../api/array.ts";
import { FACTS } from "../../api/node_facts.ts";
import { dimensionNamesOf } from "../../api/selection.ts";
import { product } from "../../engine/ts/elements/typed_arrays.ts";
import { needList, object, refuse, refuseField } from "../../engine/ts/model/argument.ts";
import { ZarrError } from "../../engine/ts/model/errors.ts";
import type { Spread } from "./request.ts";
import type { SelectedAxis } from "./selected_axes.ts";

/** Numbers in memory that lie over an array. */
export interface NumbersOver {
  /** The numbers, in C order. */
  data: ArrayLike<number | bigint | boolean>;
  /** The extents. */
  shape: readonly number[];
  /**
   * Names or indices of dimensions of the array. Default: all of its dimensions, in their order.
   */
  dimensionNames?: readonly (string | number | null)[] | undefined;
  /**
   * The index in the array of the first number along each dimension: the numbers lie over a part of
   * the array, and 0 over the rest. Default: they lie over all of it.
   */
  offset?: readonly number[] | undefined;
}

/** Labels, weights or a mask over an array: another array, or numbers in memory. */
export type Over = AnyArray | NumbersOver;

/** The array that is reduced, and its selected places. */
export interface Reduced {
  array: AnyArray;
  axes: readonly SelectedAxis[];
  /** The names of its dimensions; undefined if it has none. */
  names: (string | null)[] | undefined;
}

/**
 * The dimension with a name, or of an index. An index is also a text if no dimension has that name,
 * as keys of objects are texts: `{ coarsen: { 0: 4 } }`.
 */
export function axisOf({ array, names }: Reduced, dimension: string | number, field: string): number {
  const rank = array.shape.length;
  const named = names?.indexOf(dimension as string) ?? -1;
  const isIndex = typeof dimension === "string" ? /^\d+$/.test(dimension) : typeof dimension === "number";
  const axis = named < 0 && isIndex ? Number(dimension) : named;
  if (Number.isInteger(axis) && axis >= 0 && axis < rank) return axis;
  const known = names?.map((name) => JSON.stringify(name)).join(", ") ?? `0 to ${rank - 1}`;
  return refuseField(field, rank === 0 ? "absent: the array has no dimensions" : known, dimension);
}

/**
 * The dimensions that a caller lists. A name and an index may mean the same one, which is refused.
 */
export function axesOf(reduced: Reduced, dimensions: readonly (string | number)[], field: string): number[] {
  const axes = dimensions.map((dimension) => axisOf(reduced, dimension, field));
  const again = axes.findIndex((axis, at) => axes.indexOf(axis) < at);
  if (again >= 0)
    refuse(`the option ${field} names a dimension twice`, "each dimension once", dimensions.join(", "));
  return axes;
}

const isArray = (over: Over): over is AnyArray => FACTS in over;

/** A number of a caller's list. Throws an `Argument` error for anything else. */
export function numberIn(value: unknown, field: string): number {
  const isNumber = ["number", "bigint", "boolean"].includes(typeof value);
  return isNumber ? Number(value) : refuseField(field, "numbers alone", value);
}

/** What lies over the array, with lists that can be read. */
function checked(over: Over, field: string): Over {
  object(over, field);
  if (isArray(over)) return over;
  const { data, shape, dimensionNames, offset } = over;
  needList(data, `${field}.data`);
  needList(shape, `${field}.shape`);
  if (dimensionNames !== undefined) needList(dimensionNames, `${field}.dimensionNames`);
  if (offset !== undefined) needList(offset, `${field}.offset`);
  const count = product(Array.from(shape));
  if (data.length !== count)
    refuse(`the option ${field} has another number of values than its shape`, String(count), data.length);
  return {
    data,
    shape: Array.from(shape),
    dimensionNames: dimensionNames && Array.from(dimensionNames),
    offset: offset && Array.from(offset),
  };
}

/** Whether numbers with an offset are within the array, or others over all of it. */
function liesOver(over: Over, extents: readonly number[]): boolean {
  const offset = isArray(over) ? undefined : over.offset;
  if (!offset) return extents.every((extent, at) => over.shape[at] === extent);
  const isWithin = (first: number | undefined, at: number) =>
    Number.isSafeInteger(first) &&
    Number(first) >= 0 &&
    Number(first) + (over.shape[at] ?? 0) <= (extents[at] ?? 0);
  return offset.length === extents.length && extents.every((_, at) => isWithin(offset[at], at));
}

/** The dimensions of the array that another one lies over, in the order of the other one. */
function axesUnder(reduced: Reduced, over: Over, field: string): number[] {
  const named = isArray(over) ? dimensionNamesOf(over[FACTS]) : over.dimensionNames;
  const { shape } = reduced.array;
  if (!named && over.shape.length !== shape.length)
    refuse(`the option ${field} has no names of dimensions`, `${shape.length} dimensions`, over.shape);
  const axes = named?.map((name) => axisOf(reduced, name ?? "", field)) ?? [...shape.keys()];
  const extents = axes.map((axis) => shape[axis] as number);
  const isOnce = new Set(axes).size === axes.length;
  if (liesOver(over, extents) && isOnce && axes.length === over.shape.length) return axes;
  return refuse(`the option ${field} does not lie over the array`, extents.join(" × "), over.shape);
}

/**
 * What each selected place along a dimension adds to the place in `data`; NaN outside of numbers
 * with an offset.
 */
function stepsAlong({ shape, offset }: NumbersOver, { indices }: SelectedAxis, axis: number): number[] {
  const [first, extent] = [offset?.[axis] ?? 0, shape[axis] as number];
  const stride = product(shape.slice(axis + 1));
  return indices.map((index) => {
    const own = index - first;
    return own >= 0 && own < extent ? own * stride : Number.NaN;
  });
}

/** The most numbers in memory that lie over the selected places. */
const MAX_NUMBERS = 2 ** 26;

/** The number of places. Throws a `Limit` error if they are too many. */
function countWithin(shape: readonly number[], field: string): number {
  const count = product(shape);
  if (count <= MAX_NUMBERS) return count;
  throw new ZarrError("Limit", `the option ${field} lies over too many selected places`, {
    expected: `at most ${MAX_NUMBERS}`,
    actual: String(count),
  });
}

/** The numbers of the selected places, in the order of the other array's dimensions. */
async function selectedNumbers(
  over: Over,
  axes: readonly SelectedAxis[],
  field: string,
  signal: AbortSignal | undefined,
): Promise<Float64Array> {
  const shape = axes.map(({ indices }) => indices.length);
  if (isArray(over)) {
    const selection = axes.map(({ indices }) => indices.map((index) => index));
    return (await over.get(selection, { as: "float64", signal })).data;
  }
  const numbers = new Float64Array(countWithin(shape, field));
  const steps = axes.map((axis, at) => stepsAlong(over, axis, at));
  const places = axes.map(() => 0);
  for (let at = 0; at < numbers.length; at += 1) {
    let element = 0;
    for (const [axis, place] of places.entries()) element += steps[axis]?.[place] as number;
    if (element >= 0) numbers[at] = numberIn(over.data[element], field);
    for (let axis = places.length - 1; axis >= 0; axis -= 1) {
      places[axis] = (places[axis] as number) + 1;
      if ((places[axis] as number) < (shape[axis] as number)) break;
      places[axis] = 0;
    }
  }
  return numbers;
}

/** The same numbers with dimensions in ascending order. */
function ascending(axes: readonly number[], shape: readonly number[], values: Float64Array): Spread {
  const order = [...axes.keys()].sort((one, other) => (axes[one] as number) - (axes[other] as number));
  const sorted = order.map((at) => axes[at] as number);
  if (order.every((from, to) => from === to)) return { axes: sorted, values };
  const strides = shape.map((_, at) => product(shape.slice(at + 1)));
  const extents = order.map((at) => shape[at] as number);
  const steps = order.map((at) => strides[at] as number);
  const turned = new Float64Array(values.length);
  for (let at = 0; at < turned.length; at += 1) {
    let [rest, from] = [at, 0];
    for (let axis = extents.length - 1; axis >= 0; axis -= 1) {
      const extent = extents[axis] as number;
      from += (rest % extent) * (steps[axis] as number);
      rest = Math.floor(rest / extent);
    }
    turned[at] = values[from] as number;
  }
  return { axes: sorted, values: turned };
}

/** The numbers of another array over the selected places. */
export async function spreadOf(
  reduced: Reduced,
  given: Over,
  field: string,
  signal: AbortSignal | undefined,
): Promise<{ axes: readonly number[]; values: Float64Array }> {
  const over = checked(given, field);
  const axes = axesUnder(reduced, over, field);
  const selected = axes.map((axis) => reduced.axes[axis] as SelectedAxis);
  const values = await selectedNumbers(over, selected, field, signal);
  const shape = selected.map(({ indices }) => indices.length);
  return ascending(axes, shape, values) as { axes: readonly number[]; values: Float64Array };
}
