/**
 * The sources of elements that whole-array writers accept: an array, elements in memory, or an
 * object that reads boxes. Each becomes an `OpenedSource`, which is read and written box by box, so
 * that an array of any size needs only the memory of a few boxes. A box consists of whole stored
 * chunks. The next box is read while one is written.
 */
import { reach, VARIABLE_SIZE } from "../../engine/ts/elements/pack.ts";
import { product, stridesInOrder } from "../../engine/ts/elements/typed_arrays.ts";
import { refuse } from "../../engine/ts/model/argument.ts";
import { typeOfView } from "../../engine/ts/model/number_types.ts";
import type { Attributes, DataType, Readable, Settable } from "../../engine/ts/model/types.ts";
import { type AnyArray, Array as ZarrArray } from "../array.ts";
import { elementSizeOf } from "../array_definitions.ts";
import { FACTS } from "../node_facts.ts";
import { areIntegers, indexAt } from "./layout.ts";

/** Elements in memory. */
export interface ElementsInMemory {
  /** A typed array, or a list for types without one. */
  data: ArrayLike<unknown>;
  /** The extents. */
  shape: readonly number[];
  /** Strides in elements. Default: C order. */
  stride?: readonly number[] | undefined;
  /** The data type. Default: that of the typed array. */
  dtype?: DataType | (string & {}) | undefined;
}

/** Elements that are read box by box, such as those of a file format that the caller decodes. */
export interface ElementReader {
  /** The number of elements along each dimension. */
  shape: readonly number[];
  /** The data type. */
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
  dimensionNames?: readonly string[];
  read(box: Box, signal: AbortSignal | undefined): Promise<Settable<DataType>>;
}

/** The data type of a typed array; undefined for other lists. */
export function typeOfElements(data: unknown): string | undefined {
  if (!ArrayBuffer.isView(data)) return undefined;
  return typeOfView(Object.prototype.toString.call(data).slice(8, -1));
}

function checkShape(shape: unknown): asserts shape is readonly number[] {
  if (!areIntegers(shape, 0)) refuse("the source has no valid shape", "a list of extents in elements", shape);
}

/** A part of a list; a view of a typed array. */
function part(data: ArrayLike<unknown>, from: number, to: number): ArrayLike<unknown> {
  if (ArrayBuffer.isView(data)) return (data as Uint8Array).subarray(from, to);
  return globalThis.Array.prototype.slice.call(data, from, to);
}

function inMemory({ data, shape, stride, dtype }: ElementsInMemory): OpenedSource {
  checkShape(shape);
  const type = dtype ?? typeOfElements(data);
  if (type === undefined)
    return refuse("the source has no data type", "the member dtype, or a typed array", typeof data);
  const strides = stride ?? stridesInOrder(shape);
  if (strides.length !== shape.length || !areIntegers(strides, 0))
    refuse("the strides of the source are not valid", `${shape.length} numbers from 0 up`, strides);
  // A complex element is two numbers.
  const units = type.startsWith("complex") ? 2 : 1;
  const lengthOf = (extents: readonly number[]) => units * reach(extents, strides);
  if (lengthOf(shape) > data.length)
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
  options: Omit<BoxWriting, "read" | "as">,
): Promise<void> {
  const { signal } = options;
  // Packed elements can be copied if both arrays have the same data type of fixed size.
  const size = array && target.dtype === dtype ? await elementSizeOf(array) : undefined;
  const isPacked = array !== undefined && size !== undefined && size === (await elementSizeOf(target));
  if (!isPacked) return writeBoxes(target, { ...options, read: (box) => read(box, signal) });
  const packed = async (box: Box) => (await array.get(box, { as: "bytes", signal } as object)).data;
  return writeBoxes(target, { ...options, as: "bytes", read: packed as never });
}

/** A box, as a selection: start and stop in elements for each dimension. */
export type Box = { start: number; stop: number; step: 1 }[];

/** Approximate size of a box in bytes. */
const BOX_BYTES = 16 << 20;

export const shapeOfBox = (box: Box): number[] => box.map(({ start, stop }) => stop - start);

/**
 * Enlarges a box of the extents `least` (1 if absent) to about `most` elements, beginning with the
 * last dimension. Each extent becomes a multiple of its extent in `least`, or the extent of the
 * array.
 */
export function boxShape(shape: readonly number[], least: readonly number[], most: number): number[] {
  const box = shape.map((extent, axis) => Math.max(1, Math.min(extent, least[axis] ?? 1)));
  for (let axis = shape.length - 1; axis >= 0; axis -= 1) {
    const [extent, stored] = [shape[axis] as number, box[axis] as number];
    const times = Math.floor(most / product(box));
    box[axis] = Math.min(extent || 1, stored * Math.max(1, times));
  }
  return box;
}

/** The boxes that cover a shape, in C order. */
export function* boxes(shape: readonly number[], box: readonly number[]): Generator<Box> {
  const counts = shape.map((extent, axis) => Math.ceil(extent / (box[axis] as number)));
  const total = product(counts);
  for (let linear = 0; linear < total; linear += 1) {
    const index = indexAt(counts, linear);
    yield shape.map((extent, axis) => {
      const length = box[axis] as number;
      const start = (index[axis] as number) * length;
      return { start, stop: Math.min(extent, start + length), step: 1 };
    });
  }
}

interface BoxWriting {
  /** The values of a box. */
  read: (box: Box) => Promise<Settable<DataType>>;
  /** `"bytes"`: the values are packed elements. */
  as?: "bytes";
  cast?: boolean;
  signal?: AbortSignal;
  /** Called with the number of elements of each box that is written. */
  onWritten?: (elements: number) => void;
}

/** Reads boxes, and writes them in their order. The next one is read while one is written. */
export async function inTurn<Values>(
  list: Iterable<Box>,
  read: (box: Box) => Promise<Values>,
  write: (box: Box, values: Values) => Promise<unknown>,
  signal: AbortSignal | undefined,
): Promise<void> {
  let pending: { box: Box; values: Promise<Values> } | undefined;
  const writePending = async () => pending && write(pending.box, await pending.values);
  for (const box of list) {
    signal?.throwIfAborted();
    const next = { box, values: read(box) };
    next.values.catch(() => {}); // it is waited for below, unless an earlier box fails
    await writePending();
    pending = next;
  }
  await writePending();
}

/** Writes all elements of an array. */
export async function writeBoxes(
  target: ZarrArray<DataType, Readable>,
  { read, as, cast, signal, onWritten }: BoxWriting,
): Promise<void> {
  const { shape, shards, chunks } = target[FACTS];
  const size = (await elementSizeOf(target)) ?? VARIABLE_SIZE;
  const write = async (box: Box, values: Settable<DataType>) => {
    await target.set(box, values, { as, signal, cast } as object);
    onWritten?.(product(shapeOfBox(box)));
  };
  await inTurn(boxes(shape, boxShape(shape, shards ?? chunks, BOX_BYTES / size)), read, write, signal);
}
