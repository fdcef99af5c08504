/**
 * The methods of a user's store that the engine calls: those of `AsyncStore` in `model/types.ts`,
 * and those of a `Map`.
 */

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
