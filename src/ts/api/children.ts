/**
 * The nodes directly below a group; `tree.ts` has all descendants. A node that cannot be opened
 * does not end the listing: it is listed as an `UnreadableNode`, with its error and with what is
 * known of it.
 */
import { type ErrorReport, errorFromReport, ZarrError } from "../model/errors.ts";
import { parseJsonText } from "../model/json.ts";
import { below } from "../model/node_like.ts";
import type { NodeSummary, UnreadableSummary } from "../model/node_summary.ts";
import type { AbsolutePath, Attributes, Readable } from "../model/types.ts";
import { call } from "../port/engine.ts";
import { consolidatedChildren } from "./consolidated_children.ts";
import { Location, type NodeOptions } from "./location.ts";
import { inExtensionsOfStore, openSummary } from "./opening.ts";

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

/** The known data of a node. */
interface Known {
  kind?: "array" | "group" | undefined;
  shape?: number[] | undefined;
  dtype?: string | undefined;
  attrs?: Attributes | undefined;
}

/** `children()` returns it in place of an `Array` or a `Group`, whose `error` is undefined. */
export class UnreadableNode<Store extends Readable = Readable> extends Location<Store> {
  /** The error with which opening the node rejects. */
  readonly error: ZarrError;
  /** The kind of node; `"group"` if its documents do not tell. */
  readonly kind: "array" | "group";
  /** Shape in elements, if it is an array and its metadata has it. */
  readonly shape: number[] | undefined;
  /** Name of the data type in the metadata, which may be unknown; only of arrays. */
  readonly dtype: string | undefined;
  readonly attrs: Attributes;

  constructor(store: Store, path: AbsolutePath, error: ZarrError, known: Known = {}) {
    super(store, path);
    const { kind = "group", shape, dtype, attrs = {} } = known;
    this.error = error;
    this.kind = kind;
    this.shape = shape;
    this.dtype = dtype;
    this.attrs = attrs;
  }
}

/** Makes the node of a summary. `better` is the error that opening it threw, if it was tried. */
function unreadableOf<S extends Readable>(
  store: S,
  { path, error, attributes, shape, ...known }: UnreadableSummary,
  better?: ZarrError,
): UnreadableNode<S> {
  const attrs = attributes === undefined ? undefined : (parseJsonText(attributes) as Attributes);
  return new UnreadableNode(store, path as AbsolutePath, better ?? errorFromReport(error as ErrorReport), {
    ...known,
    shape: shape?.map(Number),
    attrs,
  });
}
