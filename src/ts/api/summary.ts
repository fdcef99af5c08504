/**
 * Requests node summaries from the engine: opens nodes and reads their documents again.
 */

import type { NodeSummary } from "../model/node_summary.ts";
import { call, running } from "../port/engine.ts";
import { EARLY, type EarlyNode, type EarlyStart } from "../store/early.ts";
import { describeWithCodecs } from "./arrays.ts";
import type { Location } from "./location.ts";
import type { AttributeOptions } from "./node_facts.ts";

export interface OpenOptions extends AttributeOptions {
  /** The expected kind of node. The other kind rejects with a `NotFoundError`. */
  kind?: "array" | "group";
  /** Path below the given place, taken literally. */
  path?: string;
  /** Aborts the call, which rejects at once with the signal's reason. */
  signal?: AbortSignal;
  /** `"reload"` bypasses all caches. */
  cache?: "reload";
  /**
   * What to do if a draft's data type is unknown and its metadata offers another one: `"warn"`
   * reads that and warns, `"allow"` reads it, `"refuse"` rejects. Default: `"warn"`.
   */
  dataTypeFallback?: "warn" | "allow" | "refuse";
  /**
   * `false` omits the request for v2's `.zattrs`. The node then has no attributes and no dimension
   * names. Default: true.
   */
  attrs?: boolean;
}

/**
 * Stores with v3 nodes. There, `zarr.json` is requested first, and v2's documents only if it does
 * not exist.
 */
const v3Stores = new WeakSet<object>();

/** Sends a node's requests from the page while the engine starts. */
function askEarly(store: unknown, node: EarlyNode): EarlyStart | undefined {
  const early = store as { [EARLY]?(node: EarlyNode): EarlyStart | undefined };
  return typeof early?.[EARLY] === "function" ? early[EARLY](node) : undefined;
}

/** Opens a node in the engine and returns its summary. */
export async function openSummary(
  { store, path }: Location<unknown>,
  options: OpenOptions,
  format: 0 | 2 | 3,
): Promise<NodeSummary> {
  const { kind = "", dataTypeFallback = "warn", attrs = true, signal, cache } = options;
  const below = options.path === undefined ? path : `${path}/${options.path}`;
  const v3First = v3Stores.has(store as object);
  const reload = cache === "reload";
  signal?.throwIfAborted();
  const isEarly = !running() && !reload;
  const early = isEarly ? askEarly(store, { path: below, format: v3First ? 3 : format, attrs }) : undefined;
  const opening = call(
    "open",
    (objects) => ({
      ...{ store: objects.store(store), path: below, kind, format, dataTypeFallback, v3First, attrs, reload },
      early: early && { urls: early.urls, callback: objects.callback(early.callback) },
    }),
    { signal },
  );
  const summary = await opening.finally(() => early?.giveUp());
  if (summary.dialect === "v3") v3Stores.add(store as object);
  await describeWithCodecs(summary, signal);
  return summary;
}

interface SummaryOptions {
  kind: "array" | "group";
  format: 2 | 3;
  signal?: AbortSignal | undefined;
}

/** Reads the documents of an open node again, bypassing all caches. */
export async function readSummaryAnew(
  { store, path }: Pick<Location<unknown>, "store" | "path">,
  { kind, format, signal }: SummaryOptions,
): Promise<NodeSummary> {
  const options = { dataTypeFallback: "warn", v3First: false, attrs: true, reload: true } as const;
  const summary = await call(
    "open",
    (objects) => ({ ...options, store: objects.store(store), path, kind, format }),
    { signal },
  );
  await describeWithCodecs(summary, signal);
  return summary;
}
