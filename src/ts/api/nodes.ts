/**
 * What is done with whole nodes: to find out what is there, to erase, to consolidate.
 */
import type { Readable } from "../model/types.ts";
import { call, write } from "../port/engine.ts";
import { type Location, locationOf } from "./location.ts";

export interface NodeOptions {
  /** Ends the call; it rejects with the signal's reason at once. */
  signal?: AbortSignal;
}

type Place = Location<Readable> | Readable | string | URL;

export type ExistingKind = "array" | "group" | "implicit-group";

/** What is at a place; a group without metadata of its own is only seen in stores that list. */
export async function exists(place: Place, { signal }: NodeOptions = {}): Promise<ExistingKind | null> {
  const { store, path } = locationOf(place);
  const kind = await call("exists", (objects) => ({ store: objects.store(store), path }), { signal });
  return kind ?? null;
}

export interface EraseOptions extends NodeOptions {
  /**
   * Give a draft's group above a document when it would vanish: it was only implied by what is
   * erased.
   */
  reify?: boolean;
}

/** Erases the node at a place and everything below it; whether there was anything. */
export function erase(place: Place, { signal, reify = false }: EraseOptions = {}): Promise<boolean> {
  const { store, path } = locationOf(place);
  return write("erase", (objects) => ({ store: objects.store(store), path, reify }), { signal });
}

/**
 * Brings the documents of all nodes below a group together in one; how many there are. The store
 * must list.
 */
export function consolidate(place: Place, { signal }: NodeOptions = {}): Promise<number> {
  const { store, path } = locationOf(place);
  return write("consolidate", (objects) => ({ store: objects.store(store), path }), { signal });
}
