/**
 * Prepares bytes for posting to a worker. Buffers that nothing else uses are transferred; others
 * are copied. The memory of copies is returned with the answers and used again, because new memory
 * costs a page fault for every 4 KiB, which is more than the copy.
 */
import type { Supply } from "./messages.ts";

/** A supply. `owned` tells which of its buffers nothing else uses. */
export interface OwnedSupply extends Supply {
  owned: boolean[];
}

/**
 * Buffers that are smaller than this on average are copied into one, because posting a buffer costs
 * as much as copying some ten KiB.
 */
const SMALL_BYTES = 16 << 10;

/** Smaller copies use new memory, which allocators have ready. */
const MIN_KEPT_BYTES = 64 << 10;
/** Enough for the typical chunks that two decoders are given ahead. */
const MAX_KEPT_BYTES = 16 << 20;

/**
 * The allocation for this many bytes. It is rounded up, because chunks differ in length and the
 * next one should fit too.
 */
function roomFor(byteLength: number): number {
  const step = 2 ** Math.max(12, Math.ceil(Math.log2(byteLength)) - 3);
  return Math.ceil(byteLength / step) * step;
}

/** Copies many small buffers into one. */
function joined(buffers: readonly Uint8Array[], bytes: number): Pick<Required<Supply>, "buffers" | "ends"> {
  const packed = new Uint8Array(bytes);
  let end = 0;
  const ends = Uint32Array.from(buffers, (view) => {
    packed.set(view, end);
    end += view.byteLength;
    return end;
  });
  return { buffers: [packed], ends };
}

/**
 * The memory of copies, of one pool: behind a shorter copy are encoded bytes of earlier ones, which
 * no other engine's workers get.
 */
export class CopyMemory {
  #kept: ArrayBuffer[] = [];
  #keptBytes = 0;

  /** Bytes to transfer: these if nothing else uses their buffer and it has no others, or a copy. */
  bytes(bytes: Uint8Array, owned: boolean | undefined, transfer: ArrayBuffer[]): Uint8Array {
    const isWhole = bytes.byteOffset === 0 && bytes.byteLength === bytes.buffer.byteLength;
    const mine = owned && isWhole ? bytes : this.#copyOf(bytes);
    transfer.push(mine.buffer as ArrayBuffer);
    return mine;
  }

  supply({ table, buffers, owned }: OwnedSupply, transfer: ArrayBuffer[]): Supply {
    transfer.push(table.buffer as ArrayBuffer);
    const bytes = buffers.reduce((sum, { byteLength }) => sum + byteLength, 0);
    if (buffers.length < 2 || bytes > buffers.length * SMALL_BYTES) {
      const mine = buffers.map((bytes, idx) => this.bytes(bytes, owned[idx], transfer));
      return { table, buffers: mine, isCopied: mine.some((view, idx) => view !== buffers[idx]) };
    }
    const packed = joined(buffers, bytes);
    transfer.push(...packed.buffers.map(({ buffer }) => buffer as ArrayBuffer));
    return { table, ...packed };
  }

  /** Keeps returned memory for reuse. */
  keep(memory: ArrayBuffer): void {
    const { byteLength } = memory;
    if (byteLength < MIN_KEPT_BYTES || this.#keptBytes + byteLength > MAX_KEPT_BYTES) return;
    this.#kept.push(memory);
    this.#keptBytes += byteLength;
  }

  /** Drops all kept memory. */
  drop(): void {
    this.#kept = [];
    this.#keptBytes = 0;
  }

  /** A copy, at offset 0 of memory that may be transferred. */
  #copyOf(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
    const { byteLength } = bytes;
    if (byteLength < MIN_KEPT_BYTES) return bytes.slice();
    const memory = this.#takeAtLeast(byteLength) ?? new ArrayBuffer(roomFor(byteLength));
    const copy = new Uint8Array(memory, 0, byteLength);
    copy.set(bytes);
    return copy;
  }

  #takeAtLeast(byteLength: number): ArrayBuffer | undefined {
    const fits = (memory: ArrayBuffer) =>
      memory.byteLength >= byteLength && memory.byteLength <= 2 * roomFor(byteLength);
    const at = this.#kept.findIndex(fits);
    const [memory] = at < 0 ? [] : this.#kept.splice(at, 1);
    this.#keptBytes -= memory?.byteLength ?? 0;
    return memory;
  }
}
