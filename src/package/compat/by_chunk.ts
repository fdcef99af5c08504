/**
 * Reads chunk by chunk through the array's own `getChunk`, as zarrita does. It is used for arrays
 * whose `getChunk` was replaced (by a proxy, a subclass or an extension), and for callers with
 * their own queue. `getChunk` is called as zarrita calls it: with the same coordinates, once per
 * chunk and read, and with the caller's own signal. All other reads go to the engine.
 */
import { product, stridesOf } from "../../engine/ts/elements/typed_arrays.ts";
import { needFunction } from "../../engine/ts/model/argument.ts";
import { chunkAt, chunkExtent, type GridAxis } from "../../engine/ts/model/chunk_grid.ts";
import { InvalidSelectionError, shown, UnsupportedError } from "../../engine/ts/model/errors.ts";
import type { EngineDimension, EngineSelection } from "../../engine/ts/model/read_request.ts";
import type { Chunk, DataType } from "../../engine/ts/model/types.ts";
import { type Elements, emptyLike, sliceIndices } from "./internal_parts.ts";

/** zarrita's interface for a queue of chunk reads. */
export type ChunkQueue = {
  /** Adds the read of a chunk, which it runs when it likes. */
  add(read: () => Promise<void>): void;
  /** Resolves when all reads have ended. */
  onIdle(): Promise<Array<void>>;
};

interface Readable {
  getChunk(
    coords: number[],
    options: { signal: AbortSignal | undefined },
    shared: { useSharedArrayBuffer?: boolean },
  ): Promise<Chunk<DataType>>;
}

export interface ByChunkRequest {
  array: Readable;
  selection: EngineSelection;
  shape: readonly number[];
  grid: readonly GridAxis[];
  /** Dimensions in memory order, slowest first. */
  order: readonly number[];
  signal: AbortSignal | undefined;
  useSharedArrayBuffer: boolean | undefined;
  createQueue: (() => ChunkQueue) | undefined;
}

/** The selected indices of one chunk along one dimension. */
interface Span {
  chunk: number;
  /** Pairs of index in the chunk and index in the output. */
  pairs: [from: number, to: number][];
}

interface Axis {
  count: number;
  isKept: boolean;
  spans: Span[];
}

/** Access to elements by index, in typed arrays, lists and zarrita's classes. */
interface Holder {
  readonly length: number;
  get(index: number): unknown;
  set(index: number, value: unknown): void;
}

const outside = (length: number, index: unknown) =>
  new InvalidSelectionError(`index ${index} is outside a dimension of ${length}`, {
    expected: `an index from ${-length} to ${length - 1}`,
    actual: shown(index),
  });

function wrapped(index: number, length: number): number {
  const at = index < 0 ? index + length : index;
  if (at < 0 || at >= length) throw outside(length, index);
  return at;
}

/** Returns the indices that a slice selects. Missing bounds are undefined, large ones bigints. */
function indicesOfSlice(
  { start, stop, step }: { start?: unknown; stop?: unknown; step?: unknown },
  length: number,
): number[] {
  const bound = (value: unknown) => (value === undefined ? null : Number(value));
  const slice = { start: bound(start), stop: bound(stop), step: bound(step) };
  const [first, end, by] = sliceIndices(slice, length);
  const count = Math.max(0, Math.ceil((end - first) / by));
  return Array.from({ length: count }, (_, at) => first + at * by);
}

function indicesOf(entry: EngineDimension | undefined, length: number): number[] {
  if (entry === undefined || entry === "All") return indicesOfSlice({}, length);
  if ("Index" in entry) return [wrapped(Number(entry.Index), length)];
  if ("Slice" in entry) return indicesOfSlice(entry.Slice, length);
  return entry.List.map((index) => wrapped(Number(index), length));
}

function axisOf(entry: EngineDimension | undefined, length: number, grid: GridAxis): Axis {
  const indices = indicesOf(entry, length);
  const spans = new Map<number, Span>();
  for (const [to, index] of indices.entries()) {
    const at = chunkAt(grid, index);
    const span = spans.get(at) ?? { chunk: at, pairs: [] };
    span.pairs.push([index - chunkExtent(grid, at).start, to]);
    spans.set(at, span);
  }
  const isKept = !(typeof entry === "object" && "Index" in entry);
  return { count: indices.length, isKept, spans: [...spans.values()] };
}

function holderOf(data: unknown): Holder {
  const values = data as { get?: (index: number) => unknown; set?: unknown; length: number } & unknown[];
  if (typeof values?.length !== "number") {
    throw new UnsupportedError("a replaced getChunk that returns chunks of structs");
  }
  if (typeof values.get === "function") return values as Holder;
  return {
    length: values.length,
    get: (index) => values[index],
    set: (index, value) => {
      values[index] = value;
    },
  };
}

/** Yields all combinations of one entry per list. The first list varies fastest, as in zarrita. */
function* combinations<T>(lists: readonly T[][]): Generator<T[]> {
  const last = lists.at(-1);
  if (!last) {
    yield [];
    return;
  }
  for (const entry of last) for (const others of combinations(lists.slice(0, -1))) yield [...others, entry];
}

/** A chunk that is copied to the result. */
interface ChunkCopy {
  target: Holder;
  source: Holder;
  /** Numbers per element. A complex element is two adjacent numbers. */
  width: number;
  /** Strides of the chunk in elements. */
  stride: readonly number[];
  spans: readonly Span[];
}

/** The result to which chunks are copied. */
class Output {
  readonly #stride: number[];
  readonly #count: number;
  readonly #isShared: boolean | undefined;
  #sample: Chunk<DataType> | undefined;
  #holder: Holder | undefined;
  data: unknown;

  constructor(shape: readonly number[], stride: number[], isShared: boolean | undefined) {
    this.#stride = stride;
    this.#count = product(shape);
    this.#isShared = isShared;
  }

  /** Copies the selected elements of a chunk. */
  put(chunk: Chunk<DataType>, spans: readonly Span[]): void {
    const source = holderOf(chunk.data);
    const width = "complex" in chunk && chunk.complex ? 2 : 1;
    if (!this.#holder) {
      this.data = emptyLike(chunk.data as Elements, this.#count * width, this.#isShared);
      this.#holder = holderOf(this.data);
      this.#sample = chunk;
    }
    this.#copy({ target: this.#holder, source, width, stride: chunk.stride, spans }, 0, 0, 0);
  }

  /** Copies the elements of the dimensions from `axis` on, between two element indices. */
  #copy(chunk: ChunkCopy, axis: number, from: number, to: number): void {
    const { target, source, width } = chunk;
    const span = chunk.spans[axis];
    if (!span) {
      for (let at = 0; at < width; at += 1) target.set(to * width + at, source.get(from * width + at));
      return;
    }
    const [inChunk, inOutput] = [chunk.stride[axis] ?? 0, this.#stride[axis] ?? 0];
    for (const [index, place] of span.pairs)
      this.#copy(chunk, axis + 1, from + index * inChunk, to + place * inOutput);
  }

  /** Further members of chunks: time units, and whether they are complex. */
  get marks(): object {
    const { data, shape, stride, ...marks } = this.#sample ?? { data: 0, shape: 0, stride: 0 };
    return marks;
  }
}

/** Returns a queue that runs all reads at once. */
function unlimited(): ChunkQueue {
  const reads: Promise<void>[] = [];
  return {
    add: (read) => void reads.push(read()),
    onIdle: () => Promise.all(reads),
  };
}

/**
 * Reads a selection. Returns undefined for an empty one, as there is then no chunk from which to
 * take the class of the result.
 */
export async function getByChunk(request: ByChunkRequest): Promise<Chunk<DataType> | undefined> {
  const { array, selection, shape, grid, order, signal, useSharedArrayBuffer } = request;
  if (!("Orthogonal" in selection))
    throw new UnsupportedError("a selection of points of an array whose getChunk was replaced");
  if (selection.Orthogonal.length > shape.length) {
    throw new InvalidSelectionError(
      `the selection has ${selection.Orthogonal.length} entries for ${shape.length} dimensions`,
    );
  }
  const axes = shape.map((length, axis) => axisOf(selection.Orthogonal[axis], length, grid[axis] ?? 1));
  const counts = axes.map(({ count }) => count);
  if (counts.includes(0)) return undefined;
  const stride = stridesOf(counts, order);
  const output = new Output(counts, stride, useSharedArrayBuffer);
  const queue = request.createQueue?.() ?? unlimited();
  needFunction(Object(queue).add, "createQueue");
  for (const spans of combinations(axes.map((axis) => axis.spans))) {
    queue.add(async () => {
      signal?.throwIfAborted();
      const coords = spans.map(({ chunk }) => chunk);
      output.put(await array.getChunk(coords, { signal }, { useSharedArrayBuffer }), spans);
    });
  }
  await queue.onIdle();
  const kept = <T>(values: readonly T[]) => values.filter((_, axis) => axes[axis]?.isKept);
  const layout = { shape: kept(counts), stride: kept(stride) };
  return { data: output.data, ...layout, ...output.marks } as Chunk<DataType>;
}
