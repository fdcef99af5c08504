/**
 * The coordinates of an axis that follow from a scale and a translation. They are computed one by
 * one: a few bytes of metadata describe axes that no list could hold.
 */
import { ZarrError } from "../model/errors.ts";

/** Maximum number of values in one list: as many doubles as the result of one read may have. */
const MOST_VALUES = (2 ** 31 - 2 ** 16) / 8;

const tooMany = (dimension: string, most: number, length: number) =>
  new ZarrError("Limit", `the values of ${JSON.stringify(dimension)} are too many for a list`, {
    expected: `at most ${most}; value, nearest and range need no list`,
    actual: String(length),
  });

/** Throws a `Limit` error if a list of the values of an axis would be too long. */
export function needListable(length: number, dimension: string, most = MOST_VALUES): void {
  if (length > most) throw tooMany(dimension, most, length);
}

/** A list of zeros. Where memory is short, a `Limit` error. */
function zeros(length: number, dimension: string): Float64Array {
  needListable(length, dimension);
  try {
    return new Float64Array(length);
  } catch {
    throw tooMany(dimension, MOST_VALUES, length);
  }
}

export class EvenAxis {
  readonly length: number;
  readonly #start: number;
  readonly #step: number;

  constructor(start: number, step: number, length: number) {
    [this.#start, this.#step, this.length] = [start, step, length];
  }

  /** 1 if the values rise, −1 if they fall, 0 if they are all equal. */
  get direction(): 1 | -1 | 0 {
    return this.#step > 0 ? 1 : this.#step < 0 ? -1 : 0;
  }

  /** The value of an element; undefined if there is no such element. */
  at(element: number): number | undefined {
    return element >= 0 && element < this.length ? this.#step * element + this.#start : undefined;
  }

  /** All values. Throws a `Limit` error if they are too many; `dimension` names the axis in it. */
  list(dimension: string): Float64Array {
    const values = zeros(this.length, dimension);
    for (let at = 0; at < values.length; at += 1) values[at] = this.#step * at + this.#start;
    return values;
  }
}
