/**
 * Divides a map into pieces in which linear interpolation between the corners gives the positions
 * in the source's reference system. So proj4 projects a few hundred positions and not every pixel.
 * `src/kernel/warp` interpolates.
 */
import type { Extent } from "./geometry.ts";
import type { Position, Projection } from "./projection.ts";

/** The largest error of the interpolation, in pixels. */
const TOLERANCE = 1 / 16;

/** Side of the largest pieces, in pixels. */
const FIRST = 32;

/** Beyond this latitude, points on the unit sphere are interpolated instead of longitudes. */
const POLAR = 80;

/** Longest time between two turns of the event loop, in milliseconds. */
const TURN_MS = 8;

type Point = readonly number[];

interface Piece {
  column: number;
  row: number;
  width: number;
  height: number;
}

export interface MapGrid {
  /** Left, bottom, right and top. */
  extent: Extent;
  /** Columns and rows. */
  size: readonly [number, number];
}

const RADIANS = Math.PI / 180;

function onSphere([longitude, latitude]: Position): Point {
  const [lon, lat] = [longitude * RADIANS, latitude * RADIANS];
  return [Math.cos(lat) * Math.cos(lon), Math.cos(lat) * Math.sin(lon), Math.sin(lat)];
}

/** The longitude plus the multiple of 360 degrees that brings it nearest to `to`. */
const near = (longitude: number, to: number) => longitude - 360 * Math.round((longitude - to) / 360);

const less = (a: Point, b: Point): number[] => a.map((number, axis) => number - (b[axis] as number));
const dot = (a: Point, b: Point): number =>
  a.reduce((sum, number, axis) => sum + number * (b[axis] as number), 0);

/**
 * Length of the vector `error` in pixels. `right` and `down` are the vectors of one pixel to the
 * right and of one pixel down.
 */
function pixelsApart(error: Point, right: Point, down: Point): number {
  const [rr, rd, dd] = [dot(right, right), dot(right, down), dot(down, down)];
  const [er, ed] = [dot(error, right), dot(error, down)];
  const determinant = rr * dd - rd * rd;
  return Math.hypot((er * dd - ed * rd) / determinant, (ed * rr - er * rd) / determinant);
}

/** The corners of a piece, in the coordinates in which the piece is interpolated. */
interface Shape {
  isSphere: boolean;
  corners: Point[];
  /** Converts a position to these coordinates. */
  seen(position: Position): Point;
}

function shapeOf(positions: Position[], isGlobe: boolean): Shape {
  const isSphere = isGlobe && positions.some(([, latitude]) => Math.abs(latitude) > POLAR);
  const first = positions[0]?.[0] ?? 0;
  const seen = (position: Position): Point => {
    if (isSphere) return onSphere(position);
    return isGlobe ? [near(position[0], first), position[1]] : position;
  };
  return { isSphere, corners: positions.map(seen), seen };
}

/** Bilinear interpolation between four points. `u` and `v` are from 0 to 1. */
function between([a = [], b = [], c = [], d = []]: Point[], u: number, v: number): number[] {
  return a.map((_, axis) => {
    const [top, bottom] = [a, c].map((start, at) => {
      const [from, to] = [start[axis] as number, (at === 0 ? b : d)[axis] as number];
      return from + (to - from) * u;
    }) as [number, number];
    return top + (bottom - top) * v;
  });
}

class Pieces {
  /** The pieces as numbers, in the form in which the kernel reads them. */
  readonly words: number[] = [];
  count = 0;
  readonly #grid: MapGrid;
  readonly #projection: Projection;
  /** Projected corners of pixels, by column and row. */
  readonly #positions = new Map<number, Position | undefined>();

  constructor(grid: MapGrid, projection: Projection) {
    [this.#grid, this.#projection] = [grid, projection];
  }

  #project(column: number, row: number): Position | undefined {
    const { extent, size } = this.#grid;
    const [left, bottom, right, top] = extent;
    const x = left + ((right - left) * column) / size[0];
    const y = top - ((top - bottom) * row) / size[1];
    return this.#projection.toSource([x, y]);
  }

  #at(column: number, row: number): Position | undefined {
    const key = row * (this.#grid.size[0] + 1) + column;
    if (!this.#positions.has(key)) this.#positions.set(key, this.#project(column, row));
    return this.#positions.get(key);
  }

  #add({ column, row, width, height }: Piece, isSphere: boolean, corners: Point[]): void {
    this.words.push(column, row, width, height, isSphere ? 1 : 0);
    for (const corner of corners) this.words.push(...corner);
    this.count += 1;
  }

  /** Adds one pixel, with the position of its centre. */
  #addPixel(piece: Piece): void {
    const centre = this.#project(piece.column + 0.5, piece.row + 0.5);
    if (centre) this.#add(piece, false, [centre, centre, centre, centre]);
  }

  /** Adds a piece; if interpolation is not exact enough in it, its parts. */
  add(piece: Piece): void {
    const { column, row, width, height } = piece;
    if (width === 1 && height === 1) {
      this.#addPixel(piece);
      return;
    }
    const [across, down] = [width >> 1, height >> 1];
    const shares = [
      [0, 0],
      [width, 0],
      [0, height],
      [width, height],
    ] as const;
    const tests = [
      [across, down],
      [across, 0],
      [across, height],
      [0, down],
      [width, down],
    ] as const;
    const positionsOf = (offsets: readonly (readonly [number, number])[]) =>
      offsets.map(([x, y]) => this.#at(column + x, row + y));
    const [corners, tested] = [positionsOf(shares), positionsOf(tests)];
    const all = [...corners, ...tested];
    if (all.every((position) => position === undefined)) return;
    if (all.every((position) => position !== undefined)) {
      const shape = shapeOf(corners as Position[], this.#projection.isGlobe);
      if (tests.every((test, at) => isStraight(shape, piece, test, tested[at] as Position))) {
        this.#add(piece, shape.isSphere, shape.corners);
        return;
      }
    }
    this.#split(piece);
  }

  #split({ column, row, width, height }: Piece): void {
    const halves = (start: number, length: number): [number, number][] => {
      const first = length >> 1;
      return first === 0
        ? [[start, length]]
        : [
            [start, first],
            [start + first, length - first],
          ];
    };
    for (const [top, tall] of halves(row, height)) {
      for (const [left, wide] of halves(column, width))
        this.add({ column: left, row: top, width: wide, height: tall });
    }
  }
}

/** Whether interpolation in a piece gives this position, within the tolerance. */
function isStraight(
  { corners, seen, isSphere }: Shape,
  { width, height }: Piece,
  [x, y]: readonly [number, number],
  position: Position,
): boolean {
  let drawn = between(corners, x / width, y / height);
  if (isSphere) {
    const length = Math.sqrt(dot(drawn, drawn));
    drawn = drawn.map((number) => number / length);
  }
  const [a, b, c] = corners as [Point, Point, Point];
  const right = less(b, a).map((number) => number / width);
  const down = less(c, a).map((number) => number / height);
  return pixelsApart(less(drawn, seen(position)), right, down) <= TOLERANCE;
}

/**
 * All pieces of a map as numbers for the kernel: first their count, then the pieces. Other tasks
 * run in between. Rejects with the signal's reason if it aborts.
 */
export async function controlPoints(
  grid: MapGrid,
  projection: Projection,
  signal: AbortSignal | undefined,
): Promise<number[]> {
  const pieces = new Pieces(grid, projection);
  const [columns, rows] = grid.size;
  let begun = performance.now();
  for (let row = 0; row < rows; row += FIRST) {
    for (let column = 0; column < columns; column += FIRST) {
      const [width, height] = [Math.min(FIRST, columns - column), Math.min(FIRST, rows - row)];
      pieces.add({ column, row, width, height });
      if (performance.now() - begun < TURN_MS) continue;
      await new Promise((resolve) => setTimeout(resolve, 0));
      signal?.throwIfAborted();
      begun = performance.now();
    }
  }
  return [pieces.count, ...pieces.words];
}
