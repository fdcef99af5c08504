/** What `info()` counts. */
export const counters = {
  /** Parts decoded, by where. */
  parts: { workers: 0, caller: 0 },
  /** Stored chunks encoded, by where. */
  encoded: { workers: 0, caller: 0 },
  /** Time that decoders have worked, summed over all of them. */
  decodeMs: 0,
  /** Requests over HTTP. */
  wire: { requests: 0, bytes: 0, failed: 0, aborted: 0 },
  /** What the persistent caches could answer. */
  persistentCache: { hits: 0, misses: 0 },
  /** What `onWarning` was told. */
  warnings: 0,
  /** Traps of the engine; each cost an instance. */
  panics: 0,
};
