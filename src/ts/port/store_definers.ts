/**
 * Maps the page's store objects to the stores that the engine makes of them.
 */
import type { StoreDefinition } from "./definitions.ts";
import type { ObjectNumbers } from "./object_numbers.ts";

/**
 * Stores of which a write failed. The engine that wrote knows what to drop from caches. If it was
 * lost, the next one knows nothing, so its requests for such a store pass all caches.
 */
export const doubtfulStores = new WeakSet<object>();

/**
 * Returns a function that makes the store's definition, or the number of another store that is
 * equivalent. Returns undefined if the object has been changed and must be treated as a user's.
 */
type Definer = (numbers: ObjectNumbers) => (() => StoreDefinition) | number | undefined;

const definers = new WeakMap<object, Definer>();

/** Registers how the engine makes its own store for this object. */
export function setDefiner(store: object, definer: Definer): void {
  definers.set(store, definer);
}

export const definerOf = (store: object): Definer | undefined => definers.get(store);
