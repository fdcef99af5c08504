/** Selects planes of levels, which may be coarser along each axis than the finest one. */
import type * as zarr from "zarr-wasm";

/** Maximum number of elements of a plane. Of larger planes the middle is read. */
const MOST_ELEMENTS = 4_000_000;

export interface PlaneChoice {
  plane: { x: number; y: number };
  /** Indices of the finest level by axis. Those of the plane do not count. */
  at: readonly number[];
}

/** The range of an axis in the plane, by its length. */
type Span = (length: number) => zarr.Slice;

/** The middle of a level's plane, or all of it. */
export function middleOf({ shape }: zarr.PyramidLevel, { plane }: PlaneChoice): Span {
  const [width = 1, height = 1] = [shape[plane.x], shape[plane.y]];
  const share = Math.min(1, Math.sqrt(MOST_ELEMENTS / (width * height)));
  return (length) => {
    const taken = Math.max(1, Math.round(length * share));
    const start = Math.floor((length - taken) / 2);
    return { start, stop: start + taken, step: null };
  };
}

/** The selection of a level's plane. */
export function planeSelection(
  pyramid: zarr.Pyramid,
  level: zarr.PyramidLevel,
  { plane, at }: PlaneChoice,
  span: Span,
): (number | zarr.Slice)[] {
  return level.shape.map((length, axis) => {
    if (axis === plane.x || axis === plane.y) return span(length);
    const finest = pyramid.levels[0]?.shape[axis] ?? length;
    return Math.min(Math.floor((((at[axis] ?? 0) + 0.5) * length) / finest), length - 1);
  });
}
