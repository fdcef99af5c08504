/**
 * What `children()` lists: nodes, and an `UnreadableNode` instead of one that cannot be opened,
 * with its error and with what is known of it. `children_listing.ts` lists them; it is lazy code.
 */
import { lazy } from "#lazy";
import type { NodeSummary } from "../contract/contract.ts";
import type { ZarrError } from "../engine/ts/model/errors.ts";
import type { AbsolutePath, Attributes, Readable } from "../engine/ts/model/types.ts";
import { consolidatedChildren } from "./consolidated_children.ts";
import { Location, type NodeOptions } from "./location.ts";

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

/** The known data of a node. */
interface Known {
  kind?: "array" | "group" | undefined;
  shape?: number[] | undefined;
  dtype?: string | undefined;
  attrs?: Attributes | undefined;
}

/**
 * A node that cannot be opened. `Group.children` lists it in place of an `Array` or a `Group`,
 * whose `error` is undefined.
 */
export class UnreadableNode<Store extends Readable = Readable> extends Location<Store> {
  /** The error with which opening the node rejects. */
  readonly error: ZarrError;
  /** The kind of node, `"array"` or `"group"`; `"group"` if its documents do not tell. */
  readonly kind: "array" | "group";
  /** Shape in elements, if it is an array and its metadata has it. */
  readonly shape: number[] | undefined;
  /** Name of the data type in the metadata, which may be unknown; only of arrays. */
  readonly dtype: string | undefined;
  /** The attributes, if the metadata has them; else an empty object. */
  readonly attrs: Attributes;

  /** @internal */
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

/** What the lazy code gets of the first script: a class, and what looks into a table. */
export const FIRST_CODE = { UnreadableNode, consolidatedChildren };
export type FirstCode = typeof FIRST_CODE;

/** The nodes directly below a group, sorted by name. */
export async function* childrenOf<S extends Readable, N extends AnyNode>(
  location: Location<S>,
  options: NodeOptions,
  nodeOf: NodeMaker<S, N>,
): AsyncIterableIterator<N | UnreadableNode<S>> {
  const { listedChildren } = await lazy();
  yield* listedChildren(location, options, nodeOf, FIRST_CODE);
}
