/**
 * `locate`: a selection in which values of coordinates stand (`at`, `between`), as one by place.
 */
import type { Array as ZarrArray } from "../api/array.ts";
import { AtValue, type ByValue, isByValue } from "../api/by_value.ts";
import { type AnySelection, type DimensionSelection, Points } from "../api/selection.ts";
import type { DataType, Readable } from "../model/types.ts";
import { type CoordsOptions, coords } from "./coordinates.ts";

type AnyArray = ZarrArray<DataType, Readable>;

/** Whether somebody has to look up where values are. */
export function hasValues(selection: AnySelection | null | undefined): boolean {
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
  if (globalThis.Array.isArray(value)) return value.map((one) => found.nearest(one, how));
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
