/**
 * The counters that `info()` reports.
 */
export const counters = {
  /** Number of parts decoded, by place. */
  parts: { workers: 0, caller: 0 },
  /** Number of stored chunks encoded, by place. */
  encoded: { workers: 0, caller: 0 },
  /** Working time in ms, summed over all decoders. */
  decodeMs: 0,
  /** Requests over HTTP. */
  wire: { requests: 0, bytes: 0, failed: 0, aborted: 0 },
  /** Hits and misses of the persistent caches. */
  persistentCache: { hits: 0, misses: 0 },
  /** Number of warnings. */
  warnings: 0,
  /** Number of wasm traps. Each of them ended an instance. */
  panics: 0,
};
