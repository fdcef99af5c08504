/**
 * The attributes of a node, changed in its document; all else there stays as its writer left it.
 */
import { runFull } from "../engine/instances.ts";
import type { Location } from "./location.ts";
import { exactJson, type NodeSummary } from "./node_facts.ts";
import { storeId } from "../store/native_store.ts";
import type { Attributes } from "../model/types.ts";

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
  return runFull(
    signal,
    (glue, settle) => glue.updateAttributes(storeId(glue, store), path, text, replace, signal, settle),
    "finish",
  );
}
