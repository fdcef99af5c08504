/**
 * zarrita's way of reading: chunk by chunk, through the array's own `getChunk`. For arrays whose
 * `getChunk` somebody has replaced (a proxy, a subclass, an extension), and for callers who bring a
 * queue. Called just as zarrita calls it: the same coordinates, one call a chunk and read, the
 * caller's own signal. Reads that are neither go to the engine.
 */

import { product, stridesOf } from "../elements/typed_arrays.ts";
import { chunkAt, chunkExtent, type GridAxis } from "../model/chunk_grid.ts";
import { InvalidSelectionError, UnsupportedError } from "../model/errors.ts";
import type { EngineDimension, EngineSelection } from "../model/request.ts";
import type { Chunk, DataType } from "../model/types.ts";

/** zarrita's queue of chunk reads. */
export type ChunkQueue = {
  add(read: () => Promise<void>): void;
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
  /** Dimensions in the order of memory, slowest first. */
  order: readonly number[];
  signal: AbortSignal | undefined;
  useSharedArrayBuffer: boolean | undefined;
  createQueue: (() => ChunkQueue) | undefined;
}

/** What of one chunk goes where along one dimension. */
interface Span {
  chunk: number;
  /** Index within the chunk and in the output, pair by pair. */
  pairs: [from: number, to: number][];
}

interface Axis {
  count: number;
  isKept: boolean;
  spans: Span[];
}

/** Elements by their place, whatever holds them: typed arrays, lists, zarrita's classes. */
interface Holder {
  readonly length: number;
  get(place: number): unknown;
  set(place: number, value: unknown): void;
}

const outside = (length: number, index: unknown) =>
  new InvalidSelectionError(`index ${index} is outside a dimension of ${length}`, {
    expected: `an index from ${-length} to ${length - 1}`,
    actual: String(index),
  });

function wrapped(index: number, length: number): number {
  const at = index < 0 ? index + length : index;
  if (at < 0 || at >= length) throw outside(length, index);
  return at;
}

/** Python's `slice.indices`. */
function sliceIndices(slice: { start?: unknown; stop?: unknown; step?: unknown }, length: number): number[] {
  const step = slice.step === undefined ? 1 : Number(slice.step);
  if (step === 0) throw new InvalidSelectionError("a slice's step is 0");
  const [low, high] = step > 0 ? [0, length] : [-1, length - 1];
  const bound = (value: unknown, otherwise: number) => {
    if (value === undefined) return otherwise;
    const at = Number(value) < 0 ? Number(value) + length : Number(value);
    return Math.min(high, Math.max(low, at));
  };
  const [start, stop] = [bound(slice.start, step > 0 ? low : high), bound(slice.stop, step > 0 ? high : low)];
  const count = Math.max(0, Math.ceil((stop - start) / step));
  return Array.from({ length: count }, (_, at) => start + at * step);
}

function indicesOf(entry: EngineDimension | undefined, length: number): number[] {
  if (entry === undefined || entry === "All") return sliceIndices({}, length);
  if ("Index" in entry) return [wrapped(Number(entry.Index), length)];
  if ("Slice" in entry) return sliceIndices(entry.Slice, length);
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
  const values = data as { get?: (place: number) => unknown; set?: unknown; length: number } & unknown[];
  if (typeof values?.length !== "number") {
    throw new UnsupportedError("chunks of structs from a getChunk that was replaced");
  }
  if (typeof values.get === "function") return values as unknown as Holder;
  return {
    length: values.length,
    get: (place) => values[place],
    set: (place, value) => {
      values[place] = value;
    },
  };
}

/** Something like `data`, of another length. */
function emptyLike(data: unknown, length: number, isShared: boolean | undefined): unknown {
  if (Array.isArray(data)) return new Array(length);
  const like = data as {
    chars?: number;
    BYTES_PER_ELEMENT: number;
    constructor: new (...args: unknown[]) => unknown;
  };
  const Holding = like.constructor;
  const width = like.chars === undefined ? [] : [like.chars];
  if (!isShared) return new Holding(...width, length);
  return new Holding(...width, new SharedArrayBuffer(length * like.BYTES_PER_ELEMENT), 0, length);
}

/** All combinations of one entry a list; the first list is the fastest, as zarrita has it. */
function* combinations<T>(lists: readonly T[][]): Generator<T[]> {
  const last = lists.at(-1);
  if (!last) {
    yield [];
    return;
  }
  for (const entry of last) for (const others of combinations(lists.slice(0, -1))) yield [...others, entry];
}

/** The result in the making. */
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

  /** Copies what of a chunk is wanted. */
  put(chunk: Chunk<DataType>, spans: readonly Span[]): void {
    const source = holderOf(chunk.data);
    // A complex element is two numbers in a row.
    const width = "complex" in chunk && chunk.complex ? 2 : 1;
    if (!this.#holder) {
      this.data = emptyLike(chunk.data, this.#count * width, this.#isShared);
      this.#holder = holderOf(this.data);
      this.#sample = chunk;
    }
    this.#walk(this.#holder, source, width, chunk.stride, spans, 0, 0, 0);
  }

  #walk(
    target: Holder,
    source: Holder,
    width: number,
    stride: readonly number[],
    spans: readonly Span[],
    axis: number,
    from: number,
    to: number,
  ): void {
    const span = spans[axis];
    if (!span) {
      for (let at = 0; at < width; at += 1) target.set(to * width + at, source.get(from * width + at));
      return;
    }
    const [inChunk, inOutput] = [stride[axis] ?? 0, this.#stride[axis] ?? 0];
    for (const [index, place] of span.pairs) {
      this.#walk(
        target,
        source,
        width,
        stride,
        spans,
        axis + 1,
        from + index * inChunk,
        to + place * inOutput,
      );
    }
  }

  /** What chunks have beside data and layout: units of time, whether they are complex. */
  get marks(): object {
    const { data, shape, stride, ...marks } = this.#sample ?? { data: 0, shape: 0, stride: 0 };
    return marks;
  }
}

/** A queue that runs all at once. */
function unlimited(): ChunkQueue {
  const reads: Promise<void>[] = [];
  return {
    add: (read) => void reads.push(read()),
    onIdle: () => Promise.all(reads),
  };
}

/**
 * Reads a selection; undefined where it holds no element, of which no chunk can tell what holds
 * none.
 */
export async function getByChunk(request: ByChunkRequest): Promise<Chunk<DataType> | undefined> {
  const { array, selection, shape, grid, order, signal, useSharedArrayBuffer } = request;
  if (!("Orthogonal" in selection))
    throw new UnsupportedError("points of an array whose getChunk was replaced");
  if (selection.Orthogonal.length > shape.length) {
    throw new InvalidSelectionError(`${selection.Orthogonal.length} entries for ${shape.length} dimensions`);
  }
  const axes = shape.map((length, axis) => axisOf(selection.Orthogonal[axis], length, grid[axis] ?? 1));
  const counts = axes.map(({ count }) => count);
  if (counts.includes(0)) return undefined;
  const stride = stridesOf(counts, order);
  const output = new Output(counts, stride, useSharedArrayBuffer);
  const queue = request.createQueue?.() ?? unlimited();
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
