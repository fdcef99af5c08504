/**
 * Changes of an array's metadata: its shape and its attributes. Whatever comes of a change, the open
 * nodes say what is stored. A failed change may have stored its documents or not, so they are read
 * again: at once, or before the next use where that fails too or where the caller did not wait.
 */
import { ZarrError } from "../../model/errors.ts";
import type { NodeSummary } from "../../model/node_summary.ts";
import type { DataType } from "../../model/types.ts";
import { unlessAborted } from "../../model/unless_aborted.ts";
import { call } from "../../port/engine.ts";
import type { Array } from "../array.ts";
import { arrayNumber, describeWithCodecs } from "../arrays.ts";
import { FACTS } from "../node_facts.ts";
import { becomeAll, openNodes } from "../open_nodes.ts";
import { readSummaryAnew } from "../summary.ts";

type AnyArray = Array<DataType>;

/** Time in ms for which reading waits for a change that still runs. */
const PATIENCE_MS = 10_000;

/** Updates an array, and all open nodes of the same path, from new metadata. */
async function become(array: AnyArray, summary: NodeSummary): Promise<void> {
  await describeWithCodecs(summary, undefined);
  becomeAll(array, summary);
}

/** The metadata that are stored now, once no change of this page is under way. */
async function reread(array: AnyArray): Promise<void> {
  const patience = AbortSignal.timeout(PATIENCE_MS);
  const settled = call("reread", (objects) => ({ array: arrayNumber(objects, array) }), { signal: patience });
  const summary = await settled.catch((error) => {
    if (!patience.aborted) throw error;
    // A store that does not answer a write may answer reads.
    return readSummaryAnew(array, { kind: "array", format: array[FACTS].format });
  });
  await become(array, summary);
}

/** Marks an array and all open nodes of its path. Returns the function that settles the doubt. */
function doubt(array: AnyArray): () => Promise<void> {
  let rereading: Promise<void> | undefined;
  const settle = () => {
    rereading ??= reread(array).finally(() => {
      rereading = undefined;
    });
    return rereading;
  };
  for (const node of openNodes(array)) {
    const facts = (node as Partial<AnyArray>)[FACTS];
    if (facts) facts.doubt = (signal) => unlessAborted(settle(), signal);
  }
  return settle;
}

/** Performs a change of an array's metadata, and updates the open nodes. See the module. */
export async function changing(
  array: AnyArray,
  change: () => Promise<NodeSummary>,
  signal: AbortSignal | undefined,
): Promise<void> {
  signal?.throwIfAborted();
  await array[FACTS].doubt?.(signal);
  let summary: NodeSummary;
  try {
    summary = await change();
  } catch (error) {
    const settle = doubt(array);
    // After an abort the caller does not wait. `dispose` must not start another engine.
    const isDisposed = error instanceof ZarrError && error.code === "Aborted";
    const settled = isDisposed ? undefined : settle().catch(() => {});
    if (!signal?.aborted && settled) await unlessAborted(settled, signal).catch(() => {});
    throw error;
  }
  await become(array, summary);
}
