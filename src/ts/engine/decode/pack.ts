/**
 * Prepares supplies and updates for posting to a worker. Buffers that nothing else uses are
 * transferred; others are copied.
 */

import { copyOf } from "./copy_memory.ts";
import type { Supply, Update } from "./messages.ts";

/** A supply. `owned` tells which of its buffers nothing else uses. */
export interface OwnedSupply extends Supply {
  owned: boolean[];
}

/** A change of a stored chunk, and which of its buffers nothing else uses. */
export interface OwnedUpdate extends Update {
  ownsOld: boolean;
  ownsElements: boolean;
}

/**
 * Returns a buffer that may be transferred: the buffer itself if it is owned and whole, else a
 * copy.
 */
function transferable(view: Uint8Array, owned: boolean | undefined, transfer: ArrayBuffer[]): Uint8Array {
  const whole = view.byteOffset === 0 && view.byteLength === view.buffer.byteLength;
  const mine = owned && whole ? view : copyOf(view);
  transfer.push(mine.buffer as ArrayBuffer);
  return mine;
}

export const packUpdate = (
  { old, elements, ownsOld, ownsElements }: OwnedUpdate,
  transfer: ArrayBuffer[],
): Update => ({
  old: old && transferable(old, ownsOld, transfer),
  elements: transferable(elements, ownsElements, transfer),
});

/**
 * Buffers that are smaller than this on average are copied into one, because posting a buffer costs
 * as much as copying some ten KiB.
 */
const SMALL_BYTES = 16 << 10;

/** Prepares a supply for posting and adds its buffers to `transfer`. */
export function packSupply({ table, buffers, owned }: OwnedSupply, transfer: ArrayBuffer[]): Supply {
  transfer.push(table.buffer as ArrayBuffer);
  const bytes = buffers.reduce((sum, { byteLength }) => sum + byteLength, 0);
  if (buffers.length < 2 || bytes > buffers.length * SMALL_BYTES) {
    const mine = buffers.map((view, idx) => transferable(view, owned[idx], transfer));
    return { table, buffers: mine, isCopied: mine.some((view, idx) => view !== buffers[idx]) };
  }
  const packed = new Uint8Array(bytes);
  let end = 0;
  const ends = Uint32Array.from(buffers, (view) => {
    packed.set(view, end);
    end += view.byteLength;
    return end;
  });
  transfer.push(packed.buffer);
  return { table, buffers: [packed], ends };
}
