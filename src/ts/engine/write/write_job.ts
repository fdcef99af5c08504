/**
 * One write: its encoders and its progress. `src/engine/js/write.rs` drives it.
 */
import type { WriteEvent } from "../../port/operations.ts";
import { bound } from "../arrays.ts";
import type { BoundArray, DecodePool, Updated } from "../decode/pool.ts";
import { poolFor } from "../decode/pools.ts";

interface WriteJobOptions {
  array: BoundArray;
  /** Maximum number of bytes to decode and encode for a change of one chunk. */
  chunkBytes: number;
  priority: number;
  onProgress: ((event: WriteEvent) => void) | undefined;
}

export class WriteJob {
  readonly #options: WriteJobOptions;
  readonly #pool: DecodePool;
  readonly #arrays: BoundArray[];

  constructor(options: WriteJobOptions) {
    this.#options = options;
    this.#pool = poolFor(options.chunkBytes);
    this.#arrays = [options.array];
  }

  progress(chunks: number, empty: number, totalChunks: number, bytes: number): void {
    this.#options.onProgress?.({ type: "written", chunks, totalChunks, empty, bytes });
  }

  /**
   * Returns a number for the array as these metadata documents describe it. An append writes to the
   * array with its new shape.
   */
  bind(document: string): number {
    const known = this.#arrays.findIndex((array) => array.document === document);
    if (known >= 0) return known;
    return this.#arrays.push(bound({ ...this.#options.array, document })) - 1;
  }

  encode(
    array: number,
    header: Uint32Array,
    old: Uint8Array | undefined,
    ownsOld: boolean,
    elements: Uint8Array,
    ownsElements: boolean,
  ): Promise<Updated> {
    const part = this.#pool.begin(this.#arrays[array] as BoundArray, header, this.#options.priority);
    return this.#pool.update(part, { old, ownsOld, elements, ownsElements });
  }
}
