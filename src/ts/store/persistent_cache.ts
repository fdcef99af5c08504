/**
 * `PersistentCache` on the page. It keeps HTTP responses in Cache Storage, beyond the page. The
 * engine implements it (`engine/http/persistent_cache.ts`).
 */
import { need, optionsOf } from "../model/argument.ts";
import type { CacheDefinition } from "../port/definitions.ts";
import { call } from "../port/engine.ts";

export interface PersistentCacheOptions {
  /** Name of the cache in Cache Storage. Default: `"zarr-wasm"`. */
  name?: string;
  /**
   * Whose responses these are, for example the identity of the user. A partition is not answered
   * from another one, and has its own size. Required where requests have headers, a custom `fetch`
   * or `credentials: "include"`, because the responses may then depend on the user. Name one, too,
   * if cookies of the page's own server decide who may read.
   */
  partition?: string;
  /** Maximum size in bytes. The least recently used entries are deleted first. Default: 256 MiB. */
  maxBytes?: number;
  /**
   * Age in seconds up to which a response is used without a request. Default: one day. Older ones
   * are used if there is no network.
   */
  maxAgeSeconds?: number;
}

/** A persistent cache, for one store or several. */
export class PersistentCache {
  /** @internal */
  readonly definition: CacheDefinition;

  constructor(options: PersistentCacheOptions = {}) {
    const { name, partition, maxBytes, maxAgeSeconds } = optionsOf(options);
    const isName = typeof partition === "string" && partition !== "" && !/\p{Surrogate}/u.test(partition);
    need(partition === undefined || isName, "persistentCache.partition", "a text that is not empty");
    this.definition = { name, partition, maxBytes, maxAgeSeconds };
  }

  /** Number of entries, and their size in bytes. */
  usage(): Promise<{ entries: number; bytes: number }> {
    return call("persistentUsage", () => ({ cache: this.definition }));
  }

  /** Deletes all entries of the partition. */
  async clear(): Promise<void> {
    await call("persistentClear", () => ({ cache: this.definition }));
  }
}

/** The cache for the value of the option `persistentCache`. */
export const persistentCacheOf = (
  option: true | PersistentCacheOptions | PersistentCache,
): PersistentCache =>
  option instanceof PersistentCache ? option : new PersistentCache(option === true ? {} : option);
