/**
 * Finds the element of a coordinate that is equal or nearest to a value, by binary search. The
 * values may be ascending, descending or unsorted, and may contain NaN. Works on numbers only.
 */
import type { NearestOptions } from "../api/by_value.ts";
import { InvalidSelectionError } from "../model/errors.ts";
import type { Slice } from "../model/types.ts";

type Method = NonNullable<NearestOptions["method"]>;

const METHODS: readonly Method[] = ["nearest", "pad", "backfill", "exact"];

/** 1 for strictly ascending values, −1 for strictly descending ones, 0 for others or with NaN. */
function directionOf(values: ArrayLike<number>): 1 | -1 | 0 {
  const direction = values.length < 2 || (values[1] as number) > (values[0] as number) ? 1 : -1;
  for (let at = 0; at < values.length; at += 1) {
    const isNext = at === 0 || ((values[at] as number) - (values[at - 1] as number)) * direction > 0;
    if (!isNext || Number.isNaN(values[at])) return 0;
  }
  return direction;
}

export class Lookup {
  readonly #values: ArrayLike<number>;
  readonly #direction: 1 | -1 | 0;
  /** Indices of the elements in ascending order of their values, without NaN. */
  readonly #order: Uint32Array;

  constructor(values: ArrayLike<number>) {
    this.#values = values;
    this.#direction = directionOf(values);
    const all = Uint32Array.from({ length: values.length }, (_, at) => at);
    if (this.#direction === -1) all.reverse();
    const there = this.#direction === 0 ? all.filter((at) => !Number.isNaN(values[at])) : all;
    // Elements with equal values keep their order.
    if (this.#direction === 0) there.sort((a, b) => this.#at(a) - this.#at(b) || a - b);
    this.#order = there;
  }

  #at(element: number): number {
    return this.#values[element] as number;
  }

  /** Number of elements below a value; with `orEqual`, also those equal to it. */
  #below(value: number, orEqual: boolean): number {
    let [low, high] = [0, this.#order.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      const other = this.#at(this.#order[middle] as number);
      if (other < value || (orEqual && other === value)) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** The element of a value; undefined if there is none. */
  #find(value: number, method: Method): number | undefined {
    const above = this.#below(value, false);
    const [before, after] = [this.#order[above - 1], this.#order[above]];
    if (after !== undefined && this.#at(after) === value) return after;
    if (method === "exact" || Number.isNaN(value)) return undefined;
    // `pad` and `backfill` follow the order of the elements. For descending values it is reversed.
    const isFalling = this.#direction === -1;
    if (method === "pad") return isFalling ? after : this.#first(before);
    if (method === "backfill") return isFalling ? before : after;
    if (before === undefined || after === undefined) return this.#first(before ?? after);
    return value - this.#at(before) < this.#at(after) - value ? this.#first(before) : after;
  }

  /** The first element with the same value. */
  #first(element: number | undefined): number | undefined {
    return element === undefined ? undefined : this.#order[this.#below(this.#at(element), false)];
  }

  /**
   * The element of a value. `what` names the dimension in errors. Throws an `InvalidSelectionError`
   * if there is none.
   */
  nearest(
    value: number,
    { method = "nearest", tolerance = Number.POSITIVE_INFINITY }: NearestOptions,
    what: string,
  ): number {
    if (!METHODS.includes(method) || !(tolerance >= 0)) {
      throw new InvalidSelectionError("the options method or tolerance are not valid", {
        expected: `${METHODS.join(", ")}, and a tolerance of 0 or more`,
        actual: `${method}, ${tolerance}`,
      });
    }
    if (this.#direction === 0 && (method === "pad" || method === "backfill")) {
      throw new InvalidSelectionError(
        `"${method}" needs coordinates that rise or fall, and ${what} does neither`,
      );
    }
    const found = this.#find(value, method);
    if (found !== undefined && Math.abs(this.#at(found) - value) <= tolerance) return found;
    const closest = this.#find(value, "nearest");
    throw new InvalidSelectionError(`no element of ${what} is at ${value}`, {
      expected: `${method === "exact" ? "a value that is there" : method}${Number.isFinite(tolerance) ? ` within ${tolerance}` : ""}`,
      actual: closest === undefined ? "no values" : `the nearest is ${this.#at(closest)}`,
    });
  }

  /** The elements from one value to another, both included: a slice; a list if unsorted. */
  range(low: number, high: number): Slice | number[] {
    const [start, end] = [
      this.#below(low, false),
      Math.max(this.#below(low, false), this.#below(high, true)),
    ];
    if (this.#direction === 1) return { start, stop: end, step: null };
    const { length } = this.#order;
    if (this.#direction === -1) return { start: length - end, stop: length - start, step: null };
    return globalThis.Array.from(this.#order.subarray(start, end)).sort((a, b) => a - b);
  }
}
