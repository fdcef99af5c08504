/**
 * One write as the engine sees it: the door to whoever encodes. Driven by `src/js/write.rs`.
 */
import type { BoundArray, DecodePool, Updated } from "../pool/pool.ts";
import { poolFor } from "../read/job.ts";
import { bindForEncoding } from "../read/read.ts";

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
  readonly #arrays: BoundArray[];

  constructor(options: WriteJobOptions) {
    this.#options = options;
    this.#pool = poolFor(options.chunkBytes);
    this.#arrays = [options.array];
  }

  progress(chunks: number, empty: number, totalChunks: number, bytes: number): void {
    this.#options.onProgress?.({ chunks, totalChunks, empty, bytes });
  }

  /** A number for the array as these documents have it: appending writes to one that is longer than it was. */
  bind(document: string): number {
    const known = this.#arrays.findIndex((array) => array.document === document);
    if (known >= 0) return known;
    const { warn, codecs } = this.#options.array;
    return this.#arrays.push(bindForEncoding(this, document, warn, codecs)) - 1;
  }

  encode(
    array: number,
    header: Uint32Array,
    old: Uint8Array | undefined,
    ownsOld: boolean,
    elements: Uint8Array,
    ownsElements: boolean,
  ): Promise<Updated> {
    const bound = this.#arrays[array] as BoundArray;
    const part = this.#pool.begin(bound, header, this.#options.priority);
    return this.#pool.update(part, { old, ownsOld, elements, ownsElements });
  }
}
