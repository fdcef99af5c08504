/**
 * An engine's two pools of decoders: workers, and the engine's own thread for work that is smaller
 * than the cost of sending it.
 */

import type { ArrayDefinition } from "../../port/definitions.ts";
import { DecodePool, type PoolEngine } from "./decode_pool.ts";
import { type Decoder, localDecoder, openDecoder } from "./decoder.ts";
import { dropSpares } from "./part_memory.ts";
import type { BoundArray } from "./work.ts";

/** Up to this many decoded bytes, decoding here is faster than sending the read to a worker. */
const CALLER_BYTES = 128 << 10;
const FAST_CALLER_BYTES = 256 << 10;

/**
 * Up to this many bytes in chunks that are not small, decoding here is faster than starting the
 * first worker.
 */
const COLD_CALLER_BYTES = 512 << 10;
const COLD_CHUNK_BYTES = 16 << 10;

/** What a read decodes. */
interface Decoded {
  /** Size of all chunks that it touches. */
  bytes: number;
  /** Size of a chunk. */
  chunkBytes: number;
  array: BoundArray;
  decoding: ArrayDefinition["decoding"];
}

export class DecodePools {
  readonly #engine: PoolEngine;
  readonly #workers: DecodePool;
  readonly #caller: DecodePool;

  constructor(engine: PoolEngine) {
    this.#engine = engine;
    const { state, page, builds } = engine;
    const idleMs = () => state.workerIdleMs();
    const openAlone = async (): Promise<Decoder> => localDecoder(await builds.module("engine"), state);
    this.#caller = new DecodePool(engine, { open: openAlone, limit: () => 1, idleMs });
    this.#workers = new DecodePool(engine, {
      open: async () => openDecoder(await builds.module("engine"), state),
      limit: () => Math.max(1, state.workerLimit()),
      idleMs,
      openAlone,
      onRefused: (reason) =>
        page.warn(`a decode worker could not be started, so reads go on with fewer workers: ${reason}`, "/"),
    });
  }

  /** The pool for work on this many decoded bytes. */
  of(bytes: number, callerBytes = CALLER_BYTES): DecodePool {
    return bytes <= callerBytes || this.#engine.state.workerLimit() === 0 ? this.#caller : this.#workers;
  }

  /**
   * The pool for a read, whose decoder starts while the bytes are fetched. Until a worker runs, the
   * first tiles of a page are decoded here. Tiles that need another build are not: its wasm is
   * large, and decoding takes long.
   */
  forRead({ bytes, chunkBytes, array, decoding }: Decoded): DecodePool {
    // There is usually nothing to decode, so no decoder starts.
    if (decoding === "none") return this.of(bytes);
    const pool = this.of(bytes, decoding === "fast" ? FAST_CALLER_BYTES : CALLER_BYTES);
    const isCold = pool === this.#workers && this.#workers.size === 0;
    const isTile = bytes <= COLD_CALLER_BYTES && chunkBytes >= COLD_CHUNK_BYTES;
    if (!(isCold && isTile && array.build === "engine")) return pool.prepared(array);
    this.#workers.prepared();
    return this.#caller.prepared(array);
  }

  /** Starts a decode worker, if there is none and there may be one. */
  prepareWorker(): void {
    if (this.#engine.state.workerLimit() > 0) this.#workers.prepared();
  }

  /** Number of decode workers. */
  get workerCount(): number {
    return this.#workers.size;
  }

  /** Removes an array from every decoder. */
  unbind(array: number): void {
    this.#workers.unbind(array);
    this.#caller.unbind(array);
  }

  /** Ends all decoders. */
  close(): void {
    dropSpares();
    this.#workers.close();
    this.#caller.close();
  }
}
