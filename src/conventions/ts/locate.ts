/**
 * `at` and `between` select elements by the values of their coordinates. `locate` replaces them in
 * a selection by indices.
 */

import type { AnyArray } from "../../api/array.ts";
import { needArray } from "../../api/node_facts.ts";
import {
  type AnySelection,
  AtValue,
  BetweenValues,
  type ByValue,
  type CoordinateValue,
  type DimensionSelection,
  isByValue,
  NEAREST_RULES,
  type NearestOptions,
  Points,
} from "../../api/selection.ts";
import { isReadable, need, optionsOf } from "../../engine/ts/model/argument.ts";
import type { Slice } from "../../engine/ts/model/types.ts";
import { COORDS_RULES, type CoordsOptions, coords } from "./coordinates.ts";

/** Whether a selection contains `at` or `between`. */
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

/** A selection of the same form, with indices instead of values. */
type Located<Selection> = Selection extends Points | null | undefined
  ? Selection
  : {
      [Entry in keyof Selection]: Selection[Entry] extends ByValue
        ? number | number[] | Slice
        : Selection[Entry];
    };

/**
 * Replaces `at` and `between` in a selection by indices and slices. `array.get` and `array.set` do
 * this first. Reads the coordinates at each call.
 *
 * @param array The array, whose coordinates are read.
 * @param selection A selection, as `array.get` takes it.
 * @returns a selection of the same form, with indices in place of values.
 * @throws an `InvalidSelectionError` for a value without an element.
 * @throws a `NotFoundError` for a dimension without coordinates.
 */
export async function locate<Selection extends AnySelection | null | undefined>(
  array: AnyArray,
  selection: Selection,
  options: CoordsOptions = {},
): Promise<Located<Selection>> {
  return (await locatedAll(array, selection, options)) as Located<Selection>;
}

async function locatedAll(
  array: AnyArray,
  selection: AnySelection | null | undefined,
  options: CoordsOptions,
): Promise<AnySelection | null | undefined> {
  needArray(array);
  optionsOf(options, COORDS_RULES);
  need(isReadable(selection) && typeof (selection ?? {}) === "object", "selection", undefined, selection);
  if (!hasValues(selection)) return selection;
  if (globalThis.Array.isArray(selection)) {
    const before = selection.indexOf("...");
    const missing = array.shape.length - selection.length + 1;
    const axisOf = (idx: number) => (before >= 0 && idx > before ? idx + missing - 1 : idx);
    return Promise.all(
      selection.map((entry, idx) => (isByValue(entry) ? located(array, axisOf(idx), entry, options) : entry)),
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
 * Selects the element whose coordinate is nearest to a value, or one element for each value of a
 * list. It is used instead of an index.
 *
 *     array.get({ lat: at(51.5), time: at("2000-01-01") })
 *
 * @param value A value in the units of the coordinate, a date for a time axis, or a list of them.
 */
export const at = (
  value: CoordinateValue | readonly CoordinateValue[],
  options: NearestOptions = {},
): AtValue => new AtValue(value, optionsOf(options, NEAREST_RULES), locate);

/**
 * Selects the elements whose coordinates are between two values, both included, in either order. A
 * date without a time means midnight. It is used instead of a slice.
 *
 *     array.get({ time: between("2000-01-01", "2000-12-31T23:59") })
 *
 * @param from One end, in the units of the coordinate; null for no bound.
 * @param to The other end; null for no bound.
 */
export const between = (from: CoordinateValue | null, to: CoordinateValue | null): BetweenValues =>
  new BetweenValues(from, to, locate);
