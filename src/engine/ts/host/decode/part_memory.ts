/**
 * Memory of parts that were copied, kept for the next ones, because new memory costs a page fault
 * for every 4 KiB, which is as much work as the copy into it. On the engine's thread it is memory
 * that workers have transferred; it goes back to them with the next part. In a worker it is the
 * memory that came back.
 *
 * All engines of a thread share it: memory is taken for a result of exactly its length, which
 * overwrites all of it.
 */

import { isArrayBuffer } from "../../model/realms.ts";

/** More parts are rarely in flight at a time. */
const MAX_KEPT_PARTS = 4;
/** Larger parts are rare. */
const MAX_KEPT_BYTES = 4 << 20;

const kept: Uint8Array<ArrayBuffer>[] = [];

/** Takes kept memory of this length, or of any. It is not cleared. */
export function takeSpare(length?: number): Uint8Array<ArrayBuffer> | undefined {
  const at =
    length === undefined ? kept.length - 1 : kept.findIndex(({ byteLength }) => byteLength === length);
  return at < 0 ? undefined : kept.splice(at, 1)[0];
}

/** Keeps memory that nothing else refers to. */
export function keepSpare(bytes: Uint8Array): void {
  const { buffer, byteLength } = bytes;
  const isWhole = isArrayBuffer(buffer) && buffer.byteLength === byteLength;
  if (!isWhole || byteLength === 0 || byteLength > MAX_KEPT_BYTES) return;
  kept.push(bytes as Uint8Array<ArrayBuffer>);
  if (kept.length > MAX_KEPT_PARTS) kept.shift();
}

/** Drops all kept memory. */
export const dropSpares = (): void => void kept.splice(0);
