/**
 * Finds the coordinates of a picture's elements: degrees, a projected plane, lengths of a specimen,
 * or indices. The package's `placement` says where they lie. The result is the positions of the
 * levels on a map with north up and the world from −180 to 180.
 */
import * as zarr from "zarr-wasm";
import type { AxisPlace, LevelPlace } from "zarr-wasm/openlayers";
import { definitionOf } from "./projection.js";
import type { ArrayNode, Scene, SceneAxis, Space } from "./scene.js";
import { unitText } from "./value_text.js";
import { warpedPlane } from "./warped.js";

export type Placement = Pick<Scene, "space" | "places" | "isUpward" | "warped">;

/** How far elements may be from equal steps, in steps, to be drawn with equal steps. */
const TOLERANCE = 0.5;
/** Maximum length of an axis whose coordinates are read. */
const MOST = 1_000_000;

/** The positions of a coarser level with the same edges. */
function coarser({ start, step }: AxisPlace, length: number, own: number): AxisPlace {
  const ratio = length / own;
  return { start: start - step / 2 + (step * ratio) / 2, step: step * ratio };
}

/**
 * Longitudes from −180. Multiples of 360 are subtracted, and a whole world starts at the element
 * after 180.
 */
export function rolled({ start, step }: AxisPlace, length: number): { x: AxisPlace; roll: number } {
  const isWorld = step > 0 && Math.abs(length * step - 360) < step * 0.75;
  if (!isWorld) {
    const middle = start + ((length - 1) * step) / 2;
    return { x: { start: start - 360 * Math.round(middle / 360), step }, roll: 0 };
  }
  const from = start - 360 * Math.floor((start + 180 + step / 2) / 360);
  const roll = from > -180 + step / 2 ? Math.ceil((180 - from) / step - 1e-6) : 0;
  return roll <= 0 || roll >= length
    ? { x: { start: from, step }, roll: 0 }
    : { x: { start: from + roll * step - 360, step }, roll };
}

interface Asked {
  pyramid: zarr.Pyramid;
  axes: readonly SceneAxis[];
  plane: { x: number; y: number };
  signal?: AbortSignal | undefined;
}

/** Columns and rows of a level, or of the finest one. */
function sizeOf({ pyramid, plane }: Asked, { shape } = pyramid.levels[0] ?? { shape: [] }) {
  return { columns: shape[plane.x] ?? 1, rows: shape[plane.y] ?? 1 };
}

/** The positions of levels with the extent of the finest. */
function coarserPlaces(asked: Asked, x: AxisPlace, y: AxisPlace): LevelPlace[] {
  const { columns, rows } = sizeOf(asked);
  return asked.pyramid.levels.map((level) => {
    const own = sizeOf(asked, level);
    return { x: coarser(x, columns, own.columns), y: coarser(y, rows, own.rows) };
  });
}

/** Positions by index: elements are squares, and the first row is at the top. */
function byIndex(asked: Asked): Placement {
  const places = coarserPlaces(asked, { start: 0.5, step: 1 }, { start: -0.5, step: -1 });
  return { space: { kind: "index" }, isUpward: false, places };
}

/** The positions in a specimen, from OME's scales of the plane. */
function specimen(asked: Asked): Placement {
  const [x, y] = [asked.axes[asked.plane.x], asked.axes[asked.plane.y]];
  // Axes with different units have no common scale.
  if (x?.unit !== y?.unit) return byIndex(asked);
  return { space: { kind: "physical", unit: x?.unit ?? "" }, isUpward: false };
}

/** Where the elements lie. Null if the metadata does not tell, and for another plane. */
async function placedOf(asked: Asked): Promise<zarr.Placement | null> {
  const { pyramid, plane, signal } = asked;
  const { columns, rows } = sizeOf(asked);
  const isUsual = plane.x === pyramid.plane.x && plane.y === pyramid.plane.y;
  if (!isUsual || (!pyramid.isPlaced && Math.max(columns, rows) > MOST)) return null;
  try {
    return await zarr.placement(pyramid.levels[0]?.array as ArrayNode, { tolerance: TOLERANCE, signal });
  } catch (error) {
    signal?.throwIfAborted();
    // The picture is usable without coordinates.
    if (error instanceof zarr.ZarrError) return null;
    throw error;
  }
}

function spaceOf({ crs, isGeographic, units = "" }: zarr.Placement, pyramid: zarr.Pyramid): Space {
  if (isGeographic) return { kind: "geographic" };
  const definition = crs && definitionOf(crs, pyramid.crs);
  if (!definition) return { kind: "physical", unit: units };
  return { kind: "projected", definition, unit: unitText(units) || "m" };
}

/** The positions of all levels, from their own transforms or from that of the finest. */
function levelPlaces(asked: Asked, [a, , c, , e, f]: readonly number[]): LevelPlace[] {
  const { pyramid, plane } = asked;
  const own = ({ translation, scale }: zarr.PyramidLevel, axis: number): AxisPlace => ({
    start: translation[axis] ?? 0,
    step: scale[axis] ?? 1,
  });
  if (pyramid.isPlaced)
    return pyramid.levels.map((level) => ({ x: own(level, plane.x), y: own(level, plane.y) }));
  return coarserPlaces(asked, { start: c ?? 0, step: a ?? 1 }, { start: f ?? 0, step: e ?? 1 });
}

/** The positions on a map. Null for rows and columns that can neither be drawn nor warped. */
function onMap(asked: Asked, placed: zarr.Placement): Placement | null {
  const { pyramid } = asked;
  const space = spaceOf(placed, pyramid);
  const { pixels } = placed;
  const isTurned = pixels.kind === "affine" && (pixels.affine[1] !== 0 || pixels.affine[3] !== 0);
  if (pixels.kind !== "affine" || isTurned) {
    const { columns, rows } = sizeOf(asked);
    const warped = isTurned || placed.isGeographic ? warpedPlane(placed, columns * rows) : null;
    return warped && { space, isUpward: true, warped };
  }
  const places = levelPlaces(asked, pixels.affine);
  if (!placed.isGeographic) return { space, isUpward: true, places };
  const onGlobe = places.map(({ x, y }, at) => ({
    ...rolled(x, sizeOf(asked, pyramid.levels[at]).columns),
    y,
  }));
  return { space, isUpward: true, places: onGlobe };
}

/** The space of a scene's elements. */
export async function placementOf(asked: Asked): Promise<Placement> {
  if (asked.pyramid.convention === "ome") return specimen(asked);
  const placed = await placedOf(asked);
  return (placed && onMap(asked, placed)) ?? byIndex(asked);
}
