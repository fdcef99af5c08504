/**
 * Converts the caller's selection to the plain object that the engine reads. The engine checks
 * bounds, wraps negative indices and clips slices (`access::selection`).
 */

import { InvalidSelectionError, shown } from "../model/errors.ts";
import type { EngineDimension, EngineSelection, Integer } from "../model/request.ts";
import { type ByValue, isByValue } from "./by_value.ts";
import { Points, select } from "./slice.ts";

export { Points };

type Bound = Integer | null | undefined;

/** A slice, made by `slice` or as an object. Indices beyond 2^53 are bigints. */
type AnySlice = { start?: Bound; stop?: Bound; step?: Bound };

/**
 * The selection of one dimension: an index, a slice, all (`null`), a list of indices, or values of
 * its coordinate (`at`, `between`). "..." means as many `null` as there are other dimensions.
 */
export type DimensionSelection = Integer | AnySlice | null | undefined | "..." | ArrayLike<Integer> | ByValue;

/** A selection by position, by dimension name, or of single points. */
export type AnySelection = readonly DimensionSelection[] | Record<string, DimensionSelection> | Points;

/** An integer for the engine: a number if it is safe, else a bigint. */
function integer(value: unknown, what: string): Integer {
  if (typeof value === "bigint") return value;
  if (typeof value === "number" && Number.isInteger(value))
    return Number.isSafeInteger(value) ? value : BigInt(value);
  throw new InvalidSelectionError(`${what} is not an integer`, {
    expected: "an integer",
    actual: shown(value),
  });
}

const bound = (value: Bound, what: string) =>
  value === null || value === undefined ? undefined : integer(value, what);

const list = (values: ArrayLike<Integer>) =>
  Array.from(values as ArrayLike<unknown>, (value) => integer(value, "an entry of an index list"));

const isList = (entry: object): entry is ArrayLike<Integer> =>
  Array.isArray(entry) || (ArrayBuffer.isView(entry) && "length" in entry);

function dimension(entry: DimensionSelection): EngineDimension {
  if (entry === null || entry === undefined) return "All";
  if (typeof entry === "number" || typeof entry === "bigint") return { Index: integer(entry, "an index") };
  if (typeof entry === "object" && isList(entry)) return { List: list(entry) };
  if (typeof entry === "object" && ("start" in entry || "stop" in entry || "step" in entry)) {
    const { start, stop, step } = entry as AnySlice;
    return { Slice: { start: bound(start, "start"), stop: bound(stop, "stop"), step: bound(step, "step") } };
  }
  if (isByValue(entry)) {
    throw new InvalidSelectionError("at and between are not supported by this call", {
      expected: "a selection by place: await locate(array, selection)",
    });
  }
  throw new InvalidSelectionError("an entry of the selection is not valid", {
    expected: 'an integer, a slice, a list of integers, null or "..."',
    actual: typeof entry === "string" ? JSON.stringify(entry) : typeof entry,
  });
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

/** Converts a selection to the engine's form. Null and undefined select the whole array. */
export function requestOf(
  selection: AnySelection | null | undefined,
  facts: Dimensions,
): { selection: EngineSelection } {
  if (selection instanceof Points) return { selection: { Points: selection.lists.map(list) } };
  if (typeof (selection ?? {}) !== "object")
    throw new InvalidSelectionError("the selection is not a list or an object", {
      actual: shown(selection),
    });
  const entries =
    selection === null || selection === undefined
      ? []
      : Array.isArray(selection)
        ? spreadEllipsis(selection, facts.shape.length)
        : select(
            { dimensionNames: dimensionNamesOf(facts) as string[] | undefined },
            selection as Record<string, DimensionSelection>,
          );
  return { selection: { Orthogonal: entries.map(dimension) } };
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
    throw new InvalidSelectionError("memoryOrder must list dimensions of the array, each once", {
      expected: names.length > 0 ? names.join(", ") : `places below ${facts.shape.length}`,
      actual: shown(named),
    });
  }
  const first = [...facts.shape.keys()].filter((axis) => !last.includes(axis));
  return [...first, ...last];
}
