/** The axes of a picture. Adapters for pictures call it before they read. */
import type { Plane } from "../convention/geometry.ts";
import type { Pyramid } from "../convention/pyramid_model.ts";
import { UnsupportedError } from "../model/errors.ts";

/** Returns the indices of the axes x and y. Throws an `UnsupportedError` if one is missing. */
export function planeOf({ plane, axes, levels }: Pyramid): Plane {
  if (plane.x >= 0 && plane.y >= 0) return plane;
  throw new UnsupportedError("a picture of an array without rows and columns", {
    path: levels[0]?.path,
    expected: "axes x and y",
    actual: axes.map(({ name }) => name).join(", "),
  });
}
