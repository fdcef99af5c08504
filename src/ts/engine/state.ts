/**
 * The state of this engine: the options that the page sent, the limits that follow from them, and
 * counters. Sizes are in bytes, times in ms.
 */
import { type EngineOptions, type EngineStatus, newStatus, type WasmText } from "../port/protocol.ts";

export const configuration: EngineOptions & { wasm?: WasmText } = {};

/**
 * Linear memory never shrinks. A decoder's instance with more than this restarts when it has no
 * part in progress.
 */
const RECYCLE_BYTES = 256 << 20;

/** With a smaller limit an instance would restart after every chunk. */
const LEAST_RECYCLE_BYTES = 32 << 20;

export function configure(options: EngineOptions): void {
  const { workerScript = configuration.workerScript } = options;
  Object.assign(configuration, options, { workerScript });
}

/** Sizes of the two chunk caches, and of what came whole for a part. NaN changes nothing. */
export function cacheLimits(): { encodedBytes: number; decodedBytes: number; wholeBytes: number } {
  const { caches = {}, memoryLimit = Number.NaN } = configuration;
  const { encodedBytes = memoryLimit / 6, decodedBytes = memoryLimit / 3 } = caches;
  return { encodedBytes, decodedBytes, wholeBytes: memoryLimit / 6 };
}

/** Memory size at which an idle decoder instance restarts. */
export function recycleBytes(): number {
  const { memoryLimit } = configuration;
  if (memoryLimit === undefined) return RECYCLE_BYTES;
  return Math.max(LEAST_RECYCLE_BYTES, memoryLimit / 2 / Math.max(1, workerLimit()));
}

/** The limit that the user gave. */
export const memoryLimit = (): number | undefined => configuration.memoryLimit;

/** Time after which an idle decode worker ends. */
export const workerIdleMs = (): number => configuration.workerIdleMs ?? 60_000;

/** Maximum number of decode workers; 0 decodes on this thread. */
export function workerLimit(): number {
  const { hardwareConcurrency = 2 } =
    (globalThis as { navigator?: { hardwareConcurrency?: number } }).navigator ?? {};
  return configuration.workers ?? Math.min(4, Math.max(1, hardwareConcurrency - 1));
}

export const counters: EngineStatus = newStatus();
