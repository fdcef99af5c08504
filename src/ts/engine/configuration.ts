/**
 * The options of this engine, as the page has sent them, and the bounds that follow from them.
 */
import type { EngineOptions, WasmText } from "../port/protocol.ts";

export const configuration: EngineOptions & { wasm?: WasmText | undefined } = {};

/**
 * Linear memory never shrinks: an instance with more than this starts anew when it has no part at
 * hand.
 */
const RECYCLE_BYTES = 256 << 20;

/** Below this an instance would start anew after every chunk. */
const LEAST_RECYCLE_BYTES = 32 << 20;

export function configure(options: EngineOptions): void {
  const { workerScript = configuration.workerScript } = options;
  Object.assign(configuration, options, { workerScript });
}

/** How much the caches may hold; what is not a number is as it was. */
export function cacheLimits(): { encodedBytes: number; decodedBytes: number } {
  const { caches = {}, memoryLimit = Number.NaN } = configuration;
  const { encodedBytes = memoryLimit / 6, decodedBytes = memoryLimit / 3 } = caches;
  return { encodedBytes, decodedBytes };
}

/** How large the memory of a decoder's instance may grow that has nothing to do. */
export function recycleBytes(): number {
  const { memoryLimit } = configuration;
  if (memoryLimit === undefined) return RECYCLE_BYTES;
  return Math.max(LEAST_RECYCLE_BYTES, memoryLimit / 2 / Math.max(1, workerLimit()));
}

/** How long a decode worker may have nothing to do. */
export const workerIdleMs = (): number => configuration.workerIdleMs ?? 60_000;

/** The most decode workers; 0 decodes on this thread. */
export function workerLimit(): number {
  const { hardwareConcurrency = 2 } =
    (globalThis as { navigator?: { hardwareConcurrency?: number } }).navigator ?? {};
  return configuration.workers ?? Math.min(4, Math.max(1, hardwareConcurrency - 1));
}
