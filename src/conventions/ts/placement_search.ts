/**
 * Searches where the pixels of an array lie: in the transform of a pyramid or of `spatial:`, in
 * coordinate variables of its columns and rows, or in a longitude and latitude for each element.
 * `placement` returns what is found, and `warp` reads elements by it.
 */
import type { AnyArray } from "../../api/array.ts";
import { type ArrayFacts, FACTS } from "../../api/node_facts.ts";
import { dimensionNamesOf } from "../../api/selection.ts";
import { NotFoundError, shown, UnsupportedError, ZarrError } from "../../engine/ts/model/errors.ts";
import { exactJson } from "../../engine/ts/model/json.ts";
import { nameOf } from "../../engine/ts/model/node_like.ts";
import { onceFor } from "../../engine/ts/model/once.ts";
import { unlessAborted } from "../../engine/ts/model/waiting.ts";
import { type Coordinates, coords } from "./coordinates.ts";
import { affineOf, type Plane } from "./geometry.ts";
import { isLatitude, isLongitude, type Named, says } from "./longitude.ts";
import { type CrsLike, isGeographic, LONLAT, projOfGridMapping } from "./projection.ts";
import { type FoundLevel, findLevel, pyramidAlone, rememberedLevel } from "./pyramid.ts";
import type { Pyramid, PyramidAxis } from "./pyramid_model.ts";
import { namedVariable, referencesIn } from "./variables.ts";

/**
 * The centres of the pixels of an array.
 *
 * - `"affine"`: for `[a, b, c, d, e, f]`, x is `a·column + b·row + c`, and y is
 *   `d·column + e·row + f`.
 * - `"axes"`: the x of each column and the y of each row, ascending or descending.
 * - `"grid"`: the x and the y of each pixel, row after row.
 */
export type Pixels =
  | {
      /** Which form the others have: `"affine"`, `"axes"` or `"grid"`. */
      readonly kind: "affine";
      /** Of `"affine"`: `x = a·column + b·row + c`, `y = d·column + e·row + f`. */
      readonly affine: readonly [a: number, b: number, c: number, d: number, e: number, f: number];
    }
  | {
      readonly kind: "axes";
      /** Of `"axes"` the x of each column, of `"grid"` the x of each pixel, row after row. */
      readonly x: Float64Array;
      /** Of `"axes"` the y of each row, of `"grid"` the y of each pixel, row after row. */
      readonly y: Float64Array;
    }
  | { readonly kind: "grid"; readonly x: Float64Array; readonly y: Float64Array };

export interface FoundPlacement {
  axes: readonly PyramidAxis[];
  plane: Plane;
  pixels: Pixels;
  crs: CrsLike | undefined;
  units: string | undefined;
}

const KILOMETRES = /^(km|kilomet(er|re)s?)$/i;

/** The unit of two axes that have the same. */
const unitsOf = (x: Named, y: Named): string | undefined =>
  typeof x.attrs.units === "string" && x.attrs.units === y.attrs.units ? x.attrs.units : undefined;

interface Search {
  array: AnyArray;
  /** The pyramid of the array alone. */
  alone: Pyramid;
  /** The reference system that the caller gives. It takes precedence. */
  from: CrsLike | undefined;
}

/** The reference system in the metadata, in a form that proj4 reads. */
async function crsOf(array: AnyArray, { crs }: Pyramid): Promise<CrsLike | undefined> {
  const said = crs?.code ?? crs?.wkt2 ?? crs?.projjson;
  if (said !== undefined || crs?.gridMapping === undefined) return said;
  const name = String(array.attrs.grid_mapping).split(/[ :]/)[0] ?? "";
  const mapping = await namedVariable(array, name, { attribute: "grid_mapping", path: array.path });
  return mapping && projOfGridMapping(mapping.attrs);
}

/** The placement of an array that is a level of a pyramid. */
async function ofLevel(
  { array, from }: Search,
  level: FoundLevel | undefined,
): Promise<FoundPlacement | undefined> {
  if (!level) return undefined;
  const { axes, plane } = level.pyramid;
  const named = (axis: number) => ({ name: axes[axis]?.name ?? "", attrs: { units: axes[axis]?.unit } });
  const [x, y] = [named(plane.x), named(plane.y)];
  const isGlobe = isLongitude(x) && isLatitude(y);
  const crs = from ?? (await crsOf(array, level.pyramid)) ?? (isGlobe ? LONLAT : undefined);
  const pixels = { kind: "affine", affine: affineOf(level.level, plane) } as const;
  return { axes, plane, pixels, crs, units: unitsOf(x, y) };
}

/** The coordinate variable of an axis. */
async function variableOf(array: AnyArray, axis: number): Promise<Coordinates | undefined> {
  try {
    const found = await coords(array, axis);
    return found.source === "variable" ? found : undefined;
  } catch (error) {
    if (error instanceof NotFoundError || error instanceof UnsupportedError) return undefined;
    throw error;
  }
}

/** Coordinates that are strictly ascending or descending numbers. Undefined for others. */
function ordered(coordinates: Coordinates | undefined): Float64Array | undefined {
  const { values, time } = coordinates ?? {};
  if (!(values instanceof Float64Array) || values.length < 2 || time) return undefined;
  const rises = (values[1] as number) > (values[0] as number);
  const isNext = (value: number, at: number) =>
    at === 0 || (rises ? value > (values[at - 1] as number) : value < (values[at - 1] as number));
  return values.every(isNext) ? values : undefined;
}

/** The placement of an array with coordinate variables for columns and rows. */
async function ofAxes({ array, alone, from }: Search): Promise<FoundPlacement | undefined> {
  const { axes, plane } = alone;
  const [ofX, ofY] = await Promise.all([variableOf(array, plane.x), variableOf(array, plane.y)]);
  const [columns, rows] = [ordered(ofX), ordered(ofY)];
  if (!ofX || !ofY || !columns || !rows) return undefined;
  const named = ({ dimension, attrs }: Coordinates) => ({ name: dimension, attrs });
  const [x, y] = [named(ofX), named(ofY)];
  const crs = from ?? (isLongitude(x) && isLatitude(y) ? LONLAT : await crsOf(array, alone));
  // The reference systems of projections are in metres.
  const isLong = ({ attrs }: Named) => crs !== undefined && says(attrs.units, KILOMETRES);
  const inMetres = (values: Float64Array, axis: Named) =>
    isLong(axis) ? values.map((value) => value * 1000) : values;
  const pixels = { kind: "axes", x: inMetres(columns, x), y: inMetres(rows, y) } as const;
  return { axes, plane, pixels, crs, units: isLong(x) && isLong(y) ? "m" : unitsOf(x, y) };
}

/** Maximum number of elements in a curvilinear grid. */
const MAX_GRID_ELEMENTS = 2 ** 24;

/** The values of a variable over rows and columns. Undefined if it has other dimensions. */
async function over(array: AnyArray, variable: AnyArray, { x, y }: Plane) {
  const { shape } = array;
  const names = [y, x].map((axis) => dimensionNamesOf(array[FACTS])?.[axis]);
  const own = dimensionNamesOf(variable[FACTS]);
  const order = own ? names.map((name) => own.indexOf(String(name))) : [0, 1];
  const fits =
    variable.shape.length === 2 &&
    order.every((at, idx) => variable.shape[at] === shape[[y, x][idx] as number]);
  if (!fits) return undefined;
  const count = (shape[y] ?? 0) * (shape[x] ?? 0);
  if (count > MAX_GRID_ELEMENTS) {
    throw new ZarrError("Limit", "the array has too many longitudes and latitudes for a map", {
      path: array.path,
      expected: `at most ${MAX_GRID_ELEMENTS}`,
      actual: shown(count),
    });
  }
  const decode = { convention: "cf", zarrFillValue: false } as const;
  const { data } = await variable.get(null, { decode, as: "float64", memoryOrder: order });
  return data;
}

/**
 * The placement of an array with a longitude and latitude for each element. They are variables with
 * two dimensions that CF's attribute `coordinates` names.
 */
async function ofGrid({ array, alone: { axes, plane } }: Search): Promise<FoundPlacement | undefined> {
  const naming = { attribute: "coordinates", path: array.path };
  const references = referencesIn(array.attrs.coordinates);
  const variables = await Promise.all(references.map((each) => namedVariable(array, each, naming)));
  const named = variables.flatMap((variable) =>
    variable ? [{ variable, name: nameOf(variable.path), attrs: variable.attrs }] : [],
  );
  const flat = named.filter(({ variable }) => variable.shape.length === 2);
  const [longitude, latitude] = [flat.find(isLongitude), flat.find(isLatitude)];
  if (!longitude || !latitude) return undefined;
  const [x, y] = await Promise.all([longitude, latitude].map(({ variable }) => over(array, variable, plane)));
  return x && y && { axes, plane, pixels: { kind: "grid", x, y }, crs: LONLAT, units: undefined };
}

/** The first placement with a reference system, else the first one. Undefined if there is none. */
async function searched(array: AnyArray, from: CrsLike | undefined): Promise<FoundPlacement | undefined> {
  const alone = await pyramidAlone(array);
  if (alone.plane.x < 0 || alone.plane.y < 0) return undefined;
  const own = alone.isPlaced && "spatial:transform" in array.attrs;
  const known = rememberedLevel(array);
  const isSaid = own || (known && known.pyramid.convention !== "array");
  const search = { array, alone, from };
  const attempts = [
    () => ofLevel(search, isSaid ? known : undefined),
    () => ofAxes(search),
    () => ofGrid(search),
    async () => ofLevel(search, await findLevel(array, pyramidAlone, undefined)),
  ];
  let first: FoundPlacement | undefined;
  for (const attempt of attempts) {
    const found = await attempt();
    if (found?.crs !== undefined) return found;
    first ??= found;
  }
  return first;
}

/** The searches by the array's facts, because `refresh` and every change replace these. */
const searches = new WeakMap<ArrayFacts, Map<string, Promise<FoundPlacement | undefined>>>();

/** The placement of an array. It is found once for each `from`. Undefined if there is none. */
export function foundPlacement(
  array: AnyArray,
  from: CrsLike | undefined,
  signal: AbortSignal | undefined,
): Promise<FoundPlacement | undefined> {
  const key = [array[FACTS], exactJson(from ?? null, "from")] as const;
  return unlessAborted(
    onceFor(searches, key, () => searched(array, from)),
    signal,
  );
}

/** Whether x and y of a placement are longitudes and latitudes. */
export const isOnGlobe = ({ crs }: FoundPlacement): boolean => crs !== undefined && isGeographic(crs);
