/**
 * Reads the profile along a line: the elements under even steps, and how far they are from its
 * start.
 */
import { getDistance } from "ol/sphere.js";
import * as zarr from "zarr-wasm";
import type { Scene, WarpedPlane } from "../../model/scene/scene.js";
import { unitText } from "../../model/scene/value_text.js";
import type { Position } from "../../model/state/marks.js";
import {
  type Element,
  elementAt,
  lengthInElements,
  type MapLevel,
  mapLevels,
  samplesAlong,
  stored,
} from "./elements_under.js";
import { type Subject, selectionOf } from "./selecting.js";

export interface Profile {
  /** How far each sample is from the start of the line. */
  distances: Float64Array;
  /** Unit of the distances; empty for elements. */
  unit: string;
  positions: readonly Position[];
  /** Values; NaN if one is missing, or outside of the picture. */
  values: Float64Array;
  /** The level that was read. */
  level: number;
}

/** Maximum number of samples. Of longer lines a coarser level is read. */
const MAX_SAMPLES = 4096;

/** The distance between positions, and its unit. */
function measureOf(
  { space }: Scene,
  level: MapLevel,
): { unit: string; between(a: Position, b: Position): number } {
  const plain = ([x, y]: Position, [otherX, otherY]: Position) => Math.hypot(otherX - x, otherY - y);
  if (space.kind === "geographic")
    return { unit: "km", between: (from, to) => getDistance([...from], [...to]) / 1000 };
  if (space.kind === "index") return { unit: "", between: plain };
  // Without a unit, lengths are counted in elements.
  const unit = unitText(space.unit);
  const step = Math.abs(level.onMap.x.step);
  return unit ? { unit, between: plain } : { unit: "", between: (from, to) => plain(from, to) / step };
}

/** The finest level in which a line has no more samples than a plot can show. */
function levelFor(scene: Scene, line: readonly Position[]): MapLevel {
  const levels = mapLevels(scene);
  const level = levels.find((level) => lengthInElements(level, line) < MAX_SAMPLES) ?? levels.at(-1);
  if (level && lengthInElements(level, line) < 4 * MAX_SAMPLES) return level;
  throw new zarr.ZarrError("Limit", "the line is too long for a profile", {
    expected: `${4 * MAX_SAMPLES} elements at most`,
  });
}

/** The samples of a line, and the element of each: null outside of the picture. */
interface Samples {
  level: MapLevel;
  positions: readonly Position[];
  elements: readonly (Element | null)[];
}

/** Maximum number of samples where each element must be looked for. */
const MAX_LOOKUPS = 512;

/** The samples of a line of a map whose rows and columns are not those of the array. */
async function warpedSamples(
  subject: Subject,
  { extent: [left, bottom, right, top], size }: WarpedPlane,
  line: readonly Position[],
  signal: AbortSignal,
): Promise<Samples> {
  const { pyramid, plane } = subject.scene;
  const [columns, rows] = size;
  const onMap = {
    x: { start: left, step: (right - left) / columns },
    y: { start: bottom, step: (top - bottom) / rows },
  };
  const map = { index: 0, onMap, columns, rows };
  const shape = pyramid.levels[0]?.shape ?? [];
  const elementsOfMap = Math.sqrt(((shape[plane.x] ?? 1) * (shape[plane.y] ?? 1)) / (columns * rows));
  const wanted = Math.ceil(lengthInElements(map, line) * elementsOfMap);
  const positions = evenly(samplesAlong(map, line), Math.min(wanted, MAX_LOOKUPS));
  const elements = await Promise.all(positions.map((each) => subject.elementAt(each, signal)));
  return { level: map, positions, elements };
}

/** As many of some samples as wanted, the first and the last among them. */
function evenly<T>(all: readonly T[], wanted: number): T[] {
  const count = Math.max(2, Math.min(wanted, all.length));
  return Array.from(
    { length: count },
    (_, at) => all[Math.round((at * (all.length - 1)) / (count - 1))] as T,
  );
}

function samplesOfLevel(scene: Scene, line: readonly Position[]): Samples {
  const level = levelFor(scene, line);
  const positions = samplesAlong(level, line);
  const elements = positions.map((position) => {
    const drawn = elementAt(level, position);
    return drawn && { column: stored(level, drawn.column), row: drawn.row };
  });
  return { level, positions, elements };
}

/** One list for each dimension of the array: an index of each sample. */
function pointsOf(subject: Subject, level: MapLevel, elements: readonly Element[]): zarr.Points {
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
  line: readonly Position[],
  signal: AbortSignal,
): Promise<Profile> {
  const { scene } = subject;
  const samples = scene.warped
    ? await warpedSamples(subject, scene.warped, line, signal)
    : samplesOfLevel(scene, line);
  const { level, positions: all, elements } = samples;
  const { unit, between } = measureOf(scene, level);
  const distances = new Float64Array(all.length);
  for (const [at, position] of all.entries())
    distances[at] = at === 0 ? 0 : (distances[at - 1] ?? 0) + between(all[at - 1] as Position, position);
  const values = new Float64Array(all.length).fill(Number.NaN);
  const inside = elements.flatMap((element, at) => (element ? [{ element, at }] : []));
  if (inside.length > 0) {
    const { array } = scene.pyramid.levels[level.index] as zarr.PyramidLevel;
    const found = inside.map(({ element }) => element);
    const points = pointsOf(subject, level, found);
    const { data } = await array.get(points, { as: "float64", decode: scene.decode, signal });
    for (const [from, { at }] of inside.entries()) values[at] = data[from] as number;
  }
  return { distances, unit, positions: all, values, level: level.index };
}
