/**
 * The nodes that are open: what is changed through one object, all others of the same node in the
 * same store know at once. Other stores and other tabs are asked by `refresh`.
 */
import type { NodeSummary } from "../model/node_summary.ts";

/** The key under which a node takes over what its documents say by now. */
export const BECOME: unique symbol = Symbol("zarr-wasm.become");

/** An `Array` or a `Group`. */
export interface OpenNode {
  readonly store: unknown;
  readonly path: string;
  readonly kind: NodeSummary["kind"];
  [BECOME](summary: NodeSummary): void;
}

/** By store and path. */
const nodes = new WeakMap<object, Map<string, Set<WeakRef<OpenNode>>>>();

const collected = new FinalizationRegistry<() => void>((forget) => forget());

/** Lets a node hear of changes for as long as it lives. */
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

/** Tells a node, and all that are open beside it, what its documents say by now. */
export function becomeAll(node: OpenNode, summary: NodeSummary): void {
  const open = nodes.get(node.store as object)?.get(node.path) ?? [];
  const others = [...open].map((reference) => reference.deref());
  for (const each of new Set([node, ...others])) {
    if (each?.kind === summary.kind) each[BECOME](summary);
  }
}
