/**
 * Creates and writes the arrays of a new pyramid: the finest from the source, each other from the
 * one before.
 */
import type { AnyArray } from "../../api/array.ts";
import { typeOf } from "../../api/arrays.ts";
import { createNode } from "../../api/create.ts";
import { Location } from "../../api/location.ts";
import { type Box, type OpenedSource, writeBoxes, writeSource } from "../../api/write/element_source.ts";
import { product } from "../../elements/typed_arrays.ts";
import type { TypeDescription } from "../../model/data_type.ts";
import { exactJson } from "../../model/json.ts";
import { below } from "../../model/path.ts";
import { call } from "../../port/engine.ts";
import { type Downsampling, downsamplingOf, isOfType, readDownsampled } from "./downsample.ts";
import { type FillValue, fillAttribute, fillValueIn, missingIn, withoutFill } from "./fill_value.ts";
import { type CreatePyramidOptions, type NewAxis, planeAxes } from "./pyramid_options.ts";
import type { Plan, PlannedLevel } from "./pyramid_plan.ts";

type Given = Record<string, unknown>;

/** The extent of a chunk along x and y. */
const CHUNK = 512;

/**
 * The values that do not count. A `multiscales` pyramid takes the fill value of v2 for one, as
 * xarray does; for an image it is a value as any other.
 */
function missingOf(source: OpenedSource, { convention }: CreatePyramidOptions): FillValue[] {
  const fill = convention === "multiscales" ? fillValueIn(source) : undefined;
  return [...new Set([...missingIn(source), ...(fill === undefined ? [] : [fill])])];
}

async function typeOfSource({ array, dtype }: OpenedSource, signal?: AbortSignal): Promise<TypeDescription> {
  if (array) return typeOf(array, signal);
  return call("describeTypeName", () => ({ text: exactJson(dtype, "dtype"), like: undefined }), { signal });
}

/** Throws an `Argument` error for missing values that the data type does not have. */
export async function downsamplingFor({ source, method, options }: Plan): Promise<Downsampling> {
  const { missing, signal } = options;
  const type = await typeOfSource(source, signal);
  const isSigned = signOf(source);
  if (missing) return downsamplingOf(type, { method, missing, isSigned, signal });
  const fits = missingOf(source, options).filter((value) => isOfType(type, value));
  return downsamplingOf(type, { method, missing: fits, isSigned, signal });
}

/**
 * Returns whether integers have a sign by CF's attribute `_Unsigned`; undefined if it is absent.
 */
function signOf({ attributes }: OpenedSource): boolean | undefined {
  const word = String(attributes._Unsigned).toLowerCase();
  return word === "true" ? false : word === "false" ? true : undefined;
}

/** Returns the chunk shape of a level: planes of x and y. */
function chunkOf(axes: readonly NewAxis[], { shape }: PlannedLevel): number[] {
  const plane = planeAxes(axes);
  return shape.map((extent, axis) => (plane.includes(axis) ? Math.max(1, Math.min(CHUNK, extent)) : 1));
}

/** Writers of OME-Zarr fill with zero. In v2, `create` would leave the fill value undefined. */
function omeFill(dtype: string, zarrFormat: 2 | 3): Given {
  if (zarrFormat === 3) return {};
  return /^(u?int|float)\d+$/.test(dtype) ? { fillValue: 0 } : {};
}

/** Levels have the attributes of the source, so that they are decoded alike. */
function sourceFill(source: OpenedSource, zarrFormat: 2 | 3): Given {
  const fillValue = fillValueIn(source);
  const attribute = fillAttribute(fillValue, source.dtype, zarrFormat);
  return { fillValue, attributes: { ...withoutFill(source.attributes), ...attribute } };
}

/** Creates the array of a level. */
async function createLevel(
  { group, source, axes, existing, levels, zarrFormat, options }: Plan,
  index: number,
): Promise<AnyArray> {
  const level = levels[index] as PlannedLevel;
  const { array, convention = "ome", signal, overwrite } = options;
  const chosen: Given = { ...((typeof array === "function" ? array(index, level.shape) : array) ?? {}) };
  const isOme = convention === "ome";
  const created = await createNode(new Location(group.store, below(group.path, level.path)), {
    dtype: source.dtype,
    chunkShape: chunkOf(axes, level),
    dimensionNames: axes.map(({ name }) => name),
    ...(zarrFormat === 2 && { dimensionSeparator: "/" }),
    ...(isOme ? omeFill(source.dtype, zarrFormat) : sourceFill(source, zarrFormat)),
    ...chosen,
    kind: "array",
    shape: level.shape,
    zarrFormat,
    // The group has been erased already, unless it holds the source.
    overwrite: overwrite === true && existing !== undefined,
    signal,
  });
  return created as AnyArray;
}

/** Writes all levels, and returns their arrays. */
export async function writeLevels(plan: Plan, downsampling: Downsampling): Promise<AnyArray[]> {
  const { source, existing, levels, options } = plan;
  const { signal, onProgress } = options;
  const written = existing ? levels.slice(1) : levels;
  const totalElements = written.reduce((sum, { shape }) => sum + product(shape), 0);
  let elements = 0;
  const arrays: AnyArray[] = existing ? [existing] : [];
  for (let level = arrays.length; level < levels.length; level += 1) {
    const target = await createLevel(plan, level);
    const onWritten = (count: number) => {
      elements += count;
      onProgress?.({ level, levels: levels.length, elements, totalElements });
    };
    const before = arrays.at(-1);
    const { factors } = levels[level] as PlannedLevel;
    if (before) {
      const read = (box: Box) => readDownsampled(before, box, factors, downsampling, signal);
      await writeBoxes(target, { read: read as never, as: "bytes", signal, onWritten });
    } else {
      await writeSource(target, source, { signal, onWritten });
    }
    arrays.push(target);
  }
  return arrays;
}
