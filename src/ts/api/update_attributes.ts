/**
 * Changes the attributes in a node's metadata document. The rest of the document is kept.
 */
import { object, optionsOf } from "../model/argument.ts";
import { exactJson } from "../model/exact_json.ts";
import type { NodeSummary } from "../model/node_summary.ts";
import type { Attributes } from "../model/types.ts";
import { write } from "../port/engine.ts";
import type { Location } from "./location.ts";

export interface UpdateAttributesOptions {
  /** Whether to drop the existing attributes. Default: false. */
  replace?: boolean;
  signal?: AbortSignal;
}

/** Merges or replaces a node's attributes, and returns its new summary. */
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
