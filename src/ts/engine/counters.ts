/** What `info()` counts. */
export const counters = {
  /** Parts decoded, by where. */
  parts: { workers: 0, caller: 0 },
  /** Stored chunks encoded, by where. */
  encoded: { workers: 0, caller: 0 },
  /** Traps of the engine; each cost an instance. */
  panics: 0,
};
