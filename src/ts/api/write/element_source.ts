/**
 * The sources of elements that whole-array writers accept: an array, elements in memory, or an
 * object that reads boxes. Each becomes an `OpenedSource`, which is read box by box.
 */
import { product, stridesInOrder } from "../../elements/typed_arrays.ts";
import { shown, ZarrError } from "../../model/errors.ts";
import type { Attributes, DataType, Readable, Settable } from "../../model/types.ts";
import { type AnyArray, Array as ZarrArray } from "../array.ts";
import { elementSizeOf } from "../arrays.ts";
import { type Box, shapeOfBox, writeBoxes } from "./boxes.ts";

/** Elements in memory. */
export interface ElementsInMemory {
  /** A typed array, or a list for types without one. */
  data: ArrayLike<unknown>;
  /** The extents. */
  shape: readonly number[];
  /** Strides in elements. Default: C order. */
  stride?: readonly number[];
  /** The data type. Default: that of the typed array. */
  dtype?: DataType | (string & {});
}

/** Elements that are read box by box, such as those of a file format that the caller decodes. */
export interface ElementReader {
  shape: readonly number[];
  dtype: DataType | (string & {});
  /** Returns the elements of a box in C order. `start` and `shape` are in elements. */
  read(
    start: number[],
    shape: number[],
    options: { signal?: AbortSignal | undefined },
  ): ArrayLike<unknown> | Promise<ArrayLike<unknown>>;
}

/** An array, elements in memory, or an object that reads boxes. */
export type ElementSource<Store extends Readable = Readable> =
  | ZarrArray<DataType, Store>
  | ElementsInMemory
  | ElementReader;

/** A source that can be read box by box. */
export interface OpenedSource {
  shape: readonly number[];
  dtype: string;
  /** The array, if the source is one. */
  array?: AnyArray;
  /** The attributes and the dimension names of the array. */
  attributes: Attributes;
  dimensionNames?: readonly string[] | undefined;
  read(box: Box, signal: AbortSignal | undefined): Promise<Settable<DataType>>;
}

const TYPES: Record<string, string> = {
  Int8Array: "int8",
  Int16Array: "int16",
  Int32Array: "int32",
  BigInt64Array: "int64",
  Uint8Array: "uint8",
  Uint8ClampedArray: "uint8",
  Uint16Array: "uint16",
  Uint32Array: "uint32",
  BigUint64Array: "uint64",
  Float16Array: "float16",
  Float32Array: "float32",
  Float64Array: "float64",
};

/** The data type of a typed array; undefined for other lists. */
export const typeOfElements = (data: unknown): string | undefined =>
  ArrayBuffer.isView(data) ? TYPES[Object.prototype.toString.call(data).slice(8, -1)] : undefined;

const refuse = (message: string, expected: string, actual: unknown): never => {
  throw new ZarrError("Argument", message, { expected, actual: shown(actual) });
};

function checkShape(shape: unknown): asserts shape is readonly number[] {
  const isShape =
    Array.isArray(shape) && shape.every((extent) => Number.isSafeInteger(extent) && (extent as number) >= 0);
  if (!isShape) refuse("the source has no valid shape", "a list of extents in elements", shape);
}

/** A part of a list; a view of a typed array. */
function part(data: ArrayLike<unknown>, from: number, to: number): ArrayLike<unknown> {
  if (ArrayBuffer.isView(data)) return (data as unknown as Uint8Array).subarray(from, to);
  return globalThis.Array.prototype.slice.call(data, from, to);
}

function inMemory({ data, shape, stride, dtype }: ElementsInMemory): OpenedSource {
  checkShape(shape);
  const type = dtype ?? typeOfElements(data);
  if (type === undefined)
    return refuse("the source has no data type", "the member dtype, or a typed array", typeof data);
  const strides = stride ?? stridesInOrder(shape);
  if (strides.length !== shape.length || !strides.every((step) => Number.isSafeInteger(step) && step >= 0))
    refuse("the strides of the source are not valid", `${shape.length} numbers from 0 up`, strides);
  // A complex element is two numbers.
  const units = type.startsWith("complex") ? 2 : 1;
  const lengthOf = (extents: readonly number[]) =>
    units * (1 + extents.reduce((sum, extent, axis) => sum + (extent - 1) * (strides[axis] as number), 0));
  if (product(shape) > 0 && lengthOf(shape) > data.length)
    refuse("the source has fewer elements than its shape", `${lengthOf(shape)} numbers`, data.length);
  const read = async (box: Box) => {
    const extents = shapeOfBox(box);
    const from = units * box.reduce((sum, { start }, axis) => sum + start * (strides[axis] as number), 0);
    return { data: part(data, from, from + lengthOf(extents)), shape: extents, stride: strides } as never;
  };
  return { shape, dtype: type, attributes: {}, read };
}

function readByCaller(source: ElementReader): OpenedSource {
  const { shape, dtype } = source;
  checkShape(shape);
  const read = async (box: Box, signal: AbortSignal | undefined) => {
    const extents = shapeOfBox(box);
    const starts = box.map(({ start }) => start);
    const data = await source.read(starts, extents, { signal });
    if (data?.length !== product(extents))
      refuse("read returned another number of elements", `${product(extents)} elements`, data?.length);
    return { data, shape: extents } as Settable<DataType>;
  };
  return { shape, dtype, attributes: {}, read };
}

/** Opens a source. Throws an `Argument` error for one that has no shape or data type. */
export function openSource(source: ElementSource): OpenedSource {
  if (source instanceof ZarrArray) {
    const { shape, dtype, attrs: attributes, dimensionNames } = source;
    const read = async (box: Box, signal: AbortSignal | undefined) =>
      (await source.get(box, { signal } as object)) as Settable<DataType>;
    return { shape, dtype, array: source, attributes, dimensionNames, read };
  }
  if (typeof (source as ElementReader)?.read === "function") return readByCaller(source as ElementReader);
  if (typeof source === "object" && source !== null && "data" in source) return inMemory(source);
  return refuse(
    "the source of the elements is not valid",
    "an array, { data, shape } or { shape, dtype, read }",
    typeof source,
  );
}

/** Writes all elements of a source to an array of the same shape. */
export async function writeSource(
  target: AnyArray,
  { array, dtype, read }: OpenedSource,
  options: { signal?: AbortSignal | undefined; onWritten?: (elements: number) => void },
): Promise<void> {
  const { signal } = options;
  // Packed elements can be copied if both arrays have the same data type of fixed size.
  const isPacked =
    array !== undefined && target.dtype === dtype && (await elementSizeOf(array)) !== undefined;
  if (!isPacked) return writeBoxes(target, { ...options, read: (box) => read(box, signal) });
  const packed = async (box: Box) => (await array.get(box, { as: "bytes", signal } as object)).data;
  return writeBoxes(target, { ...options, as: "bytes", read: packed as never });
}
