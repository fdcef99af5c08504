/**
 * Metadata that another program changes while an array is reduced. Then some chunks are those of
 * the old array, others are those of the new one or gone, and an answer would be made of both. So
 * the metadata are read once more at the end. An array that has only grown still has the elements
 * that were selected.
 */
import type { AnyArray } from "../../api/array.ts";
import { type ArrayFacts, FACTS, factsOfNode, OpenedNode } from "../../api/node_facts.ts";
import { readSummaryAnew } from "../../api/opened_nodes.ts";
import { ZarrError } from "../../engine/ts/model/errors.ts";
import { exactJson } from "../../engine/ts/model/json.ts";
import { elementsOf, type Prepared, type StatisticsOptions } from "./prepare.ts";

/** What elements are read by, besides the shape, as texts by name. */
function layoutOf(facts: ArrayFacts): Map<string, string> {
  const { dtype, grid, shards, order, fillValue, codecs, storageTransformers } = facts;
  const members = { dtype, grid, shards, order, fillValue, codecs, storageTransformers };
  return new Map(Object.entries(members).map(([name, value]) => [name, exactJson(value ?? null, name)]));
}

/** The error for metadata that are others now. */
function changed(path: string, field: string, expected: string, actual: string): ZarrError {
  const message = "the array's metadata changed while it was reduced: refresh it, and reduce it again";
  return new ZarrError("Store", message, { path, field, expected, actual });
}

/**
 * Rejects with a `Store` error if the elements that `before` describes may not be those that were
 * read, and with a `NotFound` error if the array is gone.
 */
export async function needUnchanged(
  { store, path }: AnyArray,
  before: ArrayFacts,
  { elements }: Prepared,
  options: StatisticsOptions,
): Promise<void> {
  const { format, document } = before;
  if (before.isCallers) return;
  const { signal } = options;
  const summary = await readSummaryAnew({ store, path }, { kind: "array", format, signal, asks: true });
  if (summary.document === document && !summary.large) return;
  const now = factsOfNode(new OpenedNode(summary, before.options));
  const hasGrown = before.shape.every((extent, axis) => extent <= (now.shape[axis] ?? -1));
  if (!hasGrown || now.shape.length !== before.shape.length)
    throw changed(path, "shape", String(before.shape), String(now.shape));
  const layout = layoutOf(now);
  for (const [name, wanted] of layoutOf(before))
    if (layout.get(name) !== wanted) throw changed(path, name, wanted, layout.get(name) ?? "nothing");
  const [wanted, found] = [elements, await elementsOf({ store, path, [FACTS]: now }, options)].map((each) =>
    exactJson(each, "decode"),
  ) as [string, string];
  if (found !== wanted) throw changed(path, "attributes", wanted, found);
}
