/**
 * Asks the engine for a node: opens it, and reads its documents again.
 */

import type { NodeSummary } from "../model/node_summary.ts";
import { call, running } from "../port/engine.ts";
import { EARLY, type EarlyNode, type EarlyStart } from "../store/early.ts";
import { describeWithCodecs } from "./arrays.ts";
import type { Location } from "./location.ts";
import type { AttributeOptions } from "./node_facts.ts";

export interface OpenOptions extends AttributeOptions {
  /** Fail with a `NotFoundError` for the other kind. */
  kind?: "array" | "group";
  /** A path below the place that is opened, taken literally. */
  path?: string;
  /** Ends the call; it rejects with the signal's reason at once. */
  signal?: AbortSignal;
  /** `"reload"`: ask the server, past all caches. */
  cache?: "reload";
  /**
   * Where a draft's data type is not known here, and its metadata offers another: `"warn"` (the
   * default) reads that and says so, `"allow"` reads it, `"refuse"` fails.
   */
  dataTypeFallback?: "warn" | "allow" | "refuse";
  /**
   * `false` saves the request for v2's `.zattrs`: the node then has no attributes, and no dimension
   * names.
   */
  attrs?: boolean;
}

/**
 * Stores in which v3 was found: its document is asked for first, and v2's only where there is none.
 */
const v3Stores = new WeakSet<object>();

/** Sends a node's requests from here while the engine starts. */
function askEarly(store: unknown, node: EarlyNode): EarlyStart | undefined {
  const early = store as { [EARLY]?(node: EarlyNode): EarlyStart | undefined };
  return typeof early?.[EARLY] === "function" ? early[EARLY](node) : undefined;
}

/** What the engine says of a node. */
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

export interface SummaryOptions {
  kind: "array" | "group";
  format: 2 | 3;
  signal?: AbortSignal | undefined;
}

/** Reads the documents of an open node again, past all caches. */
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
