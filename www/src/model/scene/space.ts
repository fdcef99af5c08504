/**
 * Finds the coordinates of a picture's elements: degrees, a projected plane, lengths of a specimen,
 * or indices. The package's `placement` says where they lie. The result is the positions of the
 * levels on a map with north up and the world from −180 to 180, or a map for the package's `warp`.
 */
import * as zarr from "zarr-wasm";
import { type AxisPlace, type LevelPlace, type MapExtent, rolled } from "zarr-wasm/openlayers";
import { MAX_COORDINATES } from "./coordinates.js";
import { nullUnlessAborted } from "./lenient_reads.js";
import { definitionOf } from "./projection.js";
import type { Scene, Space, UnstyledScene, WarpedPlane } from "./scene.js";
import { unitText } from "./value_text.js";

export type MapPlacement = Pick<Scene, "space" | "places" | "isUpward" | "warped">;

type Asked = Pick<UnstyledScene, "pyramid" | "array" | "axes" | "plane" | "signal">;

/** How far elements may be from equal steps, in steps, to be drawn with equal steps. */
const TOLERANCE = 0.5;
/** The positions of a coarser level with the same edges. */
function coarser({ start, step }: AxisPlace, length: number, own: number): AxisPlace {
  const ratio = length / own;
  return { start: start - step / 2 + (step * ratio) / 2, step: step * ratio };
}

/** Columns and rows of a level, or of the finest one. */
function sizeOf({ array, plane }: Asked, { shape }: { shape: readonly number[] } = array) {
  return { columns: shape[plane.x] ?? 1, rows: shape[plane.y] ?? 1 };
}

/** The positions of levels with the extent of the finest. */
function coarserLevels(asked: Asked, x: AxisPlace, y: AxisPlace): LevelPlace[] {
  const { columns, rows } = sizeOf(asked);
  return asked.pyramid.levels.map((level) => {
    const own = sizeOf(asked, level);
    return { x: coarser(x, columns, own.columns), y: coarser(y, rows, own.rows) };
  });
}

/** The positions of levels from their own transforms. `up` is −1 for rows that grow downwards. */
const ownLevels = ({ pyramid, plane }: Asked, up: number): LevelPlace[] =>
  pyramid.levels.map(({ translation, scale }) => ({
    x: { start: translation[plane.x] ?? 0, step: scale[plane.x] ?? 1 },
    y: { start: up * (translation[plane.y] ?? 0), step: up * (scale[plane.y] ?? 1) },
  }));

/** Positions by index: elements are squares, and the first row is at the top. */
function byIndex(asked: Asked): MapPlacement {
  const places = coarserLevels(asked, { start: 0.5, step: 1 }, { start: -0.5, step: -1 });
  return { space: { kind: "index" }, isUpward: false, places };
}

/** The positions in a specimen, from OME's scales of the plane. */
function specimen(asked: Asked): MapPlacement {
  const [x, y] = [asked.axes[asked.plane.x], asked.axes[asked.plane.y]];
  // Axes with different units have no common scale.
  if (x?.unit !== y?.unit) return byIndex(asked);
  return { space: { kind: "physical", unit: x?.unit ?? "" }, isUpward: false, places: ownLevels(asked, -1) };
}

/** Where the elements lie. Null if the metadata does not tell, and for another plane. */
async function libraryPlacement(asked: Asked): Promise<zarr.Placement | null> {
  const { pyramid, array, plane, signal } = asked;
  const { columns, rows } = sizeOf(asked);
  const isUsual = plane.x === pyramid.plane.x && plane.y === pyramid.plane.y;
  if (!isUsual || (!pyramid.isPlaced && Math.max(columns, rows) > MAX_COORDINATES)) return null;
  return zarr.placement(array, { tolerance: TOLERANCE, signal }).catch(nullUnlessAborted(signal));
}

function spaceOf({ crs, isGeographic, units = "" }: zarr.Placement, { pyramid }: Asked): Space {
  if (isGeographic) return { kind: "geographic" };
  const definition = crs && definitionOf(crs, pyramid.crs);
  if (!definition) return { kind: "physical", unit: units };
  return { kind: "projected", definition, unit: unitText(units) || "m" };
}

/** The positions on a map. Null for rows and columns that can neither be drawn nor warped. */
function onMap(asked: Asked, found: zarr.Placement): MapPlacement | null {
  const { pixels, isGeographic } = found;
  const placement = { space: spaceOf(found, asked), isUpward: true };
  const isTurned = pixels.kind === "affine" && (pixels.affine[1] !== 0 || pixels.affine[3] !== 0);
  if (pixels.kind !== "affine" || isTurned) {
    const { columns, rows } = sizeOf(asked);
    const warped = isTurned || isGeographic ? warpedPlane(found, columns * rows) : null;
    return warped && { ...placement, places: [], warped };
  }
  const [a, , c, , e, f] = pixels.affine;
  const places = asked.pyramid.isPlaced
    ? ownLevels(asked, 1)
    : coarserLevels(asked, { start: c, step: a }, { start: f, step: e });
  if (!isGeographic) return { ...placement, places };
  const columnsOf = (at: number) => sizeOf(asked, asked.pyramid.levels[at]).columns;
  return { ...placement, places: places.map(({ x, y }, at) => ({ ...rolled(x, columnsOf(at)), y })) };
}

/** The space of a scene's elements. */
export async function placementOf(asked: Asked): Promise<MapPlacement> {
  if (asked.pyramid.convention === "ome") return specimen(asked);
  const found = await libraryPlacement(asked);
  return (found && onMap(asked, found)) ?? byIndex(asked);
}

/** Pixels per side of an element, so that rotated or oblong elements keep their shape. */
const PIXELS_AN_ELEMENT = 8;
/** Maximum number of columns or rows of a map. */
const MAX_PIXELS = 8192;
/** Longitudes over more degrees than this are the whole globe. */
const WHOLE_GLOBE = 359;

/** Columns and rows of a map for elements with this side: fewer if there are too many. */
function pixelsOf([left, bottom, right, top]: MapExtent, side: number): [number, number] {
  const finest = side / PIXELS_AN_ELEMENT;
  const pixel = Math.max(finest, (right - left) / MAX_PIXELS, (top - bottom) / MAX_PIXELS);
  const count = (length: number) => Math.max(Math.ceil(length / pixel), 1);
  return [count(right - left), count(top - bottom)];
}

/** The side of an element if this number of elements covers a map. */
const sideOf = ([left, bottom, right, top]: zarr.Placement["extent"], count: number) =>
  Math.sqrt(((right - left) * (top - bottom)) / count);

/** An extent in degrees on the globe, with more room on each side. */
function onGlobe([left, bottom, right, top]: zarr.Placement["extent"], room: number): MapExtent {
  const turn = 360 * Math.round((left + right) / 720);
  const [west, east] = right - left > WHOLE_GLOBE ? [-180, 180] : [left - turn - room, right - turn + room];
  return [west, Math.max(bottom - room, -90), east, Math.min(top + room, 90)];
}

/**
 * The map of so many elements whose rows and columns are not those of a map: grids with a longitude
 * and latitude for each element, latitudes with unequal steps, and rotated planes. Null if it has
 * no extent.
 */
function warpedPlane(
  { pixels, extent: whole, isGeographic }: zarr.Placement,
  count: number,
): WarpedPlane | null {
  // The extent of a grid is that of the centres of its elements.
  const room = pixels.kind === "grid" ? sideOf(whole, count) / 2 : 0;
  const extent: MapExtent = isGeographic ? onGlobe(whole, room) : [...whole];
  const [left, bottom, right, top] = extent;
  if (!extent.every(Number.isFinite) || right <= left || top <= bottom) return null;
  // The other name is that of the plane of the array's coordinates, for any reference system.
  const crs = isGeographic ? "EPSG:4326" : "plane";
  if (pixels.kind !== "affine") return { crs, extent, size: pixelsOf(extent, sideOf(extent, count)) };
  const [a, b, , d, e] = pixels.affine;
  return { crs, from: crs, extent, size: pixelsOf(extent, Math.min(Math.hypot(a, d), Math.hypot(b, e))) };
}
