/**
 * Calls on whole nodes: `exists`, `erase`, `consolidate`, and changes of attributes.
 */
import { object, optionsOf } from "../model/argument.ts";
import { exactJson } from "../model/json.ts";
import type { NodeSummary } from "../model/node_summary.ts";
import type { Attributes, Readable } from "../model/types.ts";
import { call, write } from "../port/engine.ts";
import { type Location, locationOf } from "./location.ts";

export interface NodeOptions {
  /** Aborts the call, which rejects at once with the signal's reason. */
  signal?: AbortSignal;
}

type Place = Location<Readable> | Readable | string | URL;

export type ExistingKind = "array" | "group" | "implicit-group";

/**
 * The kind of node at a place, if there is one. A group without metadata is only found in stores
 * that can list.
 */
export async function exists(place: Place, options: NodeOptions = {}): Promise<ExistingKind | null> {
  const { signal } = optionsOf(options);
  const { store, path } = locationOf(place);
  const kind = await call("exists", (objects) => ({ store: objects.store(store), path }), { signal });
  return kind ?? null;
}

export interface EraseOptions extends NodeOptions {
  /**
   * Whether to create metadata for a draft's parent group that would otherwise disappear, because
   * it was only implied by the erased node. Default: false.
   */
  reify?: boolean;
}

/** Erases a node and all its descendants. Resolves to whether there was anything. */
export async function erase(place: Place, options: EraseOptions = {}): Promise<boolean> {
  const { signal, reify } = optionsOf(options);
  const { store, path } = locationOf(place);
  return write("erase", (objects) => ({ store: objects.store(store), path, reify: !!reify }), { signal });
}

/**
 * Writes the consolidated metadata of a group. Resolves to the number of nodes in it. The store
 * must be able to list.
 */
export async function consolidate(place: Place, options: NodeOptions = {}): Promise<number> {
  const { signal } = optionsOf(options);
  const { store, path } = locationOf(place);
  return write("consolidate", (objects) => ({ store: objects.store(store), path }), { signal });
}

export interface UpdateAttributesOptions {
  /** Whether to drop the existing attributes. Default: false. */
  replace?: boolean;
  signal?: AbortSignal;
}

/**
 * Merges or replaces the attributes in a node's metadata document, and keeps the rest of it.
 * Returns the node's new summary.
 */
export async function updateAttributes(
  { store, path }: Location<unknown>,
  attributes: Attributes,
  options: UpdateAttributesOptions,
): Promise<NodeSummary> {
  const { replace, signal } = optionsOf(options);
  const text = exactJson(object(attributes, "attributes"), "attributes");
  return write(
    "updateAttributes",
    (objects) => ({ store: objects.store(store), path, text, replace: !!replace }),
    {
      signal,
    },
  );
}
