/**
 * What a value is, whichever realm made it. Test runners, frames and threads hand over buffers and
 * arrays of classes that are not those of this module, of which `instanceof` knows nothing.
 */

/** Whether a value has the internal slot of this class. `get` is a getter of its prototype. */
function hasSlot(prototype: object, name: string, value: unknown): boolean {
  try {
    Object.getOwnPropertyDescriptor(prototype, name)?.get?.call(value);
    return true;
  } catch {
    return false;
  }
}

/** Whether a value is an `ArrayBuffer`. */
export const isArrayBuffer = (value: unknown): value is ArrayBuffer =>
  hasSlot(ArrayBuffer.prototype, "byteLength", value);

/** Whether a value is a `Uint8Array`, or a view of a class that is derived from it. */
export const isUint8Array = (value: unknown): value is Uint8Array =>
  ArrayBuffer.isView(value) && (value as Uint8Array)[Symbol.toStringTag] === "Uint8Array";
