/**
 * Values and coordinates as CF's attributes mean them, with units: what the page shows in place of
 * what is stored.
 */

import * as zarr from "zarr-wasm";
import type { ArrayNode } from "../opening/dataset.js";
import { momentText } from "../scene/value_text.js";
import { roundedText } from "../text/numbers.js";

type Selection = Parameters<ArrayNode["get"]>[0];

/** Arrays whose attributes cannot be used: their values are shown as stored. */
const asStored = new WeakSet<ArrayNode>();

/**
 * The selected values, decoded. The fill value of a version 2 array means "missing" only to xarray,
 * which leaves its mark; elsewhere it is a value like others, such as the black of a picture.
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

/** The units of an array's values; counts of time have none that a number could stand before. */
export function unitsOf({ attrs }: ArrayNode): string {
  const { units } = attrs;
  return typeof units === "string" && units.length <= 40 && !/ since /i.test(units) ? units : "";
}

/** What a place along a dimension is called: a date, or a number with its unit. */
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

/**
 * The names of the places along every dimension that has coordinates; more than this many are not
 * read for it.
 */
const MOST = 1_000_000;

export async function placeNames(array: ArrayNode, signal: AbortSignal): Promise<(PlaceName | undefined)[]> {
  const named = array.shape.map(async (length, axis): Promise<PlaceName | undefined> => {
    if (length > MOST) return undefined;
    try {
      return await nameOf(await zarr.coords(array, axis, { signal }));
    } catch {
      // Not to know where one is takes nothing from the picture.
      return undefined;
    }
  });
  return Promise.all(named);
}
