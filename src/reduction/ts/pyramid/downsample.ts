/**
 * Downsamples a box of an array: reads the elements of its blocks, and lets the reductions
 * module make one element of each (`src/kernel/downsample.rs`). The page only forwards the bytes.
 */
import type { AnyArray } from "../../../api/array.ts";
import { type Box, boxes, shapeOfBox } from "../../../api/write/element_source.ts";
import { packScalar } from "../../../api/write/elements.ts";
import { withPackedFloats } from "../../../api/write/numbers.ts";
import {
  DOWNSAMPLE_METHODS,
  type DownsampleMethod,
  type DownsampleRequest,
  NUMBER_TYPES,
} from "../../../contract/contract.ts";
import { product } from "../../../engine/ts/elements/typed_arrays.ts";
import { refuse, refuseField } from "../../../engine/ts/model/argument.ts";
import type { TypeDescription } from "../../../engine/ts/model/data_type.ts";
import { UnsupportedError } from "../../../engine/ts/model/errors.ts";
import { integerOf } from "../../../engine/ts/model/number_types.ts";
import { call } from "../../../engine/ts/port/engine.ts";

export type { DownsampleMethod };

const NUMBERS: readonly string[] = NUMBER_TYPES;

/** Elements that are read and downsampled in one turn of the engine, in bytes. */
const SLAB_BYTES = 4 << 20;

/** The facts of an array that downsampling needs. */
export type Downsampling = Pick<DownsampleRequest, "method" | "number" | "size" | "missing">;

/** Whether a number is a value of a data type. Integers may be written with either sign. */
export function isOfType({ kind, size = 0 }: TypeDescription, value: number | bigint): boolean {
  if (kind === "float") return typeof value === "number";
  if (typeof value !== "number" && typeof value !== "bigint") return false;
  if (typeof value === "number" && !Number.isSafeInteger(value)) return false;
  const [integer, end] = [BigInt(value), 1n << BigInt(8 * size)];
  return integer >= -end / 2n && integer < end;
}

/** Throws an `Argument` error for missing values that the data type does not have. */
export function checkMissing(type: TypeDescription, values: readonly (number | bigint)[]): void {
  for (const value of Array.from(values))
    if (!isOfType(type, value)) refuse("a missing value is not of the data type", type.name, value);
}

/** Resolves to the bits of missing values. Rejects as `checkMissing` throws. */
async function packedMissing(
  type: TypeDescription,
  values: readonly (number | bigint)[],
  signal?: AbortSignal,
): Promise<Uint8Array> {
  const words = new BigUint64Array(values.length);
  const packed = new Uint8Array(words.buffer);
  checkMissing(type, values);
  for (const [idx, value] of Array.from(values).entries()) {
    if (type.kind === "float") {
      const { bytes } = await withPackedFloats((floats) => packScalar(type, value, { floats }), signal);
      packed.set(bytes, 8 * idx);
    } else {
      words[idx] = BigInt.asUintN(8 * (type.size ?? 8), BigInt(value));
    }
  }
  return packed;
}

/** The options of downsampling, as the caller gave them. */
interface DownsampleOptions {
  method: DownsampleMethod;
  missing: readonly (number | bigint)[];
  /** Whether integers have a sign, if it is not what the data type says (CF's `_Unsigned`). */
  isSigned?: boolean;
  signal?: AbortSignal;
}

/**
 * Prepares the downsampling of elements of a data type. Throws an `UnsupportedError` for a type
 * that the method does not know.
 */
export async function downsamplingOf(
  type: TypeDescription,
  { method, missing, isSigned, signal }: DownsampleOptions,
): Promise<Downsampling> {
  if (!DOWNSAMPLE_METHODS.includes(method)) {
    refuseField("method", DOWNSAMPLE_METHODS.join(", "), method);
  }
  const { name, size } = type;
  const integer = isSigned === undefined ? undefined : integerOf(name);
  const number = integer ? `${isSigned ? "" : "u"}int${integer.bits}` : name;
  const least = method === "mean" ? 1 : 0;
  const isKnown = method === "nearest" || NUMBERS.indexOf(number) >= least;
  if (!isKnown || size === undefined)
    throw new UnsupportedError(`the method ${method} for elements of the data type ${name}`);
  if (method === "nearest") return { method, size, missing: new Uint8Array() };
  return { method, number, size, missing: await packedMissing(type, missing, signal) };
}

async function downsampled(
  downsampling: Downsampling,
  shape: number[],
  factors: readonly number[],
  elements: Uint8Array,
  signal?: AbortSignal,
): Promise<Uint8Array> {
  const request = { ...downsampling, shape, factors: [...factors] };
  return call("downsample", () => ({ request, elements }), { signal });
}

/**
 * The extents of the slabs of a box, in elements of the result. Slabs in C order follow each other
 * in the memory of the box. A slab reads whole chunks of the source where it may.
 */
function slabShape(
  shape: readonly number[],
  factors: readonly number[],
  chunks: readonly number[],
  size: number,
): number[] {
  const most = Math.max(1, Math.floor(SLAB_BYTES / size / product(factors)));
  const slab = shape.map(() => 1);
  for (let axis = shape.length - 1; axis >= 0; axis -= 1) {
    const extent = shape[axis] as number;
    const fits = Math.floor(most / product(slab));
    slab[axis] = Math.min(extent, Math.max(1, fits));
    if (slab[axis] === extent) continue;
    const aligned = Math.floor((chunks[axis] as number) / (factors[axis] as number));
    if (aligned > 0 && fits > aligned) slab[axis] = fits - (fits % aligned);
    break;
  }
  return slab;
}

/** Reads a box of the next level, in elements of that level, from the level before. */
export async function readDownsampled(
  source: AnyArray,
  box: Box,
  factors: readonly number[],
  downsampling: Downsampling,
  signal?: AbortSignal,
): Promise<Uint8Array> {
  const extents = shapeOfBox(box);
  const result = new Uint8Array(product(extents) * downsampling.size);
  let filled = 0;
  for (const slab of boxes(extents, slabShape(extents, factors, source.chunks, downsampling.size))) {
    const selection: Box = slab.map(({ start, stop }, axis) => {
      const [first, factor] = [(box[axis] as Box[number]).start, factors[axis] as number];
      const end = Math.min((first + stop) * factor, source.shape[axis] as number);
      return { start: (first + start) * factor, stop: end, step: 1 };
    });
    const { data } = await source.get(selection, { as: "bytes", signal } as object as { as: "bytes" });
    const bytes = await downsampled(downsampling, shapeOfBox(selection), factors, data, signal);
    result.set(bytes, filled);
    filled += bytes.length;
  }
  return result;
}
