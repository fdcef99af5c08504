/**
 * Lists the nodes directly below a group. A node that cannot be opened does not end the listing: it
 * is listed with its error.
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

/** The used part of an `Array` or a `Group`. */
export interface AnyNode {
  readonly kind: "array" | "group";
  readonly store: Readable;
  readonly path: AbsolutePath;
  readonly shape?: number[];
  readonly dtype?: string;
  readonly error?: undefined;
  resolve(path: string): Location<Readable>;
}

/** Makes a node from its summary. */
export type NodeMaker<S extends Readable, N> = (store: S, summary: NodeSummary) => N;

/** The paths directly below a group, if its store has consolidated metadata. */
export function known(store: object, path: string): readonly AbsolutePath[] | undefined {
  const ours = consolidatedChildren(store, path);
  if (ours) return ours;
  const { contents } = store as { contents?: () => { path: AbsolutePath }[] };
  if (typeof contents !== "function") return undefined;
  const start = path === "/" ? "/" : `${path}/`;
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
  place: Location<S>,
  options: NodeOptions,
  nodeOf: NodeMaker<S, N>,
): Promise<N | UnreadableNode<S>> {
  const { store, path } = place;
  const { signal } = options;
  try {
    const node = nodeOf(store, await openSummary(place, { signal }, 0));
    return node.kind === "array" ? ((await inExtensionsOfStore(node as never)) as N) : node;
  } catch (thrown) {
    const error = ofNode(thrown, options);
    const summary = await call("unreadable", (objects) => ({ store: objects.store(store), path }), {
      signal,
    });
    return summary ? unreadableOf(store, summary, error) : new UnreadableNode(store, path, error);
  }
}

/** The nodes directly below a group, sorted by name. */
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
