/**
 * What is below a group: as nodes one by one, and as a tree of names. One node that cannot be
 * opened ends neither: it is listed with its error.
 */
import { ZarrError } from "../model/errors.ts";
import type { NodeSummary } from "../model/node_summary.ts";
import type { AbsolutePath, Readable } from "../model/types.ts";
import { call } from "../port/engine.ts";
import { inExtensionsOfStore } from "./array_extensions.ts";
import { consolidatedChildren } from "./consolidated.ts";
import { Location } from "./location.ts";
import type { NodeOptions } from "./nodes.ts";
import { openSummary } from "./summary.ts";
import { UnreadableNode, unreadableOf } from "./unreadable.ts";

/** An `Array` or a `Group`, as far as it is told here. */
interface AnyNode {
  readonly kind: "array" | "group";
  readonly store: Readable;
  readonly path: AbsolutePath;
  readonly shape?: number[];
  readonly dtype?: string;
  readonly error?: undefined;
  resolve(path: string): Location<Readable>;
}

/** Makes a node of what the engine says of it. */
type NodeMaker<S extends Readable, N> = (store: S, summary: NodeSummary) => N;

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
  /** Why the node cannot be opened, or what is below it cannot be listed. */
  error?: ZarrError;
  toString(): string;
}

/**
 * The paths directly below, where the store has the contents of its consolidated metadata at hand.
 */
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

/** An error of one node, which must not hide the others; a caller's abort ends everything. */
function ofNode(error: unknown, { signal }: NodeOptions): ZarrError {
  if (signal?.aborted || !(error instanceof ZarrError) || error.code === "Aborted") throw error;
  return error;
}

/** The node at a path, or what is known of it. */
async function childAt<S extends Readable, N extends AnyNode>(
  place: Location<S>,
  options: NodeOptions,
  nodeOf: NodeMaker<S, N>,
): Promise<N | UnreadableNode<S>> {
  const { store, path } = place;
  const { signal } = options;
  try {
    const node = nodeOf(store, await openSummary(place, { ...(signal && { signal }) }, 0));
    return node.kind === "array" ? ((await inExtensionsOfStore(node as never)) as N) : node;
  } catch (thrown) {
    const error = ofNode(thrown, options);
    const summary = await call("unreadable", (objects) => ({ store: objects.store(store), path }), {
      signal,
    });
    return summary ? unreadableOf(store, summary, error) : new UnreadableNode(store, path, error);
  }
}

/** The nodes directly below a group, by name. */
export async function* childrenOf<S extends Readable, N extends AnyNode>(
  { store, path }: Location<S>,
  options: NodeOptions,
  nodeOf: NodeMaker<S, N>,
): AsyncIterableIterator<N | UnreadableNode<S>> {
  const { signal } = options;
  const paths = known(store, path);
  if (paths) {
    for (const at of paths) yield await childAt(new Location(store, at), options, nodeOf);
    return;
  }
  const summaries = await call("children", (objects) => ({ store: objects.store(store), path }), { signal });
  for (const summary of summaries)
    yield "error" in summary ? unreadableOf(store, summary) : nodeOf(store, summary);
}

/** What a line says of a node. */
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

/** What is told of a node itself. */
function treeAt({ path, kind }: AnyNode | UnreadableNode<Readable>): Tree {
  return {
    name: path.split("/").pop() || "/",
    path,
    kind,
    children: [],
    toString() {
      return drawn(this).join("\n");
    },
  };
}

/** A node with everything below it. */
export async function treeOf(
  node: AnyNode | UnreadableNode<Readable>,
  options: NodeOptions,
  nodeOf: NodeMaker<Readable, AnyNode>,
): Promise<Tree> {
  const tree = treeAt(node);
  if (node.kind === "array") {
    const { shape, dtype } = node;
    if (shape) tree.shape = shape;
    if (dtype !== undefined) tree.dtype = dtype;
  }
  if (node.error) tree.error = node.error;
  // Of a group that cannot be opened, consolidated metadata may tell what is below.
  if (node.kind === "array" || (node.error && !known(node.store, node.path))) return tree;
  for await (const child of childrenOf(node, options, nodeOf))
    tree.children.push(await branchOf(child, options, nodeOf));
  return tree;
}

/** The same of a node below another one, whose own tree it does not end. */
async function branchOf(
  node: AnyNode | UnreadableNode<Readable>,
  options: NodeOptions,
  nodeOf: NodeMaker<Readable, AnyNode>,
): Promise<Tree> {
  try {
    return await treeOf(node, options, nodeOf);
  } catch (error) {
    return Object.assign(treeAt(node), { error: ofNode(error, options) });
  }
}
