/**
 * Whether a place in a store is one that another store reaches, too: two stores may be over one
 * folder, or over a folder and one in it. What replaces a node must not have that node as its
 * source.
 */
import { refuse } from "../../engine/ts/model/argument.ts";
import { below } from "../../engine/ts/model/node_like.ts";
import type { AsyncStore } from "../../engine/ts/model/types.ts";

/** A place in a store. */
export interface Place {
  readonly store: unknown;
  readonly path: string;
}

const DOCUMENT = "/zarr.json";

/** The name of a place, the same in all stores that reach it; undefined if it has none. */
async function nameOfPlace({ store, path }: Place): Promise<string | undefined> {
  const { lockName } = store as AsyncStore;
  const key = below(path, DOCUMENT.slice(1));
  const name = await (store as AsyncStore).lockFor?.(key);
  const own = name ?? (typeof lockName === "string" ? `${lockName.replace(/\/$/, "")}${key}` : undefined);
  return own?.slice(0, -DOCUMENT.length);
}

const slashed = (place: string) => (place.endsWith("/") ? place : `${place}/`);

const isWithin = (inner: string, outer: string) => slashed(inner).startsWith(slashed(outer));

/** Whether one place is the other, or below it. */
export async function isIn(inner: Place, outer: Place): Promise<boolean> {
  if (inner.store === outer.store) return isWithin(inner.path, outer.path);
  const [one, other] = await Promise.all([nameOfPlace(inner), nameOfPlace(outer)]);
  return one !== undefined && other !== undefined && isWithin(one, other);
}

/** Throws an `Argument` error if a new node would replace its own source. */
export async function needApart(source: Place, target: Place): Promise<void> {
  if (await isIn(source, target))
    refuse("the new node would replace its own source", "a place in which the source is not", target.path);
}
