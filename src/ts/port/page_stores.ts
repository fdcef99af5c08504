/**
 * What the engine is told of the page's store objects: the stores that it makes of them, and the
 * methods of users' stores, which it calls.
 */
import type { ObjectNumbers, StoreDefinition } from "./definitions.ts";

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

/**
 * `reads` and `lists` get the signal of the call; `reads` also get the caller's options for the
 * store. The page collects what `lists` return.
 */
type Use = "reads" | "lists" | "writes";

export const STORE_METHODS: Record<string, Use> = {
  get: "reads",
  getRange: "reads",
  set: "writes",
  delete: "writes",
  deletePrefix: "writes",
  list: "lists",
  listDir: "lists",
  keys: "lists",
  size: "reads",
};

/** The methods that an object has now. */
export const methodsOf = (store: object): string[] =>
  Object.keys(STORE_METHODS).filter((name) => typeof Reflect.get(store, name) === "function");
