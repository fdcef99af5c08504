/** What `info()` tells of this engine. */
import type { EngineStatus } from "../port/protocol.ts";
import { counters } from "./counters.ts";
import { ladder } from "./decode/decoder.ts";
import { workerCount } from "./decode/pools.ts";
import { cacheCounters, currentBuild } from "./instances.ts";

export function engineStatus(): EngineStatus {
  const { parts, encoded, decodeMs, wire, persistentCache, panics } = counters;
  return {
    build: currentBuild(),
    workers: ladder.rung === "caller" ? 0 : workerCount(),
    decoder: ladder.rung,
    refused: [...ladder.refused],
    parts: { ...parts },
    encoded: { ...encoded },
    decodeMs,
    wire: { ...wire },
    persistentCache: { ...persistentCache },
    panics,
    caches: cacheCounters(),
  };
}
