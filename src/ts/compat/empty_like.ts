/**
 * Makes an array of the same class as another one: a typed array, a list, or one of zarrita's
 * classes.
 */
import { ZarrError } from "../model/errors.ts";

/** An instance of the class of elements. Only classes of strings of fixed length have `chars`. */
export interface Elements {
  constructor: unknown;
  chars?: number;
  BYTES_PER_ELEMENT?: number;
}

/** Makes an array of the class of `data` with another length, in shared memory if asked. */
export function emptyLike(data: Elements, length: number, isShared = false): unknown {
  if (Array.isArray(data)) return new Array(length);
  if (typeof data.constructor !== "function")
    throw new ZarrError("Argument", "the array's elements are not in a list or a typed array");
  const Holding = data.constructor as new (...args: unknown[]) => unknown;
  const width = data.chars === undefined ? [] : [data.chars];
  if (!isShared) return new Holding(...width, length);
  const memory = new SharedArrayBuffer(length * (data.BYTES_PER_ELEMENT as number));
  return new Holding(...width, memory, 0, length);
}
