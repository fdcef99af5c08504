/**
 * Maps of arrays whose rows and columns are not those of a map: grids with a longitude and latitude
 * for each element, latitudes with unequal steps, and rotated planes. It computes their extents and
 * sizes; the package's `placement` says where the elements lie, and `warp` finds them.
 */
import type { Placement } from "zarr-wasm";
import type { WarpedPlane } from "./scene.js";

const DEGREES = "EPSG:4326";
/** The name of the plane of the array's coordinates, for any reference system. */
const OWN_PLANE = "plane";
/** Pixels per side of an element, so that rotated or oblong elements keep their shape. */
const PIXELS_AN_ELEMENT = 8;
/** Maximum number of columns or rows of a map. */
const MOST_PIXELS = 8192;
/** Longitudes over more degrees than this are the whole globe. */
const WHOLE_GLOBE = 359;

type Extent = [left: number, bottom: number, right: number, top: number];

/** Columns and rows of a map for elements with this side: fewer if there are too many. */
function sizeOf([left, bottom, right, top]: Extent, side: number): [number, number] {
  const finest = side / PIXELS_AN_ELEMENT;
  const pixel = Math.max(finest, (right - left) / MOST_PIXELS, (top - bottom) / MOST_PIXELS);
  const count = (length: number) => Math.max(Math.ceil(length / pixel), 1);
  return [count(right - left), count(top - bottom)];
}

/** The side of an element if this number of elements covers a map. */
const sideOf = ([left, bottom, right, top]: Placement["extent"], count: number) =>
  Math.sqrt(((right - left) * (top - bottom)) / count);

/** An extent in degrees on the globe, with more room on each side. */
function onGlobe([left, bottom, right, top]: Placement["extent"], room: number): Extent {
  const turn = 360 * Math.round((left + right) / 720);
  const [west, east] = right - left > WHOLE_GLOBE ? [-180, 180] : [left - turn - room, right - turn + room];
  return [west, Math.max(bottom - room, -90), east, Math.min(top + room, 90)];
}

/** The map of an array of so many elements. Null if it has no extent. */
export function warpedPlane(
  { pixels, extent: told, isGeographic }: Placement,
  elements: number,
): WarpedPlane | null {
  // The extent of a grid is that of the centres of its elements.
  const room = pixels.kind === "grid" ? sideOf(told, elements) / 2 : 0;
  const extent: Extent = isGeographic ? onGlobe(told, room) : [...told];
  const [left, bottom, right, top] = extent;
  if (!extent.every(Number.isFinite) || right <= left || top <= bottom) return null;
  const crs = isGeographic ? DEGREES : OWN_PLANE;
  if (pixels.kind !== "affine") return { crs, extent, size: sizeOf(extent, sideOf(extent, elements)) };
  const [a, b, , d, e] = pixels.affine;
  return { crs, from: crs, extent, size: sizeOf(extent, Math.min(Math.hypot(a, d), Math.hypot(b, e))) };
}
