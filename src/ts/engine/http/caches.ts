/**
 * The persistent caches, by the page's numbers. Equal definitions share one cache.
 */
import { ZarrError } from "../../model/errors.ts";
import type { CacheDefinition } from "../../port/definitions.ts";
import { PersistentCache } from "./persistent_cache.ts";

const caches = new Map<number, PersistentCache>();
const shared = new Map<string, PersistentCache>();

/** The cache with this definition. */
export function sharedCache(definition: CacheDefinition): PersistentCache {
  const key = JSON.stringify(definition, Object.keys(definition).sort());
  const cache = shared.get(key) ?? new PersistentCache(definition);
  shared.set(key, cache);
  return cache;
}

export function defineCache(number: number, definition: CacheDefinition): void {
  caches.set(number, sharedCache(definition));
}

export const releaseCache = (number: number): void => void caches.delete(number);

export function cacheOf(number: number): PersistentCache {
  const cache = caches.get(number);
  if (!cache) throw new ZarrError("Argument", `the engine has no persistent cache with the number ${number}`);
  return cache;
}
