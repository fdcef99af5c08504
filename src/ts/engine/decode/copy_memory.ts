/**
 * Memory for copies of bytes that go to a decoder while others need them too. It comes back with
 * the answers, and is used again: new memory costs a page fault for every 4 KiB, which is more than
 * the copy.
 */

/** Copies of fewer bytes take memory that allocators have at hand. */
const SMALLEST_KEPT = 64 << 10;
/** What two decoders are given ahead of typical chunks. */
const MOST_BYTES = 16 << 20;

let kept: ArrayBuffer[] = [];
let keptBytes = 0;

/**
 * What is allocated for so many bytes: chunks differ in length, and the next one is to fit, too.
 */
function roomFor(byteLength: number): number {
  const step = 2 ** Math.max(12, Math.ceil(Math.log2(byteLength)) - 3);
  return Math.ceil(byteLength / step) * step;
}

function takeAtLeast(byteLength: number): ArrayBuffer | undefined {
  const fits = (memory: ArrayBuffer) =>
    memory.byteLength >= byteLength && memory.byteLength <= 2 * roomFor(byteLength);
  const at = kept.findIndex(fits);
  const [memory] = at < 0 ? [] : kept.splice(at, 1);
  keptBytes -= memory?.byteLength ?? 0;
  return memory;
}

/** A copy at the beginning of memory that is the decoder's from now on. */
export function copyOf(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const { byteLength } = bytes;
  if (byteLength < SMALLEST_KEPT) return bytes.slice();
  const memory = takeAtLeast(byteLength) ?? new ArrayBuffer(roomFor(byteLength));
  const copy = new Uint8Array(memory, 0, byteLength);
  copy.set(bytes);
  return copy;
}

/** Takes memory back. */
export function keepCopyMemory(memory: ArrayBuffer): void {
  const { byteLength } = memory;
  if (byteLength < SMALLEST_KEPT || keptBytes + byteLength > MOST_BYTES) return;
  kept.push(memory);
  keptBytes += byteLength;
}

/** Lets go of all of it. */
export function dropCopyMemory(): void {
  kept = [];
  keptBytes = 0;
}
