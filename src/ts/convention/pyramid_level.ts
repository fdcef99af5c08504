/**
 * The levels and axes of a pyramid, and selections in them: by the indices that a caller gives
 * axes.
 */
import type { Array as ZarrArray } from "../api/array.ts";
import { UnsupportedError } from "../model/errors.ts";
import type { DataType, Readable, Slice } from "../model/types.ts";
import type { Placed, Plane } from "./geometry.ts";

/** One level: an array and its transform to world coordinates. */
export interface PyramidLevel<Store extends Readable = Readable> extends Placed {
  /** The name of the level in the metadata. */
  readonly asset: string;
  readonly path: string;
  readonly array: ZarrArray<DataType, Store>;
  readonly shape: readonly number[];
  readonly chunks: readonly number[];
  /** The longer side of an element in the plane of x and y, in world units. */
  readonly unitsPerElement: number;
  /** Whether `decode: "cf"` may change elements: by attributes, or by the fill value of v2. */
  readonly isPacked: boolean;
}

export interface PyramidAxis {
  /** Name in the metadata; `dim_0` and so on if it has none. */
  readonly name: string;
  readonly role: "x" | "y" | "z" | "t" | "c" | "other";
  /** OME's type: `space`, `time`, `channel` or another text. */
  readonly type?: string;
  readonly unit?: string;
}

/** Indices of the axes other than x and y, by name or role. Default: 0. Null selects an axis. */
export type At = Record<string, number | null>;

/** The index that `at` gives an axis. Null selects all of the axis. */
export function indexAlong({ name = "", role = "other" }: Partial<PyramidAxis> = {}, at: At): number | null {
  const given = [name, role].find((key) => Object.hasOwn(at, key) && at[key] !== undefined);
  return given === undefined ? 0 : (at[given] ?? null);
}

/** Selects ranges of the axes x and y, and one index of each other axis. */
export const planeSelection = (
  { axes, plane }: { axes: readonly PyramidAxis[]; plane: Plane },
  at: At,
  [x, y]: readonly [x: readonly [number, number], y: readonly [number, number]],
): (number | Slice)[] =>
  axes.map((one, axis) => {
    const range = axis === plane.x ? x : axis === plane.y ? y : undefined;
    return range ? { start: range[0], stop: range[1], step: null } : (indexAlong(one, at) ?? 0);
  });

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
