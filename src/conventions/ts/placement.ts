/**
 * `placement`: where the pixels of an array lie, in which reference system and unit. It is what
 * `warp` reads elements by (`placement_search.ts`), in the form in which a caller needs it. From
 * lists of coordinates it computes whether their steps are equal, how far their elements reach, and
 * the arc of longitudes.
 */
import type { Array as ZarrArray } from "../../api/array.ts";
import { needArray } from "../../api/node_facts.ts";
import { optionsOf, type Rules, SIGNAL } from "../../engine/ts/model/argument.ts";
import { NotFoundError } from "../../engine/ts/model/errors.ts";
import type { DataType, Readable } from "../../engine/ts/model/types.ts";
import { type Extent, worldBox } from "./geometry.ts";
import { foundPlacement, isOnGlobe, type Pixels } from "./placement_search.ts";
import type { CrsLike } from "./projection.ts";

export type { Pixels };

/** Options of `placement`. */
export interface PlacementOptions {
  /**
   * How far coordinates may be from equal steps. Up to this, pixels are `"affine"`. Default: 0.01.
   *
   * @unit steps
   */
  tolerance?: number | undefined;
  /** Aborts the call, which rejects at once with the signal's reason. */
  signal?: AbortSignal | undefined;
}

/** Where the pixels of an array lie. Made by `placement`. */
export interface Placement {
  /** The dimensions of the array that are columns (x) and rows (y), by index. */
  readonly plane: {
    /** The dimension of columns. */
    readonly x: number;
    /** The dimension of rows. */
    readonly y: number;
  };
  /**
   * The centres of the pixels, in the reference system. Later calls return the same lists: do not
   * change them.
   */
  readonly pixels: Pixels;
  /**
   * xmin, ymin, xmax and ymax of the pixels with their edges, and of a `"grid"` of their centres.
   * The longitudes of a `"grid"` are one arc: it may cross 180, and the whole globe is −180 to 180.
   */
  readonly extent: Extent;
  /**
   * The reference system, as `warp` and proj4 take it: a code, a proj4 or WKT string, or PROJJSON.
   * Undefined if the metadata does not give it.
   */
  readonly crs: CrsLike | undefined;
  /** Whether x and y are longitudes and latitudes. */
  readonly isGeographic: boolean;
  /**
   * The unit of x and y: `degrees` of longitudes and latitudes, `m` of a projection whose
   * coordinates are in kilometres, which are converted, else as the metadata has it. Undefined if
   * it does not say it, or if x and y differ.
   */
  readonly units: string | undefined;
}

/** The default tolerance. Coordinates in singles are within it. */
const TOLERANCE = 0.01;

const RULES: Rules<PlacementOptions> = { ...SIGNAL, tolerance: "a number" };

/** Columns and rows as an affine transform, if their steps are equal. */
function evened(pixels: Pixels, tolerance: number): Pixels {
  if (pixels.kind !== "axes") return pixels;
  const [x, y] = [evenSteps(pixels.x, tolerance), evenSteps(pixels.y, tolerance)];
  return x && y ? { kind: "affine", affine: [x.step, 0, x.start, 0, y.step, y.start] } : pixels;
}

/** The extent of pixels. */
function extentOf(pixels: Pixels, columns: number, rows: number): Extent {
  if (pixels.kind === "affine") {
    const level = { scale: [1, 1], translation: [0, 0], affine: pixels.affine };
    return worldBox(level, { x: 0, y: 1 }, [-0.5, -0.5, columns - 0.5, rows - 0.5]);
  }
  const isGrid = pixels.kind === "grid";
  const [left, right] = isGrid ? arcOf(pixels.x) : edgesOf(pixels.x);
  const [bottom, top] = isGrid ? boundsOf(pixels.y) : edgesOf(pixels.y);
  return [left, bottom, right, top];
}

/**
 * Finds where the pixels of an array lie. The first of these that has a reference system says it,
 * else the first of them: the transform of a pyramid that was read, or of `spatial:` (GeoZarr);
 * coordinate variables of the columns and rows (CF, xarray); a longitude and latitude for each
 * element (CF's `coordinates`); the transform of a pyramid in the groups above. Coordinate
 * variables are read once; no elements of the array are.
 *
 *     const { pixels, crs, extent } = await placement(array);
 *     if (pixels.kind === "affine") console.log(pixels.affine); // x = a·column + b·row + c, …
 *
 * @param array The array.
 * @throws a `NotFoundError` if none of them is there.
 * @throws a `Limit` error for more than 2^24 longitudes and latitudes.
 */
export async function placement(
  array: ZarrArray<DataType, Readable>,
  options: PlacementOptions = {},
): Promise<Placement> {
  const { tolerance = TOLERANCE, signal } = optionsOf(options, RULES);
  signal?.throwIfAborted();
  needArray(array);
  const found = await foundPlacement(array, undefined, signal);
  if (!found) {
    throw new NotFoundError("where the pixels of the array lie", {
      path: array.path,
      expected: "spatial:, a pyramid, coordinates of columns and rows, or longitudes and latitudes",
    });
  }
  const { plane, crs, units } = found;
  const isGeographic = isOnGlobe(found);
  const extent = extentOf(found.pixels, array.shape[plane.x] ?? 0, array.shape[plane.y] ?? 0);
  const pixels = evened(found.pixels, tolerance);
  return { plane, pixels, extent, crs, isGeographic, units: isGeographic ? "degrees" : units };
}

/** The coordinate of the first element, and the step to the next. */
interface Steps {
  readonly start: number;
  readonly step: number;
}

/** Lowest and highest. */
type Range = [low: number, high: number];

/** A narrower gap of longitudes, in degrees, is one between neighbours. */
const WIDE_GAP = 20;

/**
 * Start and step of coordinates whose steps are equal. `tolerance` is in steps. Undefined for
 * others, and for a single one.
 */
export function evenSteps(values: ArrayLike<number>, tolerance: number): Steps | undefined {
  const last = values.length - 1;
  const start = values[0] as number;
  const step = ((values[last] as number) - start) / last;
  if (!(last > 0) || !Number.isFinite(step) || step === 0) return undefined;
  for (let at = 0; at <= last; at += 1) {
    const off = ((values[at] as number) - start - at * step) / step;
    if (!(Math.abs(off) <= tolerance)) return undefined;
  }
  return { start, step };
}

/** The edges of ascending or descending coordinates: half a step beyond the ends. */
export function edgesOf(values: ArrayLike<number>): Range {
  const last = values.length - 1;
  const beyond = (end: number, next: number) => end + (end - next) / 2;
  const first = beyond(values[0] as number, values[1] as number);
  const end = beyond(values[last] as number, values[last - 1] as number);
  return first < end ? [first, end] : [end, first];
}

/** The lowest and the highest of some numbers, without NaN. */
export function boundsOf(values: ArrayLike<number>): Range {
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (let at = 0; at < values.length; at += 1) {
    const own = values[at] as number;
    if (own < low) low = own;
    if (own > high) high = own;
  }
  return [low, high];
}

/**
 * West and east of longitudes: the arc without their widest gap. The whole globe, from −180, if no
 * gap is wide.
 */
export function arcOf(longitudes: ArrayLike<number>): Range {
  const [gapEnd, width] = widestGap(longitudes);
  if (width < WIDE_GAP) return [-180, 180];
  const middle = (gapEnd % 360) + (360 - width) / 2;
  return boundsAround(longitudes, middle > 180 ? middle - 360 : middle);
}

/** The end and the width of the widest gap, in whole degrees. */
function widestGap(longitudes: ArrayLike<number>): [end: number, width: number] {
  const seen = new Uint8Array(360);
  for (let at = 0; at < longitudes.length; at += 1) {
    const own = longitudes[at] as number;
    if (Number.isFinite(own)) seen[((Math.floor(own) % 360) + 360) % 360] = 1;
  }
  let [end, width, run] = [0, 0, 0];
  for (let at = 0; at < 720; at += 1) {
    run = seen[at % 360] ? 0 : run + 1;
    if (run > width && run < 360) [end, width] = [at + 1, run];
  }
  return [end, width];
}

/** West and east of longitudes within half a turn of the middle. */
function boundsAround(longitudes: ArrayLike<number>, middle: number): Range {
  let [west, east] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (let at = 0; at < longitudes.length; at += 1) {
    const own = (longitudes[at] as number) - 360 * Math.round(((longitudes[at] as number) - middle) / 360);
    if (own < west) west = own;
    if (own > east) east = own;
  }
  return [west, east];
}
