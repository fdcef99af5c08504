/**
 * What a value is, whichever realm made it. Test runners, frames and threads hand over buffers,
 * arrays and promises that another realm made, and `instanceof` knows the classes of one realm
 * only.
 */

/** Asks a user's value something. A getter or a trap of it may throw: then this is undefined. */
export function asked<T>(question: () => T): T | undefined {
  try {
    return question();
  } catch {
    return undefined;
  }
}

/** Whether a value has the internal slot that this getter of a prototype reads. */
const hasSlot = (prototype: object, name: string, value: unknown): boolean =>
  asked(() => Object.getOwnPropertyDescriptor(prototype, name)?.get?.call(value)) !== undefined;

/** Whether a value is an `ArrayBuffer`. */
export const isArrayBuffer = (value: unknown): value is ArrayBuffer =>
  hasSlot(ArrayBuffer.prototype, "byteLength", value);

/** Whether a value is a `Uint8Array`, or a view of a class that is derived from it. */
export const isUint8Array = (value: unknown): value is Uint8Array =>
  ArrayBuffer.isView(value) && (value as Uint8Array)[Symbol.toStringTag] === "Uint8Array";

/** Whether a value can be awaited. */
export const isPromiseLike = (value: unknown): value is PromiseLike<unknown> =>
  typeof asked(() => (value as { then?: unknown } | null | undefined)?.then) === "function";
