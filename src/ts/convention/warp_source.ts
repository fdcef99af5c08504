/**
 * Finds the coordinates of an array's elements and their reference system for `warp`. The forms are
 * those of `src/kernel/warp`: an affine transform, coordinates of columns and rows, or a longitude
 * and latitude for each element.
 */

import type { AnyArray } from "../api/array.ts";
import { type ArrayFacts, FACTS } from "../api/node_facts.ts";
import { dimensionNamesOf } from "../api/selection.ts";
import { NotFoundError, shown, UnsupportedError, ZarrError } from "../model/errors.ts";
import { exactJson } from "../model/exact_json.ts";
import type { Attributes } from "../model/types.ts";
import { unlessAborted } from "../model/unless_aborted.ts";
import { projOfGridMapping } from "./cf_projection.ts";
import { type Coordinates, coords } from "./coordinates.ts";
import { besideOf } from "./known_nodes.ts";
import { type PlacedLevel, placedLevel, rememberedLevel } from "./placing.ts";
import { type CrsLike, LONLAT } from "./projection.ts";
import { pyramid } from "./pyramid.ts";
import type { Pyramid, PyramidAxis } from "./pyramid_model.ts";

/** A longitude and latitude for each element. The conventions module keeps it under `id`. */
export interface CurvilinearGrid {
  id: number;
  columns: number;
  rows: number;
  longitudes: Float64Array;
  latitudes: Float64Array;
}

/** The coordinates as numbers for the kernel. */
type Geometry =
  | { kind: "axes"; x: number[]; y: number[] }
  | { kind: "turned"; affine: readonly number[] }
  | { kind: "curvilinear"; grid: CurvilinearGrid };

export interface WarpSource {
  geometry: Geometry;
  crs: CrsLike;
  axes: readonly PyramidAxis[];
  /** The axes of the array that are columns (x) and rows (y). */
  plane: { x: number; y: number };
}

const LON = /^degrees?_?e(ast)?$/i;
const LAT = /^degrees?_?n(orth)?$/i;

interface Named {
  name: string;
  attrs: Attributes;
}

const says = (value: unknown, pattern: RegExp) => typeof value === "string" && pattern.test(value);

const isLongitude = ({ name, attrs }: Named) =>
  attrs.standard_name === "longitude" || says(attrs.units, LON) || /^lon(gitude)?$/i.test(name);
const isLatitude = ({ name, attrs }: Named) =>
  attrs.standard_name === "latitude" || says(attrs.units, LAT) || /^lat(itude)?$/i.test(name);

/** The reference system in the metadata, in a form that proj4 reads. */
async function crsOf(array: AnyArray, { crs }: Pyramid): Promise<CrsLike | undefined> {
  const said = crs?.code ?? crs?.wkt2 ?? crs?.projjson;
  if (said !== undefined || crs?.gridMapping === undefined) return said;
  const name = String(array.attrs.grid_mapping).split(/[ :]/)[0] ?? "";
  const mapping = await besideOf(array, name, undefined);
  return mapping && projOfGridMapping(mapping.attrs);
}

/** The geometry of a level: an affine transform if it has one, else two axes with even steps. */
function ofLevel({ level, pyramid: { plane } }: PlacedLevel): Geometry {
  const { affine, scale, translation, shape } = level;
  if (affine) return { kind: "turned", affine };
  const even = (axis: number) => [0, translation[axis] ?? 0, scale[axis] ?? 1, shape[axis] ?? 0];
  return { kind: "axes", x: even(plane.x), y: even(plane.y) };
}

/** The factor from a unit of length to metres. */
const metresOf = (units: unknown) => (says(units, /^(km|kilomet(er|re)s?)$/i) ? 1000 : 1);

/** The coordinates of an axis. Undefined if they are not strictly ascending or descending. */
function listed({ values, attrs }: Coordinates): number[] | undefined {
  if (!(values instanceof Float64Array) || values.length < 2) return undefined;
  const rises = (values[1] as number) > (values[0] as number);
  const isNext = (value: number, at: number) =>
    at === 0 || (rises ? value > (values[at - 1] as number) : value < (values[at - 1] as number));
  if (!values.every(isNext)) return undefined;
  const factor = metresOf(attrs.units);
  return [1, values.length, ...globalThis.Array.from(values, (value) => value * factor)];
}

async function coordinatesOf(array: AnyArray, axis: number): Promise<Coordinates | undefined> {
  try {
    const found = await coords(array, axis);
    return found.source === "variable" ? found : undefined;
  } catch (error) {
    if (error instanceof NotFoundError || error instanceof UnsupportedError) return undefined;
    throw error;
  }
}

type Found = Pick<WarpSource, "geometry" | "crs">;

/** The source of an array with coordinate variables for columns and rows. */
async function ofAxes(
  array: AnyArray,
  alone: Pyramid,
  from: CrsLike | undefined,
): Promise<Found | undefined> {
  const { plane } = alone;
  const [x, y] = await Promise.all([coordinatesOf(array, plane.x), coordinatesOf(array, plane.y)]);
  const [columns, rows] = [x && listed(x), y && listed(y)];
  if (!x || !y || !columns || !rows) return undefined;
  const named = ({ dimension, attrs }: Coordinates) => ({ name: dimension, attrs });
  const isGlobe = isLongitude(named(x)) && isLatitude(named(y));
  const crs = from ?? (isGlobe ? LONLAT : await crsOf(array, alone));
  return crs === undefined ? undefined : { geometry: { kind: "axes", x: columns, y: rows }, crs };
}

let nextGrid = 1;

/** Maximum number of elements in a curvilinear grid. */
const MOST_PLACES = 2 ** 24;

/** The values of a variable over rows and columns. Undefined if it has other dimensions. */
async function over(array: AnyArray, variable: AnyArray, [y, x]: [number, number]) {
  const { shape } = array;
  const names = [y, x].map((axis) => dimensionNamesOf(array[FACTS])?.[axis]);
  const own = dimensionNamesOf(variable[FACTS]);
  const order = own ? names.map((name) => own.indexOf(String(name))) : [0, 1];
  const fits =
    variable.shape.length === 2 &&
    order.every((at, place) => variable.shape[at] === shape[[y, x][place] as number]);
  if (!fits) return undefined;
  const count = (shape[y] ?? 0) * (shape[x] ?? 0);
  if (count > MOST_PLACES) {
    throw new ZarrError("Limit", "the array has too many longitudes and latitudes for a map", {
      path: array.path,
      expected: `at most ${MOST_PLACES}`,
      actual: shown(count),
    });
  }
  const decode = { convention: "cf", zarrFillValue: false } as const;
  const { data } = await variable.get(null, { decode, as: "float64", memoryOrder: order });
  return data;
}

/**
 * The source of an array with a longitude and latitude for each element. They are variables with
 * two dimensions that CF's attribute `coordinates` names.
 */
async function ofVariables(array: AnyArray, { plane }: Pyramid): Promise<Found | undefined> {
  const said = typeof array.attrs.coordinates === "string" ? array.attrs.coordinates : "";
  const names = said.split(/\s+/).filter((name) => name !== "");
  const variables = await Promise.all(names.map((name) => besideOf(array, name, undefined)));
  const named = variables.flatMap((variable, at) =>
    variable ? [{ variable, name: names[at] as string, attrs: variable.attrs }] : [],
  );
  const axes: [number, number] = [plane.y, plane.x];
  const flat = named.filter(({ variable }) => variable.shape.length === 2);
  const [longitude, latitude] = [flat.find(isLongitude), flat.find(isLatitude)];
  if (!longitude || !latitude) return undefined;
  const [longitudes, latitudes] = await Promise.all(
    [longitude, latitude].map(({ variable }) => over(array, variable, axes)),
  );
  if (!longitudes || !latitudes) return undefined;
  const [columns = 0, rows = 0] = [array.shape[plane.x], array.shape[plane.y]];
  const grid = { id: nextGrid++, columns, rows, longitudes, latitudes };
  return { geometry: { kind: "curvilinear", grid }, crs: LONLAT };
}

/** The source of an array that is a level of a pyramid. */
async function ofPlace(
  array: AnyArray,
  placed: PlacedLevel | undefined,
  from: CrsLike | undefined,
): Promise<Found | undefined> {
  if (!placed) return undefined;
  const { axes, plane } = placed.pyramid;
  const nameOf = (axis: number) => ({ name: axes[axis]?.name ?? "", attrs: { units: axes[axis]?.unit } });
  const isGlobe = isLongitude(nameOf(plane.x)) && isLatitude(nameOf(plane.y));
  const crs = from ?? (await crsOf(array, placed.pyramid)) ?? (isGlobe ? LONLAT : undefined);
  return crs === undefined ? undefined : { geometry: ofLevel(placed), crs };
}

async function sourceOf(array: AnyArray, from: CrsLike | undefined): Promise<WarpSource> {
  const alone = await pyramid(array);
  const own = alone.isPlaced && "spatial:transform" in array.attrs;
  const known = rememberedLevel(array);
  const isSaid = own || (known && known.pyramid.convention !== "array");
  const found =
    (isSaid ? await ofPlace(array, known, from) : undefined) ??
    (await ofAxes(array, alone, from)) ??
    (await ofVariables(array, alone)) ??
    (await ofPlace(array, await placedLevel(array, pyramid, undefined), from));
  if (found) {
    const { axes, plane } = isSaid && known ? known.pyramid : alone;
    return { ...found, axes, plane };
  }
  throw new UnsupportedError("a map of an array without coordinates in a known reference system", {
    path: array.path,
    expected:
      "a reference system (proj:, grid_mapping, or from: …) with coordinates or spatial:, or longitudes and latitudes",
    actual: alone.isPlaced ? "a place without a reference system" : "no place",
  });
}

/** The sources by the array's facts, because `refresh` and every change replace these. */
const sources = new WeakMap<ArrayFacts, Map<string, Promise<WarpSource>>>();

/** The source of an array. It is found once for each `from`. */
export function warpSource(
  array: AnyArray,
  from: CrsLike | undefined,
  signal: AbortSignal | undefined,
): Promise<WarpSource> {
  const facts = array[FACTS];
  const key = exactJson(from ?? null, "from");
  const found = sources.get(facts) ?? new Map<string, Promise<WarpSource>>();
  sources.set(facts, found);
  const source = found.get(key) ?? sourceOf(array, from);
  found.set(key, source);
  source.catch(() => found.delete(key));
  return unlessAborted(source, signal);
}
