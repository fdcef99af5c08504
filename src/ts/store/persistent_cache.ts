/**
 * `PersistentCache`: answers of servers kept in Cache Storage, beyond the page. The engine keeps
 * and finds them (`engine/http/persistent_cache.ts`); this is its name on the page.
 */
import type { CacheDefinition } from "../port/definitions.ts";
import { call } from "../port/engine.ts";

export interface PersistentCacheOptions {
  /**
   * The name of the cache in Cache Storage; `"zarr-wasm"` unless given. One a user, where what a
   * server says depends on who asks.
   */
  name?: string;
  /**
   * The most bytes that are kept; 256 MiB unless given. What was not used for longest goes first.
   */
  maxBytes?: number;
  /**
   * How old an answer may be that is not asked for again; a day unless given. Older ones serve
   * while there is no network.
   */
  maxAgeSeconds?: number;
}

/** A cache of several stores, or of one. */
export class PersistentCache {
  /** @internal */
  readonly definition: CacheDefinition;

  constructor({ name, maxBytes, maxAgeSeconds }: PersistentCacheOptions = {}) {
    this.definition = {
      ...(name !== undefined && { name }),
      ...(maxBytes !== undefined && { maxBytes }),
      ...(maxAgeSeconds !== undefined && { maxAgeSeconds }),
    };
  }

  /** How much is kept. */
  usage(): Promise<{ entries: number; bytes: number }> {
    return call("persistentUsage", () => ({ cache: this.definition }));
  }

  /** Forgets everything. */
  async clear(): Promise<void> {
    await call("persistentClear", () => ({ cache: this.definition }));
  }
}

/** The cache that an option means. */
export const persistentCacheOf = (
  option: true | PersistentCacheOptions | PersistentCache,
): PersistentCache =>
  option instanceof PersistentCache ? option : new PersistentCache(option === true ? {} : option);
