/**
 * Bytes in memory: views of them, whose they are, and memory that threads share.
 */
import type { AsyncReadable } from "./types.ts";

export const viewBytes = ({ buffer, byteOffset, byteLength }: ArrayBufferView): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength);

/** Whether a buffer is shared memory, also if it is from another realm. */
export const isSharedMemory = (buffer: ArrayBufferLike): boolean =>
  Object.prototype.toString.call(buffer) === "[object SharedArrayBuffer]";

/**
 * Whether shared memory can be posted. A page without cross-origin isolation can create it through
 * wasm, but not post it.
 */
export const canShare = (): boolean =>
  typeof SharedArrayBuffer !== "undefined" &&
  (globalThis as { crossOriginIsolated?: boolean }).crossOriginIsolated !== false;

/** The key of the methods of a store that keeps none of its values. */
export const FRESH: unique symbol = Symbol("zarr-wasm.fresh");

/** Whether a store keeps none of its values. It may if its methods were replaced. */
export function isFresh(store: object): boolean {
  const { [FRESH]: own, get, getRange } = store as Partial<AsyncReadable> & { [FRESH]?: AsyncReadable };
  return own !== undefined && own.get === get && own.getRange === getRange;
}
