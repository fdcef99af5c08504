/**
 * The attributes of a node, changed in its document; all else there stays as its writer left it.
 */
import { exactJson } from "../model/exact_json.ts";
import type { NodeSummary } from "../model/node_summary.ts";
import type { Attributes } from "../model/types.ts";
import { write } from "../port/engine.ts";
import type { Location } from "./location.ts";

export interface UpdateAttributesOptions {
  /** Only the new ones remain. */
  replace?: boolean;
  signal?: AbortSignal;
}

/** Merges attributes into a node's, or replaces them; its summary as it is then. */
export function updateAttributes(
  { store, path }: Location<unknown>,
  attributes: Attributes,
  { replace = false, signal }: UpdateAttributesOptions,
): Promise<NodeSummary> {
  const text = exactJson(attributes);
  return write("updateAttributes", (objects) => ({ store: objects.store(store), path, text, replace }), {
    signal,
  });
}
