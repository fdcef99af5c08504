/**
 * Constructors of selections: `slice`, `points`, and `select` by dimension names. They need no
 * wasm.
 */
import { needList, needReadable, object } from "../model/argument.ts";
import { InvalidSelectionError } from "../model/errors.ts";
import type { Slice } from "../model/types.ts";

function toNumber(value: bigint | number | null | undefined): number | null {
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

type Bound = bigint | number | null;

/** Selects every `step`th index from `start` up to, but not including, `stop`, as in Python. */
export function slice(stop: Bound): Slice;
export function slice(start: Bound, stop?: Bound, step?: Bound): Slice;
export function slice(start: Bound, stop?: Bound, step: Bound = null): Slice {
  const [from, to] = stop === undefined ? [null, start] : [start, stop];
  return { start: toNumber(from), stop: toNumber(to), step: toNumber(step) };
}

/**
 * Converts a selection by dimension names to one by position. Dimensions without an entry are
 * selected completely. Throws an `InvalidSelectionError` for unknown names.
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
    throw new InvalidSelectionError(
      count === 0 ? `Unknown dimension name: "${name}"` : `several dimensions are named "${name}"`,
      { expected: `one of ${names.map((known) => JSON.stringify(known)).join(", ")}`, actual: name },
    );
  }
  // A dimension may have any name, even that of a member of every object.
  return names.map((name) => (Object.hasOwn(selection, name) ? (selection[name] ?? null) : null));
}

/** Selects single elements: one list of indices per dimension. Made by `points`. */
export class Points {
  readonly lists: readonly ArrayLike<number | bigint>[];

  constructor(lists: readonly ArrayLike<number | bigint>[]) {
    this.lists = lists;
  }
}

/** Selects single elements: `points([0, 5], [1, 7])` are the elements [0, 1] and [5, 7]. */
export function points(...lists: ArrayLike<number | bigint>[]): Points {
  for (const list of lists) needList(list, "list");
  return new Points(lists);
}
