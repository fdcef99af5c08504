/**
 * One plane of an array: which dimensions lie across and down, and the index in all others. Values only; reading is done by the tile source.
 *
 * An array needs two dimensions for this; those with fewer are listed by the values view.
 */

import type { ArrayNode } from "./dataset.js";

export interface Plane {
  array: ArrayNode;
  /** Dimension drawn across. */
  x: number;
  /** Dimension drawn down. */
  y: number;
  /** Index in every dimension; those of `x` and `y` are kept for when the axes change. */
  at: readonly number[];
}

export interface Size {
  width: number;
  height: number;
}

/** Names under which OME and CF keep the dimensions of space, most wanted first. */
const ACROSS = ["x", "lon", "longitude", "easting", "col", "column"];
const DOWN = ["y", "lat", "latitude", "northing", "row"];

export function defaultPlane(array: ArrayNode): Plane {
  const names = dimensionNames(array).map((name) => name.toLowerCase());
  const rank = array.shape.length;
  let x = names.findLastIndex((name) => ACROSS.includes(name));
  let y = names.findLastIndex((name) => DOWN.includes(name));
  if (x < 0 || y < 0) {
    x = rank - 1;
    y = rank - 2;
  }
  // The middle of a stack says more than its first plane; a channel or a time has no such middle.
  const at = array.shape.map((length, axis) => (names[axis] === "z" ? Math.floor(length / 2) : 0));
  return { array, x, y, at };
}

/** The plane with indices and axes taken from elsewhere (an address, another level), as far as they fit this array. */
export function planeAt(
  array: ArrayNode,
  wanted: { plane?: { x: number; y: number }; at?: readonly number[] },
): Plane {
  const plane = defaultPlane(array);
  const rank = array.shape.length;
  const axes = wanted.plane;
  if (axes && axes.x < rank && axes.y < rank) Object.assign(plane, axes);
  const { at } = wanted;
  if (at?.length === rank) {
    plane.at = at.map((index, axis) => Math.max(0, Math.min(index, (array.shape[axis] ?? 1) - 1)));
  }
  return plane;
}

export function planeSize({ array, x, y }: Plane): Size {
  return { width: array.shape[x] ?? 1, height: array.shape[y] ?? 1 };
}

/** Text that differs whenever the elements of two planes do. */
export function planeKey({ array, x, y, at }: Plane): string {
  const fixed = at.map((index, axis) => (axis === x ? "x" : axis === y ? "y" : index));
  return `${array.path}|${fixed.join(",")}`;
}

/** Names for all dimensions; the number of one that has none. */
export function dimensionNames(array: ArrayNode): string[] {
  return array.shape.map((_length, axis) => array.dimensionNames?.[axis] || `dim ${axis}`);
}

/** Whether the elements are numbers (or true and false). */
export function isNumeric(array: ArrayNode): boolean {
  return /^(bool|u?int(8|16|32|64)|float(16|32|64))$/.test(array.dtype);
}

/** Whether there is a plane to draw. */
export function isDrawable(array: ArrayNode): boolean {
  return isNumeric(array) && array.shape.length >= 2 && array.shape.every((length) => length > 0);
}
