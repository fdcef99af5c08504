/** How far a read is, as callers hear it. */

export interface Progress {
  /** Chunks (inner ones, where there are shards) that have arrived or are known to be absent. */
  chunks: number;
  /** All of them; absent for points, which would all have to be looked at. */
  totalChunks?: number;
  /** Bytes that have arrived. */
  bytes: number;
  /** Parts of the result that are there, and all of them. */
  parts: number;
  totalParts: number;
}

/** As the engine tells it: `progress_numbers` of `src/js/read.rs`. */
export function progressOf(numbers: Float64Array): Progress {
  const [chunks = 0, bytes = 0, parts = 0, totalParts = 0, totalChunks = 0] = numbers;
  const progress = { chunks, bytes, parts, totalParts };
  return totalChunks > 0 ? { ...progress, totalChunks } : progress;
}
