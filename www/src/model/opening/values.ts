/**
 * Reads the values of an array without a plane: a single value, the first values along its last
 * dimension, or the first strings. `widgets/panels/values.ts` shows them.
 */

import * as zarr from "zarr-wasm";
import { coordinatesOf, textOf } from "../scene/coordinates.js";
import { decoded } from "../scene/lenient_reads.js";
import { elementText } from "../text/element_text.js";
import type { ArrayNode } from "./dataset.js";

/** Maximum numbers of values for a curve and for a list. */
const READ = 100_000;
const LISTED = 400;
/** Maximum size of what is read. An element may have 16 MiB. */
const READ_BYTES = 32 * 2 ** 20;

/** The first values of an array. */
export interface Values {
  count: number;
  texts: string[];
  /** The numbers of the curve, if the array has one dimension of numbers. */
  numbers: number[];
}

export async function readValues(array: ArrayNode, signal: AbortSignal): Promise<Values> {
  const count = array.shape.reduce((product, length) => product * length, 1);
  if (count === 0) return { count, texts: [], numbers: [] };
  const result = await firstElements(array, count, signal);
  const read = result.shape.reduce((product, length) => product * length, 1);
  const isLine = array.shape.length === 1;
  const coordinates = isLine && array.dimensionNames?.[0] ? await coordinatesOf(array, 0, { signal }) : null;
  // The values of a coordinate variable are its positions. Only dates say more.
  const isNamed = coordinates?.path && (coordinates.time || coordinates.path !== array.path);
  const name = isNamed ? await textOf(coordinates) : () => "";
  const units = unitsOf(array);
  const text = (index: number) => {
    const [position, value] = [name(index), `${elementText(result, index)} ${units}`.trim()];
    return position === "" || position === value ? value : `${value}  (${position})`;
  };
  const isCurve = isLine && isNumeric(array.dtype) && read > 1;
  const numbers = isCurve ? Array.from(result.data as ArrayLike<number | bigint>, Number) : [];
  return { count, texts: Array.from({ length: Math.min(read, LISTED) }, (_, at) => text(at)), numbers };
}

/** The units of an array's values. Counts of time are shown as dates, without units. */
function unitsOf({ attrs: { units } }: ArrayNode): string {
  return typeof units === "string" && units.length <= 40 && !/ since /i.test(units) ? units : "";
}
export const isNumeric = (dtype: string) => /^(bool|u?int(8|16|32|64)|float(16|32|64))$/.test(dtype);
/** All elements of a small array, in C order; of a large one the first of its last dimension. */
async function firstElements(array: ArrayNode, count: number, signal: AbortSignal) {
  const last = array.shape.length - 1;
  const firstOf = (most: number) =>
    array.shape.map((_length, axis) => (axis === last ? zarr.slice(0, most) : 0));
  const one = await array.plan(firstOf(1), { signal });
  const most = Math.max(1, Math.floor(READ_BYTES / Math.max(1, one.resultBytes)));
  const selection = count <= Math.min(LISTED, most) ? null : firstOf(Math.min(READ, most));
  return decoded(array, (decode) =>
    decode ? array.get(selection, { signal, decode }) : array.get(selection, { signal }),
  );
}
