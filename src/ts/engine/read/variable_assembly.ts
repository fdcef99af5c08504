/**
 * Assembles elements of variable length from the parts of a read into one buffer, in the order of
 * the result. Parts are such buffers too.
 */

import { type Placement, Rows } from "../../elements/loops.ts";
import { variableBuffer } from "../../elements/pack.ts";
import { isDue, pauseIfDue } from "../../elements/pause.ts";
import { splitVariable } from "../../elements/variable_buffer.ts";
import { ZarrError } from "../../model/errors.ts";
import { RESULT_BYTES } from "../../model/limits.ts";

/** Number of elements between two checks of the clock. */
const ELEMENTS_BETWEEN = 4096;

/** Maximum number of elements. Each takes some 20 bytes, however short it is. */
const MOST_ELEMENTS = 2 ** 26;

const tooLarge = (most: string, actual: string) =>
  new ZarrError("Limit", "elements of variable length are too large for one result", {
    expected: `at most ${most}`,
    actual,
  });

export class VariableAssembly {
  readonly #count: number;
  /** The bytes of the parts, without their offsets. */
  readonly #parts: Uint8Array[];
  /**
   * For each element: the part that has it (0 is the fill value), its offset there, and its length.
   */
  readonly #part: Uint32Array;
  readonly #start: Uint32Array;
  readonly #length: Uint32Array;
  /** A part that is the complete result. */
  #whole: Uint8Array | undefined;

  constructor(count: number, fillValue: Uint8Array) {
    if (count > MOST_ELEMENTS) throw tooLarge(`${MOST_ELEMENTS} elements`, `${count} elements`);
    this.#count = count;
    this.#parts = [fillValue];
    this.#part = new Uint32Array(count);
    this.#start = new Uint32Array(count);
    this.#length = new Uint32Array(count).fill(fillValue.length);
  }

  /** Takes a part that is the complete result, in its order. */
  takeWhole(part: Uint8Array): void {
    this.#whole = part;
  }

  async put(placement: Placement, part: Uint8Array): Promise<void> {
    const rows = new Rows({ ...placement, elementSize: 1 });
    const { offsets, bytes } = splitVariable(part, rows.count * rows.rowBytes);
    const number = this.#parts.push(bytes) - 1;
    let at = 0;
    for (let row = 0; row < rows.count; row += 1) {
      const begin = rows.next();
      for (let place = begin; place < begin + rows.rowBytes; place += 1, at += 1) {
        const offset = offsets[at] as number;
        this.#part[place] = number;
        this.#start[place] = offset;
        this.#length[place] = (offsets[at + 1] as number) - offset;
        if (at % ELEMENTS_BETWEEN === 0 && isDue()) await pauseIfDue();
      }
    }
  }

  /** Returns the packed elements. Throws a `Limit` error beyond `RESULT_BYTES`. */
  async finish(): Promise<Uint8Array> {
    if (this.#whole) return this.#whole;
    let total = 0;
    for (const length of this.#length) total += length;
    if (total > RESULT_BYTES) throw tooLarge(`${RESULT_BYTES} bytes`, `${total} bytes`);
    const packed = variableBuffer(this.#count, total);
    const { offsets, bytes } = splitVariable(packed, this.#count);
    let end = 0;
    for (let at = 0; at < this.#count; at += 1) {
      const [start, length] = [this.#start[at] as number, this.#length[at] as number];
      const part = this.#parts[this.#part[at] as number] as Uint8Array;
      bytes.set(part.subarray(start, start + length), end);
      end += length;
      offsets[at + 1] = end;
      if (at % ELEMENTS_BETWEEN === 0 && isDue()) await pauseIfDue();
    }
    return packed;
  }
}
