/**
 * Maps of arrays whose rows and columns are not those of a map: grids with a longitude and latitude
 * for each element, latitudes with unequal steps, and rotated planes. It computes their extents on
 * a map; the package's `warp` finds the elements.
 */
import * as zarr from "zarr-wasm";
import { variableOf } from "./coordinates.js";
import type { ArrayNode, SceneAxis, WarpedPlane } from "./scene.js";

const DEGREES = "EPSG:4326";
/** The name of the plane of the array's coordinates, for any reference system. */
const OWN_PLANE = "plane";
/** Pixels per side of an element, so that rotated or oblong elements keep their shape. */
const PIXELS_AN_ELEMENT = 8;

type Extent = [number, number, number, number];

interface Asked {
  pyramid: zarr.Pyramid;
  axes: readonly SceneAxis[];
  plane: { x: number; y: number };
  signal?: AbortSignal | undefined;
}

/** Maximum number of coordinates that are read to find their bounds. */
const MOST_ELEMENTS = 16_000_000;
/** Maximum number of columns or rows of a map. */
const MOST_PIXELS = 8192;
/** A narrower gap of longitudes, in degrees, is one between neighbours. */
const WIDE_GAP = 20;

const LONGITUDE = /^(degrees?_?e(ast)?|longitude|lon)$/i;
const LATITUDE = /^(degrees?_?n(orth)?|latitude|lat)$/i;

const says = ({ attrs, path }: ArrayNode, pattern: RegExp) =>
  [attrs.units, attrs.standard_name, path.slice(path.lastIndexOf("/") + 1)].some(
    (text) => typeof text === "string" && pattern.test(text),
  );

/** The variables in the attribute `coordinates`. */
async function coordinateVariables(array: ArrayNode, signal: AbortSignal | undefined): Promise<ArrayNode[]> {
  const { coordinates } = array.attrs;
  const names = typeof coordinates === "string" ? coordinates.split(/\s+/).filter(Boolean) : [];
  const folder = array.path.slice(0, array.path.lastIndexOf("/"));
  const opened = await Promise.allSettled(
    names.map((name) => {
      const place = new zarr.Location(array.store, `${folder}/${name}` as `/${string}`);
      return zarr.open(place, { kind: "array", signal });
    }),
  );
  signal?.throwIfAborted();
  return opened.flatMap((outcome) => (outcome.status === "fulfilled" ? [outcome.value as ArrayNode] : []));
}

const numbersOf = async (array: ArrayNode, signal: AbortSignal | undefined): Promise<Float64Array> => {
  const decode = { convention: "cf", zarrFillValue: false } as const;
  return (await array.get(null, { decode, as: "float64", signal })).data as Float64Array;
};

/**
 * West and east of longitudes: the arc without their widest gap. The whole globe if no gap is
 * wide.
 */
export function arcOf(longitudes: ArrayLike<number>): [west: number, east: number] {
  const seen = new Uint8Array(360);
  for (let at = 0; at < longitudes.length; at += 1) {
    const own = longitudes[at] as number;
    if (Number.isFinite(own)) seen[((Math.floor(own) % 360) + 360) % 360] = 1;
  }
  let [widest, gapEnd, run] = [0, 0, 0];
  for (let at = 0; at < 720; at += 1) {
    run = seen[at % 360] ? 0 : run + 1;
    if (run > widest && run < 360) [widest, gapEnd] = [run, at + 1];
  }
  if (widest < WIDE_GAP) return [-180, 180];
  const middle = (gapEnd % 360) + (360 - widest) / 2;
  return boundsAround(longitudes, middle > 180 ? middle - 360 : middle);
}

/** West and east of longitudes within half a turn of the middle. */
function boundsAround(longitudes: ArrayLike<number>, middle: number): [west: number, east: number] {
  let [west, east] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (let at = 0; at < longitudes.length; at += 1) {
    const own = (longitudes[at] as number) - 360 * Math.round(((longitudes[at] as number) - middle) / 360);
    if (own < west) west = own;
    if (own > east) east = own;
  }
  return [west, east];
}

function latitudesOf(latitudes: ArrayLike<number>): [south: number, north: number] {
  let [south, north] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (let at = 0; at < latitudes.length; at += 1) {
    const own = latitudes[at] as number;
    if (own < south) south = own;
    if (own > north) north = own;
  }
  return [Math.max(south, -90), Math.min(north, 90)];
}

/** Columns and rows of a map for elements with this side: fewer if there are too many. */
function sizeOf([left, bottom, right, top]: Extent, side: number): [number, number] {
  const finest = side / PIXELS_AN_ELEMENT;
  const pixel = Math.max(finest, (right - left) / MOST_PIXELS, (top - bottom) / MOST_PIXELS);
  const count = (length: number) => Math.max(Math.ceil(length / pixel), 1);
  return [count(right - left), count(top - bottom)];
}

const isExtent = ([left, bottom, right, top]: Extent) =>
  [left, bottom, right, top].every(Number.isFinite) && right > left && top > bottom;

/** The side of an element if this number of elements covers a map. */
const sideOf = ([left, bottom, right, top]: Extent, count: number) =>
  Math.sqrt(((right - left) * (top - bottom)) / count);

const onGlobe = (extent: Extent, elements: number): WarpedPlane | null =>
  isExtent(extent) ? { crs: DEGREES, extent, size: sizeOf(extent, sideOf(extent, elements)) } : null;

/** The map of a grid with a longitude and latitude for each element. */
async function ofGrid({ pyramid, plane, signal }: Asked): Promise<WarpedPlane | null> {
  const level = pyramid.levels[0];
  const array = level?.array as ArrayNode;
  const elements = (level?.shape[plane.x] ?? 0) * (level?.shape[plane.y] ?? 0);
  if (elements > MOST_ELEMENTS) return null;
  const flat = (await coordinateVariables(array, signal)).filter(({ shape }) => shape.length === 2);
  const [longitude, latitude] = [
    flat.find((own) => says(own, LONGITUDE)),
    flat.find((own) => says(own, LATITUDE)),
  ];
  if (!longitude || !latitude) return null;
  const [longitudes, latitudes] = await Promise.all([
    numbersOf(longitude, signal),
    numbersOf(latitude, signal),
  ]);
  const [[west, east], [south, north]] = [arcOf(longitudes), latitudesOf(latitudes)];
  // The coordinates are those of centres.
  const half = sideOf([west, south, east, north], elements) / 2;
  const [left, right] = east - west >= 360 ? [west, east] : [west - half, east + half];
  return onGlobe([left, Math.max(south - half, -90), right, Math.min(north + half, 90)], elements);
}

/** The edges of ascending or descending coordinates. Null for others. */
export function edgesOf(values: ArrayLike<number> | readonly string[]): [number, number] | null {
  const all = Array.from(values as ArrayLike<number>);
  const rises = (all[1] ?? 0) > (all[0] ?? 0);
  const isNext = (value: number, at: number) => {
    const before = all[at - 1];
    return before === undefined || (rises ? value > before : value < before);
  };
  if (all.length < 2 || !all.every((value, at) => typeof value === "number" && isNext(value, at)))
    return null;
  const beyond = (end: number, next: number) => end + (end - next) / 2;
  const ends = [
    beyond(all[0] as number, all[1] as number),
    beyond(all.at(-1) as number, all.at(-2) as number),
  ];
  return [Math.min(...ends), Math.max(...ends)];
}

/** The map of longitudes and latitudes with unequal steps. */
async function ofUnevenAxes({ pyramid, plane, signal }: Asked): Promise<WarpedPlane | null> {
  const level = pyramid.levels[0];
  const array = level?.array as ArrayNode;
  const [x, y] = await Promise.all([
    variableOf(array, plane.x, { signal }),
    variableOf(array, plane.y, { signal }),
  ]);
  const isGlobe = x && y && LONGITUDE.test(x.units ?? "") && LATITUDE.test(y.units ?? "");
  const [columns, rows] = isGlobe ? [edgesOf(x.values), edgesOf(y.values)] : [null, null];
  if (!columns || !rows) return null;
  const turn = 360 * Math.round((columns[0] + columns[1]) / 720);
  const [west, east] = columns[1] - columns[0] > 359 ? [-180, 180] : [columns[0] - turn, columns[1] - turn];
  const elements = (level?.shape[plane.x] ?? 0) * (level?.shape[plane.y] ?? 0);
  return onGlobe([west, Math.max(rows[0], -90), east, Math.min(rows[1], 90)], elements);
}

/**
 * A map with north up of a grid that is rotated or sheared against its coordinates, in their
 * reference system. Null for other grids.
 */
export function turnedPlane({ pyramid }: Asked, isGlobe: boolean): WarpedPlane | null {
  const [a, b, , d, e] = pyramid.levels[0]?.affine ?? [];
  if (a === undefined || b === undefined || d === undefined || e === undefined) return null;
  const [left, bottom, right, top] = pyramid.extent(0);
  const turn = isGlobe ? 360 * Math.round((left + right) / 720) : 0;
  const extent: Extent = isGlobe
    ? [left - turn, Math.max(bottom, -90), right - turn, Math.min(top, 90)]
    : [left, bottom, right, top];
  const side = Math.min(Math.hypot(a, d), Math.hypot(b, e));
  const crs = isGlobe ? DEGREES : OWN_PLANE;
  return isExtent(extent) ? { crs, from: crs, extent, size: sizeOf(extent, side) } : null;
}

/** The map of an array whose rows are not those of a map. Null for other arrays. */
export async function warpedPlane(asked: Asked): Promise<WarpedPlane | null> {
  return (await ofUnevenAxes(asked)) ?? (await ofGrid(asked));
}
