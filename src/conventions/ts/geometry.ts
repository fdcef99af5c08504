/**
 * Converts between world coordinates and array indices. A whole index is the centre of an element;
 * element i reaches from i − ½ to i + ½.
 */

/** The transform of a level from indices to world coordinates. */
export interface Positioned {
  /** World units per index step, one number per axis. */
  readonly scale: readonly number[];
  /** World coordinate of the centre of the first element, one number per axis. */
  readonly translation: readonly number[];
  /** For rotated or sheared axes: `x = a·column + b·row + c`, `y = d·column + e·row + f`. */
  readonly affine?: readonly [number, number, number, number, number, number];
}

/** The indices of the axes x and y. */
export interface Plane {
  /** The index of the axis x; −1 if there is none. */
  readonly x: number;
  /** The index of the axis y; −1 if there is none. */
  readonly y: number;
}

/** A rectangle in world or map coordinates: xmin, ymin, xmax, ymax. */
export type Extent = readonly [number, number, number, number];

/** The transform of x and y: `x = a·column + b·row + c`, `y = d·column + e·row + f`. */
export function affineOf(
  { affine, scale, translation }: Positioned,
  { x, y }: Plane,
): NonNullable<Positioned["affine"]> {
  if (affine) return affine;
  return [scale[x] ?? 1, 0, translation[x] ?? 0, 0, scale[y] ?? 1, translation[y] ?? 0];
}

export function toWorld(level: Positioned, plane: Plane, index: readonly number[]): number[] {
  const world = level.scale.map((scale, axis) => scale * (index[axis] ?? 0) + (level.translation[axis] ?? 0));
  if (level.affine) {
    const [a, b, c, d, e, f] = level.affine;
    const [column, row] = [index[plane.x] ?? 0, index[plane.y] ?? 0];
    world[plane.x] = a * column + b * row + c;
    world[plane.y] = d * column + e * row + f;
  }
  return world;
}

export function toIndex(level: Positioned, plane: Plane, world: readonly number[]): number[] {
  const index = level.scale.map(
    (scale, axis) => ((world[axis] ?? 0) - (level.translation[axis] ?? 0)) / scale,
  );
  if (level.affine) {
    const [a, b, c, d, e, f] = level.affine;
    const [x, y] = [(world[plane.x] ?? 0) - c, (world[plane.y] ?? 0) - f];
    const determinant = a * e - b * d;
    index[plane.x] = (e * x - b * y) / determinant;
    index[plane.y] = (a * y - d * x) / determinant;
  }
  return index;
}

/** What belongs to an axis: one of two along the axes of a plane, `other` along the others. */
export function inPlane<T, Other>(
  plane: Plane,
  axis: number,
  [x, y]: readonly [x: T, y: T],
  other: Other,
): T | Other {
  if (axis === plane.x) return x;
  return axis === plane.y ? y : other;
}

/** A point of this rank with these coordinates in the plane, and `others` along the other axes. */
export const pointIn = (
  rank: number,
  plane: Plane,
  [x, y]: readonly [number, number],
  others = 0,
): number[] => globalThis.Array.from({ length: rank }, (_, axis) => inPlane(plane, axis, [x, y], others));

const corners = ([left, bottom, right, top]: Extent) =>
  [
    [left, bottom],
    [right, bottom],
    [left, top],
    [right, top],
  ] as const;

/** The bounding box of the four corners of a box after `map`. */
function boxed(box: Extent, rank: number, plane: Plane, map: (point: number[]) => number[]): Extent {
  const images = corners(box).map((corner) => map(pointIn(rank, plane, corner)));
  const xs = images.map((image) => image[plane.x] ?? Number.NaN);
  const ys = images.map((image) => image[plane.y] ?? Number.NaN);
  return [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)];
}

/** The bounding box in indices (columns and rows) of an extent in world coordinates. */
export const indexBox = (level: Positioned, plane: Plane, extent: Extent): Extent =>
  boxed(extent, level.scale.length, plane, (point) => toIndex(level, plane, point));

/** The bounding box in world coordinates of a box of indices. */
export const worldBox = (level: Positioned, plane: Plane, box: Extent): Extent =>
  boxed(box, level.scale.length, plane, (point) => toWorld(level, plane, point));

/** The elements of an axis that a range of indices touches, clipped to the array. */
export function elementsIn(from: number, to: number, length: number): [start: number, stop: number] {
  const start = Math.min(Math.max(Math.floor(from + 0.5), 0), length);
  const stop = Math.min(Math.max(Math.ceil(to + 0.5), 0), length);
  return [start, Math.max(start, stop)];
}
