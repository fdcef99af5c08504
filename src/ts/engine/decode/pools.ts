/**
 * The two pools of decoders: workers, and the engine's own thread for work that is smaller than the
 * cost of sending it.
 */

import type { ArrayDefinition } from "../../port/definitions.ts";
import { page } from "../page.ts";
import { workerIdleMs, workerLimit } from "../state.ts";
import { engineModule } from "../wasm_builds.ts";
import { type Decoder, localDecoder, openDecoder } from "./decoder.ts";
import { dropSpares } from "./part_memory.ts";
import { type BoundArray, DecodePool } from "./pool.ts";
import { dropCopyMemory } from "./transfer.ts";

/** Up to this many decoded bytes, decoding here is faster than sending the read to a worker. */
const CALLER_BYTES = 128 << 10;
const FAST_CALLER_BYTES = 256 << 10;

const openLocal = async (): Promise<Decoder> => localDecoder(await engineModule("engine"));

const workers = new DecodePool({
  open: async () => openDecoder(await engineModule("engine")),
  limit: () => Math.max(1, workerLimit()),
  idleMs: workerIdleMs,
  openAlone: openLocal,
  onRefused: (reason) =>
    page().warn(`a decode worker could not be started, so reads go on with fewer workers: ${reason}`, "/"),
});

const caller = new DecodePool({ open: openLocal, limit: () => 1, idleMs: workerIdleMs });

/**
 * Up to this many bytes in chunks that are not small, decoding here is faster than starting the
 * first worker.
 */
const COLD_CALLER_BYTES = 512 << 10;
const COLD_CHUNK_BYTES = 16 << 10;

/** The pool for work on this many decoded bytes. */
export const poolFor = (bytes: number, callerBytes = CALLER_BYTES): DecodePool =>
  bytes <= callerBytes || workerLimit() === 0 ? caller : workers;

/** What a read decodes. */
interface Decoded {
  /** Size of all chunks that it touches. */
  bytes: number;
  /** Size of a chunk. */
  chunkBytes: number;
  array: BoundArray;
  decoding: ArrayDefinition["decoding"];
}

/**
 * The pool for a read, whose decoder starts while the bytes are fetched. Until a worker runs, the
 * first tiles of a page are decoded here. Tiles that need another build are not: its wasm is large,
 * and decoding takes long.
 */
export function decoderFor({ bytes, chunkBytes, array, decoding }: Decoded): DecodePool {
  // There is usually nothing to decode, so no decoder starts.
  if (decoding === "none") return poolFor(bytes);
  const pool = poolFor(bytes, decoding === "fast" ? FAST_CALLER_BYTES : CALLER_BYTES);
  const isCold = pool === workers && workers.size === 0;
  const isTile = bytes <= COLD_CALLER_BYTES && chunkBytes >= COLD_CHUNK_BYTES;
  if (!(isCold && isTile && array.build === "engine")) return pool.prepared(array);
  workers.prepared();
  return caller.prepared(array);
}

/** Starts a decode worker, if there is none and there may be one. */
export function prepareWorker(): void {
  if (workerLimit() > 0) workers.prepared();
}

/** Number of decode workers. */
export const workerCount = (): number => workers.size;

/** Ends all decoders. */
export function closePools(): void {
  dropSpares();
  dropCopyMemory();
  workers.close();
  caller.close();
}

/** Removes an array from every decoder. */
export function unbindArray(number: number): void {
  workers.unbind(number);
  caller.unbind(number);
}
