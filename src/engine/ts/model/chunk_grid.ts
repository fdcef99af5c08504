/**
 * Counts chunks along one dimension of a chunk grid. The engine parses metadata; only metadata
 * objects that a caller passes in are parsed here.
 */

/**
 * The chunk length of a regular grid, or the runs of equal chunks of a rectilinear one. Lengths are
 * in elements.
 */
export type GridAxis = number | readonly (readonly [length: number, count: number])[];

/** Number of chunks that cover this many elements. */
export function chunkCount(axis: GridAxis, extent: number): number {
  if (typeof axis === "number") return Math.ceil(extent / axis);
  return extent > 0 ? chunkAt(axis, extent - 1) + 1 : 0;
}

/** Index of the chunk that contains an element. Behind the last chunk, the number of chunks. */
export function chunkAt(axis: GridAxis, element: number): number {
  if (typeof axis === "number") return Math.floor(element / axis);
  let [start, chunk] = [0, 0];
  for (const [length, count] of axis) {
    if (element < start + length * count) return chunk + Math.floor((element - start) / length);
    start += length * count;
    chunk += count;
  }
  return chunk;
}

/** First element and length of a chunk. Behind the last chunk, the length is 0. */
export function chunkExtent(axis: GridAxis, chunk: number): { start: number; length: number } {
  if (typeof axis === "number") return { start: chunk * axis, length: axis };
  let [start, first] = [0, 0];
  for (const [length, count] of axis) {
    if (chunk < first + count) return { start: start + (chunk - first) * length, length };
    start += length * count;
    first += count;
  }
  return { start, length: 0 };
}

/** Parses the `chunk_grid` of a caller's metadata object, for an array with `rank` dimensions. */
export function gridOfMetadata(grid: unknown, rank: number): GridAxis[] {
  const { configuration } = (grid ?? {}) as { configuration?: Record<string, unknown> };
  const shapes = configuration?.chunk_shapes ?? configuration?.chunk_shape;
  const axes = Array.isArray(shapes) ? shapes : [];
  return Array.from({ length: rank }, (_, at) => axisOf(axes[at]));
}

function axisOf(lengths: unknown): GridAxis {
  if (typeof lengths === "number" || typeof lengths === "bigint") return Number(lengths);
  if (!Array.isArray(lengths)) return 1; // the engine says what is wrong with it
  return lengths.map((entry) => {
    const [length, count] = Array.isArray(entry) ? entry : [entry, 1];
    return [Number(length), Number(count)] as const;
  });
}
