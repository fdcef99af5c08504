/**
 * Memory of parts that have been placed, kept for the next parts that are decoded on the same thread: new memory costs a page fault
 * for every 4 KiB, which is as much work as the copy into it. In a worker nothing comes back: what it made was transferred.
 */

/** Parts that are decoded and not placed yet; more are rare where one thread does both. */
const MOST_KEPT = 2;
/** Larger ones are rare, and not worth holding on to. */
const LARGEST_KEPT = 8 << 20;

const kept: Uint8Array<ArrayBuffer>[] = [];
/** Parts are decoded here. */
let isWanted = false;

/** Memory of this length, with anything in it. */
export function takeMemory(length: number): Uint8Array<ArrayBuffer> {
  isWanted = true;
  const at = kept.findIndex((memory) => memory.byteLength === length);
  return (at >= 0 ? kept.splice(at, 1)[0] : undefined) ?? new Uint8Array(length);
}

/** Gives back memory that nobody else has. */
export function giveBackMemory(bytes: Uint8Array): void {
  const { buffer, byteLength } = bytes;
  const isWhole = buffer instanceof ArrayBuffer && buffer.byteLength === byteLength;
  if (!isWanted || !isWhole || byteLength > LARGEST_KEPT) return;
  kept.push(bytes as Uint8Array<ArrayBuffer>);
  if (kept.length > MOST_KEPT) kept.shift();
}
