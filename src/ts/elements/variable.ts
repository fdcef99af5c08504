/**
 * Elements with lengths of their own: each becomes a string, bytes, an array or a JSON value at its place in a plain array. A part
 * of them comes as one buffer: n + 1 offsets (32-bit, little-endian) into the bytes behind them, as `access::part_buffer` has it.
 */
import type { TypeDescription } from "../model/data_type.ts";
import { parseJson } from "../engine/instances.ts";
import { breathe, isDue } from "./breathe.ts";
import { packedOf, scalarOf, someOf } from "./elements.ts";
import { type Placement, Rows } from "./rows.ts";
import { aligned } from "./typed_arrays.ts";

/** Elements between two looks at the clock. */
const ELEMENTS_BETWEEN = 1024;

const utf8 = new TextDecoder("utf-8", { ignoreBOM: true });

function jsonOf(text: string): unknown {
  if (text === "") return null;
  try {
    return JSON.parse(text);
  } catch {
    return parseJson(text, false);
  }
}

function arrayOf(inner: TypeDescription, bytes: Uint8Array): unknown {
  const { size = 1 } = inner;
  // A copy, so that it neither holds nor changes its neighbours.
  return packedOf(inner, bytes.slice(), { shape: [bytes.length / size], stride: [1] }).data;
}

/** One element. */
export function elementOf(type: TypeDescription, bytes: Uint8Array): unknown {
  const { kind, inner } = type;
  if (kind === "string") return utf8.decode(bytes);
  if (kind === "json") return jsonOf(utf8.decode(bytes));
  if (kind === "variable-array" && inner) return arrayOf(inner, bytes);
  if (kind !== "optional" || !inner) return bytes.slice();
  if (!bytes[0]) return null;
  const value = bytes.subarray(1);
  return someOf(inner, inner.size === undefined ? elementOf(inner, value) : scalarOf(inner, value));
}

/** The elements of a part one by one. */
function reader(type: TypeDescription, part: Uint8Array, count: number): (at: number) => unknown {
  const head = aligned(part.subarray(0, 4 * (count + 1)), 4);
  const offsets = new Uint32Array(head.buffer, head.byteOffset, count + 1);
  const bytes = part.subarray(4 * (count + 1));
  if (type.kind === "string") {
    // Text of one byte a character is decoded at once; a decoder's call costs more than a short string.
    const text = utf8.decode(bytes);
    if (text.length === bytes.length) return (at) => text.slice(offsets[at], offsets[at + 1]);
  }
  return (at) => elementOf(type, bytes.subarray(offsets[at], offsets[at + 1]));
}

const product = (extents: readonly number[]) => extents.reduce((total, extent) => total * extent, 1);

/** The elements of a result in the making. */
export class VariableElements {
  readonly values: unknown[];
  readonly #type: TypeDescription;
  readonly #fillValue: Uint8Array;

  constructor(type: TypeDescription, count: number, fillValue: Uint8Array) {
    this.#type = type;
    this.#fillValue = fillValue;
    this.values = new Array(count);
  }

  put(placement: Placement, part: Uint8Array): Promise<void> {
    return this.#place(placement, reader(this.#type, part, product(placement.shape)));
  }

  /** Every place gets a value of its own: nobody's change is seen elsewhere. */
  fill(placement: Placement): Promise<void> {
    return this.#place(placement, () => elementOf(this.#type, this.#fillValue));
  }

  fillAll(): void {
    for (let at = 0; at < this.values.length; at += 1)
      this.values[at] = elementOf(this.#type, this.#fillValue);
  }

  async #place(placement: Placement, value: (at: number) => unknown): Promise<void> {
    const rows = new Rows({ ...placement, elementSize: 1 });
    let at = 0;
    for (let row = 0; row < rows.count; row += 1) {
      const start = rows.next();
      for (let within = 0; within < rows.rowBytes; within += 1) {
        this.values[start + within] = value(at);
        at += 1;
        if (at % ELEMENTS_BETWEEN === 0 && isDue()) await breathe();
      }
    }
  }
}
