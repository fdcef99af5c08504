/**
 * The counters of this engine for `info()`.
 */
import type { EngineStatus } from "../port/protocol.ts";
import { counters } from "./counters.ts";
import { decoderPlaces } from "./decode/decoder.ts";
import { workerCount } from "./decode/pools.ts";
import { cacheCounters, currentBuild } from "./instances.ts";

export function engineStatus(): EngineStatus {
  const { parts, encoded, decodeMs, wire, persistentCache, panics } = counters;
  return {
    build: currentBuild(),
    workers: decoderPlaces.place === "caller" ? 0 : workerCount(),
    decoder: decoderPlaces.place,
    refused: [...decoderPlaces.refused],
    parts: { ...parts },
    encoded: { ...encoded },
    decodeMs,
    wire: { ...wire },
    persistentCache: { ...persistentCache },
    panics,
    caches: cacheCounters(),
  };
}
