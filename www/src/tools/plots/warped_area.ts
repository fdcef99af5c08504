/**
 * The elements of an area of a map whose rows and columns are not those of the array: those whose
 * own position is inside. Positions are the array's longitudes and latitudes, unequal steps, or a
 * turned plane; this does not draw them.
 */
import * as zarr from "zarr-wasm";
import type { Scene } from "../../model/scene/scene.js";
import type { Mark, Position } from "../../model/state/marks.js";
import { countIn, type ElementBox, type MapLevel } from "./elements_under.js";

/** The elements of a level, of which each has a position. */
interface Positions {
  level: MapLevel;
  /** Whether a row has one latitude, so that the areas of its elements are known. */
  isAlongAxes: boolean;
  at(column: number, row: number): Position;
}

/** The elements that are inside of an area. */
export interface WarpedArea extends Pick<Positions, "level" | "isAlongAxes"> {
  box: ElementBox;
  /** 1 for the elements of the box that are inside; none if all are. */
  mask?: Uint8Array;
}

/** The level by its own rows and columns. */
function levelOf({ pyramid, plane }: Scene, index: number): MapLevel {
  const shape = pyramid.levels[index]?.shape ?? [];
  const onMap = { x: { start: 0, step: 1 }, y: { start: 0, step: 1 } };
  return { index, onMap, columns: shape[plane.x] ?? 1, rows: shape[plane.y] ?? 1 };
}

async function positionsOf(scene: Scene, index: number, signal: AbortSignal): Promise<Positions> {
  const level = levelOf(scene, index);
  const { array } = scene.pyramid.levels[index] as zarr.PyramidLevel;
  const { pixels, isGeographic } = await zarr.placement(array, { signal });
  const [left = 0] = scene.warped?.extent ?? [];
  // A longitude has the turn in which it is drawn.
  const onMap = (x: number) => (isGeographic ? x - 360 * Math.floor((x - left) / 360) : x);
  if (pixels.kind === "affine") {
    const [a, b, c, d, e, f] = pixels.affine;
    const at = (column: number, row: number): Position => [
      onMap(a * column + b * row + c),
      d * column + e * row + f,
    ];
    return { level, isAlongAxes: b === 0 && d === 0, at };
  }
  const { x, y } = pixels;
  if (pixels.kind === "axes") {
    const at = (column: number, row: number): Position => [
      onMap(x[column] ?? Number.NaN),
      y[row] ?? Number.NaN,
    ];
    return { level, isAlongAxes: true, at };
  }
  const at = (column: number, row: number): Position => {
    const index = row * level.columns + column;
    return [onMap(x[index] ?? Number.NaN), y[index] ?? Number.NaN];
  };
  return { level, isAlongAxes: false, at };
}

/** The finest level with few enough elements, each of which has a position. */
function levelFor(scene: Scene, most: number): number {
  const counts = scene.pyramid.levels.map((_level, index) => {
    const { columns, rows } = levelOf(scene, index);
    return columns * rows;
  });
  const found = counts.findIndex((count) => count <= most);
  if (found >= 0) return found;
  const [least = 0] = counts.slice(-1);
  throw new zarr.ZarrError("Limit", "the array has too many elements for an area of this map", {
    expected: `${most} elements at most`,
    actual: String(least),
  });
}

/**
 * Null if nothing is inside. `isInside` tells it of a position that is in the box around the mark.
 */
export async function warpedAreaOf(
  scene: Scene,
  { positions }: Mark,
  { most, isInside, signal }: { most: number; isInside(position: Position): boolean; signal: AbortSignal },
): Promise<WarpedArea | null> {
  const { level, isAlongAxes, at } = await positionsOf(scene, levelFor(scene, most), signal);
  const ends = ([0, 1] as const).map((side) => {
    const all = positions.map((position) => position[side]);
    return [Math.min(...all), Math.max(...all)] as const;
  });
  const inBox = (position: Position) =>
    ends.every(([low, high], side) => (position[side] ?? Number.NaN) >= low && (position[side] ?? 0) <= high);
  const inside = new Uint8Array(level.columns * level.rows);
  let [firstRow, lastRow, from, to] = [level.rows, -1, level.columns, -1];
  for (let row = 0; row < level.rows; row += 1) {
    for (let column = 0; column < level.columns; column += 1) {
      const position = at(column, row);
      if (!inBox(position) || !isInside(position)) continue;
      inside[row * level.columns + column] = 1;
      [firstRow, lastRow] = [Math.min(firstRow, row), row];
      [from, to] = [Math.min(from, column), Math.max(to, column)];
    }
  }
  if (lastRow < 0) return null;
  const box: ElementBox = { columns: [from, to + 1], rows: [firstRow, lastRow + 1] };
  const mask = cut(inside, box, level.columns);
  return { level, isAlongAxes, box, mask: mask.every((each) => each === 1) ? undefined : mask };
}

/** What a box has of the elements of a level. */
function cut(elements: Uint8Array, box: ElementBox, columns: number): Uint8Array {
  const [from, to] = box.columns;
  const part = new Uint8Array(countIn(box));
  for (let row = box.rows[0]; row < box.rows[1]; row += 1) {
    const own = elements.subarray(row * columns + from, row * columns + to);
    part.set(own, (row - box.rows[0]) * (to - from));
  }
  return part;
}
