/**
 * zarrita's byte cache in front of a store: whatever container the caller brings, keyed as the
 * caller likes. Without bound unless that container has one.
 */
import type { AbsolutePath, AsyncReadable, RangeQuery, StoreGetOptions } from "../model/types.ts";
import { defineStoreExtension } from "./define.ts";

/** Where bytes are kept; a `Map` will do. `undefined` is kept too: nothing is there. */
export interface ByteCache {
  has(key: string): boolean;
  get(key: string): Uint8Array | undefined;
  set(key: string, value: Uint8Array | undefined): void;
}

/** Under which key a read is kept; undefined leaves it out. `range` is absent for a whole value. */
export type CacheKeyFor = (path: AbsolutePath, range?: RangeQuery) => string | undefined;

export interface ByteCachingOptions {
  /** A `Map` of its own unless given. */
  cache?: ByteCache;
  /** Every read under a key of its own unless given. */
  keyFor?: CacheKeyFor;
}

function everyRead(path: AbsolutePath, range?: RangeQuery): string {
  if (!range) return path;
  return "suffixLength" in range
    ? `${path}\0s:${range.suffixLength}`
    : `${path}\0r:${range.offset}:${range.length}`;
}

function cached(inner: AsyncReadable, { cache = new Map(), keyFor = everyRead }: ByteCachingOptions) {
  const through = async (key: string | undefined, read: () => Promise<Uint8Array | undefined>) => {
    if (key !== undefined && cache.has(key)) return cache.get(key);
    const bytes = await read();
    if (key !== undefined) cache.set(key, bytes);
    return bytes;
  };
  const overrides: AsyncReadable = {
    get: (path: AbsolutePath, options?: StoreGetOptions) =>
      through(keyFor(path), () => inner.get(path, options)),
  };
  const getRange = inner.getRange?.bind(inner);
  if (getRange) {
    overrides.getRange = (path, range, options) =>
      through(keyFor(path, range), () => getRange(path, range, options));
  }
  return overrides as AsyncReadable & Record<string, unknown>;
}

/** A store whose answers are kept: each read is asked of the store once. */
export const withByteCaching = defineStoreExtension((store, options: ByteCachingOptions = {}) =>
  cached(store, options),
) as <S extends AsyncReadable>(store: S, options?: ByteCachingOptions) => S;
