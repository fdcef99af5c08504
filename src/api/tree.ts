/**
 * `Group.tree`: all descendants of a group, within a budget, and their drawing as text. It is lazy
 * code.
 */
import { optionsOf, type Rules, SIGNAL } from "../engine/ts/model/argument.ts";
import { ZarrError } from "../engine/ts/model/errors.ts";
import { nameOf } from "../engine/ts/model/node_like.ts";
import type { AbsolutePath, Readable } from "../engine/ts/model/types.ts";
import type { AnyNode, FirstCode, NodeMaker, UnreadableNode } from "./children.ts";
import { known, listedChildren, ofNode } from "./children_listing.ts";
import type { Location, NodeOptions } from "./location.ts";

/** Options of `Group.tree`. */
export interface TreeOptions extends NodeOptions {
  /** How many groups deep the tree may be. A group below has a `Limit` error. Default: 128. */
  maxDepth?: number | undefined;
  /** The most nodes of the tree. More reject with a `Limit` error. Default: 100 000. */
  maxNodes?: number | undefined;
}

const TREE_RULES: Rules<TreeOptions> = { ...SIGNAL, maxDepth: "a number", maxNodes: "a number" };

const exceeded = (message: string, option: string, most: number) =>
  new ZarrError("Limit", `${message}; the option ${option} allows more`, { expected: `at most ${most}` });

/** A node and its descendants. `Group.tree` resolves to it. */
export interface Tree {
  /** The last name of the path; `/` for the root. */
  name: string;
  /** The path in the store. */
  path: AbsolutePath;
  /** The kind of node, `"array"` or `"group"`. */
  kind: "array" | "group";
  /** Shape in elements; only of arrays. */
  shape?: number[];
  /** The name of the data type; only of arrays. */
  dtype?: string;
  /** Children; empty for arrays. */
  children: Tree[];
  /** The reason why the node cannot be opened or its children cannot be listed. */
  error?: ZarrError;
  /** A drawing of the tree, with a line for each node. */
  toString(): string;
}

/** The text of a node in the drawing. */
function described({ kind, shape, dtype, error }: Tree): string {
  const array = kind === "array" && shape ? ` [${shape.join(", ")}] ${dtype}` : "";
  return error ? `${array} (${error.message})` : array;
}

function drawn(tree: Tree): string[] {
  const { name, children } = tree;
  const below = children.flatMap((child, idx) => {
    const isLast = idx === children.length - 1;
    const [first, others] = isLast ? ["└── ", "    "] : ["├── ", "│   "];
    return drawn(child).map((line, at) => (at === 0 ? first : others) + line);
  });
  return [`${name}${described(tree)}`, ...below];
}

/** A tree with only this node. */
function treeAt({ path, kind }: AnyNode | UnreadableNode<Readable>): Tree {
  return {
    name: nameOf(path) || "/",
    path,
    kind,
    children: [],
    toString() {
      return drawn(this).join("\n");
    },
  };
}

/** A node and all its descendants. */
export async function treeOf(
  node: AnyNode | UnreadableNode<Readable>,
  options: TreeOptions,
  nodeOf: NodeMaker<Readable, AnyNode>,
  first: FirstCode,
): Promise<Tree> {
  // A server may show groups that contain themselves.
  const { maxDepth = 128, maxNodes = 100_000 } = optionsOf(options, TREE_RULES);
  let nodes = 0;
  const treeFrom = async (node: AnyNode | UnreadableNode<Readable>, depth: number): Promise<Tree> => {
    const tree = treeAt(node);
    nodes += 1;
    if (nodes > maxNodes) throw exceeded("the tree has too many nodes", "maxNodes", maxNodes);
    if (node.kind === "array") {
      const { shape, dtype } = node;
      if (shape) tree.shape = shape;
      if (dtype !== undefined) tree.dtype = dtype;
    }
    if (node.error) tree.error = node.error;
    // Consolidated metadata may list the children of a group that cannot be opened.
    if (node.kind === "array" || (node.error && !known(node.store, node.path, first))) return tree;
    if (depth >= maxDepth) throw exceeded("the tree is too deep", "maxDepth", maxDepth);
    for await (const child of listedChildren(node as Location<Readable>, options, nodeOf, first))
      tree.children.push(await branchFrom(child, depth + 1));
    return tree;
  };
  /** As `treeFrom`, for a child. An error does not end the parent's tree. */
  const branchFrom = async (node: AnyNode | UnreadableNode<Readable>, depth: number): Promise<Tree> => {
    try {
      return await treeFrom(node, depth);
    } catch (error) {
      // The whole tree is too large, not only this branch.
      if (nodes > maxNodes) throw error;
      return Object.assign(treeAt(node), { error: ofNode(error, options) });
    }
  };
  return treeFrom(node, 0);
}
