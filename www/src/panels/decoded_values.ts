/**
 * Decodes values and coordinates by CF's attributes, with units. The page shows them instead of
 * stored values.
 */

import * as zarr from "zarr-wasm";
import type { ArrayNode } from "../opening/dataset.js";
import { momentText } from "../scene/value_text.js";
import { roundedText } from "../text/numbers.js";

type Selection = Parameters<ArrayNode["get"]>[0];

/** Arrays with invalid attributes. Their stored values are shown. */
const asStored = new WeakSet<ArrayNode>();

/**
 * Reads and decodes a selection. The fill value of a v2 array means "missing" only in data of
 * xarray, which has `_ARRAY_DIMENSIONS`. In other data it is a value, such as black.
 */
export async function decodedValues(array: ArrayNode, selection: Selection, signal: AbortSignal) {
  if (asStored.has(array)) return array.get(selection, { signal });
  const zarrFillValue = "_ARRAY_DIMENSIONS" in array.attrs;
  try {
    return await array.get(selection, { signal, decode: { convention: "cf", zarrFillValue } });
  } catch (error) {
    const isOfAttributes = error instanceof zarr.ZarrError && /^the attribute /.test(error.message);
    if (!isOfAttributes) throw error;
    asStored.add(array);
    return array.get(selection, { signal });
  }
}

/** The units of an array's values. Counts of time are shown as dates, without units. */
export function unitsOf({ attrs }: ArrayNode): string {
  const { units } = attrs;
  return typeof units === "string" && units.length <= 40 && !/ since /i.test(units) ? units : "";
}

/** The name of a place along a dimension: a date, or a number with its unit. */
export type PlaceName = (index: number) => string;

async function nameOf(coordinates: zarr.Coordinates): Promise<PlaceName> {
  const moments = coordinates.time ? await coordinates.moments() : [];
  return (index) => {
    const moment = moments[index];
    if (moment) return momentText(moment);
    const value = coordinates.values[index];
    if (typeof value === "string") return value;
    if (value === undefined || Number.isNaN(value)) return "";
    return `${roundedText(value)} ${coordinates.units ?? ""}`.trim();
  };
}

/** Maximum length of a dimension whose coordinates are read. */
const MOST = 1_000_000;

/** The names of the places along each dimension; undefined for one without coordinates. */
export async function placeNames(array: ArrayNode, signal: AbortSignal): Promise<(PlaceName | undefined)[]> {
  const named = array.shape.map(async (length, axis): Promise<PlaceName | undefined> => {
    if (length > MOST) return undefined;
    try {
      return await nameOf(await zarr.coords(array, axis, { signal }));
    } catch {
      // The picture is usable without the names of places.
      return undefined;
    }
  });
  return Promise.all(named);
}
