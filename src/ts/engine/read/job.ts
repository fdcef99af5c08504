/**
 * One read as the engine sees it: the sink of its parts, and the door to whoever decodes them. Driven by `src/js/read.rs`.
 */

import type { TypeDescription } from "../../model/data_type.ts";
import { engineModule } from "../compile.ts";
import { recycleBytes, workerIdleMs, workerLimit } from "../configuration.ts";
import { dropCopyMemory } from "../decode/copy_memory.ts";
import { type BoundArray, DecodePool, type PartTask } from "../decode/pool.ts";
import { callerPort, openPort } from "../decode/decoder.ts";
import { DecodeFailure } from "../decode/decode_host.ts";
import { dropSpares } from "../decode/part_memory.ts";
import type { Home, SharedTarget } from "../decode/messages.ts";
import type { PlacedChunk } from "../../elements/place_chunk.ts";
import type { Layout } from "./assembly.ts";

/** How far a read is. */
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

/** Who takes the parts of a read: a `Result`, or the queue of a stream. */
export interface Sink {
  expect(type: TypeDescription): void;
  begin(layout: Layout): void;
  /** The read has failed or was given up; nothing is taken any more, once the promise, if there is one, has resolved. */
  leave?(): undefined | void | Promise<void>;
  /** Who takes a part's elements at once, in memory that is lent; without, `part` gets them to keep. */
  placer?(start: ArrayLike<number>, shape: ArrayLike<number>): ((elements: Uint8Array) => void) | undefined;
  /** Where workers put a part's elements themselves. */
  target?(start: ArrayLike<number>, shape: ArrayLike<number>): SharedTarget | undefined;
  /** A promise is waited for; until then the part counts as under way. */
  part(
    start: ArrayLike<number>,
    shape: ArrayLike<number>,
    elements: Uint8Array | undefined | null,
    ours: boolean,
    chunks: readonly PlacedChunk[],
  ): undefined | void | Promise<void>;
}

/** Up to this many decoded bytes, sending a read to a worker takes longer than decoding it here. */
const CALLER_BYTES = 128 << 10;

const workers = new DecodePool(
  async () => openPort(await engineModule("engine")),
  () => Math.max(1, workerLimit()),
  workerIdleMs,
);

const caller = new DecodePool(
  async () => {
    const module = await engineModule("engine");
    return callerPort({ type: "module", home: "engine", module, recycleBytes: recycleBytes() });
  },
  () => 1,
  workerIdleMs,
);

/** Up to this many, of chunks that are not small, starting the first worker takes longer. */
const COLD_CALLER_BYTES = 512 << 10;
const COLD_CHUNK_BYTES = 16 << 10;

/** Whoever is to do work on so many decoded bytes. */
export const poolFor = (bytes: number): DecodePool =>
  bytes <= CALLER_BYTES || workerLimit() === 0 ? caller : workers;

/**
 * Whoever is to decode what is still to be fetched: it starts meanwhile. Until a worker is there, the first tiles of a page are decoded
 * here, unless another build of the engine does that: those are large, and what they decode takes long.
 */
function decoderFor(bytes: number, chunkBytes: number, home: Home): DecodePool {
  const pool = poolFor(bytes).prepared();
  const isCold = pool === workers && workers.size === 0;
  const isTile = bytes <= COLD_CALLER_BYTES && chunkBytes >= COLD_CHUNK_BYTES;
  return isCold && isTile && home === "engine" ? caller.prepared() : pool;
}

/** How many decoders there are in the pool of workers. */
export const workerCount = (): number => workers.size;

/** Ends all decoders. */
export function closePools(): void {
  dropSpares();
  dropCopyMemory();
  workers.close();
  caller.close();
}

/** Makes every decoder forget an array. */
export function unbindArray(number: number): void {
  workers.unbind(number);
  caller.unbind(number);
}

export interface JobOptions {
  array: BoundArray;
  result: Sink;
  /** Bytes that reading all of this decodes, at most. */
  decodedBytes: (layout: Layout) => number;
  /** Bytes of one chunk, decoded. */
  chunkBytes: (layout: Layout) => number;
  /** Its chunks are its elements: as a rule there is nothing to decode. */
  isRaw: boolean;
  priority: number;
  onProgress: ((progress: Progress) => void) | undefined;
}

/** Places elements; where there is no room for them it is not the decoder that has failed. */
function placed(place: (elements: Uint8Array) => void, elements: Uint8Array): void {
  try {
    place(elements);
  } catch (error) {
    const message = `the result cannot be held: ${(error as Error).message}`;
    throw new DecodeFailure(JSON.stringify({ code: "Limit", message }));
  }
}

export class Job {
  readonly #options: JobOptions;
  readonly #parts = new Map<number, PartTask>();
  #pool = workers;

  constructor(options: JobOptions) {
    this.#options = options;
  }

  /** Whether a listener wants to hear of progress. */
  get hearsProgress(): boolean {
    return this.#options.onProgress !== undefined;
  }

  begin(layout: Layout): void {
    const { array, isRaw } = this.#options;
    const bytes = this.#options.decodedBytes(layout);
    this.#pool = isRaw ? poolFor(bytes) : decoderFor(bytes, this.#options.chunkBytes(layout), array.home);
    this.#options.result.begin(layout);
  }

  part(
    start: Float64Array,
    shape: Float64Array,
    elements: Uint8Array | undefined | null,
    ours: boolean,
    chunks: PlacedChunk[],
  ) {
    return this.#options.result.part(start, shape, elements, ours, chunks);
  }

  progress(numbers: Float64Array): void {
    this.#options.onProgress?.(progressOf(numbers));
  }

  decodeBegin(header: Uint32Array): number {
    const part = this.#pool.begin(this.#options.array, header, this.#options.priority);
    this.#parts.set(part.id, part);
    return part.id;
  }

  decodeSupply(id: number, table: Uint32Array, buffers: Uint8Array[], owned: boolean[]): void {
    this.#pool.supply(this.#partOf(id), { table, buffers, owned });
  }

  decodePlace(id: number, start: Float64Array, shape: Float64Array): void {
    const { result } = this.#options;
    const part = this.#partOf(id);
    const place = result.placer?.(start, shape);
    part.take = place && ((elements) => placed(place, elements));
    part.target = result.target?.(start, shape);
  }

  /** Resolves to nothing where the elements were taken already. */
  decodeFinish(id: number): Promise<Uint8Array | undefined> {
    const part = this.#partOf(id);
    this.#parts.delete(id);
    return this.#pool.finish(part);
  }

  decodeCancel(id: number): void {
    const part = this.#parts.get(id);
    this.#parts.delete(id);
    if (part) this.#pool.cancel(part);
  }

  #partOf(id: number): PartTask {
    const part = this.#parts.get(id);
    if (!part) throw new Error(`part ${id} is over`);
    return part;
  }
}
