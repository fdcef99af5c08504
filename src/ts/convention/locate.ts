/**
 * `locate`: a selection in which values of coordinates stand (`at`, `between`), as one by place; and those words themselves.
 */
import type { Array as ZarrArray } from "../api/array.ts";
import {
  AtValue,
  BetweenValues,
  type ByValue,
  type CoordinateValue,
  isByValue,
  type NearestOptions,
} from "../api/by_value.ts";
import { type AnySelection, type DimensionSelection, Points } from "../api/selection.ts";
import type { DataType, Readable } from "../model/types.ts";
import { type CoordsOptions, coords } from "./coordinates.ts";

type AnyArray = ZarrArray<DataType, Readable>;

/** Whether somebody has to look up where values are. */
function hasValues(selection: AnySelection | null | undefined): boolean {
  if (selection === null || selection === undefined || selection instanceof Points) return false;
  return Object.values(selection).some(isByValue);
}

async function located(
  array: AnyArray,
  dimension: string | number,
  entry: ByValue,
  options: CoordsOptions,
): Promise<DimensionSelection> {
  const found = await coords(array, dimension, options);
  if (!(entry instanceof AtValue)) return found.range(entry.from, entry.to);
  const { value, options: how } = entry;
  if (globalThis.Array.isArray(value)) return Promise.all(value.map((one) => found.nearest(one, how)));
  return found.nearest(value as number, how);
}

/**
 * A selection with the places that values of coordinates are at: what `array.get` and `array.set` do with `at` and `between` first. The
 * coordinates are read anew.
 */
export async function locate(
  array: AnyArray,
  selection: AnySelection | null | undefined,
  options: CoordsOptions = {},
): Promise<AnySelection | null | undefined> {
  if (!hasValues(selection)) return selection;
  if (globalThis.Array.isArray(selection)) {
    const before = selection.indexOf("...");
    const missing = array.shape.length - selection.length + 1;
    const axisOf = (place: number) => (before >= 0 && place > before ? place + missing - 1 : place);
    return Promise.all(
      selection.map((entry, place) =>
        isByValue(entry) ? located(array, axisOf(place), entry, options) : entry,
      ),
    );
  }
  const entries = Object.entries(selection as Record<string, DimensionSelection>).map(
    async ([name, entry]) => {
      return [name, isByValue(entry) ? await located(array, name, entry, options) : entry] as const;
    },
  );
  return Object.fromEntries(await Promise.all(entries));
}

/**
 * In place of an index: the element whose coordinate is nearest to a value. Of a list of values, the elements in its order.
 * `array.get({ lat: at(51.5), time: at("2000-01-01") })`
 */
export const at = (
  value: CoordinateValue | readonly CoordinateValue[],
  options: NearestOptions = {},
): AtValue => new AtValue(value, options, locate);

/**
 * In place of a slice: the elements whose coordinates are from one value to another, both included, in either order; null is
 * no bound. A date without a clock is its midnight, not all of its day.
 * `array.get({ time: between("2000-01-01", "2000-12-31T23:59") })`
 */
export const between = (from: CoordinateValue | null, to: CoordinateValue | null): BetweenValues =>
  new BetweenValues(from, to, locate);
