/**
 * How the levels of a pyramid are cut into tiles of a map: which elements a tile holds, and where
 * it lies. Arithmetic alone; nothing here reads or draws.
 *
 * A map's y grows upwards. Every level has its own origin and element size, so levels register by
 * their own scale and translation.
 */
import { ZarrError } from "../../model/errors.ts";

/** minx, miny, maxx, maxy, edge to edge, on the map. */
export type MapExtent = [number, number, number, number];

/**
 * Where the elements of a level are: the map's coordinate of the centre of the first one, and the
 * step to the next.
 */
export interface AxisPlace {
  start: number;
  step: number;
}

export interface LevelSize {
  /** The level's place in the pyramid. */
  level: number;
  x: AxisPlace;
  y: AxisPlace;
  width: number;
  height: number;
  /** Of a chunk. */
  chunkWidth: number;
  chunkHeight: number;
  /**
   * The column that is drawn first, at the left: those before it follow the last one. 0 unless the
   * world is rolled.
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
  /** Map units of an element, without a sign. */
  stepX: number;
  stepY: number;
  /** Whether the first column is at the right, and the first row at the bottom. */
  flipX: boolean;
  flipY: boolean;
  roll: number;
  extent: MapExtent;
  /** Top left corner of the first tile. */
  origin: [number, number];
}

/** Elements of a tile along an axis: a run of places in the drawn order, before any roll. */
export interface TileSpan {
  start: number;
  stop: number;
  /** The place that the first texel of the tile would have; a flipped axis falls from there. */
  first: number;
}

/**
 * Small chunks are joined up to about this many elements a side: a view is tens of tiles, not
 * thousands.
 */
const JOIN_BELOW = 256;
/** Larger chunks are cut: a tile stays a few MiB. */
const CUT_ABOVE = 1024;

/** Elements of a tile's side. It is a whole number of chunks, or a whole part of one. */
export function tileSide(length: number, chunk: number): number {
  const side = Math.max(1, Math.min(chunk, length));
  if (side > CUT_ABOVE) return Math.ceil(side / Math.ceil(side / CUT_ABOVE));
  if (length <= CUT_ABOVE && side < length && length <= 2 * JOIN_BELOW) return length;
  return Math.min(length, side * Math.max(1, Math.round(JOIN_BELOW / side)));
}

/** From edge to edge. */
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
  // Tiles follow the borders of chunks from the first element, also where that is at the right or
  // at the bottom.
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
  const place = flipped ? count - 1 - tile : tile;
  const start = place * side;
  return { start, stop: Math.min(start + side, length), first: flipped ? start + side - 1 : start };
}

/** The elements of a tile; null outside the level. */
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
 * A run of places as runs of columns of the array: two where it passes the column that a rolled
 * world begins with.
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

/** First and last of columns and rows. */
interface TileRange {
  column: [number, number];
  row: [number, number];
}

/** Which tiles touch a part of the map, inside the level. Null where none does. */
export function tileRange(
  level: TileLevel,
  [minX, minY, maxX, maxY]: readonly number[],
  margin = 0,
): TileRange | null {
  const { origin, tileWidth, tileHeight, stepX, stepY, columns, rows, extent } = level;
  const [left = 0, bottom = 0, right = 0, top = 0] = [minX, minY, maxX, maxY];
  if (right <= extent[0] || left >= extent[2] || top <= extent[1] || bottom >= extent[3]) return null;
  const [w, h] = [tileWidth * stepX, tileHeight * stepY];
  const within = (place: number, count: number) => Math.min(Math.max(place, 0), count - 1);
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

/** Every tile of a range, row by row. */
export function tilesIn({ column: [left, right], row: [top, bottom] }: TileRange) {
  const tiles: { column: number; row: number }[] = [];
  for (let row = top; row <= bottom; row += 1)
    for (let column = left; column <= right; column += 1) tiles.push({ column, row });
  return tiles;
}

/** The place in the array at a point of the map; null outside. */
export function elementAt(level: TileLevel, x: number, y: number): { column: number; row: number } | null {
  const { extent, stepX, stepY, width, height, flipX, flipY, roll } = level;
  const across = Math.floor((flipX ? extent[2] - x : x - extent[0]) / stepX);
  const down = Math.floor((flipY ? y - extent[1] : extent[3] - y) / stepY);
  if (!(across >= 0 && down >= 0 && across < width && down < height)) return null;
  return { column: (across + roll) % width, row: down };
}

/**
 * Whether a level leaves more of the finest one uncovered than an element of its own: what it lacks
 * is transparent then.
 */
export function isShort(level: TileLevel, { extent }: TileLevel): boolean {
  const [left, bottom, right, top] = level.extent;
  const across = Math.max(left - extent[0], extent[2] - right);
  const down = Math.max(bottom - extent[1], extent[3] - top);
  return across > level.stepX * 1.01 || down > level.stepY * 1.01;
}
