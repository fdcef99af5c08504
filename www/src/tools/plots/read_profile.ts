/**
 * Reads the profile along a line: the elements under even steps, and how far they are from its
 * start.
 */
import { getDistance } from "ol/sphere.js";
import * as zarr from "zarr-wasm";
import type { Scene, WarpedPlane } from "../../model/scene/scene.js";
import { unitText } from "../../model/scene/value_text.js";
import type { Place } from "../../model/state/marks.js";
import {
  type Element,
  elementAt,
  lengthInElements,
  type PlacedLevel,
  placedLevels,
  samplesAlong,
  stored,
} from "./elements_under.js";
import { type Subject, selectionOf } from "./selecting.js";

export interface Profile {
  /** How far each sample is from the start of the line. */
  distances: Float64Array;
  /** Unit of the distances; empty for elements. */
  unit: string;
  places: readonly Place[];
  /** Values; NaN if one is missing, or outside of the picture. */
  values: Float64Array;
  /** The level that was read. */
  level: number;
}

/** Maximum number of samples. Of longer lines a coarser level is read. */
const MAX_SAMPLES = 4096;

/** The distance between places, and its unit. */
function measureOf(
  { space }: Scene,
  level: PlacedLevel,
): { unit: string; between(a: Place, b: Place): number } {
  const plain = ([x, y]: Place, [otherX, otherY]: Place) => Math.hypot(otherX - x, otherY - y);
  if (space.kind === "geographic")
    return { unit: "km", between: (from, to) => getDistance([...from], [...to]) / 1000 };
  if (space.kind === "index") return { unit: "", between: plain };
  // Without a unit, lengths are counted in elements.
  const unit = unitText(space.unit);
  const step = Math.abs(level.place.x.step);
  return unit ? { unit, between: plain } : { unit: "", between: (from, to) => plain(from, to) / step };
}

/** The finest level in which a line has no more samples than a plot can show. */
function levelFor(scene: Scene, line: readonly Place[]): PlacedLevel {
  const levels = placedLevels(scene);
  const level = levels.find((level) => lengthInElements(level, line) < MAX_SAMPLES) ?? levels.at(-1);
  if (level && lengthInElements(level, line) < 4 * MAX_SAMPLES) return level;
  throw new zarr.ZarrError("Limit", "the line is too long for a profile", {
    expected: `${4 * MAX_SAMPLES} elements at most`,
  });
}

/** The samples of a line, and the element of each: null outside of the picture. */
interface Samples {
  level: PlacedLevel;
  places: readonly Place[];
  elements: readonly (Element | null)[];
}

/** Maximum number of samples where each element must be looked for. */
const MAX_LOOKUPS = 512;

/** The samples of a line of a map whose rows and columns are not those of the array. */
async function warpedSamples(
  subject: Subject,
  { extent: [left, bottom, right, top], size }: WarpedPlane,
  line: readonly Place[],
  signal: AbortSignal,
): Promise<Samples> {
  const { pyramid, plane } = subject.scene;
  const [columns, rows] = size;
  const place = {
    x: { start: left, step: (right - left) / columns },
    y: { start: bottom, step: (top - bottom) / rows },
  };
  const map = { index: 0, place, columns, rows };
  const shape = pyramid.levels[0]?.shape ?? [];
  const elementsOfMap = Math.sqrt(((shape[plane.x] ?? 1) * (shape[plane.y] ?? 1)) / (columns * rows));
  const wanted = Math.ceil(lengthInElements(map, line) * elementsOfMap);
  const places = evenly(samplesAlong(map, line), Math.min(wanted, MAX_LOOKUPS));
  const elements = await Promise.all(places.map((each) => subject.elementAt(each, signal)));
  return { level: map, places, elements };
}

/** As many of some samples as wanted, the first and the last among them. */
function evenly<T>(all: readonly T[], wanted: number): T[] {
  const count = Math.max(2, Math.min(wanted, all.length));
  return Array.from(
    { length: count },
    (_, at) => all[Math.round((at * (all.length - 1)) / (count - 1))] as T,
  );
}

function placedSamples(scene: Scene, line: readonly Place[]): Samples {
  const level = levelFor(scene, line);
  const places = samplesAlong(level, line);
  const elements = places.map((place) => {
    const drawn = elementAt(level, place);
    return drawn && { column: stored(level, drawn.column), row: drawn.row };
  });
  return { level, places, elements };
}

/** One list for each dimension of the array: an index of each sample. */
function pointsOf(subject: Subject, level: PlacedLevel, elements: readonly Element[]): zarr.Points {
  const { plane } = subject.scene;
  const others = selectionOf(subject, { level: level.index, x: 0, y: 0 }) as number[];
  const lists = others.map((index, axis) =>
    elements.map(({ column, row }) => {
      if (axis === plane.x) return column;
      return axis === plane.y ? row : index;
    }),
  );
  return zarr.points(...lists);
}

export async function readProfile(
  subject: Subject,
  line: readonly Place[],
  signal: AbortSignal,
): Promise<Profile> {
  const { scene } = subject;
  const samples = scene.warped
    ? await warpedSamples(subject, scene.warped, line, signal)
    : placedSamples(scene, line);
  const { level, places: all, elements } = samples;
  const { unit, between } = measureOf(scene, level);
  const distances = new Float64Array(all.length);
  for (const [at, place] of all.entries())
    distances[at] = at === 0 ? 0 : (distances[at - 1] ?? 0) + between(all[at - 1] as Place, place);
  const values = new Float64Array(all.length).fill(Number.NaN);
  const inside = elements.flatMap((element, at) => (element ? [{ element, at }] : []));
  if (inside.length > 0) {
    const { array } = scene.pyramid.levels[level.index] as zarr.PyramidLevel;
    const found = inside.map(({ element }) => element);
    const points = pointsOf(subject, level, found);
    const { data } = await array.get(points, { as: "float64", decode: scene.decode, signal });
    for (const [from, { at }] of inside.entries()) values[at] = data[from] as number;
  }
  return { distances, unit, places: all, values, level: level.index };
}
