/**
 * The levels of a pyramid, and the chunk-aligned tiles of a level in an extent, nearest first.
 */
import type { Array as ZarrArray } from "../../api/array.ts";
import { UnsupportedError, ZarrError } from "../../engine/ts/model/errors.ts";
import type { DataType, Readable, Slice } from "../../engine/ts/model/types.ts";
import type { PyramidAxis } from "./axis_indices.ts";
import {
  type Extent,
  elementsIn,
  indexBox,
  type Plane,
  type Positioned,
  pointIn,
  toWorld,
  worldBox,
} from "./geometry.ts";

/** One level: an array and its transform to world coordinates. */
export interface PyramidLevel<Store extends Readable = Readable> extends Positioned {
  /** The name of the level in the metadata. */
  readonly asset: string;
  /** The path of its array in the store. */
  readonly path: string;
  /** Its array. */
  readonly array: ZarrArray<DataType, Store>;
  /** The shape of its array, in elements. */
  readonly shape: readonly number[];
  /** The shape of a chunk of its array, in elements. */
  readonly chunks: readonly number[];
  /** The longer side of an element in the plane of x and y, in world units. */
  readonly unitsPerElement: number;
  /** Whether `decode: "cf"` may change elements: by attributes, or by the fill value of v2. */
  readonly isPacked: boolean;
}

/** The indices of the axes x and y. Throws an `UnsupportedError` if one is missing. */
export function needPlane({
  plane,
  axes,
  levels,
}: {
  plane: Plane;
  axes: readonly PyramidAxis[];
  levels: readonly PyramidLevel[];
}): Plane {
  if (plane.x >= 0 && plane.y >= 0) return plane;
  throw new UnsupportedError("a picture of an array without rows and columns", {
    path: levels[0]?.path,
    expected: "axes x and y",
    actual: axes.map(({ name }) => name).join(", "),
  });
}

/** A chunk in the plane of x and y. */
export interface Tile {
  /** Index of the level in `levels`. */
  level: number;
  /** Column in the grid of tiles. */
  column: number;
  /** Row in the grid of tiles. */
  row: number;
  /** The selection of the tile for `array.get`, clipped to the array. */
  selection: (number | Slice | null)[];
  /** Extent in world coordinates, including the edge elements completely. */
  extent: Extent;
  /** Distance from its centre to the centre of the view, in tiles. */
  distance: number;
  /**
   * Decoded size.
   *
   * @unit bytes
   */
  bytes: number;
}

/** Limit of the number of tiles. No screen shows more, so the level is wrong. */
const MAX_TILES = 2 ** 16;

interface TileQuery {
  level: PyramidLevel;
  index: number;
  plane: Plane;
  extent: Extent;
  center: readonly [number, number] | undefined;
  margin: number;
  /** One entry per axis. The entries of x and y are replaced. */
  others: (number | Slice | null)[];
  bytes: number;
}

/** The tiles of an axis that a range of indices touches: the first, and one past the last. */
function tileRange(from: number, to: number, length: number, size: number, margin: number): [number, number] {
  const [start, stop] = elementsIn(from, to, length);
  if (stop <= start) return [0, 0];
  const last = Math.ceil(length / size);
  return [Math.max(Math.floor(start / size) - margin, 0), Math.min(Math.ceil(stop / size) + margin, last)];
}

export function tilesIn({ level, index, plane, extent, center, margin, others, bytes }: TileQuery): Tile[] {
  const { x, y } = plane;
  const box = indexBox(level, plane, extent);
  const [width, height] = [level.chunks[x] ?? 1, level.chunks[y] ?? 1];
  const columns = tileRange(box[0], box[2], level.shape[x] ?? 0, width, margin);
  const rows = tileRange(box[1], box[3], level.shape[y] ?? 0, height, margin);
  const count = (columns[1] - columns[0]) * (rows[1] - rows[0]);
  if (count > MAX_TILES) {
    throw new ZarrError("Limit", "the extent has too many tiles: pick a coarser level", {
      expected: `at most ${MAX_TILES}`,
      actual: `${count}`,
    });
  }
  const middle = center ?? [(extent[0] + extent[2]) / 2, (extent[1] + extent[3]) / 2];
  const side = Math.max(level.unitsPerElement * Math.max(width, height), Number.MIN_VALUE);
  const tiles: Tile[] = [];
  for (let row = rows[0]; row < rows[1]; row++) {
    for (let column = columns[0]; column < columns[1]; column++) {
      const tile = tileAt(level, plane, column, row, others);
      const distance = Math.hypot(tile.middle[0] - middle[0], tile.middle[1] - middle[1]) / side;
      const { selection, extent: own } = tile;
      tiles.push({
        level: index,
        column,
        row,
        selection,
        extent: own,
        distance,
        bytes: bytesOf(level, others, bytes),
      });
    }
  }
  return tiles.sort((a, b) => a.distance - b.distance || a.row - b.row || a.column - b.column);
}

function tileAt(
  level: PyramidLevel,
  plane: Plane,
  column: number,
  row: number,
  others: (number | Slice | null)[],
) {
  const span = (axis: number, chunk: number): [number, number] => {
    const size = level.chunks[axis] ?? 1;
    return [chunk * size, Math.min((chunk + 1) * size, level.shape[axis] ?? 0)];
  };
  const [left, right] = span(plane.x, column);
  const [top, bottom] = span(plane.y, row);
  const selection = [...others];
  selection[plane.x] = { start: left, stop: right, step: null };
  selection[plane.y] = { start: top, stop: bottom, step: null };
  const extent = worldBox(level, plane, [left - 0.5, top - 0.5, right - 0.5, bottom - 0.5]);
  const middle = [(left + right - 1) / 2, (top + bottom - 1) / 2] as const;
  const world = toWorld(level, plane, pointIn(level.shape.length, plane, middle));
  return { selection, extent, middle: [world[plane.x] ?? 0, world[plane.y] ?? 0] as const };
}

/** Decoded size of a tile: one chunk per axis, and all chunks of a completely selected axis. */
function bytesOf(level: PyramidLevel, others: (number | Slice | null)[], bytes: number): number {
  return level.chunks.reduce((product, chunk, axis) => {
    const chunks = others[axis] === null ? Math.ceil((level.shape[axis] ?? 0) / chunk) : 1;
    return product * chunk * chunks;
  }, bytes);
}
