/**
 * A node as the conventions' module is told of it: JSON text of its attributes and of the few facts
 * that conventions speak of. Nodes of zarrita's are taken like ours.
 */
import { exactJson } from "./exact_json.ts";
import type { Attributes } from "./types.ts";

/** What a node must have to be looked at: ours, zarrita's, and what is shaped like them. */
export interface NodeLike {
  readonly attrs: Attributes;
  readonly kind?: "array" | "group";
  readonly path?: string;
  readonly shape?: readonly number[];
  readonly chunks?: readonly number[];
  readonly dimensionNames?: readonly (string | null)[];
  readonly zarrFormat?: number;
}

/** A node below another. */
export interface ChildFact {
  /** Relative to the node. */
  path: string;
  kind: "array" | "group";
}

export const kindOf = (node: NodeLike): "array" | "group" =>
  node.kind ?? (node.shape === undefined ? "group" : "array");

function attributesText(node: NodeLike): { text: string; problem?: string } {
  try {
    return { text: exactJson(node.attrs ?? {}) ?? "{}" };
  } catch (error) {
    return { text: "null", problem: `the attributes are no JSON: ${String(error)}` };
  }
}

/** JSON text of a node's facts, and what kept its attributes from being JSON. */
export function factsOf(node: NodeLike, children?: readonly ChildFact[]): { text: string; problem?: string } {
  const { text, problem } = attributesText(node);
  const kind = kindOf(node);
  const array =
    kind === "array"
      ? { shape: node.shape ?? [], chunks: node.chunks ?? [], dimensionNames: node.dimensionNames }
      : {};
  const rest = exactJson({ kind, children, ...array });
  return { text: `${rest.slice(0, -1)},"attributes":${text}}`, problem };
}

/**
 * The node as a v3 metadata document, which is what the schemas of conventions describe; a copy
 * without prototypes of the caller's.
 */
export function documentOf(node: NodeLike): Record<string, unknown> {
  const { text } = attributesText(node);
  const kind = kindOf(node);
  const array = kind === "array" ? { shape: node.shape, dimension_names: node.dimensionNames } : {};
  const head = exactJson({ zarr_format: 3, node_type: kind, ...array });
  return JSON.parse(`${head.slice(0, -1)},"attributes":${text}}`);
}
