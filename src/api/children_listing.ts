/**
 * Lists the nodes directly below a group; `tree.ts` has all descendants. A node that cannot be
 * opened does not end the listing: it is an `UnreadableNode`. It is lazy code, which imports no
 * class of nodes: that would close a circle.
 */

import type { UnreadableSummary } from "../contract/contract.ts";
import { errorFromRecord, ZarrError } from "../engine/ts/model/errors.ts";
import { parseJsonText } from "../engine/ts/model/json.ts";
import { below } from "../engine/ts/model/node_like.ts";
import type { AbsolutePath, Attributes, Readable } from "../engine/ts/model/types.ts";
import { call } from "../engine/ts/port/engine.ts";
import type { AnyNode, FirstCode, NodeMaker, UnreadableNode } from "./children.ts";
import type { Location, NodeOptions } from "./location.ts";
import { inExtensionsOfStore, openSummary } from "./opened_nodes.ts";

/** Where nodes are. */
type StoreAndPath<S> = Pick<Location<S>, "store" | "path">;

/** The paths directly below a group, if its store has consolidated metadata. */
export function known(
  store: object,
  path: string,
  { consolidatedChildren }: FirstCode,
): readonly AbsolutePath[] | undefined {
  const ours = consolidatedChildren(store, path);
  if (ours) return ours;
  const { contents } = store as { contents?: () => { path: AbsolutePath }[] };
  if (typeof contents !== "function") return undefined;
  const start = below(path, "");
  const isChild = (at: string) => at.startsWith(start) && at !== "/" && !at.slice(start.length).includes("/");
  const paths = contents.call(store).map((node) => node.path);
  return paths.filter(isChild).sort();
}

/**
 * Converts the error of one node, so that the listing continues. Rethrows the reason of an abort.
 */
export function ofNode(error: unknown, { signal }: NodeOptions): ZarrError {
  if (signal?.aborted || !(error instanceof ZarrError) || error.code === "Aborted") throw error;
  return error;
}

/** The node at a path, or an `UnreadableNode`. */
async function childAt<S extends Readable, N extends AnyNode>(
  location: StoreAndPath<S>,
  options: NodeOptions,
  nodeOf: NodeMaker<S, N>,
  first: FirstCode,
): Promise<N | UnreadableNode<S>> {
  const { store, path } = location;
  const { signal } = options;
  try {
    const node = nodeOf(store, await openSummary(location, { signal }, 0));
    return node.kind === "array" ? ((await inExtensionsOfStore(node as never)) as N) : node;
  } catch (thrown) {
    const error = ofNode(thrown, options);
    const summary = await call("unreadable", (objects) => ({ store: objects.store(store), path }), {
      signal,
    });
    return summary
      ? unreadableOf(first, store, summary, error)
      : new first.UnreadableNode(store, path, error);
  }
}

/** The nodes directly below a group, sorted by name. */
export async function* listedChildren<S extends Readable, N extends AnyNode>(
  { store, path }: StoreAndPath<S>,
  options: NodeOptions,
  nodeOf: NodeMaker<S, N>,
  first: FirstCode,
): AsyncIterableIterator<N | UnreadableNode<S>> {
  const { signal } = options;
  const paths = known(store, path, first);
  if (paths) {
    for (const at of paths) yield await childAt({ store, path: at }, options, nodeOf, first);
    return;
  }
  const summaries = await call("children", (objects) => ({ store: objects.store(store), path }), { signal });
  for (const { node, unreadable } of summaries)
    yield node ? nodeOf(store, node) : unreadableOf(first, store, unreadable as UnreadableSummary);
}

/** Makes the node of a summary. `better` is the error that opening it threw, if it was tried. */
function unreadableOf<S extends Readable>(
  first: FirstCode,
  store: S,
  { path, error, attributes, shape, ...known }: UnreadableSummary,
  better?: ZarrError,
): UnreadableNode<S> {
  const attrs = attributes === undefined ? undefined : (parseJsonText(attributes) as Attributes);
  return new first.UnreadableNode(store, path as AbsolutePath, better ?? errorFromRecord(error), {
    ...(known as { kind?: "array" | "group" }),
    shape: shape?.map(Number),
    attrs,
  });
}
