/**
 * What happens to nodes when they are opened. They are registered: a change through one object
 * updates all others of the same path and store at once; nodes of other stores and tabs need
 * `refresh`. Arrays are wrapped in the array extensions of their store.
 */
import { needFunction } from "../model/argument.ts";
import type { NodeSummary } from "../model/node_summary.ts";
import type { Readable } from "../model/types.ts";

/** The key of the method that updates a node from a new summary. */
export const BECOME: unique symbol = Symbol("zarr-wasm.become");

/** An `Array` or a `Group`. */
interface OpenNode {
  readonly store: unknown;
  readonly path: string;
  readonly kind: NodeSummary["kind"];
  [BECOME](summary: NodeSummary): void;
}

/** Open nodes by store and path. */
const nodes = new WeakMap<object, Map<string, Set<WeakRef<OpenNode>>>>();

const collected = new FinalizationRegistry<() => void>((forget) => forget());

/** Registers a node for updates. It is held weakly. */
export function rememberOpen(node: OpenNode): void {
  const store = node.store as object;
  const { path } = node;
  const ofStore = nodes.get(store) ?? new Map<string, Set<WeakRef<OpenNode>>>();
  nodes.set(store, ofStore);
  const ofPath = ofStore.get(path) ?? new Set();
  ofStore.set(path, ofPath);
  const reference = new WeakRef(node);
  ofPath.add(reference);
  collected.register(node, () => {
    ofPath.delete(reference);
    if (ofPath.size === 0 && ofStore.get(path) === ofPath) ofStore.delete(path);
  });
}

/** A node and all others of the same path and store. */
export function openNodes(node: OpenNode): Set<OpenNode> {
  const open = nodes.get(node.store as object)?.get(node.path) ?? [];
  const others = [...open].map((reference) => reference.deref());
  return new Set([node, ...others.filter((other) => other !== undefined)]);
}

/** Updates a node and all others of the same path and store. */
export function becomeAll(node: OpenNode, summary: NodeSummary): void {
  for (const each of openNodes(node)) {
    if (each.kind === summary.kind) each[BECOME](summary);
  }
}

type AnyExtension = (value: never) => unknown;

/** Applies extensions to a value, the innermost first. Returns a promise if one of them does. */
export function applied(value: unknown, extensions: readonly AnyExtension[]): unknown {
  for (const extension of extensions) needFunction(extension, "extension");
  return extensions.reduce<unknown>(
    (inner, extension) =>
      inner instanceof Promise
        ? inner.then((settled) => extension(settled as never))
        : extension(inner as never),
    value,
  );
}

/** Applies the array extensions of the array's store. */
export async function inExtensionsOfStore<A extends { readonly store: Readable }>(array: A): Promise<A> {
  const { arrayExtensions = [] } = array.store as Readable & { arrayExtensions?: readonly AnyExtension[] };
  return (await applied(array, arrayExtensions)) as A;
}
