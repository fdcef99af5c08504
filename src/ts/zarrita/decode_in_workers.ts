/**
 * An extension for arrays of zarrita itself: their chunks are read by this package, which decodes
 * them in workers. It uses no code of zarrita. Arrays of this package do not need it.
 */
import { Array as ZarrArray } from "../api/array.ts";
import { root } from "../api/location.ts";
import { open } from "../api/open.ts";
import type { ReadOptions } from "../api/read/request.ts";
import type { AbsolutePath, Readable } from "../model/types.ts";
import { inFront } from "./define.ts";

/** The used part of zarrita's `Array`, of version 0.5 and later. */
export interface ZarritaArray {
  readonly store: object;
  readonly path: string;
  getChunk(...args: never[]): Promise<unknown>;
}

/**
 * Returns an array of zarrita whose `getChunk`, and with it zarrita's `get`, decodes in the workers
 * of this package, also with codecs that zarrita lacks. Bytes come from the array's own store, with
 * its extensions. The metadata is read again through the store. Rejects as `open` does if it cannot
 * be read. Aborts and errors of chunks are those of `Array.getChunk`.
 *
 *     const opened = await zarrita.open(store, { kind: "array" });
 *     const array = await zarrita.extendArray(opened, decodeInWorkers);
 */
export async function decodeInWorkers<A extends ZarritaArray>(array: A): Promise<A> {
  if (array instanceof ZarrArray) return array;
  const place = root(array.store as Readable).resolve(array.path as AbsolutePath);
  const ours = await open(place, { kind: "array" });
  const getChunk = (index: number[], options?: ReadOptions, shared?: { useSharedArrayBuffer?: boolean }) =>
    ours.getChunk(index, options, shared);
  return inFront(array, { getChunk });
}
