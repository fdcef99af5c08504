/**
 * The tree below a group: a node and its descendants, within a budget.
 */
import { ZarrError } from "../model/errors.ts";
import { nameOf } from "../model/path.ts";
import type { AbsolutePath, Readable } from "../model/types.ts";
import { type AnyNode, childrenOf, known, type NodeMaker, ofNode } from "./children.ts";
import type { NodeOptions } from "./nodes.ts";
import type { UnreadableNode } from "./unreadable.ts";

export interface TreeOptions extends NodeOptions {
  /** How deep the tree may be. A group below has a `Limit` error. Default: 128. */
  maxDepth?: number;
  /** The most nodes of the tree. More reject with a `Limit` error. Default: 100 000. */
  maxNodes?: number;
}

/** What a tree may still take. A server may show groups that contain themselves. */
class TreeBudget {
  readonly #maxDepth: number;
  readonly #maxNodes: number;
  #nodes = 0;

  constructor({ maxDepth = 128, maxNodes = 100_000 }: TreeOptions) {
    this.#maxDepth = maxDepth;
    this.#maxNodes = maxNodes;
  }

  /** Whether the whole tree is too large, not only one branch. */
  get isSpent(): boolean {
    return this.#nodes > this.#maxNodes;
  }

  /** Counts a node. Throws a `Limit` error if there are too many. */
  take(): void {
    this.#nodes += 1;
    if (this.isSpent) throw exceeded("the tree has too many nodes", "maxNodes", this.#maxNodes);
  }

  /** Throws a `Limit` error if the children of a group are too deep. */
  enter(depth: number): void {
    if (depth > this.#maxDepth) throw exceeded("the tree is too deep", "maxDepth", this.#maxDepth);
  }
}

const exceeded = (message: string, option: string, most: number) =>
  new ZarrError("Limit", `${message}; the option ${option} allows more`, { expected: `at most ${most}` });

/** A node and its descendants. `toString()` draws the tree. */
export interface Tree {
  name: string;
  path: AbsolutePath;
  kind: "array" | "group";
  /** Shape in elements; only of arrays. */
  shape?: number[];
  dtype?: string;
  /** Children; empty for arrays. */
  children: Tree[];
  /** The reason why the node cannot be opened or its children cannot be listed. */
  error?: ZarrError;
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
    const lines = drawn(child);
    return lines.map((line, at) => (at === 0 ? (isLast ? "└── " : "├── ") : isLast ? "    " : "│   ") + line);
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
export function treeOf(
  node: AnyNode | UnreadableNode<Readable>,
  options: TreeOptions,
  nodeOf: NodeMaker<Readable, AnyNode>,
): Promise<Tree> {
  const budget = new TreeBudget(options);
  const treeFrom = async (node: AnyNode | UnreadableNode<Readable>, depth: number): Promise<Tree> => {
    const tree = treeAt(node);
    budget.take();
    if (node.kind === "array") {
      const { shape, dtype } = node;
      if (shape) tree.shape = shape;
      if (dtype !== undefined) tree.dtype = dtype;
    }
    if (node.error) tree.error = node.error;
    // Consolidated metadata may list the children of a group that cannot be opened.
    if (node.kind === "array" || (node.error && !known(node.store, node.path))) return tree;
    budget.enter(depth + 1);
    for await (const child of childrenOf(node, options, nodeOf))
      tree.children.push(await branchFrom(child, depth + 1));
    return tree;
  };
  /** As `treeFrom`, for a child. An error does not end the parent's tree. */
  const branchFrom = async (node: AnyNode | UnreadableNode<Readable>, depth: number): Promise<Tree> => {
    try {
      return await treeFrom(node, depth);
    } catch (error) {
      if (budget.isSpent) throw error;
      return Object.assign(treeAt(node), { error: ofNode(error, options) });
    }
  };
  return treeFrom(node, 0);
}
