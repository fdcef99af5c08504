/**
 * Words of selections by coordinate values: `at` and `between`. Where the coordinates are is found by `locate` (`convention/locate.ts`);
 * here is nothing but what was written.
 */
import type { DateLike } from "../convention/time.ts";

/** A value of a coordinate: of time also a date. */
export type CoordinateValue = number | bigint | DateLike;

export interface NearestOptions {
  /**
   * Which element is meant where none has the value: the `"nearest"` (of two the one with the larger value), the last before it (`"pad"`) or
   * the first after it (`"backfill"`) in the order of the elements, as pandas has them, or none (`"exact"`). `"nearest"` unless given.
   */
  method?: "nearest" | "pad" | "backfill" | "exact";
  /** How far off an element may be, in units of the coordinate. */
  tolerance?: number;
}

/** The element at a value, or the elements at several. Made by `at`. */
export class AtValue {
  readonly value: CoordinateValue | readonly CoordinateValue[];
  readonly options: NearestOptions;

  constructor(value: CoordinateValue | readonly CoordinateValue[], options: NearestOptions = {}) {
    this.value = value;
    this.options = options;
  }
}

/** The elements between two values. Made by `between`. */
export class BetweenValues {
  readonly from: CoordinateValue | null;
  readonly to: CoordinateValue | null;

  constructor(from: CoordinateValue | null, to: CoordinateValue | null) {
    this.from = from;
    this.to = to;
  }
}

/** An entry of a selection that names values of a coordinate. */
export type ByValue = AtValue | BetweenValues;

/**
 * In place of an index: the element whose coordinate is nearest to a value. Of a list of values, the elements in its order.
 * `array.get({ lat: at(51.5), time: at("2000-01-01") })`
 */
export const at = (value: CoordinateValue | readonly CoordinateValue[], options?: NearestOptions): AtValue =>
  new AtValue(value, options);

/**
 * In place of a slice: the elements whose coordinates are from one value to another, both included, in either order; null is no bound. A date
 * without a clock is its midnight, not all of its day.
 * `array.get({ time: between("2000-01-01", "2000-12-31T23:59") })`
 */
export const between = (from: CoordinateValue | null, to: CoordinateValue | null): BetweenValues =>
  new BetweenValues(from, to);

export const isByValue = (entry: unknown): entry is ByValue =>
  entry instanceof AtValue || entry instanceof BetweenValues;
