/**
 * Nodes as conventions know them: absolute paths, without a slash at their end but that of the
 * root, "/"; and the description of a node for the conventions module, as JSON text of its
 * attributes and of the few facts that conventions use. Nodes of zarrita are accepted too.
 */
import type { ChildFact, MemberKind, NodeFacts } from "../../../contract/contract.ts";
import { need, needReadable } from "./argument.ts";
import { exactJson } from "./json.ts";
import type { AbsolutePath, Attributes } from "./types.ts";

/** The members that a node must have: those of this package, of zarrita, and of similar objects. */
export interface NodeLike {
  /** The attributes. */
  readonly attrs: Attributes;
  /** The kind of node, `"array"` or `"group"`. A node with a shape is an array. */
  readonly kind?: MemberKind | undefined;
  /** The path in the store. */
  readonly path?: string | undefined;
  /** The number of elements along each dimension; only of arrays. */
  readonly shape?: readonly number[] | undefined;
  /** The shape of a chunk in elements; only of arrays. */
  readonly chunks?: readonly number[] | undefined;
  /** The data type; only of arrays. */
  readonly dtype?: unknown;
  /** The names of the dimensions; only of arrays. */
  readonly dimensionNames?: readonly (string | null)[] | undefined;
  /** The Zarr format, 2 or 3. */
  readonly zarrFormat?: number | undefined;
}

/** Throws an `Argument` error unless an argument has attributes. */
export function needNode(node: unknown): void {
  needReadable(node, "node");
  need("attrs" in Object(node), "node", "an array or a group");
}

export const kindOf = (node: NodeLike): MemberKind =>
  node.kind ?? (node.shape === undefined ? "group" : "array");

function attributesText(node: NodeLike): { text: string; problem?: string } {
  try {
    // The conventions module reads integers as doubles.
    return { text: exactJson(node.attrs ?? {}, "attrs", "infinite") };
  } catch (error) {
    return { text: "null", problem: `the attributes are not JSON: ${String(error)}` };
  }
}

/**
 * JSON text of a node's facts, and the reason why its attributes could not be converted to JSON.
 */
export function factsOf(node: NodeLike, children?: readonly ChildFact[]): { text: string; problem?: string } {
  const { text, problem } = attributesText(node);
  const kind = kindOf(node);
  const array =
    kind === "array"
      ? {
          shape: node.shape,
          dataType: typeof node.dtype === "string" ? node.dtype : undefined,
          dimensionNames: node.dimensionNames,
        }
      : {};
  const rest = exactJson({ kind, children, ...array } satisfies Omit<NodeFacts, "attributes">, "node");
  return { text: `${rest.slice(0, -1)},"attributes":${text}}`, problem };
}

/**
 * The node as a v3 metadata document, which the JSON schemas of conventions describe. It is a copy
 * without the caller's prototypes.
 */
export function documentOf(node: NodeLike): Record<string, unknown> {
  const { text } = attributesText(node);
  const kind = kindOf(node);
  const array = kind === "array" ? { shape: node.shape, dimension_names: node.dimensionNames } : {};
  const head = exactJson({ zarr_format: 3, node_type: kind, ...array }, "node");
  return JSON.parse(`${head.slice(0, -1)},"attributes":${text}}`);
}

/** The path of the group that holds a node. */
export const parentOf = (path: string): AbsolutePath =>
  (path.slice(0, path.lastIndexOf("/")) || "/") as AbsolutePath;

/** The last name of a path; "" for the root. */
export const nameOf = (path: string): string => path.slice(path.lastIndexOf("/") + 1);

/** The path of a node below a group. */
export const below = (path: string, name: string): AbsolutePath =>
  `${path === "/" ? "" : path}/${name}` as AbsolutePath;
