/**
 * zarrita's `withByteCaching`: a cache in front of a store, in any container and with any keys. It
 * is unbounded unless the container is bounded.
 */
import { optionsOf } from "../model/argument.ts";
import type { AbsolutePath, AsyncReadable, RangeQuery, StoreGetOptions } from "../model/types.ts";
import { defineStoreExtension } from "./extensions.ts";

/**
 * The container of a cache, such as a `Map`. `undefined` values are cached too: the key does not
 * exist.
 */
export interface ByteCache {
  has(key: string): boolean;
  get(key: string): Uint8Array | undefined;
  set(key: string, value: Uint8Array | undefined): void;
}

/**
 * The cache key of a read; undefined to bypass the cache. Without `range`, the read is of a whole
 * value.
 */
export type CacheKeyFor = (path: AbsolutePath, range?: RangeQuery) => string | undefined;

export interface ByteCachingOptions {
  /** The container. Default: a new `Map`. */
  cache?: ByteCache;
  /** Default: one cache key for each path and range. */
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

/** Wraps a store so that each value and range is read from it once. */
export const withByteCaching = defineStoreExtension((store, options: ByteCachingOptions = {}) =>
  cached(store, optionsOf(options)),
) as <S extends AsyncReadable>(store: S, options?: ByteCachingOptions) => S;
