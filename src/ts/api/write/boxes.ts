/**
 * Writes an array box by box, so that an array of any size needs only the memory of a few boxes. A
 * box consists of whole stored chunks. The next box is read while one is written.
 */
import { indexAt, VARIABLE_SIZE } from "../../elements/pack.ts";
import { product } from "../../elements/typed_arrays.ts";
import type { DataType, Readable, Settable } from "../../model/types.ts";
import type { Array as ZarrArray } from "../array.ts";
import { elementSizeOf } from "../arrays.ts";
import { FACTS } from "../node_facts.ts";

/** A box, as a selection: start and stop in elements for each dimension. */
export type Box = { start: number; stop: number; step: 1 }[];

/** Approximate size of a box in bytes. */
const BOX_BYTES = 16 << 20;

export const shapeOfBox = (box: Box): number[] => box.map(({ start, stop }) => stop - start);

/**
 * Enlarges a box of the extents `least` to about `most` elements, beginning with the last
 * dimension. Each extent becomes a multiple of its extent in `least`, or the extent of the array.
 */
export function extendedBox(shape: readonly number[], least: readonly number[], most: number): number[] {
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

export interface BoxWriting {
  /** The values of a box. */
  read: (box: Box) => Promise<Settable<DataType>>;
  /** `"bytes"`: the values are packed elements. */
  as?: "bytes" | undefined;
  cast?: boolean | undefined;
  signal?: AbortSignal | undefined;
  /** Called with the number of elements of each box that is written. */
  onWritten?: (elements: number) => void;
}

/** Writes all elements of an array. */
export async function writeBoxes(
  target: ZarrArray<DataType, Readable>,
  { read, as, cast, signal, onWritten }: BoxWriting,
): Promise<void> {
  const { shape, shards, chunks } = target[FACTS];
  const size = (await elementSizeOf(target)) ?? VARIABLE_SIZE;
  let pending: { box: Box; values: Promise<Settable<DataType>> } | undefined;
  const write = async () => {
    if (!pending) return;
    const { box, values } = pending;
    await target.set(box, await values, { as, signal, cast } as object);
    onWritten?.(product(shapeOfBox(box)));
  };
  for (const box of boxes(shape, extendedBox(shape, shards ?? chunks, BOX_BYTES / size))) {
    signal?.throwIfAborted();
    const next = { box, values: read(box) };
    next.values.catch(() => {}); // it is waited for below, unless an earlier box fails
    await write();
    pending = next;
  }
  await write();
}
