/**
 * Fetching ahead: what a read of a selection would ask for is asked for now, behind everything that somebody waits for. Nothing is decoded.
 */
import { FACTS } from "../../api/array.ts";
import { run } from "../instances.ts";
import type { EngineRequest } from "../../api/selection.ts";
import { type Progress, progressOf } from "./job.ts";
import { type AnyArray, arrayId, bindCodecs, observe, type ReadOptions } from "./read.ts";

/** The priority of what nobody waits for yet: below 0 it makes way for all else. */
const AHEAD = -1;

export async function prefetchSelection(
  array: AnyArray,
  request: EngineRequest,
  { signal, onProgress, priority = AHEAD, cache }: ReadOptions,
): Promise<Progress> {
  const facts = array[FACTS];
  await bindCodecs(facts, signal);
  const listener = onProgress && ((numbers: Float64Array) => onProgress(progressOf(numbers)));
  const numbers = await run<Float64Array>(signal, (glue, settle) =>
    glue.prefetch(
      arrayId(glue, array),
      { ...request, priority, reload: cache === "reload" },
      listener,
      signal,
      settle,
    ),
  );
  const progress = progressOf(numbers);
  observe(facts, progress);
  return progress;
}
