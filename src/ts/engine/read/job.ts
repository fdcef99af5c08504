/**
 * One read as the engine sees it: the sink of its parts, and the door to the decoders. Driven by
 * `src/js/read.rs`.
 */
import type { PlacedChunk } from "../../elements/place_chunk.ts";
import type { TypeDescription } from "../../model/data_type.ts";
import type { ProgressNumbers } from "../../port/operations.ts";
import { DecodeFailure } from "../decode/decode_host.ts";
import type { SharedTarget } from "../decode/messages.ts";
import type { BoundArray, PartTask } from "../decode/pool.ts";
import { decoderFor, poolFor } from "../decode/pools.ts";
import type { Layout } from "./assembly.ts";

/** Takes the parts of a read: an `Assembly`, a stream, or a sum. */
export interface Sink {
  expect(type: TypeDescription): void;
  begin(layout: Layout): void;
  /**
   * The read has failed or was given up; nothing is taken any more, once the promise, if there is
   * one, has resolved.
   */
  leave?(): undefined | void | Promise<void>;
  /**
   * Who takes a part's elements at once, in memory that is lent; without, `part` gets them to keep.
   */
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
  onProgress: ((numbers: ProgressNumbers) => void) | undefined;
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
  /**
   * Why the sink did not begin, if it refused: an error of its own, which Rust would take for a
   * lack of memory.
   */
  refusal: unknown;
  #pool = poolFor(Number.POSITIVE_INFINITY);

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
    try {
      this.#options.result.begin(layout);
    } catch (error) {
      this.refusal = error;
      throw error;
    }
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
    this.#options.onProgress?.(numbers);
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
