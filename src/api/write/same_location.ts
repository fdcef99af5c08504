/**
 * Whether a location in a store is one that another store reaches, too: two stores may be over one
 * folder, or over a folder and one in it. What replaces a node must not have that node as its
 * source.
 */
import { refuse } from "../../engine/ts/model/argument.ts";
import { below } from "../../engine/ts/model/node_like.ts";
import type { AsyncStore } from "../../engine/ts/model/types.ts";

/** A node in a store. */
export interface NodeLocation {
  readonly store: unknown;
  readonly path: string;
}

const DOCUMENT = "/zarr.json";

/** The name of a location, the same in all stores that reach it; undefined if it has none. */
async function nameOfLocation({ store, path }: NodeLocation): Promise<string | undefined> {
  const { lockName } = store as AsyncStore;
  const key = below(path, DOCUMENT.slice(1));
  const name = await (store as AsyncStore).lockFor?.(key);
  const own = name ?? (typeof lockName === "string" ? `${lockName.replace(/\/$/, "")}${key}` : undefined);
  return own?.slice(0, -DOCUMENT.length);
}

const slashed = (name: string) => (name.endsWith("/") ? name : `${name}/`);

const isWithin = (inner: string, outer: string) => slashed(inner).startsWith(slashed(outer));

/** Whether one location is the other, or below it. */
export async function isIn(inner: NodeLocation, outer: NodeLocation): Promise<boolean> {
  if (inner.store === outer.store) return isWithin(inner.path, outer.path);
  const [one, other] = await Promise.all([nameOfLocation(inner), nameOfLocation(outer)]);
  return one !== undefined && other !== undefined && isWithin(one, other);
}

/** Throws an `Argument` error if a new node would replace its own source. */
export async function needApart(source: NodeLocation, target: NodeLocation): Promise<void> {
  if (await isIn(source, target))
    refuse("the new node would replace its own source", "a place in which the source is not", target.path);
}
