/**
 * The progress of a read, as callers receive it.
 */

export interface Progress {
  /** Number of chunks (inner ones, if sharded) that have arrived or are known to be absent. */
  chunks: number;
  /** Total number of chunks. Absent for points, as counting them would require a look at each. */
  totalChunks?: number;
  /** Number of bytes that have arrived. */
  bytes: number;
  /** Number of finished parts, and their total. */
  parts: number;
  totalParts: number;
}

/** Converts the engine's counters: `progress_numbers` in `src/js/read.rs`. */
export function progressOf(numbers: Float64Array): Progress {
  const [chunks = 0, bytes = 0, parts = 0, totalParts = 0, totalChunks = 0] = numbers;
  const progress = { chunks, bytes, parts, totalParts };
  return totalChunks > 0 ? { ...progress, totalChunks } : progress;
}
