/**
 * zarrita's `get`: elements in the array's native memory order, with strides, in zarrita's wrapper classes; a scalar where every
 * dimension is indexed by a number.
 */
import { FACTS, type Array as ZarrArray } from "./array.ts";
import { type ReadOptions, readSelection } from "./read/read.ts";
import { type AnySelection, requestOf } from "./selection.ts";
import type { Chunk, DataType, Readable, Scalar, Slice } from "./types.ts";

/** zarrita's queue of chunk reads. The engine has queues of its own, by origin and by decoder, and does not use it. */
export type ChunkQueue = {
  add(read: () => Promise<void>): void;
  onIdle(): Promise<Array<void>>;
};

export interface GetOptions extends ReadOptions {
  /** Put the result into shared memory. */
  useSharedArrayBuffer?: boolean;
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
type Got<D extends DataType, S> =
  S extends Array<infer Entry> ? ([Entry] extends [number] ? Scalar<D> : Chunk<D>) : Chunk<D>;

/** Reads a selection; everything without one. */
export async function get<D extends DataType, Store extends Readable, S extends Entries | null = null>(
  array: ZarrArray<D, Store>,
  selection?: S,
  options: GetOptions = {},
): Promise<Got<D, S>> {
  const { order, shape } = array[FACTS];
  const request = requestOf(selection as AnySelection | null, array[FACTS]);
  const { opts, createQueue, ...rest } = options;
  const entries = selection ?? [];
  const isScalar = entries.length === shape.length && entries.every((entry) => typeof entry === "number");
  const result = await readSelection(
    array,
    { ...request, order },
    { ...rest, signal: signalOf(options), form: isScalar ? "scalar" : "wrapped" },
  );
  return (isScalar ? result.data : result) as Got<D, S>;
}
