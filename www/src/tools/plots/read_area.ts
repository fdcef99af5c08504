/**
 * Reads about the elements in a box or a polygon: statistics and a histogram at the indices on
 * show, and the mean along an axis. The package reduces them where they are decoded. The page gets
 * nothing but the answers.
 */
import Polygon from "ol/geom/Polygon.js";
import * as zarr from "zarr-wasm";
import type { ArrayNode, Scene } from "../../model/scene/scene.js";
import type { Mark, Position } from "../../model/state/marks.js";
import {
  centreOf,
  countIn,
  type ElementBox,
  elementsIn,
  type MapLevel,
  mapLevels,
  stored,
  storedColumns,
} from "./elements_under.js";
import type { Piece } from "./pieces.js";
import { readInPieces, type Series, type SeriesReading } from "./read_series.js";
import { type Entry, type Subject, selectionOf } from "./selecting.js";
import { warpedAreaOf } from "./warped_area.js";

/** The elements of an area in one level. */
export interface Area {
  level: MapLevel;
  box: ElementBox;
  /** Columns and rows of the array. */
  x: Entry;
  y: Entry;
  /** 1 for the elements of the box that count, in the order in which they are drawn. */
  mask?: Uint8Array;
  /** The same mask where it lies over the array. */
  where?: zarr.NumbersOver;
  /** Whether a mean is one by the areas of elements. */
  isByArea: boolean;
}

/** The statistics of an area. NaN if no value is there. */
export interface AreaStatistics {
  count: number;
  min: number;
  max: number;
  mean: number;
  std: number;
  median: number;
  /** How many elements are in each bin. */
  counts: ArrayLike<number>;
  /** The ends of the first and the last bin. */
  window: readonly [low: number, high: number];
  /** The level that was read. */
  level: number;
}

/** Maximum number of elements of a plane. Of larger areas a coarser level is read. */
const MAX_ELEMENTS = { box: 4_000_000, polygon: 1_000_000 };
/** Of an array without coarse levels, this number of elements. */
const MAX_ELEMENTS_WITHOUT_LEVELS = 64_000_000;

/** The elements of an area, in the finest level that has few enough. Null if there are none. */
export async function areaOf(scene: Scene, mark: Mark, signal: AbortSignal): Promise<Area | null> {
  return scene.warped ? areaOfWarped(scene, mark, signal) : areaOfLevels(scene, mark);
}

/** The area of a map whose elements have positions of their own. */
async function areaOfWarped(scene: Scene, mark: Mark, signal: AbortSignal): Promise<Area | null> {
  const outline = outlineOf(mark);
  const isInside = (position: Position) => mark.kind === "box" || outline.intersectsCoordinate([...position]);
  const found = await warpedAreaOf(scene, mark, { most: MAX_ELEMENTS.box, isInside, signal });
  if (!found) return null;
  const { level, box, mask, isAlongAxes } = found;
  const rangeOf = ([start, stop]: readonly [number, number]) => ({ start, stop, step: null });
  const isByArea = isAlongAxes && scene.space.kind === "geographic";
  const area = { level, box, x: rangeOf(box.columns), y: rangeOf(box.rows), isByArea };
  return mask ? { ...area, mask, where: maskOver(mask, area, scene.plane) } : area;
}

function areaOfLevels(scene: Scene, mark: Mark): Area | null {
  const isBox = mark.kind === "box";
  const usual = isBox ? MAX_ELEMENTS.box : MAX_ELEMENTS.polygon;
  const found = mapLevels(scene).flatMap((level) => {
    const box = elementsIn(level, mark.positions);
    return box ? [{ level, box }] : [];
  });
  const chosen = found.find(({ box }) => countIn(box) <= usual) ?? found.at(-1);
  if (!chosen) return null;
  const { level, box } = chosen;
  const most = isBox ? MAX_ELEMENTS_WITHOUT_LEVELS : 4 * usual;
  if (countIn(box) > most) {
    throw new zarr.ZarrError("Limit", "the area is too large", {
      expected: `${most} elements at most`,
      actual: String(countIn(box)),
    });
  }
  const [start, stop] = box.rows;
  const area = {
    level,
    box,
    x: storedColumns(level, box.columns),
    y: { start, stop, step: null },
    isByArea: scene.space.kind === "geographic",
  };
  if (isBox) return area;
  const mask = maskOf(mark, area);
  return { ...area, mask, where: maskOver(mask, area, scene.plane) };
}

const outlineOf = ({ positions }: Mark): Polygon =>
  new Polygon([[...positions, positions[0] ?? [0, 0]].map((position) => [...position])]);

/**
 * 1 for the elements of a box whose centre is in a polygon, in the order in which they are drawn.
 */
function maskOf(mark: Mark, { level, box }: Pick<Area, "level" | "box">): Uint8Array {
  const outline = outlineOf(mark);
  const [[firstRow, lastRow], [from, to]] = [box.rows, box.columns];
  const mask = new Uint8Array(countIn(box));
  let at = 0;
  for (let row = firstRow; row < lastRow; row += 1) {
    for (let column = from; column < to; column += 1) {
      if (outline.intersectsCoordinate([...centreOf(level, column, row)])) mask[at] = 1;
      at += 1;
    }
  }
  return mask;
}

/** A mask where it lies over the array. */
function maskOver(mask: Uint8Array, { level, box }: Area, plane: Scene["plane"]): zarr.NumbersOver {
  const [[firstRow, lastRow], [from, to]] = [box.rows, box.columns];
  const [height, width, first] = [lastRow - firstRow, to - from, stored(level, from)];
  const common = { dimensionNames: [plane.y, plane.x] };
  if (first <= stored(level, to - 1))
    return { ...common, data: mask, shape: [height, width], offset: [firstRow, first] };
  // Columns on both sides of the first one of the array have no common offset.
  const data = new Uint8Array(level.columns * height);
  for (const [at, isInside] of mask.entries()) {
    const column = stored(level, from + (at % width));
    data[Math.floor(at / width) * level.columns + column] = isInside;
  }
  return { ...common, data, shape: [height, level.columns], offset: [firstRow, 0] };
}

/** Maximum number of bins. */
const BINS = 64;

/** A bin for each integer if they are few. */
function binsOf(min: number, max: number, isInteger: boolean): { bins: number; window: [number, number] } {
  const count = max - min + 1;
  if (isInteger && count <= BINS) return { bins: count, window: [min - 0.5, max + 0.5] };
  return { bins: BINS, window: [min, max] };
}

const numberOf = ({ data }: zarr.ReduceResult): number => Number(data[0]);

const STATISTICS = ["count", "min", "max", "mean", "std", "median"] as const;

/** The statistics of an area at the indices of a subject. */
export async function readStatistics(
  subject: Subject,
  area: Area,
  signal: AbortSignal,
): Promise<AreaStatistics> {
  const { scene } = subject;
  const { array } = scene.pyramid.levels[area.level.index] as zarr.PyramidLevel;
  const { decode, integer } = scene;
  const selection = selectionOf(subject, { level: area.level.index, x: area.x, y: area.y });
  const { where } = area;
  const found = await zarr.reduce(array, selection, { op: STATISTICS, where, decode, signal });
  const numbers = Object.fromEntries(STATISTICS.map((name) => [name, numberOf(found[name])]));
  const { count = 0, min = 0, max = 0, mean = 0, std = 0, median = 0 } = numbers;
  const common = { count, mean, std, median, level: area.level.index };
  if (count === 0) return { ...common, min: Number.NaN, max: Number.NaN, counts: [], window: [0, 1] };
  const bins = binsOf(min, max, integer);
  const counted = area.mask ? pointsOf(subject, area) : selection;
  const { counts } = await zarr.histogram(array, { selection: counted, ...bins, decode, signal });
  return { ...common, min, max, counts, window: bins.window };
}

/** The elements of a polygon, as a list of indices for each dimension. */
function pointsOf(subject: Subject, { level, box, mask = new Uint8Array(0) }: Area): zarr.Points {
  const { plane } = subject.scene;
  const [[firstRow], [from, to]] = [box.rows, box.columns];
  const inside: number[] = [];
  for (const [at, isInside] of mask.entries()) if (isInside) inside.push(at);
  const width = to - from;
  const indexOf = (axis: number, index: number) => {
    if (axis === plane.x) return (at: number) => stored(level, from + (at % width));
    return axis === plane.y ? (at: number) => firstRow + Math.floor(at / width) : () => index;
  };
  const others = selectionOf(subject, { level: level.index, x: 0, y: 0 }) as number[];
  return zarr.points(...others.map((index, axis) => inside.map(indexOf(axis, index))));
}

/** Maximum number of pieces of a mean, because each of them has the mask. */
const PIECES = 8;

/** The mean of an area along an axis. On the globe it is one by area. */
export function readMeanSeries(
  subject: Subject,
  area: Area,
  axis: number,
  reading: SeriesReading,
): Promise<Series> {
  const { scene } = subject;
  const { plane, decode } = scene;
  const { isByArea } = area;
  const level = area.level.index;
  const valuesOf = async (array: ArrayNode, piece: Piece) => {
    const along = { axis, entry: piece };
    const selection = selectionOf(subject, { level, x: area.x, y: area.y, along });
    const { data } = await zarr.reduce(array, selection, {
      op: "mean",
      over: [plane.x, plane.y],
      where: area.where,
      weights: isByArea ? "area" : undefined,
      decode,
      signal: reading.signal,
    });
    return data as Float64Array;
  };
  const remark = isByArea ? "mean by area" : "mean";
  return readInPieces(subject, { level, along: axis, most: PIECES, remark, valuesOf }, reading);
}
