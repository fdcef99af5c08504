/**
 * zarrita's `get`: elements in the array's native memory order, with strides, in zarrita's wrapper classes; a scalar where every
 * dimension is indexed by a number.
 */
import { FACTS, Array as ZarrArray } from "./array.ts";
import { type ChunkQueue, getByChunk } from "./read/by_chunk.ts";
import { type ReadOptions, readSelection } from "./read/read.ts";
import { type AnySelection, requestOf } from "./selection.ts";
import type { Chunk, DataType, Readable, Scalar, Slice } from "./types.ts";

export type { ChunkQueue };

export interface GetOptions extends ReadOptions {
  /** Put the result into shared memory. */
  useSharedArrayBuffer?: boolean;
  /** Has the array read chunk by chunk, each by a call that this queue makes; without it the engine's own queues are used. */
  createQueue?: () => ChunkQueue;
  /** @deprecated zarrita's former place of `signal`. */
  opts?: { signal?: AbortSignal };
}

/** The signal, from either of its places. */
export function signalOf({ signal, opts }: Pick<GetOptions, "signal" | "opts">): AbortSignal | undefined {
  return signal && opts?.signal ? AbortSignal.any([signal, opts.signal]) : (signal ?? opts?.signal);
}

type Entries = (null | Slice | number)[];

/** A scalar where every entry is a number, else a chunk. */
type Got<D extends DataType, S> = S extends (infer Entry)[]
  ? [Entry] extends [number]
    ? Scalar<D>
    : Chunk<D>
  : Chunk<D>;

/** The one element of a chunk. */
function scalarOf(chunk: Chunk<DataType>): unknown {
  const values = chunk.data as { get?(place: number): unknown } & ArrayLike<unknown>;
  if ("complex" in chunk && chunk.complex) return [values[0], values[1]];
  return typeof values.get === "function" ? values.get(0) : values[0];
}

/** Reads a selection; everything without one. */
export async function get<D extends DataType, Store extends Readable, S extends Entries | null = null>(
  array: ZarrArray<D, Store>,
  selection?: S,
  options: GetOptions = {},
): Promise<Got<D, S>> {
  const { order, shape, chunks } = array[FACTS];
  const request = requestOf(selection as AnySelection | null, array[FACTS]);
  const { opts, createQueue, ...rest } = options;
  const entries = selection ?? [];
  const isScalar = entries.length === shape.length && entries.every((entry) => typeof entry === "number");
  // Whoever has replaced `getChunk` wants it called; through a proxy of zarrita's it is another function too.
  const isReplaced = array.getChunk !== ZarrArray.prototype.getChunk;
  if (createQueue || isReplaced) {
    const { useSharedArrayBuffer } = rest;
    const { selection: entriesOf } = request;
    const signal = signalOf(options);
    const chunk = await getByChunk({
      array,
      selection: entriesOf,
      shape,
      chunks,
      order,
      signal,
      useSharedArrayBuffer,
      createQueue,
    });
    if (chunk) return (isScalar ? scalarOf(chunk) : chunk) as Got<D, S>;
  }
  const result = await readSelection(
    array,
    { ...request, order },
    { ...rest, signal: signalOf(options), form: isScalar ? "scalar" : "wrapped" },
  );
  return (isScalar ? result.data : result) as Got<D, S>;
}
