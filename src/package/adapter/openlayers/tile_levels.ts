/**
 * Divides the levels of a pyramid into tiles of a map: the elements of a tile, and its position. It
 * only computes; it neither reads nor draws.
 *
 * The map's y grows upwards. Every level has its own origin and element size.
 */
import { ZarrError } from "../../../engine/ts/model/errors.ts";

/** A rectangle on the map: minx, miny, maxx, maxy. The edge elements belong to it completely. */
export type MapExtent = [number, number, number, number];

/**
 * The positions of a level's elements: the map coordinate of the centre of the first one, and the
 * step to the next.
 */
export interface AxisPlace {
  /** The map coordinate of the centre of the first element. */
  start: number;
  /** The step to the next element, which may be negative. */
  step: number;
}

/**
 * Moves longitudes, so that they begin at −180: multiples of 360 are subtracted, and a whole world
 * starts at the element after 180.
 *
 * @param length The number of columns.
 * @returns the positions, and `roll`, the column that is drawn first.
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

interface LevelSize {
  /** The index of the level in the pyramid. */
  level: number;
  x: AxisPlace;
  y: AxisPlace;
  width: number;
  height: number;
  /** The size of a chunk in elements. */
  chunkWidth: number;
  chunkHeight: number;
  /**
   * The column that is drawn first, at the left. The columns before it follow the last one. 0 if
   * the world is not rolled.
   */
  roll?: number;
}

/** A level as tiles. */
export interface TileLevel {
  level: number;
  width: number;
  height: number;
  tileWidth: number;
  tileHeight: number;
  columns: number;
  rows: number;
  /** Map units per element, without sign. */
  stepX: number;
  stepY: number;
  /** Whether the first column is at the right, and whether the first row is at the bottom. */
  flipX: boolean;
  flipY: boolean;
  roll: number;
  extent: MapExtent;
  /** The top left corner of the first tile. */
  origin: [number, number];
}

/** The elements of a tile along an axis: a range of indices in drawing order, before rolling. */
export interface TileSpan {
  start: number;
  stop: number;
  /** The index of the tile's first texel. On a flipped axis, indices decrease from there. */
  first: number;
}

/**
 * Small chunks are joined to tiles with sides of about this many elements, so that a view has tens
 * of tiles and not thousands.
 */
const JOIN_BELOW = 256;
/** Larger chunks are divided, so that a tile has a few MiB. */
const CUT_ABOVE = 1024;

/** Returns the side of a tile in elements: a multiple of a chunk, or a divisor of it. */
export function tileSide(length: number, chunk: number): number {
  const side = Math.max(1, Math.min(chunk, length));
  if (side > CUT_ABOVE) return Math.ceil(side / Math.ceil(side / CUT_ABOVE));
  if (length <= CUT_ABOVE && side < length && length <= 2 * JOIN_BELOW) return length;
  return Math.min(length, side * Math.max(1, Math.round(JOIN_BELOW / side)));
}

/** Returns the extent of a level, including the edge elements completely. */
const edges = ({ start, step }: AxisPlace, length: number): [number, number] => {
  const [a, b] = [start - step / 2, start + (length - 0.5) * step];
  return [Math.min(a, b), Math.max(a, b)];
};

function checked({ level, x, y, width, height }: LevelSize): void {
  const isFine = [x.start, y.start].every(Number.isFinite) && [x.step, y.step].every((step) => step !== 0);
  if (isFine && Number.isFinite(x.step * y.step) && width > 0 && height > 0) return;
  throw new ZarrError("Argument", `level ${level} cannot be placed on a map`, {
    expected: "finite places, steps other than zero, and elements",
    actual: `x ${x.start} + ${x.step}·i, y ${y.start} + ${y.step}·j, ${width} × ${height} elements`,
  });
}

export function tileLevel(size: LevelSize): TileLevel {
  checked(size);
  const { level, x, y, width, height, roll = 0 } = size;
  const [tileWidth, tileHeight] = [tileSide(width, size.chunkWidth), tileSide(height, size.chunkHeight)];
  const [columns, rows] = [Math.ceil(width / tileWidth), Math.ceil(height / tileHeight)];
  const [left, right] = edges(x, width);
  const [bottom, top] = edges(y, height);
  const [stepX, stepY] = [Math.abs(x.step), Math.abs(y.step)];
  const [flipX, flipY] = [x.step < 0, y.step > 0];
  // Tiles follow the chunks from the first element, also if that is at the right or at the bottom.
  const origin: [number, number] = [
    flipX ? right - columns * tileWidth * stepX : left,
    flipY ? bottom + rows * tileHeight * stepY : top,
  ];
  const extent: MapExtent = [left, bottom, right, top];
  return {
    level,
    width,
    height,
    tileWidth,
    tileHeight,
    columns,
    rows,
    stepX,
    stepY,
    flipX,
    flipY,
    roll,
    extent,
    origin,
  };
}

function span(tile: number, count: number, side: number, length: number, flipped: boolean): TileSpan {
  const chunk = flipped ? count - 1 - tile : tile;
  const start = chunk * side;
  return { start, stop: Math.min(start + side, length), first: flipped ? start + side - 1 : start };
}

/** Returns the elements of a tile. Null outside of the level. */
export function tileSpans(
  level: TileLevel,
  column: number,
  row: number,
): { x: TileSpan; y: TileSpan } | null {
  const { columns, rows, tileWidth, tileHeight, width, height, flipX, flipY } = level;
  if (column < 0 || row < 0 || column >= columns || row >= rows) return null;
  return {
    x: span(column, columns, tileWidth, width, flipX),
    y: span(row, rows, tileHeight, height, flipY),
  };
}

/**
 * Converts a range in drawing order to ranges of the array: two if it passes the first column of a
 * rolled world.
 */
export function columnRuns({ width, roll }: TileLevel, { start, stop }: TileSpan): [number, number][] {
  const [from, to] = [start + roll, stop + roll];
  if (to <= width) return [[from, to]];
  if (from >= width) return [[from - width, to - width]];
  return [
    [from, width],
    [0, to - width],
  ];
}

/** The first and the last column and row. */
interface TileRange {
  column: [number, number];
  row: [number, number];
}

/** Returns the tiles of a level that touch an extent of the map; null if there are none. */
export function tileRange(
  level: TileLevel,
  [minX, minY, maxX, maxY]: readonly number[],
  margin = 0,
): TileRange | null {
  const { origin, tileWidth, tileHeight, stepX, stepY, columns, rows, extent } = level;
  const [left = 0, bottom = 0, right = 0, top = 0] = [minX, minY, maxX, maxY];
  if (right <= extent[0] || left >= extent[2] || top <= extent[1] || bottom >= extent[3]) return null;
  const [w, h] = [tileWidth * stepX, tileHeight * stepY];
  const within = (chunk: number, count: number) => Math.min(Math.max(chunk, 0), count - 1);
  return {
    column: [
      within(Math.floor((left - origin[0]) / w) - margin, columns),
      within(Math.ceil((right - origin[0]) / w) - 1 + margin, columns),
    ],
    row: [
      within(Math.floor((origin[1] - top) / h) - margin, rows),
      within(Math.ceil((origin[1] - bottom) / h) - 1 + margin, rows),
    ],
  };
}

/** Returns all tiles of a range, row by row. */
export function tilesIn({ column: [left, right], row: [top, bottom] }: TileRange) {
  const tiles: { column: number; row: number }[] = [];
  for (let row = top; row <= bottom; row += 1)
    for (let column = left; column <= right; column += 1) tiles.push({ column, row });
  return tiles;
}

/** Returns the index in the array at a point of the map. Null outside of the array. */
export function elementAt(level: TileLevel, x: number, y: number): { column: number; row: number } | null {
  const { extent, stepX, stepY, width, height, flipX, flipY, roll } = level;
  const across = Math.floor((flipX ? extent[2] - x : x - extent[0]) / stepX);
  const down = Math.floor((flipY ? y - extent[1] : extent[3] - y) / stepY);
  if (!(across >= 0 && down >= 0 && across < width && down < height)) return null;
  return { column: (across + roll) % width, row: down };
}

/**
 * Whether a level lacks more of the finest level's extent than one of its elements. Then the
 * missing part is transparent.
 */
export function isShort(level: TileLevel, { extent }: TileLevel): boolean {
  const [left, bottom, right, top] = level.extent;
  const across = Math.max(left - extent[0], extent[2] - right);
  const down = Math.max(bottom - extent[1], extent[3] - top);
  return across > level.stepX * 1.01 || down > level.stepY * 1.01;
}
