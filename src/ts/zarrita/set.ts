/**
 * zarrita's `set`: writes a scalar or a chunk to a selection of an array. It is `Array.set` with
 * zarrita's order of arguments.
 */

import type { Array as ZarrArray } from "../api/array.ts";
import { needArray } from "../api/node_facts.ts";
import type { AnySelection } from "../api/selection.ts";
import { optionsOf } from "../model/argument.ts";
import type { DataType, Readable, Settable, Slice } from "../model/types.ts";
import { type ChunkQueue, signalOf } from "./get.ts";

export type { Settable };

import type { WriteOptions } from "../api/write/write.ts";

export interface SetOptions extends WriteOptions {
  createQueue?: () => ChunkQueue;
  /**
   * Accepted because zarrita accepts it. It has no effect: chunks that a write reads are not
   * visible to the caller.
   */
  useSharedArrayBuffer?: boolean;
  /** @deprecated zarrita's former place of `signal`. */
  opts?: { signal?: AbortSignal };
}

/** Writes values to a selection; to the whole array if it is null. */
export async function set<D extends DataType>(
  array: ZarrArray<D, Readable>,
  selection: (null | Slice | number)[] | AnySelection | null,
  value: Settable<D>,
  options: SetOptions = {},
): Promise<void> {
  const { createQueue, opts, useSharedArrayBuffer, ...rest } = optionsOf(options);
  needArray(array);
  optionsOf(opts ?? {}, {}, "opts");
  return array.set(selection as AnySelection | null, value, { ...rest, signal: signalOf(options) });
}
