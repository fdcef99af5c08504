/**
 * The elements of a level under positions of the map: that of a point, those along a line, and
 * those whose centres are in a box or a polygon. Columns of a world that begins at 0° are in the
 * order in which they are drawn, and `stored` converts them.
 */
import type { LevelPlace } from "zarr-wasm/openlayers";
import type { Scene } from "../../model/scene/scene.js";
import type { Position } from "../../model/state/marks.js";

/** A level of a scene, as it lies on the map. */
export interface MapLevel {
  /** Its index in the pyramid. */
  index: number;
  onMap: LevelPlace;
  columns: number;
  rows: number;
}

export interface Element {
  column: number;
  row: number;
}

/** A box of elements. Ends are not included. */
export interface ElementBox {
  columns: readonly [start: number, stop: number];
  rows: readonly [start: number, stop: number];
}

/** The levels, finest first. Empty if rows and columns are not those of the map. */
export function mapLevels({ pyramid, plane, places }: Scene): MapLevel[] {
  return pyramid.levels.flatMap(({ shape }, index) => {
    const onMap = places[index];
    return onMap ? [{ index, onMap, columns: shape[plane.x] ?? 1, rows: shape[plane.y] ?? 1 }] : [];
  });
}

/** The column and row at a position, with fractions; whole numbers are centres. */
const inElements = ({ onMap: { x, y } }: MapLevel, [across, up]: Position): Position => [
  (across - x.start) / x.step,
  (up - y.start) / y.step,
];

/** The element that contains a position. Null outside of the level. */
export function elementAt(level: MapLevel, position: Position): Element | null {
  const [column, row] = inElements(level, position).map((number) => Math.floor(number + 0.5)) as [
    number,
    number,
  ];
  const isInside = column >= 0 && row >= 0 && column < level.columns && row < level.rows;
  return isInside ? { column, row } : null;
}

/** The centre of an element on the map. */
export const centreOf = ({ onMap: { x, y } }: MapLevel, column: number, row: number): Position => [
  x.start + column * x.step,
  y.start + row * y.step,
];

/** The number of elements that a line crosses along the longer side of each of its parts. */
export function lengthInElements(level: MapLevel, positions: readonly Position[]): number {
  return partsOf(positions).reduce((sum, [from, to]) => sum + stepsOf(level, from, to), 0);
}

const partsOf = (positions: readonly Position[]): [Position, Position][] =>
  positions.slice(1).map((to, at) => [positions[at] as Position, to]);

function stepsOf({ onMap: { x, y } }: MapLevel, from: Position, to: Position): number {
  const [across, up] = [Math.abs((to[0] - from[0]) / x.step), Math.abs((to[1] - from[1]) / y.step)];
  return Math.max(1, Math.ceil(Math.max(across, up)));
}

/** Positions along a line at even steps, of an element or less. */
export function samplesAlong(level: MapLevel, positions: readonly Position[]): Position[] {
  const samples: Position[] = positions.slice(0, 1);
  for (const [from, to] of partsOf(positions)) {
    const steps = stepsOf(level, from, to);
    for (let at = 1; at <= steps; at += 1) {
      const share = at / steps;
      samples.push([from[0] + (to[0] - from[0]) * share, from[1] + (to[1] - from[1]) * share]);
    }
  }
  return samples;
}

/** The elements whose centres are in the box around some positions. Null if there are none. */
export function elementsIn(level: MapLevel, positions: readonly Position[]): ElementBox | null {
  const corners = positions.map((position) => inElements(level, position));
  const range = (side: 0 | 1, length: number) => {
    const ends = corners.map((corner) => corner[side]);
    const first = Math.max(Math.ceil(Math.min(...ends)), 0);
    return [first, Math.max(Math.min(Math.floor(Math.max(...ends)), length - 1) + 1, first)] as const;
  };
  const box = { columns: range(0, level.columns), rows: range(1, level.rows) };
  return countIn(box) > 0 ? box : null;
}

export const countIn = ({ columns, rows }: ElementBox): number =>
  (columns[1] - columns[0]) * (rows[1] - rows[0]);

/** The column of the array that is drawn as a column. */
export const stored = ({ onMap: { roll = 0 }, columns }: MapLevel, column: number): number =>
  (column + roll) % columns;

/** The columns of the array that are drawn from one column to another: a range, or their list. */
export function storedColumns(
  level: MapLevel,
  [start, stop]: ElementBox["columns"],
): { start: number; stop: number; step: null } | number[] {
  const [first, last] = [stored(level, start), stored(level, stop - 1)];
  if (first <= last) return { start: first, stop: last + 1, step: null };
  return Array.from({ length: stop - start }, (_, at) => stored(level, start + at));
}
