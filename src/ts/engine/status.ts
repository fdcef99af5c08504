/**
 * The counters of this engine for `info()`, and whether they have changed, so that the engine sends
 * them only then.
 */
import type { EngineStatus } from "../port/protocol.ts";
import { counters } from "./counters.ts";
import { workerCount } from "./decode/pools.ts";
import { cacheCounters, currentBuild } from "./instances.ts";

export function engineStatus(): EngineStatus {
  const workers = counters.decoder === "caller" ? 0 : workerCount();
  return { ...counters, build: currentBuild(), workers, caches: cacheCounters() };
}

let last = "";

/** The counters; undefined if they have not changed since the last call. */
export function changedStatus(): EngineStatus | undefined {
  const status = engineStatus();
  const text = JSON.stringify(status);
  if (text === last) return undefined;
  last = text;
  return status;
}
