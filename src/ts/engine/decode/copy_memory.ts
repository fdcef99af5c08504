/**
 * Memory for copies of bytes that go to a decoder while others need them too. It is returned with
 * the answers and used again, because new memory costs a page fault for every 4 KiB, which is more
 * than the copy.
 */

/** Smaller copies use new memory, which allocators have ready. */
const SMALLEST_KEPT = 64 << 10;
/** Enough for the typical chunks that two decoders are given ahead. */
const MOST_BYTES = 16 << 20;

let kept: ArrayBuffer[] = [];
let keptBytes = 0;

/**
 * The allocation for this many bytes. It is rounded up, because chunks differ in length and the
 * next one should fit too.
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

/** A copy, at offset 0 of memory that may be transferred. */
export function copyOf(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const { byteLength } = bytes;
  if (byteLength < SMALLEST_KEPT) return bytes.slice();
  const memory = takeAtLeast(byteLength) ?? new ArrayBuffer(roomFor(byteLength));
  const copy = new Uint8Array(memory, 0, byteLength);
  copy.set(bytes);
  return copy;
}

/** Keeps returned memory for reuse. */
export function keepCopyMemory(memory: ArrayBuffer): void {
  const { byteLength } = memory;
  if (byteLength < SMALLEST_KEPT || keptBytes + byteLength > MOST_BYTES) return;
  kept.push(memory);
  keptBytes += byteLength;
}

/** Drops all kept memory. */
export function dropCopyMemory(): void {
  kept = [];
  keptBytes = 0;
}
