/**
 * `warp`: resamples an array to the pixels of a map, in any reference system that proj4 knows.
 * proj4 projects some corners of the map's pixels. The conventions module finds the elements of the
 * pixels (`src/kernel/warp`), and only these elements are read. `placement_search.ts` finds the
 * geometry of the array.
 */

import type { AnyArray, Array as ZarrArray } from "../../api/array.ts";
import { needArray } from "../../api/node_facts.ts";
import type { CfOptions } from "../../api/read/conversion.ts";
import { DECODE_RULE } from "../../api/read/rules.ts";
import { need, needList, optionsOf, type Rules, SIGNAL } from "../../engine/ts/model/argument.ts";
import { NotFoundError, UnsupportedError, ZarrError } from "../../engine/ts/model/errors.ts";
import { once } from "../../engine/ts/model/once.ts";
import type { OwnBytes, OwnFloat32 } from "../../engine/ts/model/own_memory.ts";
import type { DataType, Readable } from "../../engine/ts/model/types.ts";
import { unlessAborted } from "../../engine/ts/model/waiting.ts";
import { askNumbers } from "../../engine/ts/port/convention.ts";
import { type AtIndices, levelIndices, type PyramidAxis, planeSelection } from "./axis_indices.ts";
import { controlPoints, type MapGrid } from "./control_points.ts";
import type { Extent, Plane } from "./geometry.ts";
import { foundPlacement, type Pixels } from "./placement_search.ts";
import { type CrsLike, type Proj4Like, projectionOf } from "./projection.ts";

/** Options of `warp`: the map, and how it is made. */
export interface WarpOptions {
  /** The reference system of the map: a code, a proj4 or WKT string, or PROJJSON. */
  crs: CrsLike;
  /**
   * Left, bottom, right and top of the map.
   *
   * @unit units of `crs`
   * @throws an `Argument` error for what is not finite, empty, or in another order.
   */
  extent: Extent;
  /**
   * Columns and rows of the map.
   *
   * @unit pixels
   */
  size: readonly [columns: number, rows: number];
  /**
   * What a pixel has: `"nearest"` the nearest element, `"linear"` the bilinear interpolation of
   * four. Default: `"nearest"`.
   */
  method?: "nearest" | "linear" | undefined;
  /**
   * Indices of the other dimensions, by name or role. Default: 0.
   *
   * @throws an `InvalidSelectionError` for a name or an index that is not there.
   */
  at?: AtIndices | undefined;
  /**
   * proj4's default export. Default: none, which is enough if map and array both have longitude and
   * latitude.
   *
   * @throws an `Argument` error if it is needed and not given.
   */
  proj4?: Proj4Like | undefined;
  /** The reference system of the array's coordinates. Default: that of the metadata. */
  from?: CrsLike | undefined;
  /** `"cf"` unpacks the elements by CF's attributes, `false` does not. Default: `"cf"`. */
  decode?: "cf" | CfOptions | false | undefined;
  /** Aborts the call, which rejects at once with the signal's reason. */
  signal?: AbortSignal | undefined;
  /** Calls with a higher number are fetched and decoded first, as in `Array.get`. Default: 0. */
  priority?: number | undefined;
}

const RULES: Rules<WarpOptions> = {
  ...SIGNAL,
  priority: "a priority",
  crs: "a text or an object",
  extent: "a list",
  size: "a list",
  method: ["nearest", "linear"],
  at: "an object",
  proj4: "a function",
  from: "a text or an object",
  decode: [...DECODE_RULE, false],
};

/** An array, resampled to the pixels of a map. The top row is first. */
export interface Warped {
  /** One value per pixel; NaN if the array has no value there. */
  data: OwnFloat32;
  /** One byte per pixel: 255 if it has a value, else 0. */
  mask: OwnBytes;
  /** Rows and columns. */
  shape: [rows: number, columns: number];
}

/** Maximum number of elements that are read for one map. */
const MAX_ELEMENTS = 2 ** 26;

const numbersOf = (bytes: OwnBytes) => new Float64Array(bytes.buffer);

function checked({ extent, size }: WarpOptions): void {
  needList(extent, "extent");
  needList(size, "size");
  const [left, bottom, right, top] = extent;
  const isExtent = extent.length === 4 && extent.every(Number.isFinite) && left < right && bottom < top;
  const isSize = size.length === 2 && size.every((count) => Number.isInteger(count) && count > 0);
  need(isExtent, "extent", "[left, bottom, right, top], in finite numbers", extent);
  need(isSize, "size", "[columns, rows], integers from 1 up", size);
}

/** The positions of the map's pixels in the array, and the window of elements that they need. */
interface Located {
  /** Column and row of each pixel, as fractions. */
  positions: Float64Array;
  /** Whether the last column is next to the first, around the globe. */
  wraps: boolean;
  /** First column and row, and their numbers. */
  start: [number, number];
  size: [number, number];
}

/** The geometry of a source as numbers for the kernel. */
function sourceWords({ geometry }: WarpSource, whole: [number, number], isGlobe: boolean): number[] {
  const globe = isGlobe ? 1 : 0;
  if (geometry.kind === "axes") return [0, whole[0], globe, ...geometry.x, ...geometry.y];
  if (geometry.kind === "turned") return [1, whole[0], globe, ...geometry.affine, ...whole];
  return [2, whole[0], geometry.grid.id];
}

async function send({ id, columns, rows, longitudes, latitudes }: CurvilinearGrid): Promise<void> {
  await askNumbers("keepGrid", [id, columns, rows], [longitudes, latitudes]);
}

/** Grids that are being sent to the conventions module. */
const sending = new WeakMap<CurvilinearGrid, Promise<void>>();

/** Sends a grid to the conventions module. Concurrent calls send it once. */
const keep = (grid: CurvilinearGrid): Promise<void> =>
  once(
    sending,
    grid,
    () => send(grid),
    () => false,
  );

/** Requests the positions of pixels. Sends the grid if the module does not have it. */
async function askPositions(
  question: readonly number[],
  { geometry }: WarpSource,
  signal?: AbortSignal,
): Promise<Float64Array> {
  try {
    return numbersOf(await askNumbers("locate", question, [], signal));
  } catch (error) {
    if (geometry.kind !== "curvilinear" || !(error instanceof NotFoundError)) throw error;
    await unlessAborted(keep(geometry.grid), signal);
    return numbersOf(await askNumbers("locate", question, [], signal));
  }
}

/** The elements between two indices, with their neighbours: start and count. */
function span(low: number, high: number, count: number): [start: number, length: number] {
  const [start, end] = [Math.max(0, Math.floor(low)), Math.min(count, Math.floor(high) + 2)];
  return [start, end - start];
}

/** As `span` for columns that wrap: the shorter of two ways around the globe. */
function spanAround(numbers: Float64Array, count: number): [start: number, length: number] {
  const ways = [
    [numbers[1], numbers[2]],
    [numbers[3], numbers[4]],
  ].map(([low = 0, high = 0]) => [Math.floor(low), Math.floor(high) + 2 - Math.floor(low)] as const);
  const [start, length] = ways.reduce((best, way) => (way[1] < best[1] ? way : best));
  return length >= count ? [0, count] : [(start + count) % count, length];
}

function locatedOf(numbers: Float64Array, whole: [number, number]): Located | undefined {
  const [wraps = 0, low = 0, high = 0, , , top = 0, bottom = 0] = numbers;
  if (!Number.isFinite(low)) return undefined;
  const columns = wraps === 1 ? spanAround(numbers, whole[0]) : span(low, high, whole[0]);
  const rows = span(top, bottom, whole[1]);
  return {
    positions: numbers.subarray(7),
    wraps: wraps === 1,
    start: [columns[0], rows[0]],
    size: [columns[1], rows[1]],
  };
}

/** The axes of an array that is read alone: it is its own finest level. */
const indexedBy = ({ axes, plane }: WarpSource, array: AnyArray) => ({ axes, plane, levels: [array] });

/** Reads a window in row-major order. A window across the array's edge takes two reads. */
async function windowOf(
  array: AnyArray,
  source: WarpSource,
  { start, size }: Located,
  { at = {}, decode = "cf", signal, priority }: WarpOptions,
): Promise<Float32Array> {
  if (size[0] * size[1] > MAX_ELEMENTS) {
    throw new ZarrError("Limit", "the map needs too many elements: use a coarser level or a smaller extent", {
      path: array.path,
      expected: `at most ${MAX_ELEMENTS}`,
      actual: `${size[0]} × ${size[1]}`,
    });
  }
  const { x, y } = source.plane;
  const columns = array.shape[x] ?? 0;
  const end = start[0] + size[0];
  const spans: [number, number][] = [[start[0], Math.min(end, columns)]];
  if (end > columns) spans.push([0, end - columns]);
  const options = {
    decode: decode || undefined,
    as: "float32" as const,
    memoryOrder: [y, x],
    signal,
    priority,
  };
  const rows: [number, number] = [start[1], start[1] + size[1]];
  const indexed = indexedBy(source, array);
  const parts = await Promise.all(
    spans.map((across) => array.get(planeSelection(indexed, 0, at, [across, rows]), options)),
  );
  const [first, second] = parts.map(({ data }) => data);
  return second && first ? joined(first, second, size) : (first as Float32Array);
}

/** Joins two windows side by side. */
function joined(left: Float32Array, right: Float32Array, [columns, rows]: [number, number]): Float32Array {
  const whole = new Float32Array(columns * rows);
  const [wide, narrow] = [left.length / rows, right.length / rows];
  for (let row = 0; row < rows; row += 1) {
    whole.set(left.subarray(row * wide, (row + 1) * wide), row * columns);
    whole.set(right.subarray(row * narrow, (row + 1) * narrow), row * columns + wide);
  }
  return whole;
}

async function sampled(
  values: Float32Array,
  { positions, wraps, start, size }: Located,
  whole: [number, number],
  { method = "nearest", signal }: WarpOptions,
): Promise<OwnFloat32> {
  const isLinear = method === "linear" ? 1 : 0;
  const head = [isLinear, ...start, ...size, ...whole, wraps ? 1 : 0, positions.length / 2];
  const answer = await askNumbers("sample", head, [positions, values], signal);
  return new Float32Array(answer.buffer);
}

/**
 * Resamples an array to the pixels of a map. The array's rows and columns may have a `spatial:` or
 * pyramid transform, coordinate variables, or a longitude and latitude for each element. Only the
 * elements of the map are read. Missing values do not enter interpolation. Longitudes wrap.
 *
 * Values are float32: integers beyond 2^24 are rounded.
 *
 *     await warp(array, { crs: "EPSG:3857", extent, size: [256, 256], proj4 });
 *
 * @param array The array.
 * @returns the values and the mask of the map's pixels.
 * @throws an `UnsupportedError` if the array has no coordinates or an unknown reference system.
 * @throws an `Argument` error for an invalid extent or size, and without proj4 where it is needed.
 * @throws a `Limit` error if the map needs more than 2^26 elements: use a coarser level.
 * @throws the errors of `Array.get`.
 */
export async function warp(array: ZarrArray<DataType, Readable>, options: WarpOptions): Promise<Warped> {
  needArray(array);
  const { extent, size, signal, at = {} } = optionsOf(options, RULES);
  checked(options);
  signal?.throwIfAborted();
  const { source, whole, located } = await locatedIn(array, { extent, size }, options);
  const shape: [number, number] = [size[1], size[0]];
  if (!located) {
    // A wrong index is an error at every point of the map.
    levelIndices(indexedBy(source, array), 0, at);
    const data = new Float32Array(size[0] * size[1]).fill(Number.NaN);
    return { data, mask: new Uint8Array(data.length), shape };
  }
  const values = await windowOf(array, source, located, options);
  const data = await sampled(values, located, whole, options);
  return { data, mask: maskOf(data), shape };
}

/** The mask of a map. `Uint8Array.from` would take ten times as long as this loop. */
function maskOf(data: Float32Array): OwnBytes {
  const mask = new Uint8Array(data.length);
  for (let at = 0; at < data.length; at += 1) mask[at] = Number.isNaN(data[at]) ? 0 : 255;
  return mask;
}

/** The element of an array nearest to a point of a map. */
export interface ElementAt {
  column: number;
  row: number;
}

/** Size of the map around a point, relative to its coordinates: about their precision. */
const POINT = 1e-9;

/** The element at a point of a map, found as by `warp`. Null if there is none. */
export async function elementAtPoint(
  array: ZarrArray<DataType, Readable>,
  [x, y]: readonly [x: number, y: number],
  from: WarpedFrom,
): Promise<ElementAt | null> {
  const [across, up] = [x, y].map((value) => POINT * Math.max(1, Math.abs(value))) as [number, number];
  const grid: MapGrid = { extent: [x - across, y - up, x + across, y + up], size: [1, 1] };
  const { whole, located } = await locatedIn(array, grid, from);
  const [column = Number.NaN, row = Number.NaN] = located?.positions ?? [];
  if (!located || Number.isNaN(column + row)) return null;
  const [columns, rows] = whole;
  const nearest = Math.floor(column + 0.5);
  return {
    column: located.wraps ? (nearest + columns) % columns : Math.min(Math.max(nearest, 0), columns - 1),
    row: Math.min(Math.max(Math.floor(row + 0.5), 0), rows - 1),
  };
}

/** The options that determine the reference systems of map and array. */
export type WarpedFrom = Pick<WarpOptions, "crs" | "proj4" | "from" | "signal">;

/** Finds the positions of a map's pixels in an array. */
async function locatedIn(
  array: AnyArray,
  { extent, size }: MapGrid,
  { crs, proj4, from, signal }: WarpedFrom,
): Promise<{ source: WarpSource; whole: [number, number]; located: Located | undefined }> {
  const source = await warpSource(array, from, signal);
  const projection = projectionOf(crs, source.crs, proj4);
  const { x, y } = source.plane;
  const whole: [number, number] = [array.shape[x] ?? 0, array.shape[y] ?? 0];
  const pieces = await controlPoints({ extent, size }, projection, signal);
  const words = [...size, ...sourceWords(source, whole, projection.isGlobe)];
  const question = [...words, ...pieces];
  return { source, whole, located: locatedOf(await askPositions(question, source, signal), whole) };
}

/** A longitude and latitude for each element. The conventions module keeps it under `id`. */
interface CurvilinearGrid {
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
  plane: Plane;
}

let nextGrid = 1;

function geometryOf(pixels: Pixels, columns: number, rows: number): Geometry {
  if (pixels.kind === "grid") {
    const grid = { id: nextGrid++, columns, rows, longitudes: pixels.x, latitudes: pixels.y };
    return { kind: "curvilinear", grid };
  }
  if (pixels.kind === "axes") {
    const listed = (values: Float64Array) => [1, values.length, ...values];
    return { kind: "axes", x: listed(pixels.x), y: listed(pixels.y) };
  }
  const [a, b, c, d, e, f] = pixels.affine;
  if (b !== 0 || d !== 0) return { kind: "turned", affine: pixels.affine };
  return { kind: "axes", x: [0, c, a, columns], y: [0, f, e, rows] };
}

/** The geometries of placements, because each grid is sent to the kernel once. */
const geometries = new WeakMap<Pixels, Geometry>();

/**
 * The source of an array. `from` is its reference system, if the metadata does not give it. Rejects
 * with an `UnsupportedError` if there are no coordinates, or no reference system.
 */
export async function warpSource(
  array: ZarrArray<DataType, Readable>,
  from: CrsLike | undefined,
  signal: AbortSignal | undefined,
): Promise<WarpSource> {
  const found = await foundPlacement(array, from, signal);
  const { crs, axes, plane, pixels } = found ?? {};
  if (crs === undefined || !axes || !plane || !pixels) {
    throw new UnsupportedError("a map of an array without coordinates in a known reference system", {
      path: array.path,
      expected:
        "a reference system (proj:, grid_mapping, or from: …) with coordinates or spatial:, or longitudes and latitudes",
      actual: found ? "a place without a reference system" : "no place",
    });
  }
  const [columns = 0, rows = 0] = [array.shape[plane.x], array.shape[plane.y]];
  const geometry = geometries.get(pixels) ?? geometryOf(pixels, columns, rows);
  geometries.set(pixels, geometry);
  return { geometry, crs, axes, plane };
}
