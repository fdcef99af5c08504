/**
 * Entries of selections that name values of coordinates. An entry brings the function that finds
 * its place (`convention/locate.ts`), so that pages which use none do not download it.
 */
import type { DateLike } from "../model/time.ts";
import type { Readable } from "../model/types.ts";

/** Where entries stand: ours, or a proxy of one. */
interface ArrayLike {
  readonly store: Readable;
  readonly path: string;
}

/** Finds the places that the values in a selection are at. */
export type Locate = (
  array: never,
  selection: never,
  options: { signal?: AbortSignal | undefined },
) => Promise<unknown>;

/** A value of a coordinate: of time also a date. */
export type CoordinateValue = number | bigint | DateLike;

export interface NearestOptions {
  /**
   * Which element is meant where none has the value: the `"nearest"` (of two the one with the
   * larger value), the last before it (`"pad"`) or the first after it (`"backfill"`) in the order
   * of the elements, as pandas has them, or none (`"exact"`). `"nearest"` unless given.
   */
  method?: "nearest" | "pad" | "backfill" | "exact";
  /** How far off an element may be, in units of the coordinate. */
  tolerance?: number;
}

/** The element at a value, or the elements at several. Made by `at`. */
export class AtValue {
  readonly value: CoordinateValue | readonly CoordinateValue[];
  readonly options: NearestOptions;
  /** @internal */
  readonly locate: Locate;

  constructor(value: CoordinateValue | readonly CoordinateValue[], options: NearestOptions, locate: Locate) {
    this.value = value;
    this.options = options;
    this.locate = locate;
  }
}

/** The elements between two values. Made by `between`. */
export class BetweenValues {
  readonly from: CoordinateValue | null;
  readonly to: CoordinateValue | null;
  /** @internal */
  readonly locate: Locate;

  constructor(from: CoordinateValue | null, to: CoordinateValue | null, locate: Locate) {
    this.from = from;
    this.to = to;
    this.locate = locate;
  }
}

/** An entry of a selection that names values of a coordinate. */
export type ByValue = AtValue | BetweenValues;

export const isByValue = (entry: unknown): entry is ByValue =>
  entry instanceof AtValue || entry instanceof BetweenValues;

/** A selection by place: the values of coordinates in it are looked up. */
export function placesOf<Selection>(
  array: ArrayLike,
  selection: Selection,
  signal: AbortSignal | undefined,
): Selection | Promise<Selection> {
  if (selection === null || selection === undefined) return selection;
  const entry = Object.values(selection).find(isByValue);
  if (!entry) return selection;
  return entry.locate(array as never, selection as never, { signal }) as Promise<Selection>;
}
