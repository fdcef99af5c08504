/**
 * Selection entries that give values of coordinates. An entry has the function that finds its index
 * (`convention/locate.ts`), so pages without such entries do not download it.
 */
import { needReadable, type Rules } from "../model/argument.ts";
import type { DateLike, Readable } from "../model/types.ts";

/** An array with such a selection: this package's, or a proxy of one. */
interface ArrayLike {
  readonly store: Readable;
  readonly path: string;
}

/** Converts the values in a selection to indices. */
type Locate = (
  array: never,
  selection: never,
  options: { signal?: AbortSignal | undefined },
) => Promise<unknown>;

/** A value of a coordinate. For time coordinates it may be a date. */
export type CoordinateValue = number | bigint | DateLike;

export interface NearestOptions {
  /**
   * Which element to select if none has the value: the nearest one (of two, the one with the larger
   * value), the last before it (`"pad"`) or the first after it (`"backfill"`) in element order, or
   * none (`"exact"`), as in pandas. Default: `"nearest"`.
   */
  method?: "nearest" | "pad" | "backfill" | "exact";
  /** Maximum distance of the element's value, in units of the coordinate. Default: none. */
  tolerance?: number;
}

export const NEAREST_RULES: Rules = {
  method: "a text",
  tolerance: "a number",
};

/** Selects the element at a value, or the elements at several. Made by `at`. */
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

/** Selects the elements between two values. Made by `between`. */
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

/** A selection entry that gives values of a coordinate. */
export type ByValue = AtValue | BetweenValues;

export const isByValue = (entry: unknown): entry is ByValue =>
  entry instanceof AtValue || entry instanceof BetweenValues;

/** Replaces coordinate values in a selection by indices. */
export function placesOf<Selection>(
  array: ArrayLike,
  selection: Selection,
  signal: AbortSignal | undefined,
): Selection | Promise<Selection> {
  if (selection === null || selection === undefined) return selection;
  needReadable(selection, "selection");
  const entry = Object.values(selection).find(isByValue);
  if (!entry) return selection;
  return entry.locate(array as never, selection as never, { signal }) as Promise<Selection>;
}
