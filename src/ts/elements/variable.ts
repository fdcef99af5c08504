/**
 * Elements with lengths of their own: each becomes a string, bytes, an array or a JSON value at its
 * place in a plain array. A part of them comes as one buffer: n + 1 offsets (32-bit, little-endian)
 * into the bytes behind them, as `access::part_buffer` has it.
 */
import type { TypeDescription } from "../model/data_type.ts";
import { parseJsonText } from "../model/marked_json.ts";
import { breathe, isDue } from "./breathe.ts";
import { packedOf, scalarOf, someOf } from "./elements.ts";
import { aligned } from "./typed_arrays.ts";

/** Elements between two looks at the clock. */
const ELEMENTS_BETWEEN = 1024;

const utf8 = new TextDecoder("utf-8", { ignoreBOM: true });

/** JSON elements that `JSON.parse` cannot read, by their text: what the engine has made of them. */
type MarkedTexts = Record<string, [text: string, places: string]>;

function jsonOf(text: string, marked: MarkedTexts | undefined): unknown {
  return text === "" ? null : parseJsonText(marked?.[text] ?? text);
}

function arrayOf(inner: TypeDescription, bytes: Uint8Array): unknown {
  const { size = 1 } = inner;
  // A copy, so that it neither holds nor changes its neighbours.
  return packedOf(inner, bytes.slice(), { shape: [bytes.length / size], stride: [1] }).data;
}

/** One element. */
export function elementOf(type: TypeDescription, bytes: Uint8Array, marked?: MarkedTexts): unknown {
  const { kind, inner } = type;
  if (kind === "string") return utf8.decode(bytes);
  if (kind === "json") return jsonOf(utf8.decode(bytes), marked);
  if (kind === "variable-array" && inner) return arrayOf(inner, bytes);
  if (kind !== "optional" || !inner) return bytes.slice();
  if (!bytes[0]) return null;
  const value = bytes.subarray(1);
  return someOf(inner, inner.size === undefined ? elementOf(inner, value, marked) : scalarOf(inner, value));
}

/** The elements of a part one by one. */
function reader(
  type: TypeDescription,
  part: Uint8Array,
  count: number,
  marked: MarkedTexts | undefined,
): (at: number) => unknown {
  const head = aligned(part.subarray(0, 4 * (count + 1)), 4);
  const offsets = new Uint32Array(head.buffer, head.byteOffset, count + 1);
  const bytes = part.subarray(4 * (count + 1));
  if (type.kind === "string") {
    // Text of one byte a character is decoded at once; a decoder's call costs more than a short
    // string.
    const text = utf8.decode(bytes);
    if (text.length === bytes.length) return (at) => text.slice(offsets[at], offsets[at + 1]);
  }
  return (at) => elementOf(type, bytes.subarray(offsets[at], offsets[at + 1]), marked);
}

/** The elements of a result, in its order; other tasks have their turn meanwhile. */
export async function variableElements(
  type: TypeDescription,
  bytes: Uint8Array,
  count: number,
  marked: MarkedTexts | undefined,
): Promise<unknown[]> {
  const value = reader(type, bytes, count, marked);
  const values: unknown[] = new Array(count);
  for (let at = 0; at < count; at += 1) {
    values[at] = value(at);
    if (at % ELEMENTS_BETWEEN === 0 && isDue()) await breathe();
  }
  return values;
}
