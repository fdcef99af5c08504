/**
 * Elements of variable length in one buffer: n + 1 offsets (32-bit, little-endian), then the bytes,
 * as in `access::part_buffer`; and their conversion to strings, bytes, arrays or JSON values in a
 * plain array. `pack.ts` makes such buffers.
 */

import type { JsonText } from "../../../contract/contract.ts";
import type { TypeDescription } from "../model/data_type.ts";
import { parseJsonText } from "../model/json.ts";
import { newDecoder } from "../model/utf8.ts";
import { isDue, pauseIfDue } from "../model/waiting.ts";
import { packedOf, scalarOf, someOf } from "./elements.ts";
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

/** Number of elements between two checks of the clock. */
const ELEMENTS_BETWEEN = 1024;

/** Maximum number of bytes that are decoded at once. */
const MAX_DECODED_BYTES = 2 ** 26;

const utf8 = newDecoder({ ignoreBOM: true });

/** What stands for JSON elements that `JSON.parse` cannot read, by their text. */
type LosslessTexts = Record<string, JsonText>;

function jsonOf(text: string, lossless: LosslessTexts | undefined): unknown {
  return text === "" ? null : parseJsonText(lossless?.[text] ?? { text });
}

function arrayOf(inner: TypeDescription, bytes: Uint8Array): unknown {
  const { size = 1 } = inner;
  // A copy, so that the array shares no memory with its neighbours.
  return packedOf(inner, bytes.slice(), { shape: [bytes.length / size], stride: [1] }).data;
}

/** Converts one element. */
export function elementOf(type: TypeDescription, bytes: Uint8Array, lossless?: LosslessTexts): unknown {
  const { kind, inner } = type;
  if (kind === "string") return utf8.decode(bytes);
  if (kind === "json") return jsonOf(utf8.decode(bytes), lossless);
  if (kind === "variable-array" && inner) return arrayOf(inner, bytes);
  if (kind !== "optional" || !inner) return bytes.slice();
  if (!bytes[0]) return null;
  const value = bytes.subarray(1);
  return someOf(inner, inner.size === undefined ? elementOf(inner, value, lossless) : scalarOf(inner, value));
}

/** Returns a function that converts the element at an index. */
function reader(
  type: TypeDescription,
  part: Uint8Array,
  count: number,
  lossless: LosslessTexts | undefined,
): (at: number) => unknown {
  const elements = splitVariable(part, count);
  const { bytes, offsets } = elements;
  // A string has at most 2^29 characters.
  if (type.kind === "string" && bytes.length <= MAX_DECODED_BYTES) {
    // ASCII text is decoded at once, because a call of the decoder costs more than a short string.
    const text = utf8.decode(bytes);
    if (text.length === bytes.length) return (at) => text.slice(offsets[at], offsets[at + 1]);
  }
  return (at) => elementOf(type, variableAt(elements, at), lossless);
}

interface Conversion {
  lossless?: LosslessTexts;
  signal?: AbortSignal;
}

/**
 * Converts the elements of a result in its order, with pauses. Rejects with the signal's reason
 * after a pause in which it fired.
 */
export async function variableElements(
  type: TypeDescription,
  bytes: Uint8Array,
  count: number,
  { lossless, signal }: Conversion = {},
): Promise<unknown[]> {
  const value = reader(type, bytes, count, lossless);
  const values: unknown[] = new Array(count);
  for (let at = 0; at < count; at += 1) {
    values[at] = value(at);
    if (at % ELEMENTS_BETWEEN === 0 && isDue()) {
      await pauseIfDue();
      signal?.throwIfAborted();
    }
  }
  return values;
}
