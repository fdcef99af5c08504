/**
 * Prefetching: requests the bytes of a selection after all other requests. Nothing is decoded.
 */
import { call } from "../../port/engine.ts";
import { arrayNumber, bindCodecs, observe } from "../arrays.ts";
import { type ArrayNode, FACTS } from "../node_facts.ts";
import { progressListener, type ReadOptions, type ReadRequest, readArguments } from "./arguments.ts";
import { type Progress, progressOf } from "./progress.ts";

/** Default priority of prefetches. It is below 0, so every read comes first. */
const AHEAD = -1;

export async function prefetchSelection(
  array: ArrayNode,
  request: ReadRequest,
  { priority = AHEAD, ...options }: ReadOptions,
): Promise<Progress> {
  const { signal } = options;
  await bindCodecs(array[FACTS], signal);
  const { arrayNode, ...args } = readArguments(array, request, { ...options, priority });
  const numbers = await call("prefetch", (objects) => ({ ...args, array: arrayNumber(objects, arrayNode) }), {
    signal,
    onEvent: progressListener(options),
  });
  const progress = progressOf(numbers);
  observe(array[FACTS], progress);
  return progress;
}
