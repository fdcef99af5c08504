/**
 * Changes of attributes in a node's metadata document. It is lazy code.
 */

import type { NodeSummary } from "../contract/contract.ts";
import { object, optionsOf, SIGNAL } from "../engine/ts/model/argument.ts";
import { exactJson } from "../engine/ts/model/json.ts";
import type { Attributes } from "../engine/ts/model/types.ts";
import { write } from "../engine/ts/port/engine.ts";
import type { Location } from "./location.ts";

/** Options of `Array.updateAttributes` and `Group.updateAttributes`. */
export interface UpdateAttributesOptions {
  /** Whether to drop the existing attributes. Default: false. */
  replace?: boolean | undefined;
  /** Aborts the call, which rejects at once with the signal's reason. */
  signal?: AbortSignal | undefined;
}

/** Writes a change that was prepared. Resolves to the node's new summary. */
export type NodeChange = () => Promise<NodeSummary>;

/**
 * Prepares to merge or replace the attributes in a node's metadata document, whose rest is kept.
 * What it throws is of the arguments: nothing has been written.
 */
export function attributesChange(
  { store, path }: Location<unknown>,
  attributes: Attributes,
  options: UpdateAttributesOptions,
): NodeChange {
  const { replace, signal } = optionsOf(options, { ...SIGNAL, replace: "a boolean" });
  const text = exactJson(object(attributes, "attributes"), "attributes");
  return () =>
    write(
      "updateAttributes",
      (objects) => ({ store: objects.store(store), path, text, replace: !!replace }),
      { signal },
    );
}
