/**
 * What is below a group: as nodes one by one, and as a tree of names.
 */
import type { NodeSummary } from "../model/node_summary.ts";
import type { AbsolutePath, DataType, Readable } from "../model/types.ts";
import { call } from "../port/engine.ts";
import type { Array as ZarrArray } from "./array.ts";
import { inExtensionsOfStore } from "./array_extensions.ts";
import { consolidatedChildren } from "./consolidated.ts";
import type { Group } from "./group.ts";
import { Location } from "./location.ts";
import type { NodeOptions } from "./nodes.ts";
import { openSummary } from "./summary.ts";

type Node<S extends Readable> = ZarrArray<DataType, S> | Group<S>;

/** Makes a node of what the engine says of it. */
type NodeMaker<S extends Readable> = (store: S, summary: NodeSummary) => Node<S>;

/** A node and what is below it; its text is a drawing of lines. */
export interface Tree {
  name: string;
  path: AbsolutePath;
  kind: "array" | "group";
  /** Of an array. */
  shape?: number[];
  dtype?: string;
  /** Of a group. */
  children: Tree[];
  toString(): string;
}

/** The paths directly below, where the store has the contents of its consolidated metadata at hand. */
function known(store: object, path: string): readonly AbsolutePath[] | undefined {
  const ours = consolidatedChildren(store, path);
  if (ours) return ours;
  const { contents } = store as { contents?: () => { path: AbsolutePath }[] };
  if (typeof contents !== "function") return undefined;
  const start = path === "/" ? "/" : `${path}/`;
  const isChild = (at: string) => at.startsWith(start) && at !== "/" && !at.slice(start.length).includes("/");
  const paths = contents.call(store).map((node) => node.path);
  return paths.filter(isChild).sort();
}

/** Opens a node by its path. */
async function opened<S extends Readable>(
  store: S,
  at: AbsolutePath,
  { signal }: NodeOptions,
  nodeOf: NodeMaker<S>,
): Promise<Node<S>> {
  const node = nodeOf(store, await openSummary(new Location(store, at), { ...(signal && { signal }) }, 0));
  return node.kind === "array" ? inExtensionsOfStore(node) : node;
}

/** The nodes directly below a group, by name. */
export async function* childrenOf<S extends Readable>(
  { store, path }: Location<S>,
  options: NodeOptions,
  nodeOf: NodeMaker<S>,
): AsyncIterableIterator<Node<S>> {
  const paths = known(store, path);
  if (paths) {
    for (const at of paths) yield await opened(store, at, options, nodeOf);
    return;
  }
  const summaries = await call("children", (objects) => ({ store: objects.store(store), path }), {
    signal: options.signal,
  });
  for (const summary of summaries) yield nodeOf(store, summary);
}

function drawn({ name, kind, shape, dtype, children }: Tree): string[] {
  const what = kind === "array" ? ` [${shape?.join(", ")}] ${dtype}` : "";
  const below = children.flatMap((child, idx) => {
    const isLast = idx === children.length - 1;
    const lines = drawn(child);
    return lines.map((line, at) => (at === 0 ? (isLast ? "└── " : "├── ") : isLast ? "    " : "│   ") + line);
  });
  return [`${name}${what}`, ...below];
}

/** A node with everything below it. */
export async function treeOf(
  node: Node<Readable>,
  options: NodeOptions,
  nodeOf: NodeMaker<Readable>,
): Promise<Tree> {
  const tree: Tree = {
    name: node.path.split("/").pop() || "/",
    path: node.path,
    kind: node.kind,
    children: [],
    toString() {
      return drawn(this).join("\n");
    },
  };
  if (node.kind === "array") return Object.assign(tree, { shape: node.shape, dtype: node.dtype });
  for await (const child of childrenOf(node, options, nodeOf))
    tree.children.push(await treeOf(child, options, nodeOf));
  return tree;
}
