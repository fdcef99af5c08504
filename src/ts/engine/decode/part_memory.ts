/**
 * Memory of parts that have been placed, kept for the next ones: new memory costs a page fault for
 * every 4 KiB, which is as much work as the copy into it. On the caller's thread it is what workers
 * have transferred, and goes back to them with the next part; in a worker it is what has come back.
 */

/** More are seldom under way at a time. */
const MOST_KEPT = 4;
/** Larger ones are rare, and not worth holding on to. */
const LARGEST_KEPT = 4 << 20;

const kept: Uint8Array<ArrayBuffer>[] = [];

/** Memory of this length, or of any; with anything in it. */
export function takeSpare(length?: number): Uint8Array<ArrayBuffer> | undefined {
  const at =
    length === undefined ? kept.length - 1 : kept.findIndex(({ byteLength }) => byteLength === length);
  return at < 0 ? undefined : kept.splice(at, 1)[0];
}

/** Keeps memory that nobody else has. */
export function keepSpare(bytes: Uint8Array): void {
  const { buffer, byteLength } = bytes;
  const isWhole = buffer instanceof ArrayBuffer && buffer.byteLength === byteLength;
  if (!isWhole || byteLength === 0 || byteLength > LARGEST_KEPT) return;
  kept.push(bytes as Uint8Array<ArrayBuffer>);
  if (kept.length > MOST_KEPT) kept.shift();
}

/** Lets go of all of it. */
export const dropSpares = (): void => void kept.splice(0);
