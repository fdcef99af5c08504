/**
 * Changes an array's metadata: its shape and its attributes. A change that fails may have stored
 * its documents or not. So the documents are read again, and the open nodes follow what is stored.
 * If that read fails too, or the caller has aborted, they are read before the next use.
 */
import { ZarrError } from "../../model/errors.ts";
import type { NodeSummary } from "../../model/node_summary.ts";
import { unlessAborted } from "../../model/unless_aborted.ts";
import { call } from "../../port/engine.ts";
import { arrayNumber, describeWithCodecs } from "../arrays.ts";
import { type ArrayNode, FACTS } from "../node_facts.ts";

/**
 * An array, and what the page does with its nodes. Its functions are given, because importing them
 * here would move them out of the first download's main file.
 */
export interface OpenArray {
  array: ArrayNode;
  /** All open nodes of the array's path and store. */
  nodes(): Iterable<object>;
  /** Updates these nodes. */
  become(summary: NodeSummary): void;
  /** Reads the metadata, past all caches. */
  readAnew(): Promise<NodeSummary>;
}

/** Time in ms for which reading waits for a change that still runs. */
const PATIENCE_MS = 10_000;

/** Updates an array, and all open nodes of the same path, from new metadata. */
async function become(open: OpenArray, summary: NodeSummary): Promise<void> {
  await describeWithCodecs(summary, undefined);
  open.become(summary);
}

/** Reads the metadata that are stored now, once no change of this page is under way. */
async function reread(open: OpenArray): Promise<void> {
  const signal = AbortSignal.timeout(PATIENCE_MS);
  const settled = call("reread", (objects) => ({ array: arrayNumber(objects, open.array) }), { signal });
  // A store that does not answer a write may answer reads, and so may an engine that cannot write.
  await become(open, await settled.catch(() => open.readAnew()));
}

/** Marks an array and all open nodes of its path. Returns the function that settles the doubt. */
function doubt(open: OpenArray): () => Promise<void> {
  let rereading: Promise<void> | undefined;
  const settle = () => {
    rereading ??= reread(open).finally(() => {
      rereading = undefined;
    });
    return rereading;
  };
  for (const node of open.nodes()) {
    const facts = (node as Partial<ArrayNode>)[FACTS];
    if (facts) facts.doubt = (signal) => unlessAborted(settle(), signal);
  }
  return settle;
}

/** Performs a change of an array's metadata, and updates the open nodes. See the module. */
export async function changing(
  open: OpenArray,
  change: () => Promise<NodeSummary>,
  signal: AbortSignal | undefined,
): Promise<void> {
  signal?.throwIfAborted();
  await open.array[FACTS].doubt?.(signal);
  let summary: NodeSummary;
  try {
    summary = await change();
  } catch (error) {
    const code = error instanceof ZarrError ? error.code : undefined;
    // An array that is not stored has not changed.
    if (code === "NotFound") throw error;
    const settle = doubt(open);
    // After an abort the caller does not wait. `dispose` must not start another engine.
    const settled = code === "Aborted" ? undefined : settle().catch(() => {});
    if (!signal?.aborted && settled) await unlessAborted(settled, signal).catch(() => {});
    throw error;
  }
  await become(open, summary);
}
