/**
 * Selections: the constructors `slice`, `points` and `select`, and the conversion of the caller's
 * selection to the plain object that the engine reads. The engine checks bounds, wraps negative
 * indices and clips slices (`access::selection`).
 *
 * Entries may give values of coordinates. Such an entry has the function that finds its index
 * (`conventions/ts/locate.ts`), so pages without such entries do not download it.
 */
import { needList, needReadable, object, type Rules } from "../engine/ts/model/argument.ts";
import type { DateLike } from "../engine/ts/model/date_like.ts";
import { InvalidSelectionError, shown } from "../engine/ts/model/errors.ts";
import type { EngineDimension, EngineSelection, Integer } from "../engine/ts/model/read_request.ts";
import type { Readable, Slice } from "../engine/ts/model/types.ts";

/** An array with such a selection: this package's, or a proxy of one. */
interface LocatedArray {
  readonly store: Readable;
  readonly path: string;
}

/** Converts the values in a selection to indices. */
type Locate = (array: never, selection: never, options: { signal?: AbortSignal }) => Promise<unknown>;

/** A value of a coordinate. For time coordinates it may be a date. */
export type CoordinateValue = number | bigint | DateLike;

/** Options of `at` and of `Coordinates.nearest`. */
export interface NearestOptions {
  /**
   * Which element to select if none has the value: `"nearest"` the nearest one (of two, the one
   * with the larger value), `"pad"` the last before it and `"backfill"` the first after it in
   * element order, `"exact"` none, as in pandas. Default: the nearest one, if the value is at most
   * half of a step beyond the ends.
   *
   * @throws an `InvalidSelectionError` if no element is selected.
   */
  method?: "nearest" | "pad" | "backfill" | "exact" | undefined;
  /**
   * Maximum distance of the element's value. Given, it is the only limit. Default: none.
   *
   * @unit units of the coordinate
   */
  tolerance?: number | undefined;
}

export const NEAREST_RULES: Rules<NearestOptions> = {
  method: ["nearest", "pad", "backfill", "exact"],
  tolerance: "a number",
};

/** An entry of a selection: the element at a value, or the elements at several. Made by `at`. */
export class AtValue {
  /** The value, or the values. */
  readonly value: CoordinateValue | readonly CoordinateValue[];
  /** Which element is selected if none has the value. */
  readonly options: NearestOptions;
  /** @internal */
  readonly locate: Locate;

  /** @internal */
  constructor(value: CoordinateValue | readonly CoordinateValue[], options: NearestOptions, locate: Locate) {
    this.value = value;
    this.options = options;
    this.locate = locate;
  }
}

/** An entry of a selection: the elements between two values. Made by `between`. */
export class BetweenValues {
  /** One end; null for no bound. */
  readonly from: CoordinateValue | null;
  /** The other end; null for no bound. */
  readonly to: CoordinateValue | null;
  /** @internal */
  readonly locate: Locate;

  /** @internal */
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
export function byIndex<Selection>(
  array: LocatedArray,
  selection: Selection,
  signal: AbortSignal | undefined,
): Selection | Promise<Selection> {
  if (selection === null || selection === undefined) return selection;
  needReadable(selection, "selection");
  const entry = Object.values(selection).find(isByValue);
  if (!entry) return selection;
  return entry.locate(array as never, selection as never, { signal }) as Promise<Selection>;
}

type Bound = Integer | null | undefined;

/** A slice, made by `slice` or as an object. Indices beyond 2^53 are bigints. */
type AnySlice = { start?: Bound; stop?: Bound; step?: Bound };

/**
 * The selection of one dimension: an index, a slice, all (`null`), a list of indices, or values of
 * its coordinate (`at`, `between`). `"..."` means as many `null` as there are other dimensions.
 */
export type DimensionSelection = Integer | AnySlice | null | undefined | "..." | ArrayLike<Integer> | ByValue;

/**
 * A selection: a list with an entry for each dimension, an object with entries by the names of
 * dimensions, or single elements (`points`). Dimensions without an entry are read whole.
 */
export type AnySelection = readonly DimensionSelection[] | Record<string, DimensionSelection> | Points;

/** Throws an `InvalidSelectionError` with what was expected and what was found. */
export function refuseSelection(
  message: string,
  expected: string,
  actual: unknown,
  where?: { path?: string; field?: string },
): never {
  throw new InvalidSelectionError(message, { expected, actual: shown(actual), ...where });
}

/** An integer for the engine: a number if it is safe, else a bigint. */
function integer(value: unknown, what: string, field: string): Integer {
  if (typeof value === "bigint") return value;
  if (typeof value === "number" && Number.isInteger(value))
    return Number.isSafeInteger(value) ? value : BigInt(value);
  return refuseSelection(`${what} is not an integer`, "an integer", value, { field });
}

const bound = (value: Bound, what: string, field: string) =>
  value === null || value === undefined ? undefined : integer(value, what, field);

const list = (values: ArrayLike<Integer>, field: string) =>
  Array.from(values as ArrayLike<unknown>, (value) => integer(value, "an entry of an index list", field));

const isList = (entry: object): entry is ArrayLike<Integer> =>
  Array.isArray(entry) || (ArrayBuffer.isView(entry) && "length" in entry);

/** `field` names the dimension in errors. */
function dimension(entry: DimensionSelection, field: string): EngineDimension {
  if (entry === null || entry === undefined) return "All";
  if (typeof entry === "number" || typeof entry === "bigint")
    return { Index: integer(entry, "an index", field) };
  if (typeof entry === "object" && isList(entry)) return { List: list(entry, field) };
  if (typeof entry === "object" && ("start" in entry || "stop" in entry || "step" in entry)) {
    const { start, stop, step } = entry as AnySlice;
    return {
      Slice: {
        start: bound(start, "start", field),
        stop: bound(stop, "stop", field),
        step: bound(step, "step", field),
      },
    };
  }
  if (isByValue(entry)) {
    throw new InvalidSelectionError("at and between are not supported by this call", {
      expected: "a selection by place: await locate(array, selection)",
    });
  }
  return refuseSelection(
    "an entry of the selection is not valid",
    'an integer, a slice, a list of integers, null or "..."',
    typeof entry === "string" ? JSON.stringify(entry) : typeof entry,
    { field },
  );
}

/** Replaces "..." by nulls. */
function spreadEllipsis(entries: readonly DimensionSelection[], rank: number): DimensionSelection[] {
  const at = entries.indexOf("...");
  if (at < 0) return [...entries];
  if (entries.lastIndexOf("...") !== at) throw new InvalidSelectionError('a selection may hold "..." once');
  const missing = Math.max(0, rank - (entries.length - 1));
  return [...entries.slice(0, at), ...new Array(missing).fill(null), ...entries.slice(at + 1)];
}

interface Dimensions {
  readonly shape: readonly number[];
  readonly dimensionNames: (string | null)[] | undefined;
  readonly attributes?: Record<string, unknown>;
}

/**
 * The names of the dimensions. For formats without names they are xarray's attribute
 * `_ARRAY_DIMENSIONS`, if it has one name per dimension.
 */
export function dimensionNamesOf({
  shape,
  dimensionNames,
  attributes,
}: Dimensions): (string | null)[] | undefined {
  if (dimensionNames) return dimensionNames;
  const names = attributes?._ARRAY_DIMENSIONS;
  const isWhole =
    Array.isArray(names) && names.length === shape.length && names.every((name) => typeof name === "string");
  return isWhole ? names : undefined;
}

/** The entries of a selection, one a dimension or fewer. */
function entriesOf(selection: Exclude<AnySelection, Points> | null | undefined, facts: Dimensions) {
  if (selection === null || selection === undefined) return [];
  if (Array.isArray(selection)) return spreadEllipsis(selection, facts.shape.length);
  const dimensionNames = dimensionNamesOf(facts) as string[] | undefined;
  return select({ dimensionNames }, selection as Record<string, DimensionSelection>);
}

/** Converts a selection to the engine's form. Null and undefined select the whole array. */
export function requestOf(
  selection: AnySelection | null | undefined,
  facts: Dimensions,
): { selection: EngineSelection } {
  if (selection instanceof Points)
    return { selection: { Points: selection.lists.map((each, at) => list(each, `dimension ${at}`)) } };
  if (typeof (selection ?? {}) !== "object")
    throw new InvalidSelectionError("the selection is not a list or an object", {
      field: "selection",
      actual: shown(selection),
    });
  const entries = entriesOf(selection, facts);
  const names = dimensionNamesOf(facts);
  const fieldOf = (axis: number) => `dimension ${names?.[axis] ?? axis}`;
  return { selection: { Orthogonal: entries.map((entry, axis) => dimension(entry, fieldOf(axis))) } };
}

/**
 * The memory order of all dimensions, slowest first. Dimensions that the caller did not name come
 * first. Throws an `InvalidSelectionError` for an unknown or repeated dimension.
 */
export function memoryOrderOf(named: readonly (string | number)[], facts: Dimensions): number[] {
  const names = dimensionNamesOf(facts) ?? [];
  const last = named.map((name) => (typeof name === "number" ? name : names.indexOf(name)));
  const isDimension = (axis: number) => Number.isInteger(axis) && axis >= 0 && axis < facts.shape.length;
  if (!last.every(isDimension) || new Set(last).size !== last.length) {
    refuseSelection(
      "memoryOrder must list dimensions of the array, each once",
      names.length > 0 ? names.join(", ") : `places below ${facts.shape.length}`,
      named,
    );
  }
  const first = [...facts.shape.keys()].filter((axis) => !last.includes(axis));
  return [...first, ...last];
}

function toNumber(value: Bound): number | null {
  if (value === null || value === undefined) return null;
  if (typeof value !== "bigint") {
    if (typeof value === "number") return value;
    throw new InvalidSelectionError(`start, stop and step of a slice are numbers: found ${typeof value}`);
  }
  const number = Number(value);
  if (!Number.isSafeInteger(number)) {
    throw new InvalidSelectionError(
      `${value} exceeds Number.MAX_SAFE_INTEGER; pass { start, stop, step } with bigints`,
    );
  }
  return number;
}

/**
 * Selects every `step`th index from `start` up to, but not including, `stop`, as in Python.
 *
 *     slice(10); // the first ten
 *     slice(10, 20); // from 10 up to 19
 *     slice(null, null, -1); // all, in reverse
 *
 * @param start The first index; null for the first one of the array, or the last one if `step` is
 *   negative. A negative index counts from the end.
 * @param stop The index after the last one; null for the end.
 * @param step The distance of indices, which may be negative. Default: 1.
 * @throws an `InvalidSelectionError` for what is not a number, and for integers beyond 2^53.
 */
export function slice(stop: Integer | null): Slice;
export function slice(start: Integer | null, stop?: Integer | null, step?: Integer | null): Slice;
export function slice(start: Integer | null, stop?: Integer | null, step: Integer | null = null): Slice {
  const [from, to] = stop === undefined ? [null, start] : [start, stop];
  return { start: toNumber(from), stop: toNumber(to), step: toNumber(step) };
}

/**
 * Converts a selection by dimension names to one by position. Dimensions without an entry are
 * selected completely.
 *
 *     select(array, { time: 0 }); // [0, null, null]
 *
 * @param array The array, whose names are used.
 * @param selection The entries, by the names of dimensions.
 * @throws an `InvalidSelectionError` for unknown names, and for an array without names.
 */
export function select<T = number | Slice | null>(
  array: { readonly dimensionNames: string[] | undefined },
  selection: Record<string, T>,
): (T | null)[] {
  needReadable(array, "array");
  const names = Object(array).dimensionNames as string[] | undefined;
  if (!names) throw new InvalidSelectionError("the array does not have dimension_names");
  for (const name of Object.keys(object(selection, "selection"))) {
    const count = names.filter((other) => other === name).length;
    if (count === 1) continue;
    refuseSelection(
      count === 0 ? `Unknown dimension name: "${name}"` : `several dimensions are named "${name}"`,
      `one of ${names.map((known) => JSON.stringify(known)).join(", ")}`,
      name,
    );
  }
  // A dimension may have any name, even that of a member of every object.
  return names.map((name) => (Object.hasOwn(selection, name) ? (selection[name] ?? null) : null));
}

/** A selection of single elements. Made by `points`. */
export class Points {
  /** A list of indices for each dimension. */
  readonly lists: readonly ArrayLike<number | bigint>[];

  /** @internal */
  constructor(lists: readonly ArrayLike<number | bigint>[]) {
    this.lists = lists;
  }
}

/**
 * Selects single elements: `points([0, 5], [1, 7])` are the elements [0, 1] and [5, 7].
 *
 * @param lists A list of indices for each dimension, all of the same length.
 * @throws an `Argument` error for what is not a list.
 */
export function points(...lists: ArrayLike<number | bigint>[]): Points {
  for (const list of lists) needList(list, "list");
  return new Points(lists);
}
