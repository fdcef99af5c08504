/**
 * What the engine says of a node when it reads its documents, and of the same node when they are read again.
 */
import { describeWithCodecs } from "./codecs.ts";
import { run } from "../engine/instances.ts";
import type { Location } from "./location.ts";
import type { NodeSummary } from "./node_facts.ts";
import { storeId } from "../store/native_store.ts";

export interface SummaryOptions {
  kind: "array" | "group";
  format: 2 | 3;
  signal?: AbortSignal;
}

/** Reads the documents of an open node again, past all caches. */
export async function readSummaryAnew(
  { store, path }: Pick<Location<unknown>, "store" | "path">,
  options: SummaryOptions,
): Promise<NodeSummary> {
  const { kind, format, signal } = options;
  const summary = await run<NodeSummary>(signal, (glue, settle) =>
    glue.open(storeId(glue, store), path, kind, format, "warn", false, true, true, signal, settle),
  );
  await describeWithCodecs(summary, signal);
  return summary;
}
