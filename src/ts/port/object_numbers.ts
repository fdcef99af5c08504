/**
 * The interface for the numbers by which one engine knows the page's objects. `objects.ts` assigns
 * them; arguments of calls use them.
 */
import type { ArrayDefinition, CacheDefinition, StoreDefinition } from "./definitions.ts";

// biome-ignore lint/suspicious/noExplicitAny: callbacks differ in type; `perform.ts` knows each one
export type Callback = (...args: any[]) => unknown;

/** The object that identifies an array. It receives warnings about the array's chunks. */
export interface ArrayKey {
  warn(message: string): void;
}

export interface ObjectNumbers {
  /** The engine runs on this thread, so objects can be passed by reference. */
  readonly isLocal: boolean;
  /**
   * The number of a store. A store of this package is sent by its definition, any other object by
   * the methods that it has now. Throws an `Argument` error for what is not an object.
   */
  store(store: unknown): number;
  /** The number of a store of this package. `make` returns the definition and is called once. */
  native(store: object, make: () => StoreDefinition): number;
  /**
   * The number of the array that `key` identifies. `define` makes the definition, given the number
   * of its store.
   */
  array(
    key: ArrayKey,
    store: unknown,
    define: (numbers: ObjectNumbers, store: number) => ArrayDefinition,
  ): number;
  /** The number of a persistent cache. */
  cache(cache: object, definition: CacheDefinition): number;
  /** The number of a callback. It is held weakly, so its owner must keep it. */
  callback(callback: Callback): number;
  /**
   * Registers an object, held strongly, under a number that the engine chose. It is a store that a
   * storage transformer made, or the page itself.
   */
  keepAs(number: number, object: object): void;
}
