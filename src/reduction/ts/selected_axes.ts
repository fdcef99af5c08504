/**
 * The indices that a selection takes along each dimension, as the engine resolves them
 * (`src/core/access/selection.rs`): slices are clipped as in Python, negative indices count from
 * the end.
 */
import { InvalidSelectionError } from "../../engine/ts/model/errors.ts";
import type { EngineDimension, EngineSelection, Integer } from "../../engine/ts/model/read_request.ts";

/** The indices of the selected places of a dimension. Those of a slice take no memory. */
export class Indices {
  readonly length: number;
  /** The first index and the step of a slice; undefined for a list. */
  readonly #range: readonly [start: number, step: number] | undefined;
  readonly #list: readonly number[];

  private constructor(
    length: number,
    range: readonly [start: number, step: number] | undefined,
    list: readonly number[],
  ) {
    [this.length, this.#range, this.#list] = [length, range, list];
  }

  static range(start: number, step: number, length: number): Indices {
    return new Indices(length, [start, step], []);
  }

  static list(indices: readonly number[]): Indices {
    return new Indices(indices.length, undefined, indices);
  }

  /** The index of a place. The caller has compared it with the length. */
  at(place: number): number {
    if (!this.#range) return this.#list[place] as number;
    const [start, step] = this.#range;
    return start + place * step;
  }

  /** The indices of the places from one to another. */
  slice(from: number, to: number): Indices {
    const length = Math.max(0, Math.min(to, this.length) - from);
    if (this.#range) return Indices.range(this.at(from), this.#range[1], length);
    return Indices.list(this.#list.slice(from, from + length));
  }

  map<T>(make: (index: number) => T): T[] {
    return Array.from({ length: this.length }, (_, place) => make(this.at(place)));
  }

  /** The engine's form. */
  toEngine(): EngineDimension {
    if (!this.#range) return { List: [...this.#list] };
    const [start, step] = this.#range;
    // The first index of an empty slice may be before the array, where the engine would count from
    // the end.
    if (this.length === 0) return { Slice: { start: 0, step: 1, stop: 0 } };
    const stop = start + this.length * step;
    return { Slice: { start, step, ...(stop >= 0 && { stop }) } };
  }
}

/** The places of one dimension of the selection. */
export interface SelectedAxis {
  /** The index in the array of each place. */
  indices: Indices;
  /** Whether the selection has an index instead of the dimension, which drops it. */
  isIndex: boolean;
}

const numberOf = (value: Integer): number => Number(value);

function ofIndex(index: number, extent: number, axis: number): number {
  const inRange = index < 0 ? index + extent : index;
  if (inRange >= 0 && inRange < extent) return inRange;
  throw new InvalidSelectionError("an index is out of bounds", {
    field: `dimension ${axis}`,
    expected: `${-extent} to ${extent - 1}`,
    actual: String(index),
  });
}

/** The indices of a slice, by the rules of Python. */
function ofSlice(start: number | undefined, stop: number | undefined, step: number, extent: number): Indices {
  if (step === 0) throw new InvalidSelectionError("the step of a slice is 0");
  const isDown = step < 0;
  const [lowest, highest] = isDown ? [-1, extent - 1] : [0, extent];
  const clipped = (bound: number) =>
    bound < 0 ? Math.max(bound + extent, lowest) : Math.min(bound, highest);
  const [begin, beyond] = isDown ? [highest, lowest] : [lowest, highest];
  const first = start === undefined ? begin : clipped(start);
  const end = stop === undefined ? beyond : clipped(stop);
  return Indices.range(first, step, Math.max(0, Math.ceil((end - first) / step)));
}

function selectedAxis(entry: EngineDimension, extent: number, axis: number): SelectedAxis {
  if (entry === "All") return { indices: Indices.range(0, 1, extent), isIndex: false };
  if ("Index" in entry)
    return { indices: Indices.range(ofIndex(numberOf(entry.Index), extent, axis), 1, 1), isIndex: true };
  if ("List" in entry) {
    const list = entry.List.map((index) => ofIndex(numberOf(index), extent, axis));
    return { indices: Indices.list(list), isIndex: false };
  }
  const { start, stop, step } = entry.Slice;
  const bound = (value: Integer | undefined) => (value === undefined ? undefined : numberOf(value));
  return { indices: ofSlice(bound(start), bound(stop), numberOf(step ?? 1), extent), isIndex: false };
}

/** The places of each dimension. Dimensions without an entry are selected completely. */
export function selectedAxes(selection: EngineSelection, shape: readonly number[]): SelectedAxis[] {
  if (!("Orthogonal" in selection))
    throw new InvalidSelectionError("points cannot be reduced", {
      expected: "a selection with an entry for each dimension",
      actual: Object.keys(selection).join(),
    });
  const { Orthogonal: entries } = selection;
  if (entries.length > shape.length)
    throw new InvalidSelectionError("the selection has more entries than the array has dimensions", {
      expected: `at most ${shape.length}`,
      actual: String(entries.length),
    });
  return shape.map((extent, axis) => selectedAxis(entries[axis] ?? "All", extent, axis));
}
