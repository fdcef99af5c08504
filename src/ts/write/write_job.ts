/**
 * One write as the engine sees it: the door to whoever encodes. Driven by `src/js/write.rs`.
 */
import type { BoundArray, DecodePool, Updated } from "../pool/pool.ts";
import { poolFor } from "../read/job.ts";

/** How far a write is. */
export interface WriteProgress {
  /** Stored chunks (shards, where there are any) that are done. */
  chunks: number;
  totalChunks: number;
  /** Of those done, the ones that are all fill value and so are not stored. */
  empty: number;
  /** Bytes handed to the store. */
  bytes: number;
}

export interface WriteJobOptions {
  array: BoundArray;
  /** Bytes that are decoded and encoded, at most, to change one chunk. */
  chunkBytes: number;
  priority: number;
  onProgress: ((progress: WriteProgress) => void) | undefined;
}

export class WriteJob {
  readonly #options: WriteJobOptions;
  readonly #pool: DecodePool;

  constructor(options: WriteJobOptions) {
    this.#options = options;
    this.#pool = poolFor(options.chunkBytes);
  }

  progress(chunks: number, empty: number, totalChunks: number, bytes: number): void {
    this.#options.onProgress?.({ chunks, totalChunks, empty, bytes });
  }

  encode(
    header: Uint32Array,
    old: Uint8Array | undefined,
    ownsOld: boolean,
    elements: Uint8Array,
    ownsElements: boolean,
  ): Promise<Updated> {
    const { array, priority } = this.#options;
    const part = this.#pool.begin(array, header, priority);
    return this.#pool.update(part, { old, ownsOld, elements, ownsElements });
  }
}
