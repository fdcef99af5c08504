/**
 * Bytes in memory: views of them, and memory that threads share.
 */

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
