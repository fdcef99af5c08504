/**
 * Finds the element of a coordinate that is equal or nearest to a value, by binary search. The
 * values may be ascending, descending or unsorted, and may contain NaN. Works on numbers only.
 *
 * The coordinates of an `EvenAxis` follow from a scale and a translation. They are computed one by
 * one, and listed only for callers: a few bytes of metadata describe axes that no list could hold.
 */
import type { NearestOptions } from "../../api/selection.ts";
import { need } from "../../engine/ts/model/argument.ts";
import { InvalidSelectionError, ZarrError } from "../../engine/ts/model/errors.ts";
import type { Slice } from "../../engine/ts/model/types.ts";
import { spansOf, turnsOf } from "./longitude.ts";

type Method = NonNullable<NearestOptions["method"]>;

/** 1 for strictly ascending values, −1 for strictly descending ones, 0 for others or with NaN. */
function directionOf(values: ArrayLike<number>): 1 | -1 | 0 {
  const direction = values.length < 2 || (values[1] as number) > (values[0] as number) ? 1 : -1;
  for (let at = 0; at < values.length; at += 1) {
    const isNext = at === 0 || ((values[at] as number) - (values[at - 1] as number)) * direction > 0;
    if (!isNext || Number.isNaN(values[at])) return 0;
  }
  return direction;
}

/** Numbers that are read one by one: a typed array, or an axis that computes them. */
interface Series {
  readonly length: number;
  at(element: number): number | undefined;
}

/** The width of the cells at both ends of an axis. Infinite if it is not known. */
type Cells = readonly [low: number, high: number];

/**
 * An element, its distance, and the value that it was found by: a longitude may be of another turn.
 */
interface Found {
  element: number;
  distance: number;
  value: number;
}

/** Beyond the precision of degrees in doubles: a longitude of another turn is computed. */
const ROUNDED = 1e-9;

/** The elements in ascending order of their values, without NaN. Equal values keep their order. */
function sorted(values: Float64Array): Uint32Array {
  const all = Uint32Array.from({ length: values.length }, (_, at) => at);
  const there = all.filter((at) => !Number.isNaN(values[at]));
  return there.sort((a, b) => (values[a] as number) - (values[b] as number) || a - b);
}

export class Lookup {
  readonly #values: Series;
  readonly #direction: 1 | -1 | 0;
  /** The elements in ascending order of their values. Undefined if they have no other order. */
  readonly #order: Uint32Array | undefined;
  /** Whether values are longitudes, so that a turn more or less is the same point. */
  readonly #isTurning: boolean;

  private constructor(values: Series, direction: 1 | -1 | 0, isTurning: boolean, order?: Uint32Array) {
    [this.#values, this.#direction, this.#order] = [values, direction, order];
    this.#isTurning = isTurning;
  }

  static ofList(values: Float64Array, isTurning = false): Lookup {
    const direction = directionOf(values);
    return new Lookup(values, direction, isTurning, direction === 0 ? sorted(values) : undefined);
  }

  /** For an axis whose values rise, fall, or are all equal. Neighbours may be equal by rounding. */
  static ofAxis(axis: EvenAxis, isTurning = false): Lookup {
    return new Lookup(axis, axis.direction, isTurning);
  }

  #at(element: number): number {
    return this.#values.at(element) as number;
  }

  get #count(): number {
    return this.#order?.length ?? this.#values.length;
  }

  /** The element of a rank in ascending order. Undefined beyond the ends. */
  #element(rank: number): number | undefined {
    if (rank < 0 || rank >= this.#count) return undefined;
    if (this.#order) return this.#order[rank];
    return this.#direction === -1 ? this.#count - 1 - rank : rank;
  }

  /** Number of elements below a value; with `orEqual`, also those equal to it. */
  #below(value: number, orEqual: boolean): number {
    let [low, high] = [0, this.#count];
    while (low < high) {
      const middle = low + Math.floor((high - low) / 2);
      const other = this.#at(this.#element(middle) as number);
      if (other < value || (orEqual && other === value)) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** The element of a value; undefined if there is none. */
  #find(value: number, method: Method): number | undefined {
    const above = this.#below(value, false);
    const [before, after] = [this.#first(above - 1), this.#first(above)];
    if (after !== undefined && this.#at(after) === value) return after;
    if (method === "exact" || Number.isNaN(value)) return undefined;
    // `pad` and `backfill` follow the order of the elements. For descending values it is reversed.
    const isFalling = this.#direction === -1;
    if (method === "pad") return isFalling ? after : before;
    if (method === "backfill") return isFalling ? before : after;
    if (before === undefined || after === undefined) return before ?? after;
    return value - this.#at(before) < this.#at(after) - value ? before : after;
  }

  /** The first of the elements that have the same value as the one of a rank. */
  #first(rank: number): number | undefined {
    const element = this.#element(rank);
    if (element === undefined) return undefined;
    const value = this.#at(element);
    return this.#element(this.#direction === -1 ? this.#below(value, true) - 1 : this.#below(value, false));
  }

  /** The lowest and the highest value. There must be one. */
  get #ends(): readonly [number, number] {
    const at = (rank: number) => this.#at(this.#element(rank) as number);
    return [at(0), at(this.#count - 1)];
  }

  /** The distances from the values at both ends to their neighbours. */
  get #cells(): Cells {
    const { step } = this.#values as Partial<EvenAxis>;
    if (step !== undefined) return [Math.abs(step), Math.abs(step)];
    const [low, high] = this.#ends;
    const [next, last] = [this.#element(this.#below(low, true)), this.#element(this.#below(high, false) - 1)];
    const far = Number.POSITIVE_INFINITY;
    return [
      next === undefined ? far : this.#at(next) - low,
      last === undefined ? far : high - this.#at(last),
    ];
  }

  /** The element of a value and its distance, also around the globe. Undefined if there is none. */
  #search(value: number, method: Method): Found | undefined {
    if (this.#count === 0) return undefined;
    let best: Found | undefined;
    for (const turn of this.#isTurning ? turnsOf(value, this.#ends) : [value]) {
      const isRounded = turn !== value && method === "exact";
      const element = this.#find(turn, isRounded ? "nearest" : method);
      if (element === undefined) continue;
      const distance = Math.abs(this.#at(element) - turn);
      if (isRounded && distance > ROUNDED) continue;
      if (!best || (method === "nearest" && distance < best.distance))
        best = { element, distance, value: turn };
    }
    return best;
  }

  /** Whether a value is between the outer edges of the cells at both ends. */
  #isInCell({ value, distance }: Found): boolean {
    const [[low, high], [below, above]] = [this.#ends, this.#cells];
    if (value >= low && value <= high) return true;
    return distance <= ((value < low ? below : above) / 2) * (1 + ROUNDED);
  }

  /**
   * The element of a value. `what` names the dimension in errors. Throws an `InvalidSelectionError`
   * if there is none. Without a method or a tolerance it is the element whose cell has the value:
   * cells reach half way to the neighbours, and as far beyond the ends.
   */
  nearest(value: number, options: NearestOptions, what: string): number {
    const { method = "nearest", tolerance = Number.POSITIVE_INFINITY } = options;
    need(tolerance >= 0, "tolerance", "a number from 0 up", tolerance);
    if (this.#direction === 0 && (method === "pad" || method === "backfill")) {
      throw new InvalidSelectionError(
        `"${method}" needs coordinates that rise or fall, and ${what} does neither`,
      );
    }
    const found = this.#search(value, method);
    const isFar = options.method === undefined && options.tolerance === undefined;
    if (found && found.distance <= tolerance && (!isFar || this.#isInCell(found))) return found.element;
    const within = Number.isFinite(tolerance) ? ` within ${tolerance}` : "";
    const wanted = method === "exact" ? "a value that is there" : `${method}${within}`;
    throw this.#nothingAt(value, what, found && isFar ? this.#reach() : wanted);
  }

  /** The values that the cells of the elements have, as text. */
  #reach(): string {
    const [[low, high], [below, above]] = [this.#ends, this.#cells];
    const turns = this.#isTurning ? ", or a turn more or less" : "";
    return `a value from ${low - below / 2} to ${high + above / 2}${turns}; method: "nearest" takes the nearest`;
  }

  #nothingAt(value: number, what: string, expected: string): InvalidSelectionError {
    const closest = this.#search(value, "nearest");
    return new InvalidSelectionError(`no element of ${what} is at ${value}`, {
      expected,
      actual: closest ? `the nearest is ${this.#at(closest.element)}` : "no values",
    });
  }

  /**
   * The elements from one value to another, both included: a slice; a list if unsorted. Of
   * longitudes that cross the first one it is a list from the western value on, or from the eastern
   * one if the values fall. `what` names the dimension.
   */
  range(low: number, high: number, what: string): Slice | number[] {
    const spans =
      this.#isTurning && this.#count > 0 ? spansOf([low, high], this.#ends) : [[low, high] as const];
    const parts = spans.map(([from, to]) => this.#ranksOf(from, to)).filter(([start, end]) => end > start);
    const [first = [0, 0] as const, ...more] = parts;
    if (!this.#order && more.length === 0)
      return this.#sliceOf(parts.length > 0 ? first : this.#ranksOf(low, high));
    const count = parts.reduce((sum, [start, end]) => sum + end - start, 0);
    needListable(count, what);
    const list = parts.flatMap(([start, end]) =>
      globalThis.Array.from({ length: end - start }, (_, at) => this.#element(start + at) as number),
    );
    if (this.#order) return list.sort((a, b) => a - b);
    return this.#direction === -1 ? list.reverse() : list;
  }

  /** The ranks in ascending order of the elements between two values. */
  #ranksOf(low: number, high: number): readonly [start: number, end: number] {
    const start = this.#below(low, false);
    return [start, Math.max(start, this.#below(high, true))];
  }

  #sliceOf([start, end]: readonly [number, number]): Slice {
    const { length } = this.#values;
    if (this.#direction === -1) return { start: length - end, stop: length - start, step: null };
    return { start, stop: end, step: null };
  }
}

/** Maximum number of values in one list: as many doubles as the result of one read may have. */
const MAX_VALUES = (2 ** 31 - 2 ** 16) / 8;

const tooMany = (dimension: string, most: number, length: number) =>
  new ZarrError("Limit", `the values of ${JSON.stringify(dimension)} are too many for a list`, {
    expected: `at most ${most}; value, nearest and range need no list`,
    actual: String(length),
  });

/** Throws a `Limit` error if a list of the values of an axis would be too long. */
export function needListable(length: number, dimension: string, most = MAX_VALUES): void {
  if (length > most) throw tooMany(dimension, most, length);
}

/** A list of zeros. Where memory is short, a `Limit` error. */
function zeros(length: number, dimension: string): Float64Array {
  needListable(length, dimension);
  try {
    return new Float64Array(length);
  } catch {
    throw tooMany(dimension, MAX_VALUES, length);
  }
}

export class EvenAxis {
  readonly length: number;
  readonly start: number;
  /** From one value to the next. */
  readonly step: number;

  constructor(start: number, step: number, length: number) {
    [this.start, this.step, this.length] = [start, step, length];
  }

  /** 1 if the values rise, −1 if they fall, 0 if they are all equal. */
  get direction(): 1 | -1 | 0 {
    if (this.step > 0) return 1;
    return this.step < 0 ? -1 : 0;
  }

  /** The value of an element; undefined if there is no such element. */
  at(element: number): number | undefined {
    return element >= 0 && element < this.length ? this.step * element + this.start : undefined;
  }

  /** All values. Throws a `Limit` error if they are too many; `dimension` names the axis in it. */
  list(dimension: string): Float64Array {
    const values = zeros(this.length, dimension);
    for (let at = 0; at < values.length; at += 1) values[at] = this.step * at + this.start;
    return values;
  }
}
