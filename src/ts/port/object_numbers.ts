/**
 * The numbers by which one engine knows the page's objects. `objects.ts` gives them; arguments of
 * calls name them.
 */
import type { ArrayDefinition, CacheDefinition, StoreDefinition } from "./definitions.ts";

// biome-ignore lint/suspicious/noExplicitAny: callbacks have signatures of their own; `perform.ts` calls each as its method says
export type Callback = (...args: any[]) => unknown;

/** What an array goes by: it hears what is odd about its chunks. */
export interface ArrayKey {
  warn(message: string): void;
}

export interface ObjectNumbers {
  /** The engine is on this thread: objects can be passed to it. */
  readonly isLocal: boolean;
  /**
   * The number of a store: of ours by its definition, of any other object by the methods that it
   * has now.
   */
  store(store: unknown): number;
  /**
   * The number of a store of ours; `make` says what it is, when the engine does not know it yet.
   */
  native(store: object, make: () => StoreDefinition): number;
  /**
   * The number of an array that `key` stands for; `define` says what it is, for the store of that
   * number.
   */
  array(
    key: ArrayKey,
    store: unknown,
    define: (numbers: ObjectNumbers, store: number) => ArrayDefinition,
  ): number;
  /** The number of a persistent cache. */
  cache(cache: object, definition: CacheDefinition): number;
  /** The number of a callback. It is held weakly: its owner keeps it. */
  callback(callback: Callback): number;
  /**
   * Gives an object a number that the engine chose: a store that a storage transformer made. It is
   * held strongly.
   */
  keepAs(number: number, object: object): void;
}
