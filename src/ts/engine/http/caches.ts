/** Persistent caches by the page's numbers. Caches of one name and the same bounds are one. */
import { ZarrError } from "../../model/errors.ts";
import type { CacheDefinition } from "../../port/definitions.ts";
import { PersistentCache } from "./persistent_cache.ts";

const caches = new Map<number, PersistentCache>();
const shared = new Map<string, PersistentCache>();

/** The cache of these options. */
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
  if (!cache) throw new ZarrError("Argument", `the engine does not know cache ${number}`);
  return cache;
}
