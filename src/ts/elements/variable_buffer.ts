/**
 * Elements of variable length in one buffer: n + 1 offsets (32-bit, little-endian), then the bytes,
 * as in `access::part_buffer`.
 */
import { aligned } from "./typed_arrays.ts";

/** The bytes of all elements, and the n + 1 offsets at which elements begin and end. */
export interface VariableElements {
  offsets: Uint32Array;
  bytes: Uint8Array;
}

/** Views the parts of a buffer of `count` elements. Offsets at an unaligned address are copied. */
export function splitVariable(buffer: Uint8Array, count: number): VariableElements {
  const head = aligned(buffer.subarray(0, 4 * (count + 1)), 4);
  const offsets = new Uint32Array(head.buffer, head.byteOffset, count + 1);
  return { offsets, bytes: buffer.subarray(4 * (count + 1)) };
}

/** The bytes of the element at an index. */
export const variableAt = ({ offsets, bytes }: VariableElements, at: number): Uint8Array =>
  bytes.subarray(offsets[at], offsets[at + 1]);
