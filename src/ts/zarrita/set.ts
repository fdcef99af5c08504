/**
 * zarrita's `set`: a scalar or a chunk to a selection of an array. As `Array.set`, in its order of
 * arguments.
 */
import type { Array as ZarrArray } from "../api/array.ts";
import type { AnySelection } from "../api/selection.ts";
import type { DataType, Readable, Settable, Slice } from "../model/types.ts";
import { type ChunkQueue, signalOf } from "./get.ts";

export type { Settable };

import type { WriteOptions } from "../api/write/write.ts";

export interface SetOptions extends WriteOptions {
  createQueue?: () => ChunkQueue;
  /** zarrita's; what is read to be changed is nobody's to see. */
  useSharedArrayBuffer?: boolean;
  /** @deprecated zarrita's former place of `signal`. */
  opts?: { signal?: AbortSignal };
}

/** Writes values to a selection; to everything where it is null. */
export function set<D extends DataType>(
  array: ZarrArray<D, Readable>,
  selection: (null | Slice | number)[] | AnySelection | null,
  value: Settable<D>,
  options: SetOptions = {},
): Promise<void> {
  const { createQueue, opts, useSharedArrayBuffer, ...rest } = options;
  return array.set(selection as AnySelection | null, value, { ...rest, signal: signalOf(options) });
}
