/**
 * Creates the arrays of a pyramid's levels. It writes no elements.
 */
import type { AnyArray } from "../../../api/array.ts";
import { createNode } from "../../../api/create.ts";
import { Location } from "../../../api/location.ts";
import type { OpenedSource } from "../../../api/write/element_source.ts";
import { fillAttribute, fillValueIn, withoutFill } from "../../../conventions/ts/write/dataset.ts";
import type { PlannedLevel } from "../../../conventions/ts/write/pyramid_metadata.ts";
import {
  type CreatePyramidOptions,
  type NewAxis,
  planeAxes,
} from "../../../conventions/ts/write/pyramid_options.ts";
import { isNumberType } from "../../../engine/ts/model/data_type.ts";
import { below } from "../../../engine/ts/model/node_like.ts";
import { integerRange } from "../../../engine/ts/model/number_types.ts";
import type { Plan } from "./plan.ts";

/** Options of `create`. */
export type Given = Record<string, unknown>;

/** The extent of a chunk along x and y. */
const CHUNK = 512;

/** Returns the chunk shape of a level: planes of x and y. */
function chunkOf(axes: readonly NewAxis[], { shape }: PlannedLevel): number[] {
  const plane = planeAxes(axes);
  return shape.map((extent, axis) => (plane.includes(axis) ? Math.max(1, Math.min(CHUNK, extent)) : 1));
}

/** Writers of OME-Zarr fill with zero. In v2, `create` would leave the fill value undefined. */
export function omeFill(dtype: string, zarrFormat: 2 | 3): Given {
  if (zarrFormat === 3) return {};
  return isNumberType(dtype) || integerRange(dtype) ? { fillValue: 0 } : {};
}

/** Levels have the attributes of the source, so that they are decoded alike. */
function sourceFill(source: OpenedSource, zarrFormat: 2 | 3): Given {
  const fillValue = fillValueIn(source);
  const attribute = fillAttribute(fillValue, source.dtype, zarrFormat);
  return { fillValue, attributes: { ...withoutFill(source.attributes), ...attribute } };
}

/** Returns the caller's options for the arrays of a level. */
export function chosenFor({ array }: CreatePyramidOptions, index: number, { shape }: PlannedLevel): Given {
  return { ...((typeof array === "function" ? array(index, shape) : array) ?? {}) };
}

/** Creates an array with the shape of a level at a path below the group. */
export async function createArray(
  { group, axes, existing, zarrFormat, options }: Plan,
  level: PlannedLevel,
  path: string,
  contents: Given,
): Promise<AnyArray> {
  const { signal, overwrite } = options;
  const created = await createNode(new Location(group.store, below(group.path, path)), {
    chunkShape: chunkOf(axes, level),
    dimensionNames: axes.map(({ name }) => name),
    ...(zarrFormat === 2 && { dimensionSeparator: "/" }),
    ...contents,
    kind: "array",
    shape: level.shape,
    zarrFormat,
    // The group has been erased already, unless it holds the source.
    overwrite: overwrite === true && existing !== undefined,
    signal,
  });
  return created as AnyArray;
}

/** Creates the array of a level. */
export function createLevel(plan: Plan, index: number): Promise<AnyArray> {
  const { source, levels, zarrFormat, options } = plan;
  const level = levels[index] as PlannedLevel;
  const isOme = options.convention !== "multiscales";
  return createArray(plan, level, level.path, {
    dtype: source.dtype,
    ...(isOme ? omeFill(source.dtype, zarrFormat) : sourceFill(source, zarrFormat)),
    ...chosenFor(options, index, level),
  });
}
