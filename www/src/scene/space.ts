/**
 * Finds the coordinates of a picture's elements: degrees, a projected plane, lengths of a specimen,
 * or indices. The result is the positions of the levels on a map with north up and the world from
 * −180 to 180.
 */
import type * as zarr from "zarr-wasm";
import type { AxisPlace, LevelPlace } from "zarr-wasm/openlayers";
import { variableOf } from "./coordinates.js";
import { gridMappingOf, type ProjectionText, projectionOf, projectionOfGridMapping } from "./projection.js";
import type { ArrayNode, Scene, SceneAxis, Space } from "./scene.js";
import { unitText } from "./value_text.js";
import { turnedPlane, warpedPlane } from "./warped.js";

export type Placement = Pick<Scene, "space" | "places" | "isUpward" | "warped">;

/** Tolerance for equal steps, in steps. */
const TOLERANCE = 0.5;

/** Start and step of coordinates with equal steps. Null for others. */
export function regularPlace(values: ArrayLike<number> | readonly string[]): AxisPlace | null {
  const [first, last] = [values[0], values[values.length - 1]];
  if (typeof first !== "number" || typeof last !== "number") return null;
  if (values.length === 1) return null;
  const step = (last - first) / (values.length - 1);
  if (!Number.isFinite(step) || step === 0) return null;
  for (let at = 0; at < values.length; at += 1) {
    const off = ((values[at] as number) - first - at * step) / step;
    if (!(Math.abs(off) <= TOLERANCE)) return null;
  }
  return { start: first, step };
}

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

const INDEX: Placement = { space: { kind: "index" }, isUpward: false };

const arrayOf = ({ pyramid }: Asked): ArrayNode => pyramid.levels[0]?.array as ArrayNode;

/**
 * Positions by index: elements are squares, and the first row is at the top. Coarse levels have the
 * extent of the finest.
 */
function byIndex({ pyramid, plane }: Asked): LevelPlace[] {
  const [width = 1, height = 1] = [pyramid.levels[0]?.shape[plane.x], pyramid.levels[0]?.shape[plane.y]];
  return pyramid.levels.map(({ shape }) => ({
    x: coarser({ start: 0.5, step: 1 }, width, shape[plane.x] ?? 1),
    y: coarser({ start: -0.5, step: -1 }, height, shape[plane.y] ?? 1),
  }));
}

const indexPlacement = (asked: Asked): Placement => ({ ...INDEX, places: byIndex(asked) });

/** The positions in a specimen, from OME's scales of the plane. */
function specimen({ pyramid, axes, plane }: Asked): Placement {
  const [x, y] = [axes[plane.x], axes[plane.y]];
  // Axes with different units have no common scale.
  if (x?.unit !== y?.unit) return indexPlacement({ pyramid, axes, plane });
  return { space: { kind: "physical", unit: x?.unit ?? "" }, isUpward: false };
}

/** The positions from the pyramid's transform. */
const written = ({ scale, translation, affine }: zarr.PyramidLevel, axis: number, which: 0 | 4): AxisPlace =>
  affine
    ? { start: affine[which === 0 ? 2 : 5], step: affine[which] }
    : { start: translation[axis] ?? 0, step: scale[axis] ?? 1 };

const isTurned = ({ affine }: zarr.PyramidLevel) =>
  affine !== undefined && (affine[1] !== 0 || affine[3] !== 0);

const isLongitude = (name: string, unit: string, standardName: unknown) =>
  /^degrees?_?e(ast)?$/i.test(unit) ||
  standardName === "longitude" ||
  (/^(lon|longitude)$/i.test(name) && !/m$/i.test(unit));

/** The positions of all levels, from the pyramid or from the coordinates of the finest level. */
async function knownPlaces(
  asked: Asked,
): Promise<{ places: { x: AxisPlace; y: AxisPlace }[]; isDegrees: boolean; unit: string } | null> {
  const { pyramid, plane, axes, signal } = asked;
  const [x, y] = [axes[plane.x], axes[plane.y]];
  if (pyramid.isPlaced) {
    const places = pyramid.levels.map((level) => ({
      x: written(level, plane.x, 0),
      y: written(level, plane.y, 4),
    }));
    return { places, isDegrees: isLongitude(x?.name ?? "", x?.unit ?? "", ""), unit: x?.unit ?? "" };
  }
  const array = arrayOf(asked);
  const [ofX, ofY] = await Promise.all([
    variableOf(array, plane.x, { signal }),
    variableOf(array, plane.y, { signal }),
  ]);
  if (!ofX || !ofY || ofX.time || ofY.time) return null;
  const [placeX, placeY] = [regularPlace(ofX.values), regularPlace(ofY.values)];
  if (!placeX || !placeY) return null;
  const places = pyramid.levels.map(({ shape }) => ({
    x: coarser(placeX, x?.length ?? 1, shape[plane.x] ?? 1),
    y: coarser(placeY, y?.length ?? 1, shape[plane.y] ?? 1),
  }));
  const unit = ofX.units ?? "";
  return { places, isDegrees: isLongitude(x?.name ?? "", unit, ofX.attrs.standard_name), unit };
}

/** A world with longitudes from −180. */
function onGlobe(asked: Asked, places: readonly { x: AxisPlace; y: AxisPlace }[]): Placement {
  const { pyramid, plane } = asked;
  const all = places.map(
    ({ x, y }, at): LevelPlace => ({
      ...rolled(x, pyramid.levels[at]?.shape[plane.x] ?? 1),
      y,
    }),
  );
  return { space: { kind: "geographic" }, isUpward: true, places: all };
}

const projected = ({ definition, name }: ProjectionText, unit: string): Space => ({
  kind: "projected",
  definition,
  name,
  unit: unitText(unit) || "m",
});

const scaled = ({ start, step }: AxisPlace, factor: number): AxisPlace => ({
  start: start * factor,
  step: step * factor,
});

type Reference = ProjectionText | "geographic" | undefined;

/** The reference system in the metadata, and whether it is a CF grid mapping. */
async function referenceOf(asked: Asked): Promise<{ crs: Reference; isMapping: boolean }> {
  const { pyramid, signal } = asked;
  const named = pyramid.crs && projectionOf(pyramid.crs);
  if (named) return { crs: named, isMapping: false };
  const mapping = await gridMappingOf(arrayOf(asked), signal);
  return { crs: mapping && projectionOfGridMapping(mapping), isMapping: mapping !== undefined };
}

/** A rotated grid: a map of its coordinates with north up. */
async function turned(asked: Asked): Promise<Placement> {
  const { name = "", unit = "" } = asked.axes[asked.plane.x] ?? {};
  const { crs } = await referenceOf(asked);
  const isGlobe = crs === "geographic" || (crs === undefined && isLongitude(name, unit, ""));
  const warped = turnedPlane(asked, isGlobe);
  if (!warped) return indexPlacement(asked);
  const space: Space = isGlobe
    ? { kind: "geographic" }
    : crs
      ? projected(crs, unit)
      : { kind: "physical", unit };
  return { space, isUpward: true, warped };
}

/** The space of a scene's elements. */
export async function placementOf(asked: Asked): Promise<Placement> {
  const { pyramid, plane } = asked;
  if (pyramid.convention === "ome") return specimen(asked);
  const isUsual = plane.x === pyramid.plane.x && plane.y === pyramid.plane.y;
  if (isUsual && pyramid.isPlaced && pyramid.levels.some(isTurned)) return turned(asked);
  const known = isUsual ? await knownPlaces(asked) : null;
  if (!known) {
    const warped = isUsual ? await warpedPlane(asked) : null;
    return warped ? { space: { kind: "geographic" }, isUpward: true, warped } : indexPlacement(asked);
  }
  const { places, isDegrees, unit } = known;
  const { crs, isMapping } = await referenceOf(asked);
  if (crs === "geographic" || (crs === undefined && isDegrees)) return onGlobe(asked, places);
  if (crs) {
    // CF's projections are in metres.
    const factor = /^(km|kilomet(er|re)s?)$/i.test(unit) && isMapping ? 1000 : 1;
    const inMeters = places.map(({ x, y }) => ({ x: scaled(x, factor), y: scaled(y, factor) }));
    return { space: projected(crs, factor === 1 ? unit : "m"), isUpward: true, places: inMeters };
  }
  return { space: { kind: "physical", unit }, isUpward: true, places };
}
