/**
 * Changes of attributes in a node's metadata document. It is late code.
 */
import { object, optionsOf, SIGNAL } from "../model/argument.ts";
import { exactJson } from "../model/json.ts";
import type { NodeSummary } from "../model/node_summary.ts";
import type { Attributes } from "../model/types.ts";
import { write } from "../port/engine.ts";
import type { Location } from "./location.ts";

export interface UpdateAttributesOptions {
  /** Whether to drop the existing attributes. Default: false. */
  replace?: boolean | undefined;
  signal?: AbortSignal | undefined;
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
  const { replace, signal } = optionsOf(options, { ...SIGNAL, replace: "a boolean" });
  const text = exactJson(object(attributes, "attributes"), "attributes");
  return write(
    "updateAttributes",
    (objects) => ({ store: objects.store(store), path, text, replace: !!replace }),
    {
      signal,
    },
  );
}
