/**
 * Icechunk repositories at locations that `open` is given. A URL may say that there is one.
 * Elsewhere one is looked for after a node's metadata is absent: in what `open` made a store of,
 * and in stores of this package that hold files. Stores of users are asked for nothing more.
 */
import { need } from "../engine/ts/model/argument.ts";
import type { ZarrError } from "../engine/ts/model/errors.ts";
import {
  accessOf,
  type IcechunkAccess,
  IcechunkStore,
  mayHoldRepository,
  versionOf,
} from "./store/icechunk.ts";

/** The keys of what is read first of a repository. */
const BEGINNING = /^\/?(repo$|refs\/)/;

/** Stores that hold no repository: none was found, or a node of Zarr was. */
const plain = new WeakSet<object>();

/** Remembers that a store has a node of Zarr: nothing else is looked for in it. */
export const rememberPlain = (store: unknown): void => void plain.add(store as object);

/**
 * The store to open a node in: the repository in a store if the caller names one of its states,
 * else the store itself.
 */
export function namedState(given: unknown, store: unknown, options: IcechunkAccess): unknown {
  if (!versionOf(options) || (store instanceof IcechunkStore && store !== given)) return store;
  need(!(store instanceof IcechunkStore), "place", "a URL or files");
  return new IcechunkStore(store as never, accessOf(options));
}

/** The repository in a store, if there is one. */
export async function repositoryIn(
  store: unknown,
  options: IcechunkAccess & { cache?: "reload" | undefined },
): Promise<IcechunkStore | undefined> {
  if (!mayHoldRepository(store) || (plain.has(store) && options.cache !== "reload")) return undefined;
  const repository = new IcechunkStore(store, accessOf(options));
  try {
    // Looking up any key finds the snapshot.
    await repository.has("/zarr.json");
    return repository;
  } catch (error) {
    const { code, key } = error as ZarrError;
    // A server that refuses to tell has told that there is no node.
    const isUntold = code === "Store" && BEGINNING.test(key ?? "");
    if (code !== "NotFound" && !isUntold) throw error;
    plain.add(store);
    return undefined;
  }
}
