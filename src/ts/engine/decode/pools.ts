/**
 * The two pools of decoders: workers, and the engine's own thread for work so small that sending it
 * takes longer.
 */
import type { Home } from "../../model/node_summary.ts";
import { engineModule } from "../compile.ts";
import { recycleBytes, workerIdleMs, workerLimit } from "../configuration.ts";
import { dropCopyMemory } from "./copy_memory.ts";
import { localDecoder, openDecoder } from "./decoder.ts";
import { dropSpares } from "./part_memory.ts";
import { DecodePool } from "./pool.ts";

/** Up to this many decoded bytes, sending a read to a worker takes longer than decoding it here. */
const CALLER_BYTES = 128 << 10;

const workers = new DecodePool(
  async () => openDecoder(await engineModule("engine")),
  () => Math.max(1, workerLimit()),
  workerIdleMs,
);

const caller = new DecodePool(
  async () => {
    const module = await engineModule("engine");
    return localDecoder({ type: "module", home: "engine", module, recycleBytes: recycleBytes() });
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
 * Whoever is to decode what is still to be fetched: it starts meanwhile. Until a worker is there,
 * the first tiles of a page are decoded here, unless another build of the engine does that: those
 * are large, and what they decode takes long.
 */
export function decoderFor(bytes: number, chunkBytes: number, home: Home): DecodePool {
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
