/**
 * Which stores the engine has of its own, and what it is told of them; and which methods a user's
 * store has.
 */
import type { StoreDefinition } from "./definitions.ts";
import type { ObjectNumbers } from "./object_numbers.ts";

/**
 * What the engine is told of a store: how to make the definition, or the number of another store
 * that it equals; undefined when the object is no longer what it was made as.
 */
export type Definer = (numbers: ObjectNumbers) => (() => StoreDefinition) | number | undefined;

const definers = new WeakMap<object, Definer>();

/** Says that the engine has a store of its own for this object. */
export function setDefiner(store: object, definer: Definer): void {
  definers.set(store, definer);
}

export const definerOf = (store: object): Definer | undefined => definers.get(store);

/**
 * The methods of a user's store that the engine can use: the type `AsyncStore` of `model/types.ts`,
 * and a `Map`'s.
 */
const METHODS = [
  "get",
  "getRange",
  "set",
  "delete",
  "deletePrefix",
  "list",
  "listDir",
  "keys",
  "size",
] as const;

/** Those that an object has at this moment. */
export const methodsOf = (store: object): string[] =>
  METHODS.filter((name) => typeof Reflect.get(store, name) === "function");
