/**
 * Reads the profile along a line: the elements under even steps, and how far they are from its
 * start.
 */
import { getDistance } from "ol/sphere.js";
import * as zarr from "zarr-wasm";
import type { Scene } from "../scene/scene.js";
import { unitText } from "../scene/value_text.js";
import {
  elementAt,
  lengthInElements,
  type PlacedLevel,
  placedLevels,
  samplesAlong,
  stored,
} from "./elements_under.js";
import type { Place } from "./marks.js";
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
const MOST_SAMPLES = 4096;

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
  const level = levels.find((level) => lengthInElements(level, line) < MOST_SAMPLES) ?? levels.at(-1);
  if (level && lengthInElements(level, line) < 4 * MOST_SAMPLES) return level;
  throw new zarr.ZarrError("Limit", "the line is too long for a profile", {
    expected: `${4 * MOST_SAMPLES} elements at most`,
  });
}

/** One list for each dimension of the array: an index of each sample. */
function pointsOf(subject: Subject, level: PlacedLevel, places: readonly Place[]): zarr.Points {
  const { plane } = subject.scene;
  const elements = places.map((place) => elementAt(level, place));
  const others = selectionOf(subject, { level: level.index, x: 0, y: 0 }) as number[];
  const lists = others.map((index, axis) =>
    elements.map((element) => {
      if (axis === plane.x) return stored(level, element?.column ?? 0);
      return axis === plane.y ? (element?.row ?? 0) : index;
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
  const level = levelFor(scene, line);
  const all = samplesAlong(level, line);
  const { unit, between } = measureOf(scene, level);
  const distances = new Float64Array(all.length);
  for (const [at, place] of all.entries())
    distances[at] = at === 0 ? 0 : (distances[at - 1] ?? 0) + between(all[at - 1] as Place, place);
  const values = new Float64Array(all.length).fill(Number.NaN);
  const inside = [...all.keys()].filter((at) => elementAt(level, all[at] as Place));
  if (inside.length > 0) {
    const { array } = scene.pyramid.levels[level.index] as zarr.PyramidLevel;
    const points = pointsOf(
      subject,
      level,
      inside.map((at) => all[at] as Place),
    );
    const { data } = await array.get(points, { as: "float64", decode: scene.decode, signal });
    for (const [from, to] of inside.entries()) values[to] = data[from] as number;
  }
  return { distances, unit, places: all, values, level: level.index };
}
