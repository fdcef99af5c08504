/**
 * The geometry of an array as the kernel reads it (`src/kernel/warp`): an affine transform,
 * coordinates of columns and rows, or a longitude and latitude for each element.
 * `placement_search.ts` finds it.
 */

import type { Array as ZarrArray } from "../api/array.ts";
import { UnsupportedError } from "../model/errors.ts";
import type { DataType, Readable } from "../model/types.ts";
import type { Plane } from "./geometry.ts";
import { foundPlacement, type Pixels } from "./placement_search.ts";
import type { CrsLike } from "./projection.ts";
import type { PyramidAxis } from "./pyramid_model.ts";

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
