/**
 * zarrita's `_zarrita_internal_…` exports, for packages with their own kind of array
 * (`@zarrita/ndarray`). They read and write as `get` and `set` do; only the form of the result
 * differs.
 */
import type { Array as ZarrArray } from "../../api/array.ts";
import { product, stridesInOrder, stridesOf } from "../../engine/ts/elements/typed_arrays.ts";
import { refuse } from "../../engine/ts/model/argument.ts";
import type {
  Chunk,
  DataType,
  Indices,
  Projection,
  Readable,
  Scalar,
  Settable,
  Slice,
  TypedArray,
} from "../../engine/ts/model/types.ts";
import { type GetOptions, get, type SetOptions, set } from "./get_and_set.ts";
import { emptyLike, sliceIndices } from "./internal_parts.ts";

export { sliceIndices };

type Selection = (null | Slice | number)[];

/** The functions that make and fill another package's arrays. */
export interface Setter<D extends DataType, A> {
  /** Makes an array of elements and their layout. */
  prepare(data: TypedArray<D>, shape: number[], stride: number[]): A;
  /** Sets the selected elements of an array to a scalar. */
  setScalar(target: A, selection: (Indices | number)[], value: Scalar<D>): void;
  /** Copies elements from one array to another. */
  setFromChunk(target: A, source: A, projections: Projection[]): void;
}

/**
 * Reads as `get` does, into a result that `setter` makes. It is for `@zarrita/ndarray`.
 *
 * @param array The array.
 * @param selection An index, a slice or null for each dimension; null for the whole array.
 * @param setter The functions that make the result.
 */
export async function getWith<D extends DataType, A>(
  array: ZarrArray<D, Readable>,
  selection: Selection | null,
  options: GetOptions,
  setter: Setter<D, A>,
): Promise<A | Scalar<D>> {
  const got = (await get(array, selection, options)) as Chunk<D> | Scalar<D>;
  const isScalar = typeof got !== "object" || got === null || !("stride" in got);
  return isScalar ? (got as Scalar<D>) : setter.prepare(got.data, got.shape, got.stride);
}

/** Returns the extents of the selection in the dimensions that the result keeps. */
function extentsOf(selection: Selection | null, shape: readonly number[]): number[] {
  return shape.flatMap((length, axis) => {
    const entry = selection?.[axis] ?? null;
    if (typeof entry === "number") return [];
    const [start, stop, step] = sliceIndices(entry ?? { start: null, stop: null, step: null }, length);
    return [Math.max(0, Math.ceil((stop - start) / step))];
  });
}

const isArrayLike = (value: unknown): value is { data: { constructor: unknown }; shape: number[] } =>
  typeof value === "object" && value !== null && "data" in value && "shape" in value;

/**
 * Writes as `set` does, from a scalar or an array that `setter` can copy. It is for
 * `@zarrita/ndarray`.
 *
 * @param array The array.
 * @param selection An index, a slice or null for each dimension; null for the whole array.
 * @param value The values.
 * @param setter The functions that copy the values.
 */
export async function setWith<D extends DataType, A>(
  array: ZarrArray<D, Readable>,
  selection: Selection | null,
  value: A | Scalar<D>,
  options: SetOptions,
  setter: Setter<D, A>,
): Promise<void> {
  if (!isArrayLike(value)) return set(array, selection, value as Settable<D>, options);
  const shape = extentsOf(selection, array.shape);
  const stride = stridesInOrder(shape);
  const length = product(shape);
  const data = emptyLike(value.data, length) as TypedArray<D>;
  const whole = shape.map((extent): Projection => ({ from: [0, extent, 1], to: [0, extent, 1] }));
  if (length > 0) setter.setFromChunk(setter.prepare(data, shape, stride), value as A, whole);
  await set(array, selection, { data, shape, stride } as Settable<D>, options);
}

/**
 * Returns the strides in elements of a packed shape. It is for `@zarrita/ndarray`.
 *
 * @param shape The number of elements along each dimension.
 * @param order `"C"`, `"F"`, or the dimensions, slowest first.
 * @throws an `Argument` error if it does not list each dimension.
 */
export function getStrides(shape: readonly number[], order: "C" | "F" | number[]): number[] {
  const axes = [...shape.keys()];
  if (order === "F") axes.reverse();
  const listed = order === "C" || order === "F" ? axes : order;
  if (listed.length === shape.length) return stridesOf(shape, listed);
  return refuse("the order must list each dimension once", `${shape.length} dimensions`, listed.length);
}
